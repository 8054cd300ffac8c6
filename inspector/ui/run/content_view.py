"""A content below a list: a title, then its lines with their numbers."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from textual.strip import Strip

from inspector.text.measure import cell_width, clip
from inspector.ui.paint import NARROW, Line, margin
from inspector.ui.palette import Ground, Role
from inspector.ui.run.content import Content
from inspector.ui.run.sheet import Page, Sheet

HEAD_LINES = 3
"""Lines above the content: empty, title, empty."""


@dataclass(frozen=True, slots=True)
class Titled:
    """A content with its title and facts about it, all safe to show."""

    title: str
    facts: tuple[str, ...]
    content: Content | None
    note: str = ""
    """What stands instead of the content, or below it."""


class ContentView(Sheet):
    """Draws lines of a content when they are seen, however many there are."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._titled: Titled | None = None
        self._told = 0

    def tell(self, titled: Titled | None, *, keep: bool) -> None:
        """Takes what to show; with `keep` it stays scrolled to where it is."""
        top = self.top if keep else 0
        self._titled = titled
        self._told += 1
        self.rows_changed()
        if top != self.top:
            self._scroll(top)
            self.repaint()

    @property
    def row_count(self) -> int:
        """The lines above, the content, and one below for a note."""
        titled = self._titled
        if titled is None:
            return 0
        lines = len(titled.content.lines) if titled.content is not None else 0
        return HEAD_LINES + lines + (1 if titled.note else 0)

    def version(self, row: int) -> Hashable:
        """Which content, and which line of it."""
        return (self._told, row)

    def paint(self, row: int, width: int, cursor: bool, hover: bool, focused: bool) -> Strip:
        """One line."""
        titled = self._titled
        assert titled is not None
        if row < HEAD_LINES:
            return self._above(row, width, titled)
        line = Line(width, self.kit.roles, Ground.RAISED)
        lines = titled.content.lines if titled.content is not None else ()
        number = row - HEAD_LINES
        start = margin(width) + 2
        if number >= len(lines):
            line.put(start, clip(titled.note, width - start), Role.MUTED)
            return line.strip()
        digits = max(2, len(f"{len(lines)}"))
        if width >= NARROW:
            line.right(start + digits, str(number + 1), Role.FAINT)
            start += digits + 2
        written = lines[number]
        room = width - start - margin(width)
        line.put(start, clip(written.lead, room), Role.TEXT)
        line.put(line.cells, clip(written.key, start + room - line.cells), Role.MUTED)
        left = start + room - line.cells
        line.put(line.cells, clip(written.rest, left, ellipsis=self.kit.signs.cut), Role.TEXT)
        return line.strip()

    def _above(self, row: int, width: int, titled: Titled) -> Strip:
        if row == 0 and self.kit.roles.plain:
            page = Page(self.kit, width)
            page.rule()
            return page.strips()[0]
        line = Line(width, self.kit.roles, Ground.RAISED)
        if row != 1:
            return line.strip()
        edge, cut = margin(width), self.kit.signs.cut
        count = len(titled.content.lines) if titled.content is not None else 0
        told = f"{count:,} lines" if count > 1 else ""
        end = width - edge - (cell_width(told) + 2 if told else 0)
        line.put(edge + 2, clip(titled.title, end - edge - 2, ellipsis=cut), Role.STRONG)
        for fact in titled.facts:
            if line.cells + 3 + cell_width(fact) > end:
                break
            line.add(fact, Role.MUTED, skip=3)
        line.right(width - edge, told, Role.MUTED)
        return line.strip()
