"""The fold: rows in recorded order → steps.

Pure: reads no file and no clock. Rows with the same key (frame, open iteration, statement index,
branch) are one step; the newest row decides its status.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from inspector.derive.steps import KIND_CODE, STATUS_CODE
from inspector.model.status import FINISHED
from inspector.query.openprose.events import (
    APPEND_WORDS,
    BLOCK,
    FAILED,
    NOTHING,
    ROW_STATUS,
    RUNNING,
    STATEMENT,
    UNKNOWN,
    Row,
    index_of,
    instant_of,
    meta_of,
    text_of,
)
from inspector.query.openprose.frames import (
    frame_of,
    inside,
    key_of,
    names_missing_parent,
    promote,
    settle_parent,
)
from inspector.query.openprose.iterations import current_iteration
from inspector.query.openprose.loops import apply_loop, is_loop_row
from inspector.query.openprose.open_constructs import find_loop
from inspector.query.openprose.parallels import apply_parallel, is_parallel_row, owns_row
from inspector.query.openprose.state import DEEPEST, ROOT, Fact, RowNumbers, State
from inspector.query.openprose.statements import begin, record, record_times

_PLAIN = {
    word: STATUS_CODE[ROW_STATUS[word]]
    for word in ("completed", "failed", "skipped", "pending", "executing")
}
_NOT_PLAIN = ("parallel:", "do ", "block ")
_FAILED = STATUS_CODE[FAILED]
_STATEMENT = KIND_CODE[STATEMENT]
_BLOCK = KIND_CODE[BLOCK]


def fold(rows: Iterable[Row], state: State | None = None) -> State:
    """Fold rows onto a state, a new one by default, and return it."""
    state = State() if state is None else state
    for row in rows:
        # Each row is one event and belongs to one step.
        state.events += 1
        if not _apply_plain(state, row):
            state.here = None
            _apply_fact(state, row)
    return state


def _apply_plain(state: State, row: Row) -> bool:
    """Fast path: first status of a plain statement; False if the row needs `_apply_fact`.

    Must give the same state as `_apply_fact`; a property test compares the two.
    """
    row_id, index, text, raw, started, completed, error, parent, metadata = row
    code = _PLAIN.get(raw) if type(raw) is str else None
    rows = state.rows
    if (
        code is None
        or error
        or type(index) is not int
        or type(text) is not str
        or type(row_id) is not int
        or (metadata and metadata != "{}")
        or row_id <= rows.last
        or row_id in state.waiting
        or text.startswith(_NOT_PLAIN)
    ):
        return False
    container = _plain_place(state, index, parent, row_id)
    if container is None:
        return False
    step = state.by_key[container][index] = state.steps.append(
        container, _STATEMENT, text, code, raw, state.events, index
    )
    state.levels.append(state.levels[container] + 1 if container >= 0 else 0)
    state.index.append(index)
    rows.last = row_id
    rows.ids.append(row_id)
    state.event_step.append(step)
    if code == _FAILED:
        state.failures.append(state.events)
    if started is not None or completed is not None:
        _plain_times(state, step, row_id, instant_of(started), instant_of(completed))
    return True


def _plain_place(state: State, index: int, parent: object, row: int) -> int | None:
    """Return the container of a plain row; None if the row needs the general path."""
    container = state.here
    if container is None or parent != state.here_parent:
        container = _plain_container(state, parent, row)
        if container is None:
            return None
    if container >= 0 and state.index[container] == index and _is_block(state, container):
        # The row may end the block.
        return None
    known = state.by_key.get(container)
    if known is None:
        if state.is_forgotten(container):
            return None
        state.by_key[container] = {}
    elif index in known or container in state.late:
        return None
    taken = state.used.get(container)
    return None if taken and str(index) in taken else container


def _is_block(state: State, step: int) -> bool:
    return state.steps.kind[step] == _BLOCK


def _plain_container(state: State, parent: object, row: int) -> int | None:
    """Return and cache the container of plain rows with this parent; None: general path."""
    frame = ROOT
    if parent is not None:
        if type(parent) is not int or parent == row or state.parent_is_index:
            return None
        named = state.step_of_row(parent)
        if named is None or state.levels[named] >= DEEPEST - 2:
            return None
        frame = named
        promote(state, frame)
    container = inside(state, frame)
    state.here, state.here_parent = container, parent
    return container


def _plain_times(state: State, step: int, row: int, started: int | None, ended: int | None) -> None:
    if started is None and ended is None:
        return
    state.instants += 1
    state.both_instants += started is not None and ended is not None
    record_times(state, step, row, started, ended)


def _apply_fact(state: State, row: Row) -> None:
    fact = read_fact(state.rows, state.events, row)
    state.rows.add(fact.row)
    _count_signs(state, fact)
    frame = ROOT if fact.parent_row is None else frame_of(state, fact)
    if is_loop_row(fact):
        step = apply_loop(state, fact, frame)
    elif is_parallel_row(fact):
        step = apply_parallel(state, fact, frame)
        if not owns_row(state, step, fact):
            step = _statement(state, fact, inside(state, step), frame)
    else:
        step = _statement(state, fact, _container(state, fact, frame), frame)
    state.event_step.append(step)
    if fact.parent_row is not None or fact.row in state.waiting:
        settle_parent(state, step, fact, frame)
    if fact.meta.malformed:
        state.remark("malformed_metadata", step, (fact.row,))
    if fact.status is UNKNOWN:
        state.remark("unknown_status", step, (fact.row,), fact.raw or "")
    if state.levels[step] >= DEEPEST:
        state.remark("too_deep", step, (fact.row,))


def _count_signs(state: State, fact: Fact) -> None:
    if fact.started_at is not None or fact.ended_at is not None:
        state.instants += 1
        state.both_instants += fact.started_at is not None and fact.ended_at is not None
    if fact.status is FAILED:
        state.failures.append(fact.n)
    if fact.raw in APPEND_WORDS:
        state.appended += 1
    elif fact.meta.update_style:
        state.updated += 1


def read_fact(rows: RowNumbers, n: int, row: Row) -> Fact:
    """Return a row as a fact; cells of unexpected types are read as text."""
    row_id, index, text, raw, started, completed, error, parent, metadata = row
    word = raw if raw is None or type(raw) is str else text_of(raw)
    return _new_fact(
        Fact,
        (
            n,
            rows.number_of_row(row_id),
            index if type(index) is int else index_of(index),
            text if type(text) is str else text_of(text),
            word,
            UNKNOWN if word is None else ROW_STATUS.get(word, UNKNOWN),
            None if started is None else instant_of(started),
            None if completed is None else instant_of(completed),
            text_of(error) if error is not None and error != "" else None,
            None if parent is None else rows.number_of_parent(parent),
            NOTHING if metadata is None else meta_of(metadata),
        ),
    )


_new_fact = tuple.__new__


def _container(state: State, fact: Fact, frame: int) -> int:
    if fact.meta.loop_id is not None:
        loop = find_loop(state, fact, frame)
        if loop is not None:
            return inside(state, current_iteration(state, loop))
    if frame >= 0:
        promote(state, frame)
    return inside(state, frame)


def _statement(state: State, fact: Fact, container: int, frame: int) -> int:
    block = _block_ended_by(state, fact, container)
    if block is not None:
        record(state, block, fact)
        return block
    known = state.by_key.get(container)
    if known is None:
        known = state.by_key[container] = {}
    key: Any = key_of(fact.statement, fact.text)
    apart = frame == ROOT and names_missing_parent(fact)
    if apart:
        key = (fact.parent_row, key)
    step = known.get(key)
    if step is not None and _is_same(state, step, fact):
        record(state, step, fact)
        return step
    kind = BLOCK if _reads_as_block(fact) else STATEMENT
    step = known[key] = state.add_step(
        container, kind, fact, fact.text, fact.statement, apart=apart
    )
    if kind is BLOCK:
        state.steps.more(step).ref.update(block=fact.meta.block, depth=fact.meta.depth)
    begin(state, step, fact)
    return step


def _reads_as_block(fact: Fact) -> bool:
    begins = fact.status is RUNNING and fact.raw != "retry"
    return begins and (fact.meta.block is not None or fact.text.startswith(("do ", "block ")))


def _is_same(state: State, step: int, fact: Fact) -> bool:
    before = state.steps.status_of(step)
    if fact.statement is None and (before is not RUNNING or not fact.text):
        return False
    if before not in FINISHED or fact.raw == "retry":
        return not (_reads_as_block(fact) and state.steps.kind_of(step) is BLOCK)
    if state.steps.kind_of(step) is BLOCK and fact.status is RUNNING:
        return False
    return state.steps.label[step] == fact.text


def _block_ended_by(state: State, fact: Fact, container: int) -> int | None:
    """Return the block that a finishing row ends: an open child with its key, else the frame.

    The state document does not say whether the end of a block names the block's own first row or
    the surrounding frame as its parent; if the metadata gives a depth, it decides.
    """
    if fact.status not in FINISHED or container < 0:
        return None
    if not _same_block(state, container, fact):
        return None
    child = state.by_key.get(container, {}).get(fact.statement)
    if child is not None and _same_block(state, child, fact):
        return None
    return container


def _same_block(state: State, step: int, fact: Fact) -> bool:
    steps = state.steps
    if steps.kind_of(step) is not BLOCK or steps.status_of(step) is not RUNNING:
        return False
    if state.index[step] != fact.statement or steps.label[step] != fact.text:
        return False
    extra = steps.extra.get(step)
    depth = extra.ref.get("depth") if extra else None
    return depth is None or fact.meta.depth is None or depth == fact.meta.depth
