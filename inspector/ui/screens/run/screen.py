"""The screen of one run: what can be done on it."""

from __future__ import annotations

from textual import on
from textual.timer import Timer

from inspector.derive.axis import OrderAxis
from inspector.derive.cursor import next_failure, previous_failure
from inspector.live.feed import Feed
from inspector.model.run import Run
from inspector.query.view import RunView
from inspector.ui.clipboard import copy
from inspector.ui.panes.base import Copy, SqlPane, linked
from inspector.ui.panes.events import EventsPane
from inspector.ui.panes.position import event_at
from inspector.ui.panes.scrubber import Scrubber
from inspector.ui.panes.timeline_list import Timeline
from inspector.ui.screens.resume.commands import why_not_resume
from inspector.ui.screens.run.content_actions import ContentActions
from inspector.ui.widgets.line_list import LineList

PLAY = 0.4
"""Seconds between two events while they are played."""

TABLES = "tables"
"""The part of the tab that asks a database."""

OF_A_TAB = (
    *("enter", "inward", "outward", "find", "zoom", "copy.value", "copy.location", "raw"),
    *("form", "pager", "picture", "save"),
)
"""Commands for what stands in a tab."""

OF_THE_WHOLE = ("pause", "raw", "axis", "copy.value", "copy.location")
"""Commands that need more than the end of a run."""

MOST_FAILURES = 1_000
"""Failures of one step in a row that are passed over to come to another step."""


def step_of_statement(view: RunView, wrote: str) -> int | None:
    """The newest step whose text is this statement, or begins or goes on with it."""
    text = " ".join(wrote.split())
    if not text:
        return None
    for step in range(len(view.steps) - 1, -1, -1):
        label = " ".join(view.steps.label[step].split())
        if label and (label == text or label.startswith(text) or text.startswith(label)):
            return step
    return None


