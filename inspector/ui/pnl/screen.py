"""Profit and loss as a screen, opened from the list of runs."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult

from inspector.live.feed import Feed, Message, Subscription
from inspector.model.run import Run
from inspector.query.view import RunView
from inspector.ui.clipboard import copy
from inspector.ui.command_screen import CommandScreen
from inspector.ui.palette import Role
from inspector.ui.panes.queries import RunQueries
from inspector.ui.pnl.body import PnlBody, session_may_differ
from inspector.ui.pnl.commands import PNL, why_no_units
from inspector.ui.widgets.frame import Footer, Header, Piece, clock_face
from inspector.ui.widgets.line_list import LineList


class PnlScreen(CommandScreen):
    """Profit and loss of the spell of one run."""

    SCOPE: ClassVar[str] = PNL
    HINTS: ClassVar[tuple[str, ...]] = (
        "pnl.open",
        "pnl.older",
        "pnl.view",
        "pnl.pane",
        "pnl.copy",
        "back",
    )

    def __init__(self, feed: Feed, run: Run) -> None:
        super().__init__()
        self._feed = feed
        self._run = run
        self._queries = RunQueries(feed, run.key)
        self._view: RunView | None = None

    @property
    def subject(self) -> Run:
        """The run from which it was opened."""
        return self._run

    def compose(self) -> ComposeResult:
        """Yield header, body and footer."""
        yield Header()
        yield PnlBody(self._queries, self._run)
        yield Footer()

    @property
    def body(self) -> PnlBody:
        """The profit and loss view."""
        return self.query_one(PnlBody)

    def on_mount(self) -> None:
        """Subscribe to the run and read the session."""
        super().on_mount()
        self._follow()
        self._show_head()
        self.body.assets.focus()
        self.body.read()

    def on_screen_resume(self) -> None:
        """Subscribe again: the previous screen may have changed the subscription."""
        self._follow()

    def _follow(self) -> None:
        self._feed.follow([Subscription(self._run.key)])

    def receive(self, message: Message) -> None:
        """Read the session again if a new view of the run may have changed it."""
        if not isinstance(message, RunView) or message.run.key != self._run.key:
            return
        first, other = self._view is None, session_may_differ(self._view, message)
        self._view = message
        self._show_head()
        if other and not first:
            self.body.read()

    def _show_head(self) -> None:
        glyphs = self.ui.glyphs
        title = glyphs.safe(self._run.session or self._run.title)
        wide = (
            Piece("Inspector", Role.MUTED),
            Piece("/", Role.FAINT, 1),
            Piece(title, Role.STRONG, 1),
            Piece("profit and loss", Role.MUTED, 3),
        )
        narrow = (Piece(title, Role.STRONG), Piece("P&L", Role.MUTED, 2))
        clock = clock_face(self._view.as_of if self._view is not None else None, self.ui.zone)
        for header in self.query(Header):
            header.show(wide, narrow, right=f"as of {clock}" if clock else "", right_narrow=clock)

    @on(LineList.Chosen)
    def _chosen(self) -> None:
        self.action_pnl_open()

    def on_zone_changed(self) -> None:
        """Redraw for another zone."""
        self._show_head()
        self.body.show()

    def disabled_reason(self, name: str) -> str | None:
        """Return why a command is unavailable."""
        return why_no_units(self.ui) if name == "pnl.units" else None

    def action_back(self) -> None:
        """Go back and cancel the read."""
        self.body.cancel_read()
        super().action_back()

    def action_pnl_view(self) -> None:
        """Show the next view."""
        self.body.next_view()

    def action_pnl_units(self) -> None:
        """Switch between base units and decimals."""
        self.body.change_units()

    def action_pnl_open(self) -> None:
        """Open the run of the marked bar."""
        self.body.open_run()

    def action_pnl_older(self) -> None:
        """Mark the previous run."""
        self.body.move_run(-1)

    def action_pnl_newer(self) -> None:
        """Mark the next run."""
        self.body.move_run(1)

    def action_pnl_pane(self) -> None:
        """Focus the other part."""
        self.focus_next(LineList)

    def action_pnl_copy(self) -> None:
        """Copy the asset's amounts."""
        wanted = self.body.to_copy()
        if wanted is None:
            self.show_message("There is nothing to copy here.")
        else:
            self.show_message(self.ui.glyphs.safe(copy(self.app, wanted.text, wanted.what)))
