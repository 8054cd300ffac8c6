"""Rows of a run's database as they stand, by the columns that exist.

A row that cannot be read ends the reading there and is said; it never costs the rows before it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from inspector.query.openprose.events import COLUMNS, Row
from inspector.query.rows import Damage, collect, read_whole_rows
from inspector.query.tables import Table, Tables, quoted

__all__ = ["Damage", "RunRow", "read_execution", "read_run_rows", "read_some", "read_whole_rows"]

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
    rows: list[RunRow] = []
    damage = collect(connection, "run", sql, (), lambda row: rows.append(RunRow(*row)))
    return rows, damage


def execution_select(table: Table, where: str = "") -> str:
    """The statement that reads facts in their order; `where` is SQL with its own parameters."""
    names = [table.column(name) for name in COLUMNS]
    if not table.has("id"):
        names[0] = table.order if table.has_rowid else "NULL"
    order = order_column(table)
    return f"SELECT {', '.join(names)} FROM execution {where} ORDER BY {order}"


def order_column(table: Table) -> str:
    """What tells the order of events: the id, else the order of writing."""
    return quoted("id") if table.has("id") else table.order


def read_execution(
    connection: sqlite3.Connection, tables: Tables, after: int | None = None
) -> tuple[list[Row], Damage | None]:
    """Facts after a row id (all when None), in order."""
    table = tables.get("execution")
    if table is None:
        return [], None
    rows: list[Row] = []
    where = "" if after is None else f"WHERE {order_column(table)} > ?"
    values = () if after is None else (after,)
    damage = collect(connection, "execution", execution_select(table, where), values, rows.append)
    return rows, damage


def read_some(connection: sqlite3.Connection, tables: Tables, ids: Sequence[int]) -> list[Row]:
    """Facts with these row ids, in order; those that are gone are left out."""
    table = tables.get("execution")
    if table is None or not ids:
        return []
    rows: list[Row] = []
    for start in range(0, len(ids), 500):
        part = ids[start : start + 500]
        marks = ", ".join("?" * len(part))
        sql = execution_select(table, f"WHERE {order_column(table)} IN ({marks})")
        rows.extend(connection.execute(sql, part))
    return rows
