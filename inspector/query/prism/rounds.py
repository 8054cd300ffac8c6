"""What comes round: artifacts that are validated and revised; and guardrails and compaction.

Source: Prism 0.3.0, the generate-validate-revise loop: the attempt of an artifact event is its
round.
"""

from __future__ import annotations

from inspector.model.status import Status
from inspector.model.step import StepKind
from inspector.query.prism.events import Fact
from inspector.query.prism.state import NONE, State


def artifact(state: State, fact: Fact) -> int:
    """One event of the loop that validates an artifact."""
    loop = _loop(state, fact)
    if fact.kind in ("artifact_finished", "artifact_failed"):
        return _over(state, fact, loop)
    number = fact.attempt or (state.steps.segment[state.round] if state.round >= 0 else 1)
    step = _round(state, fact, loop, int(number))
    if fact.kind == "artifact_validation_finished":
        bad = fact.detail.get("valid") is False or fact.error is not None
        state.end(step, fact, Status.FAILED if bad else Status.COMPLETED, "validation_finished")
        extra = state.steps.more(step)
        extra.error = fact.error or (fact.reason if bad else None)
        if bad:
            state.failed()
    return step


def _loop(state: State, fact: Fact) -> int:
    if state.loop < 0 or not state.is_running(state.loop):
        state.loop = state.add(
            state.segment, StepKind.LOOP, "artifact", "artifact", Status.RUNNING, "started", fact
        )
        state.round = NONE
    return state.loop


def _round(state: State, fact: Fact, loop: int, number: int) -> int:
    step = state.round
    if step >= 0 and state.steps.segment[step] == number:
        state.touch(step, fact)
        return step
    if step >= 0:
        state.cut(step, Status.INTERRUPTED)
    raw = fact.kind.removeprefix("artifact_")
    step = state.add(loop, StepKind.ITERATION, number, "", Status.RUNNING, raw, fact)
    extra = state.steps.more(step)
    extra.ref["attempt"] = number
    extra.ref["turn"] = fact.turn
    state.steps.more(loop).ref["current_iteration"] = number
    state.round = step
    return step


def _over(state: State, fact: Fact, loop: int) -> int:
    good = fact.kind == "artifact_finished"
    state.cut(state.round, Status.COMPLETED if good else Status.FAILED)
    state.end(loop, fact, Status.COMPLETED if good else Status.FAILED, "finished")
    extra = state.steps.more(loop)
    extra.ref["exited"] = True
    extra.ref["iterations_completed"] = extra.ref.get("current_iteration")
    if not good:
        state.steps.set_status(loop, Status.FAILED, "failed")
        extra.error = fact.error or fact.reason
        state.failed()
    return loop


def guardrail(state: State, fact: Fact) -> int:
    """A decision of a guardrail; `block` ends the run."""
    blocks = fact.detail.get("action") == "block"
    parent = state.turn if state.is_running(state.turn) else state.segment
    step = state.add(
        parent,
        StepKind.GUARD,
        f"guard {fact.name or ''}".rstrip(),
        fact.name or "guardrail",
        Status.FAILED if blocks else Status.COMPLETED,
        fact.detail.get("action") or "decided",
        fact,
    )
    state.end(step, fact, state.steps.status_of(step), state.steps.raw[step] or "decided")
    extra = state.steps.more(step)
    extra.ref.update(fact.detail)
    if blocks:
        extra.error = fact.reason
        state.failed()
    elif fact.reason is not None:
        extra.ref["reason"] = fact.reason
    return step


def compaction_started(state: State, fact: Fact) -> int:
    """The conversation is being shortened."""
    state.compaction = state.add(
        state.segment, StepKind.GROUP, "compaction", "compaction", Status.RUNNING, "started", fact
    )
    return state.compaction


def compaction_finished(state: State, fact: Fact) -> int:
    """The conversation was shortened."""
    if state.compaction < 0 or not state.is_running(state.compaction):
        compaction_started(state, fact)
    failed = fact.error is not None
    step = state.compaction
    state.end(
        step,
        fact,
        Status.FAILED if failed else Status.COMPLETED,
        "error" if failed else "finished",
    )
    if failed:
        state.steps.more(step).error = fact.error
        state.failed()
    return step
