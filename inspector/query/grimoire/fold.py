"""The fold: the entries of a ledger, in order → the steps of its run.

Pure: no file, no clock. Every entry belongs to exactly one step. Source: Grimoire's core.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from inspector.model.status import Status
from inspector.model.step import StepKind
from inspector.query.grimoire import cross_chain, nesting
from inspector.query.grimoire.event_summary import action_words, money, summary_of, value
from inspector.query.grimoire.events import ADVISORY, Fact, fact_of, is_lifecycle
from inspector.query.grimoire.js import amount_of, compact
from inspector.query.grimoire.state import (
    COMMIT,
    Frame,
    Hints,
    Planned,
    State,
    current_part,
    current_step,
    end_part,
    part_of,
    preview_of,
)

Handler = Callable[[State, Fact], int]

_TRIGGER = ("type", "id", "index", "label", "cron")

_VERDICTS: Mapping[str, Status] = {"ready": Status.COMPLETED, "rejected": Status.FAILED}

_SOFT = frozenset({"warn", "warning", "info", "advisory"})


def fold(entries: Iterable[object], state: State | None = None) -> State:
    """Fold a whole ledger, a second time if its end revealed facts about its beginning."""
    kept = list(entries)
    folded = State() if state is None else state
    for entry in kept:
        apply(folded, entry)
    if not folded.found:
        return folded
    again = State(hints=hints_with(folded))
    for entry in kept:
        apply(again, entry)
    return again


def hints_with(state: State) -> Hints:
    """Return the hints of a fold with those that it found missing."""
    rounds = {event: per for event, per in state.found.items() if per}
    retried = {event for event, per in state.found.items() if not per}
    known = state.hints
    return Hints({**known.per_round, **rounds}, known.retried | retried)


def apply(state: State, entry: object) -> None:
    """Fold one entry: one event, which belongs to one step.

    An entry without an event belongs to the current part and is remarked. An instant before the
    previous one is remarked as clock skew.
    """
    fact = fact_of(state.events + 1, entry)
    state.events = fact.n
    if fact.type is None:
        step = _unreadable(state, fact)
    elif is_lifecycle(fact):
        step = cross_chain.apply_lifecycle(state, fact)
    elif fact.type in ADVISORY:
        step = _advise(state, fact)
    else:
        step = _HANDLERS.get(fact.type, _unknown)(state, fact)
    steps = state.steps
    state.event_step.append(step)
    steps.last[step] = fact.n
    steps.touch(step, fact.n)
    if fact.at is not None:
        state.instants += 1
        steps.stretch(step, fact.at)
        if state.last_at is None:
            state.first_at = fact.at
        elif fact.at < state.last_at:
            state.remark("clock_skew", step, fact.n)
        state.last_at = fact.at


def _unreadable(state: State, fact: Fact) -> int:
    step = current_part(state, fact)
    state.remark("malformed_entry", step, fact.n)
    return step


def _unknown(state: State, fact: Fact) -> int:
    """Add a step of unknown status for an entry of an unknown type, and remark it."""
    parent = current_step(state, fact)
    step = state.add(parent, StepKind.NODE, summary_of(fact), fact, fact.type or "?", fact.type)
    state.steps.set_status(step, Status.UNKNOWN, fact.type)
    state.remark("unknown_event", step, fact.n, fact.type or "?")
    return step


# The preview as a whole.


def _preview_started(state: State, fact: Fact) -> int:
    step = preview_of(state, fact)
    state.steps.set_status(step, Status.RUNNING, "started")
    state.note(step, run_id=fact.text("runId"))
    return step


def _run_started(state: State, fact: Fact) -> int:
    step = preview_of(state, fact)
    trigger = fact.mapping("trigger")
    state.note(step, **{f"trigger_{key}": trigger[key] for key in _TRIGGER if key in trigger})
    return step


def _preview_fact(state: State, fact: Fact) -> int:
    return preview_of(state, fact)


def _receipt(state: State, fact: Fact) -> int:
    nesting.leave_all(state, fact)
    step = preview_of(state, fact)
    state.note(step, receipt_id=fact.text("receiptId"))
    return step


def _approval(state: State, fact: Fact) -> int:
    step = preview_of(state, fact)
    state.remark("approval_required", step, fact.n, fact.text("reason") or "")
    return step


def _run_completed(state: State, fact: Fact) -> int:
    nesting.leave_all(state, fact)
    # `run_failed` may have come first, with an error.
    step = preview_of(state, fact)
    if state.steps.status_of(step) is Status.RUNNING:
        success = fact.body.get("success") is True
        status = Status.COMPLETED if success else Status.FAILED
        end_part(state, step, fact, status, "success" if success else "failure")
    return step


def _run_failed(state: State, fact: Fact) -> int:
    nesting.leave_all(state, fact)
    step = preview_of(state, fact)
    state.steps.more(step).error = fact.text("error")
    end_part(state, step, fact, Status.FAILED, "failed")
    return step


def _preview_completed(state: State, fact: Fact) -> int:
    nesting.leave_all(state, fact)
    step = preview_of(state, fact)
    word = fact.text("status")
    end_part(state, step, fact, _VERDICTS.get(word or "", Status.UNKNOWN), word)
    return step


# Entries inside a step.


def _skipped(state: State, fact: Fact) -> int:
    return _skip_planned(state, fact) if state.committing else nesting.skip(state, fact)


def _binding(state: State, fact: Fact) -> int:
    state.bindings.append(fact.n)
    state.binding_names.append(fact.text("name") or "?")
    return current_step(state, fact)


def _by_step(kind: StepKind) -> Handler:
    """Return a handler for entries that name a step; see `_owner`."""

    def handle(state: State, fact: Fact) -> int:
        return _owner(state, fact, kind)

    return handle


def _owner(state: State, fact: Fact, kind: StepKind) -> int:
    """Return the open step of this id, else the newest one, else a new one of a kind.

    An entry that names none belongs to the current step.
    """
    step_id = fact.text("stepId")
    frame = state.frame_of(step_id)
    if frame is not None:
        return frame.step
    if step_id is None:
        return current_step(state, fact)
    known = state.newest.get(step_id)
    return nesting.adopt(state, fact, step_id, kind) if known is None else known


def _delta(state: State, fact: Fact) -> int:
    """Return the step that a move of value names in its reason; it follows the step's end.

    Once the commit has begun, the commit's step of that id comes before the preview's.
    """
    reason = fact.mapping("delta").get("reason")
    named = reason.split(":")[1:2] if isinstance(reason, str) else []
    if named:
        candidates = (state.commits, state.newest) if state.committing else (state.newest,)
        for steps in candidates:
            if named[0] in steps:
                return steps[named[0]]
    return current_step(state, fact)


def _emitted(state: State, fact: Fact) -> int:
    step = _owner(state, fact, StepKind.STATEMENT)
    state.note(step, emitted=fact.text("event"))
    return step


def _retried(state: State, fact: Fact) -> int:
    step = _owner(state, fact, StepKind.TRY)
    frame = _innermost_frame(state, fact)
    if frame is not None:
        nesting.retry(state, frame, fact)
    return step


def _retries_over(state: State, fact: Fact) -> int:
    step = _owner(state, fact, StepKind.TRY)
    frame = _innermost_frame(state, fact)
    if frame is not None:
        nesting.retries_over(state, frame, fact, fact.type == "retry_succeeded")
    return step


def _caught(state: State, fact: Fact) -> int:
    step = _owner(state, fact, StepKind.TRY)
    state.note(step, caught=fact.text("errorType"), handler=fact.text("handler"))
    frame = _innermost_frame(state, fact)
    if frame is not None:
        nesting.caught(frame)
    return step


def _innermost_frame(state: State, fact: Fact) -> Frame | None:
    """Return the open frame that an entry names, after leaving the steps open inside it."""
    frame = state.frame_of(fact.text("stepId"))
    if frame is not None:
        while state.frames[-1] is not frame:
            nesting.leave(state, state.frames.pop(), fact)
    return frame


def _breaker(state: State, fact: Fact) -> int:
    step = current_step(state, fact)
    words = fact.body.get("trigger", fact.body.get("action"))
    state.remark("circuit_breaker", step, fact.n, f"{fact.text('breakerId')}: {value(words)}")
    return step


# Advisories and guards.


def _advise(state: State, fact: Fact) -> int:
    """Fold an entry about an advisory or one of its tool calls."""
    advisory = _advisory(state, fact)
    kind = fact.type or ""
    if kind.startswith("advisory_tool_execution"):
        return _tool_call(state, fact, advisory)
    if kind == "advisory_started":
        prompt = fact.text("prompt") or ""
        name = fact.text("advisor") or "?"
        state.steps.label[advisory] = f"{fact.text('stepId')}: {name}: {value(prompt)}"
        state.note(advisory, advisor=name)
    elif kind == "advisory_model_used":
        state.note(advisory, model=f"{fact.text('provider')}/{fact.text('modelId')}")
    elif kind == "advisory_completed":
        clamped = {"clamped": True} if fact.body.get("clamped") is True else {}
        state.note(advisory, **clamped)
        _end_without_frame(state, fact, advisory, Status.COMPLETED)
    elif kind == "advisory_failed":
        state.steps.more(advisory).error = fact.text("error")
        if "fallback" in fact.body:
            state.note(advisory, fallback=True)
        _end_without_frame(state, fact, advisory, Status.FAILED)
    return advisory


def _advisory(state: State, fact: Fact) -> int:
    """Return the step of an advisory by its step id.

    A guard asks without starting a step, under its own id: then each `advisory_started` adds one,
    inside the innermost open step or the preview.
    """
    step_id = fact.text("stepId") or "?"
    frame = state.frame_of(step_id)
    if frame is not None:
        return frame.step
    known = state.newest.get(step_id)
    is_advisory = known is not None and state.steps.kind_of(known) is StepKind.ADVISORY
    if known is not None and is_advisory and fact.type != "advisory_started":
        return known
    inner = state.innermost()
    parent = preview_of(state, fact) if inner is None else inner
    step = state.add(parent, StepKind.ADVISORY, step_id, fact, step_id, "started")
    state.set_kind_word(step, "advisory")
    state.newest[step_id] = step
    return step


def _end_without_frame(state: State, fact: Fact, advisory: int, status: Status) -> None:
    """End an advisory with its answer, unless a step's own end follows."""
    if state.frame_of(fact.text("stepId") or "?") is None:
        state.end(advisory, fact, status, status.value)


