"""Fold the events of one agent run into its timeline.

Pure: no files, no clock.

A run consists of segments (each resume starts another), a segment of turns, and a turn of one model
call with its attempts, followed by the tool calls that it requested. Source: Prism 0.3.0, agent
events.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from inspector.derive.steps import NO_TIME, StepTable
from inspector.model.status import Status
from inspector.model.step import Attempt, StepKind
from inspector.query.prism.cells import instant_of
from inspector.query.prism.events import DELTA, Fact, Row, read_fact

NONE = -1
"""No step; as a parent, the run itself."""


MOST_MALFORMED = 100


@dataclass(slots=True)
class State:
    """The fold state after the first `events` events."""

    steps: StepTable = field(default_factory=StepTable)
    events: int = 0
    taken_names: dict[int, dict[str | int, int]] = field(default_factory=dict)
    """Parent → path segments in use, for parents that can still get children."""
    segments: int = 0
    """Number of `agent_started` events so far."""
    segment: int = NONE
    turn: int = NONE
    """The latest turn of this segment. Its tool calls come after its end event."""
    call: int = NONE
    """The latest model call of this turn."""
    message_step: int = NONE
    """The step that message events belong to."""
    tools: dict[str, int] = field(default_factory=dict)
    """Tool calls that have started and not ended, by id."""
    ended_tools: dict[str, int] = field(default_factory=dict)
    """Tool calls of this turn that have ended, by id."""
    requested: tuple[str, ...] = ()
    """Tool calls requested by the last message and not started yet."""
    wait: int = NONE
    """The current or most recent approval."""
    loop: int = NONE
    iteration: int = NONE
    compaction: int = NONE
    deltas: int = 0
    """Message deltas since the last other event; `settle` adds them to their step."""
    delta_at: object = None
    """Timestamp of the last delta, not parsed yet."""
    finish_reason: str | None = None
    outcome: str | None = None
    """The last of `finished`, `suspended`, `denied`, `error`; None while a segment runs."""
    outcome_event: int = 0
    instants: int = 0
    last_at: int | None = None
    """Latest event timestamp, UTC ms."""
    failures: array[int] = field(default_factory=lambda: array("i"))
    turns: int = 0
    """Number of the latest turn."""
    highest_turn: int = 0
    """Highest turn number in this segment."""
    malformed: list[int] = field(default_factory=list)
    """Events whose JSON is invalid; only the first KEPT_REMARKS."""
    malformed_count: int = 0
    breaches: list[dict[str, object]] = field(default_factory=list)

    def add(
        self,
        parent: int,
        kind: StepKind,
        name: str | int,
        label: str,
        status: Status,
        raw: str,
        at: Fact,
        *,
        unique: bool = False,
    ) -> int:
        """Add a step that starts with this event and give it a unique path segment.

        `alone` skips the check for siblings of the same name.
        """
        steps = self.steps
        number = steps.add(parent, kind, label, status, raw, self.events)
        steps.segment[number] = name
        if not unique:
            taken = self.taken_names.get(parent)
            if taken is None:
                taken = self.taken_names[parent] = {}
            times = taken[name] = taken.get(name, 0) + 1
            if times > 1:
                steps.repeats[number] = f"#{times}"
        if at.at is not None:
            steps.started[number] = at.at
            steps.stretch(number, at.at)
        return number

    def touch(self, step: int, fact: Fact) -> None:
        """Extend a step by this event."""
        if step < 0:
            return
        self.steps.last[step] = self.events
        self.steps.touch(step, self.events)
        if fact.at is not None:
            self.steps.stretch(step, fact.at)

    def end(self, step: int, fact: Fact, status: Status, raw: str) -> None:
        """End a step with this event."""
        self.touch(step, fact)
        self.steps.set_status(step, status, raw)
        if fact.at is not None:
            self.steps.ended[step] = fact.at

    def reopen(self, step: int, fact: Fact, status: Status, raw: str) -> None:
        """Continue a step that had ended or was waiting."""
        self.touch(step, fact)
        self.steps.set_status(step, status, raw)
        self.steps.ended[step] = NO_TIME

    def close_unfinished(self, step: int, status: Status) -> None:
        """Set the status of a step whose end was never recorded, because its parent is over."""
        if step >= 0 and self.steps.status_of(step) in (Status.RUNNING, Status.WAITING):
            self.steps.set_status(step, status, self.steps.raw[step])

    def is_running(self, step: int) -> bool:
        """Return whether a step has started and not ended."""
        return step >= 0 and self.steps.status_of(step) is Status.RUNNING

    def record_time(self, at: int) -> None:
        """Record the timestamp of an event."""
        if self.last_at is None or at > self.last_at:
            self.last_at = at

    def record_failure(self) -> None:
        """Record that this event reports a failure."""
        self.failures.append(self.events)

    def flush_deltas(self) -> None:
        """Add the pending message deltas to the step they belong to."""
        if not self.deltas:
            return
        step = self.message_step
        self.steps.last[step] = self.events
        self.steps.touch(step, self.events)
        at = instant_of(self.delta_at)
        if at is not None:
            self.steps.stretch(step, at)
            self.record_time(at)
        ref = self.steps.more(step).ref
        ref["deltas"] = ref.get("deltas", 0) + self.deltas
        self.deltas = 0

    def copy(self) -> State:
        """Return a snapshot that later events do not change."""
        return State(
            steps=self.steps.copy(),
            events=self.events,
            taken_names={parent: dict(names) for parent, names in self.taken_names.items()},
            segments=self.segments,
            segment=self.segment,
            turn=self.turn,
            call=self.call,
            message_step=self.message_step,
            tools=dict(self.tools),
            ended_tools=dict(self.ended_tools),
            requested=self.requested,
            wait=self.wait,
            loop=self.loop,
            iteration=self.iteration,
            compaction=self.compaction,
            deltas=self.deltas,
            delta_at=self.delta_at,
            finish_reason=self.finish_reason,
            outcome=self.outcome,
            outcome_event=self.outcome_event,
            instants=self.instants,
            last_at=self.last_at,
            failures=self.failures[:],
            turns=self.turns,
            highest_turn=self.highest_turn,
            malformed=list(self.malformed),
            malformed_count=self.malformed_count,
            breaches=list(self.breaches),
        )


def fold(rows: Iterable[Row], state: State | None = None) -> State:
    """Fold rows onto a state, a new one by default, and return it."""
    state = State() if state is None else state
    for row in rows:
        apply(state, row)
    return state


def apply(state: State, row: Row) -> int:
    """Fold one event and return the step it belongs to."""
    if row[2] == DELTA and state.message_step >= 0:
        state.events += 1
        state.deltas += 1
        state.delta_at = row[3]
        state.instants += 1
        return state.message_step
    state.flush_deltas()
    state.events += 1
    fact = read_fact(row)
    if fact.at is not None:
        state.instants += 1
        state.record_time(fact.at)
    if fact.malformed:
        state.malformed_count += 1
        if state.malformed_count <= MOST_MALFORMED:
            state.malformed.append(state.events)
    return _HANDLERS.get(fact.kind, _without_step)(state, fact)


# Segments


def _current_segment(state: State, fact: Fact) -> int:
    """Return the current segment, adding one if the run has no start event."""
    if state.segment < 0:
        state.segment = _add_segment(state, fact)
    return state.segment


def _add_segment(state: State, fact: Fact) -> int:
    number = state.segments
    step = state.add(
        NONE, StepKind.SEGMENT, f"s{number}", f"segment {number}", Status.RUNNING, "started", fact
    )
    state.message_step = step
    return step


def _agent_started(state: State, fact: Fact) -> int:
    before = state.segment
    if before >= 0:
        waited = state.steps.status_of(before) is Status.WAITING
        state.close_unfinished(state.turn, Status.INTERRUPTED)
        state.close_unfinished(state.call, Status.INTERRUPTED)
        state.close_unfinished(before, Status.COMPLETED if waited else Status.INTERRUPTED)
    for step in state.tools.values():
        state.close_unfinished(step, Status.INTERRUPTED)
    state.tools.clear()
    state.ended_tools.clear()
    state.taken_names.clear()
    state.segments += 1
    state.turn = state.call = state.loop = state.iteration = state.compaction = NONE
    state.outcome = None
    state.highest_turn = 0
    state.segment = _add_segment(state, fact)
    return state.segment


def _agent_finished(state: State, fact: Fact) -> int:
    segment = _current_segment(state, fact)
    state.end(segment, fact, Status.COMPLETED, "finished")
    if fact.reason is not None:
        state.finish_reason = fact.reason
        state.steps.more(segment).ref["finish_reason"] = fact.reason
    _record_outcome(state, "finished")
    return segment


def _error(state: State, fact: Fact) -> int:
    segment = _current_segment(state, fact)
    for step in (state.call, state.turn, state.compaction, state.iteration, state.loop, state.wait):
        state.close_unfinished(step, Status.INTERRUPTED)
    for step in state.tools.values():
        state.close_unfinished(step, Status.INTERRUPTED)
    state.end(segment, fact, Status.FAILED, "error")
    state.steps.more(segment).error = fact.error
    state.record_failure()
    _record_outcome(state, "error")
    return segment


def _record_outcome(state: State, word: str) -> None:
    state.outcome, state.outcome_event = word, state.events


def _without_step(state: State, fact: Fact) -> int:
    """Assign an event without a step of its own to the open turn, else to the segment."""
    step = state.turn if state.is_running(state.turn) else _current_segment(state, fact)
    state.touch(step, fact)
    return step


# Turns, model calls and messages


def _turn_started(state: State, fact: Fact) -> int:
    segment = _current_segment(state, fact)
    state.taken_names.pop(state.turn, None)
    state.taken_names.pop(state.call, None)
    number = fact.turn if fact.turn is not None else state.turns + 1
    again = number <= state.highest_turn
    state.highest_turn = max(number, state.highest_turn)
    name = f"t{number}@{len(state.steps)}" if again else f"t{number}"
    label = f"turn {number}"
    step = state.add(
        segment, StepKind.TURN, name, label, Status.RUNNING, "started", fact, unique=True
    )
    state.turns = number
    state.turn = state.message_step = step
    state.call = NONE
    state.ended_tools.clear()
    state.requested = ()
    return step


def _turn_finished(state: State, fact: Fact) -> int:
    if state.turn < 0:
        return _without_step(state, fact)
    state.end(state.turn, fact, Status.COMPLETED, "finished")
    state.message_step = state.call if state.call >= 0 else state.turn
    return state.turn


def _model_started(state: State, fact: Fact) -> int:
    number = fact.attempt or 1
    call = state.call
    if call >= 0 and number > 1:
        _next_attempt(state, fact, number)
    else:
        parent = state.turn if state.turn >= 0 else _current_segment(state, fact)
        label = fact.name or "model"
        call = state.add(
            parent, StepKind.MODEL_CALL, "model", label, Status.RUNNING, "started", fact
        )
        if number > 1:
            missing = [Attempt(n, Status.UNKNOWN) for n in range(1, min(number, 1000))]
            state.steps.more(call).attempts = [*missing, _attempt(state, fact, number)]
    state.steps.more(call).ref.update(fact.detail)
    state.call = state.message_step = call
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
        state.record_failure()
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
        return _without_step(state, fact)
    # Keep the failed attempt although the call continues.
    tries = list(state.steps.attempts(state.call))
    state.reopen(state.call, fact, Status.RUNNING, "retry_scheduled")
    extra = state.steps.more(state.call)
    extra.attempts = tries
    extra.ref.update(fact.detail)
    return state.call


def _message(state: State, fact: Fact) -> int:
    step = state.message_step if state.message_step >= 0 else _current_segment(state, fact)
    state.touch(step, fact)
    if fact.kind == "message_finished":
        state.requested = tuple(fact.detail["calls"]) if "calls" in fact.detail else ()
    return step


def _limit_exceeded(state: State, fact: Fact) -> int:
    step = _without_step(state, fact)
    state.breaches.append({**fact.detail, "event": state.events})
    state.record_failure()
    return step


# Tool calls


def _tool_started(state: State, fact: Fact) -> int:
    """Start a call; an id seen in an earlier turn is a new call."""
    step = _add_call(state, fact, Status.RUNNING, "started")
    running = [one for one in state.tools.values() if state.is_running(one)]
    if running:
        for one in (*running, step):
            state.steps.more(one).ref["parallel"] = True
    if fact.call is not None:
        state.tools[fact.call] = step
        state.requested = tuple(call for call in state.requested if call != fact.call)
    return step


def _add_call(state: State, fact: Fact, status: Status, raw: str) -> int:
    parent = state.turn if state.turn >= 0 else state.segment
    label = fact.name or "tool"
    step = state.add(parent, StepKind.TOOL_CALL, fact.call or label, label, status, raw, fact)
    state.steps.more(step).ref["tool_call_id"] = fact.call
    return step


def _tool_progress(state: State, fact: Fact) -> int:
    """Count progress of a call; progress of an unknown call belongs to the turn."""
    step = _find_call(state, fact)
    if step is None:
        return _progress_without_call(state, fact)
    state.touch(step, fact)
    ref = state.steps.more(step).ref
    ref["progress"] = ref.get("progress", 0) + 1
    return step


def _tool_finished(state: State, fact: Fact) -> int:
    """Complete a call."""
    return _end_known_call(state, fact, Status.COMPLETED, "finished")


def _tool_error(state: State, fact: Fact) -> int:
    """Fail a call."""
    state.record_failure()
    return _end_known_call(state, fact, Status.FAILED, "error")


def _tool_blocked(state: State, fact: Fact) -> int:
    """Skip a call. A blocked call has no start event."""
    if fact.call is not None and fact.call in state.tools:
        return _end_known_call(state, fact, Status.SKIPPED, "blocked")
    step = _add_call(state, fact, Status.SKIPPED, "blocked")
    state.requested = tuple(call for call in state.requested if call != fact.call)
    _end_call(state, step, fact, Status.SKIPPED, "blocked")
    return step


def _end_known_call(state: State, fact: Fact, status: Status, raw: str) -> int:
    step = _find_call(state, fact)
    if step is None:
        step = _add_call(state, fact, status, raw)
        state.steps.more(step).ref["start_missing"] = True
    _end_call(state, step, fact, status, raw)
    if fact.call is not None:
        state.tools.pop(fact.call, None)
        state.ended_tools[fact.call] = step
    return step


def _end_call(state: State, step: int, fact: Fact, status: Status, raw: str) -> None:
    state.end(step, fact, status, raw)
    extra = state.steps.more(step)
    extra.ref.update(fact.detail)
    extra.error = fact.error
    if fact.reason is not None:
        extra.ref["reason"] = fact.reason


def _find_call(state: State, fact: Fact) -> int | None:
    """Return the call with this id: the open one, else the one that ended in this turn."""
    if fact.call is None:
        return None
    step = state.tools.get(fact.call)
    return step if step is not None else state.ended_tools.get(fact.call)


def _progress_without_call(state: State, fact: Fact) -> int:
    step = state.turn if state.turn >= 0 else state.segment
    state.touch(step, fact)
    return step


# Approvals


def _suspend(state: State, fact: Fact) -> int:
    """Suspend the segment and its open turn. A repeated suspension updates the same approval."""
    segment = _current_segment(state, fact)
    _record_outcome(state, "suspended")
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


def _resume(state: State, fact: Fact) -> int:
    """Complete the approval. The event follows the start of the next segment."""
    step = state.wait
    if step < 0 or state.steps.status_of(step) is not Status.WAITING:
        state.touch(state.segment, fact)
        return state.segment
    state.end(step, fact, Status.COMPLETED, "resumed")
    return step


def _deny(state: State, fact: Fact) -> int:
    """Fail the approval and the run, whose row keeps saying `suspended`."""
    segment = _current_segment(state, fact)
    _record_outcome(state, "denied")
    state.close_unfinished(state.turn, Status.INTERRUPTED)
    step = state.wait
    if step < 0 or state.steps.status_of(step) is not Status.WAITING:
        step = segment
    state.end(step, fact, Status.FAILED, "denied")
    state.end(segment, fact, Status.FAILED, "denied")
    state.steps.more(segment).error = "denied"
    state.record_failure()
    return step


# Artifacts, guardrails and compaction


def _artifact(state: State, fact: Fact) -> int:
    """Handle an event of the generate-validate-revise loop; an event's attempt is its iteration."""
    loop = _loop(state, fact)
    if fact.kind in ("artifact_finished", "artifact_failed"):
        return _artifact_ended(state, fact, loop)
    number = fact.attempt or (state.steps.segment[state.iteration] if state.iteration >= 0 else 1)
    step = _iteration(state, fact, loop, int(number))
    if fact.kind == "artifact_validation_finished":
        bad = fact.detail.get("valid") is False or fact.error is not None
        state.end(step, fact, Status.FAILED if bad else Status.COMPLETED, "validation_finished")
        extra = state.steps.more(step)
        extra.error = fact.error or (fact.reason if bad else None)
        if bad:
            state.record_failure()
    return step


