"""The rows of one table on the screen: read in pages when they are seen, anew when written."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from inspector.live.feed import Unavailable
from inspector.query.raw_database import Opened, RawDatabase
from inspector.query.raw_pages import Page, Row, key_text, page_rows
from inspector.query.raw_shapes import Shape
from inspector.text.numbers import count
from inspector.ui.glyphs import Glyphs
from inspector.ui.run.database_asking import DatabaseAsker
from inspector.ui.run.grid import LOOKED_AT, Grid, GridColumn, columns_of
from inspector.ui.run.table_book import Book, Wanted

COUNT_SHARE = 20
"""Counting anew waits so many times as long as counting took."""


@dataclass(slots=True)
class _Counting:
    due: float = 0.0
    asked: bool = False
    wanted: bool = False
    """Whether something was written since the rows were counted."""


class TableRows:
    """Opens a table in a grid and keeps it as the database stands."""

    def __init__(
        self, name: str, asker: DatabaseAsker, grid: Grid, told: Callable[[], None], glyphs: Glyphs
    ) -> None:
        self.name = name
        self.shape: Shape | None = None
        self.trouble = ""
        """Why there is nothing to show, or why what is shown may be old."""
        self.book = Book(1, keyed=False)
        self._asker = asker
        self._grid = grid
        self._told = told
        self._signs = glyphs
        self._wanted: set[int] = set()
        self._counting = _Counting()
        self._looking = False
        self._content = 0
        """Which content of the database the pages are of, as long as none is outdated."""
        self._sized = False
        asker.ask(lambda database: database.open(name, page_rows), self._opened)

    @property
    def names(self) -> Sequence[str]:
        """Names of the columns."""
        return [] if self.shape is None else [column.name for column in self.shape.columns]

    def _opened(self, answer: Opened | Unavailable) -> None:
        if isinstance(answer, Unavailable):
            self.trouble = answer.reason
            self._told()
            return
        shape = self.shape = answer.shape
        self._content = answer.content
        self.trouble = answer.trouble
        self.book = Book(page_rows(shape), keyed=bool(shape.key), columns=len(shape.columns))
        first = self.book.wanted(0)
        if first is not None:
            self.book.take(first, answer.first)
        rows = answer.first.rows
        self._sized = bool(rows)
        by_number = bool(self._numbers_digits)
        self._grid.show(
            self.book,
            self._columns((*rows[: LOOKED_AT - len(answer.last)], *answer.last)),
            numbers=self._number if by_number else None,
            digits=self._numbers_digits,
        )
        if answer.first.more:
            self._count()
        else:
            self.book.count(None)
        self._told()

    @property
    def _numbers_digits(self) -> int:
        """Digits of what stands before a row where no column tells it from others."""
        shape = self.shape
        if shape is None or (shape.key and not shape.shown_key):
            return 0
        return 7

    def _number(self, place: int, row: Row) -> str:
        return str(row.key[0]) if row.key is not None else count(place + 1)

    def _columns(self, rows: Sequence[Row]) -> tuple[GridColumn, ...]:
        names = [(name, name) for name in self.names]
        return columns_of(names, rows, self._signs)

    # Reading

    def want(self, place: int) -> None:
        """A row is being drawn: reads its page if it is not known."""
        if self.shape is None:
            return
        wanted = self.book.wanted(place)
        if wanted is None or id(wanted.part) in self._wanted:
            return
        self._wanted.add(id(wanted.part))
        shape = self.shape
        self._asker.ask(
            lambda database: database.page(shape, wanted.range, wanted.count),
            lambda answer: self._take(wanted, answer),
        )

    def _take(self, wanted: Wanted, answer: Page | Unavailable | None) -> None:
        self._wanted.discard(id(wanted.part))
        if answer is None:
            self._asker.ask(self._open_again, self._opened)
            return
        if isinstance(answer, Unavailable):
            self.trouble = answer.reason
            # Asked for again when something is drawn again, not at once: it would fail again.
            self._told()
            return
        self.trouble = ""
        grid = self._grid
        under = grid.selected
        line = grid.screen_line_of(grid.cursor)
        at_end = grid.cursor >= len(self.book) - 1
        self.book.take(wanted, answer)
        if not self._sized and answer.rows:
            self._sized = True
            grid.columns_found(self._columns(answer.rows))
        moved = self.book.find(under.key) if under is not None else None
        if moved is not None and moved != grid.cursor:
            grid.rows_changed(moved, screen_line=line)
        elif at_end and wanted.range.backward:
            grid.rows_changed(len(self.book) - 1, screen_line=line)
        else:
            grid.rows_changed(max(0, grid.cursor) if len(self.book) else -1)
        self._told()

    def _count(self) -> None:
        shape = self.shape
        self._counting.wanted = True
        if shape is None or self._counting.asked or time.monotonic() < self._counting.due:
            return
        self._counting.asked, self._counting.wanted = True, False
        began = time.monotonic()

        def take(total: int | Unavailable | None) -> None:
            self._counting.asked = False
            took = time.monotonic() - began
            self._counting.due = time.monotonic() + COUNT_SHARE * took
            if not isinstance(total, Unavailable):
                follows = self._grid.cursor >= 0 and self._grid.cursor == len(self.book) - 1
                self.book.count(total)
                self.book_changed(follows and self.book.exact)
                self._told()

        self._asker.ask(lambda database: database.count(shape), take)

    def book_changed(self, follows: bool = False) -> None:
        """Draws what is other now."""
        grid = self._grid
        cursor = grid.cursor if len(self.book) else -1
        grid.rows_changed(max(cursor, 0) if len(self.book) else -1)

    def look(self) -> None:
        """Reads anew what is seen if something was written."""
        if self.shape is None or self._looking or self._asker.waiting:
            return
        self._looking = True
        if self._counting.wanted:
            self._count()

        def take(content: int | Unavailable) -> None:
            self._looking = False
            if not isinstance(content, Unavailable) and content != self._content:
                self._content = content
                self.book.outdated()
                self._count()
                self._grid.repaint()
                for place in self._grid.visible_rows:
                    self.want(place)
                if not len(self.book):
                    self.reopen()

        self._asker.ask(lambda database: database.current_content(), take)

    def reopen(self) -> None:
        """Reads a table anew that had no rows."""
        self._asker.ask(lambda database: database.open(self.name, page_rows), self._reopened)

    def _open_again(self, database: RawDatabase) -> Opened | Unavailable:
        """The table as it is now; what was read of one that is gone stays on the screen."""
        try:
            return database.open(self.name, page_rows)
        except KeyError:
            return Unavailable("it is not there any more")

    def _reopened(self, answer: Opened | Unavailable) -> None:
        if not isinstance(answer, Unavailable) and (answer.first.rows or answer.trouble):
            self._opened(answer)

    # What is said

    def how_many(self) -> str:
        """The number of rows as far as it is known."""
        if self.shape is None or (self.trouble and not len(self.book)):
            return ""
        number, cursor = self.book.total, self._grid.cursor
        if self.book.exact:
            if cursor >= 0 and number > 1:
                return f"row {count(cursor + 1)} of {count(number)}"
            return f"{count(number)} {'row' if number == 1 else 'rows'}"
        return f"at least {count(self.book.known)} rows"

    @property
    def is_empty(self) -> bool:
        """Whether it is known to have no rows."""
        return self.shape is not None and not self.trouble and not len(self.book)

    def declared(self, column: int) -> str:
        """The type of a column as it is declared; nothing where none is."""
        shape = self.shape
        return shape.columns[column].type if shape and column < len(shape.columns) else ""

    def where(self, row: Row) -> str:
        """How the database itself tells a row from others."""
        shape = self.shape
        if shape is None:
            return ""
        if row.key is None:
            return f"row {count(self._grid.cursor + 1)}"
        if shape.by_rowid:
            return f"rowid {row.key[0]}"
        return f"key {key_text(row.key, 0)}"
