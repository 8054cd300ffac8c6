"""The list of runs in its groups, with a head that names the columns and the topmost group."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterable, Mapping, Sequence

from textual.message import Message
from textual.strip import Strip

from inspector.derive.filters import Words
from inspector.derive.groups import Arrangement, Group, Sort
from inspector.model.run import Run
from inspector.query.registry import presentation_of
from inspector.ui.lines import Line, margin
from inspector.ui.palette import Ground, Role
from inspector.ui.runs.columns import Columns, columns_for
from inspector.ui.runs.row import Look, elapsed_text, paint_run
from inspector.ui.widgets.line_list import LineList

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


def moves_money(run: Run) -> bool:
    """Whether a run may have a net amount."""
    return run.net is not None or presentation_of(run.runtime).moves_funds


class RunsList(LineList):
    """Runs by group. Rows keep their order until they are arranged again."""

    class Scrolled(Message):
        """Other rows are on the screen."""

    def __init__(self) -> None:
        super().__init__(id="runs")
        self.runs: Mapping[str, Run] = {}
        self.words = Words()
        self.sort = Sort.STARTED
        self.looks_focused = False
        """Draws the cursor as if the list had the focus: while the filter is typed."""
        self._arrangement = Arrangement()
        self._rows: list[str | Group] = []
        self._group: dict[str, Group] = {}
        self._versions: dict[str, int] = {}
        self._headings = False
        self._names: list[int] = []
        self._money = True

    # What it shows

    def order(
        self, arrangement: Arrangement, *, keep_line: bool = True, to_top: bool = False
    ) -> None:
        """Takes a new order; the cursor stays on its run and, unless told otherwise, its line.

        With `to_top` it goes to the first run, as at the beginning.
        """
        key, before = self.key, self.cursor
        seen = keep_line and before in self.visible_rows
        line = self.screen_line_of(before) if seen else None
        self._arrangement = arrangement
        self._group = {k: group for group, keys in arrangement.groups.items() for k in keys}
        # Decided here and not by every tick: columns must not move while one looks.
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
        """Takes newer knowledge of the runs; rows stay where they are.

        A run that is gone stays known as long as it has a row.
        """
        gone = {key: self.runs[key] for key in self._group if key not in runs}
        self.runs = {**runs, **gone} if gone else runs
        for key in changed:
            self._versions[key] = self._versions.get(key, 0) + 1
        self.repaint()

    def search(self, words: Words) -> None:
        """Says which words to mark in titles."""
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
        """The key of the run in a row; None for a heading."""
        entry = self._rows[row] if 0 <= row < len(self._rows) else None
        return None if isinstance(entry, Group) else entry

    @property
    def visible_keys(self) -> list[str]:
        """The runs on the screen."""
        keys = (self.key_at(row) for row in self.visible_rows)
        return [key for key in keys if key is not None]

    @property
    def shown_keys(self) -> list[str]:
        """All runs of the list, in its order."""
        return [entry for entry in self._rows if not isinstance(entry, Group)]

    @property
    def shown_count(self) -> int:
        """How many runs the list has."""
        return len(self._group)

    def go_to(self, key: str) -> bool:
        """Puts the cursor on a run; False when the list does not show it."""
        if key not in self._group:
            return False
        self.move_to(self._rows.index(key))
        return True

    def _make_rows(self) -> None:
        self._headings = self._columns.grouped
        rows: list[str | Group] = []
        for group, keys in self._arrangement.groups.items():
            # The head names the first group.
            if self._headings and rows:
                rows.append(group)
            rows += keys
        self._rows = rows
        self._names = [row for row, entry in enumerate(rows) if isinstance(entry, Group)]

    def _nearest(self, row: int) -> int:
        """The row at or around this one that can have the cursor, -1 when there is none."""
        row = max(0, min(row, len(self._rows) - 1))
        around: Sequence[int] = (*range(row, len(self._rows)), *range(row - 1, -1, -1))
        return next((place for place in around if self.selectable(place)), -1)

    @property
    def _columns(self) -> Columns:
        return columns_for(max(1, self.size.width), money=self._money)

    # How it is drawn

    @property
    def row_count(self) -> int:
        """Runs and headings."""
        return len(self._rows)

    @property
    def has_head(self) -> bool:
        """Column names stand where there is room for more than titles."""
        return self._columns.headed

    def selectable(self, row: int) -> bool:
        """Headings are passed over."""
        return not isinstance(self._rows[row], Group)

    def entries(self, rows: int) -> int:
        """Runs, without headings."""
        return rows - bisect_left(self._names, rows)

    def version(self, row: int) -> Hashable:
        """What a row's picture depends on."""
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
            self.looks_focused,
        )

    def head_version(self, top: int) -> Hashable:
        """The head names the topmost group and the order."""
        return (self._group_at(top), self.sort, self._money)

    def paint_head(self, width: int, top: int) -> Strip:
        """Column names; the group's name stands where `status` would."""
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
        """A run, or the name of a group with a rule behind it."""
        entry = self._rows[row]
        columns = columns_for(width, money=self._money)
        if isinstance(entry, Group):
            return self._paint_heading(entry, columns, named=row != self.top)
        ui = self.ui
        look = Look(ui.styles, ui.glyphs, ui.zone, ui.clock(), self.words, ui.assets)
        ground = Ground.SELECT if cursor else Ground.HOVER if hover else Ground.BG
        run = self.runs[entry]
        focused = focused or self.looks_focused
        return paint_run(run, self._group[entry], columns, look, ground, focused)

    def _paint_heading(self, group: Group, columns: Columns, *, named: bool) -> Strip:
        line = Line(columns.width, self.ui.styles)
        if named:
            line.put(columns.sign, group.value, Role.TEXT)
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
        """Headings come and go with the width."""
        if self._columns.grouped != self._headings:
            self.order(self._arrangement)
        self.post_message(self.Scrolled())

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Tells that other rows are on the screen."""
        super().watch_scroll_y(old_value, new_value)
        self.post_message(self.Scrolled())
