"""State and provenance as tabs: this run beside the one before it, or beside another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from inspector.live.feed import Overview
from inspector.model.run import Run
from inspector.query.view import RunView, Tab
from inspector.text.measure import clip
from inspector.ui.clipboard import fit_to_copy
from inspector.ui.content import record_content
from inspector.ui.labels import safe
from inspector.ui.lines import LineWidget, margin, wrapped
from inspector.ui.palette import Role
from inspector.ui.panes.base import Copy, Pane
from inspector.ui.panes.queries import RunQueries
from inspector.ui.spell.side_list import SideList
from inspector.ui.spell.sides import Row, Sides, sides_of
from inspector.ui.widgets.content_view import ContentView, TitledContent
from inspector.ui.widgets.line_list import LineList

AGAIN = 0.5
"""Seconds between two readings while the run goes on."""
ABOUT_LINES = 2
LOW = 18
"""Rows below which there is no line about the part."""


class SidesHead(LineWidget):
    """What the part is, in a line or two; then with which run this one is compared."""

    def __init__(self) -> None:
        super().__init__(id="sides-head")
        self._about = ""
        self._told: tuple[tuple[str, Role], ...] = ()
        self._lines: list[str] = []

    def show(self, about: str, told: Sequence[tuple[str, Role]], width: int, low: bool) -> None:
        """Takes safe text."""
        room = max(8, width - 2 * margin(width))
        most = 0 if low else ABOUT_LINES
        self._lines = list(wrapped(about, room, most, self.ui.glyphs.cut)) if most else []
        self._told = tuple(told)
        self.styles.height = len(self._lines) + 2
        self.repaint()

    def paint_line(self, y: int, width: int) -> Strip:
        """A line."""
        line, cut = self.line(width), self.ui.glyphs.cut
        line.put(margin(width), "")
        if y < len(self._lines):
            line.add(self._lines[y], Role.MUTED)
        elif y == len(self._lines):
            end = width - margin(width)
            for number, (text, role) in enumerate(self._told):
                skip = 3 if number else 0
                line.add(clip(text, max(0, end - line.cells - skip), ellipsis=cut), role, skip=skip)
        return line.strip()


class SidesPane(Pane):
    """One part."""

    HINTS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("outward", "against"),
        ("copy.value", "copy"),
        ("pane", "pane"),
    )

    def __init__(self, queries: RunQueries, run: Run, tab: Tab) -> None:
        super().__init__(queries, id=f"sides-{tab.part}")
        self._run = run
        self._part = tab.part
        self._against: str | None = None
        """The run that was chosen; None = the one before."""
        self._sides: Sides | None = None
        self._told = "Reading."
        self._outdated = True
        self._again: Timer | None = None

    def compose(self) -> ComposeResult:
        """The head, the names, what is under the cursor."""
        yield SidesHead()
        yield SideList()
        yield ContentView(id="content")

    @property
    def names(self) -> SideList:
        """The names."""
        return self.query_one(SideList)

    @property
    def main(self) -> Widget:
        """The names."""
        return self.names

    def update(self, view: RunView) -> None:
        """Another view: what is saved may be other."""
        self._outdated = True
        if self.display and self._again is None and self._sides is not None:
            self._again = self.set_timer(AGAIN, self._read)

    def opened(self) -> None:
        """Reads both sides if they may be others."""
        if self._outdated:
            self._read()

    def _read(self) -> None:
        self._again, self._outdated = None, False
        self.ask(self._part, self._load)

    async def _load(self) -> None:
        part, against = self._part, self._against
        answer = await self.queries.ask(lambda reader: sides_of(reader, part, against))
        if isinstance(answer, Sides):
            self._sides, self._told = answer, ""
            self.names.show(answer)
        elif answer is None:
            self._told = "This run's runtime compares no such thing."
        else:
            self._told = safe(answer.reason, self.ui.glyphs)
        self.redraw()

    def redraw(self) -> None:
        """Draws the head and the content anew."""
        width, height = self.size
        sides, glyphs = self._sides, self.ui.glyphs
        told = [(self._told, Role.TEXT)] if self._told else []
        if sides is not None:
            told += [(safe(note, glyphs), Role.TEXT) for note in sides.notes]
            if sides.before is not None:
                which = "the run before" if self._against is None else "chosen"
                told.insert(0, (f"against {safe(sides.before, glyphs)}, {which}", Role.MUTED))
            told.append((sides.counted() if not sides.notes else "", Role.TEXT))
        about = sides.about if sides is not None else ""
        head = self.query_one(SidesHead)
        head.show(about, [one for one in told if one[0]], width, height < LOW)
        self._tell(keep=True)

    def on_resize(self) -> None:
        """Another width has other lines."""
        self.redraw()

    @on(LineList.Moved)
    def _moved(self) -> None:
        self._tell(keep=False)

    def _tell(self, *, keep: bool) -> None:
        row, view, glyphs = self.names.row, self.query_one(ContentView), self.ui.glyphs
        if row is None:
            told = "" if self._sides is None else "Nothing is recorded here."
            view.show_content(TitledContent("", (), None, told), keep=False)
            return
        facts = [row.change or "", "stale: older than the run allowed" if row.stale else ""]
        content = record_content(_shown(row))
        view.show_content(
            TitledContent(safe(row.name, glyphs), tuple(filter(None, facts)), content), keep=keep
        )

    def action_outward(self) -> None:
        """Compares with the run before the one that it is compared with."""
        self._choose(1)

    def action_inward(self) -> None:
        """Compares with the run after it."""
        self._choose(-1)

    def _choose(self, by: int) -> None:
        """Goes `by` runs back in the list of this spell's runs, past this one."""
        others = [run for run in self._runs() if run != self._run.run_id]
        if not others:
            self._say("There is no other run of this spell.")
            return
        known = self._sides.before if self._sides is not None else None
        at = others.index(known) + by if known in others else 0
        if not 0 <= at < len(others):
            self._say("That is the oldest run of this spell." if by > 0 else "That is the newest.")
            return
        self._against = others[at]
        self._read()

    def _runs(self) -> list[str]:
        """Ids of the spell's runs as the list has them, newest first."""
        overview = getattr(self.app, "overview", None)
        listed = overview.runs if isinstance(overview, Overview) else ()
        mine = (self._run.store.path, self._run.session)
        found = (run.run_id for run in listed if (run.store.path, run.session) == mine)
        return [run_id for run_id in found if run_id]

    def _say(self, sentence: str) -> None:
        show_message = getattr(self.screen, "show_message", None)
        if show_message is not None:
            show_message(sentence)

    def value_to_copy(self) -> Copy | None:
        """What stands under the name on every side."""
        row = self.names.row
        if row is None:
            return None
        lines = (line.lead + line.key + line.rest for line in record_content(_shown(row)).lines)
        return Copy(fit_to_copy(None, "\n".join(lines)), "both sides")


def _shown(row: Row) -> dict[str, object]:
    return {name: value for name, value in row.record.items() if name in _SIDES}


_SIDES = ("before", "after", "saved_now")
