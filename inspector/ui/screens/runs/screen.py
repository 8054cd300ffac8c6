"""The list of all runs over all runtimes, with the selected one below it."""

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
from inspector.ui.screens.runs.list import RunsList, explain
from inspector.ui.screens.runs.preview import Preview
from inspector.ui.widgets.frame import Footer, Header, Piece, clock_face
from inspector.ui.widgets.line_list import LineList
from inspector.ui.widgets.prompt_input import PromptInput

REST = 2.0
"""Seconds that the cursor must have rested before rows change their order."""
LOOK = 0.12
"""Seconds on a row before its steps are read, so that scrolling reads nothing."""
KEPT_VIEWS = 8
SMALL = 5_000
"""Steps up to which a view is kept after the cursor has left its run."""


class RunsScreen(CommandScreen):
    """Where Inspector begins, and where Esc ends."""

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
        """Whether the cursor was ever moved; until then it stays on the first run."""
        self._pending: Timer | None = None
        self._look: Timer | None = None
        self._seen: Timer | None = None
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
        """Starts the second hand; it draws only what changes."""
        self.runs.focus()
        self.set_interval(1.0, self._tick)
        self._show_header()

    def on_screen_resume(self) -> None:
        """Asks again for what the screen in front may have asked otherwise."""
        self._followed = None
        overview = getattr(self.app, "overview", None)
        if isinstance(overview, Overview) and overview is not self._overview:
            self._take(overview)
        self._look_soon()

    # What arrives

    def receive(self, message: Message) -> None:
        """Takes what the feed delivered."""
        if isinstance(message, Overview):
            self._take(message)
        elif isinstance(message, RunView):
            self._take_view(message)

    def _take(self, overview: Overview) -> None:
        before, self._overview = self._overview, overview
        news = self.ordering.update(overview.runs, self.ui.clock(), self.ui.zone)
        if before is None or news.findings or _troubles(before) != _troubles(overview):
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

    def _take_view(self, view: RunView) -> None:
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
        """Orders the rows now, or when the cursor has rested for long enough."""
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
        self._show_asked(keep_line=True)

    def _show_asked(self, *, keep_line: bool = False) -> None:
        """Shows what is asked for, in the order that there is."""
        runs = self.runs
        before = runs.key
        runs.search(self.ordering.words)
        runs.order(self.ordering.shown(), keep_line=keep_line, to_top=not self._touched)
        self._show_counts()
        if runs.key != before:
            self._look_soon()
        self._see_soon()

    def _tick(self) -> None:
        if not self.is_active or self._overview is None:
            return
        if self.ordering.outdated(self.ui.clock(), self.ui.zone):
            self._count()
            self._order_soon()
            self._show_counts()
        self.runs.repaint()
        self._show_preview()

    # What stands around the list

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
        right = f"as of {clock}" if clock else "reading"
        self.query_one(Header).show(
            wide,
            narrow or [Piece("Inspector", Role.STRONG)],
            right=right,
            right_narrow=clock,
        )

    def _show_preview(self) -> None:
        run = self.runs.run
        self.query_one(Preview).show(run, self._views.get(run.key) if run else None)

    def _look_soon(self) -> None:
        """Reads the steps of the selected run when the cursor stays on it."""
        self._show_preview()
        if self._look is not None:
            self._look.stop()
        self._look = self.set_timer(LOOK, self._look_closer)

    def _look_closer(self) -> None:
        key = self.runs.key
        if self.is_active and key != self._followed:
            self._followed = key
            self.feed.follow([Subscription(key)] if key else [])

    def _see_soon(self) -> None:
        """Says which rows are on the screen when scrolling has come to rest."""
        if self._seen is not None:
            self._seen.stop()
        self._seen = self.set_timer(LOOK, lambda: self.feed.in_view(self.runs.visible_keys))

    @on(LineList.Moved)
    def _moved(self) -> None:
        self._moved_at = monotonic()
        self._touched = True
        self._look_soon()

    @on(RunsList.Scrolled)
    def _scrolled(self) -> None:
        self._see_soon()

    @on(LineList.Chosen)
    def _chosen(self) -> None:
        self.action_open()

    # What can be done

    def disabled_reason(self, name: str) -> str | None:
        """Why a command cannot be done now."""
        if name == "open" and self.runs.run is None:
            return "There is no run under the cursor."
        return why_not_resume(self.subject) if name == "resume" else None

    def action_open(self) -> None:
        """Opens the run under the cursor."""
        run = self.runs.run
        self._touched = True
        if run is not None:
            self.open_run(run)

    def action_filter(self) -> None:
        """Opens the filter in the row of the counts."""
        self._show_field(True)
        self.field.focus()

    def action_back(self) -> None:
        """Clears what hides runs; there is nothing behind this screen."""
        if self.ordering.hides or self.field.display:
            # What was looked for was found, so that the cursor stays there.
            self._touched = self._touched or self.ordering.hides
            self.ordering.needs_me = False
            self.field.value = ""
            self.ordering.words = Words()
            self._show_field(False)
            self.runs.focus()
            self._show_asked()
        else:
            self.show_message(f"This is the first screen; {self.ui.keys.shown('exit')} quits.")

    def action_needs_me(self) -> None:
        """Shows only what needs a person, or all again."""
        self.ordering.needs_me = not self.ordering.needs_me
        self._show_asked()

    def action_sort(self) -> None:
        """Orders the runs of each group by the next value."""
        orders = list(Sort)
        self.ordering.sort = orders[(orders.index(self.ordering.sort) + 1) % len(orders)]
        self._order()

    def explain(self) -> Sequence[GlyphMeaning]:
        """The signs of the selected row in words."""
        run = self.runs.run
        return explain(run, self.ui.clock(), self.ui.glyphs) if run is not None else ()

    def on_zone_changed(self) -> None:
        """Days may begin at another instant now."""
        self._order()
        self._show_preview()

    def _show_field(self, shown: bool) -> None:
        self.field.display = shown
        self.set_class(shown, "-filtering")

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        self.ordering.words = Words.typed(event.value)
        self._show_asked()

    @on(PromptInput.Left)
    def _left_field(self, event: PromptInput.Left) -> None:
        if event.key == "escape":
            self.action_back()
        elif event.key == "enter":
            self.run_command(self.ui.keys["open"])
        else:
            self.runs.action_command(_MOVES[event.key])

    def on_descendant_focus(self) -> None:
        """The list keeps its cursor bright while the filter is typed."""
        self.runs.looks_focused = self.field.has_focus
        self.runs.repaint()


def _troubles(overview: Overview) -> tuple[object, ...]:
    """What is wrong apart from runs: a new tuple of stores is compared one by one."""
    return (overview.stores, overview.notices)


_MOVES = {
    "up": "cursor.up",
    "down": "cursor.down",
    "pageup": "cursor.page-up",
    "pagedown": "cursor.page-down",
}
