"""The application: takes what the feed delivers and hands it to the screen in front."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from time import monotonic

from textual.app import App
from textual.message import Message
from textual.timer import Timer

from inspector.live.feed import Feed, Overview
from inspector.live.feed import Message as Delivered
from inspector.model.clock import Clock, system_clock
from inspector.ui.all_commands import all_keys
from inspector.ui.commands import EVERYWHERE, perform
from inspector.ui.kit import PlainSettings, ScreenSettings, kit_for_terminal
from inspector.ui.palette import DARK, style_variables, themes
from inspector.ui.runs.screen import RunsScreen
from inspector.ui.screen import CommandScreen
from inspector.ui.stylesheet import stylesheets

LOCAL_INTERVAL, SSH_INTERVAL = 0.1, 0.25
"""Seconds between two updates of the screen, on this machine and over SSH."""


class FeedMessage(Message):
    """Something that the feed delivered; a newer one of the same kind replaces it in the queue."""

    def __init__(self, delivered: Delivered) -> None:
        super().__init__()
        self.delivered = delivered

    @property
    def subject(self) -> str:
        """What it tells of: the list, or one run."""
        return "" if isinstance(self.delivered, Overview) else self.delivered.run.key

    def can_replace(self, message: Message) -> bool:
        """Whether `message`, which came later, makes this one needless."""
        return isinstance(message, FeedMessage) and message.subject == self.subject


class InspectorApp(App[None]):
    """Inspector's screen over a feed."""

    TITLE = "Inspector"
    ENABLE_COMMAND_PALETTE = False

    def __init__(
        self,
        feed: Feed,
        settings: ScreenSettings | None = None,
        clock: Clock | None = None,
        place: str = "",
        notices: Sequence[str] = (),
        environ: Mapping[str, str] | None = None,
    ) -> None:
        environ = os.environ if environ is None else environ
        super().__init__(css_path=list(stylesheets()))
        self.feed = feed
        self.place = place
        chosen = settings or PlainSettings()
        keys = all_keys(chosen.keys)
        self.kit = kit_for_terminal(chosen, keys, clock or system_clock(), environ)
        self.notices = (*notices, *keys.notices)
        self.overview: Overview | None = None
        self.animation_level = "none"
        for theme in themes():
            self.register_theme(theme)
        self.theme = self.kit.roles.palette.name
        self._bindings = keys.bindings(EVERYWHERE)
        self._interval = SSH_INTERVAL if environ.get("SSH_CONNECTION") else LOCAL_INTERVAL
        self._waiting: dict[str, Delivered] = {}
        self._shown_at = -self._interval
        self._timer: Timer | None = None

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Colours for a theme that is not one of ours."""
        return style_variables(DARK)

    def on_mount(self) -> None:
        """Shows the list and starts the feed."""
        self.push_screen(RunsScreen(self.feed, self.place))
        self.feed.start(self._deliver)

    def _deliver(self, delivered: Delivered) -> None:
        """Called from the feed's threads."""
        try:
            self.post_message(FeedMessage(delivered))
        except RuntimeError:
            # The loop has ended while a reader was still at work.
            return

    def on_feed_message(self, message: FeedMessage) -> None:
        """Shows what arrived, at most so many times a second."""
        self._waiting[message.subject] = message.delivered
        if isinstance(message.delivered, Overview):
            self.overview = message.delivered
        if self._timer is not None:
            return
        wait = self._shown_at + self._interval - monotonic()
        if wait <= 0:
            self._show_waiting()
        else:
            self._timer = self.set_timer(wait, self._show_waiting)

    def _show_waiting(self) -> None:
        self._timer = None
        self._shown_at = monotonic()
        waiting, self._waiting = self._waiting, {}
        with self.batch_update():
            for delivered in waiting.values():
                if isinstance(self.screen, CommandScreen):
                    self.screen.receive(delivered)

    def action_command(self, name: str) -> None:
        """Runs a command of the whole application, or says why that is not possible now."""
        screen = self.screen
        if isinstance(screen, CommandScreen):
            screen.action_command(name)
        else:
            perform(self, self.kit.keys[name])

    def action_zone(self) -> None:
        """Shows times in the other zone."""
        name = self.kit.next_zone()
        screen = self.screen
        for each in self.screen_stack:
            if isinstance(each, CommandScreen):
                each.zone_changed()
        if isinstance(screen, CommandScreen):
            screen.say(f"Times are in {name}.")

    def action_exit(self) -> None:
        """Ends the application."""
        self.exit()


def run_app(
    feed: Feed,
    settings: ScreenSettings | None = None,
    clock: Clock | None = None,
    place: str = "",
    notices: Sequence[str] = (),
) -> None:
    """Opens the screen and returns when it was closed; the feed is stopped then."""
    app = InspectorApp(feed, settings, clock, place, notices)
    try:
        app.run()
    finally:
        feed.stop()
