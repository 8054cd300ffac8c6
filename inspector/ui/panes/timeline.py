"""The first tab: timeline, scrubber and the detail of the step under the cursor."""

from __future__ import annotations

from functools import partial
from time import monotonic
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget

from inspector.derive.axis import Span, span_of, use_times
from inspector.live.feed import Unavailable
from inspector.model.run import Run
from inspector.model.status import ENDED
from inspector.query.view import RunView, StepContext, Tab
from inspector.ui.clipboard import fit_to_copy
from inspector.ui.labels import kind_glyph
from inspector.ui.lines import NARROW
from inspector.ui.palette import Role
from inspector.ui.panes.base import Copy, Pane, open_linked
from inspector.ui.panes.position import context_at, failure_instants, instant_of, values_of_then
from inspector.ui.panes.queries import RunQueries
from inspector.ui.panes.scrubber import IdleLabels, PlaybackPosition, Scrubber
from inspector.ui.panes.step_detail import Detail, StepDetail, location
from inspector.ui.panes.timeline_list import Timeline
from inspector.ui.widgets.line_list import LineList

REST_DELAY = 0.05
"""Seconds without cursor movement before a step's detail is read."""

KEY_REPEAT = 0.09
"""Two cursor moves closer than this (seconds) come from a held key."""

REREAD_DELAY = 1.0
"""Seconds before the detail of the same step is read again."""

KEPT_CONTEXTS = 64

CONTEXT = "context"
"""The topic of the query for a step's detail."""

ContextKey = tuple[int, int, str]
"""Step, its last event (negative while travelling), status."""


