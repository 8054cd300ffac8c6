"""Finding the parallel or loop that a row speaks of.

Ids may repeat: every `started` row that names branches opens another instance, so the newest open
one counts, and among several the one in the row's own frame.
"""

from __future__ import annotations

from collections.abc import Sequence

from inspector.model.status import Status
from inspector.model.step import StepKind
from inspector.query.openprose.instances import Registry
from inspector.query.openprose.state import ROOT, Fact, State


def find_parallel(state: State, fact: Fact, frame: int) -> int | None:
    """The parallel instance that a branch or join row belongs to; a closed one if none is open."""
    name, registry = fact.meta.parallel_id, state.named_parallels
    if _is_meant(state, frame, StepKind.PARALLEL, name, fact):
        return frame
    step = _in_frame(state, _open(state, registry, name, fact), frame)
    if step is not None:
        return step
    if name is not None:
        last = registry.named(name).last
        return last if last >= 0 else None
    return max(
        (one for one in registry.lasts() if state.index[one] == fact.statement), default=None
    )


def find_loop(state: State, fact: Fact, frame: int) -> int | None:
    """The open loop that an iteration, exit or body row belongs to."""
    name = fact.meta.loop_id
    if _is_meant(state, frame, StepKind.LOOP, name, fact):
        return frame
    return _in_frame(state, _open(state, state.named_loops, name, fact), frame)


def _is_meant(state: State, frame: int, kind: StepKind, name: str | None, fact: Fact) -> bool:
    """Whether the row's own frame is the construct that it speaks of."""
    if frame == ROOT or state.steps.kind_of(frame) is not kind:
        return False
    if name is None:
        return bool(state.index[frame] == fact.statement)
    return bool(state.steps.segment[frame] == name)


def _open(state: State, registry: Registry, name: str | None, fact: Fact) -> Sequence[int]:
    """Open constructs of that name, without one those with the row's index; oldest first."""
    if name is not None:
        return registry.named(name).open.of(state.steps)
    every = registry.open.of(state.steps)
    return sorted(one for one in every if state.index[one] == fact.statement)


def _in_frame(state: State, running: Sequence[int], frame: int) -> int | None:
    """The newest of them inside the frame, else the newest."""
    if not running:
        return None
    if frame != ROOT:
        for step in reversed(running):
            if frame in state.steps.ancestors(step):
                return step
    return running[-1]


def supersede(state: State, registry: Registry, name: str, container: int, fact: Fact) -> None:
    """A construct that was begun anew in the same place: the older one will not end any more."""
    for step in tuple(registry.named(name).open.of(state.steps)):
        same_place = state.steps.parent[step] == container
        if same_place and state.index[step] == fact.statement:
            state.steps.set_status(step, Status.INTERRUPTED, state.steps.raw[step])
            state.remark("superseded", step, (fact.row,))
