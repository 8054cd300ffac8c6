"""Tool calls out of their rows: one row per transition, the latest tells.

Source: Prism 0.3.0, `prism_tool_calls`. A provider may use an id again in a later turn, so a call
is a run, an id and the instant of its start; a blocked call has no row of its start.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from inspector.query.prism.cells import instant_of, mapping, message_of, name_of
from inspector.query.prism.store_rows import Record, equals, read_records
from inspector.query.prism.workflows import ToolTrack
from inspector.query.tables import Tables

STORE_ORDER = ("started_at", "id")
"""In which the store lists rows."""


def tool_rows(
    connection: sqlite3.Connection,
    tables: Tables,
    *,
    run: str | None = None,
    session: str | None = None,
    call: str | None = None,
    order: Sequence[str] = STORE_ORDER,
) -> list[Record]:
    """Rows of one run, one session or all; of one call where it is given."""
    table = tables.get("prism_tool_calls")
    parts: list[str] = []
    values: list[Any] = []
    for column, value in (("run_id", run), ("session_id", session), ("tool_call_id", call)):
        if value is not None:
            parts.append(equals(table, column))
            values.append(value)
    where = f"WHERE {' AND '.join(parts)}" if parts else ""
    return read_records(
        connection, tables, "prism_tool_calls", where=where, values=values, order=order
    )


def joined(rows: Sequence[Record]) -> list[list[Record]]:
    """Rows as they were written → those of each call together, in the order of first rows."""
    calls: dict[tuple[Any, Any, Any], list[Record]] = {}
    for row in rows:
        key = (row.get("runId"), row.get("toolCallId"), row.get("startedAt"))
        calls.setdefault(key, []).append(row)
    return list(calls.values())


def track_of(rows: Sequence[Record]) -> ToolTrack:
    """One call out of its rows, which come as they were written."""
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
    """One call under the store's field names: its latest row, and what its others add."""
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
