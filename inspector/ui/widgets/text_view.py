"""Lines to read on raised ground: there is no cursor, moving scrolls."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from textual.strip import Strip

from inspector.ui.context import UiContext
from inspector.ui.lines import Line
from inspector.ui.palette import Ground, Role
from inspector.ui.widgets.line_list import LineList


class TextBuilder:
    """Lines that are being written one below the other, `width` cells with margins."""

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
        """Stands at the left of every line, where no ground tells the pane from its neighbour."""
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
        """Begins a line."""
        line = Line(self.width, self.ui.styles, self.ground)
        line.put(0, self.edge, Role.GUIDE)
        line.put(self.margin, "")
        self.lines.append(line)
        return line

    def rule(self) -> None:
        """A line through the whole width."""
        line = Line(self.width, self.ui.styles, self.ground)
        line.put(0, self.ui.glyphs.rule * self.width, Role.GUIDE)
        self.lines.append(line)

    def blank(self) -> None:
        """An empty line, unless there is one already or nothing above."""
        if self.lines and self.lines[-1].cells > self.margin:
            self.line()

    def strips(self) -> list[Strip]:
        """The finished lines."""
        return [line.strip() for line in self.lines]


class TextView(LineList):
    """Scrolls through lines; draws those again that differ."""

    def __init__(self, *, id: str, ground: Ground = Ground.RAISED) -> None:
        super().__init__(id=id)
        self._ground = ground
        self._lines: list[Strip] = []

    def show(self, lines: Sequence[Strip], *, keep: bool) -> None:
        """Takes lines; with `keep` it stays scrolled to where it is."""
        top = self.top if keep else 0
        self._lines = list(lines)
        self.rows_changed()
        if top != self.top:
            self._scroll(top)
            self.repaint()

    @property
    def row_count(self) -> int:
        """Lines."""
        return len(self._lines)

    def version(self, row: int) -> Hashable:
        """What is written on the line."""
        return tuple(self._lines[row])

    def paint(self, row: int, width: int, cursor: bool, hover: bool, focused: bool) -> Strip:
        """A line."""
        return self._lines[row].adjust_cell_length(width)

    def _far(self, last: int, count: int) -> str:
        # Lines that were wrapped are no lines that one could count.
        return f"{100 * last // max(1, count)}%"

    def rest(self, width: int) -> Line:
        """An empty line of the pane."""
        line = Line(width, self.ui.styles, self._ground)
        if self.ui.styles.plain and self._beside(width):
            line.put(0, self.ui.glyphs.guide, Role.GUIDE)
        return line

    def _beside(self, width: int) -> bool:
        """Whether something stands at the left, from which no ground tells it apart."""
        return width < self.screen.size.width

    @property
    def marked(self) -> bool:
        """Whether an edge tells that keys go here, and not to the list beside it."""
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
        """There is no cursor."""
        return False

    def action_cursor_down(self) -> None:
        """One line down."""
        self._scroll(self.top + 1)

    def action_cursor_up(self) -> None:
        """One line up."""
        self._scroll(self.top - 1)

    def action_cursor_page_down(self) -> None:
        """One page down."""
        self._scroll(self.top + max(1, self._lines_for_rows - 1))

    def action_cursor_page_up(self) -> None:
        """One page up."""
        self._scroll(self.top - max(1, self._lines_for_rows - 1))

    def action_cursor_first(self) -> None:
        """The beginning."""
        self._scroll(0)

    def action_cursor_last(self) -> None:
        """The end."""
        self._scroll(self.row_count)