def _tool_call(state: State, fact: Fact, advisory: int) -> int:
    """Return the step of a tool call, known by advisory and call id; every start adds one."""
    call = fact.text("toolCallId") or "?"
    name = fact.text("toolName") or "?"
    step = state.tools.get((advisory, call))
    if step is None or fact.type == "advisory_tool_execution_start":
        step = state.add(advisory, StepKind.TOOL_CALL, name, fact, name, "started")
        state.note(step, tool_call_id=call)
        state.tools[advisory, call] = step
    if fact.type == "advisory_tool_execution_end":
        failed = fact.body.get("isError") is True
        state.end(
            step,
            fact,
            Status.FAILED if failed else Status.COMPLETED,
            "error" if failed else "finished",
        )
        if failed:
            state.steps.more(step).error = value(fact.body.get("result"))
    return step


def _guard(state: State, fact: Fact) -> int:
    """Add a guard's verdict, before or after the steps.

    A failed guard that only warns is completed; its warning becomes a finding.
    """
    name = fact.text("guardId") or "?"
    step = state.add(
        preview_of(state, fact), StepKind.GUARD, f"guard {name}", fact, name, fact.type
    )
    state.note(step, guard_id=name, phase="after" if state.began else "before")
    if fact.type == "guard_passed":
        state.end(step, fact, Status.COMPLETED, "passed")
        return step
    severity = fact.text("severity") or "?"
    message = fact.text("message") or ""
    state.note(step, severity=severity)
    state.steps.more(step).error = message
    state.steps.label[step] = f"guard {name}: {value(message)}" if message else f"guard {name}"
    soft = severity in _SOFT
    state.end(step, fact, Status.COMPLETED if soft else Status.FAILED, f"failed ({severity})")
    if soft:
        state.remark("guard_warned", step, fact.n, f"{name}: {message}")
    return step


