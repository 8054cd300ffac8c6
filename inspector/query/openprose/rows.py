"""Rows of a run's database as they stand, by the columns that exist.

A row that cannot be read ends the reading there and is said; it never costs the rows before it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from inspector.query.openprose.events import COLUMNS, Row
from inspector.query.rows import CancelCheck, Damage, collect, no_check, read_whole_rows
from inspector.query.tables import Table, Tables, quoted

__all__ = ["Damage", "RunRow", "read_execution", "read_run_rows", "read_some", "read_whole_rows"]

AT_ONCE = 500
"""Keys in one statement: fewer than any SQLite allows."""
RUN_COLUMNS = (
    "id",
    "root_path",
    "program_path",
    "started_at",
    "updated_at",
    "status",
    "state_mode",
)


@dataclass(frozen=True, slots=True)
class RunRow:
    """One row of `run`; None where a column does not exist or says nothing."""

    id: Any = None
    root_path: Any = None
    program_path: Any = None
    started_at: Any = None
    updated_at: Any = None
    status: Any = None
    state_mode: Any = None


def read_run_rows(
    connection: sqlite3.Connection, tables: Tables
) -> tuple[list[RunRow], Damage | None]:
    """All rows of `run`, oldest first (at most 1,000)."""
    table = tables.get("run")
    if table is None:
        return [], None
    columns = ", ".join(table.column(name) for name in RUN_COLUMNS)
    sql = f"SELECT {columns} FROM run ORDER BY {table.order} LIMIT 1000"
    rows, damage = collect(connection, "run", sql, ())
    return [RunRow(*row) for row in rows], damage


def key_column(table: Table) -> str | None:
    """The column by which single facts can be asked for: it is unique and ascends, as SQL."""
    if not table.has("id"):
        return None if table.rowid == "NULL" else table.rowid
    return quoted("id") if table.key == "id" else None


def event_order(table: Table) -> str:
    """What facts are ordered by: whole numbers as ids first, then the order of writing, as SQL."""
    key = key_column(table)
    if key is not None or not table.has("id"):
        return key or table.order
    by_number = "CASE WHEN typeof(id) = 'integer' THEN id END NULLS LAST"
    return f"{by_number}, {table.rowid if table.rowid != 'NULL' else 'id'}"


def execution_select(table: Table, where: str = "") -> str:
    """The statement that reads facts in their order; `where` is SQL with its own parameters."""
    names = [table.column(name) for name in COLUMNS]
    if not table.has("id"):
        names[0] = table.rowid
    return f"SELECT {', '.join(names)} FROM execution {where} ORDER BY {event_order(table)}"


def read_execution(
    connection: sqlite3.Connection,
    tables: Tables,
    after: int | None = None,
    pause: CancelCheck = no_check,
) -> tuple[list[Row], Damage | None]:
    """Facts in order: those after a key, or all when None (also where there is no key)."""
    table = tables.get("execution")
    if table is None:
        return [], None
    key = key_column(table)
    by_key = after is not None and key is not None
    sql = execution_select(table, f"WHERE {key} > ?" if by_key else "")
    rows, damage = collect(connection, "execution", sql, (after,) if by_key else (), pause)
    return cast(list[Row], rows), damage


def read_some(connection: sqlite3.Connection, tables: Tables, keys: Sequence[int]) -> list[Row]:
    """Facts with these keys, in order; those that are gone are left out."""
    table = tables.get("execution")
    key = None if table is None else key_column(table)
    if table is None or key is None:
        return []
    rows: list[Row] = []
    for start in range(0, len(keys), AT_ONCE):
        part = keys[start : start + AT_ONCE]
        marks = ", ".join("?" * len(part))
        rows.extend(connection.execute(execution_select(table, f"WHERE {key} IN ({marks})"), part))
    return rows
