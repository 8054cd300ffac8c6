"""The recorded events, in pages that are read when they are seen."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence

from textual.strip import Strip

from inspector.model.step import Event
from inspector.text.measure import clip
from inspector.text.numbers import NOT_RECORDED, instant
from inspector.ui.lines import NARROW, Line, margin
from inspector.ui.palette import Ground, Role
from inspector.ui.run.label import safe
from inspector.ui.widgets.line_list import LineList

PAGE = 128
KEPT_PAGES = 64
KIND_CELLS, STATUS_CELLS, TIME_CELLS = 12, 12, 12
LONG_KIND_CELLS = 20
"""Cells of a kind where there is room: `constraint_evaluated`."""
ROOMY = 100
"""Columns from which long kinds are shown whole."""


class EventsList(LineList):
    """One line for each event; what is not read yet is an empty line with its number."""

    def __init__(self, want: Callable[[int], None]) -> None:
        super().__init__(id="events")
        self._want = want
        self._count = 0
        self._timed = False
        self._pages: OrderedDict[int, tuple[int, tuple[Event, ...]]] = OrderedDict()
        """Each page with its number among all that were read: an earlier one looks different."""
        self._read = 0
        self._wanted: set[int] = set()

    def show(self, count: int, *, timed: bool) -> None:
        """Says how many events there are; `timed` = they carry instants."""
        self._timed = timed
        if count != self._count:
            # The last page may be filled further, and rows that change may have changed.
            self._pages.pop((self._count - 1) // PAGE, None)
            self._wanted.clear()
            self._count = count
        self.rows_changed(max(0, self.cursor) if count else -1)

    def take(self, page: int, events: Sequence[Event]) -> None:
        """Takes a page that was read."""
        self._wanted.discard(page)
        self._read += 1
        self._pages[page] = (self._read, tuple(events))
        while len(self._pages) > KEPT_PAGES:
            self._pages.popitem(last=False)
        self.repaint()

    def missed(self, page: int) -> None:
        """A page could not be read now; it is asked for again when it is drawn again."""
        self._wanted.discard(page)

    def event(self, row: int) -> Event | None:
        """The event of a row, if its page was read; else the page is asked for."""
        page = row // PAGE
        found = self._pages.get(page)
        if found is None:
            if page not in self._wanted:
                self._wanted.add(page)
                self._want(page)
            return None
        self._pages.move_to_end(page)
        at, events = row % PAGE, found[1]
        return events[at] if at < len(events) else None

    @property
    def selected(self) -> Event | None:
        """The event under the cursor, if it was read."""
        return self.event(self.cursor) if 0 <= self.cursor < self._count else None

    @property
    def row_count(self) -> int:
        """Events."""
        return self._count

    @property
    def has_head(self) -> bool:
        """The names of the columns."""
        return self.size.width >= NARROW

    def version(self, row: int) -> Hashable:
        """Whether the event is there, and by which reading."""
        event = self.event(row)
        read = 0 if event is None else self._pages[row // PAGE][0]
        return (row, read, self._digits, self._timed)

    def head_version(self, top: int) -> Hashable:
        """The columns depend on the number of digits."""
        return (self._digits, self._timed)

    @property
    def _digits(self) -> int:
        return max(5, len(f"{self._count:,}"))

    def _kind_cells(self, width: int) -> int:
        """Runtimes that record instants have the longer names of kinds."""
        return LONG_KIND_CELLS if self._timed and width >= ROOMY else KIND_CELLS

    def paint_head(self, width: int, top: int) -> Strip:
        """The names of the columns."""
        line = Line(width, self.ui.styles)
        at = margin(width)
        line.right(at + self._digits, "event", Role.MUTED)
        at += self._digits + 3
        if self._timed:
            line.put(at, "at", Role.MUTED)
            at += TIME_CELLS + 2
        line.put(at, "kind", Role.MUTED)
        at += self._kind_cells(width) + 2
        line.put(at, "status", Role.MUTED)
        line.put(at + STATUS_CELLS + 2, "text", Role.MUTED)
        return line.strip()

    def paint(self, row: int, width: int, cursor: bool, hover: bool, focused: bool) -> Strip:
        """One event."""
        ui, event = self.ui, self.event(row)
        ground = Ground.SELECT if cursor else Ground.HOVER if hover else Ground.BG
        line = Line(width, ui.styles, ground)
        if cursor:
            line.put(0, ui.glyphs.cursor, Role.ACCENT if focused else Role.GUIDE)
        at = margin(width)
        line.right(at + self._digits, f"{row + 1:,}", Role.MUTED)
        at += self._digits + 3
        if event is None:
            line.put(at, ui.glyphs.cut, Role.FAINT)
            return line.strip()
        cut = ui.glyphs.cut
        if width >= NARROW:
            if self._timed:
                line.put(at, clip(instant(event.at, ui.zone), TIME_CELLS, ellipsis=cut), Role.MUTED)
                at += TIME_CELLS + 2
            cells = self._kind_cells(width)
            line.put(at, clip(safe(event.kind, ui.glyphs), cells, ellipsis=cut), Role.MUTED)
            at += cells + 2
        raw = NOT_RECORDED if event.raw_status is None else safe(event.raw_status, ui.glyphs)
        line.put(at, clip(raw, STATUS_CELLS, ellipsis=cut))
        at += STATUS_CELLS + 2
        room = width - margin(width) - at
        role = Role.STRONG if cursor and focused else Role.TEXT
        line.put(at, clip(safe(event.text, ui.glyphs), room, ellipsis=cut), role)
        return line.strip()
