"""Profit and loss of a spell on whatever screen: a summary, the assets, the chart below them."""

from __future__ import annotations

from functools import partial

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.strip import Strip
from textual.timer import Timer

from inspector.live.feed import Unavailable
from inspector.model.clock import Clock
from inspector.model.run import Run
from inspector.query.progress import ReadCancelled
from inspector.query.run_reader import RunReader
from inspector.query.spell_session import session_of
from inspector.query.view import RunView
from inspector.text.measure import cell_width, clip
from inspector.text.numbers import count, size
from inspector.ui.context import UiContext, ui_of
from inspector.ui.lines import NARROW, Line, LineWidget, margin
from inspector.ui.palette import Ground, Role
from inspector.ui.panes.base import Copy
from inspector.ui.panes.queries import RunQueries, start
from inspector.ui.pnl.book import Book, book_of
from inspector.ui.pnl.chart import WIDE
from inspector.ui.pnl.notes import Notes, Shown, copied
from inspector.ui.pnl.table import AssetList, Layout, layout_of, paint_titles
from inspector.ui.pnl.waiting import SHOWN_AFTER, Wait
from inspector.ui.pnl.writing import warning_text
from inspector.ui.widgets.line_list import LineList
from inspector.ui.widgets.text_view import TextView

LIMIT = 100
"""Runs that are added up: as many as Grimoire keeps of a spell."""
MOST_WARNED = 2
ADDING_UP = f"Adding up the newest {LIMIT} runs."


SESSION = "session"
"""The topic of the question for the session."""


class Summary(LineWidget):
    """How many runs, in which units, what misleads; then the names of the halves."""

    def __init__(self) -> None:
        super().__init__(id="pnl-summary")
        self._book: Book | None = None
        self._told = ADDING_UP
        self._layout = Layout((), None)
        self._tight = False

    def show(self, book: Book | None, told: str, layout: Layout, tight: bool) -> None:
        """Takes the book, or a sentence (safe) why there is none."""
        self._book, self._told, self._layout, self._tight = book, told, layout, tight
        self.styles.height = len(self._rows())
        self.repaint()

    @property
    def _warned(self) -> int:
        if self._book is None:
            return 0
        return min(len(self._book.warnings), 1 if self._tight else MOST_WARNED)

    def told_whole(self, width: int) -> frozenset[str]:
        """Warnings that stand here to their end."""
        room = width - 2 * margin(width) - 2
        found = (self._warning(n) for n in range(self._warned))
        return frozenset(one for one in found if cell_width(one) <= room)

    def _warning(self, number: int) -> str:
        book = self._book
        return "" if book is None else warning_text(self.ui, book, book.warnings[number])

    def _rows(self) -> list[str]:
        told = ["told"] if self._told else []
        if self._book is None:
            return told if self._tight else ["", *told]
        rows = ["counts", *told, *(f"warning {n}" for n in range(self._warned))]
        titles = ["titles"] if self._book.assets else []
        return [*rows, *titles] if self._tight else ["", *rows, "", *titles]

    def paint_line(self, y: int, width: int) -> Strip:
        """A line."""
        line, edge, glyphs, rows = self.line(width), margin(width), self.ui.glyphs, self._rows()
        what, _, number = (rows[y] if y < len(rows) else "").partition(" ")
        room = width - 2 * edge
        if what == "told":
            line.put(edge, clip(self._told, room, ellipsis=glyphs.cut), Role.TEXT)
        elif what == "titles":
            paint_titles(line, self._layout, glyphs.guide)
        elif self._book is not None and what == "warning":
            line.put(edge, glyphs.finding, Role.WARNING)
            line.add(
                clip(self._warning(int(number)), room - 2, ellipsis=glyphs.cut), Role.TEXT, skip=1
            )
        elif self._book is not None and what == "counts":
            self._counts(line, self._book)
        return line.strip()

    def _counts(self, line: Line, book: Book) -> None:
        glyphs, skip = self.ui.glyphs, 3 if line.width >= NARROW else 2
        line.put(margin(line.width), count(book.total))
        line.add("run" if book.total == 1 else "runs", Role.MUTED, skip=1)
        if book.total:
            line.add(glyphs.completed, Role.SUCCESS, skip=skip)
            line.add(count(book.success), skip=1)
            line.add(glyphs.failed, Role.ERROR, skip=skip)
            line.add(count(book.failed), skip=1)
        units = "amounts in base units of each asset" if line.width >= WIDE else "base units"
        if any(asset.name in self.ui.assets for asset in book.assets):
            units = "decimals as your settings say, else base units"
        said = [units, f"newest {LIMIT} runs at most"]
        for one in said:
            if line.cells + skip + len(one) <= line.width - margin(line.width):
                line.add(one, Role.MUTED, skip=skip)


