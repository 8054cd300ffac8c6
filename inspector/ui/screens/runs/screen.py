"""The start screen: all runs of all runtimes, with a preview of the selected run."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.timer import Timer
from textual.widgets import Input

from inspector.derive.filters import Words
from inspector.derive.groups import Counts, Ordering, Sort, count
from inspector.derive.problems import problems, standing
from inspector.live.feed import Feed, Message, Overview, Subscription
from inspector.model.run import Run
from inspector.query.view import RunView
from inspector.ui.command_screen import CommandScreen, GlyphMeaning
from inspector.ui.palette import Role
from inspector.ui.screens.resume.commands import why_not_resume
from inspector.ui.screens.runs.commands import RUNS
from inspector.ui.screens.runs.counts import CountsRow, FilterField, Totals, short_pieces
from inspector.ui.screens.runs.list import RunsList, glyph_meanings
from inspector.ui.screens.runs.preview import Preview
from inspector.ui.widgets.frame import Footer, Header, Piece, clock_face
from inspector.ui.widgets.line_list import LineList
from inspector.ui.widgets.prompt_input import PromptInput

REST = 2.0
"""Seconds without cursor movement before rows are reordered."""
PREVIEW_DELAY = 0.12
"""Seconds on a row before its steps are loaded, so that scrolling loads nothing."""
KEPT_VIEWS = 8
SMALL = 5_000
"""Maximum steps of a view that is kept after the cursor leaves its run."""


class RunsScreen(CommandScreen):
    """The start screen, where Esc ends."""

    SCOPE = RUNS
    HINTS: ClassVar[tuple[str, ...]] = (
        "open",
        "resume",
        "compare",
        "filter",
        "needs-me",
        "sort",
        "export",
    )

    def __init__(self, feed: Feed, place: str) -> None:
        super().__init__()
        self.feed = feed
        self.place = place
        self.ordering = Ordering()
        self._overview: Overview | None = None
        self._views: dict[str, RunView] = {}
        self._problems = 0
        self._counts = Counts()
        self._moved_at = -REST
        self._touched = False
        """True once the cursor was moved; until then it stays on the first run."""
        self._pending: Timer | None = None
        self._preview_timer: Timer | None = None
        self._visible_timer: Timer | None = None
        self._followed: str | None = None

    def compose(self) -> ComposeResult:
        """Header, counts or filter, list, preview, footer."""
        yield Header()
        yield CountsRow()
        field = FilterField()
        field.display = False
        yield field
        yield RunsList()
        yield Preview()
        yield Footer()

    @property
    def runs(self) -> RunsList:
        """The list."""
        return self.query_one(RunsList)

    @property
    def subject(self) -> Run | None:
        """The run under the cursor."""
        return self.runs.run

    @property
    def field(self) -> FilterField:
        """The filter."""
        return self.query_one(FilterField)

    def on_mount(self) -> None:
        """Start a timer that repaints what changes each second."""
        self.runs.focus()
        self.set_interval(1.0, self._tick)
        self._show_header()

    def on_screen_resume(self) -> None:
        """Renew subscriptions, which another screen may have replaced."""
        self._followed = None
        overview = getattr(self.app, "overview", None)
        if isinstance(overview, Overview) and overview is not self._overview:
            self._update(overview)
        self._load_preview_soon()

    # Updates

    def receive(self, message: Message) -> None:
        """Applies an overview or a view that the feed delivered."""
        if isinstance(message, Overview):
            self._update(message)
        elif isinstance(message, RunView):
            self._update_view(message)

    def _update(self, overview: Overview) -> None:
        before, self._overview = self._overview, overview
        news = self.ordering.update(overview.runs, self.ui.clock(), self.ui.zone)
        if before is None or news.findings or _store_problems(before) != _store_problems(overview):
            self._problems = self._count_problems(overview)
        self.runs.update_runs(self.ordering.runs, news.changed)
        if news.order or before is None:
            self._count()
            self._order_soon()
        self._show_counts()
        self._show_preview()

    def _count_problems(self, overview: Overview) -> int:
        notices = (*getattr(self.app, "notices", ()), *overview.notices)
        return standing(problems(overview.stores, overview.runs, notices))

    def _update_view(self, view: RunView) -> None:
        key = view.run.key
        self._views.pop(key, None)
        self._views[key] = view
        for other in list(self._views):
            many = len(self._views) > KEPT_VIEWS or len(self._views[other].steps) > SMALL
            if other != key and many:
                del self._views[other]
        if key == self.runs.key:
            self._show_preview()

    # Order

    def _order_soon(self) -> None:
        """Reorders the rows now, or once the cursor has rested for REST seconds."""
        wait = self._moved_at + REST - monotonic()
        if wait <= 0:
            self._order()
        elif self._pending is None:
            self._pending = self.set_timer(wait, self._order_later)

    def _order_later(self) -> None:
        self._pending = None
        self._order_soon()

    def _order(self) -> None:
        if self._pending is not None:
            self._pending.stop()
            self._pending = None
        ui, runs, ordering = self.ui, self.runs, self.ordering
        ordering.order(ui.clock(), ui.zone)
        runs.update_runs(ordering.runs, ())
        self._count()
        runs.sort = ordering.sort
        self._apply_filter(keep_line=True)

    def _apply_filter(self, *, keep_line: bool = False) -> None:
        """Lists the runs that match the filter, in the current order."""
        runs = self.runs
        before = runs.key
        runs.highlight(self.ordering.words)
        runs.order(self.ordering.shown(), keep_line=keep_line, to_top=not self._touched)
        self._show_counts()
        if runs.key != before:
            self._load_preview_soon()
        self._report_visible_soon()

    def _tick(self) -> None:
        if not self.is_active or self._overview is None:
            return
        if self.ordering.outdated(self.ui.clock(), self.ui.zone):
            self._count()
            self._order_soon()
            self._show_counts()
        self.runs.repaint()
        self._show_preview()

    # Header, counts, preview

    def _count(self) -> None:
        self._counts = count(self.ordering.runs.values(), self.ui.clock(), self.ui.zone)

    def _show_counts(self) -> None:
        counts, shown = self._counts, self.runs.shown_count
        loading = self._overview.loading if self._overview else 0
        hidden = shown if self.ordering.hides else None
        self.query_one(CountsRow).show(Totals(counts, self._problems, loading, hidden))
        self.field.show_found(shown, counts.runs)
        self._show_header(counts)

    def _show_header(self, counts: Counts | None = None) -> None:
        glyphs = self.ui.glyphs
        clock = clock_face(self._overview.as_of if self._overview else None, self.ui.zone)
        wide = [Piece("Inspector", Role.STRONG), Piece(glyphs.safe(self.place), Role.MUTED, 3)]
        narrow = short_pieces(counts, glyphs) if counts else []
        right = f"as of {clock}" if clock else "loading"
        self.query_one(Header).show(
            wide,
            narrow or [Piece("Inspector", Role.STRONG)],
            right=right,
            right_narrow=clock,
        )

    def _show_preview(self) -> None:
        run = self.runs.run
        self.query_one(Preview).show(run, self._views.get(run.key) if run else None)

    def _load_preview_soon(self) -> None:
        """Loads the steps of the selected run if the cursor stays on it."""
        self._show_preview()
        if self._preview_timer is not None:
            self._preview_timer.stop()
        self._preview_timer = self.set_timer(PREVIEW_DELAY, self._load_preview)

    def _load_preview(self) -> None:
        key = self.runs.key
        if self.is_active and key != self._followed:
            self._followed = key
            self.feed.follow([Subscription(key)] if key else [])

    def _report_visible_soon(self) -> None:
        """Tells the feed which runs are visible once scrolling has stopped."""
        if self._visible_timer is not None:
            self._visible_timer.stop()
        self._visible_timer = self.set_timer(
            PREVIEW_DELAY, lambda: self.feed.in_view(self.runs.visible_keys)
        )

    @on(LineList.Moved)
    def _moved(self) -> None:
        self._moved_at = monotonic()
        self._touched = True
        self._load_preview_soon()

    @on(RunsList.Scrolled)
    def _scrolled(self) -> None:
        self._report_visible_soon()

    @on(LineList.Chosen)
    def _chosen(self) -> None:
        self.action_open()

    # Commands

    def disabled_reason(self, name: str) -> str | None:
        """Why a command is not available now; None if it is."""
        if name == "open" and self.runs.run is None:
            return "No run selected."
        return why_not_resume(self.subject) if name == "resume" else None

    def action_open(self) -> None:
        """Open the selected run."""
        run = self.runs.run
        self._touched = True
        if run is not None:
            self.open_run(run)

    def action_filter(self) -> None:
        """Show the filter field in place of the counts."""
        self._show_field(True)
        self.field.focus()

    def action_back(self) -> None:
        """Clears the filter, or without one shows how to quit."""
        if self.ordering.hides or self.field.display:
            # The filter has led to a run: keep the cursor on it.
            self._touched = self._touched or self.ordering.hides
            self.ordering.needs_me = False
            self.field.value = ""
            self.ordering.words = Words()
            self._show_field(False)
            self.runs.focus()
            self._apply_filter()
        else:
            keys, glyphs = self.ui.keys, self.ui.glyphs
            self.show_message(glyphs.plain(f"No previous screen · {keys.shown('exit')} quit"))

    def action_needs_me(self) -> None:
        """Switch between runs that need attention and all runs."""
        self.ordering.needs_me = not self.ordering.needs_me
        self._apply_filter()

    def action_sort(self) -> None:
        """Sort by the next key."""
        orders = list(Sort)
        self.ordering.sort = orders[(orders.index(self.ordering.sort) + 1) % len(orders)]
        self._order()

    def explain(self) -> Sequence[GlyphMeaning]:
        """The glyphs of the selected row in words."""
        run = self.runs.run
        return glyph_meanings(run, self.ui.clock(), self.ui.glyphs) if run is not None else ()

    def on_zone_changed(self) -> None:
        """Regroup: days begin at another instant."""
        self._order()
        self._show_preview()

    def _show_field(self, shown: bool) -> None:
        self.field.display = shown
        self.set_class(shown, "-filtering")

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        self.ordering.words = Words.typed(event.value)
        self._apply_filter()

    @on(PromptInput.Exited)
    def _left_field(self, event: PromptInput.Exited) -> None:
        if event.key == "escape":
            self.action_back()
        elif event.key == "enter":
            self.run_command(self.ui.keys["open"])
        else:
            self.runs.action_command(_MOVES[event.key])

    def on_descendant_focus(self) -> None:
        """Paint the cursor as focused while the filter field has the focus."""
        self.runs.shows_focus = self.field.has_focus
        self.runs.repaint()


def _store_problems(overview: Overview) -> tuple[object, ...]:
    """The parts of an overview, besides runs, on which the list of problems depends."""
    return (overview.stores, overview.notices)


_MOVES = {
    "up": "cursor.up",
    "down": "cursor.down",
    "pageup": "cursor.page-up",
    "pagedown": "cursor.page-down",
}
