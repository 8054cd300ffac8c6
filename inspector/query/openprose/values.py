"""Bindings as values: the newest row per name and scope, and the value of a name in a frame.

Source: OpenProse state document, "Bindings" and its scope query. No real database has the table as
documented, so duplicates are common: per name and scope the row with the greatest rowid counts.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from inspector.model.value import Attachment, AttachmentVerdict, Then, Value
from inspector.query.openprose.events import index_of, text_of
from inspector.query.openprose.value_times import Binding, WriteTimes
from inspector.query.tables import Table, Tables, quoted
from inspector.query.view import ValueList
from inspector.text.parse_time import parse_instant

WHOLE_BYTES = 64 * 1024
"""Larger contents are read only on request."""
PREVIEW_BYTES = 1024
ROOT_SCOPE = "root"
_UNJUDGED = AttachmentVerdict.NONE

Inspect = Callable[[str], Attachment]
"""Returns the verdict on a recorded attachment path."""


@dataclass(frozen=True, slots=True)
class _Binding:
    """A parsed row."""

    rowid: int
    name: str | None
    frame: int | str | None
    """None is the root scope."""
    value: Value


def read_values(
    connection: sqlite3.Connection,
    tables: Tables,
    *,
    frame: str | None = None,
    full: bool = False,
    inspect: Inspect,
    tell: WriteTimes | None = None,
) -> ValueList:
    """Return values of every scope, or as one frame resolves them (`root` or a row).

    `tell` returns for each row whether it existed at the requested event.
    """
    table = tables.get("bindings")
    if table is None:
        return ValueList(frame, 0, ())
    bindings = list(_rows(connection, tables, table, full))
    if tell is not None:
        bindings = _then(bindings, tell)
    newest = _newest(bindings)
    if frame is not None:
        newest = _resolved(connection, tables, newest, frame)
    shown = [_with_attachment(binding.value, inspect) for binding in newest]
    return ValueList(frame, len(bindings), tuple(shown))


def read_versions(
    connection: sqlite3.Connection, tables: Tables, name: str, *, inspect: Inspect
) -> ValueList:
    """Return every row of a name in every scope, oldest first."""
    table = tables.get("bindings")
    if table is None:
        return ValueList(None, 0, ())
    rows = [one for one in _rows(connection, tables, table, full=False) if one.name == name]
    return ValueList(None, len(rows), tuple(_with_attachment(one.value, inspect) for one in rows))


def read_content(
    connection: sqlite3.Connection, tables: Tables, row: int, most: int
) -> tuple[bytes, int] | None:
    """Return the first `most` bytes of a row and its size; None without such a row."""
    table = tables.get("bindings")
    if table is None or table.rowid == "NULL":
        return None
    value = table.column("value")
    found = connection.execute(
        f"SELECT substr(CAST({value} AS BLOB), 1, ?), length(CAST({value} AS BLOB))"
        f" FROM bindings WHERE {table.rowid} = ?",
        (most, row),
    ).fetchone()
    return None if found is None else (found[0] or b"", found[1] or 0)


def binding_names(connection: sqlite3.Connection, tables: Tables) -> frozenset[str]:
    """Return every name that has a value in any scope."""
    table = tables.get("bindings")
    if table is None or not table.has("name"):
        return frozenset()
    rows = connection.execute("SELECT DISTINCT name FROM bindings LIMIT 100000")
    return frozenset(text_of(name) for (name,) in rows if name is not None)


def has_output(connection: sqlite3.Connection, tables: Tables) -> bool:
    """Return whether the program's output was written."""
    table = tables.get("bindings")
    kind = "NULL" if table is None else table.column("binding", "kind")
    if kind == "NULL":
        return False
    found = connection.execute(f"SELECT 1 FROM bindings WHERE {kind} = 'output' LIMIT 1")
    return found.fetchone() is not None


def orphans(connection: sqlite3.Connection, tables: Tables) -> Sequence[tuple[str, int | str]]:
    """Return values (name, execution id) whose frame is not recorded; at most 100."""
    table, execution = tables.get("bindings"), tables.get("execution")
    if table is None or execution is None:
        return ()
    if not table.has("execution_id") or not execution.has("id"):
        return ()
    rows = connection.execute(
        f"SELECT {table.column('name')}, execution_id FROM bindings"
        " WHERE execution_id IS NOT NULL AND execution_id NOT IN (0, '')"
        " AND execution_id NOT IN (SELECT id FROM execution WHERE id IS NOT NULL) LIMIT 100"
    )
    return tuple(
        (text_of(name), frame if isinstance(frame, int) else text_of(frame)) for name, frame in rows
    )


def _rows(
    connection: sqlite3.Connection, tables: Tables, table: Table, full: bool
) -> Iterable[_Binding]:
    value = table.column("value")
    limit = -1 if full else WHOLE_BYTES
    size = f"length(CAST({value} AS BLOB))"
    rowid = table.rowid if table.rowid != "NULL" else "0"
    sql = (
        f"SELECT {rowid}, {table.column('name')}, {table.column('execution_id')},"
        f" {table.column('binding', 'kind')}, typeof({value}), {size},"
        f" CASE WHEN ? < 0 OR {size} <= ? THEN {value}"
        f" ELSE substr(CAST({value} AS BLOB), 1, {PREVIEW_BYTES}) END,"
        f" {table.column('source_statement')}, {table.column('updated_at', 'created_at')},"
        f" {table.column('attachment_path')} FROM bindings ORDER BY {table.order}"
    )
    zero_is_root = not _has_row_zero(connection, tables)
    for row in connection.execute(sql, (limit, limit)):
        yield _read(row, limit, zero_is_root)


