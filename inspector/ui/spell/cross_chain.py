"""Tracks, handoffs and step results of a cross-chain run, each a tab of records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.strip import Strip

from inspector.live.feed import Overview
from inspector.model.run import Run
from inspector.query.masked import Masks
from inspector.query.run_reader import RunReader
from inspector.query.view import RunView, Tab
from inspector.ui.command_screen import CommandScreen
from inspector.ui.lines import LineWidget, margin, wrapped
from inspector.ui.palette import Role
from inspector.ui.panes.queries import RunQueries
from inspector.ui.panes.records import Record, RecordsPane, records_of

MIN_ROWS = 18
"""Rows of a tab from which the sentence about the part is shown."""
_FINDINGS = ("waiting", "stale_summary", "track_failed")
"""Codes of the findings that concern these tabs."""
_TRACK_HINTS = (("enter", "its run"), ("copy.value", "copy record"), ("pane", "pane"))


class CrossChainHead(LineWidget):
    """A sentence about the part, then what the run waits for, what failed, what is out of date."""

    def __init__(self) -> None:
        super().__init__(id="cross-chain-head")
        self._lines: list[tuple[str, str, Role]] = []

    def show(self, about: str, findings: Sequence[str], width: int, low: bool) -> None:
        """Shows text that is safe to show; findings only where the tab is low."""
        room, glyphs = max(8, width - 2 * margin(width)), self.ui.glyphs
        lines = [] if low else [("", part, Role.MUTED) for part in wrapped(about, room, 2)]
        for finding in findings:
            for number, part in enumerate(wrapped(finding, room - 2, 1 if low else 3, glyphs.cut)):
                lines.append(("" if number else glyphs.finding, f"  {part}", Role.TEXT))
        self._lines = lines
        self.styles.height = len(lines) + (0 if low else 1)
        self.repaint()

    def paint_line(self, y: int, width: int) -> Strip:
        """Draws a line."""
        line = self.line(width)
        line.put(margin(width), "")
        if y < len(self._lines):
            glyph, text, role = self._lines[y]
            line.add(glyph, Role.WARNING)
            line.add(text[1:] if glyph else text, role)
        return line.strip()


class CrossChainPane(RecordsPane):
    """One part of a cross-chain run. Enter on a track opens the run on it."""

    HINTS: ClassVar[tuple[tuple[str, str], ...]] = (("copy.value", "copy record"), ("pane", "pane"))
    ALONE_HINTS: ClassVar[tuple[tuple[str, str], ...] | None] = None

    def __init__(self, queries: RunQueries, run: Run, tab: Tab) -> None:
        super().__init__(queries, run, tab)
        self._run = run
        self._about = ""

    def compose(self) -> ComposeResult:
        """The head, the table and the record."""
        yield CrossChainHead()
        yield from super().compose()

    def hints(self, width: int) -> tuple[tuple[str, str], ...]:
        """The footer."""
        return _TRACK_HINTS if self._part == "tracks" else self.HINTS

    def update(self, view: RunView) -> None:
        """Loads again after a change of the run."""
        self._run = view.run
        super().update(view)

    async def load(self) -> None:
        """Reads the sentence about the part, then its records."""
        part = self._part
        about = await self.queries.ask(lambda reader: reader.about(part))
        self._about = about if isinstance(about, str) else ""
        await super().load()

    def read(self, reader: RunReader) -> tuple[Record, ...] | None:
        """The records without secrets. On a reader's thread."""
        records = records_of(reader, self._part)
        if records is None:
            return None
        return tuple(Masks().content({"records": [dict(one) for one in records]})["records"])

    def render_detail(self, *, keep: bool) -> None:
        """Shows the head for the current width, and the record."""
        width, height = self.size
        glyphs = self.ui.glyphs
        found = [glyphs.safe(one.message) for one in self._run.findings if one.code in _FINDINGS]
        self.query_one(CrossChainHead).show(self._about, found, width, height < MIN_ROWS)
        super().render_detail(keep=keep)

    def action_enter(self) -> None:
        """Opens the run on the selected track, or says why it cannot."""
        record = self.list.record
        if self._part == "tracks" and record is not None:
            self._open_run(record.get("spellId"))

    def _open_run(self, spell: object) -> None:
        screen, run = self.screen, self._run
        if not isinstance(screen, CommandScreen):
            return
        overview = getattr(self.app, "overview", None)
        runs = overview.runs if isinstance(overview, Overview) else ()
        key = (run.store.path, spell, run.run_id)
        found = next(
            (one for one in runs if (one.store.path, one.session, one.run_id) == key), None
        )
        if found is None:
            screen.show_message("No run of that spell is recorded under this id.")
        elif found.key == run.key:
            screen.show_message("This is the run of that track.")
        else:
            screen.open_run(found)
