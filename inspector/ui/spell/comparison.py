"""State and provenance as tabs: a run compared with the run before it, or with another."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.strip import Strip

from inspector.live.feed import Overview
from inspector.model.run import Run
from inspector.query.comparison import PREVIOUS
from inspector.query.masked import Masks
from inspector.query.presentation import NO_RECORDS
from inspector.query.run_reader import RunReader
from inspector.query.view import Tab
from inspector.text.escape import json_text
from inspector.text.measure import clip
from inspector.text.numbers import NOT_RECORDED
from inspector.text.parse_time import parse_instant
from inspector.ui.command_screen import CommandScreen
from inspector.ui.content import record_content
from inspector.ui.labels import safe
from inspector.ui.lines import NARROW, Line, LineWidget, margin, wrapped
from inspector.ui.palette import Ground, Role
from inspector.ui.panes.base import Copy
from inspector.ui.panes.master_detail import MasterDetailPane, copied_record
from inspector.ui.panes.queries import RunQueries
from inspector.ui.widgets.content_view import ContentView, TitledContent
from inspector.ui.widgets.line_list import LineList

MAX_VALUE = 300
"""Characters of a value in a row."""
ABOUT_LINES = 2
MIN_ROWS = 18
"""Rows of a tab from which the sentence about the part is shown."""
GLYPH, GAP = 2, 2
MIN_NAME, MAX_NAME = 12, 34
THREE_COLUMNS = 100
"""Columns of a terminal from which the saved state has a column of its own."""
SAVED_NOW = "saved_now"
_SIDES = ("before", "after", SAVED_NOW)


# Data, made on a reader's thread


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """A name and its values in both runs, masked."""

    name: str
    change: str | None
    """`added removed changed same`; None where there is nothing to compare with."""
    before: str
    after: str
    now: str | None
    """The value saved now; None where the part is not saved."""
    stale: bool
    record: Mapping[str, Any]
    """All fields."""

    @property
    def differs(self) -> bool:
        """Whether the values of the two runs differ."""
        return self.change not in (None, "same")

    def shown(self) -> dict[str, object]:
        """The values by side."""
        return {name: value for name, value in self.record.items() if name in _SIDES}


@dataclass(frozen=True, slots=True)
class RunComparison:
    """One part of two runs."""

    about: str
    before: str | None
    """The id of the other run; None if there is none."""
    rows: tuple[ComparedRow, ...]
    notes: tuple[str, ...]
    with_now: bool
    """Whether the rows have values saved now."""

    def summary(self) -> str:
        """The number of changes by kind; empty if nothing was compared."""
        words = ("changed", "added", "removed")
        counts = [(sum(row.change == word for row in self.rows), word) for word in words]
        changes = ", ".join(f"{number:,} {word}" for number, word in counts if number)
        compared = any(row.change is not None for row in self.rows)
        return changes or ("no differences" if compared else "")


def comparison_of(reader: RunReader, part: str, against: str | None) -> RunComparison | None:
    """Compares a part with that of another run, by default the previous one.

    None if the runtime does not compare the part.
    """
    side = reader.side(part, against or PREVIOUS)
    found = None if side is None else reader.compare(part, side, whole=True)
    if found is None:
        return None
    now = _saved(reader) if part == "state" else None
    records = [dict(record) for record in found.records]
    if now is not None:
        known = {record["name"] for record in records}
        records += [{"name": name, "change": None} for name in now if name not in known]
        for record in records:
            if record["name"] in now:
                record[SAVED_NOW] = {record["name"]: now[record["name"]]}
    masked = Masks().content({"records": records})["records"]
    rows = tuple(_row(record, now is not None) for record in masked)
    return RunComparison(reader.about(part) or "", found.before, rows, found.notes, now is not None)


def _saved(reader: RunReader) -> dict[str, Any]:
    """The spell's saved state."""
    rows = reader.record("state")
    return {row["name"]: row[SAVED_NOW] for row in rows if SAVED_NOW in row}


def _row(record: Mapping[str, Any], with_now: bool) -> ComparedRow:
    before, after, now = (_text(record, side) for side in _SIDES)
    return ComparedRow(
        str(record["name"]),
        record["change"],
        before,
        after,
        now if with_now else None,
        record.get("stale") is True,
        record,
    )


def _text(record: Mapping[str, Any], side: str) -> str:
    """The value of a side on one line; a data source by its place, age and time."""
    if side not in record:
        return NOT_RECORDED
    value = record[side]
    if record.get("of") == "source":
        return _source(value)
    if isinstance(value, Mapping) and record["name"] in value:
        value = value[record["name"]]
    return (value if isinstance(value, str) else json_text(value))[:MAX_VALUE]


