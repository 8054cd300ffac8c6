"""A step and its lines: attempts, statuses, delegates.

A statement is its number and its name within the open iteration; a later line of the same one says
how it stands now. A result after a result, and a `retry`, each begin an attempt.
"""

from __future__ import annotations

from dataclasses import replace

from inspector.model.status import FINISHED, Status
from inspector.model.step import Attempt, StepKind
from inspector.query.openprose.logs.lines import Marker
from inspector.query.openprose.logs.state import LogState, Number, Said

RETRY = "retry"
_ON_ITS_WAY = (Status.RUNNING, Status.WAITING)


def put(state: LogState, container: int, marker: Marker, said: Said, letter: str = "") -> int:
    """Takes in one line about a statement in a container and returns its step."""
    child = _delegate_of(state, container, marker, letter)
    if child is not None:
        return _answer(state, child, marker, said)
    number, name = marker.statement, marker.name
    step = state.known(container, number, name)
    if step is None:
        step = _on_its_way(state, container, number, name)
    if step is None:
        segment = "?" if number is None else number
        step = state.add(container, StepKind.STATEMENT, name, segment, number, said)
        state.remember(container, number, name, step)
        begin(state, step, said)
    else:
        record(state, step, said)
    describe(state, step, marker, said)
    follow(state, container, step, marker, letter)
    return step


def _on_its_way(state: LogState, container: int, number: Number, name: str) -> int | None:
    """The statement that goes on where only one of two lines names it.

    A line without a name goes on with what is under way; one with a name with a retry of what had
    none, which is then called like that.
    """
    step = state.unfinished.get(container, {}).get(number)
    if step is None or state.steps.status_of(step) not in _ON_ITS_WAY:
        return None
    if not name:
        return step
    if state.steps.label[step] or state.steps.raw[step] != RETRY:
        return None
    state.steps.label[step] = name
    state.remember(container, number, name, step)
    return step


def retry(state: LogState, container: int, marker: Marker, said: Said) -> int:
    """Takes in `retry:A/M`: another attempt of the newest statement of that number."""
    named = state.known(container, marker.statement, marker.name)
    step = named if marker.name else None
    if step is None:
        step = state.unfinished.get(container, {}).get(marker.statement, named)
    if step is None:
        return put(state, container, marker, said)
    record(state, step, said)
    describe(state, step, marker, said)
    return step


def begin(state: LogState, step: int, said: Said) -> None:
    """The first line of a step: the columns already hold its status."""
    if said.error is not None:
        state.steps.more(step).error = said.error
    if said.raw == RETRY and said.attempt > 1:
        # The attempts before it left no line.
        earlier = [Attempt(n, Status.UNKNOWN) for n in range(1, min(said.attempt, 1000))]
        state.steps.more(step).attempts = [*earlier, _attempt(said.attempt, said)]


def record(state: LogState, step: int, said: Said) -> None:
    """One more line of a step that already exists."""
    steps = state.steps
    if not steps.first[step]:
        steps.first[step] = said.n
        _settle(state, step, said)
        begin(state, step, said)
        return
    before = steps.status_of(step)
    if said.status is Status.PENDING:
        # The line is still being written: its sign is to come.
        steps.last[step] = said.n
        steps.touch(step, said.n)
        return
    again = said.raw == RETRY or before in FINISHED
    extra = steps.extra.get(step)
    if again or (extra is not None and extra.attempts):
        _record_attempt(state, step, said, again)
    _settle(state, step, said)
    if said.error is not None or step in steps.extra:
        steps.more(step).error = said.error


def _record_attempt(state: LogState, step: int, said: Said, again: bool) -> None:
    extra = state.steps.more(step)
    if not extra.attempts:
        extra.attempts = list(state.steps.attempts(step))
    tries = extra.attempts
    last = tries[-1]
    if again:
        if last.status in _ON_ITS_WAY:
            tries[-1] = replace(last, status=Status.INTERRUPTED)
        tries.append(_attempt(max(said.attempt, last.n + 1), said))
    else:
        error = said.error if said.error is not None else last.error
        tries[-1] = replace(
            last, status=said.status, raw_status=said.raw, error=error, last_event=said.n
        )


def _attempt(number: int, said: Said) -> Attempt:
    return Attempt(number, said.status, said.raw, said.error, said.n, said.n)


def _settle(state: LogState, step: int, said: Said) -> None:
    steps = state.steps
    steps.set_status(step, said.status, said.raw)
    steps.last[step] = said.n
    steps.touch(step, said.n)


def describe(state: LogState, step: int, marker: Marker, said: Said) -> None:
    """Keeps what a line says beside its status, where it says more than a sign."""
    recorded = None if said.recorded in PLAIN else said.recorded
    if marker.most is not None and said.raw == RETRY:
        state.steps.more(step).max_attempts = marker.most
    if recorded is None and said.note is None and step not in state.steps.extra:
        return
    ref = state.steps.more(step).ref
    for key, value in (("recorded", recorded), ("note", said.note)):
        ref.pop(key, None)
        if value is not None:
            ref[key] = value


PLAIN = ("✓", "✓ rendered")
"""What nearly every line says need not be kept for each of them."""


def follow(state: LogState, container: int, step: int, marker: Marker, letter: str) -> None:
    """Remembers a statement that has not completed, and one that waits for a delegate."""
    number, status = marker.statement, state.steps.status_of(step)
    if status in (Status.COMPLETED, Status.SKIPPED):
        if state.unfinished.get(container, {}).get(number) == step:
            del state.unfinished[container][number]
    else:
        state.unfinished.setdefault(container, {})[number] = step
    key = (container, number, letter)
    if status is Status.WAITING:
        state.yielded[key] = step
        delegates = state.steps.more(step).ref.setdefault("delegates", [])
        if marker.target or marker.delegate:
            one = {"delegate": marker.target, "id": marker.delegate, "answered": False}
            state.steps.more(step).ref["delegates"] = [*delegates, one]
    elif status in FINISHED and state.yielded.get(key) == step:
        del state.yielded[key]


def _delegate_of(state: LogState, container: int, marker: Marker, letter: str) -> int | None:
    """The step that waits for the delegate whose answer a line is."""
    step = state.yielded.get((container, marker.statement, letter))
    if step is None or not marker.name or state.steps.label[step] == marker.name:
        return None
    extra = state.steps.extra.get(step)
    named = [one["delegate"] for one in extra.ref.get("delegates", ())] if extra else []
    return step if marker.name in named or marker.indented else None


def _answer(state: LogState, waiting: int, marker: Marker, said: Said) -> int:
    """What a delegate did is a step inside the one that called it."""
    number, name = marker.statement, marker.name
    step = state.known(waiting, number, name)
    if step is None:
        step = state.add(waiting, StepKind.STATEMENT, name, name, number, said)
        state.remember(waiting, number, name, step)
        begin(state, step, said)
    else:
        record(state, step, said)
    describe(state, step, marker, said)
    ref = state.steps.more(waiting).ref
    answered = said.status in FINISHED
    ref["delegates"] = [
        {**one, "answered": one["answered"] or (answered and one["delegate"] == marker.name)}
        for one in ref.get("delegates", ())
    ]
    return step
