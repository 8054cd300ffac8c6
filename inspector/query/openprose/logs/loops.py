"""Loops and their iterations.

Source: OpenProse filesystem state document: `N→ loop:I/M` begins iteration I, `N→ loop:I/M
exit(reason)` ends the loop. Real logs count N on with every iteration and leave the exit out, so
iteration I of the same M goes on with the innermost open loop that has not come so far.
"""

from __future__ import annotations

from inspector.model.status import Status
from inspector.model.step import StepKind
from inspector.query.openprose.logs.lines import Marker
from inspector.query.openprose.logs.state import LogState, Said
from inspector.query.openprose.logs.statements import record

DEEPEST = 24
"""Loops that may be open inside one another; a further one takes the innermost one's place."""


def iterate(state: LogState, base: int, marker: Marker, said: Said) -> int:
    """Takes in `N→ loop:I/M` and returns the iteration."""
    chain = _open_loops(state, base)
    at = _meant(state, chain, marker)
    if at is not None:
        loop = chain[at]
        _abandon(state, chain[at + 1 :])
        if (marker.number or 0) >= _begun(state, loop):
            return _goes_on(state, loop, marker, said)
        state.remark("superseded", state.lines[-1], step=loop)
        return _begins(state, _close(state, loop, Status.INTERRUPTED), marker, said)
    container = state.inside(base)
    if chain and (_is_used_up(state, chain[-1]) or len(chain) >= DEEPEST):
        container = _close(state, chain[-1], Status.UNKNOWN)
    return _begins(state, container, marker, said)


def _meant(state: LogState, chain: list[int], marker: Marker) -> int | None:
    """The open loop that an iteration belongs to: of the same statement, else one behind it."""
    alike = [at for at, loop in enumerate(chain) if state.steps.more(loop).of == marker.most]
    for at in reversed(alike):
        if state.numbers[chain[at]] == marker.statement:
            return at
    for at in reversed(alike):
        if (marker.number or 0) > _begun(state, chain[at]):
            return at
    return None


def leave(state: LogState, base: int, marker: Marker, said: Said) -> int:
    """Takes in `N→ loop:I/M exit(reason)` and returns the loop."""
    chain = _open_loops(state, base)
    at = _place_of(state, chain, marker)
    if at is None:
        loop = _make(state, state.inside(base), marker, said)
    else:
        loop = chain[at]
        _abandon(state, chain[at + 1 :])
        _close(state, loop, Status.COMPLETED)
        record(state, loop, said)
    ref = state.steps.more(loop).ref
    ref.update(exited=True, reason=said.note, current_iteration=marker.number)
    if marker.number is not None and (at is None or not ref["iterations_seen"]):
        ref["iterations_completed"] = marker.number
    return loop


def end_all(state: LogState, container: int) -> None:
    """Ends the loops that are open in a container that is over."""
    _abandon(state, _open_loops(state, container))


def _open_loops(state: LogState, base: int) -> list[int]:
    """The loops that are open in a container, outermost first."""
    chain: list[int] = []
    while (loop := state.loops.get(base)) is not None:
        chain.append(loop)
        base = state.rounds[loop]
    return chain


def _begun(state: LogState, loop: int) -> int:
    """The number of the iteration that is under way."""
    return state.steps.iteration(state.rounds[loop]) or 0


def _is_used_up(state: LogState, loop: int) -> bool:
    most = state.steps.more(loop).of
    return most is not None and _begun(state, loop) >= most


def _place_of(state: LogState, chain: list[int], marker: Marker) -> int | None:
    """The loop that an exit ends: of the same maximum, else of the same statement."""
    places = range(len(chain) - 1, -1, -1)
    for at in places:
        if state.steps.more(chain[at]).of == marker.most:
            return at
    for at in places:
        if marker.statement in (None, state.numbers[chain[at]]):
            return at
    return None


def _make(state: LogState, container: int, marker: Marker, said: Said) -> int:
    number = marker.statement
    segment = "l" if number is None else f"l{number}"
    loop = state.add(container, StepKind.LOOP, marker.body, segment, number, said)
    extra = state.steps.more(loop)
    extra.of = marker.most
    extra.ref.update(
        loop_id=None,
        exited=False,
        reason=None,
        iterations_seen=0,
        iterations_completed=0,
        current_iteration=None,
    )
    return loop


def _begins(state: LogState, container: int, marker: Marker, said: Said) -> int:
    loop = _make(state, container, marker, said)
    state.steps.set_status(loop, Status.RUNNING, Status.RUNNING.value)
    state.loops[container], state.homes[loop] = loop, container
    return _next_round(state, loop, marker, said)


def _goes_on(state: LogState, loop: int, marker: Marker, said: Said) -> int:
    current = state.rounds[loop]
    if _begun(state, loop) == marker.number:
        record(state, current, said)
        return current
    _end_round(state, loop, Status.COMPLETED)
    return _next_round(state, loop, marker, said)


def _next_round(state: LogState, loop: int, marker: Marker, said: Said) -> int:
    number = marker.number or 0
    current = state.add(loop, StepKind.ITERATION, "", number, marker.statement, said)
    state.rounds[loop] = current
    ref = state.steps.more(loop).ref
    ref["iterations_seen"] += 1
    ref["current_iteration"] = number
    if said.error is not None:
        state.steps.more(current).error = said.error
    return current


def _end_round(state: LogState, loop: int, status: Status) -> None:
    current = state.rounds.pop(loop)
    if state.steps.status_of(current) in (Status.RUNNING, Status.UNKNOWN, Status.PENDING):
        state.steps.set_status(current, status, None)
    if status is Status.COMPLETED:
        ref = state.steps.more(loop).ref
        ref["iterations_completed"] = state.steps.iteration(current) or 0
    state.forget(current)


def _close(state: LogState, loop: int, status: Status) -> int:
    """Ends a loop and its iteration, and gives the container that the loop was open in.

    When it is completed, its own status is left to the line that says so.
    """
    container = state.homes.pop(loop)
    del state.loops[container]
    _end_round(state, loop, status)
    if status is not Status.COMPLETED:
        state.steps.set_status(loop, status, None)
    return container


def _abandon(state: LogState, loops: list[int]) -> None:
    """Loops whose end is not recorded although something around them went on."""
    for loop in reversed(loops):
        _close(state, loop, Status.UNKNOWN)
