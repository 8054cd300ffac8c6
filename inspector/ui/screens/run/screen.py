"""The screen of one run: follows it, shows past events, and shows its records."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.timer import Timer

from inspector.derive.axis import OrderAxis
from inspector.derive.cursor import next_failure, previous_failure
from inspector.live.feed import Feed, Message, Overview, Reading, Subscription
from inspector.model.run import Run
from inspector.query.view import RunView, Tab
from inspector.ui.clipboard import copy
from inspector.ui.command_screen import CommandScreen, GlyphMeaning, PaneHelp
from inspector.ui.lines import NARROW
from inspector.ui.panes.base import Copy, Pane, SqlPane
from inspector.ui.panes.events import EventsPane
from inspector.ui.panes.position import Position, event_at, position_of
from inspector.ui.panes.queries import RunQueries
from inspector.ui.panes.scrubber import Scrubber
from inspector.ui.panes.step_detail import BESIDE
from inspector.ui.panes.timeline import TimelinePane
from inspector.ui.panes.timeline_list import Timeline
from inspector.ui.panes.timeline_rows import explain
from inspector.ui.screens.run.commands import RUN
from inspector.ui.screens.run.content_actions import SAVE_AS, ContentActions
from inspector.ui.screens.run.head import HeadState, Identity, RunHeader, RunTabs, labels
from inspector.ui.screens.run.hints import (
    ON_TIMELINE_ONLY,
    TABLES,
    RunState,
    disabled_reason,
    footer_hints,
    pane_words,
)
from inspector.ui.screens.run.playback import Playback
from inspector.ui.screens.run.tab_host import TIMELINE, TabHost, make_pane
from inspector.ui.widgets.content_view import ContentView
from inspector.ui.widgets.frame import READ_ONLY, Footer, Tabs
from inspector.ui.widgets.line_list import LineList
from inspector.ui.widgets.prompt_input import PromptInput

PLAY_INTERVAL = 0.4
"""Seconds between two events during playback."""

MAX_SKIPPED_FAILURES = 1_000
"""Consecutive failures of one step that are skipped to reach another step."""

WIDEST = 1_000
"""Columns in which the footer omits nothing."""


class RunFooter(Footer):
    """The footer of a run, with room for more hints."""

    MOST = 10


class RunScreen(CommandScreen):
    """One run in tabs."""

    SCOPE: ClassVar[str] = RUN
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (NARROW, "-middle"), (BESIDE, "-wide")]  # noqa: RUF012

    def __init__(self, feed: Feed, run: Run) -> None:
        super().__init__()
        self.feed = feed
        self.run_shown = run
        self.playback = Playback()
        self.queries = RunQueries(feed, run.key)
        self.tabs = TabHost(self, self._make_pane, self._fill, self._tab_changed)
        self._read_percent: int | None = None
        self._composed = False
        self._initial_step: int | None = None
        """The step on which the timeline opened."""
        self._step_chosen = False
        """True once the user moved the cursor to another step."""
        self._playing: Timer | None = None
        self._step_before_travel = -1

    @cached_property
    def content_actions(self) -> ContentActions:
        """Pager, picture, save."""
        return ContentActions(self, lambda: self.pane)

    @property
    def subject(self) -> Run:
        """The run."""
        return self.run_shown

    @property
    def pane(self) -> Pane:
        """The pane in front."""
        return self.tabs.current

    @property
    def timeline_pane(self) -> TimelinePane:
        """The timeline."""
        return self.tabs.timeline

    def compose(self) -> ComposeResult:
        """Head, tabs, the timeline, footer."""
        yield RunHeader(self.run_shown)
        yield Identity(self.run_shown)
        yield RunTabs()
        yield self.tabs.first()
        yield RunFooter()

    def on_mount(self) -> None:
        """Follows the run."""
        self._composed = True
        self.subscribe()
        self.set_interval(1.0, self._on_second)
        if self.playback.shown is not None:
            self.show_view(self.playback.shown)
        self._show_head()
        self.pane.main.focus()

    def on_screen_resume(self) -> None:
        """Subscribes again: the screen in front may have followed another run."""
        self.subscribe()

    def subscribe(self) -> None:
        """Follows the newest view, or the past event that is shown."""
        self.feed.follow([Subscription(self.run_shown.key, self.playback.at)])

    # Views

    def receive(self, message: Message) -> None:
        """Shows what the feed delivered."""
        if isinstance(message, Overview):
            self._receive_overview(message)
            return
        if isinstance(message, Reading):
            self._receive_progress(message)
            return
        if message.run.key != self.run_shown.key:
            return
        before = self.playback.shown
        is_shown = self.playback.update(message)
        if not self._composed:
            # Shown on mounting.
            return
        if is_shown:
            self.show_view(message, before)
        else:
            self._show_head()

    def _receive_overview(self, overview: Overview) -> None:
        """Updates the head from the list until the run itself is read."""
        if self.playback.shown is None and self._composed:
            key = self.run_shown.key
            self.run_shown = next((run for run in overview.runs if run.key == key), self.run_shown)
            self._show_head()

    def _receive_progress(self, reading: Reading) -> None:
        if reading.key == self.run_shown.key and self._composed:
            self._read_percent = min(99, 100 * reading.done // reading.of)
            self._show_head()

    def show_view(self, view: RunView, before: RunView | None = None) -> None:
        """Shows a view in all tabs, in one repaint."""
        self.run_shown = view.run
        with self.app.batch_update():
            sentence = self.tabs.update(view)
            self.timeline_pane.paused = self.playback.paused
            for pane in self.tabs.ready:
                pane.update(view)
            self._seek_pane()
            self._show_head()
        if sentence is not None:
            self.show_message(sentence)
        if before is None or before.travelling != view.travelling:
            self.show_hints()

    def _position(self) -> Position | None:
        """The selected past event, or the end of the chosen step; None for the present."""
        timeline, view = self.timeline_pane.timeline, self.playback.shown
        if view is None or not 0 <= timeline.step < len(view.steps):
            return None
        step = timeline.index.status_source(timeline.step)
        return position_of(view, step, chosen=self._step_chosen and not timeline.tailing)

    def _seek_pane(self) -> None:
        if self.pane.ready:
            self.pane.seek(self._position())

    @on(LineList.Moved)
    def _cursor_moved(self, message: LineList.Moved) -> None:
        """Records whether the user chose a step other than the initial one."""
        view, timeline = self.playback.shown, self.timeline_pane.timeline
        if message.lines is timeline and view is not None and not view.travelling:
            if self._initial_step is None or view.partial:
                self._initial_step = timeline.step
            elif timeline.step != self._initial_step:
                self._step_chosen = True
            self._seek_pane()
        if self.pane is self.timeline_pane:
            self.show_hints()

    def _on_second(self) -> None:
        if self.is_current and self.pane.ready:
            self.pane.on_second()

    def _show_head(self) -> None:
        view, tabs = self.playback.shown, self.tabs
        on_timeline = tabs.tab.part == TIMELINE.part
        missed, percent = self.playback.missed, self._read_percent
        state = HeadState(view, self.timeline_pane.timed, on_timeline, missed, percent)
        self.query_one(RunHeader).show(self.run_shown, state)
        self.query_one(Identity).show(self.run_shown, state)
        self.query_one(RunTabs).show(labels(tabs.tabs, self.ui.glyphs), tabs.active)

    @on(TimelinePane.AxisChanged)
    def _axis_changed(self) -> None:
        self._show_head()
        self.show_hints()

    # Tabs

    def _make_pane(self, tab: Tab) -> Pane:
        return make_pane(tab, self.queries, self.run_shown)

    def _fill(self, pane: Pane) -> None:
        """Gives a pane that becomes active its position, and its view if it is new."""
        if self.playback.shown is not None and pane.is_new:
            pane.update(self.playback.shown)
        pane.is_new = False
        pane.seek(self._position())

    def _tab_changed(self) -> None:
        self._show_head()
        self.show_hints()

    @on(Tabs.Picked)
    def _tab_clicked(self, event: Tabs.Picked) -> None:
        self._choose_tab(event.index)

    def action_tab(self, number: str) -> None:
        """Opens a tab by its number."""
        self._choose_tab(int(number) - 1)

    def _choose_tab(self, index: int) -> None:
        location = self.pane.source_location() if self.pane.ready else None
        sentence = self.tabs.choose(index, location)
        if sentence is not None:
            self.show_message(sentence)

    def on_key(self, event: events.Key) -> None:
        """Keeps keys for a tab that is loading."""
        if self.tabs.keep_key(event, self.ui.keys):
            event.stop()

    @on(Pane.Loaded)
    def _loaded(self) -> None:
        self.tabs.perform_early()

    # Footer and help

    @property
    def _state(self) -> RunState:
        return RunState(
            self.ui,
            self.run_shown,
            self.playback,
            self.pane,
            self.timeline_pane,
            frozenset(tab.part for tab in self.tabs.tabs),
        )

    def disabled_reason(self, name: str) -> str | None:
        """Why a command is unavailable."""
        return disabled_reason(name, self._state)

    def show_hints(self, right: str = READ_ONLY) -> None:
        """Updates the footer for the pane in front."""
        keys = self.ui.keys
        found = footer_hints(keys, self._state, self.size.width, self.focused)
        last = keys.hints([self.HELP_HINT])
        for footer in self.query(Footer):
            footer.show(found, last[0] if last else None, right)

    @on(ContentView.FormatChanged)
    def _format_changed(self) -> None:
        self.show_hints()

    def on_descendant_focus(self) -> None:
        """Updates the footer for the focused part."""
        self.show_hints()

    def on_resize(self, event: events.Resize) -> None:
        """Updates the footer for the new width."""
        self.show_hints()

    def here(self) -> PaneHelp | None:
        """The labels of the active tab; None on the timeline, where the defaults apply."""
        if self.pane is self.timeline_pane or not self.pane.ready:
            return None
        words = pane_words(self.pane.hints(WIDEST))
        return PaneHelp(self.tabs.tab.title, words, ON_TIMELINE_ONLY)

    def explain(self) -> Sequence[GlyphMeaning]:
        """The glyphs of the selected step."""
        timeline = self.timeline_pane.timeline
        if self.pane is not self.timeline_pane or timeline.cursor < 0 or timeline.view is None:
            return ()
        return explain(timeline.row_model(timeline.cursor), self.ui.glyphs)

    def on_zone_changed(self) -> None:
        """Redraws times."""
        self._show_head()
        for pane in self.tabs.ready:
            pane.redraw()

    # Time travel

    def _travel_to(self, event: int) -> None:
        if self.playback.shown is None:
            return
        if self.playback.at is None:
            self._step_before_travel = self.timeline_pane.timeline.step
        if self.playback.seek(event):
            self.subscribe()
        else:
            self._follow()

    def _follow(self) -> None:
        """Follows again; the cursor returns to the step it was on."""
        self._stop_playing()
        was_travelling = self.playback.shown is not None and self.playback.shown.travelling
        self.playback.follow()
        self.subscribe()
        if was_travelling and self.playback.shown is not None:
            self.timeline_pane.timeline.step = self._step_before_travel
            self.show_view(self.playback.shown)

    def action_travel_back(self) -> None:
        """One event back."""
        self._stop_playing()
        self._travel_to(self.playback.event - 1)

    def action_travel_forward(self) -> None:
        """One event forward."""
        self._stop_playing()
        if self.playback.at is not None:
            self._travel_to(self.playback.event + 1)

    def action_travel_step_back(self) -> None:
        """Back to where a step began."""
        self._stop_playing()
        self._travel_to(self.playback.step_event(forward=False))

    def action_travel_step_forward(self) -> None:
        """Forward to where a step begins."""
        self._stop_playing()
        if self.playback.at is not None:
            self._travel_to(self.playback.step_event(forward=True))

    @on(Scrubber.Picked)
    def _scrubber_clicked(self, message: Scrubber.Picked) -> None:
        timeline, view = self.timeline_pane.timeline, self.playback.live
        if view is None or view.partial:
            return
        self._stop_playing()
        if isinstance(timeline.axis, OrderAxis):
            self._travel_to(timeline.axis.event_at(message.cell))
        else:
            self._travel_to(event_at(view, timeline.axis, message.cell, self.ui.clock()))

    def action_live(self) -> None:
        """Jumps to the live step and follows it."""
        if self.playback.at is not None:
            self._follow()
            return
        if self.playback.paused:
            self.action_pause()
        self.timeline_pane.timeline.go_live()
        self._seek_pane()

    def action_pause(self) -> None:
        """Pauses or resumes updates; while travelling, plays or stops."""
        if self.playback.at is not None:
            if self._playing is None:
                self._playing = self.set_interval(PLAY_INTERVAL, self._play)
            else:
                self._stop_playing()
            return
        self.playback.pause(not self.playback.paused)
        if self.playback.shown is not None:
            self.show_view(self.playback.shown, self.playback.shown)

    def _play(self) -> None:
        shown = self.playback.shown
        if shown is None or self.playback.at is None:
            self._stop_playing()
        elif shown.events == self.playback.at:
            # Only after the previous event was shown: playing never runs ahead of reading.
            self._travel_to(self.playback.event + 1)

    def _stop_playing(self) -> None:
        if self._playing is not None:
            self._playing.stop()
            self._playing = None

    @on(Timeline.Ended)
    def _end_reached(self) -> None:
        if self.playback.at is not None:
            self._follow()

    # Failures

    def action_failure_next(self) -> None:
        """The next step that failed."""
        self._to_failure(forward=True)

    def action_failure_previous(self) -> None:
        """The previous step that failed."""
        self._to_failure(forward=False)

    def _to_failure(self, *, forward: bool) -> None:
        if self.pane.ready and self.pane.has_failures:
            self.pane.to_failure(forward=forward)
            return
        view, timeline = self.playback.shown, self.timeline_pane.timeline
        if view is None or not 0 <= timeline.step < len(view.steps):
            return
        self.tabs.open_part(TIMELINE.part)
        here, failures, steps = timeline.index.canonical(timeline.step), view.failures, view.steps
        event = steps.span_last[here] if forward else steps.first[here] or steps.span_last[here]
        for _ in range(min(len(failures), MAX_SKIPPED_FAILURES)):
            found = (next_failure if forward else previous_failure)(failures, event)
            if found is None:
                return
            event = found
            if timeline.index.canonical(view.step_of_event[event - 1]) != here:
                timeline.go_to(view.step_of_event[event - 1])
                return
        self.show_message("No other failures.")

    # Commands

    def command_targets(self) -> tuple[object, ...]:
        """The screen, the actions on contents, the pane in front."""
        return (self, self.content_actions, self.pane)

    @on(LineList.Chosen)
    def _row_clicked(self) -> None:
        self.pane.action_enter()

    def action_step_of(self) -> None:
        """Goes to the step that wrote the selected value."""
        written_by, view = self.pane.statement(), self.playback.shown
        if written_by is None or view is None:
            return
        step = step_of_statement(view, written_by)
        if step is None:
            self.show_message("No step is recorded for this statement.")
            return
        self.tabs.open_part(TIMELINE.part)
        self.timeline_pane.timeline.go_to(step)

    def action_pane(self) -> None:
        """Focuses the next list."""
        self.focus_next(LineList)

    def action_idle(self) -> None:
        """Shows or hides idle gaps."""
        self.timeline_pane.toggle_idle()

    def action_axis(self) -> None:
        """Time or the order of events."""
        self.timeline_pane.toggle_axis()

    def action_raw(self) -> None:
        """Shows the database row of the selected step."""
        event = self.timeline_pane.row_event if self.pane is self.timeline_pane else None
        raw = self.tabs.open_part("raw")
        if isinstance(raw, EventsPane) and event is not None:
            raw.go_to(event)

    def action_sql(self) -> None:
        """Opens the SQL field."""
        tables = self.tabs.open_part(TABLES)
        if isinstance(tables, SqlPane):
            tables.ask_sql()

    def action_back(self) -> None:
        """Cancels, closes what is open, ends time travel, or goes back to the list."""
        if self.content_actions.cancel() or (self.pane.ready and self.pane.back()):
            return
        if self.playback.at is not None:
            self._follow()
            return
        super().action_back()

    @on(PromptInput.Exited, f"#{SAVE_AS}")
    def _name_entered(self, event: PromptInput.Exited) -> None:
        event.stop()
        self.content_actions.name_entered(event)

    def action_copy_value(self) -> None:
        """Copies the selection."""
        self._copy(self.pane.value_to_copy())

    def action_copy_location(self) -> None:
        """Copies where the selection is recorded."""
        self._copy(self.pane.location_to_copy())

    def _copy(self, wanted: Copy | None) -> None:
        if wanted is None:
            self.show_message("Nothing to copy.")
            return
        sentence = copy(self.app, wanted.text, wanted.what)
        self.show_message(self.ui.glyphs.safe(sentence))


def step_of_statement(view: RunView, statement: str) -> int | None:
    """The newest step whose label equals, begins or continues a statement."""
    text = " ".join(statement.split())
    if not text:
        return None
    for step in range(len(view.steps) - 1, -1, -1):
        label = " ".join(view.steps.label[step].split())
        if label and (label == text or label.startswith(text) or text.startswith(label)):
            return step
    return None
