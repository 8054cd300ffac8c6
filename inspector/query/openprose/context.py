"""What belongs beside a step: rows of extension tables that name it, and findings about it."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from inspector.model.run import Finding
from inspector.model.step import Event, Step
from inspector.query.openprose.rows import read_whole_rows
from inspector.query.openprose.schema import DOCUMENTED
from inspector.query.tables import Tables, quoted

MOST_ROWS = 50


def related(
    connection: sqlite3.Connection, tables: Tables, rows: Sequence[int | str | None]
) -> Mapping[str, tuple[Mapping[str, Any], ...]]:
    """Rows of tables outside the state document whose `execution_id` is one of these."""
    ids = [row for row in rows if row is not None][:500]
    found: dict[str, tuple[Mapping[str, Any], ...]] = {}
    if not ids:
        return found
    marks = ", ".join("?" * len(ids))
    where = f"WHERE {quoted('execution_id')} IN ({marks}) LIMIT {MOST_ROWS}"
    for name, table in tables.by_name.items():
        if name in DOCUMENTED or not table.has("execution_id"):
            continue
        try:
            found[name] = tuple(read_whole_rows(connection, table, where, ids))
        except sqlite3.DatabaseError as error:
            found[name] = ({"unreadable": str(error)},)
    return {name: rows_ for name, rows_ in found.items() if rows_}


BEYOND = "columns beyond the document"


def beyond_the_document(rows: Sequence[Event]) -> Mapping[str, tuple[Mapping[str, Any], ...]]:
    """What the newest of a step's rows holds in columns that the state document does not have."""
    known = DOCUMENTED["execution"]
    payload = rows[-1].payload if rows else {}
    extra = {name: value for name, value in payload.items() if name not in known}
    return {BEYOND: (extra,)} if any(value is not None for value in extra.values()) else {}


def concerns(finding: Finding, step: Step, rows: Sequence[Event]) -> bool:
    """Whether a finding is about this step or one of its rows."""
    if finding.ref == step.id:
        return True
    table, _, listed = (finding.ref or "").partition(":")
    return table == "execution" and any(str(row.id) in listed.split(",") for row in rows)