class PnlBody(Container):
    """All of it; a screen or a tab gives it an asker and says what to do."""

    def __init__(self, queries: RunQueries, run: Run) -> None:
        super().__init__(id="pnl-body")
        self._queries = queries
        self._run = run
        self._book: Book | None = None
        self._told = ADDING_UP
        self._chart_cursor = -1
        self._shown = Shown.COUNTED
        self._wait: Wait | None = None
        self._looks: Timer | None = None

    def compose(self) -> ComposeResult:
        """The summary, the assets, and the rest."""
        yield Summary()
        yield AssetList()
        yield TextView(id="pnl-below", ground=Ground.BG)

    @property
    def ui(self) -> UiContext:
        """Styles, signs, keys, clock and zone."""
        return ui_of(self)

    @property
    def assets(self) -> AssetList:
        """The list of assets."""
        return self.query_one(AssetList)

    @property
    def book(self) -> Book | None:
        """What was read."""
        return self._book

    @property
    def run_id(self) -> str | None:
        """The run of the marked bar."""
        runs = self._book.runs if self._book is not None else ()
        return runs[self._chart_cursor].run_id if 0 <= self._chart_cursor < len(runs) else None

    def read(self) -> None:
        """Asks for the session; while it is read, says how far that is."""
        self._end_wait()
        run, clock, wait = self._run, self.ui.clock, Wait()
        self._wait = wait
        self._looks = self.set_interval(SHOWN_AFTER, self._look)
        if self._book is None:
            self._told = ADDING_UP
        start(self, partial(self._load, run, clock, wait), SESSION)

    def _look(self) -> None:
        """Says how far the reading is, where that is worth a line."""
        wait, before = self._wait, self._told
        if wait is not None and wait.words:
            self._told = f"{ADDING_UP[:-1]}, {wait.words} of their ledgers; esc stops it."
        if self._told != before:
            self.show()

    def tell_first(self, done: int, of: int) -> None:
        """How far the run's own ledger was read, which comes before the session."""
        if self._wait is not None and not self._wait.words:
            self._told = f"Reading the run itself, {size(done)} of {size(of)}; esc stops it."
            self.show()

    def stop_reading(self) -> bool:
        """Ends a reading that somebody waits for; False when nobody does."""
        waited = self._wait is not None and self._book is None
        if self._wait is not None:
            far = f" at {self._wait.words}" if self._wait.words else ""
            self._told = f"The reading was stopped{far}; enter reads again."
            self.workers.cancel_group(self, SESSION)
        self._end_wait()
        if waited:
            self.show()
        return waited

    @property
    def waits(self) -> bool:
        """Whether the session is being read."""
        return self._wait is not None

    def _end_wait(self) -> None:
        if self._wait is not None:
            self._wait.stop()
        if self._looks is not None:
            self._looks.stop()
        self._wait = self._looks = None

    def on_unmount(self) -> None:
        """Nobody waits any more."""
        self._end_wait()

    async def _load(self, run: Run, clock: Clock, wait: Wait) -> None:
        answer = await self._queries.ask(lambda reader: read_book(reader, run, clock, wait))
        self._end_wait()
        if answer is None:
            self._told = "This run's runtime adds up no money."
        elif isinstance(answer, Unavailable):
            self._told = self.ui.glyphs.safe(answer.reason)
        else:
            self._keep(answer)
        self.show()

    def next_view(self) -> None:
        """The next way to look at it: per run, realised, summed up, per step."""
        self._shown = self._shown.next
        self._show_below()

    def change_units(self) -> None:
        """Base units, or decimals as the settings say."""
        self.ui.change_units()
        self.show()

    def _keep(self, book: Book) -> None:
        marked = self.run_id if self._book is not None else self._run.run_id
        ids = [run.run_id for run in book.runs]
        self._chart_cursor = ids.index(marked) if marked in ids else len(ids) - 1
        asset = self.assets.asset
        names = [one.name for one in book.assets]
        row = names.index(asset.name) if asset is not None and asset.name in names else 0
        self._book, self._told = book, ""
        if not book.total:
            self._told = "No run of this spell has a row: there is nothing to add up."
        elif not book.assets:
            self._told = "No run moved anything."
        self.assets.show(book, row if names else -1)

    def show(self) -> None:
        """Draws everything anew for the size that there is."""
        width, height = self.size
        if not self.is_mounted or not width:
            return
        tight, book = height < 22, self._book
        layout = layout_of(book, self.ui, width)
        self.query_one(Summary).show(book, self._told, layout, tight)
        rows = len(book.assets) if book is not None else 0
        most = max(2, height // 3)
        self.assets.styles.height = min(rows + 1, most) + (0 if tight else 1) if rows else 0
        self.assets.lay_out(layout)
        self._show_below()

    def _show_below(self) -> None:
        sheet, summary = self.query_one("#pnl-below", TextView), self.query_one(Summary)
        if self._book is None:
            sheet.show((), keep=False)
            return
        width, height = self.size
        layout = self.assets.layout_now
        notes = Notes(
            self.ui, self._book, self.assets.asset, self._chart_cursor, LIMIT, self._shown
        )
        taken = [summary.styles.height, self.assets.styles.height]
        left = height - sum(int(one.value) for one in taken if one is not None) - 1
        sheet.show(notes.strips(width, left, layout, summary.told_whole(width)), keep=True)

    def on_resize(self) -> None:
        """Another size has another layout."""
        self.show()

    @on(LineList.Moved)
    def _moved(self, event: LineList.Moved) -> None:
        event.stop()
        self._show_below()

    def move_run(self, by: int) -> None:
        """Marks another bar."""
        runs = len(self._book.runs) if self._book is not None else 0
        if runs:
            self._chart_cursor = min(runs - 1, max(0, self._chart_cursor + by))
            self._show_below()

    def to_copy(self) -> Copy | None:
        """The asset's amounts."""
        asset = self.assets.asset
        if self._book is None or asset is None:
            return None
        return Copy(copied(self.ui, self._book, asset), "the amounts")


def read_book(reader: RunReader, run: Run, clock: Clock, wait: Wait) -> Book | Unavailable | None:
    """The session's money; None where the runtime has none. On a reader's thread."""
    try:
        return book_of(session_of(reader, run, LIMIT, clock, wait.tell))
    except KeyError:
        return None
    except ReadCancelled:
        return Unavailable("The reading was stopped.")


def is_other(before: RunView | None, view: RunView) -> bool:
    """Whether a view may mean that the session is another one."""
    if before is None or view.travelling:
        return before is None
    one, other = before.run, view.run
    return (one.last_activity_at, before.total_events, one.status, one.complete) != (
        other.last_activity_at,
        view.total_events,
        other.status,
        other.complete,
    )
