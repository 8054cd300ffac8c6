"""Virtual list: draws only visible rows, and redraws only rows that changed."""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar

from textual import events
from textual.cache import LRUCache
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.theme import Theme

from inspector.ui.commands import LIST_COMMANDS, LISTS, Keys, perform
from inspector.ui.context import UiContext, ui_of
from inspector.ui.lines import Line, margin
from inspector.ui.palette import Role

KEPT_STRIPS = 4096
LEAST_WITH_FOOT = 4
"""Minimum height, in lines, for a footer; a lower list uses all lines for rows."""
_DEFAULT_KEYS = Keys(LIST_COMMANDS)


class LineList(ScrollView, can_focus=True):
    """List of any length with a cursor. Subclasses define `row_count`, `version` and `paint`.

    `version` identifies how a row looks; a row is redrawn when it changes. The first line can be a
    fixed head (`has_head`, `paint_head`). If not all rows fit, the position is shown at the right
    of the head, or in a footer line if the head has no room for it.
    """

    ALLOW_SELECT = False
    SHOWS_POSITION: ClassVar[bool] = True
    """True to show the position; a list as tall as its rows has no need to."""
    DEFAULT_CSS = """
    LineList {
        scrollbar-size: 0 0;
        overflow-x: hidden;
        overflow-y: scroll;
    }
    """

    class Moved(Message):
        """The cursor moved to another row, or to none (-1)."""

        def __init__(self, lines: LineList, row: int) -> None:
            super().__init__()
            self.lines = lines
            self.row = row

        @property
        def control(self) -> LineList:
            """The list."""
            return self.lines

    class Chosen(Message):
        """The row under the cursor was clicked again, which acts like Enter."""

        def __init__(self, lines: LineList, row: int) -> None:
            super().__init__()
            self.lines = lines
            self.row = row

        @property
        def control(self) -> LineList:
            """The list."""
            return self.lines

    def __init__(
        self, *, name: str | None = None, id: str | None = None, classes: str | None = None
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self.cursor = -1
        self.hover = -1
        self.painted = 0
        """Number of rows drawn so far, for tests of the cost of a frame."""
        self._strips: LRUCache[Hashable, Strip] = LRUCache(KEPT_STRIPS)
        self._on_screen: dict[int, Hashable] = {}
        self._head_room: tuple[Hashable, bool] = (None, False)

    # For subclasses to override

    @property
    def row_count(self) -> int:
        """Number of rows."""
        return 0

    @property
    def has_head(self) -> bool:
        """True if the first line is a fixed head."""
        return False

    def paint(self, row: int, width: int, cursor: bool, hover: bool, focused: bool) -> Strip:
        """Draw one row, exactly `width` cells wide."""
        return Line(width, self.ui.styles).strip()

    def paint_head(self, width: int, top: int) -> Strip:
        """Draw the head; `top` is the topmost visible row."""
        return Line(width, self.ui.styles).strip()

    def rest(self, width: int) -> Line:
        """Draw a blank line below the last row."""
        return Line(width, self.ui.styles)

    def version(self, row: int) -> Hashable:
        """Return all that a row's look depends on, except width, cursor, hover and focus."""
        return row

    def head_version(self, top: int) -> Hashable:
        """Return all that the head's look depends on."""
        return top

    def selectable(self, row: int) -> bool:
        """True if the cursor can be on a row."""
        return True

    def entries(self, rows: int) -> int:
        """Return how many of the first `rows` rows are entries rather than group headings."""
        return rows

    # For subclasses and screens

    @property
    def ui(self) -> UiContext:
        """Styles, glyphs, keys, clock and zone."""
        return ui_of(self)

    @property
    def top(self) -> int:
        """The topmost visible row."""
        return int(self.scroll_offset.y)

    @property
    def visible_rows(self) -> range:
        """Number of rows on screen."""
        return range(self.top, min(self.row_count, self.top + self._lines_for_rows))

    @property
    def position_text(self) -> str:
        """Last visible row of the total; empty if all rows fit."""
        lines = self.size.height - self._head
        if lines <= 0 or self.row_count <= lines:
            return ""
        return self._far(self.entries(self.visible_rows.stop), self.entries(self.row_count))

    def _far(self, last: int, count: int) -> str:
        return f"{last:,} of {count:,}"

    def rows_changed(self, cursor: int | None = None, *, screen_line: int | None = None) -> None:
        """Redraw what differs after rows were added, changed or removed.

        `cursor` is the new row of the cursor; with `screen_line` that row stays on that line.
        """
        if cursor is not None:
            self.cursor = cursor
        self.cursor = min(self.cursor, self.row_count - 1)
        self._measure()
        if screen_line is not None and self.cursor >= 0:
            self._scroll(self.cursor - screen_line)
        self.repaint()

    def repaint(self) -> None:
        """Redraw the visible lines that differ from the screen."""
        width, height = self.size
        if not width or not self.is_mounted:
            return
        self._measure()
        changed = [
            Region(0, y, width, 1)
            for y in range(height)
            if self._on_screen.get(y) != self._line_key(y, width)
        ]
        if changed:
            self.refresh(*changed)

    def move_to(self, row: int, *, notify: bool = True) -> None:
        """Move the cursor to a row and scroll it into view."""
        if not 0 <= row < self.row_count:
            return
        moved = row != self.cursor
        self.cursor = row
        self.show_row(row)
        self.repaint()
        if moved and notify:
            self.post_message(self.Moved(self, row))

    def show_row(self, row: int) -> None:
        """Scroll as little as needed to show a row."""
        lines = self._lines_for_rows
        if row < self.top:
            first = row
            while first and not self.selectable(first - 1):
                first -= 1
            self._scroll(first if row - first < lines else row)
        elif lines and row >= self.top + lines:
            self._scroll(row - lines + 1)

    def screen_line_of(self, row: int) -> int:
        """Return the line of the list that a row is on."""
        return row - self.top

    # Moving

    def action_command(self, name: str) -> None:
        """Run a command of the list and dismiss notices about the previous row."""
        show_message = getattr(self.screen, "show_message", None)
        if show_message is not None:
            show_message("")
        perform(self, next(command for command in LIST_COMMANDS if command.id == name))

    def action_cursor_down(self) -> None:
        """Move one row down."""
        self._step(self.cursor + 1, 1)

    def action_cursor_up(self) -> None:
        """Move one row up."""
        self._step(self.cursor - 1, -1)

    def action_cursor_page_down(self) -> None:
        """Move one page down."""
        self._step(min(self.row_count - 1, self.cursor + max(1, self._lines_for_rows - 1)), 1, -1)

    def action_cursor_page_up(self) -> None:
        """Move one page up."""
        self._step(max(0, self.cursor - max(1, self._lines_for_rows - 1)), -1, 1)

    def action_cursor_first(self) -> None:
        """Move to the first row."""
        self._step(0, 1)
        self._scroll(0)

    def action_cursor_last(self) -> None:
        """Move to the last row."""
        self._step(self.row_count - 1, -1)

    def _step(self, row: int, *directions: int) -> None:
        """Move to `row`, or to the nearest selectable row in one of the directions."""
        for direction in directions:
            candidate = row
            while 0 <= candidate < self.row_count:
                if self.selectable(candidate):
                    self.move_to(candidate)
                    return
                candidate += direction

    # Textual

    @property
    def _head(self) -> int:
        return 1 if self.has_head else 0

    @property
    def _foot(self) -> int:
        """Footer lines: one if the head has no room for the position."""
        width, height = self.size
        if not self.SHOWS_POSITION or height < LEAST_WITH_FOOT:
            return 0
        if self.row_count <= height - self._head or self._has_head_room(width):
            return 0
        return 1

    def _has_head_room(self, width: int) -> bool:
        if not self.has_head:
            return False
        longest = len(self._far(*[self.entries(self.row_count)] * 2))
        key = (self.head_version(0), width, longest, self.ui.epoch)
        if self._head_room[0] != key:
            start = max(0, width - margin(width) - longest - 2)
            free = not self.paint_head(width, 0).crop(start, width).text.strip()
            self._head_room = (key, free)
        return self._head_room[1]

    @property
    def _lines_for_rows(self) -> int:
        return max(0, self.size.height - self._head - self._foot)

    def _measure(self) -> None:
        lines = self.row_count + self._head + self._foot
        size = Size(max(1, self.size.width), lines)
        if size != self.virtual_size:
            self.virtual_size = size

    def _scroll(self, row: int) -> None:
        last = max(0, self.row_count - self._lines_for_rows)
        self.scroll_to(y=min(max(0, row), last), animate=False, immediate=True)

    def _line_key(self, y: int, width: int) -> Hashable:
        epoch = self.ui.epoch
        if self.has_head and y == 0:
            far = self.position_text if self.SHOWS_POSITION else ""
            return ("head", self.head_version(self.top), width, epoch, far)
        if self._foot and y == self.size.height - 1:
            return ("foot", self.position_text, width, epoch, self.has_focus)
        row = self.top + y - self._head
        if row >= self.row_count:
            return ("blank", width, epoch)
        cursor = row == self.cursor
        return (
            self.version(row),
            width,
            cursor,
            row == self.hover,
            cursor and self.has_focus,
            epoch,
        )

    def render_line(self, y: int) -> Strip:
        """Draws one line for Textual."""
        width = self.size.width
        key = self._on_screen[y] = self._line_key(y, width)
        strip = self._strips.get(key)
        if strip is None:
            strip = self._strips[key] = self._paint_line(y, width)
        return strip

    def _paint_line(self, y: int, width: int) -> Strip:
        if self.has_head and y == 0:
            return self._paint_top(width)
        if self._foot and y == self.size.height - 1:
            line = self.rest(width)
            line.right(width - margin(width), self.position_text, Role.MUTED)
            return line.strip()
        row = self.top + y - self._head
        if row >= self.row_count:
            return self.rest(width).strip()
        self.painted += 1
        cursor = row == self.cursor
        return self.paint(row, width, cursor, row == self.hover, cursor and self.has_focus)

    def _paint_top(self, width: int) -> Strip:
        head, far = self.paint_head(width, self.top), self.position_text
        if not far or not self.SHOWS_POSITION or not self._has_head_room(width):
            return head
        end = width - margin(width)
        line = Line(width - (end - len(far)), self.ui.styles)
        line.put(0, far, Role.MUTED)
        return Strip.join([head.crop(0, end - len(far)), line.strip()])

    def on_mount(self) -> None:
        """Bind the movement keys and subscribe to theme changes."""
        keys = self.ui.keys
        # Private to Textual: `BINDINGS` is fixed at class level and cannot follow the settings.
        self._bindings = (keys if keys.of(LISTS) else _DEFAULT_KEYS).bindings(LISTS)
        self.app.theme_changed_signal.subscribe(self, self._on_theme)

    def on_unmount(self) -> None:
        """Unsubscribe, because the signal would keep the widget alive until the program exits."""
        self.app.theme_changed_signal.unsubscribe(self)

    def _on_theme(self, theme: Theme) -> None:
        self.refresh()

    def on_resize(self) -> None:
        """Keep the cursor visible."""
        self._on_screen.clear()
        self._measure()
        if self.cursor >= 0:
            self.show_row(self.cursor)

    def on_focus(self) -> None:
        """Redraw the cursor with focus."""
        self.repaint()

    def on_blur(self) -> None:
        """Redraw the cursor without focus."""
        self.repaint()

    def row_at(self, y: int) -> int:
        """Return the row on line `y` of the widget, or -1."""
        row = self.top + y - self._head
        inside = 0 <= y - self._head < self._lines_for_rows and row < self.row_count
        return row if inside and self.selectable(row) else -1

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Highlight the row under the mouse."""
        self._hover_over(self.row_at(event.y))

    def on_leave(self) -> None:
        """Clear the hover highlight."""
        self._hover_over(-1)

    def _hover_over(self, row: int) -> None:
        if row != self.hover:
            self.hover = row
            self.repaint()

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to the row; a click on the cursor acts like Enter."""
        row = self.row_at(event.y)
        if row < 0:
            return
        if row == self.cursor:
            self.post_message(self.Chosen(self, row))
        else:
            self.move_to(row)
