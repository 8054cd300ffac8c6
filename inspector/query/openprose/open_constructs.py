"""Finding the parallel or loop that a row speaks of.

Ids may repeat: every `started` row that names branches opens another instance, so the newest open
one counts, and among several the one in the row's own frame.
"""

from __future__ import annotations

from collections.abc import Sequence

from inspector.model.step import StepKind
from inspector.query.openprose.events import INTERRUPTED, LOOP, PARALLEL, RUNNING
from inspector.query.openprose.state import ROOT, Fact, Registry, State

LOOKED_AT = 20
"""Open constructs of one name among which that of the row's own frame is looked for."""


def find_parallel(state: State, fact: Fact, frame: int) -> int | None:
    """The parallel instance that a branch or join row belongs to; a closed one if none is open."""
    name, registry = fact.meta.parallel_id, state.named_parallels
    if frame == ROOT and name is not None:
        instances = registry.by_name.get(name)
        if instances is None:
            return None
        found = instances.open.last(state.steps)
        return instances.last if found is None else found
    if _is_meant(state, frame, PARALLEL, name, fact):
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
    if frame == ROOT and name is not None:
        instances = state.named_loops.by_name.get(name)
        return None if instances is None else instances.open.last(state.steps)
    if _is_meant(state, frame, LOOP, name, fact):
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
    """Open constructs of that name, without one those with the row's index; newest first."""
    if name is not None:
        return registry.named(name).open.newest(state.steps)
    every = registry.open.newest(state.steps)
    return [one for one in every if state.index[one] == fact.statement]


def _in_frame(state: State, running: Sequence[int], frame: int) -> int | None:
    """The newest of them inside the frame, else the newest."""
    if not running:
        return None
    if frame != ROOT:
        for step in running[:LOOKED_AT]:
            if frame in state.steps.ancestors(step):
                return step
    return running[0]


def supersede(state: State, kind: StepKind, name: str, container: int, fact: Fact) -> None:
    """A construct that was begun anew in the same place: the older one will not end any more."""
    step = state.by_key.get(container, {}).get((kind, name, fact.statement))
    if step is not None and state.steps.status_of(step) is RUNNING:
        state.steps.set_status(step, INTERRUPTED, state.steps.raw[step])
        state.remark("superseded", step, (fact.row,))


def begun_here(state: State, kind: StepKind, name: str, container: int, step: int) -> None:
    """Remembers what a further start in the same place would supersede."""
    key = (kind, name, state.index[step])
    state.by_key.setdefault(container, {})[key] = step
