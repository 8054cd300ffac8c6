"""Profit and loss as a tab of a run."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.timer import Timer
from textual.widget import Widget

from inspector.model.run import Run
from inspector.query.view import RunView, Tab
from inspector.ui.panes.base import Copy, Pane
from inspector.ui.panes.queries import RunQueries
from inspector.ui.pnl.body import PnlBody, session_may_differ

REFRESH_DELAY = 0.5
"""Seconds between two reads while the run is active."""


class PnlPane(Pane):
    """The tab."""

    HAS_VIEWS = True
    HINTS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("enter", "run"),
        ("outward", "runs"),
        ("pnl.view", "view"),
        ("pane", "pane"),
        ("copy.value", "copy"),
    )

    def __init__(self, queries: RunQueries, run: Run, tab: Tab) -> None:
        super().__init__(queries, id="pnl-pane")
        self._run = run
        self._view: RunView | None = None
        self._outdated = True
        self._refresh_timer: Timer | None = None

    def compose(self) -> ComposeResult:
        """Yield the profit and loss view."""
        yield PnlBody(self.queries, self._run)

    @property
    def body(self) -> PnlBody:
        """The profit and loss view."""
        return self.query_one(PnlBody)

    @property
    def main(self) -> Widget:
        """The list of assets."""
        return self.body.assets

    def update(self, view: RunView) -> None:
        """Read the session again if a new view may have changed it."""
        if not session_may_differ(self._view, view):
            return
        first, self._view, self._outdated = self._view is None, view, True
        if not first and self.display and self._refresh_timer is None:
            self._refresh_timer = self.set_timer(REFRESH_DELAY, self._read)

    def opened(self) -> None:
        """Read the session if it may have changed."""
        if self._outdated:
            self._read()

    def _read(self) -> None:
        self._refresh_timer = None
        self._outdated = False
        self.body.read()

    def redraw(self) -> None:
        """Redraw for another zone or theme."""
        self.body.show()

    def back(self) -> bool:
        """Cancel a read that the user is waiting for."""
        return self.body.cancel_read()

    def action_pnl_view(self) -> None:
        """Show the next view."""
        self.body.next_view()

    def action_pnl_units(self) -> None:
        """Switch between base units and decimals."""
        self.body.change_units()

    def action_enter(self) -> None:
        """Open the run of the marked bar, or restart a cancelled read."""
        if self.body.model is None and not self.body.is_reading:
            self.body.read()
            return
        self.body.open_run()

    def action_inward(self) -> None:
        """Mark the next run."""
        self.body.move_run(1)

    def action_outward(self) -> None:
        """Mark the previous run."""
        self.body.move_run(-1)

    def value_to_copy(self) -> Copy | None:
        """Return the asset's amounts."""
        return self.body.to_copy()
