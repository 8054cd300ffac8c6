"""Finding the parallel or loop that a row speaks of.

Ids may repeat: every `started` row that names branches opens another instance, so the newest open
one counts, and among several the one in the row's own frame.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from inspector.model.status import Status
from inspector.query.openprose.state import ROOT, Fact, State


def find_parallel(state: State, fact: Fact, frame: int) -> int | None:
    """The parallel instance that a branch or join row belongs to."""
    name = fact.meta.parallel_id
    if name is not None:
        return _pick(state, state.parallel_ids.get(name, ()), frame)
    candidates = [
        step
        for instances in state.parallel_ids.values()
        for step in instances
        if state.index[step] == fact.statement
    ]
    return _pick(state, sorted(candidates), frame)


def find_loop(state: State, fact: Fact, frame: int) -> int | None:
    """The open loop that an iteration, exit or body row belongs to."""
    name = fact.meta.loop_id
    if name is not None:
        return _pick(state, state.loop_ids.get(name, ()), frame, only_open=True)
    named = (step for loops in state.loop_ids.values() for step in loops)
    candidates = sorted(step for step in named if state.index[step] == fact.statement)
    return _pick(state, candidates, frame, only_open=True)


def _pick(
    state: State, instances: Sequence[int], frame: int, *, only_open: bool = False
) -> int | None:
    if not instances:
        return None
    if frame in instances:
        return frame
    running = _running(state, reversed(instances))
    if running:
        if frame != ROOT:
            for step in running:
                if frame in state.steps.ancestors(step):
                    return step
        return running[0]
    return None if only_open else instances[-1]


def _running(state: State, newest_first: Iterable[int]) -> list[int]:
    return [step for step in newest_first if state.steps.status_of(step) is Status.RUNNING]


def supersede(state: State, instances: Sequence[int], container: int, fact: Fact) -> None:
    """A construct that was begun anew in the same place: the older one will not end any more."""
    for step in instances:
        is_open = state.steps.status_of(step) is Status.RUNNING
        same_place = state.steps.parent[step] == container
        if is_open and same_place and state.index[step] == fact.statement:
            state.steps.set_status(step, Status.INTERRUPTED, state.steps.raw[step])
            state.remark("superseded", step, (fact.row,))