# The commit.


def _simulated(state: State, fact: Fact) -> int:
    """Describe the open step by the action that it simulated; the entry names no step.

    Only a top-level action is planned: the commit sends no other.
    """
    step = current_step(state, fact)
    frame = state.frames[-1] if state.frames else None
    if frame is None or frame.step != step:
        return step
    action, result = fact.mapping("action"), fact.mapping("result")
    nested = state.steps.parent[step] != state.body.step
    state.steps.label[step] = f"{frame.step_id}: {action_words(action)}"
    state.note(
        step,
        action=action.get("type"),
        venue=action.get("venue"),
        input=result.get("input"),
        output=result.get("output"),
        gas_estimate=result.get("gasEstimate"),
        nested=nested,
    )
    if frame.kind == "action" and not nested:
        state.plan.append(Planned(frame.step_id, step, _canonical(action)))
    return step


def _canonical(action: object) -> str:
    """Return an action as JSON with sorted fields."""
    return compact(dict(sorted(action.items())) if isinstance(action, dict) else action)


def _begin_commit(state: State, fact: Fact) -> int:
    """Start the commit; an action that failed or was skipped is not planned."""
    step = part_of(state, COMMIT, fact)
    state.committing = True
    state.steps.set_status(step, Status.RUNNING, "started")
    state.plan = [one for one in state.plan if state.steps.status_of(one.step) is Status.COMPLETED]
    return step


