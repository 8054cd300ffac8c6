"""Reads rows of a run's database by the columns that exist.

A row that cannot be read ends the read and is reported; the rows before it are kept.
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
"""Keys per statement; every SQLite allows more."""
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
    """A row of `run`; None for a column that does not exist or is empty."""

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
    """Return all rows of `run`, oldest first (at most 1,000)."""
    table = tables.get("run")
    if table is None:
        return [], None
    columns = ", ".join(table.column(name) for name in RUN_COLUMNS)
    sql = f"SELECT {columns} FROM run ORDER BY {table.order} LIMIT 1000"
    rows, damage = collect(connection, "run", sql, ())
    return [RunRow(*row) for row in rows], damage


def key_column(table: Table) -> str | None:
    """Return, as SQL, the unique ascending column by which rows can be selected."""
    if not table.has("id"):
        return None if table.rowid == "NULL" else table.rowid
    return quoted("id") if table.key == "id" else None


def event_order(table: Table) -> str:
    """Return the order of rows as SQL: integer ids first, then the order of writing."""
    key = key_column(table)
    if key is not None or not table.has("id"):
        return key or table.order
    by_number = "CASE WHEN typeof(id) = 'integer' THEN id END NULLS LAST"
    return f"{by_number}, {table.rowid if table.rowid != 'NULL' else 'id'}"


def execution_select(table: Table, where: str = "") -> str:
    """Return the statement that reads rows in order; `where` is SQL with its own parameters."""
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
    """Return rows in order: those after a key, or all if it is None or there is no key."""
    table = tables.get("execution")
    if table is None:
        return [], None
    key = key_column(table)
    by_key = after is not None and key is not None
    sql = execution_select(table, f"WHERE {key} > ?" if by_key else "")
    rows, damage = collect(connection, "execution", sql, (after,) if by_key else (), pause)
    return cast(list[Row], rows), damage


def read_some(connection: sqlite3.Connection, tables: Tables, keys: Sequence[int]) -> list[Row]:
    """Return the rows with these keys, in order; deleted ones are left out."""
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
