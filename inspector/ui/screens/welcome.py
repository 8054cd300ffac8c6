"""Empty state: where Inspector searched, and what to do next."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.strip import Strip

from inspector.live.feed import Looked, Message, Overview
from inspector.model.store import Health
from inspector.text.measure import cell_width, clip
from inspector.ui.command_screen import CommandScreen
from inspector.ui.commands import Command
from inspector.ui.lines import Line, margin, wrapped
from inspector.ui.palette import Ground, Role
from inspector.ui.widgets.frame import Footer, Header, Piece
from inspector.ui.widgets.line_list import LineList
from inspector.ui.widgets.prompt_input import PromptInput

WELCOME = "nothing"
WELCOME_COMMANDS = (
    Command("choose", "Run the selected action", ("enter",), (WELCOME,), hint="choose"),
    Command(
        "demonstration",
        "Live demo",
        ("d",),
        (WELCOME,),
        help="It is made in a private folder and removed when Inspector ends.",
    ),
    Command("open-folder", "Look in another folder", ("o",), (WELCOME,)),
)
BLOCK_CELLS = 60
OUTCOME_CELLS = 24
TITLE = "No runs here yet"
SENTENCE = "The first one appears by itself as soon as it starts."


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice: the command, its label, and a note."""

    command: str
    label: str
    note: str = ""


Entry = str | Looked | Choice


