"""Profit and loss of a run's session, for a screen or a tab: summary, assets, details."""

from __future__ import annotations

from functools import partial

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.strip import Strip
from textual.timer import Timer

from inspector.live.feed import Overview, Unavailable
from inspector.model.run import Run
from inspector.query.pnl import DEFAULT_LIMIT
from inspector.query.progress import ReadCancelled
from inspector.query.registry import presentation_of
from inspector.query.run_reader import RunReader
from inspector.query.view import RunView
from inspector.text.measure import cell_width, clip
from inspector.text.numbers import count, size
from inspector.ui.command_screen import CommandScreen
from inspector.ui.context import UiContext, ui_of
from inspector.ui.lines import NARROW, Line, LineWidget, margin
from inspector.ui.palette import Ground, Role
from inspector.ui.panes.base import Copy
from inspector.ui.panes.queries import RunQueries, start
from inspector.ui.pnl.assets import AssetList, Layout, layout_of, paint_titles
from inspector.ui.pnl.chart import WIDE
from inspector.ui.pnl.details import Details, View, text_to_copy
from inspector.ui.pnl.figures import warning_text
from inspector.ui.pnl.model import PnlModel, pnl_model
from inspector.ui.widgets.line_list import LineList
from inspector.ui.widgets.text_view import TextView

LIMIT = DEFAULT_LIMIT
"""Runs that are added up: as many as Grimoire keeps of a spell."""
MOST_WARNINGS = 2
"""Warnings shown above the assets."""
PROGRESS_DELAY = 0.3
"""Seconds until progress is shown, and between updates of it."""
SESSION = "session"
"""The worker group of reads of the session."""
LOADING = f"Adding up the newest {LIMIT} runs…"


class SessionRead:
    """One read of a session: its thread reports progress, the screen shows it or cancels."""

    def __init__(self) -> None:
        self._done = 0
        self._total = 0
        self._cancelled = False

    def progress(self, done: int, total: int) -> None:
        """Record the bytes read. Raises `ReadCancelled` after `cancel`."""
        self._done, self._total = done, total
        if self._cancelled:
            raise ReadCancelled

    def cancel(self) -> None:
        """End the read at its next report of progress."""
        self._cancelled = True

    @property
    def words(self) -> str:
        """The progress; empty before the first report."""
        return f"{size(self._done)} of {size(self._total)}" if self._total else ""


class Summary(LineWidget):
    """Counts, units and warnings of a session; then the titles of both halves of the list."""

    def __init__(self, title: str) -> None:
        super().__init__(id="pnl-summary")
        self._title = title
        self._model: PnlModel | None = None
        self._message = LOADING
        self._layout = Layout((), None)
        self._tight = False

    def show(self, model: PnlModel | None, message: str, layout: Layout, tight: bool) -> None:
        """Show a model, a message (safe), or both."""
        self._model, self._message = model, message
        self._layout, self._tight = layout, tight
        self.styles.height = len(self._rows())
        self.repaint()

    @property
    def _warnings_shown(self) -> int:
        if self._model is None:
            return 0
        return min(len(self._model.warnings), 1 if self._tight else MOST_WARNINGS)

    def complete_warnings(self, width: int) -> frozenset[str]:
        """Return the warnings that are shown here in full."""
        room = width - 2 * margin(width) - 2
        found = (self._warning(n) for n in range(self._warnings_shown))
        return frozenset(one for one in found if cell_width(one) <= room)

    def _warning(self, number: int) -> str:
        model = self._model
        return "" if model is None else warning_text(self.ui, model, model.warnings[number])

    def _rows(self) -> list[str]:
        message = ["message"] if self._message else []
        if self._model is None:
            return message if self._tight else ["", *message]
        rows = ["counts", *message, *(f"warning {n}" for n in range(self._warnings_shown))]
        titles = ["titles"] if self._model.assets else []
        return [*rows, *titles] if self._tight else ["", *rows, "", *titles]

    def paint_line(self, y: int, width: int) -> Strip:
        """Paint a line."""
        line, edge, glyphs, rows = self.line(width), margin(width), self.ui.glyphs, self._rows()
        kind, _, number = (rows[y] if y < len(rows) else "").partition(" ")
        room = width - 2 * edge
        if kind == "message":
            line.put(edge, clip(self._message, room, ellipsis=glyphs.cut), Role.TEXT)
        elif kind == "titles":
            paint_titles(line, self._layout, self._title, glyphs.guide)
        elif self._model is not None and kind == "warning":
            line.put(edge, glyphs.finding, Role.WARNING)
            line.add(
                clip(self._warning(int(number)), room - 2, ellipsis=glyphs.cut), Role.TEXT, skip=1
            )
        elif self._model is not None and kind == "counts":
            self._counts(line, self._model)
        return line.strip()

    def _counts(self, line: Line, model: PnlModel) -> None:
        glyphs, skip = self.ui.glyphs, 3 if line.width >= NARROW else 2
        ledger = model.session.ledger
        line.put(margin(line.width), count(ledger.total))
        line.add("run" if ledger.total == 1 else "runs", Role.MUTED, skip=1)
        if ledger.total:
            line.add(glyphs.completed, Role.SUCCESS, skip=skip)
            line.add(count(ledger.success), skip=1)
            line.add(glyphs.failed, Role.ERROR, skip=skip)
            line.add(count(ledger.failed), skip=1)
        units = "amounts in base units of each asset" if line.width >= WIDE else "base units"
        if any(asset.name in self.ui.assets for asset in model.assets):
            units = "decimals from your settings, else base units"
        for words in (units, f"newest {LIMIT} runs at most"):
            if line.cells + skip + len(words) <= line.width - margin(line.width):
                line.add(words, Role.MUTED, skip=skip)


