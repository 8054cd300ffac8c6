"""What every screen shares: keys from declared commands, reasons for what cannot be done now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.message import Message as Request
from textual.screen import Screen
from textual.timer import Timer

from inspector.live.feed import Message
from inspector.model.run import Run
from inspector.ui.commands import Command, perform
from inspector.ui.context import UiContext, ui_of
from inspector.ui.lines import NARROW
from inspector.ui.palette import Role
from inspector.ui.widgets.frame import READ_ONLY, Footer

SAID_FOR = 5.0
"""Seconds that a sentence stands in the footer."""


class OpenRun(Request):
    """Somebody wants to see a run."""

    def __init__(self, run: Run) -> None:
        super().__init__()
        self.run = run


@dataclass(frozen=True, slots=True)
class GlyphMeaning:
    """A sign of the selected row, in words (safe text)."""

    sign: str
    meaning: str
    role: Role


@dataclass(frozen=True, slots=True)
class PaneHelp:
    """The part of a screen that is in front, and what commands do there."""

    title: str
    words: Mapping[str, str]
    """A word or two by the command's id; the most important first."""
    foreign: frozenset[str] = frozenset()
    """Commands whose own words are about another part: without a word here they do nothing."""


class CommandScreen(Screen[None]):
    """A screen whose keys are the commands that name its `SCOPE`."""

    ALLOW_SELECT = False
    AUTO_FOCUS = None
    SCOPE: ClassVar[str] = ""
    HINTS: ClassVar[tuple[str, ...]] = ()
    """Commands in the footer, the most important first."""
    HELP_HINT: ClassVar[str] = "help"

    # Textual annotates these so that a checker sees instance variables.
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (NARROW, "-middle"), (100, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [  # noqa: RUF012
        (0, "-low"),
        (20, "-short"),
        (30, "-tall"),
        (45, "-very-tall"),
    ]

    _saying: Timer | None = None

    @property
    def ui(self) -> UiContext:
        """Styles, signs, keys, clock and zone."""
        return ui_of(self)

    @property
    def subject(self) -> Run | None:
        """The run that commands about a run are for."""
        return None

    def on_mount(self) -> None:
        """Takes its keys and fills its footer."""
        # Private to Textual: `BINDINGS` cannot depend on the settings.
        self._bindings = self.ui.keys.bindings(self.SCOPE)
        self.refresh_bindings()
        self.show_hints()

    def receive(self, message: Message) -> None:
        """Takes what the feed delivered, while this screen is in front."""

    def explain(self) -> Sequence[GlyphMeaning]:
        """The signs of the selected row in words, for the help."""
        return ()

    def on_zone_changed(self) -> None:
        """Called when times are shown in another zone."""

    def open_run(self, run: Run) -> None:
        """Asks the application for the screen of a run."""
        self.app.post_message(OpenRun(run))

    def disabled_reason(self, name: str) -> str | None:
        """Why a command cannot be done now, as a sentence; None when it can."""
        return None

    def hints(self) -> tuple[str, ...]:
        """The commands in the footer now."""
        return self.HINTS

    def here(self) -> PaneHelp | None:
        """What commands do in the part that is in front; None where it says nothing of its own."""
        return None

    def show_hints(self, right: str = READ_ONLY) -> None:
        """Fills the footer."""
        for footer in self.query(Footer):
            keys = self.ui.keys
            last = keys.hints([self.HELP_HINT])
            footer.show(keys.hints(self.hints()), last[0] if last else None, right)

    def action_command(self, name: str) -> None:
        """Runs a command, or says why that is not possible now."""
        self.run_command(self.ui.keys[name])

    def run_command(self, command: Command) -> None:
        """Runs a command of this screen or of the application, or says why not."""
        reason = self.disabled_reason(command.id)
        if reason:
            self.show_message(reason)
            return
        self.show_message("")
        for target in (*self.command_targets(), self.app):
            if perform(target, command):
                return

    def command_targets(self) -> tuple[object, ...]:
        """The objects that may have the method of a command, before the application."""
        return (self,)

    def action_back(self) -> None:
        """Goes back to the screen behind."""
        self.dismiss()

    def show_message(self, sentence: str) -> None:
        """Shows a sentence in the footer for a few seconds. Safe text only."""
        if self._saying is not None:
            self._saying.stop()
            self._saying = None
        for footer in self.query(Footer):
            footer.show_message(sentence)
        if sentence:
            self._saying = self.set_timer(SAID_FOR, lambda: self.show_message(""))
