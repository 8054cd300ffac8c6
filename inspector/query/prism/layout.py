"""The layout of a database: version, verdict, health and usable indexes."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from inspector.model.store import Health
from inspector.query.prism.schema_shape import NEWEST, SEARCH_TABLE, expected_shape
from inspector.query.prism.verdict import Verdict, judge
from inspector.query.tables import Table, Tables, quoted, read_tables

CORE = (
    "prism_agent_events",
    "prism_runs",
    "prism_session_entries",
    "prism_sessions",
    "prism_tool_calls",
    "prism_usage",
)
"""Tables without which runs are incomplete."""


_UNCHECKED = ("prism_checkpoints", "prism_leases")
"""Tables that Prism creates outside its migrations."""


_EVENT_COLUMNS = ("run_id", "sequence", "type", "timestamp")


_ENTRY_COLUMNS = ("session_id", "run_id", "timestamp", "message")


Row = tuple[object, ...]


def documented_columns(name: str) -> Collection[str] | None:
    """Return a table's columns as declared by Prism; empty for tables outside its schema check."""
    for table in expected_shape(NEWEST).tables:
        if table.name == name:
            return table.columns.keys()
    return () if name in _UNCHECKED or name.startswith(SEARCH_TABLE) else None


def missing_tables(tables: Tables) -> tuple[str, ...]:
    """Return the missing core tables, sorted."""
    return tuple(name for name in CORE if tables.get(name) is None)


def variant_of(tables: Tables, verdict: Verdict) -> str:
    """Return the schema version as `v8` or `v8-partial`; `v0` without a history."""
    version = f"v{verdict.steps if verdict.word == 'newer' else verdict.version}"
    return f"{version}-partial" if missing_tables(tables) else version


def health_of(tables: Tables, damage: Sequence[str]) -> tuple[Health, str | None]:
    """Return the health of the store and, unless it is OK, the reason."""
    if damage:
        return Health.PARTIAL, "; ".join(damage)
    missing = missing_tables(tables)
    if missing:
        return Health.PARTIAL, f"missing tables: {', '.join(missing)}"
    return Health.OK, None


@dataclass(frozen=True, slots=True)
class Layout:
    """Tables, verdict and indexes; read again only when schema or history change."""

    schema_version: int
    tables: Tables
    verdict: Verdict
    history: tuple[Row, ...]
    event_index: bool
    """Events of a run can be read in order without a scan."""
    entry_index: bool


def layout_of(connection: sqlite3.Connection, known: Layout | None) -> Layout:
    """Return the layout; the known object itself if nothing has changed."""
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
        event_index=_has_usable_index(connection, tables, "prism_agent_events", _EVENT_COLUMNS),
        entry_index=_has_usable_index(connection, tables, "prism_session_entries", _ENTRY_COLUMNS),
    )


def _has_usable_index(
    connection: sqlite3.Connection, tables: Tables, name: str, columns: tuple[str, ...]
) -> bool:
    """Return whether all columns exist and an index covers the first two."""
    table = tables.get(name)
    if table is None or not all(map(table.has, columns)):
        return False
    return _has_index(connection, table, columns[:2])


def _has_index(connection: sqlite3.Connection, table: Table, columns: tuple[str, ...]) -> bool:
    """Return whether a full index of a table starts with these columns."""
    for row in connection.execute(f"PRAGMA index_list({quoted(table.name)})").fetchall():
        if row[4]:
            continue  # A partial index finds only some rows.
        info = connection.execute(f"PRAGMA index_info({quoted(str(row[1]))})").fetchall()
        if tuple(each[2] for each in info[: len(columns)]) == columns:
            return True
    return False


def _history(connection: sqlite3.Connection, tables: Tables) -> tuple[Row, ...]:
    if tables.get("prism_migrations") is None:
        return ()
    return tuple(connection.execute("SELECT * FROM prism_migrations LIMIT 100"))


def newest_row(connection: sqlite3.Connection, tables: Tables, name: str) -> int:
    """Return the greatest rowid of a table; -1 without rows or without the table."""
    table = tables.get(name)
    if table is None or not table.has_rowid:
        return -1
    found = connection.execute(f"SELECT max(rowid) FROM {quoted(name)}").fetchone()[0]
    return -1 if found is None else int(found)
