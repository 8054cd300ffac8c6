"""Approvals: a run waits for a person, goes on, waits again with fewer questions, or is denied.

Source: Prism 0.3.0, durable agent runs. A resume keeps the run's id and begins another segment.
"""

from __future__ import annotations

from inspector.model.status import Status
from inspector.model.step import StepKind
from inspector.query.prism.events import Fact
from inspector.query.prism.state import State


def suspended(state: State, fact: Fact) -> int:
    """The run waits; a turn that had begun waits with it."""
    segment = state.segment
    state.steps.set_status(segment, Status.WAITING, "suspended")
    state.touch(segment, fact)
    if state.is_running(state.turn):
        state.steps.set_status(state.turn, Status.WAITING, state.steps.raw[state.turn])
    step = state.wait
    if step >= 0 and state.steps.status_of(step) is Status.WAITING:
        state.touch(step, fact)
    else:
        label = fact.reason or "approval"
        step = state.add(
            segment, StepKind.WAIT, "approval", label, Status.WAITING, "suspended", fact
        )
        state.wait = step
    if fact.reason is not None:
        state.steps.label[step] = fact.reason
    extra = state.steps.more(step)
    extra.ref.update(fact.detail)
    if fact.call is not None:
        extra.ref["tool_call_id"] = fact.call
    return step


def resumed(state: State, fact: Fact) -> int:
    """Somebody allowed it; the event comes right after the start of the next segment."""
    step = state.wait
    if step < 0 or state.steps.status_of(step) is not Status.WAITING:
        state.touch(state.segment, fact)
        return state.segment
    state.end(step, fact, Status.COMPLETED, "resumed")
    return step


def denied(state: State, fact: Fact) -> int:
    """Somebody refused it: the run is over, although its row goes on saying `suspended`."""
    state.cut(state.turn, Status.INTERRUPTED)
    step = state.wait
    if step < 0 or state.steps.status_of(step) is not Status.WAITING:
        step = state.segment
    state.end(step, fact, Status.FAILED, "denied")
    state.end(state.segment, fact, Status.FAILED, "denied")
    state.steps.more(state.segment).error = "denied"
    state.failed()
    return step
