"""Rows as the store returns them: its field names, parsed JSON, no fields for NULL.

Source: Prism 0.3.0, the record types of `queryRuns`, `queryEvents` and `listEntries`, and
`prism_tool_calls`. A cell with invalid JSON stays text and is listed in `unreadable`; the store's
own query would fail. A tool call has one row per transition; since providers reuse ids, a call is a
run, an id and a start time.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence

from inspector.query.prism.cells import (
    Malformed,
    instant_of,
    json_of,
    mapping,
    message_of,
    name_of,
    text_of,
)
from inspector.query.prism.workflows import ToolTrack
from inspector.query.tables import Table, Tables, quoted

Record = dict[str, object]


_JSON = frozenset(
    {
        "metadata", "model", "error", "message", "event", "previous_model", "data", "usage",
        "arguments", "result", "progress", "progress_metadata", "agent_definition", "tags",
        "scorer_ids", "evaluation_ids", "applied_kinds", "value",
    }
)  # fmt: skip
"""Columns that hold JSON."""


_FLAGS = frozenset(("redacted",))


_RENAMED = {
    "prism_tenant_quotas": {"limit_count": "limit", "used_count": "used"},
}


_HIDDEN = {"prism_leases": frozenset(("token",)), "prism_tenant_quotas": frozenset(("id",))}
"""Columns never shown: a lease token allows acting in its owner's name."""


_UNDERSCORE = re.compile(r"_([a-z0-9])")


STORE_ORDER = ("started_at", "id")
"""The store's order of rows."""


def field_name(table: str, column: str) -> str:
    """Return the store's name for a column."""
    renamed = _RENAMED.get(table, {}).get(column)
    return renamed or _UNDERSCORE.sub(lambda found: found[1].upper(), column)


def record_of(table: str, columns: Sequence[str], row: Sequence[object]) -> Record:
    """Convert a row to a record under the store's field names."""
    found: Record = {}
    unreadable: list[str] = []
    for column, cell in zip(columns, row, strict=True):
        if cell is None:
            continue
        name = field_name(table, column)
        if column in _JSON:
            try:
                found[name] = json_of(cell)
            except Malformed:
                found[name] = text_of(cell)
                unreadable.append(name)
        elif column in _FLAGS:
            found[name] = bool(cell)
        else:
            found[name] = text_of(cell) if isinstance(cell, bytes) else cell
    if unreadable:
        found["unreadable"] = unreadable
    return found


def readable_columns(table: Table) -> list[str]:
    """Return the columns that may be shown, including those of extensions."""
    hidden = _HIDDEN.get(table.name, frozenset())
    return [column for column in table.columns if column not in hidden]


def read_records(
    connection: sqlite3.Connection,
    tables: Tables,
    name: str,
    *,
    where: str = "",
    values: Sequence[object] = (),
    order: Sequence[str] = (),
    limit: int | None = None,
) -> list[Record]:
    """Return rows in the given order (`-column` descends), then as written.

    `where` is SQL with parameters. A missing table has no rows.
    """
    return list(
        iterate_records(
            connection, tables, name, where=where, values=values, order=order, limit=limit
        )
    )


def iterate_records(
    connection: sqlite3.Connection,
    tables: Tables,
    name: str,
    *,
    where: str = "",
    values: Sequence[object] = (),
    order: Sequence[str] = (),
    limit: int | None = None,
) -> Iterator[Record]:
    """Yield the rows that `read_records` returns."""
    table = tables.get(name)
    if table is None:
        return
    columns = readable_columns(table)
    listed = ", ".join(quoted(column) for column in columns)
    sorted_by = [_ordered(table, column) for column in order if table.has(column.lstrip("-"))]
    clause = ", ".join((*sorted_by, table.order))
    most = "" if limit is None else f" LIMIT {int(limit)}"
    sql = f"SELECT {listed} FROM {quoted(name)} {where} ORDER BY {clause}{most}"
    for row in connection.execute(sql, values):
        yield record_of(name, columns, row)


def _ordered(table: Table, column: str) -> str:
    named = quoted(column.lstrip("-"))
    return f"{named} DESC" if column.startswith("-") else named


def equals(table: Table | None, column: str) -> str:
    """Return `column = ?` as SQL; false if the column does not exist."""
    if table is None or not table.has(column):
        return "0 AND ? IS NULL"
    return f"{quoted(column)} = ?"


def tool_rows(
    connection: sqlite3.Connection,
    tables: Tables,
    *,
    run: str | None = None,
    session: str | None = None,
    call: str | None = None,
    order: Sequence[str] = STORE_ORDER,
) -> list[Record]:
    """Return rows of tool calls of a run, a session or all; optionally of one call."""
    table = tables.get("prism_tool_calls")
    parts: list[str] = []
    values: list[object] = []
    for column, value in (("run_id", run), ("session_id", session), ("tool_call_id", call)):
        if value is not None:
            parts.append(equals(table, column))
            values.append(value)
    where = f"WHERE {' AND '.join(parts)}" if parts else ""
    return read_records(
        connection, tables, "prism_tool_calls", where=where, values=values, order=order
    )


def joined(rows: Sequence[Record]) -> list[list[Record]]:
    """Group rows in rowid order by call, in the order of their first rows."""
    calls: dict[tuple[object, object, object], list[Record]] = {}
    for row in rows:
        key = (row.get("runId"), row.get("toolCallId"), row.get("startedAt"))
        calls.setdefault(key, []).append(row)
    return list(calls.values())


def track_of(rows: Sequence[Record]) -> ToolTrack:
    """Return one call joined from its rows in rowid order."""
    latest = rows[-1]
    return ToolTrack(
        call=name_of(latest.get("toolCallId")) or "",
        name=name_of(latest.get("name")) or "tool",
        status=name_of(latest.get("status")),
        started_at=instant_of(latest.get("startedAt")),
        finished_at=instant_of(latest.get("finishedAt")),
        error=message_of(mapping(latest.get("result")).get("error")),
        reason=name_of(latest.get("reason")),
        rows=len(rows),
    )


def call_record(rows: Sequence[Record]) -> Record:
    """Return one call as a record: its latest row, its progress and its transitions."""
    found = dict(rows[-1])
    progress = [row["progress"] for row in rows if "progress" in row]
    if progress:
        found["progress"] = progress[-1]
    found["inspector"] = {
        "rows": len(rows),
        "transitions": [row.get("status") for row in rows],
        "progress": len(progress),
    }
    return found
