"""Recorded facts one by one, with every column that the row has."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from inspector.model.step import Event, StepKind
from inspector.query.openprose.events import text_of
from inspector.query.openprose.rows import (
    AT_ONCE,
    event_order,
    key_column,
    read_whole_rows,
)
from inspector.query.rows import read_keyed_rows
from inspector.query.tables import Table, Tables
from inspector.query.view import RunView
from inspector.text.parse_time import parse_instant

MOST_OWN_EVENTS = 200
_HEAD = ("id", "status", "statement_text")


def events(
    connection: sqlite3.Connection,
    tables: Tables,
    numbers: Sequence[int],
    key_of: Callable[[int], int],
    kind_of: Callable[[int], StepKind],
) -> list[Event]:
    """The facts with these ascending numbers, as far as they are there now.

    `key_of` gives the key that the row of an event had when it was folded.
    """
    table = tables.get("execution")
    if table is None or not numbers:
        return []
    rows = _by_key if key_column(table) is not None else _by_place
    return [
        _event(number, row, kind_of(number))
        for number, row in rows(connection, table, numbers, key_of)
    ]


_Found = Iterator[tuple[int, dict[str, Any]]]


def _by_key(
    connection: sqlite3.Connection,
    table: Table,
    numbers: Sequence[int],
    key_of: Callable[[int], int],
) -> _Found:
    """Each row by its own key, so that a row that is gone moves no other."""
    key = key_column(table)
    number_of = {key_of(number): number for number in numbers}
    keys = list(number_of)
    for start in range(0, len(keys), AT_ONCE):
        part = keys[start : start + AT_ONCE]
        where = f"WHERE {key} IN ({', '.join('?' * len(part))}) ORDER BY {key}"
        for found, row in read_keyed_rows(connection, table, str(key), where, part):
            yield number_of[found], row


def _by_place(
    connection: sqlite3.Connection,
    table: Table,
    numbers: Sequence[int],
    key_of: Callable[[int], int],
) -> _Found:
    """By their places in the order of events, where no column tells them apart for sure."""
    first, count = numbers[0], numbers[-1] - numbers[0] + 1
    where = f"ORDER BY {event_order(table)} LIMIT ? OFFSET ?"
    wanted = set(numbers)
    for number, row in enumerate(
        read_whole_rows(connection, table, where, (count, first - 1)), first
    ):
        if number in wanted:
            yield number, row


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
    at, last = view.steps.first[step], view.steps.last[step]
    found: list[int] = []
    while 0 < at <= last and len(found) < MOST_OWN_EVENTS:
        found.append(at)
        try:
            at = view.step_of_event.index(step, at, last) + 1
        except ValueError:
            break
    return found
