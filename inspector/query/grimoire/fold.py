"""The fold: entries in the order of the ledger → the steps that they tell of.

Pure: no file, no clock. Every entry belongs to exactly one step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from inspector.model.status import Status
from inspector.model.step import StepKind
from inspector.query.grimoire import advice, attempts, commit, crossing, nesting
from inspector.query.grimoire.events import ADVISORY, Fact, fact_of, is_lifecycle
from inspector.query.grimoire.lines import line_of, value
from inspector.query.grimoire.parts import current_part, here, judge, preview_of
from inspector.query.grimoire.state import Hints, State

Handler = Callable[[State, Fact], int]


def fold(entries: Iterable[Any], state: State | None = None) -> State:
    """Folds a whole ledger; a second time where only its end told what its beginning was."""
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
    """The hints of a fold with those that it found missing."""
    rounds = {event: per for event, per in state.found.items() if per}
    retried = {event for event, per in state.found.items() if not per}
    known = state.hints
    return Hints({**known.per_round, **rounds}, known.retried | retried)


def apply(state: State, entry: Any) -> None:
    """Takes in one entry: exactly one event, which belongs to exactly one step."""
    fact = fact_of(state.events + 1, entry)
    state.events = fact.n
    if fact.type is None:
        step = _unreadable(state, fact)
    elif is_lifecycle(fact):
        step = crossing.cross(state, fact)
    elif fact.type in ADVISORY:
        step = advice.advise(state, fact)
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
    """A type that no version is known to write: a step of its own, shown as it stands."""
    parent = here(state, fact)
    step = state.add(parent, StepKind.NODE, line_of(fact), fact, fact.type or "?", fact.type)
    state.steps.set_status(step, Status.UNKNOWN, fact.type)
    state.remark("unknown_event", step, fact.n, fact.type or "?")
    return step


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


_TRIGGER = ("type", "id", "index", "label", "cron")


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
    step = preview_of(state, fact)
    if state.steps.status_of(step) is Status.RUNNING:
        success = fact.body.get("success") is True
        status = Status.COMPLETED if success else Status.FAILED
        judge(state, step, fact, status, "success" if success else "failure")
    return step


def _run_failed(state: State, fact: Fact) -> int:
    nesting.leave_all(state, fact)
    step = preview_of(state, fact)
    state.steps.more(step).error = fact.text("error")
    judge(state, step, fact, Status.FAILED, "failed")
    return step


_VERDICTS: Mapping[str, Status] = {"ready": Status.COMPLETED, "rejected": Status.FAILED}


def _preview_completed(state: State, fact: Fact) -> int:
    nesting.leave_all(state, fact)
    step = preview_of(state, fact)
    word = fact.text("status")
    judge(state, step, fact, _VERDICTS.get(word or "", Status.UNKNOWN), word)
    return step


def _binding(state: State, fact: Fact) -> int:
    state.bindings.append(fact.n)
    state.binding_names.append(fact.text("name") or "?")
    return here(state, fact)


def _by_step(kind: StepKind) -> Handler:
    """Entries that name a step: that of the open one, else of the newest, else one of its own."""

    def handle(state: State, fact: Fact) -> int:
        return _owner(state, fact, kind)

    return handle


def _owner(state: State, fact: Fact, kind: StepKind) -> int:
    step_id = fact.text("stepId")
    frame = state.frame_of(step_id)
    if frame is not None:
        return frame.step
    if step_id is None:
        return here(state, fact)
    known = state.newest.get(step_id)
    return nesting.adopt(state, fact, step_id, kind) if known is None else known


def _delta(state: State, fact: Fact) -> int:
    """A move of value names its step in its reason, and comes behind the step's end."""
    reason = fact.mapping("delta").get("reason")
    named = reason.split(":")[1:2] if isinstance(reason, str) else []
    if named:
        places = (state.commits, state.newest) if state.committing else (state.newest,)
        for steps in places:
            if named[0] in steps:
                return steps[named[0]]
    return here(state, fact)


def _emitted(state: State, fact: Fact) -> int:
    step = _owner(state, fact, StepKind.STATEMENT)
    state.note(step, emitted=fact.text("event"))
    return step


def _retried(state: State, fact: Fact) -> int:
    step = _owner(state, fact, StepKind.TRY)
    frame = _reached(state, fact)
    if frame is not None:
        attempts.retry(state, frame, fact)
    return step


def _retries_over(state: State, fact: Fact) -> int:
    step = _owner(state, fact, StepKind.TRY)
    frame = _reached(state, fact)
    if frame is not None:
        attempts.retries_over(state, frame, fact, fact.type == "retry_succeeded")
    return step


def _caught(state: State, fact: Fact) -> int:
    step = _owner(state, fact, StepKind.TRY)
    state.note(step, caught=fact.text("errorType"), handler=fact.text("handler"))
    frame = _reached(state, fact)
    if frame is not None:
        attempts.caught(frame)
    return step


def _reached(state: State, fact: Fact) -> Any:
    """The open frame that an entry is about; what is open inside it has no end."""
    frame = state.frame_of(fact.text("stepId"))
    if frame is not None:
        while state.frames[-1] is not frame:
            nesting.leave(state, state.frames.pop(), fact)
    return frame


def _breaker(state: State, fact: Fact) -> int:
    step = here(state, fact)
    words = fact.body.get("trigger", fact.body.get("action"))
    state.remark("circuit_breaker", step, fact.n, f"{fact.text('breakerId')}: {value(words)}")
    return step


def _skipped(state: State, fact: Fact) -> int:
    return commit.pass_over(state, fact) if state.committing else nesting.skip(state, fact)


_HANDLERS: Mapping[str, Handler] = {
    "preview_started": _preview_started,
    "run_started": _run_started,
    "receipt_generated": _receipt,
    "approval_required": _approval,
    "run_completed": _run_completed,
    "run_failed": _run_failed,
    "preview_completed": _preview_completed,
    "guard_passed": advice.guard,
    "guard_failed": advice.guard,
    "step_started": nesting.start,
    "step_completed": nesting.complete,
    "step_failed": nesting.fail,
    "step_skipped": _skipped,
    "binding_set": _binding,
    "constraint_evaluated": _by_step(StepKind.ACTION),
    "action_simulated": commit.simulated,
    "value_delta": _delta,
    "event_emitted": _emitted,
    "error_caught": _caught,
    "retry_attempted": _retried,
    "retry_succeeded": _retries_over,
    "retry_exhausted": _retries_over,
    "policy_check_passed": here,
    "policy_check_failed": here,
    "state_read": here,
    "state_write": here,
    "circuit_breaker_triggered": _breaker,
    "circuit_breaker_action": _breaker,
    "commit_started": commit.begin,
    "commit_completed": commit.end,
    "drift_check": commit.drift,
    "action_submitted": commit.submit,
    "action_confirmed": commit.confirm,
    "action_reverted": commit.revert,
}
