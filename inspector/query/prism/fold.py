"""The fold: events of an agent run in their order → the steps that they tell of.

Pure: no file, no clock. A run is segments (a resume begins the next), a segment is turns, a turn is
a model call with its attempts and then the tools that it asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from inspector.model.status import Status
from inspector.model.step import Attempt, StepKind
from inspector.query.prism.events import DELTA, Fact, Row, read_fact
from inspector.query.prism.pauses import denied, resumed, suspended
from inspector.query.prism.rounds import (
    artifact,
    compaction_finished,
    compaction_started,
    guardrail,
)
from inspector.query.prism.state import KEPT_REMARKS, NONE, State
from inspector.query.prism.tools import (
    tool_blocked,
    tool_error,
    tool_finished,
    tool_progress,
    tool_started,
)


def fold(rows: Iterable[Row], state: State | None = None) -> State:
    """Folds rows onto a state (a new one when none is given) and returns it."""
    state = State() if state is None else state
    for row in rows:
        apply(state, row)
    return state


def apply(state: State, row: Row) -> int:
    """Takes in one event; gives the one step that it belongs to."""
    if row[2] == DELTA and state.talk >= 0:
        state.events += 1
        state.deltas += 1
        state.delta_at = row[3]
        state.instants += 1
        return state.talk
    state.settle()
    state.events += 1
    fact = read_fact(row)
    if fact.at is not None:
        state.instants += 1
        state.seen(fact.at)
    if fact.malformed:
        state.malformed_count += 1
        if state.malformed_count <= KEPT_REMARKS:
            state.malformed.append(state.events)
    return _HANDLERS.get(fact.kind, _other)(state, fact)


def in_segment(state: State, fact: Fact) -> int:
    """The segment that is under way; one without a start where the run has none."""
    if state.segment < 0:
        state.segment = _add_segment(state, fact)
    return state.segment


def _add_segment(state: State, fact: Fact) -> int:
    number = state.segments
    step = state.add(
        NONE, StepKind.SEGMENT, f"s{number}", f"segment {number}", Status.RUNNING, "started", fact
    )
    state.talk = step
    return step


def _agent_started(state: State, fact: Fact) -> int:
    before = state.segment
    if before >= 0:
        waited = state.steps.status_of(before) is Status.WAITING
        state.cut(state.turn, Status.INTERRUPTED)
        state.cut(state.call, Status.INTERRUPTED)
        state.cut(before, Status.COMPLETED if waited else Status.INTERRUPTED)
    for step in state.tools.values():
        state.cut(step, Status.INTERRUPTED)
    state.tools.clear()
    state.ended_tools.clear()
    state.used.clear()
    state.segments += 1
    state.turn = state.call = state.loop = state.round = state.compaction = NONE
    state.outcome = None
    state.highest_turn = 0
    state.segment = _add_segment(state, fact)
    return state.segment


def _agent_finished(state: State, fact: Fact) -> int:
    segment = in_segment(state, fact)
    state.end(segment, fact, Status.COMPLETED, "finished")
    if fact.reason is not None:
        state.finish_reason = fact.reason
        state.steps.more(segment).ref["finish_reason"] = fact.reason
    _outcome(state, "finished")
    return segment


def _error(state: State, fact: Fact) -> int:
    segment = in_segment(state, fact)
    for step in (state.call, state.turn, state.compaction, state.round, state.loop, state.wait):
        state.cut(step, Status.INTERRUPTED)
    for step in state.tools.values():
        state.cut(step, Status.INTERRUPTED)
    state.end(segment, fact, Status.FAILED, "error")
    state.steps.more(segment).error = fact.error
    state.failed()
    _outcome(state, "error")
    return segment


def _outcome(state: State, word: str) -> None:
    state.outcome, state.outcome_event = word, state.events


def _turn_started(state: State, fact: Fact) -> int:
    segment = in_segment(state, fact)
    state.used.pop(state.turn, None)
    state.used.pop(state.call, None)
    number = fact.turn if fact.turn is not None else state.turns + 1
    again = number <= state.highest_turn
    state.highest_turn = max(number, state.highest_turn)
    name = f"t{number}@{len(state.steps)}" if again else f"t{number}"
    label = f"turn {number}"
    step = state.add(
        segment, StepKind.TURN, name, label, Status.RUNNING, "started", fact, alone=True
    )
    state.turns = number
    state.turn = state.talk = step
    state.call = NONE
    state.ended_tools.clear()
    state.asked = ()
    return step


def _turn_finished(state: State, fact: Fact) -> int:
    if state.turn < 0:
        return _other(state, fact)
    state.end(state.turn, fact, Status.COMPLETED, "finished")
    state.talk = state.call if state.call >= 0 else state.turn
    return state.turn


def _model_started(state: State, fact: Fact) -> int:
    number = fact.attempt or 1
    call = state.call
    if call >= 0 and number > 1:
        _next_attempt(state, fact, number)
    else:
        parent = state.turn if state.turn >= 0 else in_segment(state, fact)
        label = fact.name or "model"
        call = state.add(
            parent, StepKind.MODEL_CALL, "model", label, Status.RUNNING, "started", fact
        )
        if number > 1:
            missing = [Attempt(n, Status.UNKNOWN) for n in range(1, min(number, 1000))]
            state.steps.more(call).attempts = [*missing, _attempt(state, fact, number)]
    state.steps.more(call).ref.update(fact.detail)
    state.call = state.talk = call
    return call


def _next_attempt(state: State, fact: Fact, number: int) -> None:
    steps, call = state.steps, state.call
    tries = list(steps.attempts(call))
    if tries and tries[-1].status is Status.RUNNING:
        tries[-1] = replace(tries[-1], status=Status.INTERRUPTED)
    tries.append(_attempt(state, fact, number))
    state.reopen(call, fact, Status.RUNNING, "started")
    extra = steps.more(call)
    extra.attempts, extra.error = tries, None


def _attempt(state: State, fact: Fact, number: int) -> Attempt:
    n = state.events
    return Attempt(number, Status.RUNNING, "started", None, n, n, fact.at, None)


def _model_finished(state: State, fact: Fact) -> int:
    if state.call < 0:
        _model_started(state, fact)
    call = state.call
    failed = fact.error is not None
    status, raw = (Status.FAILED, "error") if failed else (Status.COMPLETED, "finished")
    _end_attempt(state, call, fact, status, raw)
    state.end(call, fact, status, raw)
    extra = state.steps.more(call)
    extra.ref.update(fact.detail)
    extra.error = fact.error
    if failed:
        state.failed()
    return call


def _end_attempt(state: State, call: int, fact: Fact, status: Status, raw: str) -> None:
    extra = state.steps.more(call)
    if not extra.attempts:
        return
    extra.attempts[-1] = replace(
        extra.attempts[-1],
        status=status,
        raw_status=raw,
        error=fact.error,
        last_event=state.events,
        ended_at=fact.at,
    )


def _retry_scheduled(state: State, fact: Fact) -> int:
    if state.call < 0:
        return _other(state, fact)
    # The attempt that failed stays one, although the call goes on.
    tries = list(state.steps.attempts(state.call))
    state.reopen(state.call, fact, Status.RUNNING, "retry_scheduled")
    extra = state.steps.more(state.call)
    extra.attempts = tries
    extra.ref.update(fact.detail)
    return state.call


def _message(state: State, fact: Fact) -> int:
    step = state.talk if state.talk >= 0 else in_segment(state, fact)
    state.touch(step, fact)
    if fact.kind == "message_finished":
        state.asked = tuple(fact.detail["calls"]) if "calls" in fact.detail else ()
    return step


def _limit_exceeded(state: State, fact: Fact) -> int:
    step = _other(state, fact)
    state.breaches.append({**fact.detail, "event": state.events})
    state.failed()
    return step


def _other(state: State, fact: Fact) -> int:
    """What is no step of its own belongs to where the run stands."""
    step = state.turn if state.is_running(state.turn) else in_segment(state, fact)
    state.touch(step, fact)
    return step


def _suspended(state: State, fact: Fact) -> int:
    in_segment(state, fact)
    _outcome(state, "suspended")
    return suspended(state, fact)


def _denied(state: State, fact: Fact) -> int:
    in_segment(state, fact)
    _outcome(state, "denied")
    return denied(state, fact)


def _within(handler: Callable[[State, Fact], int]) -> Callable[[State, Fact], int]:
    """A handler that may count on a segment being there."""

    def handle(state: State, fact: Fact) -> int:
        in_segment(state, fact)
        return handler(state, fact)

    return handle


_HANDLERS: dict[str, Callable[[State, Fact], int]] = {
    "agent_started": _agent_started,
    "agent_finished": _agent_finished,
    "agent_suspended": _suspended,
    "agent_resumed": _within(resumed),
    "agent_denied": _denied,
    "error": _error,
    "turn_started": _turn_started,
    "turn_finished": _turn_finished,
    "provider_turn_started": _model_started,
    "provider_turn_finished": _model_finished,
    "retry_scheduled": _retry_scheduled,
    "message_started": _message,
    DELTA: _message,
    "message_finished": _message,
    "tool_execution_started": _within(tool_started),
    "tool_execution_progress": _within(tool_progress),
    "delegated_agent_step": _within(tool_progress),
    "tool_execution_finished": _within(tool_finished),
    "tool_execution_error": _within(tool_error),
    "tool_execution_blocked": _within(tool_blocked),
    "guardrail_decision": _within(guardrail),
    "run_limit_exceeded": _limit_exceeded,
    "compaction_started": _within(compaction_started),
    "compaction_finished": _within(compaction_finished),
    "artifact_validation_started": _within(artifact),
    "artifact_validation_finished": _within(artifact),
    "artifact_revision_started": _within(artifact),
    "artifact_finished": _within(artifact),
    "artifact_failed": _within(artifact),
}