class PnlBody(Container):
    """The whole profit and loss view; the screen or tab around it handles keys."""

    def __init__(self, queries: RunQueries, run: Run) -> None:
        super().__init__(id="pnl-body")
        self._queries = queries
        self._run = run
        self._model: PnlModel | None = None
        self._message = LOADING
        self._chart_cursor = -1
        self._view = View.COUNTED
        self._read: SessionRead | None = None
        self._progress_timer: Timer | None = None

    def compose(self) -> ComposeResult:
        """Yield the summary, the assets and the details."""
        title = presentation_of(self._run.runtime).title
        yield Summary(f"session ledger, as {title} counts it")
        yield AssetList()
        yield TextView(id="pnl-below", ground=Ground.BG)

    @property
    def ui(self) -> UiContext:
        """The context of the application."""
        return ui_of(self)

    @property
    def assets(self) -> AssetList:
        """The list of assets."""
        return self.query_one(AssetList)

    @property
    def model(self) -> PnlModel | None:
        """The session; None before it is read."""
        return self._model

    @property
    def run_id(self) -> str | None:
        """The run of the marked bar."""
        runs = self._model.runs if self._model is not None else ()
        known = 0 <= self._chart_cursor < len(runs)
        return runs[self._chart_cursor].run.run_id if known else None

    def read(self) -> None:
        """Read the session in the background."""
        self._end_read()
        read = self._read = SessionRead()
        self._progress_timer = self.set_interval(PROGRESS_DELAY, self._show_progress)
        if self._model is None:
            self._message = LOADING
        start(self, partial(self._load, read), SESSION)

    async def _load(self, read: SessionRead) -> None:
        self._answered(await self._queries.ask(lambda reader: read_model(reader, read)))

    def _show_progress(self) -> None:
        before = self._message
        if self._read is not None and self._read.words:
            self._message = f"{LOADING[:-1]}, {self._read.words} of ledgers… Esc cancel"
        if self._message != before:
            self.show()

    def cancel_read(self) -> bool:
        """Cancel a read; return whether the first one was under way."""
        is_first = self._read is not None and self._model is None
        if self._read is not None:
            at = f" at {self._read.words}" if self._read.words else ""
            self._message = f"Cancelled{at}. Enter retry"
            self.workers.cancel_group(self, SESSION)
        self._end_read()
        if is_first:
            self.show()
        return is_first

    @property
    def is_reading(self) -> bool:
        """True if the session is being read."""
        return self._read is not None

    def _end_read(self) -> None:
        if self._read is not None:
            self._read.cancel()
        if self._progress_timer is not None:
            self._progress_timer.stop()
        self._read = self._progress_timer = None

    def on_unmount(self) -> None:
        """Cancel a read."""
        self._end_read()

    def _answered(self, answer: PnlModel | Unavailable | None) -> None:
        self._end_read()
        if answer is None:
            self._message = "This runtime has no profit and loss."
        elif isinstance(answer, Unavailable):
            self._message = self.ui.glyphs.safe(answer.reason)
        else:
            self._replace_model(answer)
        self.show()

    def next_view(self) -> None:
        """Show the next view below the assets."""
        self._view = self._view.next
        self._show_details()

    def change_units(self) -> None:
        """Switch between base units and decimals."""
        self.ui.change_units()
        self.show()

    def _replace_model(self, model: PnlModel) -> None:
        """Show a new model, with the cursors on the same run and asset."""
        marked = self.run_id if self._model is not None else self._run.run_id
        ids = [bar.run.run_id for bar in model.runs]
        self._chart_cursor = ids.index(marked) if marked in ids else len(ids) - 1
        asset = self.assets.asset
        names = [one.name for one in model.assets]
        row = names.index(asset.name) if asset is not None and asset.name in names else 0
        self._model, self._message = model, ""
        if not model.session.ledger.total:
            self._message = "No run of this spell has a row; nothing to add up."
        elif not model.assets:
            self._message = "No run moved any funds."
        self.assets.show(model, row if names else -1)

    def show(self) -> None:
        """Draw everything for the current size."""
        width, height = self.size
        if not self.is_mounted or not width:
            return
        tight, model = height < 22, self._model
        layout = layout_of(model, self.ui, width)
        self.query_one(Summary).show(model, self._message, layout, tight)
        rows = len(model.assets) if model is not None else 0
        most = max(2, height // 3)
        self.assets.styles.height = min(rows + 1, most) + (0 if tight else 1) if rows else 0
        self.assets.lay_out(layout)
        self._show_details()

    def _show_details(self) -> None:
        below, summary = self.query_one("#pnl-below", TextView), self.query_one(Summary)
        if self._model is None:
            below.show((), keep=False)
            return
        width, height = self.size
        layout = self.assets.layout_now
        details = Details(
            self.ui, self._model, self.assets.asset, self._chart_cursor, LIMIT, self._view
        )
        taken = [summary.styles.height, self.assets.styles.height]
        left = height - sum(int(one.value) for one in taken if one is not None) - 1
        below.show(details.strips(width, left, layout, summary.complete_warnings(width)), keep=True)

    def on_resize(self) -> None:
        """Draw for the new size."""
        self.show()

    @on(LineList.Moved)
    def _moved(self, event: LineList.Moved) -> None:
        event.stop()
        self._show_details()

    def move_run(self, by: int) -> None:
        """Mark another bar."""
        runs = len(self._model.runs) if self._model is not None else 0
        if runs:
            self._chart_cursor = min(runs - 1, max(0, self._chart_cursor + by))
            self._show_details()

    def open_run(self) -> None:
        """Open the run of the marked bar, or say why that is not possible."""
        screen, run_id = self.screen, self.run_id
        if not isinstance(screen, CommandScreen) or run_id is None:
            return
        overview = getattr(self.app, "overview", None)
        runs = overview.runs if isinstance(overview, Overview) else ()
        wanted = (self._run.store.path, self._run.session, run_id)
        found = next(
            (one for one in runs if (one.store.path, one.session, one.run_id) == wanted), None
        )
        subject = screen.subject
        if found is None:
            screen.show_message("That run is not in the list.")
        elif subject is not None and subject.key == found.key and screen.SCOPE == "run":
            screen.show_message("This run is already open.")
        else:
            screen.open_run(found)

    def to_copy(self) -> Copy | None:
        """Return the asset's amounts."""
        asset = self.assets.asset
        if self._model is None or asset is None:
            return None
        return Copy(text_to_copy(self.ui, self._model, asset), "the amounts")


def read_model(reader: RunReader, read: SessionRead) -> PnlModel | Unavailable | None:
    """Read the session on a reader's thread; None if the runtime has no profit and loss."""
    try:
        session = reader.session(LIMIT, read.progress)
    except ReadCancelled:
        return Unavailable("Cancelled.")
    return None if session is None else pnl_model(session)


def session_may_differ(before: RunView | None, view: RunView) -> bool:
    """Return True if the session may have changed between two views of one of its runs."""
    if before is None or view.travelling:
        return before is None
    one, other = before.run, view.run
    return (one.last_activity_at, before.total_events, one.status, one.complete) != (
        other.last_activity_at,
        view.total_events,
        other.status,
        other.complete,
    )
