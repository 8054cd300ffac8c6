"""The command palette: all commands, with reasons for unavailable ones."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.fuzzy import Matcher
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widgets import Input

from inspector.text.measure import cell_width, clip
from inspector.ui.command_screen import CommandScreen, PaneHelp
from inspector.ui.commands import EVERYWHERE, LISTS, Command, Keys
from inspector.ui.context import ui_of
from inspector.ui.lines import Line
from inspector.ui.palette import Ground, Role
from inspector.ui.widgets.line_list import LineList
from inspector.ui.widgets.prompt_input import PromptInput


@dataclass(frozen=True, slots=True)
class Offer:
    """A command with its label, its key, and why it is unavailable."""

    command: Command
    label: str
    key: str
    reason: str | None


def offers(keys: Keys, screen: CommandScreen) -> list[Offer]:
    """Returns the commands of a screen and the application; available ones first."""
    here = screen.here()
    found = []
    for command in keys.of(screen.SCOPE, EVERYWHERE):
        label = _label(command, keys, here)
        if command.in_palette and LISTS not in command.places and label:
            key = keys.all_shown(command.id).partition(" ")[0]
            found.append(Offer(command, label, key, screen.disabled_reason(command.id)))
    return sorted(found, key=lambda offer: offer.reason is not None)


def _label(command: Command, keys: Keys, here: PaneHelp | None) -> str:
    """Returns the label in the active part; empty if the command does nothing there.

    Commands whose keys form a pair share a label: `older, newer`, or one for both.
    """
    if here is None or command.id not in here.foreign:
        return command.label
    for name, word in here.words.items():
        own, _, beside = word.partition(", ")
        if name == command.id:
            one = command.with_key_of is None
            said = word if one else own if beside else f"{own}, back"
        elif keys[name].with_key_of == command.id:
            said = beside or f"{own}, on"
        else:
            continue
        return said[:1].upper() + said[1:]
    return ""


def matching(every: Sequence[Offer], text: str) -> list[Offer]:
    """Returns the offers that match the input, best first."""
    if not text.strip():
        return list(every)
    matcher = Matcher(text.strip())
    scored = [(matcher.match(offer.label), offer) for offer in every]
    kept = [(score, offer) for score, offer in scored if score > 0]
    kept.sort(key=lambda pair: pair[0], reverse=True)
    return [offer for _, offer in kept]


class OfferList(LineList):
    """Commands with their keys at the right."""

    SHOWS_POSITION = False

    def __init__(self, every: Sequence[Offer]) -> None:
        super().__init__(id="offers")
        self.offers = list(every)

    def show(self, found: Sequence[Offer]) -> None:
        """Shows matching commands."""
        self.offers = list(found)
        self.rows_changed(0 if found else -1)

    @property
    def row_count(self) -> int:
        """The number of matching commands."""
        return len(self.offers)

    def version(self, row: int) -> Hashable:
        """The command."""
        return (self.offers[row].command.id, self.offers[row].reason)

    def paint(self, row: int, width: int, cursor: bool, hover: bool, focused: bool) -> Strip:
        """Draws a command."""
        offer, glyphs = self.offers[row], self.ui.glyphs
        ground = Ground.SELECT if cursor else Ground.HOVER if hover else Ground.RAISED
        line = Line(width, self.ui.styles, ground)
        if cursor:
            line.put(0, glyphs.cursor, Role.ACCENT)
        key = glyphs.plain(offer.key)
        room = width - 4 - cell_width(key) - 2
        role = Role.MUTED if offer.reason else Role.STRONG if cursor else Role.TEXT
        text = offer.label
        line.put(2, clip(glyphs.plain(text), room, ellipsis=glyphs.cut), role)
        left = room - line.cells
        if offer.reason and left > 8:
            line.add(clip(offer.reason, left, ellipsis=glyphs.cut), Role.FAINT, skip=3)
        line.right(width - 2, key, Role.MUTED)
        return line.strip()

    def rest(self, width: int) -> Line:
        """Draws an empty line below the last command."""
        return Line(width, self.ui.styles, Ground.RAISED)


class PaletteField(PromptInput):
    """The search field."""

    EXIT_KEYS = ("enter", "escape", "up", "down", "pageup", "pagedown", "ctrl+p")
    SURROUND = Ground.RAISED


class PaletteScreen(ModalScreen[str | None]):
    """The palette; its result is the id of the chosen command."""

    ALLOW_SELECT = False

    def __init__(self, keys: Keys, behind: CommandScreen) -> None:
        super().__init__()
        self._offers = offers(keys, behind)

    def compose(self) -> ComposeResult:
        """Yields the search field and the list."""
        with Vertical(id="palette", classes="-ascii" if ui_of(self).glyphs.ascii else None):
            yield PaletteField(":", "Esc cancel", id="wanted")
            yield OfferList(self._offers)

    def on_mount(self) -> None:
        """Shows all commands."""
        self.query_one(PaletteField).focus()
        self.query_one(OfferList).show(self._offers)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        self.query_one(OfferList).show(matching(self._offers, event.value))

    @on(PromptInput.Exited)
    def _field_exited(self, event: PromptInput.Exited) -> None:
        lines = self.query_one(OfferList)
        if event.key in _MOVES:
            lines.action_command(_MOVES[event.key])
        elif event.key == "enter":
            self._choose()
        else:
            self.dismiss(None)

    @on(LineList.Chosen)
    def _choose(self) -> None:
        lines = self.query_one(OfferList)
        if 0 <= lines.cursor < len(lines.offers):
            self.dismiss(lines.offers[lines.cursor].command.id)


_MOVES = {
    "up": "cursor.up",
    "down": "cursor.down",
    "pageup": "cursor.page-up",
    "pagedown": "cursor.page-down",
}
