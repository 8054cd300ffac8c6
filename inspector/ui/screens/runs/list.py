"""The list of runs by group: column layout, cell texts, the widget, and its glyphs in words.

Columns disappear in a fixed order as the terminal gets narrower.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from textual.message import Message
from textual.strip import Strip

from inspector.config.settings import Asset
from inspector.derive.filters import Words
from inspector.derive.groups import Arrangement, Group, Sort, elapsed_ms, is_active
from inspector.model.run import Run
from inspector.model.status import Status
from inspector.query.registry import presentation_of
from inspector.text.measure import cell_width, clip
from inspector.text.numbers import (
    CANNOT_BE_KNOWN,
    CLOCK_TIME_CELLS,
    DURATION_CELLS,
    NOT_RECORDED,
    TOKENS_CELLS,
    Zone,
    amount,
    clock_time,
    count,
    duration,
    local_moment,
    tokens,
)
from inspector.ui.command_screen import GlyphMeaning
from inspector.ui.glyphs import MEANINGS, Glyphs
from inspector.ui.lines import NARROW, Line, margin
from inspector.ui.palette import STATUS_ROLE, Ground, Role, ThemeStyles, status_word, word_role
from inspector.ui.widgets.line_list import LineList

TITLE_CELLS = 20
"""Minimum width of a title in terminals of 60 columns or more."""
WORD_CELLS = 11
RUNTIME_CELLS = 9
RUN_CELLS = 7
DONE_CELLS = 4
NOW_CELLS = 12
NET_CELLS = 11
MOST_NOW_CELLS = 32
ID_TAIL = 6
"""Last characters of a run id that are shown."""
_SHORT_STARTED = 7

_FROM_NET, _FROM_TOKENS, _FROM_RUN, _FROM_LONG_DATES, _FROM_WORD, _FROM_STARTED = (
    120,
    108,
    100,
    83,
    77,
    65,
)
_LABELS: tuple[tuple[str, str, bool], ...] = (
    ("title", "title", False),
    ("runtime", "runtime", False),
    ("run", "run", False),
    ("started_end", "started", True),
    ("elapsed_end", "elapsed", True),
    ("done_end", "done", True),
    ("now", "now", False),
    ("tokens_end", "tokens", True),
    ("net_end", "net", True),
)


@dataclass(frozen=True, slots=True)
class Columns:
    """Column positions for one width; `*_end` is a right edge. None: the column is hidden."""

    width: int
    glyph: int
    mark: int
    title: int
    title_cells: int
    elapsed_end: int
    word: int | None = None
    runtime: int | None = None
    run: int | None = None
    started_end: int | None = None
    done_end: int | None = None
    now: int | None = None
    now_cells: int = 0
    tokens_end: int | None = None
    net_end: int | None = None

    @property
    def grouped(self) -> bool:
        """True if group names are shown, in the column of the status word."""
        return self.word is not None

    @property
    def headed(self) -> bool:
        """True if there is a row of column names."""
        return self.done_end is not None


@lru_cache(maxsize=64)
def columns_for(width: int, *, money: bool = True) -> Columns:
    """Lays out the columns for a width; without `money` the titles get the space of NET."""
    if width < NARROW:
        end = width - margin(width)
        title = 5
        return Columns(width, 1, 3, title, max(1, end - DURATION_CELLS - 2 - title), end)
    return _wide(width, money)


def _wide(width: int, money: bool) -> Columns:
    edge = margin(width)
    word = edge + 2 if width >= _FROM_WORD else None
    mark = edge + 2 + (WORD_CELLS + 1 if word is not None else 0)
    net = money and width >= _FROM_NET
    title, spare = mark + 2, _spare(width, net)
    more_now = min(MOST_NOW_CELLS - NOW_CELLS, spare // 2) if width > _FROM_NET else 0
    title_cells = TITLE_CELLS + spare - more_now
    column = title + title_cells
    runtime = run = started_end = tokens_end = net_end = None
    if width >= _FROM_RUN:
        runtime = column + 2
        run = runtime + RUNTIME_CELLS + 2
        column = run + RUN_CELLS
    if width >= _FROM_STARTED:
        long_dates = width >= _FROM_LONG_DATES
        column += 2 + CLOCK_TIME_CELLS if long_dates else 1 + _SHORT_STARTED
        started_end = column
    elapsed_end = column + 2 + DURATION_CELLS
    done_end = elapsed_end + 2 + DONE_CELLS
    now = done_end + (3 if width >= _FROM_TOKENS else 2)
    now_end = width - edge
    if width >= _FROM_TOKENS:
        now_end = now + NOW_CELLS + more_now
        tokens_end = now_end + 1 + TOKENS_CELLS
    if tokens_end is not None and net:
        net_end = tokens_end + 1 + NET_CELLS
    return Columns(
        width,
        edge,
        mark,
        title,
        title_cells,
        elapsed_end,
        word,
        runtime,
        run,
        started_end,
        done_end,
        now,
        now_end - now,
        tokens_end,
        net_end,
    )


def _spare(width: int, net: bool) -> int:
    """Cells beyond the minimum that the columns of this width need."""
    if net:
        return width - _FROM_NET
    for least in (_FROM_TOKENS, _FROM_RUN, _FROM_LONG_DATES):
        if width >= least:
            return width - least
    if width >= _FROM_WORD:
        return 0
    return width - _FROM_STARTED if width >= _FROM_STARTED else width - 57


@dataclass(frozen=True, slots=True)
class RowContext:
    """Everything besides the run that a row is painted from; `now` in UTC ms."""

    styles: ThemeStyles
    glyphs: Glyphs
    zone: Zone
    now: int
    words: Words
    assets: Mapping[str, Asset] = field(default_factory=dict)


def elapsed_text(run: Run, now: int) -> str:
    """Elapsed time of a run (`now` in UTC ms); `?` if a running run is quiet: it may be dead."""
    length = elapsed_ms(run, now)
    if length is None and run.status is Status.RUNNING and run.started_at is not None:
        return CANNOT_BE_KNOWN
    return duration(length)


def started_text(run: Run, group: Group, now: int, zone: Zone) -> str:
    """Start of a run; only the time of day in the group `yesterday`."""
    if group is Group.YESTERDAY and run.started_at is not None:
        moment = local_moment(run.started_at, zone)
        return CANNOT_BE_KNOWN if moment is None else f"{moment:%H:%M}"
    return clock_time(run.started_at, now, zone)


def short_id(run: Run, glyphs: Glyphs) -> str:
    """The last characters of the run id behind `…`, or the whole id if it is no longer."""
    name = glyphs.safe(run.run_id) if run.run_id else glyphs.plain(NOT_RECORDED)
    return name if cell_width(name) <= ID_TAIL + 1 else glyphs.cut + name[-ID_TAIL:]


def done_text(done: int | None) -> str:
    """Completed steps in at most four cells; empty if the runtime records no count."""
    if done is None:
        return ""
    if done < 10**DONE_CELLS:
        return str(done)
    for unit, scale in (("k", 10**3), ("M", 10**6), ("B", 10**9)):
        if done < scale * 1000:
            return f"{done // scale}{unit}"
    return ">999"


def now_text(run: Run, glyphs: Glyphs) -> tuple[str, bool]:
    """Current progress in glyphs, and whether it is a failure."""
    failed = run.steps.failed
    if run.status is Status.COMPLETED:
        return "", False
    if run.status is Status.FAILED and failed:
        return f"{count(failed)} {glyphs.failed}", True
    progress = run.progress
    parts = []
    if progress.parallel_total is not None:
        done = 0 if progress.parallel_done is None else progress.parallel_done
        parts.append(f"{glyphs.parallel} {done}/{progress.parallel_total}")
    if progress.unconfirmed:
        parts.append(f"{glyphs.unconfirmed} {progress.unconfirmed}")
    if progress.loop_now is not None:
        of = "" if progress.loop_max is None else f"/{progress.loop_max}"
        parts.append(f"{glyphs.loop} {progress.loop_now}{of}")
    if progress.note:
        parts.append(glyphs.safe(progress.note))
    if not parts and failed:
        return f"{count(failed)} {glyphs.failed}", True
    return "  ".join(parts), False


def net_text(run: Run, glyphs: Glyphs, assets: Mapping[str, Asset]) -> str:
    """Net amount if there is one asset, else the number of assets."""
    net = run.net
    if not net:
        return glyphs.plain(NOT_RECORDED)
    if len(net) > 1:
        return f"{len(net)} assets"
    ((name, units),) = net.items()
    asset = assets.get(name)
    number = amount(units, decimals=asset.decimals if asset else None, sign=True)
    if asset and number.rpartition(".")[2] != number and len(number.rpartition(".")[2]) == 1:
        # Two decimals, so that amounts align.
        number += "0"
    symbol = asset.symbol if asset and asset.symbol else name
    text = glyphs.safe(f"{number} {symbol}")
    # Never clip an amount: the digits left would read as another amount.
    return text if cell_width(text) <= NET_CELLS else "1 asset"


def paint_run(
    run: Run, group: Group, columns: Columns, context: RowContext, ground: Ground, focused: bool
) -> Strip:
    """Paints the row of a run; `Ground.SELECT` marks the row under the cursor."""
    glyphs, cursor = context.glyphs, ground is Ground.SELECT
    line = Line(columns.width, context.styles, ground)
    if cursor:
        line.put(0, glyphs.cursor, Role.ACCENT if focused else Role.GUIDE)
    line.put(columns.glyph, glyphs.of(run.status), STATUS_ROLE[run.status])
    if columns.word is not None:
        line.put(columns.word, status_word(run.status), word_role(run.status))
    if run.findings:
        line.put(columns.mark, glyphs.finding, Role.WARNING)
    started = glyphs.plain(started_text(run, group, context.now, context.zone))
    _title(line, run, columns, context, started, cursor and focused)
    if columns.runtime is not None and columns.run is not None:
        line.put(columns.runtime, run.runtime, Role.MUTED)
        line.put(columns.run, short_id(run, glyphs), Role.MUTED)
    if columns.started_end is not None:
        line.right(columns.started_end, started, _unless_missing(started, Role.MUTED))
    _numbers(line, run, columns, context)
    return line.strip()


def _title(
    line: Line, run: Run, columns: Columns, context: RowContext, started: str, strong: bool
) -> None:
    cells = columns.title_cells
    if columns.started_end is not None and columns.runtime is None:
        # A long date may reach into the title column; a long title is clipped for it.
        cells = min(cells, columns.started_end - cell_width(started) - 1 - columns.title)
    title = clip(context.glyphs.safe(run.title), cells, ellipsis=context.glyphs.cut)
    role = Role.STRONG if strong else Role.TEXT
    line.put(columns.title, "", role)
    at = 0
    for start, end in context.words.spans(title):
        line.add(title[at:start], role)
        line.put(line.cells, title[start:end], Role.ACCENT, bold=strong, underline=True)
        at = end
    line.add(title[at:], role)


def _numbers(line: Line, run: Run, columns: Columns, context: RowContext) -> None:
    glyphs = context.glyphs
    plain = Role.MUTED if run.status is Status.COMPLETED else Role.TEXT
    elapsed = glyphs.plain(elapsed_text(run, context.now))
    line.right(columns.elapsed_end, elapsed, _unless_missing(elapsed, plain))
    if columns.done_end is None or columns.now is None:
        return
    line.right(columns.done_end, done_text(run.steps.completed), plain)
    now, failure = now_text(run, glyphs)
    live = is_active(run, context.now)
    role = Role.ERROR if failure else Role.TEXT if live else Role.MUTED
    line.put(columns.now, clip(now, columns.now_cells, ellipsis=glyphs.cut), role)
    if columns.tokens_end is not None:
        spent = glyphs.plain(tokens(run.tokens.total))
        line.right(columns.tokens_end, spent, _unless_missing(spent, plain))
    if columns.net_end is not None:
        net = net_text(run, glyphs, context.assets)
        line.right(columns.net_end, net, _unless_missing(net, Role.TEXT))


def _unless_missing(text: str, role: Role) -> Role:
    """Returns the faintest role for zero and unrecorded values, else `role`."""
    return Role.FAINT if text in (NOT_RECORDED, "-", "0") else role


def moves_money(run: Run) -> bool:
    """True if a run may have a net amount."""
    return run.net is not None or presentation_of(run.runtime).moves_funds


class RunsList(LineList):
    """Runs by group. Rows keep their order until `order` is called again."""

    class Scrolled(Message):
        """The visible rows changed."""

    def __init__(self) -> None:
        super().__init__(id="runs")
        self.runs: Mapping[str, Run] = {}
        self.words = Words()
        self.sort = Sort.STARTED
        self.shows_focus = False
        """Paints the cursor as focused while the filter field has the focus."""
        self._arrangement = Arrangement()
        self._rows: list[str | Group] = []
        self._group: dict[str, Group] = {}
        self._versions: dict[str, int] = {}
        self._headings = False
        self._names: list[int] = []
        self._money = True

    # Contents

    def order(
        self, arrangement: Arrangement, *, keep_line: bool = True, to_top: bool = False
    ) -> None:
        """Applies a new order. The cursor stays on its run.

        With `keep_line` the run also stays on its screen line; with `to_top` the cursor goes to the
        first run instead.
        """
        key, before = self.key, self.cursor
        seen = keep_line and before in self.visible_rows
        line = self.screen_line_of(before) if seen else None
        self._arrangement = arrangement
        self._group = {k: group for group, keys in arrangement.groups.items() for k in keys}
        # Decided here and not on every tick: columns must not jump while someone reads.
        self._money = any(moves_money(run) for run in self.runs.values())
        self._make_rows()
        if to_top:
            self.rows_changed(self._nearest(0), screen_line=0)
        elif key in self._group:
            self.rows_changed(self._rows.index(key), screen_line=line)
        else:
            self.rows_changed(self._nearest(before))
        if self.cursor >= 0 and not keep_line:
            self.show_row(self.cursor)

    def update_runs(self, runs: Mapping[str, Run], changed: Iterable[str]) -> None:
        """Applies newer data of the runs without moving rows.

        A removed run is kept until its row is removed by `order`.
        """
        gone = {key: self.runs[key] for key in self._group if key not in runs}
        self.runs = {**runs, **gone} if gone else runs
        for key in changed:
            self._versions[key] = self._versions.get(key, 0) + 1
        self.repaint()

    def highlight(self, words: Words) -> None:
        """Sets the words to highlight in titles."""
        self.words = words

    @property
    def key(self) -> str | None:
        """The key of the run under the cursor."""
        return self.key_at(self.cursor)

    @property
    def run(self) -> Run | None:
        """The run under the cursor."""
        return self.runs.get(self.key) if self.key else None

    def key_at(self, row: int) -> str | None:
        """The key of the run in a row; None for a heading or no row."""
        entry = self._rows[row] if 0 <= row < len(self._rows) else None
        return None if isinstance(entry, Group) else entry

    @property
    def visible_keys(self) -> list[str]:
        """Keys of the visible runs."""
        keys = (self.key_at(row) for row in self.visible_rows)
        return [key for key in keys if key is not None]

    @property
    def shown_keys(self) -> list[str]:
        """Keys of all listed runs, in display order."""
        return [entry for entry in self._rows if not isinstance(entry, Group)]

    @property
    def shown_count(self) -> int:
        """Number of listed runs."""
        return len(self._group)

    def go_to(self, key: str) -> bool:
        """Moves the cursor to a run; False if the run is not listed."""
        if key not in self._group:
            return False
        self.move_to(self._rows.index(key))
        return True

    def _make_rows(self) -> None:
        self._headings = self._columns.grouped
        rows: list[str | Group] = []
        for group, keys in self._arrangement.groups.items():
            # The head shows the name of the first group.
            if self._headings and rows:
                rows.append(group)
            rows += keys
        self._rows = rows
        self._names = [row for row, entry in enumerate(rows) if isinstance(entry, Group)]

    def _nearest(self, row: int) -> int:
        """The selectable row at or nearest to `row`; -1 if there is none."""
        row = max(0, min(row, len(self._rows) - 1))
        around: Sequence[int] = (*range(row, len(self._rows)), *range(row - 1, -1, -1))
        return next((place for place in around if self.selectable(place)), -1)

    @property
    def _columns(self) -> Columns:
        return columns_for(max(1, self.size.width), money=self._money)

    # Painting

    @property
    def row_count(self) -> int:
        """Runs and headings."""
        return len(self._rows)

    @property
    def has_head(self) -> bool:
        """True if the width has room for column names."""
        return self._columns.headed

    def selectable(self, row: int) -> bool:
        """Headings cannot be selected."""
        return not isinstance(self._rows[row], Group)

    def entries(self, rows: int) -> int:
        """Number of runs in the first `rows` rows, without headings."""
        return rows - bisect_left(self._names, rows)

    def version(self, row: int) -> Hashable:
        """Everything a painted row depends on."""
        entry = self._rows[row]
        if isinstance(entry, Group):
            return (entry, row == self.top, self._money)
        run = self.runs.get(entry)
        elapsed = elapsed_text(run, self.ui.clock()) if run else ""
        return (
            entry,
            self._money,
            self._versions.get(entry, 0),
            self._group[entry],
            elapsed,
            self.words,
            self.shows_focus,
        )

    def head_version(self, top: int) -> Hashable:
        """The head depends on the topmost group and the sort key."""
        return (self._group_at(top), self.sort, self._money)

    def paint_head(self, width: int, top: int) -> Strip:
        """Paint the column names; the topmost group is named in the status column."""
        columns, edge = columns_for(width, money=self._money), margin(width)
        line = Line(width, self.ui.styles)
        group = self._group_at(top)
        if columns.grouped and group is not None:
            line.put(edge, group.value, Role.TEXT)
        for attribute, label, right in _LABELS:
            column: int | None = getattr(columns, attribute)
            if column is None:
                continue
            chosen = self.sort is not Sort.STARTED and label == self.sort.value
            role = Role.TEXT if chosen else Role.MUTED
            if right:
                line.right(column, label, role)
            else:
                line.put(column, label, role)
        return line.strip()

    def paint(self, row: int, width: int, cursor: bool, hover: bool, focused: bool) -> Strip:
        """Paint a run, or the name of a group followed by a rule."""
        entry = self._rows[row]
        columns = columns_for(width, money=self._money)
        if isinstance(entry, Group):
            return self._paint_heading(entry, columns, named=row != self.top)
        ui = self.ui
        context = RowContext(ui.styles, ui.glyphs, ui.zone, ui.clock(), self.words, ui.assets)
        ground = Ground.SELECT if cursor else Ground.HOVER if hover else Ground.BG
        run = self.runs[entry]
        focused = focused or self.shows_focus
        return paint_run(run, self._group[entry], columns, context, ground, focused)

    def _paint_heading(self, group: Group, columns: Columns, *, named: bool) -> Strip:
        line = Line(columns.width, self.ui.styles)
        if named:
            line.put(columns.glyph, group.value, Role.TEXT)
        if self.ui.styles.draws(Role.DIM):
            cells = columns.width - margin(columns.width) - columns.title
            line.put(columns.title, self.ui.glyphs.rule * cells, Role.DIM)
        return line.strip()

    def _group_at(self, row: int) -> Group | None:
        if not 0 <= row < len(self._rows):
            return None
        entry = self._rows[row]
        return entry if isinstance(entry, Group) else self._group[entry]

    def on_resize(self) -> None:
        """Show or hide headings, which depend on the width."""
        if self._columns.grouped != self._headings:
            self.order(self._arrangement)
        self.post_message(self.Scrolled())

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Post `Scrolled`."""
        super().watch_scroll_y(old_value, new_value)
        self.post_message(self.Scrolled())


