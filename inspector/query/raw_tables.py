"""All tables and views of a database as records, whatever runtime wrote it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict
from typing import Any

from inspector.query.raw_shapes import read_columns
from inspector.query.tables import Tables

Record = Mapping[str, Any]
Documented = Callable[[str], Collection[str] | None]
"""The columns that a runtime's own document gives a table: none where only its name is known, and
None for a table that the document does not know."""


def table_records(
    connection: sqlite3.Connection,
    tables: Tables,
    documented: Documented,
    missing: Iterable[str] = (),
) -> list[Record]:
    """Every table and view in the order of the catalogue, then those that should be there."""
    found: list[Record] = []
    for name, table in tables.by_name.items():
        known = documented(name)
        extra = [column for column in table.columns if known and column not in known]
        record = _record(name, "view" if table.is_view else "table", known is not None)
        declared = [asdict(column) for column in read_columns(connection, name)]
        columns = {"columns": list(table.columns), "extra_columns": extra, "declared": declared}
        found.append({**record, **columns})
    if found:
        found += [_record(name, "table", True, missing=True) for name in missing]
    return found


def _record(name: str, kind: str, documented: bool, *, missing: bool = False) -> dict[str, Any]:
    return {
        "name": name,
        "type": kind,
        "documented": documented,
        "columns": [],
        "extra_columns": [],
        "missing": missing,
    }
