"""Recorded facts one by one, with every column that the row has."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from itertools import islice
from typing import Any

from inspector.model.step import Event, StepKind
from inspector.query.openprose.events import text_of
from inspector.query.openprose.rows import order_column, read_whole_rows
from inspector.query.tables import Tables
from inspector.query.view import RunView
from inspector.text.parse_time import parse_instant

MOST_OWN_EVENTS = 200
_HEAD = ("id", "status", "statement_text")


def events(
    connection: sqlite3.Connection,
    tables: Tables,
    ids: Sequence[int],
    first: int,
    kinds: Sequence[StepKind],
) -> list[Event]:
    """The facts with these row ids, numbered from `first`."""
    table = tables.get("execution")
    if table is None or not ids:
        return []
    found: list[Event] = []
    order = order_column(table)
    where = f"WHERE {order} BETWEEN ? AND ? ORDER BY {order}"
    rows = read_whole_rows(connection, table, where, (ids[0], ids[-1]))
    for n, (row, kind) in enumerate(zip(islice(rows, len(ids)), kinds, strict=False), first):
        found.append(_event(n, row, kind))
    return found


def _event(n: int, row: dict[str, Any], kind: StepKind) -> Event:
    started, completed = row.get("started_at"), row.get("completed_at")
    raw_at = started if started is not None else completed
    status = row.get("status")
    return Event(
        n=n,
        id=row.get("id"),
        kind=kind.value,
        raw_status=None if status is None else text_of(status),
        at=parse_instant(raw_at),
        at_raw=None if raw_at is None else text_of(raw_at),
        text=text_of(row.get("statement_text")),
        payload={key: _plain(key, value) for key, value in row.items() if key not in _HEAD},
    )


def _plain(column: str, value: Any) -> Any:
    if isinstance(value, bytes):
        return text_of(value)
    if column == "metadata" and isinstance(value, str) and value.startswith(("{", "[")):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def own_events(view: RunView, step: int) -> list[int]:
    """Numbers of the events that belong to the step itself, oldest first; at most 200."""
    first, last = view.steps.first[step], view.steps.last[step]
    if not first:
        return []
    numbers = (n for n in range(first, last + 1) if view.step_of_event[n - 1] == step)
    return list(islice(numbers, MOST_OWN_EVENTS))
