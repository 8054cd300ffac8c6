"""What a database looks like: its tables, whether it is genuine, which indexes it can use."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Any

from inspector.query.prism.heads import has_index
from inspector.query.prism.verdict import Verdict, judge
from inspector.query.tables import Tables, quoted, read_tables

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """What a database looks like: read anew only when its schema or its history changed."""

    schema_version: int
    tables: Tables
    verdict: Verdict
    history: tuple[Row, ...]
    event_index: bool
    """Events of one run are found, in their order, without a scan."""
    entry_index: bool


def layout_of(connection: sqlite3.Connection, known: Layout | None) -> Layout:
    """The layout, the known one itself while nothing about it changed."""
    version = connection.execute("PRAGMA schema_version").fetchone()[0]
    same = known is not None and known.schema_version == version
    tables = known.tables if known is not None and same else read_tables(connection)
    history = _history(connection, tables)
    if known is not None and same and history == known.history:
        return known
    return Layout(
        version,
        tables,
        judge(connection, tables),
        history,
        event_index=_usable(connection, tables, "prism_agent_events", _EVENT_COLUMNS),
        entry_index=_usable(connection, tables, "prism_session_entries", _ENTRY_COLUMNS),
    )


_EVENT_COLUMNS = ("run_id", "sequence", "type", "timestamp")
_ENTRY_COLUMNS = ("session_id", "run_id", "timestamp", "message")


def _usable(
    connection: sqlite3.Connection, tables: Tables, name: str, columns: tuple[str, ...]
) -> bool:
    """Whether rows are found by an index on the first two columns, and the others are there."""
    table = tables.get(name)
    if table is None or not all(map(table.has, columns)):
        return False
    return has_index(connection, table, *columns[:2])


def _history(connection: sqlite3.Connection, tables: Tables) -> tuple[Row, ...]:
    if tables.get("prism_migrations") is None:
        return ()
    return tuple(connection.execute("SELECT * FROM prism_migrations LIMIT 100"))


def newest_row(connection: sqlite3.Connection, tables: Tables, name: str) -> int:
    """The greatest rowid of a table; -1 without rows or without the table."""
    table = tables.get(name)
    if table is None or not table.has_rowid:
        return -1
    found = connection.execute(f"SELECT max(rowid) FROM {quoted(name)}").fetchone()[0]
    return -1 if found is None else int(found)
