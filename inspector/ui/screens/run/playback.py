"""Chooses which view of a run to show: live, paused, or a past event."""

from __future__ import annotations

from inspector.derive.cursor import next_step_event, previous_step_event
from inspector.query.view import RunView


class Playback:
    """Chooses among the views that arrive. Pure: no queries, no drawing."""

    def __init__(self) -> None:
        self.live: RunView | None = None
        """The newest view."""
        self.shown: RunView | None = None
        self.at: int | None = None
        """The past event that is shown or awaited; None while following."""
        self.pending: RunView | None = None
        """The newest view that arrived while paused."""
        self.paused = False

    def update(self, view: RunView) -> bool:
        """Receives a view; returns True if it is to be shown."""
        if view.travelling:
            if self.at is None or view.events != self.at:
                # Requested for an earlier position.
                return False
            self.shown = view
            return True
        self.live = view
        if self.at is not None and self.at < view.total_events:
            return False
        self.at = None
        if self.paused:
            self.pending = view
            return self.shown is None
        self.shown = view
        return True

    @property
    def partial(self) -> bool:
        """True while only the newest events are loaded; viewing the past needs all of them."""
        return self.shown is not None and self.shown.partial

    @property
    def total(self) -> int:
        """The number of recorded events known so far."""
        return max((view.total_events for view in (self.live, self.shown) if view), default=0)

    @property
    def event(self) -> int:
        """The event that is shown or awaited."""
        if self.at is not None:
            return self.at
        return self.shown.events if self.shown is not None else 0

    @property
    def missed(self) -> int | None:
        """Events that arrived while paused; None while not paused."""
        if not self.paused:
            return None
        if self.pending is None or self.shown is None:
            return 0
        return max(0, self.pending.events - self.shown.events)

    def seek(self, event: int) -> bool:
        """Goes to a past event. Returns False for the newest one: `follow` instead."""
        if event >= self.total:
            return False
        self.at = max(0, event)
        self.paused, self.pending = False, None
        return True

    def follow(self) -> None:
        """Follows the newest event."""
        self.at, self.paused, self.pending = None, False, None
        self.shown = self.live or self.shown

    def pause(self, paused: bool) -> None:
        """Pauses updates, or resumes them with what arrived meanwhile."""
        self.paused = paused
        if not paused and self.pending is not None:
            self.shown, self.pending = self.pending, None

    def step_event(self, forward: bool) -> int:
        """The event at which the next or previous step begins."""
        view = self.live or self.shown
        if view is None:
            return 0
        if forward:
            return next_step_event(view.steps, view.step_of_event, self.event)
        return previous_step_event(view.steps, view.step_of_event, self.event)
