"""Finds the parallel or loop that a row refers to.

Ids repeat: every `started` row that names branches begins another instance. The newest open one
counts; of several, one in the row's own frame.
"""

from __future__ import annotations

from collections.abc import Sequence

from inspector.model.step import StepKind
from inspector.query.openprose.events import INTERRUPTED, LOOP, PARALLEL, RUNNING
from inspector.query.openprose.state import ROOT, Fact, Registry, State

MOST_SEARCHED = 20
"""Open constructs of a name that are searched for one in the row's own frame."""


def find_parallel(state: State, fact: Fact, frame: int) -> int | None:
    """Return the parallel that a branch or join row belongs to; an ended one if none is open."""
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
    """Return the open loop that an iteration, exit or body row belongs to."""
    name = fact.meta.loop_id
    if frame == ROOT and name is not None:
        instances = state.named_loops.by_name.get(name)
        return None if instances is None else instances.open.last(state.steps)
    if _is_meant(state, frame, LOOP, name, fact):
        return frame
    return _in_frame(state, _open(state, state.named_loops, name, fact), frame)


def _is_meant(state: State, frame: int, kind: StepKind, name: str | None, fact: Fact) -> bool:
    """Return whether the row's own frame is the construct it refers to."""
    if frame == ROOT or state.steps.kind_of(frame) is not kind:
        return False
    if name is None:
        return bool(state.index[frame] == fact.statement)
    return bool(state.steps.segment[frame] == name)


def _open(state: State, registry: Registry, name: str | None, fact: Fact) -> Sequence[int]:
    """Return open constructs of a name, or with the row's index if it has no name; newest first."""
    if name is not None:
        return registry.named(name).open.newest(state.steps)
    every = registry.open.newest(state.steps)
    return [one for one in every if state.index[one] == fact.statement]


def _in_frame(state: State, running: Sequence[int], frame: int) -> int | None:
    """Return the newest one inside the frame, else the newest."""
    if not running:
        return None
    if frame != ROOT:
        for step in running[:MOST_SEARCHED]:
            if frame in state.steps.ancestors(step):
                return step
    return running[0]


def supersede(state: State, kind: StepKind, name: str, container: int, fact: Fact) -> None:
    """Interrupt the open construct that a new start in the same container replaces."""
    step = state.by_key.get(container, {}).get((kind, name, fact.statement))
    if step is not None and state.steps.status_of(step) is RUNNING:
        state.steps.set_status(step, INTERRUPTED, state.steps.raw[step])
        state.remark("superseded", step, (fact.row,))


def remember_construct(state: State, kind: StepKind, name: str, container: int, step: int) -> None:
    """Remember a construct so that a further start in the same container replaces it."""
    key = (kind, name, state.index[step])
    state.by_key.setdefault(container, {})[key] = step
