"""The tab of what was recorded, row by row, as it stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.widget import Widget

from inspector.live.feed import Unavailable
from inspector.model.run import Run
from inspector.model.step import Event
from inspector.query.view import RunView
from inspector.text.numbers import instant
from inspector.ui.run.asking import Asker
from inspector.ui.run.content import record_content
from inspector.ui.run.content_view import ContentView, Titled
from inspector.ui.run.copying import fit_to_copy
from inspector.ui.run.events_list import PAGE, EventsList
from inspector.ui.run.label import safe
from inspector.ui.run.pane import Copy, Pane
from inspector.ui.widgets.line_list import LineList


class EventsPane(Pane):
    """A list above, all columns of the row under the cursor below."""

    HINTS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("copy.value", "copy row"),
        ("copy.location", "copy location"),
        ("travel.back", "travel"),
    )

    def __init__(self, asker: Asker, run: Run) -> None:
        super().__init__(asker, id="events-pane")
        self.run = run
        self._view: RunView | None = None
        self._goal: int | None = None

    def compose(self) -> ComposeResult:
        """The list and the row."""
        yield EventsList(self._want)
        yield ContentView(id="content")

    @property
    def list(self) -> EventsList:
        """The events."""
        return self.query_one(EventsList)

    @property
    def main(self) -> Widget:
        """The events."""
        return self.list

    def take(self, view: RunView) -> None:
        """Another view of the run."""
        self._view = view
        if self.display:
            self._show()

    def opened(self) -> None:
        """Shows the events there are."""
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
        self._tell()

    def on_resize(self) -> None:
        """What waited for a place to be shown in."""
        if self._goal is not None:
            self._show()

    def _want(self, page: int) -> None:
        first = page * PAGE + 1

        def take(answer: Sequence[Event] | Unavailable) -> None:
            if isinstance(answer, Unavailable):
                self.list.missed(page)
                note = safe(answer.reason, self.ui.glyphs)
                self.query_one(ContentView).tell(Titled("", (), None, note), keep=False)
                return
            self.list.take(page, answer)
            if self.list.cursor // PAGE == page:
                self._tell()

        self.asker.ask(f"page {page}", lambda reader: reader.events(first, PAGE), take)

    @on(LineList.Moved)
    def _moved(self) -> None:
        self._tell()

    def _tell(self) -> None:
        event = self.list.selected
        content = self.query_one(ContentView)
        if event is None:
            content.tell(None, keep=True)
            return
        glyphs = self.ui.glyphs
        facts = [safe(event.kind, glyphs)]
        if event.id is not None:
            facts.append(f"{self._unit} {safe(str(event.id), glyphs)}")
        if event.at_raw is not None:
            # A number of milliseconds tells nobody a time; as it stands it is below.
            is_number = event.at is not None and event.at_raw.lstrip("-").isdigit()
            told = instant(event.at, self.ui.zone) if is_number else safe(event.at_raw, glyphs)
            facts.append(told)
        shown = record_content(dict(event.payload))
        content.tell(Titled(f"event {event.n:,}", tuple(facts), shown), keep=False)

    @property
    def _unit(self) -> str:
        """What an event is numbered by: a log has lines."""
        variant = self.run.store.variant or ""
        return "line" if variant.split("-")[0] == "log" else "row"

    def value_to_copy(self) -> Copy | None:
        """The row as it is shown."""
        event = self.list.selected
        if event is None:
            return None
        lines = record_content(dict(event.payload)).lines
        return Copy("\n".join(line.lead + line.key + line.rest for line in lines), "the row")

    def place_to_copy(self) -> Copy | None:
        """Store, run and row."""
        event = self.list.selected
        if event is None:
            return None
        return Copy(
            fit_to_copy(None, f"{self.run.key}  event {event.n}  {self._unit} {event.id}"),
            "the location",
        )

    def redraw(self) -> None:
        """Another zone or theme."""
        self.list.repaint()