def _end_commit(state: State, fact: Fact) -> int:
    """End the commit: what was not sent is skipped, what was not confirmed is unconfirmed."""
    step = part_of(state, COMMIT, fact)
    success = fact.body.get("success") is True
    for sent in state.commits.values():
        status = state.steps.status_of(sent)
        if status is Status.PENDING:
            state.steps.set_status(sent, Status.SKIPPED, "not sent")
        elif status is Status.RUNNING:
            state.steps.set_status(sent, Status.UNCONFIRMED, "submitted")
            state.remark("never_confirmed", sent, fact.n, state.steps.label[sent])
    word = "succeeded" if success else "failed"
    end_part(state, step, fact, Status.COMPLETED if success else Status.FAILED, word)
    return step


def _committed(state: State, step_id: str, fact: Fact, label: str) -> int:
    """Return the step of an action in the commit, added as pending with its preview's label."""
    known = state.commits.get(step_id)
    if known is not None:
        return known
    parent = part_of(state, COMMIT, fact)
    step = state.add(parent, StepKind.ACTION, label, fact, step_id, None)
    state.steps.set_status(step, Status.PENDING, None)
    state.commits[step_id] = step
    planned = next((one for one in state.plan if one.step_id == step_id), None)
    preview = planned.step if planned else state.newest.get(step_id)
    state.set_kind_word(step, "action")
    if preview is not None:
        state.note(step, preview=state.steps.path(preview))
        state.steps.label[step] = state.steps.label[preview]
    return step


def _drift(state: State, fact: Fact) -> int:
    """Add a check of the preview's value against the commit's, under the action that it names.

    A check that did not pass is failed and remarked.
    """
    fields = (fact.text("field") or "?").split(":")
    passed = fact.body.get("passed") is True
    planned = {one.step_id for one in state.plan}
    parent = current_part(state, fact)
    if len(fields) > 1 and fields[1] in planned:
        parent = _committed(state, fields[1], fact, fields[1])
    name = f"{fields[0]} {':'.join(fields[2:])}".rstrip() if len(fields) > 1 else fields[0]
    then, now = fact.body.get("previewValue"), fact.body.get("commitValue")
    label = f"{name}: {money(then, None)} → {money(now, None)}"
    step = state.add(parent, StepKind.NODE, label, fact, ":".join(fields), None)
    state.note(
        step,
        field=":".join(fields),
        preview_value=then,
        commit_value=now,
        passed=passed,
    )
    verdict = (Status.COMPLETED, "passed") if passed else (Status.FAILED, "drifted")
    state.end(step, fact, *verdict)
    if not passed:
        state.remark("drifted", step, fact.n, label)
    return step


def _submit(state: State, fact: Fact) -> int:
    """Record the transaction of an action that was sent; see `_next_planned`.

    Without a commit it is that of the current step.
    """
    sent = fact.text("txHash")
    action = fact.mapping("action")
    if not state.committing:
        step = current_step(state, fact)
    else:
        step = _next_planned(state, fact)
        state.steps.set_status(step, Status.RUNNING, "submitted")
        if fact.at is not None:
            state.steps.started[step] = fact.at
    state.note(step, tx_hash=sent, action=action.get("type"), venue=action.get("venue"))
    if sent is not None:
        state.by_hash[sent] = step
    preview = state.newest.get(state.id_of(step) or "")
    if preview is not None and preview != step:
        state.note(preview, tx_hash=sent)
    return step


