"""The commit: drift checks, and transactions matched to the actions that the preview planned.

Source: Grimoire's core. Only top-level actions are sent, in their order; an entry about a sent
action names no step, so the nth sent one is the nth planned one. Actions inside of anything are
simulated only.
"""

from __future__ import annotations

from typing import Any

from inspector.model.status import Status
from inspector.model.step import StepKind
from inspector.query.grimoire.events import Fact
from inspector.query.grimoire.js import amount_of, compact
from inspector.query.grimoire.lines import action_words, money, value
from inspector.query.grimoire.parts import COMMIT, current_part, here, judge, part_of
from inspector.query.grimoire.state import Planned, State


def simulated(state: State, fact: Fact) -> int:
    """An action was simulated: the entry names no step, so it is that of the open one."""
    step = here(state, fact)
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


def _canonical(action: Any) -> str:
    """An action as one line, whatever the order of its fields."""
    return compact(dict(sorted(action.items())) if isinstance(action, dict) else action)


def begin(state: State, fact: Fact) -> int:
    """The commit starts."""
    step = part_of(state, COMMIT, fact)
    state.committing = True
    state.steps.set_status(step, Status.RUNNING, "started")
    # An action that failed or was skipped is not planned.
    state.plan = [one for one in state.plan if state.steps.status_of(one.step) is Status.COMPLETED]
    return step


def end(state: State, fact: Fact) -> int:
    """The commit is over; what was not sent by now never will be."""
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
    judge(state, step, fact, Status.COMPLETED if success else Status.FAILED, word)
    return step


def _committed(state: State, step_id: str, fact: Fact, label: str) -> int:
    """The step of an action in the commit."""
    known = state.commits.get(step_id)
    if known is not None:
        return known
    parent = part_of(state, COMMIT, fact)
    step = state.add(parent, StepKind.ACTION, label, fact, step_id, None)
    state.steps.set_status(step, Status.PENDING, None)
    state.commits[step_id] = step
    planned = next((one for one in state.plan if one.step_id == step_id), None)
    known_preview = planned.step if planned else state.newest.get(step_id)
    state.call(step, "action")
    if known_preview is not None:
        state.note(step, preview=state.steps.path(known_preview))
        state.steps.label[step] = state.steps.label[known_preview]
    return step


def drift(state: State, fact: Fact) -> int:
    """What the preview saw against what the commit sees."""
    fields = (fact.text("field") or "?").split(":")
    passed = fact.body.get("passed") is True
    planned = {one.step_id for one in state.plan}
    parent = current_part(state, fact)
    if len(fields) > 1 and fields[1] in planned:
        parent = _committed(state, fields[1], fact, fields[1])
    words = f"{fields[0]} {':'.join(fields[2:])}".rstrip() if len(fields) > 1 else fields[0]
    then, now = fact.body.get("previewValue"), fact.body.get("commitValue")
    label = f"{words}: {money(then, None)} → {money(now, None)}"
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


def submit(state: State, fact: Fact) -> int:
    """An action was sent: the next planned one, unless the entry's action says otherwise."""
    sent = fact.text("txHash")
    action = fact.mapping("action")
    if not state.committing:
        step = here(state, fact)
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


def confirm(state: State, fact: Fact) -> int:
    """A transaction was confirmed; its gas is added up in units of gas."""
    step = state.by_hash.get(fact.text("txHash") or "")
    if step is None:
        step = here(state, fact)
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


def revert(state: State, fact: Fact) -> int:
    """A transaction was undone by its chain."""
    step = state.by_hash.get(fact.text("txHash") or "")
    if step is None:
        step = here(state, fact)
        state.remark("transaction_unknown", step, fact.n, fact.text("txHash") or "?")
        return step
    state.steps.more(step).error = fact.text("reason")
    state.note(step, reverted=True)
    state.end(step, fact, Status.FAILED, "reverted")
    return step


def pass_over(state: State, fact: Fact) -> int:
    """The commit left an action out."""
    step_id = fact.text("stepId") or "?"
    step = _committed(state, step_id, fact, step_id)
    at = next((n for n, one in enumerate(state.plan) if one.step_id == step_id), None)
    if at is not None and at >= state.sent:
        state.sent = at + 1
    state.end(step, fact, Status.SKIPPED, "skipped")
    state.note(step, reason=value(fact.body.get("reason")))
    return step
