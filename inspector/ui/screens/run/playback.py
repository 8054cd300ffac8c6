"""Following a run, travelling through its events, and holding still: which view is shown."""

from __future__ import annotations

from inspector.derive.cursor import next_step_event, previous_step_event
from inspector.query.view import RunView


class Playback:
    """Which of the views that arrive is shown. Pure: it asks for nothing and draws nothing."""

    def __init__(self) -> None:
        self.live: RunView | None = None
        """The newest view."""
        self.shown: RunView | None = None
        self.at: int | None = None
        """The event that is travelled to; None while following."""
        self.held: RunView | None = None
        """The newest view that arrived while the screen was held still."""
        self.paused = False

    def take(self, view: RunView) -> bool:
        """Takes a view that arrived; whether it is to be shown."""
        if view.travelling:
            if self.at is None or view.events != self.at:
                # It was asked for before the traveller went on or came back.
                return False
            self.shown = view
            return True
        self.live = view
        if self.at is not None and self.at < view.total_events:
            return False
        self.at = None
        if self.paused:
            self.held = view
            return self.shown is None
        self.shown = view
        return True

    @property
    def partial(self) -> bool:
        """Whether only the newest events are there so far, in which nobody can travel."""
        return self.shown is not None and self.shown.partial

    @property
    def total(self) -> int:
        """Events that are known to be recorded."""
        return max((view.total_events for view in (self.live, self.shown) if view), default=0)

    @property
    def event(self) -> int:
        """The event that is shown or asked for."""
        if self.at is not None:
            return self.at
        return self.shown.events if self.shown is not None else 0

    @property
    def missed(self) -> int | None:
        """Events that arrived since the screen was held still; None while it is not."""
        if not self.paused:
            return None
        if self.held is None or self.shown is None:
            return 0
        return max(0, self.held.events - self.shown.events)

    def go(self, event: int) -> bool:
        """Travels to an event; False when that is the newest one, where one is to follow again."""
        if event >= self.total:
            return False
        self.at = max(0, event)
        self.paused, self.held = False, None
        return True

    def come_back(self) -> None:
        """Follows the newest event again."""
        self.at, self.paused, self.held = None, False, None
        self.shown = self.live or self.shown

    def hold(self, paused: bool) -> None:
        """Holds the screen still, or shows what arrived meanwhile."""
        self.paused = paused
        if not paused and self.held is not None:
            self.shown, self.held = self.held, None

    def step_event(self, forward: bool) -> int:
        """The event at which the next or previous step begins."""
        view = self.live or self.shown
        if view is None:
            return 0
        if forward:
            return next_step_event(view.steps, view.step_of_event, self.event)
        return previous_step_event(view.steps, view.step_of_event, self.event)