def glyph_meanings(run: Run, now: int, glyphs: Glyphs) -> list[GlyphMeaning]:
    """Explains each glyph in the row of a run (`now` in UTC ms)."""
    found = [
        GlyphMeaning(
            glyphs.of(run.status), glyphs.plain(_status(run, now)), STATUS_ROLE[run.status]
        )
    ]

    def add(glyph: str, meaning: str, role: Role = Role.TEXT) -> None:
        found.append(GlyphMeaning(glyph, glyphs.plain(meaning), role))

    if run.findings:
        add(glyphs.finding, f"finding: {glyphs.safe(run.findings[0].message)}", Role.WARNING)
    if run.steps.failed:
        steps = "step" if run.steps.failed == 1 else "steps"
        add(glyphs.failed, f"{run.steps.failed} {steps} failed", Role.ERROR)
    progress = run.progress
    if progress.parallel_total is not None:
        done = progress.parallel_done or 0
        add(glyphs.parallel, f"{done} of {progress.parallel_total} parallel branches done")
    if progress.unconfirmed:
        add(glyphs.unconfirmed, MEANINGS["unconfirmed"])
    if progress.loop_now is not None:
        of = "" if progress.loop_max is None else f" of at most {progress.loop_max}"
        add(glyphs.loop, f"loop iteration {progress.loop_now}{of}")
    if progress.note and "ƒ" in progress.note:
        add(glyphs.tool, MEANINGS["tool"])
    if elapsed_text(run, now) == CANNOT_BE_KNOWN:
        add(CANNOT_BE_KNOWN, "elapsed time unknown", Role.TEXT)
    if elapsed_text(run, now) == NOT_RECORDED or run.tokens.total is None or not run.net:
        add(glyphs.nothing, "not recorded (not zero)", Role.FAINT)
    return found


def _status(run: Run, now: int) -> str:
    if run.status is Status.RUNNING and not is_active(run, now):
        return "recorded as running; nothing written in the last minute"
    if run.status is Status.RUNNING:
        return "running, written to in the last minute"
    if run.status is Status.WAITING:
        return "waiting for a person or an external event"
    if run.status is Status.INTERRUPTED:
        return "interrupted: stopped before its end"
    return MEANINGS[run.status.value]
