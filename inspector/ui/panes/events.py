"""The events tab: every recorded row."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.strip import Strip
from textual.widget import Widget

from inspector.live.feed import Unavailable
from inspector.model.run import Run
from inspector.model.step import Event
from inspector.query.view import RunView, Tab
from inspector.text.measure import clip
from inspector.text.numbers import NOT_RECORDED, instant
from inspector.ui.clipboard import fit_to_copy
from inspector.ui.content import record_content
from inspector.ui.labels import safe
from inspector.ui.lines import NARROW, Line, margin
from inspector.ui.palette import Ground, Role
from inspector.ui.panes.base import Copy, Pane
from inspector.ui.panes.queries import RunQueries
from inspector.ui.widgets.content_view import ContentView, TitledContent
from inspector.ui.widgets.line_list import LineList

PAGE = 128
KEPT_PAGES = 64
KIND_CELLS, STATUS_CELLS, TIME_CELLS = 12, 12, 12
LONG_KIND_CELLS = 20
"""Cells of the kind column in wide terminals, enough for `constraint_evaluated`."""
ROOMY = 100
"""Minimum width, in columns, for long kinds in full."""


class EventsList(LineList):
    """One line per event; an event not loaded yet is a blank line with its number."""

    def __init__(self, request: Callable[[int], None]) -> None:
        super().__init__(id="events")
        self._request = request
        self._count = 0
        self._timed = False
        self._pages: OrderedDict[int, tuple[int, tuple[Event, ...]]] = OrderedDict()
        """Pages with the number of the read they came from, so that a reloaded page is redrawn."""
        self._read = 0
        self._wanted: set[int] = set()

    def show(self, count: int, *, timed: bool) -> None:
        """Sets the number of events; `timed` if they carry times."""
        self._timed = timed
        if count != self._count:
            # The last page may have grown, and the rows of mutable tables may have changed.
            self._pages.pop((self._count - 1) // PAGE, None)
            self._wanted.clear()
            self._count = count
        self.rows_changed(max(0, self.cursor) if count else -1)

    def add_page(self, page: int, events: Sequence[Event]) -> None:
        """Adds a loaded page."""
        self._wanted.discard(page)
        self._read += 1
        self._pages[page] = (self._read, tuple(events))
        while len(self._pages) > KEPT_PAGES:
            self._pages.popitem(last=False)
        self.repaint()

    def page_failed(self, page: int) -> None:
        """Marks a page as not loaded, so that it is requested again when drawn."""
        self._wanted.discard(page)

    def event(self, row: int) -> Event | None:
        """The event of a row; if its page is not loaded, requests it and returns None."""
        page = row // PAGE
        found = self._pages.get(page)
        if found is None:
            if page not in self._wanted:
                self._wanted.add(page)
                self._request(page)
            return None
        self._pages.move_to_end(page)
        at, events = row % PAGE, found[1]
        return events[at] if at < len(events) else None

    @property
    def selected(self) -> Event | None:
        """The event under the cursor; None if not loaded."""
        return self.event(self.cursor) if 0 <= self.cursor < self._count else None

    @property
    def row_count(self) -> int:
        """The number of events."""
        return self._count

    @property
    def has_head(self) -> bool:
        """Column titles stay above the rows."""
        return self.size.width >= NARROW

    def version(self, row: int) -> Hashable:
        """The event, if loaded, and the number of its read."""
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
        """Runtimes that record times have longer kinds."""
        return LONG_KIND_CELLS if self._timed and width >= ROOMY else KIND_CELLS

    def paint_head(self, width: int, top: int) -> Strip:
        """Draws the column titles."""
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
        """Draws one event."""
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


class EventsPane(Pane):
    """A list of events, with all columns of the selected row below."""

    HINTS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("copy.value", "copy row"),
        ("copy.location", "copy location"),
        ("travel.back", "travel"),
    )

    def __init__(self, queries: RunQueries, run: Run, tab: Tab) -> None:
        super().__init__(queries, id="events-pane")
        self.run = run
        self._view: RunView | None = None
        self._goal: int | None = None

    def compose(self) -> ComposeResult:
        """The list and the row."""
        yield EventsList(self._request)
        yield ContentView(id="content")

    @property
    def list(self) -> EventsList:
        """The events."""
        return self.query_one(EventsList)

    @property
    def main(self) -> Widget:
        """The events."""
        return self.list

    def update(self, view: RunView) -> None:
        """Shows a new view of the run."""
        self._view = view
        if self.display:
            self._show()

    def opened(self) -> None:
        """Loads the visible events."""
        self._show()

    def go_to(self, event: int) -> None:
        """Puts the cursor on an event."""
        self._goal = event - 1
        self._show()

    def _show(self) -> None:
        view = self._view
        if view is None:
            return
        self.list.show(view.events, timed=not view.run.order_only)
        if self._goal is not None and self.list.size.height:
            self.list.move_to(min(self._goal, view.events - 1))
            self._goal = None
        self._render_detail()

    def on_resize(self) -> None:
        """Moves to an event requested before the list had a size."""
        if self._goal is not None:
            self._show()

    def _request(self, page: int) -> None:
        self.ask(f"page {page}", partial(self._load_page, page))

    async def _load_page(self, page: int) -> None:
        first = page * PAGE + 1
        answer = await self.queries.ask(lambda reader: reader.events(first, PAGE))
        if isinstance(answer, Unavailable):
            self.list.page_failed(page)
            note = safe(answer.reason, self.ui.glyphs)
            self.query_one(ContentView).show_content(TitledContent("", (), None, note), keep=False)
            return
        self.list.add_page(page, answer)
        if self.list.cursor // PAGE == page:
            self._render_detail()

    @on(LineList.Moved)
    def _moved(self) -> None:
        self._render_detail()

    def _render_detail(self) -> None:
        event = self.list.selected
        content = self.query_one(ContentView)
        if event is None:
            content.show_content(None, keep=True)
            return
        glyphs = self.ui.glyphs
        facts = [safe(event.kind, glyphs)]
        if event.id is not None:
            facts.append(f"{self._unit} {safe(str(event.id), glyphs)}")
        if event.at_raw is not None:
            # Milliseconds are unreadable in a list; the row below shows them as recorded.
            is_number = event.at is not None and event.at_raw.lstrip("-").isdigit()
            time = instant(event.at, self.ui.zone) if is_number else safe(event.at_raw, glyphs)
            facts.append(time)
        shown = record_content(dict(event.payload))
        content.show_content(TitledContent(f"event {event.n:,}", tuple(facts), shown), keep=False)

    @property
    def _unit(self) -> str:
        """The unit of event numbers: lines for a log, else events."""
        variant = self.run.store.variant or ""
        return "line" if variant.split("-")[0] == "log" else "row"

    def value_to_copy(self) -> Copy | None:
        """The row as shown."""
        event = self.list.selected
        if event is None:
            return None
        lines = record_content(dict(event.payload)).lines
        return Copy("\n".join(line.lead + line.key + line.rest for line in lines), "the row")

    def location_to_copy(self) -> Copy | None:
        """Store, run and row."""
        event = self.list.selected
        if event is None:
            return None
        return Copy(
            fit_to_copy(None, f"{self.run.key}  event {event.n}  {self._unit} {event.id}"),
            "the location",
        )

    def redraw(self) -> None:
        """Redraws for another zone or theme."""
        self.list.repaint()
