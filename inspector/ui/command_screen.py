"""Base of every screen: keys from declared commands, and reasons for unavailable ones."""

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
"""Seconds that a message stays in the footer."""


class OpenRun(Request):
    """Request to open a run."""

    def __init__(self, run: Run) -> None:
        super().__init__()
        self.run = run


@dataclass(frozen=True, slots=True)
class GlyphMeaning:
    """A glyph of the selected row and its meaning (escaped text)."""

    sign: str
    meaning: str
    role: Role


@dataclass(frozen=True, slots=True)
class PaneHelp:
    """The active part of a screen, and what commands do there."""

    title: str
    words: Mapping[str, str]
    """Labels by command id, most important first."""
    foreign: frozenset[str] = frozenset()
    """Commands that are unavailable here unless they have a label above."""


class CommandScreen(Screen[None]):
    """A screen whose keys are the commands that name its `SCOPE`."""

    ALLOW_SELECT = False
    AUTO_FOCUS = None
    SCOPE: ClassVar[str] = ""
    HINTS: ClassVar[tuple[str, ...]] = ()
    """Commands in the footer, most important first."""
    HELP_HINT: ClassVar[str] = "help"

    # Textual declares these without ClassVar, and an override must match.
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
        """Styles, glyphs, keys, clock and zone."""
        return ui_of(self)

    @property
    def subject(self) -> Run | None:
        """The run that commands apply to."""
        return None

    def on_mount(self) -> None:
        """Binds the keys and fills the footer."""
        # Private to Textual: `BINDINGS` is fixed at class level and cannot follow the settings.
        self._bindings = self.ui.keys.bindings(self.SCOPE)
        self.refresh_bindings()
        self.show_hints()

    def receive(self, message: Message) -> None:
        """Receives a delivery of the feed while this screen is active."""

    def explain(self) -> Sequence[GlyphMeaning]:
        """Returns the glyphs of the selected row with their meanings, for the help."""
        return ()

    def on_zone_changed(self) -> None:
        """Called when the time zone changes."""

    def open_run(self, run: Run) -> None:
        """Requests the screen of a run."""
        self.app.post_message(OpenRun(run))

    def disabled_reason(self, name: str) -> str | None:
        """Returns why a command is unavailable, as a sentence; None if it is available."""
        return None

    def hints(self) -> tuple[str, ...]:
        """Returns the commands in the footer."""
        return self.HINTS

    def here(self) -> PaneHelp | None:
        """Returns what commands do in the active part; None if it has no labels of its own."""
        return None

    def show_hints(self, right: str = READ_ONLY) -> None:
        """Fills the footer."""
        for footer in self.query(Footer):
            keys = self.ui.keys
            last = keys.hints([self.HELP_HINT])
            footer.show(keys.hints(self.hints()), last[0] if last else None, right)

    def action_command(self, name: str) -> None:
        """Runs a command, or says why it is unavailable."""
        self.run_command(self.ui.keys[name])

    def run_command(self, command: Command) -> None:
        """Runs a command of this screen or the application, or says why it is unavailable."""
        reason = self.disabled_reason(command.id)
        if reason:
            self.show_message(reason)
            return
        self.show_message("")
        for target in (*self.command_targets(), self.app):
            if perform(target, command):
                return

    def command_targets(self) -> tuple[object, ...]:
        """Returns the objects that may have a command's method, before the application."""
        return (self,)

    def action_back(self) -> None:
        """Returns to the previous screen."""
        self.dismiss()

    def show_message(self, sentence: str) -> None:
        """Shows a message in the footer for a few seconds. Escaped text only."""
        if self._saying is not None:
            self._saying.stop()
            self._saying = None
        for footer in self.query(Footer):
            footer.show_message(sentence)
        if sentence:
            self._saying = self.set_timer(SAID_FOR, lambda: self.show_message(""))
