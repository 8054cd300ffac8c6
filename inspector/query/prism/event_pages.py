"""Events of one run in pages, each small enough that nobody waits for it.

Order: by sequence, ties by rowid. Where a database lets sequences of a run repeat (schema versions
before 6 did) its order is that of writing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from inspector.query.prism.events import BARE, DELTA, Row
from inspector.query.prism.store_rows import Record, readable_columns, record_of
from inspector.query.tables import Table, Tables, quoted

PAGE_ROWS = 20_000
PAGE_BYTES = 8 << 20
"""Text of events that is held at once, at the least one event."""
_AT_ONCE = 500
"""Row ids that are asked for in one statement."""

_NEEDED = ("run_id", "sequence", "type", "timestamp", "event")


@dataclass(frozen=True, slots=True)
class Page:
    """Consecutive events; `more` when there are further ones."""

    rows: Sequence[Row]
    more: bool


def event_table(tables: Tables) -> Table | None:
    """The table of events, if it has what a timeline needs."""
    table = tables.get("prism_agent_events")
    if table is None or not table.has_rowid or not all(map(table.has, _NEEDED)):
        return None
    return table


def read_page(
    connection: sqlite3.Connection,
    run: str,
    after: tuple[Any, int] | None,
    *,
    by_writing: bool,
    indexed: bool,
) -> Page:
    """The events after one (its sequence and rowid; None = from the first)."""
    table = "FROM prism_agent_events"
    # Without an index every page would be a scan of its own: then there is one.
    # Beyond a page: the event before it, which is asked for again, and one that tells of more.
    limit = f"LIMIT {PAGE_ROWS + 2}" if indexed else ""
    values: tuple[Any, ...]
    if by_writing:
        # The plus keeps SQLite from sorting what it finds by the index, page after page.
        sql = f"SELECT {_columns()} {table} WHERE +run_id = ? AND rowid > ? ORDER BY rowid {limit}"
        values = (run, -1 if after is None else after[1])
    elif after is None:
        sql = f"SELECT {_columns()} {table} WHERE run_id = ? ORDER BY sequence, rowid {limit}"
        values = (run,)
    else:
        where = "WHERE run_id = ? AND sequence >= ?"
        sql = f"SELECT {_columns()} {table} {where} ORDER BY sequence, rowid {limit}"
        values = (run, after[0])
    return _page(connection.execute(sql, values), after if not by_writing else None, bool(limit))


def _page(cursor: sqlite3.Cursor, after: tuple[Any, int] | None, limited: bool) -> Page:
    rows: list[Row] = []
    size = 0
    for row in cursor:
        if after is not None and row[1] == after[0] and row[0] <= after[1]:
            continue
        if limited and (len(rows) >= PAGE_ROWS or size > PAGE_BYTES):
            return Page(rows, True)
        rows.append(row)
        size += len(row[4]) if row[4] is not None else 0
    return Page(rows, False)


def read_added(connection: sqlite3.Connection, run: str, after_row: int) -> list[Row]:
    """Events of a run that were written after a rowid, as they were written.

    Looks at no row that was there before, whichever run it is of.
    """
    sql = (
        f"SELECT {_columns()} FROM prism_agent_events WHERE rowid > ? AND +run_id = ?"
        " ORDER BY rowid"
    )
    return connection.execute(sql, (after_row, run)).fetchall()


def _columns() -> str:
    bare = ", ".join(f"'{kind}'" for kind in BARE)
    # What does not even look like an object is passed on, so that it is said to be unreadable.
    return (
        "rowid, sequence, type, timestamp, CASE"
        f" WHEN type = '{DELTA}' THEN NULL"
        f" WHEN type IN ({bare}) AND substr(event, 1, 1) = '{{' AND substr(event, -1) = '}}'"
        " THEN NULL ELSE event END"
    )


def are_there(connection: sqlite3.Connection, run: str, rowids: Sequence[int]) -> bool:
    """Whether these rows still are events of the run."""
    sql = "SELECT 1 FROM prism_agent_events WHERE rowid = ? AND +run_id = ?"
    return all(connection.execute(sql, (row, run)).fetchone() is not None for row in rowids)


def count_events(connection: sqlite3.Connection, run: str) -> int:
    """How many events a run has."""
    sql = "SELECT count(*) FROM prism_agent_events WHERE run_id = ?"
    return int(connection.execute(sql, (run,)).fetchone()[0])


def read_again(connection: sqlite3.Connection, rowids: Sequence[int]) -> list[Row]:
    """The events in these rows, in the order asked for; those that are gone are left out."""
    found: dict[int, Row] = {}
    for start in range(0, len(rowids), _AT_ONCE):
        part = rowids[start : start + _AT_ONCE]
        marks = ", ".join("?" * len(part))
        sql = f"SELECT {_columns()} FROM prism_agent_events WHERE rowid IN ({marks})"
        for row in connection.execute(sql, list(part)):
            found[row[0]] = row
    return [found[row] for row in rowids if row in found]


def read_event_records(
    connection: sqlite3.Connection, tables: Tables, rowids: Sequence[int]
) -> list[Record | None]:
    """Whole events as the store would give them; None for one that is gone."""
    table = event_table(tables)
    if table is None:
        return [None] * len(rowids)
    columns = readable_columns(table)
    listed = ", ".join(map(quoted, columns))
    found: dict[int, Record] = {}
    for start in range(0, len(rowids), _AT_ONCE):
        part = rowids[start : start + _AT_ONCE]
        marks = ", ".join("?" * len(part))
        sql = f"SELECT rowid, {listed} FROM prism_agent_events WHERE rowid IN ({marks})"
        for rowid, *cells in connection.execute(sql, list(part)):
            found[rowid] = record_of("prism_agent_events", columns, cells)
    return [found.get(row) for row in rowids]
