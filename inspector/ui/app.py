"""The application: receives deliveries of the feed and passes them to the active screen."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

from textual.app import App
from textual.message import Message

from inspector.config.settings import Settings
from inspector.live.feed import Feed, Overview, Reading
from inspector.live.feed import Message as Delivered
from inspector.model.clock import Clock, system_clock
from inspector.ui.command_screen import CommandScreen, OpenRun
from inspector.ui.commands import EVERYWHERE, perform
from inspector.ui.context import ui_for_terminal
from inspector.ui.keymap import all_keys
from inspector.ui.palette import DARK, style_variables, themes
from inspector.ui.screens.runs.screen import RunsScreen
from inspector.ui.stylesheet import stylesheets

Opener = Callable[[], tuple[Feed, str]]
"""Creates a feed and describes its source. Raises OSError or ValueError with a sentence."""


class FeedMessage(Message):
    """A delivery of the feed; a newer one with the same subject replaces it in the queue."""

    def __init__(self, delivered: Delivered) -> None:
        super().__init__()
        self.delivered = delivered

    @property
    def subject(self) -> str:
        """The subject: the list, one run, or the progress of reading one."""
        if isinstance(self.delivered, Overview):
            return ""
        if isinstance(self.delivered, Reading):
            return f"reading {self.delivered.key}"
        return self.delivered.run.key

    def can_replace(self, message: Message) -> bool:
        """True if the later `message` makes this one obsolete."""
        return isinstance(message, FeedMessage) and message.subject == self.subject


class InspectorApp(App[None]):
    """The Inspector screen over a feed."""

    TITLE = "Inspector"
    ENABLE_COMMAND_PALETTE = False

    def __init__(
        self,
        feed: Feed,
        settings: Settings | None = None,
        clock: Clock | None = None,
        place: str = "",
        notices: Sequence[str] = (),
        environ: Mapping[str, str] | None = None,
        demonstration: Opener | None = None,
        folder: Callable[[str], tuple[Feed, str]] | None = None,
        *,
        paint_first: bool = False,
    ) -> None:
        environ = os.environ if environ is None else environ
        self.settings = chosen = settings or Settings()
        keys = all_keys(chosen.keys)
        self.ui = ui_for_terminal(chosen, keys, clock or system_clock(), environ)
        palette = self.ui.styles.palette
        # Textual applies NO_COLOR here, before the theme is known.
        super().__init__(css_path=list(stylesheets()), ansi_color=palette.ansi)
        self.feed = feed
        self.place = place
        self._demonstration = demonstration
        self._folder = folder
        self._paint_first = paint_first
        self.notices = (*notices, *keys.notices)
        self.overview: Overview | None = None
        self.fault: Exception | None = None
        """The exception that ended the screen, if any."""
        self.animation_level = "none"
        for theme in themes():
            self.register_theme(theme)
        self.set_reactive(App.ansi_color, None)
        self.theme = palette.name
        # Private to Textual: `BINDINGS` is fixed at class level and cannot follow the settings.
        self._bindings = keys.bindings(EVERYWHERE)
        self._nothing: CommandScreen | None = None
        """The empty-state screen, once it was needed."""
        self._queued: dict[str, FeedMessage] | None = None
        """Deliveries queued while the screen is suspended, the newest of each subject."""

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Returns colours for themes other than ours."""
        return style_variables(DARK)

    def on_mount(self) -> None:
        """Shows the list, then starts the feed; after the first paint if starting is expensive."""
        self.push_screen(RunsScreen(self.feed, self.place))
        if self._paint_first:
            self.call_after_refresh(self._start)
        else:
            self._start()

    def _start(self) -> None:
        self.feed.start(self._receiver())

    def _receiver(self) -> Callable[[Delivered], None]:
        """Returns the callback for the feed's threads."""
        feed = self.feed

        def deliver(delivered: Delivered) -> None:
            # A replaced feed, or one whose loop has ended, may still have a reader running.
            if feed is self.feed:
                message, queued = FeedMessage(delivered), self._queued
                if queued is not None:
                    queued[message.subject] = message
                    return
                with suppress(RuntimeError):
                    self.post_message(message)

        return deliver

    @contextmanager
    def deliveries_paused(self) -> Iterator[None]:
        """Queues only the newest delivery per subject while the screen is suspended."""
        queued: dict[str, FeedMessage] = {}
        self._queued = queued
        try:
            yield
        finally:
            self._queued = None
            for message in queued.values():
                self.post_message(message)

    def on_feed_message(self, message: FeedMessage) -> None:
        """Passes a delivery to the active screen; the feed limits the rate."""
        delivered = message.delivered
        if isinstance(delivered, Overview):
            self.overview = delivered
        front = self.screen
        if isinstance(front, CommandScreen):
            front.receive(delivered)
        if isinstance(delivered, Overview):
            self._nothing_or_runs(delivered)

    def on_open_run(self, message: OpenRun) -> None:
        """Opens the screen of a run."""
        # Imported late, so that the list is painted first.
        from inspector.ui.screens.run.screen import RunScreen

        self.push_screen(RunScreen(self.feed, message.run))

    def _nothing_or_runs(self, overview: Overview) -> None:
        screen = self.screen
        if overview.runs and isinstance(screen, CommandScreen) and screen is self._nothing:
            screen.dismiss()
        elif isinstance(screen, RunsScreen) and not overview.runs and not overview.loading:
            # Imported late, so that the list is painted first.
            from inspector.ui.screens.welcome import WelcomeScreen

            openers = {"demonstration": self._demonstration, "open-folder": self._folder}
            able = [name for name, opener in openers.items() if opener is not None]
            self._nothing = WelcomeScreen(overview, self.place, able)
            self.push_screen(self._nothing)

    def action_command(self, name: str) -> None:
        """Runs an application command, or says why it is unavailable."""
        screen = self.screen
        if isinstance(screen, CommandScreen):
            screen.action_command(name)
        else:
            perform(self, self.ui.keys[name])

    def action_zone(self) -> None:
        """Switches to the next time zone."""
        name = self.ui.next_zone()
        screen = self.screen
        for each in self.screen_stack:
            if isinstance(each, CommandScreen):
                each.on_zone_changed()
        if isinstance(screen, CommandScreen):
            screen.show_message(f"Times are in {name}.")

    def action_help(self) -> None:
        """Opens the help of the active screen."""
        from inspector.ui.screens.help import HelpScreen

        if isinstance(self.screen, CommandScreen):
            self.push_screen(HelpScreen(self.screen))

    def action_problems(self) -> None:
        """Opens the list of all findings."""
        from inspector.ui.screens.problems import ProblemsScreen

        self.push_screen(ProblemsScreen(self.overview, self.notices))

    def action_resume(self) -> None:
        """Opens the resume dialog for the screen's run."""
        # Imported late: not needed to paint the list.
        from inspector.config.folders import state_dir
        from inspector.ui.screens.resume.screen import ResumeScreen

        screen = self.screen
        run = screen.subject if isinstance(screen, CommandScreen) else None
        if run is None or not isinstance(screen, CommandScreen):
            return
        try:
            folder = state_dir()
        except OSError as problem:
            screen.show_message(
                self.ui.glyphs.safe(f"There is no private folder for launches: {problem}")
            )
            return
        self.push_screen(ResumeScreen(self.feed, run, self.settings, folder))

    def action_pnl(self) -> None:
        """Opens profit and loss of the screen's run."""
        # Imported late: not needed to paint the list.
        from inspector.ui.pnl.commands import why_no_pnl
        from inspector.ui.pnl.screen import PnlScreen

        screen = self.screen
        if not isinstance(screen, CommandScreen):
            return
        run = screen.subject
        reason = why_no_pnl(run)
        if run is None or reason is not None:
            screen.show_message(reason or "")
            return
        self.push_screen(PnlScreen(self.feed, run))

    def action_palette(self) -> None:
        """Opens the command palette."""
        from inspector.ui.screens.command_palette import PaletteScreen

        behind = self.screen
        if not isinstance(behind, CommandScreen):
            return

        def run(name: str | None) -> None:
            if name is not None:
                behind.action_command(name)

        self.push_screen(PaletteScreen(self.ui.keys, behind), run)

    def action_demonstration(self) -> None:
        """Replaces the feed with one over the live demo."""
        if self._demonstration is not None:
            self.run_worker(self._exchange(self._demonstration), exclusive=True)

    def open_folder(self, path: str) -> None:
        """Replaces the feed with one over another folder."""
        make = self._folder
        if make is not None:
            self.run_worker(self._exchange(lambda: make(path)), exclusive=True)

    async def _exchange(self, opener: Opener) -> None:
        try:
            feed, place = await asyncio.to_thread(opener)
        except (OSError, ValueError) as problem:
            if isinstance(self.screen, CommandScreen):
                self.screen.show_message(self.ui.glyphs.safe(str(problem)))
            return
        before, self.feed, self.place = self.feed, feed, place
        self.overview = None
        await asyncio.to_thread(before.stop)
        while len(self.screen_stack) > 1:
            await self.pop_screen()
        await self.push_screen(RunsScreen(feed, place))
        feed.start(self._receiver())

    # Private to Textual, which would print a traceback with the values of local variables.
    def _handle_exception(self, error: Exception) -> None:
        """Ends the screen with a sentence: a traceback would print untrusted values from memory."""
        if self.is_headless:
            super()._handle_exception(error)
            return
        self.fault = self.fault or error
        self.exit(return_code=1)

    def action_exit(self) -> None:
        """Ends the application."""
        self.exit()


def run_app(
    feed: Feed,
    settings: Settings | None = None,
    clock: Clock | None = None,
    place: str = "",
    notices: Sequence[str] = (),
    *,
    demonstration: Opener | None = None,
    folder: Callable[[str], tuple[Feed, str]] | None = None,
) -> Exception | None:
    """Runs the screen until it is closed, stops the feed, and returns the exception that ended it.

    `demonstration` and `folder` create another feed on request; they may block.
    """
    app = InspectorApp(
        feed,
        settings,
        clock,
        place,
        notices,
        demonstration=demonstration,
        folder=folder,
        paint_first=True,
    )
    try:
        app.run(mouse=settings is None or settings.mouse)
    finally:
        app.feed.stop()
    return app.fault