class RunScreen(ContentActions):
    """One run: follows it, travels through it, and shows what is recorded."""

    def __init__(self, feed: Feed, run: Run) -> None:
        super().__init__(feed, run)
        self._playing: Timer | None = None
        self._step_before = -1

    def disabled_reason(self, name: str) -> str | None:
        """Why a command cannot be done now."""
        run, on_timeline = self.run_shown, self.pane is self.timeline_pane
        if name == "resume":
            return why_not_resume(run)
        if name in ("idle", "axis") and run.order_only:
            return "No times are recorded: the axis is the order of events."
        if name == "idle" and not self.timeline_pane.timed:
            return "The axis is the order of events, which has no idle stretches."
        if name.startswith("failure.") and not (self._has_own_failures or self._failures):
            return "No failure is recorded."
        if name in ("find", "enter") and self.playback.shown is None:
            return "Nothing was read yet."
        if self.playback.partial and (name.startswith("travel.") or name in OF_THE_WHOLE):
            return "The run is still being read; only its newest events are here."
        if name in OF_A_TAB and not self.pane.ready:
            return "The tab is being opened."
        if name == "sql" and not any(tab.part == TABLES for tab in self._tabs):
            return "This run is not kept in a database."
        if name == "find" and on_timeline:
            return "Only values are filtered."
        if name in ("pnl.view", "pnl.units") and not self.pane.HAS_VIEWS:
            return "Only profit and loss is shown in several ways."
        if name == "pnl.units" and not self.ui.has_units:
            return "Your settings name no decimals of any asset, and no runtime records them."
        if name == "versions" and not self.pane.HAS_VERSIONS:
            return "Only values have older rows."
        if name == "step-of" and not self.pane.statement():
            return "Nothing here says which statement wrote it."
        return super().disabled_reason(name)

    def hint_word(self, name: str, word: str) -> str:
        """There is nothing to fold in a step without steps inside."""
        pane, timeline = self.timeline_pane, self.timeline_pane.timeline
        if name == "enter" and word == "fold" and self.pane is pane and timeline.cursor >= 0:
            is_leaf = timeline.picture(timeline.cursor).open is None
            if is_leaf and linked(self, timeline.view, timeline.step) is None:
                return ""
        return super().hint_word(name, word)

    @on(LineList.Moved)
    def _moved(self) -> None:
        if self.pane is self.timeline_pane:
            self.show_hints()

    # Travelling

    def _travel_to(self, event: int) -> None:
        if self.playback.shown is None:
            return
        if self.playback.at is None:
            self._step_before = self.timeline_pane.timeline.step
        if self.playback.go(event):
            self.subscribe()
        else:
            self._come_back()

    def _come_back(self) -> None:
        """Follows again; the cursor returns to the step that it was on."""
        self._stop_playing()
        away = self.playback.shown is not None and self.playback.shown.travelling
        self.playback.come_back()
        self.subscribe()
        if away and self.playback.shown is not None:
            self.timeline_pane.timeline.step = self._step_before
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
    def _picked_cell(self, message: Scrubber.Picked) -> None:
        timeline, view = self.timeline_pane.timeline, self.playback.live
        if view is None or view.partial:
            return
        self._stop_playing()
        if isinstance(timeline.axis, OrderAxis):
            self._travel_to(timeline.axis.event_at(message.cell))
        else:
            self._travel_to(event_at(view, timeline.axis, message.cell, self.ui.clock()))

    def action_live(self) -> None:
        """Returns to now, to the live step."""
        if self.playback.at is not None:
            self._come_back()
            return
        if self.playback.paused:
            self.action_pause()
        self.timeline_pane.timeline.go_live()
        self._stand()

    def action_pause(self) -> None:
        """Holds the screen still or goes on; while travelling, plays or stops playing."""
        if self.playback.at is not None:
            if self._playing is None:
                self._playing = self.set_interval(PLAY, self._play)
            else:
                self._stop_playing()
            return
        self.playback.hold(not self.playback.paused)
        if self.playback.shown is not None:
            self.show_view(self.playback.shown, self.playback.shown)

    def _play(self) -> None:
        shown = self.playback.shown
        if shown is None or self.playback.at is None:
            self._stop_playing()
        elif shown.events == self.playback.at:
            # Only when the one before is on the screen: playing never runs ahead of reading.
            self._travel_to(self.playback.event + 1)

    def _stop_playing(self) -> None:
        if self._playing is not None:
            self._playing.stop()
            self._playing = None

    # Failures

    @property
    def _failures(self) -> list[int]:
        view = self.playback.shown
        return list(view.failures) if view is not None else []

    def action_failure_next(self) -> None:
        """The next step that failed."""
        self._to_failure(forward=True)

    def action_failure_previous(self) -> None:
        """The step that failed before."""
        self._to_failure(forward=False)

    @property
    def _has_own_failures(self) -> bool:
        return self.pane.ready and self.pane.has_failures

    def _to_failure(self, *, forward: bool) -> None:
        if self._has_own_failures:
            self.pane.to_failure(forward=forward)
            return
        view, timeline = self.playback.shown, self.timeline_pane.timeline
        if view is None or not 0 <= timeline.step < len(view.steps):
            return
        self.open_part("timeline")
        here, failures = timeline.index.canonical(timeline.step), self._failures
        steps = view.steps
        event = steps.span_last[here] if forward else steps.first[here] or steps.span_last[here]
        for _ in range(min(len(failures), MOST_FAILURES)):
            found = (next_failure if forward else previous_failure)(failures, event)
            if found is None:
                return
            event = found
            if timeline.index.canonical(view.step_of_event[event - 1]) != here:
                timeline.go_to(view.step_of_event[event - 1])
                return
        self.show_message("This is the only step that failed.")

    # The tab in front

    def action_enter(self) -> None:
        """What Enter does in the tab in front."""
        self.pane.enter()

    def action_inward(self) -> None:
        """What `l` does there."""
        self.pane.inward()

    def action_outward(self) -> None:
        """What `h` does there."""
        self.pane.outward()

    def action_find(self) -> None:
        """What `/` does there."""
        self.pane.find()

    def action_step_of(self) -> None:
        """Goes to the step whose statement wrote the value under the cursor."""
        wrote, view = self.pane.statement(), self.playback.shown
        if wrote is None or view is None:
            return
        step = step_of_statement(view, wrote)
        if step is None:
            self.show_message("No step is recorded under this statement.")
            return
        self.open_part("timeline")
        self.timeline_pane.timeline.go_to(step)

    def action_versions(self) -> None:
        """Older rows, or only the newest."""
        self.pane.versions()

    def action_pnl_view(self) -> None:
        """The next way to look at what is in front."""
        self.pane.next_view()

    def action_pnl_units(self) -> None:
        """Base units, or decimals as the settings say."""
        self.pane.change_units()

    def action_zoom(self) -> None:
        """One part alone, or all."""
        self.pane.zoom()

    def action_pane(self) -> None:
        """The next pane."""
        self.focus_next(LineList)

    def action_idle(self) -> None:
        """Shows or cuts out idle stretches."""
        self.timeline_pane.toggle_idle()

    def action_axis(self) -> None:
        """Time or the order of events."""
        self.timeline_pane.toggle_axis()

    def action_raw(self) -> None:
        """Goes to the recorded row of the step under the cursor."""
        event = self.timeline_pane.row_event if self.pane is self.timeline_pane else None
        raw = self.open_part("raw")
        if isinstance(raw, EventsPane) and event is not None:
            raw.go_to(event)

    def action_sql(self) -> None:
        """Opens the line for a question to the database."""
        tables = self.open_part(TABLES)
        if isinstance(tables, SqlPane):
            tables.ask_sql()

    def action_back(self) -> None:
        """Leaves what is open, ends travelling, or goes back to the list."""
        if self.pane.ready and self.pane.back():
            return
        if self.playback.at is not None:
            self._come_back()
            return
        super().action_back()

    @on(Timeline.Ended)
    def _ended(self) -> None:
        if self.playback.at is not None:
            self._come_back()

    @on(LineList.Chosen)
    def _chosen(self) -> None:
        self.pane.enter()

    def action_copy_value(self) -> None:
        """Copies the text under the cursor."""
        self._copy(self.pane.value_to_copy())

    def action_copy_location(self) -> None:
        """Copies where it is recorded."""
        self._copy(self.pane.location_to_copy())

    def _copy(self, wanted: Copy | None) -> None:
        if wanted is None:
            self.show_message("There is nothing to copy here.")
            return
        said = copy(self.app, wanted.text, wanted.what)
        self.show_message(self.ui.glyphs.safe(said))
