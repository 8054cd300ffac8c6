"""Rows of one table in a grid: pages are loaded when visible and reloaded after writes."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate

from inspector.live.feed import Unavailable
from inspector.query.raw_database import MORE_KEPT, Opened, RawDatabase
from inspector.query.raw_pages import Key, Page, Range, Row, key_text, page_rows
from inspector.query.raw_tables import Shape
from inspector.text.numbers import count
from inspector.ui.clipboard import fit_to_copy
from inspector.ui.content import Content, record_content
from inspector.ui.glyphs import Glyphs
from inspector.ui.labels import safe
from inspector.ui.panes.base import Copy
from inspector.ui.panes.grid import (
    LOOKED_AT,
    NULL,
    Grid,
    GridColumn,
    as_record,
    cell_facts,
    columns_of,
    full_cell,
    is_whole,
)
from inspector.ui.panes.master_detail import content_text
from inspector.ui.panes.queries import DatabaseQueries
from inspector.ui.widgets.content_view import ContentView, TitledContent

KEPT_CELLS = 400_000
"""Maximum cached cells; the least recently used pages are evicted."""
FEWEST_KEPT = 8
"""Minimum cached pages, regardless of their cells."""


@dataclass(slots=True, eq=False)
class Segment:
    """Consecutive rows: loaded, evicted, or not loaded yet (a gap)."""

    length: int
    first: Key | None = None
    last: Key | None = None
    rows: tuple[Row, ...] | None = None
    gap: bool = True
    stale: bool = False
    """True if the rows may have changed since they were loaded."""
    used: int = 0
    serial: int = 0
    """The number of the read; a row from a later read may look different."""


@dataclass(frozen=True, slots=True)
class PageRequest:
    """A range to read, and the segment or part of a gap that it fills."""

    part: Segment
    range: Range
    count: int
    at: int = 0
    """Offset into a gap."""


class PageCache:
    """Cache of rows by index. `keyed` if rows have keys; else they are known by offset only."""

    def __init__(self, page: int, *, keyed: bool, columns: int = 1) -> None:
        self.page = page
        self.keyed = keyed
        self.exact = False
        """True if the number of rows is exact."""
        self._columns = max(1, columns)
        self._parts: list[Segment] = [Segment(page)]
        self._starts: list[int] = [0]
        self._total: int | None = None
        self._clock = 0

    def __len__(self) -> int:
        return self._starts[-1] + self._parts[-1].length if self._parts else 0

    @property
    def known(self) -> int:
        """The number of rows loaded so far."""
        return sum(part.length for part in self._parts if not part.gap)

    @property
    def total(self) -> int:
        """The last row count, or an estimate if the table was not counted."""
        return len(self) if self._total is None or self.ended else self._total

    @property
    def ended(self) -> bool:
        """True if no gap is left: every row was loaded once."""
        return not any(part.gap for part in self._parts)

    def row(self, place: int) -> Row | None:
        """The row at an index; None if not cached."""
        part, at = self._locate(place)
        if part is None or part.rows is None:
            return None
        self._clock += 1
        part.used = self._clock
        return part.rows[at] if at < len(part.rows) else None

    def serial(self, place: int) -> int:
        """The number of the read that loaded a row; 0 if not loaded."""
        part, _ = self._locate(place)
        if part is None or part.rows is None:
            return 0
        self._clock += 1
        part.used = self._clock
        return part.serial

    def wanted(self, place: int) -> PageRequest | None:
        """The request that loads the current content of a row; None if it is up to date."""
        part, at = self._locate(place)
        if part is None or (part.rows is not None and not part.stale):
            return None
        number = self._parts.index(part)
        start = self._starts[number]
        if not part.gap:
            # Rows can be appended after the last page; without keys none can be inserted before it.
            more = self.page if self.keyed or number == len(self._parts) - 1 else 0
            return PageRequest(part, self._range(number, start), part.length + more)
        if not self.keyed:
            begin = at - at % self.page
            is_last = number == len(self._parts) - 1
            count = self.page if is_last else min(self.page, part.length - begin)
            return PageRequest(part, Range(skip=start + begin), count, begin)
        bounds = self._range(number, start)
        if at < self.page:
            return PageRequest(part, bounds, self.page)
        if at >= part.length - self.page:
            back = Range(bounds.low, bounds.high, backward=True)
            return PageRequest(part, back, self.page, -1)
        begin = at - self.page // 4
        return PageRequest(part, Range(bounds.low, bounds.high, skip=begin), self.page, begin)

    def store(self, wanted: PageRequest, found: Page) -> None:
        """Stores a page; ignored if its segment no longer exists."""
        if wanted.part not in self._parts:
            return
        number, part = self._parts.index(wanted.part), wanted.part
        read = self._pages_of(found.rows)
        before: list[Segment] = []
        after: list[Segment] = []
        if not part.gap:
            if found.more and (self.keyed or number == len(self._parts) - 1):
                after = [Segment(self.page)]
        elif wanted.range.backward:
            left = max(1, part.length - len(found.rows)) if found.more else 0
            before = [Segment(left)] if left else []
        else:
            before = [Segment(wanted.at)] if wanted.at else []
            left = part.length - wanted.at - len(found.rows)
            if not self.keyed and number < len(self._parts) - 1:
                # Without keys, the next rows are addressed by offset.
                after = [Segment(left)] if left > 0 else []
            elif found.more:
                # Uncounted: assume one more page.
                after = [Segment(max(left, 1 if self.exact else self.page))]
        self._parts[number : number + 1] = [*before, *read, *after]
        if read:
            self._joined(number + len(before))
        self._update_starts()
        self._evict_pages()

    def count(self, total: int | None) -> None:
        """Stores the row count; None if unknown."""
        if total is None:
            self.exact = self.ended
            return
        self._stretch(total - len(self))
        self._total, self.exact = total, True
        self._update_starts()

    def outdated(self) -> None:
        """Marks every page as outdated after a write."""
        for part in self._parts:
            part.stale = not part.gap

    def find(self, key: Key | None) -> int | None:
        """The index of a cached row by its key."""
        if key is None:
            return None
        for start, part in zip(self._starts, self._parts, strict=True):
            for at, row in enumerate(part.rows or ()):
                if row.key == key:
                    return start + at
        return None

    def _locate(self, place: int) -> tuple[Segment | None, int]:
        number = bisect_right(self._starts, place) - 1
        if number < 0 or not self._parts or place >= len(self):
            return None, 0
        return self._parts[number], place - self._starts[number]

    def _range(self, number: int, start: int) -> Range:
        """The range from the previous segment to the last row of this one, or unbounded."""
        part = self._parts[number]
        if not self.keyed:
            return Range(skip=start)
        low: tuple[Key, bool] | None = None
        high: tuple[Key, bool] | None = None
        before = self._parts[number - 1] if number else None
        after = self._parts[number + 1] if number + 1 < len(self._parts) else None
        if before is not None and before.last is not None:
            low = before.last, False
        elif before is not None and part.first is not None:
            low = part.first, True
        if part.last is not None and after is not None:
            high = part.last, True
        elif after is not None and after.first is not None:
            high = after.first, False
        return Range(low, high)

    def _pages_of(self, rows: Sequence[Row]) -> list[Segment]:
        """Splits loaded rows into segments of about one page."""
        self._clock += 1
        found = []
        most = len(rows) if len(rows) <= 2 * self.page else self.page
        for start in range(0, len(rows), max(1, most)):
            some = tuple(rows[start : start + most])
            found.append(self._part_of(some))
        return found

    def _part_of(self, rows: tuple[Row, ...]) -> Segment:
        return Segment(
            len(rows), rows[0].key, rows[-1].key, rows, False, used=self._clock, serial=self._clock
        )

    def _joined(self, number: int) -> None:
        """Merges a short segment into a short one before it, as rows are appended one by one."""
        if not 0 < number < len(self._parts):
            return
        before, part = self._parts[number - 1], self._parts[number]
        if before.rows is None or part.rows is None or before.stale or part.stale:
            return
        if before.length + part.length <= self.page:
            self._parts[number - 1 : number + 1] = [self._part_of(before.rows + part.rows)]

    def _stretch(self, by: int) -> None:
        """Resizes the last gap, or appends one after all rows."""
        gaps = [part for part in self._parts if part.gap]
        if gaps:
            gaps[-1].length = max(1, gaps[-1].length + by)
        elif by > 0:
            self._parts.append(Segment(by))

    def _update_starts(self) -> None:
        self._starts = list(accumulate((part.length for part in self._parts), initial=0))[:-1]
        if not self._parts:
            self._starts = []
        if self.ended and self._total is None:
            self.exact = True

    def _evict_pages(self) -> None:
        kept = [part for part in self._parts if part.rows]
        most = max(FEWEST_KEPT, KEPT_CELLS // (self._columns * max(1, self.page)))
        for part in sorted(kept, key=lambda one: one.used)[: max(0, len(kept) - most)]:
            part.rows = None


COUNT_SHARE = 20
"""Rows are counted again after this many times the duration of the last count."""


@dataclass(slots=True)
class _Counting:
    due: float = 0.0
    asked: bool = False
    wanted: bool = False
    """True if the table was written to since it was counted."""


class TableRows:
    """Shows a table in a grid and follows writes to it; calls `changed` after each update."""

    def __init__(
        self,
        name: str,
        queries: DatabaseQueries,
        grid: Grid,
        changed: Callable[[], None],
        glyphs: Glyphs,
    ) -> None:
        self.name = name
        self.shape: Shape | None = None
        self.trouble = ""
        """Why there is nothing to show, or why the rows may be out of date."""
        self.cache = PageCache(1, keyed=False)
        self._queries = queries
        self._grid = grid
        self._changed = changed
        self._glyphs = glyphs
        self._requested: set[int] = set()
        self._counting = _Counting()
        self._refreshing = False
        self._content = 0
        """The content number of the cached pages, while none is outdated."""
        self._sized = False
        queries.start(self._open)

    @property
    def names(self) -> Sequence[str]:
        """Names of the columns."""
        return [] if self.shape is None else [column.name for column in self.shape.columns]

    async def _open(self) -> None:
        answer = await self._queries.ask(lambda database: database.open(self.name, page_rows))
        self._show(answer)

    def _show(self, answer: Opened | Unavailable) -> None:
        if isinstance(answer, Unavailable):
            self.trouble = answer.reason
            self._changed()
            return
        shape = self.shape = answer.shape
        self._content = answer.content
        self.trouble = answer.trouble
        self.cache = PageCache(page_rows(shape), keyed=bool(shape.key), columns=len(shape.columns))
        first = self.cache.wanted(0)
        if first is not None:
            self.cache.store(first, answer.first)
        rows = answer.first.rows
        self._sized = bool(rows)
        by_number = bool(self._numbers_digits)
        self._grid.show(
            self.cache,
            self._columns((*rows[: LOOKED_AT - len(answer.last)], *answer.last)),
            numbers=self._number if by_number else None,
            digits=self._numbers_digits,
        )
        if answer.first.more:
            self._count()
        else:
            self.cache.count(None)
        self._changed()

    @property
    def _numbers_digits(self) -> int:
        """Digits of the row numbers, shown if no column identifies a row."""
        shape = self.shape
        if shape is None or (shape.key and not shape.shown_key):
            return 0
        return 7

    def _number(self, place: int, row: Row) -> str:
        return str(row.key[0]) if row.key is not None else count(place + 1)

    def _columns(self, rows: Sequence[Row]) -> tuple[GridColumn, ...]:
        names = [(name, name) for name in self.names]
        return columns_of(names, rows, self._glyphs)

    # Loading

    def request(self, place: int) -> None:
        """Loads the page of a row that is being drawn, if it is not cached."""
        if self.shape is None:
            return
        wanted = self.cache.wanted(place)
        if wanted is None or id(wanted.part) in self._requested:
            return
        self._requested.add(id(wanted.part))
        self._queries.start(partial(self._load_page, self.shape, wanted))

    async def _load_page(self, shape: Shape, wanted: PageRequest) -> None:
        answer = await self._queries.ask(
            lambda database: database.page(shape, wanted.range, wanted.count)
        )
        self._requested.discard(id(wanted.part))
        if answer is None:
            # The table was replaced.
            self._show(await self._queries.ask(self._open_replaced))
        elif isinstance(answer, Unavailable):
            # Retried when the row is drawn again: an immediate retry would fail too.
            self.trouble = answer.reason
            self._changed()
        else:
            self._add_page(wanted, answer)

    def _add_page(self, wanted: PageRequest, answer: Page) -> None:
        self.trouble = ""
        grid = self._grid
        under = grid.selected
        line = grid.screen_line_of(grid.cursor)
        at_end = grid.cursor >= len(self.cache) - 1
        self.cache.store(wanted, answer)
        if not self._sized and answer.rows:
            self._sized = True
            grid.columns_found(self._columns(answer.rows))
        moved = self.cache.find(under.key) if under is not None else None
        if moved is not None and moved != grid.cursor:
            grid.rows_changed(moved, screen_line=line)
        elif at_end and wanted.range.backward:
            grid.rows_changed(len(self.cache) - 1, screen_line=line)
        else:
            grid.rows_changed(max(0, grid.cursor) if len(self.cache) else -1)
        self._changed()

    def _count(self) -> None:
        """Counts the rows, unless they were counted recently."""
        shape = self.shape
        self._counting.wanted = True
        if shape is None or self._counting.asked or time.monotonic() < self._counting.due:
            return
        self._counting.asked, self._counting.wanted = True, False
        self._queries.start(partial(self._load_count, shape))

    async def _load_count(self, shape: Shape) -> None:
        began = time.monotonic()
        total = await self._queries.ask(lambda database: database.count(shape))
        self._counting.asked = False
        took = time.monotonic() - began
        self._counting.due = time.monotonic() + COUNT_SHARE * took
        if not isinstance(total, Unavailable):
            self.cache.count(total)
            self._grid.rows_changed(max(self._grid.cursor, 0) if len(self.cache) else -1)
            self._changed()

    def refresh(self) -> None:
        """Reads the visible rows again if the database has changed."""
        if self.shape is None or self._refreshing or self._queries.waiting:
            return
        self._refreshing = True
        if self._counting.wanted:
            self._count()
        self._queries.start(self._refresh)

    async def _refresh(self) -> None:
        content = await self._queries.ask(lambda database: database.current_content())
        self._refreshing = False
        if isinstance(content, Unavailable) or content == self._content:
            return
        self._content = content
        self.cache.outdated()
        self._count()
        self._grid.repaint()
        for place in self._grid.visible_rows:
            self.request(place)
        if not len(self.cache):
            answer = await self._queries.ask(lambda database: database.open(self.name, page_rows))
            if not isinstance(answer, Unavailable) and (answer.first.rows or answer.trouble):
                self._show(answer)

    def _open_replaced(self, database: RawDatabase) -> Opened | Unavailable:
        """Opens the table again after it was dropped or recreated; rows of a dropped one stay."""
        try:
            return database.open(self.name, page_rows)
        except KeyError:
            return Unavailable("the table no longer exists")

    # Facts

    def how_many(self) -> str:
        """The number of rows, marked if it is an estimate."""
        if self.shape is None or (self.trouble and not len(self.cache)):
            return ""
        number, cursor = self.cache.total, self._grid.cursor
        if self.cache.exact:
            if cursor >= 0 and number > 1:
                return f"row {count(cursor + 1)} of {count(number)}"
            return f"{count(number)} {'row' if number == 1 else 'rows'}"
        return f"at least {count(self.cache.known)} rows"

    @property
    def is_empty(self) -> bool:
        """True if the table is known to be empty."""
        return self.shape is not None and not self.trouble and not len(self.cache)

    def declared(self, column: int) -> str:
        """The declared type of a column; empty if it has none."""
        shape = self.shape
        return shape.columns[column].type if shape and column < len(shape.columns) else ""

    def where(self, row: Row) -> str:
        """The key or offset that identifies a row."""
        shape = self.shape
        if shape is None:
            return ""
        if row.key is None:
            return f"row {count(self._grid.cursor + 1)}"
        if shape.by_rowid:
            return f"rowid {row.key[0]}"
        return f"key {key_text(row.key, 0)}"


class RowDetail:
    """Shows one row below the grid; calls `changed` when more of it was loaded."""

    def __init__(
        self, queries: DatabaseQueries, grid: Grid, view: ContentView, changed: Callable[[], None]
    ) -> None:
        self._queries = queries
        self._grid = grid
        self._view = view
        self._changed = changed
        self._whole: tuple[Row, Row] | None = None
        """The row from its page, and the row with longer cells."""
        self._content: tuple[Row, Content] | None = None

    def forget(self) -> None:
        """Forgets the longer cells after the cursor moved."""
        self._whole = None

    def show_row(self, table: TableRows | None, *, keep: bool, empty: str) -> None:
        """Shows a row; with `table`, longer cells can be loaded from it."""
        glyphs, grid, view = self._grid.ui.glyphs, self._grid, self._view
        row = grid.selected
        if row is None or not grid.columns:
            view.show_content(TitledContent("", (), None, empty), keep=False)
            return
        facts = [cell_facts(grid.cell)]
        if table is not None:
            declared = table.declared(grid.column)
            facts = [*([f"declared {declared}"] if declared else []), *facts, table.where(row)]
        else:
            facts.append(f"row {grid.cursor + 1:,}")
        shown_facts = tuple(safe(one, glyphs) for one in facts)
        title = grid.columns[grid.column].title
        view.show_content(TitledContent(title, shown_facts, self._record(row)), keep=keep)
        if table is not None and self._whole is None:
            self.read_more(table, MORE_KEPT)

    def _names(self) -> Sequence[str]:
        return [column.name for column in self._grid.columns]

    def _current(self, row: Row) -> Row:
        """The row with the longest cells loaded so far."""
        known = self._whole
        return known[1] if known is not None and known[0] is row else row

    def _record(self, row: Row) -> Content:
        shown = self._current(row)
        if self._content is None or self._content[0] is not shown:
            record = as_record(self._names(), shown.cells)
            self._content = shown, record_content(record)
        return self._content[1]

    def read_more(self, table: TableRows, kept: int) -> None:
        """Loads a row's truncated cells, up to `kept` characters each."""
        row, shape, place = self._grid.selected, table.shape, self._grid.cursor
        if row is None or shape is None or is_whole(self._current(row).cells):
            return
        names = self._names()

        async def load() -> None:
            answer = await self._queries.ask(
                lambda database: _with_content(database.row(shape, row.key, place, kept), names)
            )
            if isinstance(answer, tuple) and self._grid.selected is row:
                self._whole = row, answer[0]
                self._content = answer
                self._changed()

        self._queries.start(load)

    def copy(self, *, whole: bool) -> Copy | None:
        """The cell under the cursor, or the whole row, to copy."""
        row, grid = self._grid.selected, self._grid
        if row is None or not grid.columns:
            return None
        if whole:
            return Copy(content_text(self._record(row)), "the row")
        cell = self._current(row).cells[grid.column]
        text = full_cell(cell)
        shown = NULL if text is None else str(text)
        what = "the cell" if is_whole([cell]) else "the beginning of the cell"
        return Copy(fit_to_copy(grid.columns[grid.column].name, shown), what)


def _with_content(row: Row | None, names: Sequence[str]) -> tuple[Row, Content] | None:
    """The row laid out; on the database thread, because it may be long."""
    return None if row is None else (row, record_content(as_record(names, row.cells)))
