"""Tolerant reads of the rows of any table.

An unreadable row ends the read there and is reported; the rows before it are kept.
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
    """Where the read of a table ended early."""

    table: str
    rows: int
    """Rows read before it."""
    message: str
    """SQLite's message."""

    @property
    def sentence(self) -> str:
        """The damage in words."""
        if not self.rows:
            return f"{self.message}: {self.table} cannot be read"
        return f"{self.message}: {self.table} could be read up to row {self.rows}"


PART = 50_000
"""Rows read between two checks for cancellation: some hundredths of a second."""

CancelCheck = Callable[[], None]
"""Called between the parts of a read; an exception that it raises ends the read."""


def no_check() -> None:
    """Never cancel."""


def collect(
    connection: sqlite3.Connection,
    table: str,
    sql: str,
    values: Sequence[object],
    check: CancelCheck = no_check,
) -> tuple[list[tuple[object, ...]], Damage | None]:
    """Return the rows of a statement, and the damage if the read ended early."""
    tolerant = connection.text_factory
    # Invalid UTF-8 is rare, and a Python text factory doubles the cost of a read.
    connection.text_factory = str
    try:
        rows, error = _read(connection, sql, values, check)
        if error is not None and _NOT_UTF_8 in str(error):
            connection.text_factory = tolerant
            rows, error = _read(connection, sql, values, check)
    finally:
        connection.text_factory = tolerant
    return rows, None if error is None else Damage(table, len(rows), str(error))


_NOT_UTF_8 = "Could not decode"


def _read(
    connection: sqlite3.Connection, sql: str, values: Sequence[object], check: CancelCheck
) -> tuple[list[tuple[object, ...]], sqlite3.DatabaseError | None]:
    rows: list[tuple[object, ...]] = []
    try:
        cursor, before = connection.execute(sql, values), -1
        while len(rows) != before:
            before = len(rows)
            # On an error, extend() keeps the rows read before it.
            rows.extend(islice(cursor, PART))
            check()
    except sqlite3.DatabaseError as error:
        return rows, error
    return rows, None


def read_whole_rows(
    connection: sqlite3.Connection, table: Table, where: str, values: Sequence[object]
) -> Iterator[dict[str, object]]:
    """Yield rows as dictionaries of every column that exists, extensions included.

    Nothing for a view that cannot be expanded, whose columns are unknown.
    """
    if not table.columns:
        return
    columns = ", ".join(quoted(name) for name in table.columns)
    cursor = connection.execute(f"SELECT {columns} FROM {quoted(table.name)} {where}", values)
    for row in cursor:
        yield dict(zip(table.columns, row, strict=True))


def read_keyed_rows(
    connection: sqlite3.Connection, table: Table, key: str, where: str, values: Sequence[object]
) -> Iterator[tuple[Any, dict[str, object]]]:
    """Yield rows as `read_whole_rows` does, each with the value of `key` (SQL) before it."""
    columns = ", ".join((key, *map(quoted, table.columns)))
    cursor = connection.execute(f"SELECT {columns} FROM {quoted(table.name)} {where}", values)
    for row in cursor:
        yield row[0], dict(zip(table.columns, row[1:], strict=True))
