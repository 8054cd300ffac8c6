"""A one-line input field, drawn like the rest of the screen."""

from __future__ import annotations

from collections.abc import Sequence

from textual.binding import Binding
from textual.message import Message
from textual.strip import Strip
from textual.widgets import Input

from inspector.text.escape import visible
from inspector.text.measure import cell_width, clusters
from inspector.ui.context import UiContext, ui_of
from inspector.ui.lines import Line, margin
from inspector.ui.palette import Ground, Role

_LEAST_FOR_HINT = 30


class PromptInput(Input):
    """An input field: a label, the text, and how to leave it."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    PromptInput, PromptInput:focus {
        border: none;
        height: 1;
        padding: 0;
        background: $ground-bg;
    }
    """
    EXIT_KEYS: tuple[str, ...] = ("enter", "escape")
    """Keys that leave the field."""
    SURROUND: Ground = Ground.BG
    """The ground of the field."""

    class Exited(Message):
        """A key that leaves the field was pressed."""

        def __init__(self, field: PromptInput, key: str) -> None:
            super().__init__()
            self.field = field
            self.key = key

        @property
        def control(self) -> PromptInput:
            """The field."""
            return self.field

    def __init__(self, prompt: str, hint: str, *, id: str) -> None:
        super().__init__(id=id, select_on_focus=False, compact=True)
        self.cursor_blink = False
        self._prompt = prompt
        self._hint = hint

    @property
    def ui(self) -> UiContext:
        """Styles, glyphs, keys, clock and zone."""
        return ui_of(self)

    def on_mount(self) -> None:
        """Binds the keys that leave the field."""
        for key in self.EXIT_KEYS:
            # Private to Textual: `BINDINGS` cannot differ between two instances.
            self._bindings.key_to_bindings[key] = [Binding(key, f"leave({key!r})", show=False)]

    def action_leave(self, key: str) -> None:
        """Posts `Exited`."""
        self.post_message(self.Exited(self, key))

    def render_line(self, y: int) -> Strip:
        """Draws the field between the margins."""
        width = self.size.width
        edge = margin(width)
        blank = Line(edge, self.ui.styles, self.SURROUND).strip()
        return Strip.join([blank, self.draw(max(1, width - 2 * edge)), blank])

    def draw(self, room: int) -> Strip:
        """Draws the field in `width` cells."""
        glyphs = self.ui.glyphs
        line = Line(room, self.ui.styles, Ground.FIELD)
        start = cell_width(self._prompt) + 1
        line.put(0, self._prompt, Role.ACCENT)
        hint = glyphs.plain(self._hint) if room >= _LEAST_FOR_HINT else ""
        end = room - (cell_width(hint) + 3 if hint else 1)
        before, under, after = self._parts()
        line.put(start, glyphs.plain(_tail(before, max(0, end - start - 1))))
        if under:
            line.put(line.cells, glyphs.plain(under), underline=self.has_focus)
            line.add(_head(glyphs.plain(after), max(0, end - line.cells)))
        elif self.has_focus:
            line.add(glyphs.caret, Role.ACCENT)
        line.right(room - 1, hint, Role.MUTED)
        return line.strip()

    def _parts(self) -> tuple[str, str, str]:
        """Returns the escaped text before, under and after the cursor."""
        at = self.cursor_position if self.has_focus else len(self.value)
        value = self.value
        return visible(value[:at]), visible(value[at : at + 1]), visible(value[at + 1 :])


def _tail(text: str, cells: int) -> str:
    """Returns the end of a text that fits."""
    parts: Sequence[tuple[str, int]] = list(clusters(text))
    wide = sum(cell for _, cell in parts)
    first = 0
    while first < len(parts) and wide > cells:
        wide -= parts[first][1]
        first += 1
    return "".join(part for part, _ in parts[first:])


def _head(text: str, cells: int) -> str:
    """Returns the beginning of a text that fits."""
    kept: list[str] = []
    used = 0
    for part, wide in clusters(text):
        if used + wide > cells:
            break
        kept.append(part)
        used += wide
    return "".join(kept)
