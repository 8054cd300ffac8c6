"""Raw access to one database of any schema: tables, pages of rows, SQL."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from inspector.model.clock import Clock
from inspector.model.store import Health
from inspector.query.ask_sql import STEPS_BETWEEN_LOOKS, SqlAnswer, answer_sql
from inspector.query.raw_pages import (
    Key,
    Page,
    Range,
    Row,
    Withheld,
    count_rows,
    read_page,
    read_row,
)
from inspector.query.raw_tables import Shape, read_columns, read_shape
from inspector.query.tables import read_tables
from inspector.store.read import Reading, StoreUnavailable, Token, ZeroTouchReader

T = TypeVar("T")

PAGE_SECONDS = 20.0
"""Time limit of a page; a view may have to be evaluated for it."""
COUNT_SECONDS = 2.0
"""Time limit of counting rows; the count is unknown after that."""
LIST_SECONDS = 0.3
"""The same limit for each table of a list."""
A_FEW = 8
A_MANY = 1000
"""Rows per read when all rows are read."""
EVERYTHING = 1 << 40
NEVER_READ = "‹never read›"
MORE_KEPT = 16_384
"""Characters of a cell loaded for the row detail."""
WHOLE = 4_000_000
"""Characters of a cell loaded on request."""
ANSWER_KEPT = 16_384
"""Characters of a cell kept in a SQL answer."""


class GivenUp(Exception):
    """The query was cancelled."""


@dataclass(frozen=True, slots=True)
class Opened:
    """Table with its first page."""

    shape: Shape
    first: Page
    last: tuple[Row, ...] = ()
    """Sample of the last rows, used to size columns; empty if it would be expensive."""
    content: int = 0
    """Content number of the database (see `RawDatabase.content`)."""
    trouble: str = ""
    """One sentence on why rows cannot be read; empty if they can."""


class RawDatabase:
    """Raw reader of one database. Not thread-safe except `cancel`; may raise StoreUnavailable."""

    def __init__(self, path: str, clock: Clock) -> None:
        self._source = ZeroTouchReader(path, clock=clock)
        self._cancelled = threading.Event()
        self._token: Token | None = None
        self.content = 0
        """Increases whenever a read finds changed content."""

    def cancel(self) -> None:
        """Cancel the running query; thread-safe."""
        self._cancelled.set()

    def begin(self) -> None:
        """Clear an earlier cancellation before a new query."""
        self._cancelled.clear()

    def names(self) -> dict[str, tuple[str, ...]]:
        """Return every table and view with its columns, for completion."""
        tables = self._ask(read_tables)
        return {name: tuple(table.columns) for name, table in tables.by_name.items()}

    def open(self, name: str, count: Callable[[Shape], int]) -> Opened:
        """Return a table and its first rows. Raise KeyError if it no longer exists."""

        def question(connection: sqlite3.Connection) -> Opened:
            shape = read_shape(connection, name)
            if not shape.columns:
                return Opened(shape, Page((), False), trouble=_why_no_columns(connection, shape))
            try:
                first = read_page(connection, shape, Range(), count(shape))
                end = Range(backward=True)
                more = first.more and shape.key
                last = read_page(connection, shape, end, A_FEW).rows if more else ()
                return Opened(shape, first, last)
            except sqlite3.OperationalError as error:
                if self._cancelled.is_set():
                    raise
                return Opened(shape, Page((), False), trouble=f"SQLite says: {error}.")

        opened = self._ask(question, PAGE_SECONDS)
        return replace(opened, content=self.content)

    def page(self, shape: Shape, wanted: Range, count: int) -> Page | None:
        """Return a page; None if the table was dropped or recreated."""
        return self._ask(
            lambda connection: (
                read_page(connection, shape, wanted, count)
                if read_columns(connection, shape.name) == shape.columns
                else None
            ),
            PAGE_SECONDS,
        )

    def row(self, shape: Shape, key: Key | None, place: int, kept: int) -> Row | None:
        """Return one row with cells of up to `kept` characters; None if it no longer exists."""
        return self._ask(
            lambda connection: read_row(connection, shape, key, place, kept), PAGE_SECONDS
        )

    def shape(self, name: str) -> Shape:
        """Return columns and key of a table. Raise KeyError if there is no such table."""
        return self._ask(lambda connection: read_shape(connection, name))

    def why_no_columns(self, shape: Shape) -> str:
        """Return one sentence on why a view or virtual table has no columns."""
        return self._ask(lambda connection: _why_no_columns(connection, shape))

    def whole_rows(self, shape: Shape, wanted: Range, count: int) -> tuple[Sequence[Row], bool]:
        r"""Return untruncated rows and whether more exist; reads repeatedly if necessary.

        Invalid UTF-8 is written as `\xff`. A withheld cell is marked as such.
        """
        rows: list[Row] = []
        more = True
        while more and len(rows) < count:
            left = min(count - len(rows), A_MANY)
            page = self._ask(
                partial(_whole_page, shape=shape, wanted=_behind(wanted, rows), count=left)
            )
            rows += page.rows
            more = page.more
        return rows, more

    def count(self, shape: Shape, seconds: float = COUNT_SECONDS) -> int | None:
        """Return the number of rows; None if counting exceeds the time limit."""
        try:
            return self._ask(lambda connection: count_rows(connection, shape), seconds)
        except (StoreUnavailable, GivenUp):
            return None

    def count_of(self, name: str, seconds: float = LIST_SECONDS) -> int | None:
        """Return the number of rows of a named table; None if unknown or too slow."""
        return self.count(Shape(name, ()), seconds)

    def sql(self, sql: str) -> SqlAnswer:
        """Return the answer to one SELECT. Raise CannotAnswer."""
        return answer_sql(self._source, sql, kept=ANSWER_KEPT, cancelled=self._cancelled)

    def current_content(self) -> int:
        """Return the content number after checking the database for changes."""
        if self._source.changed():
            self._ask(lambda connection: connection.execute("PRAGMA schema_version").fetchone())
        return self.content

    def close(self) -> None:
        """Removes private copies."""
        self._source.close()

    def _ask(self, question: Callable[[sqlite3.Connection], T], seconds: float = PAGE_SECONDS) -> T:
        end = time.monotonic() + seconds

        def limited(connection: sqlite3.Connection) -> T:
            connection.set_progress_handler(
                lambda: int(self._cancelled.is_set() or time.monotonic() > end),
                STEPS_BETWEEN_LOOKS,
            )
            return question(connection)

        try:
            reading: Reading[T] = self._source.read(limited)
        except sqlite3.DatabaseError as error:
            if self._cancelled.is_set():
                raise GivenUp from None
            if "interrupted" in str(error):
                raise StoreUnavailable(
                    Health.BUSY, f"that took longer than {seconds:g} s and was given up"
                ) from None
            raise StoreUnavailable(Health.UNREADABLE, f"SQLite says: {error}") from error
        if reading.token != self._token:
            self._token = reading.token
            self.content += 1
        return reading.value


def _whole_page(connection: sqlite3.Connection, *, shape: Shape, wanted: Range, count: int) -> Page:
    page = read_page(connection, shape, wanted, count, kept=EVERYTHING, most_bytes=EVERYTHING)
    told = (tuple(NEVER_READ if isinstance(one, Withheld) else one for one in row.cells)
            for row in page.rows)  # fmt: skip
    rows = (Row(row.key, cells) for row, cells in zip(page.rows, told, strict=True))
    return Page(tuple(rows), page.more)


def _behind(wanted: Range, rows: Sequence[Row]) -> Range:
    """Return the rest of a range after the given rows."""
    if not rows:
        return wanted
    if rows[-1].key is None:
        return replace(wanted, skip=wanted.skip + len(rows))
    return replace(wanted, low=(rows[-1].key, False))


def _why_no_columns(connection: sqlite3.Connection, shape: Shape) -> str:
    """Return SQLite's message about a view or virtual table that cannot be expanded."""
    name = shape.name.replace('"', '""')
    with suppress(sqlite3.Warning):
        try:
            connection.execute(f'SELECT * FROM "{name}" LIMIT 0').fetchall()
        except sqlite3.DatabaseError as error:
            return f"SQLite says: {error}."
    return "It has no columns."
