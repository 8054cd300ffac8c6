"""The container of a row: its frame by `parent_id`, and the open iteration of a loop by order.

Source: OpenProse state document, "Call stack" (`parent_id` chain) and "Loops" (rows between a
loop's `started` and its `exited` row). SQLite does not enforce foreign keys by default, so a parent
may be missing, come later, or be the row itself; no row is dropped for that.
"""

from __future__ import annotations

from inspector.derive.steps import KIND_CODE
from inspector.model.status import FINISHED
from inspector.query.openprose.events import BLOCK, BRANCH, ITERATION, LOOP, RUNNING, STATEMENT
from inspector.query.openprose.iterations import current_iteration
from inspector.query.openprose.state import ROOT, Fact, State

_LOOP = KIND_CODE[LOOP]
_STATEMENT = KIND_CODE[STATEMENT]
_BLOCK = KIND_CODE[BLOCK]


def frame_of(state: State, fact: Fact) -> int:
    """Return the step that a row names as its parent; ROOT if it names none that is known."""
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
        while state.is_deepest(step):
            step = state.steps.parent[step]
        return step
    by_index = _open_construct(state, row)
    return ROOT if by_index is None else by_index


def _open_construct(state: State, index: int) -> int | None:
    """Return the newest open parallel or loop with this statement index."""
    for registry in (state.named_parallels, state.named_loops):
        for step in registry.open.newest(state.steps):
            if state.index[step] == index:
                return step
    return None


def inside(state: State, container: int) -> int:
    """Return the container of the frame's next row: the innermost open iteration."""
    if container >= 0 and state.steps.kind[container] == _LOOP:
        if not iterations_by_order(state, container):
            return container
        container = current_iteration(state, container)
    while True:
        loops = state.loops.get(container)
        if loops:
            container = current_iteration(state, loops[-1])
            continue
        branch = _only_branch_with_loop(state, container) if state.branch_loops else None
        if branch is None:
            return container
        container = branch


def _only_branch_with_loop(state: State, container: int) -> int | None:
    """Return the only branch here with an open loop; None if there are several or none.

    Rows of a loop inside a branch name neither. While loops of two branches are open, order cannot
    tell them apart, and the row stays beside the parallel.
    """
    loops = state.branch_loops.get(container)
    if loops is None:
        return None
    steps = state.steps
    found = {steps.parent[loop] for loop in loops.newest(steps)}
    under_way = [
        branch
        for branch in found
        if steps.status_of(branch) not in FINISHED
        and steps.status_of(steps.parent[branch]) is RUNNING
    ]
    return under_way[0] if len(under_way) == 1 and state.loops.get(under_way[0]) else None


def iterations_by_order(state: State, loop: int) -> bool:
    """Return whether rows after an open loop belong to its iteration: it began with `started`."""
    around = state.steps.parent[loop]
    return loop in state.loops.get(around, ())


def names_missing_parent(fact: Fact) -> bool:
    """Return whether a row without a known frame names a parent; 0 is the run itself."""
    return bool(fact.parent_row) and fact.parent_row != fact.row


def settle_parent(state: State, step: int, fact: Fact, frame: int) -> None:
    """Remember a parent that is not recorded yet; adopt the steps that waited for this row."""
    row = fact.parent_row
    if row is not None and row == fact.row and not state.parent_is_index:
        state.remark("parent_cycle", step, (row,))
    elif row is not None and frame == ROOT and names_missing_parent(fact):
        waiting = state.waiting.setdefault(row, [])
        if step not in waiting[-1:]:
            waiting.append(step)
    for child in state.waiting.pop(fact.row, ()):
        _adopt(state, child, step, fact.row)


def _adopt(state: State, child: int, parent: int, row: int) -> None:
    kind = state.steps.kind_of(child)
    if kind in (BRANCH, ITERATION) or child == parent:
        return
    chain = [parent, *state.steps.ancestors(parent)]
    if child in chain:
        between = chain[: chain.index(child) + 1]
        rows = {state.first_row(step) for step in between} | {row}
        state.remark("parent_cycle", child, tuple(sorted(one for one in rows if one is not None)))
        return
    promote(state, parent)
    before = state.steps.parent[child]
    container = inside(state, parent)
    if container == child or child in state.steps.ancestors(container):
        container = parent
    state.move_step(child, container)
    _move_indexes(state, child, before, container, row)


def _move_indexes(state: State, child: int, before: int, container: int, row: int) -> None:
    """Move the indexes of a step along, so that later rows find it in its new container."""
    key = key_of(state.index[child], state.steps.label[child])
    known = state.by_key.get(before, {})
    if known.get((row, key)) == child:
        del known[row, key]
        state.by_key.setdefault(container, {})[key] = child
    elif state.steps.kind_of(child) in (STATEMENT, BLOCK):
        state.by_key.setdefault(container, {}).setdefault(key, child)
    if child in state.loops.get(before, ()):
        state.loops[before].remove(child)
        state.loops.setdefault(container, []).append(child)


def key_of(statement: object, text: str) -> object:
    """Return the key that rows of one statement share within a container."""
    return statement if statement is not None else ("", text)


def promote(state: State, step: int) -> None:
    """Make a statement a block because other rows name it as their parent."""
    if state.steps.kind[step] == _STATEMENT and state.steps.first[step]:
        state.steps.kind[step] = _BLOCK