def _next_planned(state: State, fact: Fact) -> int:
    """Return the commit's step of a sent action; the entry names no step.

    It is the first planned action after the last sent one that equals it; if none does, the next
    planned one, remarked; if none is left, a step of its own, remarked.
    """
    action = fact.body.get("action")
    wanted = _canonical(action)
    found = next(
        (at for at in range(state.sent, len(state.plan)) if state.plan[at].action == wanted), None
    )
    if found is None and state.sent < len(state.plan):
        found = state.sent
        state.remark("action_differs", state.plan[found].step, fact.n, action_words(action))
    if found is None:
        step = _committed(state, f"sent at {fact.n}", fact, action_words(action))
        state.remark("action_unplanned", step, fact.n, action_words(action))
        return step
    state.sent = found + 1
    return _committed(state, state.plan[found].step_id, fact, action_words(action))


def _confirm(state: State, fact: Fact) -> int:
    """Confirm the step that sent a transaction, and add the units of gas that it used.

    An unknown transaction belongs to the current step and is remarked.
    """
    step = state.by_hash.get(fact.text("txHash") or "")
    if step is None:
        step = current_step(state, fact)
        state.remark("transaction_unknown", step, fact.n, fact.text("txHash") or "?")
        return step
    gas = amount_of(fact.body.get("gasUsed"))
    if gas is not None:
        spent = state.steps.more(step).ref.get("gas_used") or 0
        state.note(step, gas_used=spent + gas)
    state.note(step, confirmed=True)
    if state.committing:
        state.end(step, fact, Status.COMPLETED, "confirmed")
    return step


def _revert(state: State, fact: Fact) -> int:
    """Fail the step that sent a transaction which the chain reverted."""
    step = state.by_hash.get(fact.text("txHash") or "")
    if step is None:
        step = current_step(state, fact)
        state.remark("transaction_unknown", step, fact.n, fact.text("txHash") or "?")
        return step
    state.steps.more(step).error = fact.text("reason")
    state.note(step, reverted=True)
    state.end(step, fact, Status.FAILED, "reverted")
    return step


def _skip_planned(state: State, fact: Fact) -> int:
    """Skip an action of the commit; actions planned before it are not sent any more."""
    step_id = fact.text("stepId") or "?"
    step = _committed(state, step_id, fact, step_id)
    at = next((n for n, one in enumerate(state.plan) if one.step_id == step_id), None)
    if at is not None and at >= state.sent:
        state.sent = at + 1
    state.end(step, fact, Status.SKIPPED, "skipped")
    state.note(step, reason=value(fact.body.get("reason")))
    return step


_HANDLERS: Mapping[str, Handler] = {
    "preview_started": _preview_started,
    "run_started": _run_started,
    "receipt_generated": _receipt,
    "approval_required": _approval,
    "run_completed": _run_completed,
    "run_failed": _run_failed,
    "preview_completed": _preview_completed,
    "guard_passed": _guard,
    "guard_failed": _guard,
    "step_started": nesting.start,
    "step_completed": nesting.complete,
    "step_failed": nesting.fail,
    "step_skipped": _skipped,
    "binding_set": _binding,
    "constraint_evaluated": _by_step(StepKind.ACTION),
    "action_simulated": _simulated,
    "value_delta": _delta,
    "event_emitted": _emitted,
    "error_caught": _caught,
    "retry_attempted": _retried,
    "retry_succeeded": _retries_over,
    "retry_exhausted": _retries_over,
    "policy_check_passed": current_step,
    "policy_check_failed": current_step,
    "state_read": current_step,
    "state_write": current_step,
    "circuit_breaker_triggered": _breaker,
    "circuit_breaker_action": _breaker,
    "commit_started": _begin_commit,
    "commit_completed": _end_commit,
    "drift_check": _drift,
    "action_submitted": _submit,
    "action_confirmed": _confirm,
    "action_reverted": _revert,
}