def _has_row_zero(connection: sqlite3.Connection, tables: Tables) -> bool:
    execution = tables.get("execution")
    if execution is None or not execution.has("id"):
        return False
    return connection.execute("SELECT 1 FROM execution WHERE id = 0").fetchone() is not None


def _read(row: tuple[Any, ...], limit: int, zero_is_root: bool) -> _Binding:
    rowid, name, frame, kind, type_, size, content, source, updated, path = row
    shown = None if name is None else text_of(name)
    scope = _scope_of(frame, zero_is_root=zero_is_root)
    whole = limit < 0 or size is None or size <= limit
    text = None if isinstance(content, bytes) and type_ == "blob" else _as_text(content)
    value = Value(
        name=shown,
        scope=ROOT_SCOPE if scope is None else str(scope),
        kind=None if kind is None else text_of(kind),
        type=type_,
        size=size or 0,
        value=text if whole else None,
        preview=_preview(content, type_),
        source_statement=None if source is None else text_of(source),
        updated_at=parse_instant(updated),
        attachment=None if path is None else Attachment(text_of(path), _UNJUDGED),
        row=rowid,
    )
    return _Binding(rowid, shown, scope, value)


def _as_text(content: Any) -> str | None:
    return None if content is None else text_of(content)


def _preview(content: object, type_: str) -> str:
    if isinstance(content, bytes) and type_ == "blob":
        return content[:32].hex(" ")
    return text_of(content)[:PREVIEW_BYTES]


def _then(bindings: Sequence[_Binding], tell: WriteTimes) -> list[_Binding]:
    """Return the rows that existed, or may have existed, at an event."""
    asked = [
        Binding(one.name, one.frame, one.value.source_statement, one.value.updated_at)
        for one in bindings
    ]
    return [
        replace(one, value=replace(one.value, then=told.then, written_event=told.event))
        for one, told in zip(bindings, tell(asked), strict=True)
        if told.then is not Then.NOT_YET
    ]


def _newest(bindings: Iterable[_Binding]) -> list[_Binding]:
    """Return the last row per name and scope, in order of first appearance, with its duplicates."""
    kept: dict[tuple[str | None, int | str | None], _Binding] = {}
    hidden: dict[tuple[str | None, int | str | None], int] = {}
    for binding in bindings:
        key = (binding.name, binding.frame)
        if key in kept:
            hidden[key] = hidden.get(key, 0) + 1
        kept[key] = binding
    return [
        replace(binding, value=replace(binding.value, superseded=hidden.get(key, 0)))
        for key, binding in kept.items()
    ]


def _resolved(
    connection: sqlite3.Connection, tables: Tables, newest: Iterable[_Binding], frame: str
) -> list[_Binding]:
    distance: Mapping[int | str | None, int] = {
        scope: steps for steps, scope in enumerate(scope_chain(connection, tables, frame))
    }
    nearest: dict[str | None, _Binding] = {}
    for binding in newest:
        if binding.frame not in distance:
            continue
        known = nearest.get(binding.name)
        if known is None or distance[binding.frame] < distance[known.frame]:
            nearest[binding.name] = binding
    return list(nearest.values())


def scope_chain(
    connection: sqlite3.Connection, tables: Tables, frame: str
) -> list[int | str | None]:
    """Return the frame, its parents from the nearest on, and the root (None); cycles end.

    Raises KeyError for a frame that is not a number and that no row has.
    """
    chain: list[int | str | None] = []
    execution = tables.get("execution")
    knows_parents = execution is not None and execution.has("parent_id") and execution.has("id")
    current = None if frame == ROOT_SCOPE else _scope_of(frame, zero_is_root=False)
    if isinstance(current, str) and not _is_frame(connection, tables, current):
        raise KeyError(frame)
    while current is not None and current not in chain:
        chain.append(current)
        if not knows_parents:
            break
        found = connection.execute(
            f"SELECT {quoted('parent_id')} FROM execution WHERE id = ?", (current,)
        ).fetchone()
        current = None if found is None else _scope_of(found[0], zero_is_root=True)
    return [*chain, None]


def _is_frame(connection: sqlite3.Connection, tables: Tables, name: str) -> bool:
    """Return whether a name that is not a number is that of a row or of a value's scope."""
    for table, column in (("execution", "id"), ("bindings", "execution_id")):
        known = tables.get(table)
        if known is not None and known.has(column):
            sql = f"SELECT 1 FROM {quoted(table)} WHERE {quoted(column)} = ? LIMIT 1"
            if connection.execute(sql, (name,)).fetchone() is not None:
                return True
    return False


def _scope_of(recorded: object, *, zero_is_root: bool) -> int | str | None:
    """Return a recorded frame as a key; None is the root scope."""
    number = index_of(recorded)
    if number is None or number == "" or (number == 0 and zero_is_root):
        return None
    return str(number) if isinstance(number, float) else number


def _with_attachment(value: Value, inspect: Inspect) -> Value:
    if value.attachment is None:
        return value
    return replace(value, attachment=inspect(value.attachment.path))
