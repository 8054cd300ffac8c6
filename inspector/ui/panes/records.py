"""A tab of records: a table above, the record under the cursor below."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from inspector.live.feed import Unavailable
from inspector.query.run_reader import RunReader
from inspector.query.view import RunView, Tab
from inspector.text.measure import clip, clip_start
from inspector.ui.clipboard import fit_to_copy
from inspector.ui.command_screen import CommandScreen
from inspector.ui.content import content_of, record_content
from inspector.ui.labels import safe
from inspector.ui.lines import Line, margin
from inspector.ui.palette import Ground, Role
from inspector.ui.panes.base import Copy, Pane
from inspector.ui.panes.queries import RunQueries
from inspector.ui.panes.record_columns import Column, Record, Table, table_for
from inspector.ui.widgets.content_view import ContentView, TitledContent
from inspector.ui.widgets.line_list import LineList

MIDDLE = 80
"""Columns from which every column of a table is shown."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A column and where it stands."""

    column: Column
    start: int
    end: int


def place(table: Table, width: int) -> tuple[Placed, ...]:
    """Where the columns of a table stand in a width; those that do not fit are left out."""
    edge = margin(width)
    shown = [one for one in table.columns if width >= MIDDLE or one.narrow]
    start, room = edge + 2, width - 2 * edge - 2
    while len(shown) > 1 and sum(one.cells for one in shown) + 2 * (len(shown) - 1) > room:
        shown.pop()
    spare = max(0, room - sum(one.cells for one in shown) - 2 * (len(shown) - 1))
    placed = []
    for one in shown:
        cells = one.cells + (spare if one.grows else 0)
        placed.append(Placed(one, start, min(start + cells, width - edge)))
        start += cells + 2
    return tuple(placed)


class RecordList(LineList):
    """Records with a cursor; the cursor stays on its row number while records are only added."""

    def __init__(self) -> None:
        super().__init__(id="records")
        self._table: Table | None = None
        self._records: tuple[Record, ...] = ()
        self._rows: tuple[tuple[str, ...], ...] = ()

    def show(self, table: Table, records: Sequence[Record]) -> None:
        """Takes the records of a part."""
        glyphs = self.ui.glyphs
        self._table, self._records = table, tuple(records)
        self._rows = tuple(
            tuple(safe(column.text(record), glyphs) for column in table.columns)
            for record in records
        )
        self.rows_changed(min(max(self.cursor, 0), len(self._records) - 1))

    @property
    def record(self) -> Record | None:
        """The record under the cursor."""
        return self._records[self.cursor] if 0 <= self.cursor < len(self._records) else None

    @property
    def records(self) -> tuple[Record, ...]:
        """All records."""
        return self._records

    @property
    def row_count(self) -> int:
        """Records."""
        return len(self._records)

    @property
    def has_head(self) -> bool:
        """The names of the columns."""
        return True

    def version(self, row: int) -> Hashable:
        """What the line says."""
        return self._rows[row]

    def head_version(self, top: int) -> Hashable:
        """The names never change while the part is the same."""
        return id(self._table)

    def paint_head(self, width: int, top: int) -> Strip:
        """The names of the columns."""
        line = Line(width, self.ui.styles)
        for one in place(self._table, width) if self._table is not None else ():
            if one.column.right:
                line.right(one.end, one.column.title, Role.MUTED)
            else:
                line.put(one.start, one.column.title, Role.MUTED)
        return line.strip()

    def paint(self, row: int, width: int, cursor: bool, hover: bool, focused: bool) -> Strip:
        """One record."""
        ui, table = self.ui, self._table
        assert table is not None
        line = Line(
            width, ui.styles, Ground.SELECT if cursor else Ground.HOVER if hover else Ground.BG
        )
        if cursor:
            line.put(0, ui.glyphs.cursor, Role.ACCENT if focused else Role.GUIDE)
        if table.trouble(self._records[row]) is not None:
            line.put(margin(width), ui.glyphs.finding, Role.WARNING)
        for one in place(table, width):
            text = self._rows[row][table.columns.index(one.column)]
            cut = clip_start if one.column.from_end else clip
            shown = cut(text, one.end - one.start, ellipsis=ui.glyphs.cut)
            role = one.column.role
            if cursor and focused and one.column.grows:
                role = Role.STRONG
            if one.column.right:
                line.right(one.end, shown, role)
            else:
                line.put(one.start, shown, role)
        return line.strip()


AGAIN = 0.5
"""Seconds between two readings while the run goes on."""

EMPTY = {
    "agents": "No agent is recorded: nothing was kept from one session to the next.",
    "source": "No source is kept beside this run.",
    "imports": "This run imports nothing.",
}
"""What is said where a part has no records."""

Found = tuple[tuple[Record, ...], str]
"""Records, and a sentence about all of them."""