class TimelinePane(Pane):
    """Timeline, scrubber and detail."""

    HINTS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("enter", "fold"),
        ("failure.next", "failures"),
        ("live", "live"),
        ("travel.back", "travel"),
        ("copy.value", "copy"),
        ("resume", "resume…"),
        ("raw", "row"),
    )
    NARROW_HINTS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("enter", "fold"),
        ("failure.next", "failures"),
        ("travel.back", "travel"),
        ("resume", "resume…"),
    )
    ALONE_HINTS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("back", "all steps"),
        ("failure.next", "failures"),
        ("copy.value", "copy"),
        ("raw", "row"),
    )
    """The footer while the detail is maximized."""
    WIDE = 100

    class AxisChanged(Message):
        """The axis switched between time and the order of events."""

    def __init__(self, queries: RunQueries, run: Run, tab: Tab) -> None:
        super().__init__(queries, id="timeline-pane")
        self.run = run
        self.view: RunView | None = None
        self.live: RunView | None = None
        """The newest view, which defines the axis even while viewing the past."""
        self.paused = False
        self.by_order: bool | None = None
        """True for the order of events; None to choose whichever is more informative."""
        self.show_idle = False
        self._contexts: dict[ContextKey, StepContext | Unavailable] = {}
        self._rest: Timer | None = None
        self._pending_step: int | None = None
        self._moved_at = -KEY_REPEAT
        self._span_until = 0

    def compose(self) -> ComposeResult:
        """Yields the timeline with its rulers, and the detail.

        No extra containers: each is redrawn with every widget in it.
        """
        yield IdleLabels()
        yield Timeline()
        yield Scrubber()
        yield Detail()

    @property
    def timeline(self) -> Timeline:
        """The list of steps."""
        return self.query_one(Timeline)

    @property
    def detail(self) -> Detail:
        """The detail."""
        return self.query_one(Detail)

    @property
    def main(self) -> Widget:
        """The timeline."""
        return self.timeline

    @property
    def timed(self) -> bool:
        """True if the axis is time."""
        return self.timeline.span is not None

    def hints(self, width: int) -> tuple[tuple[str, str], ...]:
        """Footer hints that fit; below 60 columns Enter opens the detail."""
        if self.has_class("-detail"):
            return self.ALONE_HINTS
        if width < NARROW:
            return (("enter", "detail"), ("failure.next.alone", "failure"))
        if width < self.WIDE:
            return self.NARROW_HINTS
        hints = list(self.HINTS)
        if self.timed:
            idle = "cut idle" if self.show_idle else "show idle"
            hints[4:4] = [("idle", idle), ("zone", "time zone")]
        return tuple(hints)

    # Updates

    def update(self, view: RunView) -> None:
        """Shows a view; the newest one defines the axis."""
        if self.view is not None and self.view.partial:
            self.live = None
        self.view = view
        if not view.travelling or self.live is None:
            self.live = view
        self.timeline.update(view, self._span())
        self._refresh_detail()

    def _span(self) -> Span | None:
        """The time span of the axis; None for the order of events."""
        live = self.live
        if live is None or live.run.order_only or self.by_order:
            return None
        span = span_of(live.steps, live.run, self.ui.clock())
        if span is None or (self.by_order is None and not use_times(live.steps, live.run, span)):
            return None
        if self.show_idle:
            span = span._replace(idle=())
        if live.run.status in ENDED:
            return span
        self._span_until = span.stop + span.busy
        return span.steady()

    def on_second(self) -> None:
        """Extends open bars and elapsed times; rescales the axis once its span has doubled."""
        self.detail.on_second()
        live = self.live
        if live is None or not self.timed or live.run.status in ENDED or self.paused:
            return
        if self.ui.clock() > self._span_until and self.view is not None:
            self.timeline.update(self.view, self._span())
        else:
            self.timeline.rearrange()

    def redraw(self) -> None:
        """Redraws for another zone or theme."""
        self.timeline.rearrange()
        self._render_detail()

    @on(Timeline.Arranged)
    def _arranged(self) -> None:
        timeline, view = self.timeline, self.view
        if view is None:
            return
        self.query_one(IdleLabels).show(timeline.columns, timeline.axis)
        failing = self.live or view
        position: int | None
        if timeline.span is None:
            failures = list(failing.failures)
            position = view.events or None
        else:
            now = self.ui.clock()
            failures = failure_instants(failing, now)
            position = instant_of(view, view.events, now) if view.travelling else None
            position = timeline.span.stop if not view.travelling else position
        self.query_one(Scrubber).show(
            self._playback_position(view), timeline.columns, timeline.axis, failures, position
        )

    def _playback_position(self, view: RunView) -> PlaybackPosition:
        if view.partial:
            return PlaybackPosition(view.events, view.total_events, "newest", partial=True)
        if view.travelling:
            return PlaybackPosition(view.events, view.total_events, "travelling", Role.TRAVEL, True)
        if self.paused:
            return PlaybackPosition(view.events, view.total_events, "paused", Role.WARNING)
        word = "" if view.run.status in ENDED else "following"
        return PlaybackPosition(view.events, view.total_events, word)

    # The detail

    @on(LineList.Moved)
    def _moved(self) -> None:
        self._refresh_detail()

    def _refresh_detail(self) -> None:
        """Shows the loaded facts about the step at once, and reads the rest.

        While a key is held down, the read waits for its release.
        """
        now = monotonic()
        held, self._moved_at = now - self._moved_at < KEY_REPEAT, now
        step = self._step()
        if held and step != self._pending_step:
            if self._rest is not None:
                self._rest.stop()
            self._pending_step = step
            self._rest = self.set_timer(KEY_REPEAT, self._key_released)
            return
        known = self._render_detail()
        if self._rest is not None:
            if known and step == self._pending_step:
                # This step is read next anyway, so it can be shown now.
                return
            self._rest.stop()
        self._pending_step = step
        self._rest = self.set_timer(REREAD_DELAY if known else REST_DELAY, self._read_context)

    def _key_released(self) -> None:
        """Reads the detail after a held key was released."""
        self._rest, self._pending_step = None, None
        self._moved_at -= KEY_REPEAT
        self._refresh_detail()

    def _key(self, step: int) -> ContextKey:
        assert self.view is not None
        steps = self.view.steps
        last = -self.view.events if self.view.travelling else steps.span_last[step]
        return (step, last, steps.status_of(step).value)

    def _render_detail(self) -> bool:
        """Fills the detail with what is loaded; True if that is everything."""
        timeline, view = self.timeline, self.view
        step = self._step()
        if view is None or step is None:
            self.detail.show_step(None)
            return True
        context = self._contexts.get(self._key(step))
        found = context if isinstance(context, StepContext) else None
        described = view.describe(step)
        if found is not None and not view.travelling:
            described = found.step
        row = timeline.row_model(timeline.cursor)
        then = values_of_then(found, view, self.ui.clock()) if found else None
        self.detail.show_step(
            StepDetail(
                kind_glyph(described.kind, self.ui.glyphs),
                row.label,
                described,
                view.run,
                then or found,
                view.events if view.travelling else None,
                context.reason if isinstance(context, Unavailable) else "",
                then is not None,
                view.partial,
            )
        )
        return found is not None

    def _step(self) -> int | None:
        """The step of the detail: the one whose status the row shows."""
        timeline, view = self.timeline, self.view
        if view is None or not 0 <= timeline.step < len(view.steps):
            return None
        return timeline.index.status_source(timeline.step)

    def _read_context(self) -> None:
        self._rest = None
        step = self._step()
        if step is None or self.view is None or self.view.partial:
            return
        at = self.view.events if self.view.travelling else None
        self.ask(CONTEXT, partial(self._load_context, step, self._key(step), at))

    async def _load_context(self, step: int, key: ContextKey, at: int | None) -> None:
        answer = await self.queries.ask(lambda reader: context_at(reader, step, at))
        if len(self._contexts) >= KEPT_CONTEXTS:
            del self._contexts[next(iter(self._contexts))]
        self._contexts[key] = answer
        self._render_detail()

    # Commands

    def action_enter(self) -> None:
        """Expands, collapses, opens the linked run, or shows the detail in a single-pane layout."""
        timeline = self.timeline
        if self.screen.size.width < NARROW:
            self._show_detail(not self.has_class("-detail"))
        elif not open_linked(self, timeline.view, timeline.step):
            timeline.toggle()

    def _show_detail(self, shown: bool) -> None:
        self.set_class(shown, "-detail")
        (self.detail if shown else self.timeline).focus()
        self.hints_changed()

    def back(self) -> bool:
        """Restores all parts after one was maximized."""
        if not (self.has_class("-detail") or self.has_class("-zoomed")):
            return False
        self.remove_class("-detail", "-zoomed")
        self.timeline.focus()
        self.hints_changed()
        return True

    def action_zoom(self) -> None:
        """Maximizes the focused part, or restores both."""
        if self.has_class("-zoomed"):
            self.remove_class("-detail", "-zoomed")
        else:
            self.set_class(self.detail.has_focus, "-detail")
            self.add_class("-zoomed")
        self.hints_changed()

    def action_inward(self) -> None:
        """Expands the step, or moves to its first child."""
        self.timeline.inward()

    def action_outward(self) -> None:
        """Collapses the step, or moves to its parent."""
        self.timeline.outward()

    def toggle_idle(self) -> None:
        """Shows or hides idle gaps."""
        self.show_idle = not self.show_idle
        self._set_axis()

    def toggle_axis(self) -> None:
        """Switches between time and the order of events."""
        self.by_order = self.timed
        self._set_axis()

    def _set_axis(self) -> None:
        if self.view is not None:
            self.timeline.update(self.view, self._span())
            self.post_message(self.AxisChanged())

    @property
    def row_event(self) -> int | None:
        """The newest event of the step under the cursor."""
        step = self._step()
        if step is None or self.view is None:
            return None
        return self.view.steps.last[step] or self.view.steps.span_last[step] or None

    def source_location(self) -> str | None:
        """The source line of the step's statement, once its detail is loaded."""
        step = self._step()
        context = self._contexts.get(self._key(step)) if step is not None else None
        place = context.step.ref.get("source") if isinstance(context, StepContext) else None
        return place if isinstance(place, str) else None

    def value_to_copy(self) -> Copy | None:
        """The error of the step, else its name."""
        step = self._step()
        if step is None or self.view is None:
            return None
        described = self.view.describe(step)
        if described.error:
            return Copy(fit_to_copy(None, described.error), "the error")
        return Copy(self.timeline.row_model(self.timeline.cursor).label, "the step's name")

    def location_to_copy(self) -> Copy | None:
        """Store, run, step and row."""
        step = self._step()
        if step is None or self.view is None:
            return None
        view = self.view
        context = self._contexts.get(self._key(step))
        found = context if isinstance(context, StepContext) else None
        about = StepDetail("", "", view.describe(step), view.run, found)
        parts = [view.run.key, f"step {about.step.id}", location(about)]
        return Copy(fit_to_copy(None, "  ".join(part for part in parts if part)), "the location")