class WelcomeList(LineList):
    """A centred block of text with choices at its end."""

    def __init__(self) -> None:
        super().__init__(id="nothing")
        self._looked: tuple[Looked, ...] = ()
        self._choices: tuple[Choice, ...] = ()
        self._rows: list[Entry] = []

    def show(self, looked: Sequence[Looked], choices: Sequence[Choice]) -> None:
        """Shows the searched places and the choices."""
        self._looked, self._choices = tuple(looked), tuple(choices)
        self._fill()

    @property
    def choice(self) -> Choice | None:
        """The selected choice."""
        entry = self._rows[self.cursor] if 0 <= self.cursor < len(self._rows) else None
        return entry if isinstance(entry, Choice) else None

    def _fill(self) -> None:
        before = self.choice
        height = self.size.height
        rows = self._block([""] * 2)
        if len(rows) > height:
            rows = self._block([""])
        if len(rows) > height:
            # Scroll the searched places rather than the choices.
            looked: list[Entry] = ["looked in", *self._looked] if self._looked else []
            rows = [TITLE, *self._choices, *looked]
        above = max(0, (height + 2 - len(rows)) // 2 - 1)
        self._rows = [""] * above + rows
        choices = [row for row, entry in enumerate(self._rows) if isinstance(entry, Choice)]
        same = [row for row in choices if self._rows[row] == before]
        self.rows_changed((same or choices or [-1])[0])
        if self.cursor >= 0:
            self.show_row(self.cursor)

    def _block(self, apart: list[str]) -> list[Entry]:
        looked: list[Entry] = [*apart, "looked in", *self._looked] if self._looked else []
        return [TITLE, *self._sentence(), *looked, *apart, *self._choices]

    def _sentence(self) -> list[str]:
        return wrapped(SENTENCE, max(1, self.size.width - 2 * margin(self.size.width)), 3)

    @property
    def row_count(self) -> int:
        """The number of lines, including the empty ones above the block."""
        return len(self._rows)

    def selectable(self, row: int) -> bool:
        """Only choices can be selected."""
        return isinstance(self._rows[row], Choice)

    def version(self, row: int) -> Hashable:
        """The text of the line."""
        return self._rows[row]

    def on_resize(self) -> None:
        """Centres the block again."""
        self._fill()

    def paint(self, row: int, width: int, cursor: bool, hover: bool, focused: bool) -> Strip:
        """Draws a line of the block."""
        entry, styles, glyphs = self._rows[row], self.ui.styles, self.ui.glyphs
        centred = width > BLOCK_CELLS
        start = (width - BLOCK_CELLS) // 2 if centred else 0
        cells = min(BLOCK_CELLS, width - margin(width))
        ground = Ground.SELECT if cursor else Ground.HOVER if hover else Ground.BG
        inner = cells if ground is not Ground.BG else width - start - margin(width)
        line = Line(inner, styles, ground)
        text = 4 if centred else margin(width)
        if isinstance(entry, Choice):
            if cursor:
                line.put(0, glyphs.cursor, Role.ACCENT)
            line.put(2, self.ui.keys.shown(entry.command), bold=True)
            line.put(4, glyphs.plain(entry.label), Role.STRONG if cursor else Role.TEXT)
            self._outcome(line, entry.note, 4)
        elif isinstance(entry, Looked):
            line.put(text, clip(glyphs.safe(entry.place), inner - 6, ellipsis=glyphs.cut))
            self._outcome(line, glyphs.safe(entry.outcome), text)
        else:
            role = Role.STRONG if entry == TITLE else Role.MUTED
            line.put(text, clip(entry, inner - text, ellipsis=glyphs.cut), role)
        around = Line(start, styles).strip()
        return Strip.join([around, line.strip(), Line(width - start - inner, styles).strip()])

    def _outcome(self, line: Line, text: str, start: int) -> None:
        at = max(start + OUTCOME_CELLS if line.width > 50 else start + 22, line.cells + 2)
        room = line.width - at
        if room >= min(8, cell_width(text)):
            line.put(at, clip(text, room, ellipsis=self.ui.glyphs.cut), Role.MUTED)


class WelcomeScreen(CommandScreen):
    """The first screen if there are no runs."""

    SCOPE = WELCOME
    HINTS: ClassVar[tuple[str, ...]] = ("choose", "exit")
    HELP_HINT = ""

    def __init__(self, overview: Overview, place: str, openers: Sequence[str]) -> None:
        super().__init__()
        self._overview = overview
        self._place = place
        self._openers = frozenset(openers)

    def compose(self) -> ComposeResult:
        """Yields header, block, folder field (hidden) and footer."""
        yield Header()
        yield WelcomeList()
        field = PromptInput("open", "Enter open · Esc cancel", id="folder")
        field.display = False
        yield field
        yield Footer()

    def on_mount(self) -> None:
        """Shows the searched places."""
        pieces = [
            Piece("Inspector", Role.STRONG),
            Piece(self.ui.glyphs.safe(self._place), Role.MUTED, 3),
        ]
        self.query_one(Header).show(pieces, right="watching")
        self.query_one(WelcomeList).focus()
        self._show()

    def on_screen_resume(self) -> None:
        """Closes itself if a run appeared while another screen was active."""
        overview = getattr(self.app, "overview", None)
        if isinstance(overview, Overview) and overview.runs:
            self.dismiss()

    def receive(self, message: Message) -> None:
        """Shows further searched places."""
        if isinstance(message, Overview):
            self._overview = message
            self._show()

    def _show(self) -> None:
        choices = []
        if "demonstration" in self._openers:
            choices.append(Choice("demonstration", "demonstration", "sample runs, live"))
        if "open-folder" in self._openers:
            choices.append(Choice("open-folder", "open another folder"))
        unread = sum(store.health is not Health.OK for store in self._overview.stores)
        if unread or self._overview.notices:
            choices.append(Choice("problems", _why(unread)))
        choices.append(Choice("help", "help"))
        self.query_one(WelcomeList).show(self._overview.looked, choices)

    def disabled_reason(self, name: str) -> str | None:
        """Returns why a command is unavailable."""
        known = {command.id for command in WELCOME_COMMANDS} - {"choose"}
        if name in known and name not in self._openers:
            return "This is not possible here."
        return None

    @on(LineList.Chosen)
    def action_choose(self) -> None:
        """Runs the selected choice."""
        choice = self.query_one(WelcomeList).choice
        if choice is not None:
            self.run_command(self.ui.keys[choice.command])

    def action_back(self) -> None:
        """Does nothing: this is the first screen."""
        self.show_message(f"There is nothing to go back to; {self.ui.keys.shown('exit')} quits.")

    def action_open_folder(self) -> None:
        """Opens the field for a folder to search."""
        field = self.query_one("#folder", PromptInput)
        field.display = True
        field.focus()

    @on(PromptInput.Exited)
    def _field_exited(self, event: PromptInput.Exited) -> None:
        event.field.display = False
        self.query_one(WelcomeList).focus()
        if event.key == "enter" and event.field.value.strip():
            open_folder = getattr(self.app, "open_folder", None)
            if open_folder is not None:
                open_folder(event.field.value.strip())


def _why(unread: int) -> str:
    if unread == 0:
        return "what could not be searched"
    return (
        "why this file is not a store"
        if unread == 1
        else f"why these {unread} files are not stores"
    )
