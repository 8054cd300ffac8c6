"""What a database looks like: its tables, whether it is genuine, which indexes it can use."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspector.model.store import Health
from inspector.query.prism.row_summaries import has_index
from inspector.query.prism.schema_shape import NEWEST, SEARCH_TABLE, model_at
from inspector.query.prism.verdict import Verdict, judge
from inspector.query.tables import Tables, quoted, read_tables

CORE = (
    "prism_agent_events",
    "prism_runs",
    "prism_session_entries",
    "prism_sessions",
    "prism_tool_calls",
    "prism_usage",
)
"""Without these something of the runs is missing."""

_BESIDE = ("prism_checkpoints", "prism_leases")
_KNOWN = frozenset((*(table.name for table in model_at(NEWEST).tables), *_BESIDE))


def recognise(tables: Mapping[str, Sequence[str]]) -> bool:
    """Whether these tables are Prism's."""
    return not _KNOWN.isdisjoint(tables)


def documented_columns(name: str) -> Collection[str] | None:
    """The columns of a table as Prism makes it; none known of those beside the migrations."""
    model = next((one for one in model_at(NEWEST).tables if one.name == name), None)
    if model is not None:
        return [column.name for column in model.columns]
    return () if name in _BESIDE or name.startswith(SEARCH_TABLE) else None


def missing_tables(tables: Tables) -> tuple[str, ...]:
    """Core tables that are not there, sorted."""
    return tuple(name for name in CORE if tables.get(name) is None)


def variant_of(tables: Tables, verdict: Verdict) -> str:
    """`v8`, `v8-partial`; the version that the history tells, `v0` without one."""
    version = f"v{verdict.steps if verdict.word == 'newer' else verdict.version}"
    return f"{version}-partial" if missing_tables(tables) else version


def health_of(tables: Tables, damage: Sequence[str]) -> tuple[Health, str | None]:
    """How well it can be read, with a reason unless all is well."""
    if damage:
        return Health.PARTIAL, "; ".join(damage)
    missing = missing_tables(tables)
    if missing:
        return Health.PARTIAL, f"it lacks {', '.join(missing)}"
    return Health.OK, None


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
