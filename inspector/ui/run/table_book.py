"""The rows of a table as far as they were read: pages in order, and gaps between them.

A gap is as long as it is thought to be until it was read. Pages are told apart by the keys of
their rows, so what somebody looks at stays the same however much is written meanwhile.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from inspector.query.raw_pages import Key, Page, Range, Row

KEPT_CELLS = 400_000
"""Cells that are kept; pages that were not looked at for the longest time are let go."""
FEWEST_KEPT = 8
"""Pages that are kept however many cells they have."""


@dataclass(slots=True, eq=False)
class Part:
    """Rows that follow each other: read, read once and let go, or not read yet (a gap)."""

    length: int
    first: Key | None = None
    last: Key | None = None
    rows: tuple[Row, ...] | None = None
    gap: bool = True
    stale: bool = False
    """Whether it may have been written since it was read."""
    used: int = 0
    serial: int = 0
    """The number of the reading: a later one may look different."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Rows to read, and which part they are (a part of)."""

    part: Part
    range: Range
    count: int
    at: int = 0
    """Where in a gap they begin."""


class Book:
    """Every row by its place. `keyed` = rows have keys; else only their place is known."""

    def __init__(self, page: int, *, keyed: bool, columns: int = 1) -> None:
        self.page = page
        self.keyed = keyed
        self.exact = False
        """Whether all rows were counted or read."""
        self._columns = max(1, columns)
        self._parts: list[Part] = [Part(page)]
        self._starts: list[int] = [0]
        self._total: int | None = None
        self._clock = 0

    def __len__(self) -> int:
        return self._starts[-1] + self._parts[-1].length if self._parts else 0

    @property
    def known(self) -> int:
        """How many rows were read so far."""
        return sum(part.length for part in self._parts if not part.gap)

    @property
    def total(self) -> int:
        """How many rows were counted last; else how many there are as far as is known."""
        return len(self) if self._total is None or self.ended else self._total

    @property
    def ended(self) -> bool:
        """Whether there is no gap left: every row was read once."""
        return not any(part.gap for part in self._parts)

    def row(self, place: int) -> Row | None:
        """The row at a place, if it was read and is kept."""
        part, at = self._locate(place)
        if part is None or part.rows is None:
            return None
        self._clock += 1
        part.used = self._clock
        return part.rows[at] if at < len(part.rows) else None

    def serial(self, place: int) -> int:
        """By which reading a row is known; 0 = by none."""
        part, _ = self._locate(place)
        if part is None or part.rows is None:
            return 0
        self._clock += 1
        part.used = self._clock
        return part.serial

    def wanted(self, place: int) -> Wanted | None:
        """What to read so that the row at a place is known as it stands now."""
        part, at = self._locate(place)
        if part is None or (part.rows is not None and not part.stale):
            return None
        number = self._parts.index(part)
        start = self._starts[number]
        if not part.gap:
            # Behind the last rows others may follow; rows without keys cannot come in between.
            more = self.page if self.keyed or number == len(self._parts) - 1 else 0
            return Wanted(part, self._range(number, start), part.length + more)
        if not self.keyed:
            begin = at - at % self.page
            is_last = number == len(self._parts) - 1
            count = self.page if is_last else min(self.page, part.length - begin)
            return Wanted(part, Range(skip=start + begin), count, begin)
        bounds = self._range(number, start)
        if at < self.page:
            return Wanted(part, bounds, self.page)
        if at >= part.length - self.page:
            back = Range(bounds.low, bounds.high, backward=True)
            return Wanted(part, back, self.page, -1)
        begin = at - self.page // 4
        return Wanted(part, Range(bounds.low, bounds.high, skip=begin), self.page, begin)

    def take(self, wanted: Wanted, found: Page) -> None:
        """Takes what was read; nothing happens if its part is no more."""
        if wanted.part not in self._parts:
            return
        number, part = self._parts.index(wanted.part), wanted.part
        read = self._pages_of(found.rows)
        before: list[Part] = []
        after: list[Part] = []
        if not part.gap:
            if found.more and (self.keyed or number == len(self._parts) - 1):
                after = [Part(self.page)]
        elif wanted.range.backward:
            left = max(1, part.length - len(found.rows)) if found.more else 0
            before = [Part(left)] if left else []
        else:
            before = [Part(wanted.at)] if wanted.at else []
            left = part.length - wanted.at - len(found.rows)
            if not self.keyed and number < len(self._parts) - 1:
                # What follows is known by its place.
                after = [Part(left)] if left > 0 else []
            elif found.more:
                # As long as rows are not counted, a further page is as good a guess as any.
                after = [Part(max(left, 1 if self.exact else self.page))]
        self._parts[number : number + 1] = [*before, *read, *after]
        if read:
            self._joined(number + len(before))
        self._settle()
        self._let_go()

    def count(self, total: int | None) -> None:
        """Takes how many rows were counted; None when that is not known."""
        if total is None:
            self.exact = self.ended
            return
        self._stretch(total - len(self))
        self._total, self.exact = total, True
        self._settle()

    def outdated(self) -> None:
        """Something was written: every page may be another one."""
        for part in self._parts:
            part.stale = not part.gap

    def find(self, key: Key | None) -> int | None:
        """The place of a row that is kept, by its key."""
        if key is None:
            return None
        for start, part in zip(self._starts, self._parts, strict=True):
            for at, row in enumerate(part.rows or ()):
                if row.key == key:
                    return start + at
        return None

    def _locate(self, place: int) -> tuple[Part | None, int]:
        number = bisect_right(self._starts, place) - 1
        if number < 0 or not self._parts or place >= len(self):
            return None, 0
        return self._parts[number], place - self._starts[number]

    def _range(self, number: int, start: int) -> Range:
        """From behind the part before to the last row of this one, or all that follows it."""
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

    def _pages_of(self, rows: Sequence[Row]) -> list[Part]:
        """What was read as pages, none much longer than a page."""
        self._clock += 1
        found = []
        most = len(rows) if len(rows) <= 2 * self.page else self.page
        for start in range(0, len(rows), max(1, most)):
            some = tuple(rows[start : start + most])
            found.append(self._part_of(some))
        return found

    def _part_of(self, rows: tuple[Row, ...]) -> Part:
        return Part(
            len(rows), rows[0].key, rows[-1].key, rows, False, used=self._clock, serial=self._clock
        )

    def _joined(self, number: int) -> None:
        """Joins a page to the one before it where both are short: rows come one by one."""
        if not 0 < number < len(self._parts):
            return
        before, part = self._parts[number - 1], self._parts[number]
        if before.rows is None or part.rows is None or before.stale or part.stale:
            return
        if before.length + part.length <= self.page:
            self._parts[number - 1 : number + 1] = [self._part_of(before.rows + part.rows)]

    def _stretch(self, by: int) -> None:
        """Makes the last gap longer or shorter, or adds one behind all rows."""
        gaps = [part for part in self._parts if part.gap]
        if gaps:
            gaps[-1].length = max(1, gaps[-1].length + by)
        elif by > 0:
            self._parts.append(Part(by))

    def _settle(self) -> None:
        self._starts = list(accumulate((part.length for part in self._parts), initial=0))[:-1]
        if not self._parts:
            self._starts = []
        if self.ended and self._total is None:
            self.exact = True

    def _let_go(self) -> None:
        kept = [part for part in self._parts if part.rows]
        most = max(FEWEST_KEPT, KEPT_CELLS // (self._columns * max(1, self.page)))
        for part in sorted(kept, key=lambda one: one.used)[: max(0, len(kept) - most)]:
            part.rows = None