def _loop(state: State, fact: Fact) -> int:
    if state.loop < 0 or not state.is_running(state.loop):
        state.loop = state.add(
            state.segment, StepKind.LOOP, "artifact", "artifact", Status.RUNNING, "started", fact
        )
        state.iteration = NONE
    return state.loop


def _iteration(state: State, fact: Fact, loop: int, number: int) -> int:
    step = state.iteration
    if step >= 0 and state.steps.segment[step] == number:
        state.touch(step, fact)
        return step
    if step >= 0:
        state.close_unfinished(step, Status.INTERRUPTED)
    raw = fact.kind.removeprefix("artifact_")
    step = state.add(loop, StepKind.ITERATION, number, "", Status.RUNNING, raw, fact)
    extra = state.steps.more(step)
    extra.ref["attempt"] = number
    extra.ref["turn"] = fact.turn
    state.steps.more(loop).ref["current_iteration"] = number
    state.iteration = step
    return step


def _artifact_ended(state: State, fact: Fact, loop: int) -> int:
    good = fact.kind == "artifact_finished"
    state.close_unfinished(state.iteration, Status.COMPLETED if good else Status.FAILED)
    state.end(loop, fact, Status.COMPLETED if good else Status.FAILED, "finished")
    extra = state.steps.more(loop)
    extra.ref["exited"] = True
    extra.ref["iterations_completed"] = extra.ref.get("current_iteration")
    if not good:
        state.steps.set_status(loop, Status.FAILED, "failed")
        extra.error = fact.error or fact.reason
        state.record_failure()
    return loop


