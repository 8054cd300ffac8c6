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
"""Seconds between two readings while the run goes on."""


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
        """All of it."""
        yield PnlBody(self.queries, self._run)

    @property
    def body(self) -> PnlBody:
        """What is drawn."""
        return self.query_one(PnlBody)

    @property
    def main(self) -> Widget:
        """The assets."""
        return self.body.assets

    def update(self, view: RunView) -> None:
        """Another view: the session may be another one."""
        if not session_may_differ(self._view, view):
            return
        first, self._view, self._outdated = self._view is None, view, True
        if not first and self.display and self._refresh_timer is None:
            self._refresh_timer = self.set_timer(REFRESH_DELAY, self._read)

    def opened(self) -> None:
        """Reads the session if it may be another one."""
        if self._outdated:
            self._read()

    def _read(self) -> None:
        self._refresh_timer = None
        self._outdated = False
        self.body.read()

    def redraw(self) -> None:
        """The zone or the theme is another one."""
        self.body.show()

    def back(self) -> bool:
        """Ends a reading that somebody waits for."""
        return self.body.cancel_read()

    def action_pnl_view(self) -> None:
        """The next way to look at it."""
        self.body.next_view()

    def action_pnl_units(self) -> None:
        """Base units, or decimals."""
        self.body.change_units()

    def action_enter(self) -> None:
        """Opens the run of the marked bar; reads again what was stopped."""
        if self.body.model is None and not self.body.is_reading:
            self.body.read()
            return
        self.body.open_run()

    def action_inward(self) -> None:
        """The run after."""
        self.body.move_run(1)

    def action_outward(self) -> None:
        """The run before."""
        self.body.move_run(-1)

    def value_to_copy(self) -> Copy | None:
        """The asset's amounts."""
        return self.body.to_copy()
