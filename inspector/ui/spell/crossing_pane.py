"""Tracks, handoffs and results of a cross-chain run as tabs; Enter goes to a track's own run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from inspector.live.feed import Overview, Unavailable
from inspector.model.run import Run
from inspector.query.masked import Masks
from inspector.query.run_reader import RunReader
from inspector.query.view import RunView, Tab
from inspector.ui.clipboard import fit_to_copy
from inspector.ui.command_screen import CommandScreen
from inspector.ui.content import record_content
from inspector.ui.labels import safe
from inspector.ui.lines import LineWidget, margin, wrapped
from inspector.ui.palette import Role
from inspector.ui.panes.base import Copy, Pane
from inspector.ui.panes.queries import RunQueries
from inspector.ui.spell.crossing_columns import HANDOFFS, RESULTS, TRACKS, Kind
from inspector.ui.spell.crossing_list import CrossingList
from inspector.ui.widgets.content_view import ContentView, TitledContent
from inspector.ui.widgets.line_list import LineList

AGAIN = 0.5
"""Seconds between two readings while the run goes on."""
LOW = 18
"""Rows below which there is no line about the part."""
_TOLD = ("waiting", "stale_summary", "track_failed")
"""Findings that belong here."""

Found = tuple[str, tuple[Mapping[str, Any], ...]]


class CrossingHead(LineWidget):
    """What the part is; then what is waited for, what failed, and what is out of date."""

    def __init__(self) -> None:
        super().__init__(id="crossing-head")
        self._lines: list[tuple[str, str, Role]] = []

    def show(self, about: str, troubles: Sequence[str], width: int, low: bool) -> None:
        """Takes safe text."""
        room, glyphs = max(8, width - 2 * margin(width)), self.ui.glyphs
        lines = [] if low else [("", part, Role.MUTED) for part in wrapped(about, room, 2)]
        for trouble in troubles:
            for number, part in enumerate(wrapped(trouble, room - 2, 1 if low else 3, glyphs.cut)):
                lines.append(("" if number else glyphs.finding, f"  {part}", Role.TEXT))
        self._lines = lines
        self.styles.height = len(lines) + (0 if low else 1)
        self.repaint()

    def paint_line(self, y: int, width: int) -> Strip:
        """A line."""
        line = self.line(width)
        line.put(margin(width), "")
        if y < len(self._lines):
            sign, text, role = self._lines[y]
            line.add(sign, Role.WARNING)
            line.add(text[1:] if sign else text, role)
        return line.strip()


class CrossingPane(Pane):
    """One of the three."""

    HINTS: ClassVar[tuple[tuple[str, str], ...]] = (("copy.value", "copy record"), ("pane", "pane"))
    KIND: ClassVar[Kind] = TRACKS

    def __init__(self, queries: RunQueries, run: Run, tab: Tab) -> None:
        super().__init__(queries, id=f"crossing-{self.KIND.part}")
        self._run = run
        self._told = "Reading."
        self._about = ""
        self._outdated = True
        self._again: Timer | None = None

    def compose(self) -> ComposeResult:
        """The head, the records, the one under the cursor."""
        yield CrossingHead()
        yield CrossingList(self.KIND)
        yield ContentView(id="content")

    @property
    def list(self) -> CrossingList:
        """The records."""
        return self.query_one(CrossingList)

    @property
    def main(self) -> Widget:
        """The records."""
        return self.list

    def update(self, view: RunView) -> None:
        """Another view: the records may be others."""
        self._run, self._outdated = view.run, True
        if self.display and self._again is None:
            self._again = self.set_timer(AGAIN, self._read)

    def opened(self) -> None:
        """Reads the records if they may be others."""
        if self._outdated:
            self._read()

    def _read(self) -> None:
        self._again, self._outdated = None, False
        part = self.KIND.part
        self.ask(part, partial(self._load, part))

    async def _load(self, part: str) -> None:
        answer = await self.queries.ask(lambda reader: found_in(reader, part))
        if answer is None:
            self._told = "This run has no such records."
        elif isinstance(answer, Unavailable):
            self._told = safe(answer.reason, self.ui.glyphs)
        else:
            self._about, records = answer
            self._told = "" if records else "Nothing is recorded here."
            self.list.show(records)
        self.redraw()

    def redraw(self) -> None:
        """Draws the head and the content anew."""
        width, height = self.size
        glyphs = self.ui.glyphs
        troubles = [glyphs.safe(one.message) for one in self._run.findings if one.code in _TOLD]
        about = self._told or self._about
        self.query_one(CrossingHead).show(about, troubles, width, height < LOW)
        self._tell(keep=True)

    def on_resize(self) -> None:
        """Another width has other lines."""
        self.redraw()

    @on(LineList.Moved)
    def _moved(self) -> None:
        self._tell(keep=False)

    def _tell(self, *, keep: bool) -> None:
        record, view = self.list.record, self.query_one(ContentView)
        if record is None:
            view.show_content(TitledContent("", (), None, self._told), keep=False)
            return
        title = safe(str(record.get(self.KIND.title)), self.ui.glyphs)
        view.show_content(TitledContent(title, (), record_content(dict(record))), keep=keep)

    def value_to_copy(self) -> Copy | None:
        """The record as it is shown."""
        record = self.list.record
        if record is None:
            return None
        lines = (line.lead + line.key + line.rest for line in record_content(dict(record)).lines)
        return Copy(fit_to_copy(None, "\n".join(lines)), "the record")


class TracksPane(CrossingPane):
    """The two sides."""

    HINTS: ClassVar[tuple[tuple[str, str], ...]] = (("enter", "its run"), *CrossingPane.HINTS)

    def action_enter(self) -> None:
        """Goes to the run on the other track, which has the same id."""
        record = self.list.record
        if record is not None:
            open_sibling(self, self._run, record.get("spellId"))


class HandoffsPane(CrossingPane):
    """What was sent across."""

    KIND: ClassVar[Kind] = HANDOFFS


class ResultsPane(CrossingPane):
    """What came of each planned action."""

    KIND: ClassVar[Kind] = RESULTS


def crossing_pane(queries: RunQueries, run: Run, tab: Tab) -> CrossingPane:
    """The pane of one of the three parts."""
    panes = {one.KIND.part: one for one in (TracksPane, HandoffsPane, ResultsPane)}
    return panes[tab.part](queries, run, tab)


def open_sibling(widget: Widget, run: Run, spell: object) -> None:
    """Opens the run of another spell under the same id, or says why that is not possible."""
    screen = widget.screen
    if not isinstance(screen, CommandScreen):
        return
    overview = getattr(widget.app, "overview", None)
    runs = overview.runs if isinstance(overview, Overview) else ()
    wanted = (run.store.path, spell, run.run_id)
    found = next((one for one in runs if (one.store.path, one.session, one.run_id) == wanted), None)
    if found is None:
        screen.show_message("No run of that spell is recorded under this id.")
    elif found.key == run.key:
        screen.show_message("This is the run of that track.")
    else:
        screen.open_run(found)


def found_in(reader: RunReader, part: str) -> Found | None:
    """What the part is, and its records without secrets. On a reader's thread."""
    try:
        records = [dict(record) for record in reader.record(part)]
    except KeyError:
        return None
    about = reader.about(part)
    return about or "", tuple(Masks().content({"records": records})["records"])