def _source(source: object) -> str:
    if not isinstance(source, Mapping):
        return str(source)[:MAX_VALUE]
    words = [str(source[name]) for name in ("venue", "dataset", "asset") if source.get(name)]
    age = source.get("snapshot_age_sec")
    if isinstance(age, int) and not isinstance(age, bool):
        words.append(f"{age:,} s old")
    taken = source.get("snapshot_at")
    if parse_instant(taken) is not None:
        words.append(f"of {taken}")
    return ("  ".join(words) or json_text(source))[:MAX_VALUE]


# The list


@dataclass(frozen=True, slots=True)
class _Column:
    title: str
    start: int
    end: int


class ComparisonList(LineList):
    """One line for each name, with its values in both runs."""

    def __init__(self) -> None:
        super().__init__(id="comparison")
        self._comparison: RunComparison | None = None

    def show(self, comparison: RunComparison) -> None:
        """Shows a comparison. The cursor stays on its name; it starts on the first difference."""
        row, rows = self.row, comparison.rows
        self._comparison = comparison
        at = next((at for at, one in enumerate(rows) if row and one.name == row.name), None)
        if at is None:
            at = next((at for at, one in enumerate(rows) if one.differs), 0)
        self.rows_changed(at if rows else -1)
        if row is None:
            self.show_row(at)

    @property
    def row(self) -> ComparedRow | None:
        """The selected name."""
        rows = self._rows
        return rows[self.cursor] if 0 <= self.cursor < len(rows) else None

    @property
    def _rows(self) -> tuple[ComparedRow, ...]:
        return self._comparison.rows if self._comparison is not None else ()

    @property
    def row_count(self) -> int:
        """The number of names."""
        return len(self._rows)

    @property
    def has_head(self) -> bool:
        """Column titles stay above the rows."""
        return True

    def version(self, row: int) -> Hashable:
        """The row of this comparison."""
        return (row, id(self._comparison))

    def head_version(self, top: int) -> Hashable:
        """The comparison."""
        return id(self._comparison)

    def _columns(self, width: int) -> list[_Column]:
        """The columns for a width; a narrow terminal shows only this run's values."""
        titles = ["before", "this run"]
        if width < NARROW:
            titles = titles[1:]
        elif self._comparison is not None and self._comparison.with_now and width >= THREE_COLUMNS:
            titles.append("saved now")
        edge = margin(width)
        longest = max((len(row.name) for row in self._rows), default=0)
        name = min(max(MIN_NAME, longest), MAX_NAME, max(MIN_NAME, width // 3))
        start = edge + GLYPH
        columns = [_Column("name", start, start + name)]
        room = width - edge - (start + name) - GAP * len(titles)
        each = max(1, room // len(titles))
        at = start + name + GAP
        for title in titles:
            columns.append(_Column(title, at, at + each))
            at += each + GAP
        return columns

    def paint_head(self, width: int, top: int) -> Strip:
        """Draws the column titles."""
        line = Line(width, self.ui.styles)
        for column in self._columns(width):
            line.put(column.start, clip(column.title, column.end - column.start), Role.MUTED)
        return line.strip()

    def paint(self, row: int, width: int, cursor: bool, hover: bool, focused: bool) -> Strip:
        """Draws a name."""
        ui, one = self.ui, self._rows[row]
        ground = Ground.SELECT if cursor else Ground.HOVER if hover else Ground.BG
        line = Line(width, ui.styles, ground)
        if cursor:
            line.put(0, ui.glyphs.cursor, Role.ACCENT if focused else Role.GUIDE)
        if one.stale:
            line.put(margin(width), ui.glyphs.finding, Role.WARNING)
        elif one.differs:
            line.put(margin(width), ui.glyphs.differs, Role.WARNING)
        texts = {"name": one.name, "before": one.before, "this run": one.after}
        texts["saved now"] = one.now or ""
        roles = {"before": Role.MUTED, "saved now": Role.MUTED}
        roles["name"] = Role.STRONG if cursor and focused else Role.TEXT
        roles["this run"] = Role.STRONG if one.differs else Role.TEXT
        for column in self._columns(width):
            text = safe(texts[column.title], ui.glyphs)
            shown = clip(text, column.end - column.start, ellipsis=ui.glyphs.cut)
            line.put(column.start, shown, roles[column.title])
        return line.strip()


# The tab


class ComparisonHead(LineWidget):
    """A sentence about the part, then the other run and the number of changes."""

    def __init__(self) -> None:
        super().__init__(id="comparison-head")
        self._facts: tuple[tuple[str, Role], ...] = ()
        self._lines: list[str] = []

    def show(self, about: str, facts: Sequence[tuple[str, Role]], width: int, low: bool) -> None:
        """Shows text that is safe to show; facts only where the tab is low."""
        room = max(8, width - 2 * margin(width))
        self._lines = [] if low else list(wrapped(about, room, ABOUT_LINES, self.ui.glyphs.cut))
        self._facts = tuple(facts)
        self.styles.height = len(self._lines) + 2
        self.repaint()

    def paint_line(self, y: int, width: int) -> Strip:
        """Draws a line."""
        line, cut = self.line(width), self.ui.glyphs.cut
        line.put(margin(width), "")
        if y < len(self._lines):
            line.add(self._lines[y], Role.MUTED)
        elif y == len(self._lines):
            end = width - margin(width)
            for number, (text, role) in enumerate(self._facts):
                skip = 3 if number else 0
                line.add(clip(text, max(0, end - line.cells - skip), ellipsis=cut), role, skip=skip)
        return line.strip()


class ComparisonPane(MasterDetailPane):
    """One part of this run and of another; `h` and `l` choose the other run."""

    HINTS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("outward", "compare with"),
        ("copy.value", "copy"),
        ("pane", "pane"),
    )

    def __init__(self, queries: RunQueries, run: Run, tab: Tab) -> None:
        super().__init__(queries, id=f"comparison-{tab.part}")
        self._run = run
        self._part = tab.part
        self._against: str | None = None
        """The id of the chosen run; None = the previous run."""
        self._comparison: RunComparison | None = None

    def compose(self) -> ComposeResult:
        """The head, the names and the values of the selected one."""
        yield ComparisonHead()
        yield ComparisonList()
        yield ContentView(id="content")

    @property
    def list(self) -> ComparisonList:
        """The names."""
        return self.query_one(ComparisonList)

    async def load(self) -> None:
        """Reads and compares both runs."""
        part, against = self._part, self._against
        answer = await self.queries.ask(lambda reader: comparison_of(reader, part, against))
        if isinstance(answer, RunComparison):
            self._comparison, self.note = answer, ""
            self.list.show(answer)
        elif answer is None:
            self.note = "Comparison is not available for this runtime."
        else:
            self.note = answer.reason
        self.render_detail(keep=True)

    def render_detail(self, *, keep: bool) -> None:
        """Shows the head for the current width, and the values of the selected name."""
        self._show_head()
        row, view, glyphs = self.list.row, self.query_one(ContentView), self.ui.glyphs
        if row is None:
            empty = "" if self._comparison is None else NO_RECORDS
            view.show_content(TitledContent("", (), None, empty), keep=False)
            return
        facts = [row.change or "", "stale: older than the run allowed" if row.stale else ""]
        content = TitledContent(
            safe(row.name, glyphs), tuple(filter(None, facts)), record_content(row.shown())
        )
        view.show_content(content, keep=keep)

    def _show_head(self) -> None:
        width, height = self.size
        comparison, glyphs = self._comparison, self.ui.glyphs
        facts = [(self.safe_note(), Role.TEXT)]
        if comparison is not None:
            facts += [(safe(note, glyphs), Role.TEXT) for note in comparison.notes]
            if comparison.before is not None:
                which = "the run before" if self._against is None else "chosen"
                facts.insert(0, (f"against {safe(comparison.before, glyphs)}, {which}", Role.MUTED))
            facts.append((comparison.summary() if not comparison.notes else "", Role.TEXT))
        about = comparison.about if comparison is not None else ""
        head = self.query_one(ComparisonHead)
        head.show(about, [one for one in facts if one[0]], width, height < MIN_ROWS)

    def action_outward(self) -> None:
        """Compares with an older run."""
        self._choose(1)

    def action_inward(self) -> None:
        """Compares with a newer run."""
        self._choose(-1)

    def _choose(self, by: int) -> None:
        """Moves `by` runs back in the list of this spell's other runs."""
        others = [run for run in self._run_ids() if run != self._run.run_id]
        if not others:
            self._show_message("This spell has no other runs.")
            return
        known = self._comparison.before if self._comparison is not None else None
        at = others.index(known) + by if known in others else 0
        if not 0 <= at < len(others):
            end = "oldest" if by > 0 else "newest"
            self._show_message(f"This is the {end} run of this spell.")
            return
        self._against = others[at]
        self.reload()

    def _run_ids(self) -> tuple[str, ...]:
        """Ids of the spell's runs, newest first."""
        overview = getattr(self.app, "overview", None)
        runs = overview.runs if isinstance(overview, Overview) else ()
        mine = (self._run.store.path, self._run.session)
        found = (run.run_id for run in runs if (run.store.path, run.session) == mine)
        return tuple(run_id for run_id in found if run_id)

    def _show_message(self, sentence: str) -> None:
        if isinstance(self.screen, CommandScreen):
            self.screen.show_message(sentence)

    def value_to_copy(self) -> Copy | None:
        """The values of the selected name."""
        row = self.list.row
        return None if row is None else copied_record(row.shown(), "both values")
