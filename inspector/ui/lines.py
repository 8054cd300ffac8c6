"""Lines of the screen: built from segments, redrawn only when changed."""

from __future__ import annotations

from rich.segment import Segment
from rich.style import Style
from textual.app import App
from textual.geometry import Region
from textual.strip import Strip
from textual.theme import Theme
from textual.widget import Widget

from inspector.text.measure import cell_width, clip, clusters
from inspector.ui.context import UiContext, ui_of
from inspector.ui.palette import Ground, Role, ThemeStyles

NARROW = 60
"""Minimum width, in columns, for two panes and a wider margin."""


def margin(width: int) -> int:
    """Empty columns at each side of the screen."""
    return 2 if width >= NARROW else 1


def gap(width: int) -> int:
    """Columns between the fields of a line."""
    return 3 if width >= NARROW else 2


class Line:
    """A line of `width` cells on one ground, written from left to right.

    Text must be escaped (`Glyphs.safe`). A gap joins the segment before it, because fewer segments
    draw faster.
    """

    __slots__ = ("_pieces", "cells", "ground", "styles", "width")

    def __init__(self, width: int, styles: ThemeStyles, ground: Ground = Ground.BG) -> None:
        self.width = width
        self.styles = styles
        self.ground = ground
        self.cells = 0
        self._pieces: list[tuple[str, Style]] = []

    def put(
        self,
        column: int,
        text: str,
        role: Role = Role.TEXT,
        *,
        bold: bool = False,
        underline: bool = False,
    ) -> int:
        """Writes `text` at a column, or after the existing text; returns its end."""
        style = self.styles.style(role, self.ground, bold=bold, underline=underline)
        return self.put_style(column, text, style)

    def add(self, text: str, role: Role = Role.TEXT, *, skip: int = 0, bold: bool = False) -> int:
        """Writes `text` after `skip` empty cells; returns its end."""
        return self.put(self.cells + skip, text, role, bold=bold)

    def right(self, end: int, text: str, role: Role = Role.TEXT) -> int:
        """Writes `text` right-aligned, ending before column `end`; returns `end`."""
        return self.put(end - cell_width(text), text, role)

    def put_style(self, column: int, text: str, style: Style) -> int:
        """Like `put`, with an explicit style."""
        self._space(column)
        if not text or self.cells >= self.width:
            return self.cells
        wide = cell_width(text)
        if self.cells + wide > self.width:
            text = clip(text, self.width - self.cells, ellipsis="")
            wide = cell_width(text)
        self._append(text, style)
        self.cells += wide
        return self.cells

    def strip(self) -> Strip:
        """Returns the finished line."""
        self._space(self.width)
        return Strip([Segment(text, style) for text, style in self._pieces], self.width)

    def _space(self, column: int) -> None:
        missing = min(column, self.width) - self.cells
        if missing <= 0:
            return
        fill = self.styles.style(Role.TEXT, self.ground)
        if self._pieces and not self._pieces[-1][1].underline:
            fill = self._pieces[-1][1]
        self._append(" " * missing, fill)
        self.cells += missing

    def _append(self, text: str, style: Style) -> None:
        if self._pieces and self._pieces[-1][1] == style:
            self._pieces[-1] = (self._pieces[-1][0] + text, style)
        else:
            self._pieces.append((text, style))


class LineWidget(Widget):
    """A widget that draws lines, and redraws only those that changed."""

    ALLOW_SELECT = False
    DEFAULT_CSS = "LineWidget { height: 1; }"

    def __init__(
        self, *, name: str | None = None, id: str | None = None, classes: str | None = None
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._drawn: dict[int, Strip] = {}

    @property
    def ui(self) -> UiContext:
        """Styles, glyphs, keys, clock and zone."""
        return ui_of(self)

    def paint_line(self, y: int, width: int) -> Strip:
        """Draws line `y` of the widget, exactly `width` cells."""
        return self.line(width).strip()

    def line(self, width: int, ground: Ground = Ground.BG) -> Line:
        """Creates an empty line."""
        return Line(width, self.ui.styles, ground)

    def repaint(self) -> None:
        """Redraws lines that changed."""
        if not self.is_mounted or not self.size.width:
            return
        width, height = self.size
        changed = [
            Region(0, y, width, 1)
            for y in range(height)
            if self._drawn.get(y) != self.paint_line(y, width)
        ]
        if changed:
            self.refresh(*changed)

    def render_line(self, y: int) -> Strip:
        """Draws one line for Textual."""
        strip = self._drawn[y] = self.paint_line(y, self.size.width)
        return strip

    def on_mount(self) -> None:
        """Subscribes to theme changes."""
        self.app.theme_changed_signal.subscribe(self, self._on_theme)

    def on_unmount(self) -> None:
        """Unsubscribes, because the signal would keep the widget alive until the program exits."""
        self.app.theme_changed_signal.unsubscribe(self)

    def _on_theme(self, theme: Theme) -> None:
        self.refresh()


def ansi_rule(app: App[object], width: int, ground: Ground = Ground.BG) -> Strip:
    """A rule at the start of a raised area, for themes in which grounds look the same."""
    found = getattr(app, "ui", None)
    ui = found if isinstance(found, UiContext) else UiContext()
    line = Line(width, ui.styles, ground)
    line.put(0, ui.glyphs.rule * width, Role.GUIDE)
    return line.strip()


def wrapped(text: str, cells: int, most: int, cut: str = "…") -> list[str]:
    """Wraps escaped `text` to at most `most` lines of at most `cells` cells; clips the rest."""
    if cells <= 0 or most <= 0:
        return []
    lines: list[str] = []
    rest = text.strip()
    while rest and len(lines) < most - 1:
        taken = _line(rest, cells)
        if not taken:
            break
        lines.append(taken.rstrip())
        rest = rest[len(taken) :].lstrip()
    if rest:
        lines.append(clip(rest, cells, ellipsis=cut))
    return lines


def _line(text: str, cells: int) -> str:
    """Returns the beginning of a text that fits, up to a space if there is one."""
    used = end = 0
    space = 0
    for cluster, wide in clusters(text):
        if used + wide > cells:
            break
        used += wide
        end += len(cluster)
        if cluster == " ":
            space = end
    if end == len(text) or cell_width(text) <= cells:
        return text
    # The word ends exactly at the edge of the line.
    return text[:end] if text[end : end + 1] == " " or not space else text[:space]
