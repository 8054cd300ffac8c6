"""Long lists: rows are drawn when they are seen, and again only when they changed."""

from __future__ import annotations

from collections.abc import Hashable

from textual import events
from textual.cache import LRUCache
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.theme import Theme

from inspector.ui.commands import LIST_COMMANDS, LISTS, Keys, perform
from inspector.ui.kit import Kit, kit_of
from inspector.ui.paint import Line

KEPT_STRIPS = 4096
_DEFAULT_KEYS = Keys(LIST_COMMANDS)


class LineList(ScrollView, can_focus=True):
    """A list of any length with a cursor. A subclass says how many rows there are, what makes
    one row's picture different from another's (`version`), and how it is drawn (`paint`).

    Its first line can be a head that never scrolls away (`has_head`, `paint_head`).
    """

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    LineList {
        scrollbar-size: 0 0;
        overflow-x: hidden;
        overflow-y: scroll;
    }
    """

    class Moved(Message):
        """The cursor came to another row, or to none (-1)."""

        def __init__(self, lines: LineList, row: int) -> None:
            super().__init__()
            self.lines = lines
            self.row = row

        @property
        def control(self) -> LineList:
            """The list."""
            return self.lines

    class Chosen(Message):
        """A row that has the cursor was clicked again, which means Enter."""

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
        """Rows drawn since the list exists: what a frame costs is counted, not timed."""
        self._strips: LRUCache[Hashable, Strip] = LRUCache(KEPT_STRIPS)
        self._on_screen: dict[int, Hashable] = {}

    # What a subclass says

    @property
    def row_count(self) -> int:
        """How many rows there are."""
        return 0

    @property
    def has_head(self) -> bool:
        """Whether the first line is a head that stays."""
        return False

    def paint(self, row: int, width: int, cursor: bool, hover: bool, focused: bool) -> Strip:
        """One row, exactly `width` cells."""
        return Line(width, self.kit.roles).strip()

    def paint_head(self, width: int, top: int) -> Strip:
        """The head, given the topmost visible row."""
        return Line(width, self.kit.roles).strip()

    def rest(self, width: int) -> Line:
        """An empty line below the last row."""
        return Line(width, self.kit.roles)

    def version(self, row: int) -> Hashable:
        """Everything that a row's picture depends on, beside width, cursor, hover and focus."""
        return row

    def head_version(self, top: int) -> Hashable:
        """Everything that the head's picture depends on."""
        return top

    def selectable(self, row: int) -> bool:
        """Whether the cursor may stand on a row."""
        return True

    # What a subclass and its screen use

    @property
    def kit(self) -> Kit:
        """Styles, signs, keys, clock and zone."""
        return kit_of(self)

    @property
    def top(self) -> int:
        """The topmost visible row."""
        return int(self.scroll_offset.y)

    @property
    def visible_rows(self) -> range:
        """The rows that are on the screen."""
        return range(self.top, min(self.row_count, self.top + self._lines_for_rows))

    def rows_changed(self, cursor: int | None = None, *, screen_line: int | None = None) -> None:
        """Draws what differs after rows changed, were added or went away.

        `cursor` is the row that the cursor belongs to now; with `screen_line` that row stays on
        that line of the list.
        """
        if cursor is not None:
            self.cursor = cursor
        self.cursor = min(self.cursor, self.row_count - 1)
        size = Size(max(1, self.size.width), self.row_count + self._head)
        if size != self.virtual_size:
            self.virtual_size = size
        if screen_line is not None and self.cursor >= 0:
            self._scroll(self.cursor - screen_line)
        self.repaint()

    def repaint(self) -> None:
        """Draws the visible lines that differ from what is on the screen."""
        width, height = self.size
        if not width or not self.is_mounted:
            return
        changed = [
            Region(0, y, width, 1)
            for y in range(height)
            if self._on_screen.get(y) != self._line_key(y, width)
        ]
        if changed:
            self.refresh(*changed)

    def move_to(self, row: int, *, tell: bool = True) -> None:
        """Puts the cursor on a row and that row on the screen."""
        if not 0 <= row < self.row_count:
            return
        moved = row != self.cursor
        self.cursor = row
        self.show_row(row)
        self.repaint()
        if moved and tell:
            self.post_message(self.Moved(self, row))

    def show_row(self, row: int) -> None:
        """Scrolls as little as needed to show a row."""
        lines = self._lines_for_rows
        if row < self.top:
            first = row
            while first and not self.selectable(first - 1):
                first -= 1
            self._scroll(first if row - first < lines else row)
        elif lines and row >= self.top + lines:
            self._scroll(row - lines + 1)

    def screen_line_of(self, row: int) -> int:
        """On which line of the list a row is."""
        return row - self.top

    # Moving

    def action_command(self, name: str) -> None:
        """Runs a command of the list."""
        for command in LIST_COMMANDS:
            if command.id == name:
                perform(self, command)

    def action_cursor_down(self) -> None:
        """One row down."""
        self._step(self.cursor + 1, 1)

    def action_cursor_up(self) -> None:
        """One row up."""
        self._step(self.cursor - 1, -1)

    def action_cursor_page_down(self) -> None:
        """One page down."""
        self._step(min(self.row_count - 1, self.cursor + max(1, self._lines_for_rows - 1)), 1, -1)

    def action_cursor_page_up(self) -> None:
        """One page up."""
        self._step(max(0, self.cursor - max(1, self._lines_for_rows - 1)), -1, 1)

    def action_cursor_first(self) -> None:
        """First row."""
        self._step(0, 1)
        self._scroll(0)

    def action_cursor_last(self) -> None:
        """Last row."""
        self._step(self.row_count - 1, -1)

    def _step(self, row: int, *directions: int) -> None:
        """Goes to `row`, or to the next one that can be selected in one of the directions."""
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
    def _lines_for_rows(self) -> int:
        return max(0, self.size.height - self._head)

    def _scroll(self, row: int) -> None:
        last = max(0, self.row_count - self._lines_for_rows)
        self.scroll_to(y=min(max(0, row), last), animate=False, immediate=True)

    def _line_key(self, y: int, width: int) -> Hashable:
        epoch = self.kit.epoch
        if self.has_head and y == 0:
            return ("head", self.head_version(self.top), width, epoch)
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
            return self.paint_head(width, self.top)
        row = self.top + y - self._head
        if row >= self.row_count:
            return self.rest(width).strip()
        self.painted += 1
        cursor = row == self.cursor
        return self.paint(row, width, cursor, row == self.hover, cursor and self.has_focus)

    def on_mount(self) -> None:
        """Takes the keys for moving, and learns of changes of the theme."""
        keys = self.kit.keys
        self._bindings = (keys if keys.of(LISTS) else _DEFAULT_KEYS).bindings(LISTS)
        self.app.theme_changed_signal.subscribe(self, self._on_theme)

    def _on_theme(self, theme: Theme) -> None:
        self.refresh()

    def on_resize(self) -> None:
        """Keeps the cursor on the screen."""
        self._on_screen.clear()
        self.virtual_size = Size(max(1, self.size.width), self.row_count + self._head)
        if self.cursor >= 0:
            self.show_row(self.cursor)

    def on_focus(self) -> None:
        """The cursor looks different with focus."""
        self.repaint()

    def on_blur(self) -> None:
        """The cursor looks different without focus."""
        self.repaint()

    def row_at(self, y: int) -> int:
        """The row on line `y` of the widget, or -1."""
        row = self.top + y - self._head
        inside = y >= self._head and 0 <= row < self.row_count
        return row if inside and self.selectable(row) else -1

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Shows what is under the mouse."""
        self._hover_over(self.row_at(event.y))

    def on_leave(self) -> None:
        """Nothing is under the mouse any more."""
        self._hover_over(-1)

    def _hover_over(self, row: int) -> None:
        if row != self.hover:
            self.hover = row
            self.repaint()

    def on_click(self, event: events.Click) -> None:
        """Puts the cursor on the row; on the row that has it already, it means Enter."""
        row = self.row_at(event.y)
        if row < 0:
            return
        if row == self.cursor:
            self.post_message(self.Chosen(self, row))
        else:
            self.move_to(row)