def _guardrail(state: State, fact: Fact) -> int:
    """Add the decision of a guardrail; the action `block` is a failure."""
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
        state.record_failure()
    elif fact.reason is not None:
        extra.ref["reason"] = fact.reason
    return step


def _compaction_started(state: State, fact: Fact) -> int:
    """Add a compaction of the conversation."""
    state.compaction = state.add(
        state.segment, StepKind.GROUP, "compaction", "compaction", Status.RUNNING, "started", fact
    )
    return state.compaction


def _compaction_finished(state: State, fact: Fact) -> int:
    """End the compaction, adding one if no start was recorded."""
    if state.compaction < 0 or not state.is_running(state.compaction):
        _compaction_started(state, fact)
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
        state.record_failure()
    return step


# Dispatch


def _in_any_segment(handler: Callable[[State, Fact], int]) -> Callable[[State, Fact], int]:
    """Wrap a handler so that a segment exists when it is called."""

    def handle(state: State, fact: Fact) -> int:
        _current_segment(state, fact)
        return handler(state, fact)

    return handle


_HANDLERS: dict[str, Callable[[State, Fact], int]] = {
    "agent_started": _agent_started,
    "agent_finished": _agent_finished,
    "agent_suspended": _suspend,
    "agent_resumed": _in_any_segment(_resume),
    "agent_denied": _deny,
    "error": _error,
    "turn_started": _turn_started,
    "turn_finished": _turn_finished,
    "provider_turn_started": _model_started,
    "provider_turn_finished": _model_finished,
    "retry_scheduled": _retry_scheduled,
    "message_started": _message,
    DELTA: _message,
    "message_finished": _message,
    "tool_execution_started": _in_any_segment(_tool_started),
    "tool_execution_progress": _in_any_segment(_tool_progress),
    "delegated_agent_step": _in_any_segment(_tool_progress),
    "tool_execution_finished": _in_any_segment(_tool_finished),
    "tool_execution_error": _in_any_segment(_tool_error),
    "tool_execution_blocked": _in_any_segment(_tool_blocked),
    "guardrail_decision": _in_any_segment(_guardrail),
    "run_limit_exceeded": _limit_exceeded,
    "compaction_started": _in_any_segment(_compaction_started),
    "compaction_finished": _in_any_segment(_compaction_finished),
    "artifact_validation_started": _in_any_segment(_artifact),
    "artifact_validation_finished": _in_any_segment(_artifact),
    "artifact_revision_started": _in_any_segment(_artifact),
    "artifact_finished": _in_any_segment(_artifact),
    "artifact_failed": _in_any_segment(_artifact),
}
