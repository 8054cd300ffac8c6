"""The database's own rows behind each tab, under the database's own names."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inspector.query.openprose.rows import read_whole_rows
from inspector.query.openprose.schema import DOCUMENTED, missing_tables
from inspector.query.tables import Tables
from inspector.query.view import Tab

Record = Mapping[str, Any]
MOST_ROWS = 10_000


def tabs(tables: Tables) -> tuple[Tab, ...]:
    """What this run can be asked about."""
    shown = [Tab("timeline", "Timeline")]
    if tables.get("bindings") is not None:
        shown.append(Tab("values", "Values"))
    shown.append(Tab("raw", "Raw"))
    return tuple(shown)


def _run(connection: sqlite3.Connection, tables: Tables) -> Sequence[Record]:
    return _rows(connection, tables, "run")


def _rows(connection: sqlite3.Connection, tables: Tables, name: str) -> Sequence[Record]:
    table = tables.get(name)
    if table is None:
        return ()
    where = f"ORDER BY {table.order} LIMIT {MOST_ROWS}"
    return tuple(read_whole_rows(connection, table, where, ()))


def _tables(connection: sqlite3.Connection, tables: Tables) -> Sequence[Record]:
    """Every table and view: columns, those beyond the state document, and whether it belongs."""
    found: list[Record] = []
    for name, table in tables.by_name.items():
        documented = DOCUMENTED.get(name)
        extra = [] if documented is None else [c for c in table.columns if c not in documented]
        found.append(
            {
                "name": name,
                "type": "view" if table.is_view else "table",
                "documented": documented is not None,
                "columns": list(table.columns),
                "extra_columns": extra,
                "missing": False,
            }
        )
    version = "v5" if tables.get("receipt") or tables.get("world_model_version") else "v1"
    if found:
        found += [_absent(name) for name in missing_tables(tables, version)]
    return found


def _absent(name: str) -> Record:
    return {
        "name": name,
        "type": "table",
        "documented": True,
        "columns": [],
        "extra_columns": [],
        "missing": True,
    }


PARTS: Mapping[str, Callable[[sqlite3.Connection, Tables], Sequence[Record]]] = {
    "run": _run,
    "imports": lambda connection, tables: _rows(connection, tables, "imports"),
    "tables": _tables,
}
"""Parts that `record` knows."""