class RecordsPane(Pane):
    """The records of one part."""

    HINTS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("enter", "whole record"),
        ("copy.value", "copy record"),
    )
    ALONE: ClassVar[tuple[tuple[str, str], ...]] = (
        ("back", "all records"),
        ("copy.value", "copy record"),
    )
    """The footer while one record stands alone."""

    def __init__(self, queries: RunQueries, tab: Tab) -> None:
        super().__init__(queries, id=f"records-{tab.part.replace('_', '-')}")
        self._tab = tab
        self._told = ""
        self._table: Table | None = None
        self._outdated = True
        self._again: Timer | None = None
        self._told_row = -1
        self._aim: str | None = None
        """The place in the source that is to be shown when its records are there."""

    def compose(self) -> ComposeResult:
        """The table and the record."""
        yield RecordList()
        yield ContentView(id="content")

    @property
    def list(self) -> RecordList:
        """The table."""
        return self.query_one(RecordList)

    @property
    def main(self) -> Widget:
        """The table."""
        return self.list

    def hints(self, width: int) -> tuple[tuple[str, str], ...]:
        """The footer: of the table, or of the record that stands alone."""
        if not self.has_class("-alone"):
            return self.HINTS
        has_forms = self.query_one(ContentView).forms is not None
        return (*self.ALONE, ("form", "other form")) if has_forms else self.ALONE

    def take(self, view: RunView) -> None:
        """Another view: the records may be others."""
        self._outdated = True
        if self.display and self._again is None:
            self._again = self.set_timer(AGAIN, self._read)

    def opened(self) -> None:
        """Reads the records if they may be others."""
        if self._outdated:
            self._read()

    def _read(self) -> None:
        self._again = None
        self._outdated = False
        part = self._tab.part
        self.queries.ask(f"record {part}", lambda reader: found_in(reader, part), self._take)

    def _take(self, answer: Found | Unavailable | None) -> None:
        if answer is None:
            self._told = "This run has no such records."
        elif isinstance(answer, Unavailable):
            self._told = answer.reason
        else:
            records, self._told = answer
            self._table = table_for(self._tab.part, records)
            self.list.show(self._table, records)
        self._tell(keep=True)
        self._follow_aim()

    @on(LineList.Moved)
    def _moved(self) -> None:
        self._tell(keep=self.list.cursor == self._told_row)

    def _tell(self, *, keep: bool) -> None:
        glyphs, record, view = self.ui.glyphs, self.list.record, self.query_one(ContentView)
        self._told_row = self.list.cursor
        told = safe(self._told, glyphs)
        if record is None or self._table is None:
            empty = told if self._table is None else ""
            note = empty or EMPTY.get(self._tab.part, "Nothing is recorded here.")
            view.tell(TitledContent("", (), None, note), keep=False)
            return
        table = self._table
        trouble = table.trouble(record)
        facts = tuple(one for one in (safe(trouble, glyphs) if trouble else "", told) if one)
        body = None if table.body is None else table.body(record)
        content = record_content(dict(record)) if body is None else content_of(*body, "text")
        if table.in_lines:
            content = replace(content, markdown="")
        view.tell(TitledContent(safe(table.title(record), glyphs), facts, content), keep=keep)

    def aim(self, place: str) -> None:
        """Shows a line of the source that the step before belongs to."""
        if self._table is None or self._table.in_lines:
            self._aim = place
            self._follow_aim()

    def _follow_aim(self) -> None:
        if self._aim is None or self._table is None or not self._table.in_lines:
            return
        file, _, line = self._aim.rpartition(":")
        self._aim = None
        at = (row for row, one in enumerate(self.list.records) if one.get("path") == file)
        row = next(at, None)
        if row is not None and line.isdigit():
            self.list.move_to(row, tell=False)
            self._tell(keep=False)
            self.query_one(ContentView).mark(int(line))

    # What can be done

    def enter(self) -> None:
        """The record alone."""
        if self.list.record is not None:
            self._alone(True)

    def zoom(self) -> None:
        """The record alone, or the table with it."""
        self._alone(not self.has_class("-alone"))

    def _alone(self, alone: bool) -> None:
        self.set_class(alone, "-alone")
        if isinstance(self.screen, CommandScreen):
            self.screen.show_hints()
        (self.query_one(ContentView) if alone else self.list).focus()

    def back(self) -> bool:
        """From one record to all."""
        if not self.has_class("-alone"):
            return False
        self._alone(False)
        return True

    def value_to_copy(self) -> Copy | None:
        """The record as it is shown."""
        record = self.list.record
        if record is None:
            return None
        lines = (line.lead + line.key + line.rest for line in record_content(dict(record)).lines)
        return Copy(fit_to_copy(None, "\n".join(lines)), "the record")


def found_in(reader: RunReader, part: str) -> Found | None:
    """The records of a part; None where the run has no such part. On a reader's thread."""
    try:
        records = tuple(reader.record(part))
    except KeyError:
        return None
    return records, f"{len(records):,} {'record' if len(records) == 1 else 'records'}"
