"""Help: keys of the previous screen, and meanings of the glyphs of its selected row."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.strip import Strip

from inspector.text.measure import clip
from inspector.ui.command_screen import CommandScreen, GlyphMeaning, PaneHelp
from inspector.ui.commands import EVERYWHERE, LISTS, Command, Keys
from inspector.ui.lines import NARROW, Line, margin, wrapped
from inspector.ui.palette import Ground, Role, ThemeStyles
from inspector.ui.widgets.frame import Footer, Header, Piece
from inspector.ui.widgets.line_list import LineList

SIDE_BY_SIDE = 100
"""Minimum width, in columns, for glyphs beside the keys."""
KEY_CELLS = 16


@dataclass(frozen=True, slots=True)
class HelpLine:
    """A heading (neither key nor glyph), a key with its command, or a glyph with its meaning."""

    text: str
    key: str = ""
    sign: str = ""
    role: Role = Role.TEXT
    quiet: bool = False


def key_lines(keys: Keys, place: str, screen: CommandScreen) -> list[HelpLine]:
    """Returns the commands of the active part, its screen, lists and the application."""
    here = screen.here()
    lines = [] if here is None else _lines_here(keys, here, screen)
    labelled = frozenset[str]() if here is None else here.foreign | here.words.keys()
    for where, title in ((place, place), (LISTS, "lists"), (EVERYWHERE, "everywhere")):
        commands = [one for one in keys.of(where) if one.listed and one.id not in labelled]
        if not commands:
            continue
        if lines:
            lines.append(HelpLine(""))
        lines.append(HelpLine(title, role=Role.MUTED))
        lines += [_command(keys, command, screen) for command in commands]
    return lines


def _lines_here(keys: Keys, here: PaneHelp, screen: CommandScreen) -> list[HelpLine]:
    """Returns the footer hints of the active part, including those that did not fit."""
    lines = [HelpLine(here.title, role=Role.MUTED)]
    for name, word in here.words.items():
        if name in here.foreign and keys.shown(name):
            label = word[:1].upper() + word[1:]
            lines.append(_line(label, keys.shown(name), "", screen.disabled_reason(name)))
        elif keys.keys(name):
            lines.append(_command(keys, keys[name], screen))
    return lines


def _command(keys: Keys, command: Command, screen: CommandScreen) -> HelpLine:
    key = keys.all_shown(command.id) or "no key"
    return _line(command.label, key, command.help, screen.disabled_reason(command.id))


def _line(label: str, key: str, more: str, reason: str | None) -> HelpLine:
    said = more if reason is None else reason
    return HelpLine(f"{label}. {said}" if said else label, key=key, quiet=reason is not None)


def glyph_lines(explained: Sequence[GlyphMeaning]) -> list[HelpLine]:
    """Returns the glyphs of the selected row."""
    if not explained:
        return []
    lines = [HelpLine("signs of the selected row", role=Role.MUTED)]
    lines += [HelpLine(item.meaning, sign=item.sign, role=item.role) for item in explained]
    return lines


class HelpText(LineList):
    """Scrolling help text, without a cursor."""

    def __init__(self, keys: list[HelpLine], glyphs: list[HelpLine]) -> None:
        super().__init__(id="help")
        self._keys = keys
        self._glyph_lines = glyphs
        self._lines: list[Strip] = []
        self._width = 0

    @property
    def row_count(self) -> int:
        """The number of lines."""
        return len(self._lines)

    def version(self, row: int) -> Hashable:
        """Constant: the text does not change while it is open."""
        return row

    def paint(self, row: int, width: int, cursor: bool, hover: bool, focused: bool) -> Strip:
        """Draws a line."""
        return self._lines[row]

    def selectable(self, row: int) -> bool:
        """Always False: there is no cursor."""
        return False

    def on_resize(self) -> None:
        """Wraps the text to the new width."""
        width = self.size.width
        if width and width != self._width:
            self._width = width
            self._lines = self._broken(width)
            self.rows_changed()

    def _broken(self, width: int) -> list[Strip]:
        styles, cut, edge = self.ui.styles, self.ui.glyphs.cut, margin(width)
        if width < SIDE_BY_SIDE or not self._glyph_lines:
            both = [*self._glyph_lines, *([HelpLine("")] if self._glyph_lines else []), *self._keys]
            return _column(both, width, edge, styles, cut)
        middle = width * 3 // 5
        left = _column(self._keys, middle, edge, styles, cut)
        right = _column(self._glyph_lines, width - middle, 1, styles, cut)
        blank = [Line(middle, styles).strip(), Line(width - middle, styles).strip()]
        height = max(len(left), len(right))
        left += [blank[0]] * (height - len(left))
        right += [blank[1]] * (height - len(right))
        return [Strip.join(pair) for pair in zip(left, right, strict=True)]

    def action_cursor_down(self) -> None:
        """Scrolls down one line."""
        self._scroll(self.top + 1)

    def action_cursor_up(self) -> None:
        """Scrolls up one line."""
        self._scroll(self.top - 1)

    def action_cursor_page_down(self) -> None:
        """Scrolls down one page."""
        self._scroll(self.top + self.size.height - 1)

    def action_cursor_page_up(self) -> None:
        """Scrolls up one page."""
        self._scroll(self.top - self.size.height + 1)

    def action_cursor_last(self) -> None:
        """Scrolls to the end."""
        self._scroll(self.row_count)


def _column(
    lines: Sequence[HelpLine], width: int, edge: int, styles: ThemeStyles, cut: str
) -> list[Strip]:
    strips: list[Strip] = []
    cells = KEY_CELLS if width >= NARROW else 10
    for item in lines:
        at = edge + (cells if item.key else 2 if item.sign else 0)
        broken = wrapped(item.text, width - at - 2, 4, cut) or [""]
        for number, text in enumerate(broken):
            line = Line(width, styles, Ground.BG)
            if number == 0 and item.key:
                key = clip(item.key, cells - 1, ellipsis=cut)
                line.put(edge, key, Role.MUTED if item.quiet else Role.TEXT, bold=not item.quiet)
            if number == 0 and item.sign:
                line.put(edge, item.sign, item.role)
            heading = not item.key and not item.sign
            role = item.role if heading else Role.MUTED if item.quiet else Role.TEXT
            line.put(at, text, role)
            strips.append(line.strip())
    return strips


class HelpScreen(CommandScreen):
    """Help for the screen below it."""

    SCOPE = "help"
    HINTS: ClassVar[tuple[str, ...]] = ("back", "exit")
    HELP_HINT = ""

    def __init__(self, below: CommandScreen) -> None:
        super().__init__()
        self._screen_below = below

    def compose(self) -> ComposeResult:
        """Yields header, text and footer."""
        keys, glyphs = self.ui.keys, self.ui.glyphs
        below = self._screen_below
        lines = key_lines(keys, below.SCOPE, below)
        plain = [
            HelpLine(glyphs.plain(x.text), glyphs.plain(x.key), x.sign, x.role, x.quiet)
            for x in lines
        ]
        yield Header()
        yield HelpText(plain, glyph_lines(below.explain()))
        yield Footer()

    def on_mount(self) -> None:
        """Names the screen in the header."""
        self.query_one(HelpText).focus()
        pieces = [
            Piece("Inspector", Role.MUTED),
            Piece("/", Role.FAINT, 1),
            Piece("help", Role.STRONG, 1),
            Piece(self._screen_below.SCOPE, Role.MUTED, 3),
        ]
        self.query_one(Header).show(pieces)
