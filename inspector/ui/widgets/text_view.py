"""Scrolling text on raised ground, without a cursor."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from textual.strip import Strip

from inspector.ui.context import UiContext
from inspector.ui.lines import Line
from inspector.ui.palette import Ground, Role
from inspector.ui.widgets.line_list import LineList


class TextBuilder:
    """Builds the lines of a text, `width` cells each including margins."""

    def __init__(
        self,
        ui: UiContext,
        width: int,
        margin: int = 2,
        *,
        ground: Ground = Ground.RAISED,
        edge: str = "",
    ) -> None:
        self.ui = ui
        self.width = width
        self.margin = margin
        self.ground = ground
        self.edge = edge
        """Text at the left of every line, for themes without raised grounds."""
        self.lines: list[Line] = []

    @property
    def room(self) -> int:
        """Cells between the margins."""
        return max(1, self.width - 2 * self.margin)

    @property
    def end(self) -> int:
        """The column where the right margin begins."""
        return max(self.margin + 1, self.width - self.margin)

    def line(self) -> Line:
        """Starts a line."""
        line = Line(self.width, self.ui.styles, self.ground)
        line.put(0, self.edge, Role.GUIDE)
        line.put(self.margin, "")
        self.lines.append(line)
        return line

    def rule(self) -> None:
        """Adds a rule across the whole width."""
        line = Line(self.width, self.ui.styles, self.ground)
        line.put(0, self.ui.glyphs.rule * self.width, Role.GUIDE)
        self.lines.append(line)

    def blank(self) -> None:
        """Adds an empty line, unless it would be the first or follow another."""
        if self.lines and self.lines[-1].cells > self.margin:
            self.line()

    def strips(self) -> list[Strip]:
        """The finished lines."""
        return [line.strip() for line in self.lines]


class TextView(LineList):
    """Scrolls lines, and redraws only those that changed."""

    def __init__(self, *, id: str, ground: Ground = Ground.RAISED) -> None:
        super().__init__(id=id)
        self._ground = ground
        self._lines: list[Strip] = []

    def show(self, lines: Sequence[Strip], *, keep: bool) -> None:
        """Shows lines; `keep` preserves the scroll position."""
        top = self.top if keep else 0
        self._lines = list(lines)
        self.rows_changed()
        if top != self.top:
            self._scroll(top)
            self.repaint()

    @property
    def row_count(self) -> int:
        """The number of lines."""
        return len(self._lines)

    def version(self, row: int) -> Hashable:
        """The content of the line."""
        return tuple(self._lines[row])

    def paint(self, row: int, width: int, cursor: bool, hover: bool, focused: bool) -> Strip:
        """Draws a line."""
        return self._lines[row].adjust_cell_length(width)

    def _far(self, last: int, count: int) -> str:
        # A position would count wrapped lines, which means nothing to the reader.
        return f"{100 * last // max(1, count)}%"

    def rest(self, width: int) -> Line:
        """Draws an empty line of the pane."""
        line = Line(width, self.ui.styles, self._ground)
        if self.ui.styles.plain and self._beside(width):
            line.put(0, self.ui.glyphs.guide, Role.GUIDE)
        return line

    def _beside(self, width: int) -> bool:
        """True if a pane at the left is not distinguished by its ground."""
        return width < self.screen.size.width

    @property
    def marked(self) -> bool:
        """True if an edge marks that this pane has the focus."""
        return (
            self.has_focus and sum(isinstance(one, LineList) for one in self.screen.focus_chain) > 1
        )

    def _line_key(self, y: int, width: int) -> Hashable:
        return (super()._line_key(y, width), self.marked)

    def _paint_line(self, y: int, width: int) -> Strip:
        strip = super()._paint_line(y, width)
        if not self.marked or width < 2:
            return strip
        edge = Line(1, self.ui.styles, self._ground)
        edge.put(0, self.ui.glyphs.guide, Role.ACCENT)
        return Strip.join([edge.strip(), strip.crop(1, width)])

    def selectable(self, row: int) -> bool:
        """Always False: there is no cursor."""
        return False

    def action_cursor_down(self) -> None:
        """Scrolls down one line."""
        self._scroll(self.top + 1)

    def action_cursor_up(self) -> None:
        """Scrolls up one line."""
        self._scroll(self.top - 1)

    def action_cursor_page_down(self) -> None:
        """Scrolls down one page."""
        self._scroll(self.top + max(1, self._lines_for_rows - 1))

    def action_cursor_page_up(self) -> None:
        """Scrolls up one page."""
        self._scroll(self.top - max(1, self._lines_for_rows - 1))

    def action_cursor_first(self) -> None:
        """Scrolls to the beginning."""
        self._scroll(0)

    def action_cursor_last(self) -> None:
        """Scrolls to the end."""
        self._scroll(self.row_count)
