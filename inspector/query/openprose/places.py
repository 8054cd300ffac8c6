"""Where a row belongs: its frame by `parent_id`, and the open round of a loop by order.

Source: OpenProse state document, "Call stack" (`parent_id` chain) and "Loops" (rows between a
loop's `started` and its `exited` row). Foreign keys are off by default, so a parent may be
missing, come later, or be the row itself; nothing is dropped for that.
"""

from __future__ import annotations

from inspector.model.status import Status
from inspector.model.step import StepKind
from inspector.query.openprose.state import ROOT, Fact, State


def frame_of(state: State, fact: Fact) -> int:
    """The step that a row names as its parent; the run itself when it names none that is known."""
    row = fact.parent_row
    if row is None:
        return ROOT
    if state.parent_is_index:
        by_index = _open_construct(state, row)
        if by_index is not None:
            return by_index
    if row == fact.row:
        return ROOT
    step = state.step_of_row(row)
    if step is not None:
        return step
    by_index = _open_construct(state, row)
    return ROOT if by_index is None else by_index


def _open_construct(state: State, index: int) -> int | None:
    """The newest open parallel or loop with this statement index."""
    for group in (state.parallel_ids, state.loop_ids):
        for instances in group.values():
            for step in reversed(instances):
                if state.index[step] == index and state.steps.status_of(step) is Status.RUNNING:
                    return step
    return None


def inside(state: State, container: int) -> int:
    """The container that the next row of this frame falls into: innermost open round by order."""
    while True:
        if container >= 0 and state.steps.kind_of(container) is StepKind.LOOP:
            if not rounds_by_order(state, container):
                return container
            container = round_of(state, container)
        loops = state.loops.get(container)
        if not loops:
            return container
        container = loops[-1]


def rounds_by_order(state: State, loop: int) -> bool:
    """Whether rows that follow an open loop belong to its round (it was begun by `started`)."""
    around = state.steps.parent[loop]
    return loop in state.loops.get(around, ())


def round_of(state: State, loop: int) -> int:
    """The loop's iteration that is under way; it begins with its first row."""
    current = state.rounds.get(loop)
    if current is None:
        done = state.steps.more(loop).ref.get("iterations_completed") or 0
        current = state.add_step(loop, StepKind.ITERATION, None, "", done + 1)
        state.steps.set_status(current, Status.RUNNING, None)
        state.rounds[loop] = current
    return current


def settle_parent(state: State, step: int, fact: Fact) -> None:
    """Remembers a parent that is not recorded, and takes in steps that waited for this row."""
    row = fact.parent_row
    if row is not None:
        if row == fact.row and not state.parent_is_index:
            state.remark("parent_cycle", step, (row,))
        elif frame_of(state, fact) == ROOT:
            state.waiting.setdefault(row, []).append(step)
    for waiting in state.waiting.pop(fact.row, ()):
        _adopt(state, waiting, step, fact.row)


def _adopt(state: State, child: int, parent: int, row: int) -> None:
    chain = [parent, *state.steps.ancestors(parent)]
    if child in chain:
        between = chain[: chain.index(child) + 1]
        rows = tuple(sorted({state.first_row(step) for step in between} | {row}))
        state.remark("parent_cycle", child, rows)
        return
    state.steps.move(child, parent)
    if state.steps.span_last[child]:
        state.steps.touch(parent, state.steps.span_last[child])
