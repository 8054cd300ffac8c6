"""Tool calls: from start to end or block, side by side where they overlap, ids that repeat.

Source: Prism 0.3.0, tool dispatch. The tools of a turn run after the turn's own end event.
"""

from __future__ import annotations

from inspector.model.status import Status
from inspector.model.step import StepKind
from inspector.query.prism.events import Fact
from inspector.query.prism.state import State


def tool_started(state: State, fact: Fact) -> int:
    """A call begins; the same id in an earlier turn was another call."""
    step = _add(state, fact, Status.RUNNING, "started")
    running = [one for one in state.tools.values() if state.is_running(one)]
    if running:
        for one in (*running, step):
            state.steps.more(one).ref["parallel"] = True
    if fact.call is not None:
        state.tools[fact.call] = step
        state.asked = tuple(call for call in state.asked if call != fact.call)
    return step


def _add(state: State, fact: Fact, status: Status, raw: str) -> int:
    parent = state.turn if state.turn >= 0 else state.segment
    label = fact.name or "tool"
    step = state.add(parent, StepKind.TOOL_CALL, fact.call or label, label, status, raw, fact)
    state.steps.more(step).ref["tool_call_id"] = fact.call
    return step


def tool_progress(state: State, fact: Fact) -> int:
    """A sign of life of a call; before its start or without one it belongs to the turn."""
    step = _known(state, fact)
    if step is None:
        return _unplaced(state, fact)
    state.touch(step, fact)
    ref = state.steps.more(step).ref
    ref["progress"] = ref.get("progress", 0) + 1
    return step


def tool_finished(state: State, fact: Fact) -> int:
    """A call gives its result."""
    return _ended(state, fact, Status.COMPLETED, "finished")


def tool_error(state: State, fact: Fact) -> int:
    """A call fails."""
    state.failed()
    return _ended(state, fact, Status.FAILED, "error")


def tool_blocked(state: State, fact: Fact) -> int:
    """A call that was not let through: it has no start event."""
    if fact.call is not None and fact.call in state.tools:
        return _ended(state, fact, Status.SKIPPED, "blocked")
    step = _add(state, fact, Status.SKIPPED, "blocked")
    state.asked = tuple(call for call in state.asked if call != fact.call)
    _end(state, step, fact, Status.SKIPPED, "blocked")
    return step


def _ended(state: State, fact: Fact, status: Status, raw: str) -> int:
    step = _known(state, fact)
    if step is None:
        step = _add(state, fact, status, raw)
        state.steps.more(step).ref["start_missing"] = True
    _end(state, step, fact, status, raw)
    if fact.call is not None:
        state.tools.pop(fact.call, None)
        state.ended_tools[fact.call] = step
    return step


def _end(state: State, step: int, fact: Fact, status: Status, raw: str) -> None:
    state.end(step, fact, status, raw)
    extra = state.steps.more(step)
    extra.ref.update(fact.detail)
    extra.error = fact.error
    if fact.reason is not None:
        extra.ref["reason"] = fact.reason


def _known(state: State, fact: Fact) -> int | None:
    """The call that an event speaks of: the open one, else the one of this turn that ended."""
    if fact.call is None:
        return None
    step = state.tools.get(fact.call)
    return step if step is not None else state.ended_tools.get(fact.call)


def _unplaced(state: State, fact: Fact) -> int:
    step = state.turn if state.turn >= 0 else state.segment
    state.touch(step, fact)
    return step
