"""Rows of any table as they stand, by the columns that exist.

A row that cannot be read ends the reading there and is said; it never costs the rows before it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from inspector.query.tables import Table, quoted


@dataclass(frozen=True, slots=True)
class Damage:
    """Where reading a table had to end."""

    table: str
    rows: int
    """Rows that could be read before it."""
    message: str
    """SQLite's own words."""

    @property
    def sentence(self) -> str:
        """For a person."""
        if not self.rows:
            return f"{self.message}: {self.table} cannot be read"
        return f"{self.message}: {self.table} could be read up to row {self.rows}"


PART = 50_000
"""Rows that are read between two pauses: some hundredths of a second."""

Pause = Callable[[], None]
"""Called between the parts of a read; what it raises ends the read."""


def go_on() -> None:
    """A `Pause` of a read that nobody ends."""


def collect(
    connection: sqlite3.Connection,
    table: str,
    sql: str,
    values: Sequence[Any],
    pause: Pause = go_on,
) -> tuple[list[tuple[Any, ...]], Damage | None]:
    """The rows that a statement gives; where reading ends early, or cannot begin, says so."""
    tolerant = connection.text_factory
    # Text that is not UTF-8 is rare, and a factory of ours costs as much as the rest of reading.
    connection.text_factory = str
    try:
        rows, error = _read(connection, sql, values, pause)
        if error is not None and _NOT_UTF_8 in str(error):
            connection.text_factory = tolerant
            rows, error = _read(connection, sql, values, pause)
    finally:
        connection.text_factory = tolerant
    return rows, None if error is None else Damage(table, len(rows), str(error))


_NOT_UTF_8 = "Could not decode"


def _read(
    connection: sqlite3.Connection, sql: str, values: Sequence[Any], pause: Pause
) -> tuple[list[tuple[Any, ...]], sqlite3.DatabaseError | None]:
    rows: list[tuple[Any, ...]] = []
    try:
        cursor, before = connection.execute(sql, values), -1
        while len(rows) != before:
            before = len(rows)
            # What was read before an error stays in the list, as it would row by row.
            rows.extend(islice(cursor, PART))
            pause()
    except sqlite3.DatabaseError as error:
        return rows, error
    return rows, None


def read_whole_rows(
    connection: sqlite3.Connection, table: Table, where: str, values: Sequence[Any]
) -> Iterator[dict[str, Any]]:
    """Rows with every column that exists, extensions included, by name.

    Nothing where no column is known, as of a view that cannot be expanded.
    """
    if not table.columns:
        return
    columns = ", ".join(quoted(name) for name in table.columns)
    cursor = connection.execute(f"SELECT {columns} FROM {quoted(table.name)} {where}", values)
    for row in cursor:
        yield dict(zip(table.columns, row, strict=True))


def read_keyed_rows(
    connection: sqlite3.Connection, table: Table, key: str, where: str, values: Sequence[Any]
) -> Iterator[tuple[Any, dict[str, Any]]]:
    """As `read_whole_rows`, each with the value of `key` (SQL) before it."""
    columns = ", ".join((key, *map(quoted, table.columns)))
    cursor = connection.execute(f"SELECT {columns} FROM {quoted(table.name)} {where}", values)
    for row in cursor:
        yield row[0], dict(zip(table.columns, row[1:], strict=True))
