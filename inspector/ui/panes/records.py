"""A tab of records: a table above, the selected record below."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, TypeVar

from textual.app import ComposeResult
from textual.strip import Strip

from inspector.live.feed import Unavailable
from inspector.model.run import Run
from inspector.model.status import Status
from inspector.query.presentation import NO_RECORDS, Column, Field, Format, RecordTable, Tone
from inspector.query.registry import presentation_of
from inspector.query.run_reader import RunReader
from inspector.query.view import Tab
from inspector.text.escape import json_text
from inspector.text.mask import mask_named
from inspector.text.measure import clip, clip_start
from inspector.text.numbers import (
    NOT_RECORDED,
    amount,
    clock_time,
    count,
    duration,
    instant,
    size,
    tokens,
)
from inspector.text.parse_time import parse_instant
from inspector.ui.content import content_of, record_content
from inspector.ui.context import UiContext
from inspector.ui.labels import safe
from inspector.ui.lines import Line, margin
from inspector.ui.palette import STATUS_ROLE, Ground, Role, word_role
from inspector.ui.panes.base import Copy
from inspector.ui.panes.master_detail import MasterDetailPane, copied_record
from inspector.ui.panes.queries import RunQueries
from inspector.ui.widgets.content_view import ContentView, TitledContent
from inspector.ui.widgets.line_list import LineList

Record = Mapping[str, Any]
Row = TypeVar("Row")
"""A record: a mapping or a dataclass."""

MIDDLE = 80
"""Minimum terminal width, in columns, for all columns of a table."""
MAX_GUESSED = 5
"""Columns of records without a declared table."""
ID_CELLS = 9
MAX_MASKED, MAX_CELL = 4_096, 300
"""Characters of a nested field shown in a cell and checked for secrets."""
WIDTH_SAMPLE = 200
"""Records sampled to size guessed columns."""
_SAME_IN_ALL = ("sessionId", "runId", "session_id", "run_id")
_TELLING = ("message", "name", "text", "summary", "usage", "value", "reason")
"""Fields preferred as the title of a record, best first."""


# Cells


def field_of(record: object, field: Field) -> object:
    """A field or attribute of a record, or what a function makes of the record."""
    if callable(field):
        return field(record)
    return record.get(field) if isinstance(record, Mapping) else getattr(record, field)


def plain_text(value: object) -> str:
    """Formats a value for a cell; a nested one as its number of items."""
    if value is None:
        return NOT_RECORDED
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping | Sequence) and not isinstance(value, str):
        return f"{len(value)}"
    return str(value)


def short_address(value: object) -> str:
    """The end of a content address; other values as they are."""
    text = plain_text(value)
    return f"…{text[-8:]}" if text.startswith("sha256:") else text


def cell_text(record: object, column: Column, ui: UiContext) -> str:
    """The text of one cell; untrusted."""
    value = field_of(record, column.value)
    if column.format is Format.SHORT_ID:
        return short_address(value)
    if column.format is Format.AMOUNT and column.asset is not None and value is not None:
        return _amount_text(value, str(field_of(record, column.asset)), ui)
    if column.format in (Format.CLOCK, Format.WHEN):
        # Numbers are UTC ms already.
        at = value if isinstance(value, int) else parse_instant(value)
        if at is None or isinstance(at, bool):
            return plain_text(value)
        is_clock = column.format is Format.CLOCK
        return instant(at, ui.zone) if is_clock else clock_time(at, ui.clock(), ui.zone)
    if isinstance(value, int) and not isinstance(value, bool):
        formatted = {
            Format.COUNT: count,
            Format.SIZE: size,
            Format.TOKENS: tokens,
            Format.DURATION: duration,
        }.get(column.format)
        if formatted is not None:
            return formatted(value)
    return plain_text(value)


def _amount_text(value: object, asset: str, ui: UiContext) -> str:
    """An amount with its asset; in base units unless the settings have decimals for the asset."""
    known = ui.assets.get(asset)
    if known is None:
        return f"{amount(str(value))} {asset}"
    return f"{amount(str(value), decimals=known.decimals)} {known.symbol or asset}"


def status_of(record: object, table: RecordTable) -> Status | None:
    """The status of a record; None if the table declares no status words."""
    if table.status is None or not table.statuses:
        return None
    word = field_of(record, table.status)
    return table.statuses.get(word, Status.UNKNOWN) if isinstance(word, str) else Status.UNKNOWN


def guessed_table(records: Sequence[Record]) -> RecordTable:
    """Returns a table for records without declared columns: id, a title field, others."""
    fields = [field for field in (records[0] if records else {}) if not field.endswith("_json")]
    fields = [field for field in fields if field not in _SAME_IN_ALL] or fields
    main = next((field for field in _TELLING if field in fields), None)
    if main is None:
        main = next((field for field in fields if field != "id"), fields[0] if fields else "")
    others = [field for field in fields if field not in (main, "id")]
    has_id = "id" in fields and main != "id"
    columns = [
        Column(_heading(main), _width(main, records), _outline(main), tone=Tone.TEXT, grows=True)
    ]
    if has_id:
        is_long = _width("id", records) > ID_CELLS
        cells = ID_CELLS if is_long else _width("id", records)
        columns.insert(0, Column("id", cells, "id", from_end=is_long))
    for field in others[: MAX_GUESSED - len(columns)]:
        is_second = len(columns) < 2
        columns.append(Column(_heading(field), _width(field, records), field, narrow=is_second))
    return RecordTable(tuple(columns), "id" if has_id else main)


def _heading(field: str) -> str:
    return field.replace("_", " ")


def _outline(field: str) -> Field:
    """A field with its nested fields, masked."""

    def text(record: Record) -> object:
        value = record.get(field)
        if isinstance(value, Mapping | list | tuple) and value:
            return mask_named(field, json_text(value)[:MAX_MASKED]).text[:MAX_CELL]
        return value

    return text


def _width(field: str, records: Sequence[Record]) -> int:
    sample = records[:WIDTH_SAMPLE]
    longest = max((len(plain_text(record.get(field))) for record in sample), default=0)
    return max(len(field), min(longest, 24))


# The table


@dataclass(frozen=True, slots=True)
class PlacedColumn:
    """A column, and where it starts and ends."""

    column: Column
    start: int
    end: int


def place_columns(table: RecordTable, width: int) -> tuple[PlacedColumn, ...]:
    """Places the columns that fit in `width` cells."""
    edge = margin(width)
    shown = [one for one in table.columns if width >= MIDDLE or one.narrow]
    start, room = edge + 2, width - 2 * edge - 2
    while len(shown) > 1 and sum(one.cells for one in shown) + 2 * (len(shown) - 1) > room:
        shown.pop()
    spare = max(0, room - sum(one.cells for one in shown) - 2 * (len(shown) - 1))
    growing = sum(one.grows for one in shown)
    placed = []
    for one in shown:
        cells = one.cells
        if one.grows:
            # The last column gets the remainder of the division.
            more = spare // growing
            cells, spare, growing = cells + more, spare - more, growing - 1
        placed.append(PlacedColumn(one, start, min(start + cells, width - edge)))
        start += cells + 2
    return tuple(placed)


class RecordList(LineList, Generic[Row]):
    """One line per record, in columns. The cursor keeps its row number."""

    def __init__(self) -> None:
        super().__init__(id="records")
        self._table: RecordTable | None = None
        self._records: tuple[Row, ...] = ()
        self._rows: tuple[tuple[str, ...], ...] = ()

    def show(self, table: RecordTable, records: Sequence[Row]) -> None:
        """Shows records in the columns of a table."""
        ui = self.ui
        self._table, self._records = table, tuple(records)
        self._rows = tuple(
            tuple(safe(cell_text(record, column, ui), ui.glyphs) for column in table.columns)
            for record in records
        )
        self.rows_changed(min(max(self.cursor, 0), len(self._records) - 1))

    @property
    def record(self) -> Row | None:
        """The selected record."""
        return self._records[self.cursor] if 0 <= self.cursor < len(self._records) else None

    @property
    def records(self) -> tuple[Row, ...]:
        """All records."""
        return self._records

    @property
    def row_count(self) -> int:
        """The number of records."""
        return len(self._records)

    @property
    def has_head(self) -> bool:
        """Column titles stay above the rows."""
        return True

    def version(self, row: int) -> Hashable:
        """The cells of the row."""
        return self._rows[row]

    def head_version(self, top: int) -> Hashable:
        """The table."""
        return id(self._table)

    def paint_head(self, width: int, top: int) -> Strip:
        """Draws the column titles."""
        line = Line(width, self.ui.styles)
        for one in place_columns(self._table, width) if self._table is not None else ():
            if one.column.right:
                line.right(one.end, one.column.title, Role.MUTED)
            else:
                line.put(one.start, one.column.title, Role.MUTED)
        return line.strip()

    def paint(self, row: int, width: int, cursor: bool, hover: bool, focused: bool) -> Strip:
        """Draws one record."""
        ui, table = self.ui, self._table
        assert table is not None
        line = Line(
            width, ui.styles, Ground.SELECT if cursor else Ground.HOVER if hover else Ground.BG
        )
        if cursor:
            line.put(0, ui.glyphs.cursor, Role.ACCENT if focused else Role.GUIDE)
        record = self._records[row]
        status = status_of(record, table)
        if table.problem is not None and table.problem(record) is not None:
            line.put(margin(width), ui.glyphs.finding, Role.WARNING)
        elif status is not None:
            line.put(margin(width), ui.glyphs.of(status), STATUS_ROLE[status])
        for one in place_columns(table, width):
            text = self._rows[row][table.columns.index(one.column)]
            cut = clip_start if one.column.from_end else clip
            shown = cut(text, one.end - one.start, ellipsis=ui.glyphs.cut)
            role = Role(one.column.tone.value)
            if one.column.format is Format.STATUS and status is not None:
                role = word_role(status)
            elif role is Role.ERROR and field_of(record, one.column.value) is None:
                role = Role.MUTED
            elif cursor and focused and role is Role.TEXT:
                role = Role.STRONG
            if one.column.right:
                line.right(one.end, shown, role)
            else:
                line.put(one.start, shown, role)
        return line.strip()


# The tab


class RecordsPane(MasterDetailPane):
    """The records of one part, in the table that the runtime declares for it."""

    HINTS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("enter", "whole record"),
        ("copy.value", "copy record"),
    )
    ALONE_HINTS: ClassVar[tuple[tuple[str, str], ...] | None] = (
        ("back", "all records"),
        ("copy.value", "copy record"),
    )

    def __init__(self, queries: RunQueries, run: Run, tab: Tab) -> None:
        super().__init__(queries, id=f"records-{tab.part.replace('_', '-')}")
        self._part = tab.part
        self._declared = presentation_of(run.runtime).tables.get(tab.part)
        self._table: RecordTable | None = None
        self._row = -1
        """The row that the detail shows."""
        self._target: str | None = None
        """The source location to reveal once its records are loaded."""

    def compose(self) -> ComposeResult:
        """The table and the record."""
        yield RecordList[Record]()
        yield ContentView(id="content")

    @property
    def list(self) -> RecordList[Record]:
        """The table."""
        return self.query_one(RecordList)

    def hints(self, width: int) -> tuple[tuple[str, str], ...]:
        """The footer; a record with two formats can be switched."""
        found = super().hints(width)
        has_formats = self.has_class("-alone") and self.query_one(ContentView).formats is not None
        return (*found, ("form", "other format")) if has_formats else found

    def read(self, reader: RunReader) -> tuple[Record, ...] | None:
        """The records of the part; None if the run has no such part. On a reader's thread."""
        return records_of(reader, self._part)

    async def load(self) -> None:
        """Reads the records."""
        answer = await self.queries.ask(self.read)
        if answer is None or isinstance(answer, Unavailable):
            self.show_reason(answer)
        else:
            number = len(answer)
            self.note = f"{number:,} {'record' if number == 1 else 'records'}"
            declared = self._declared
            self._table = declared if declared and declared.columns else guessed_table(answer)
            self.list.show(self._table, answer)
        self.render_detail(keep=self.list.cursor == self._row)
        self._reveal_target()

    def render_detail(self, *, keep: bool) -> None:
        """Shows the record, or why there is none."""
        glyphs, record, view = self.ui.glyphs, self.list.record, self.query_one(ContentView)
        self._row = self.list.cursor
        table, note = self._table, self.safe_note()
        if record is None or table is None:
            empty = self._declared.empty if self._declared else NO_RECORDS
            view.show_content(
                TitledContent("", (), None, note if table is None else empty), keep=False
            )
            return
        problem = table.problem(record) if table.problem is not None else None
        facts = tuple(one for one in (safe(problem, glyphs) if problem else "", note) if one)
        body = None if table.body is None else table.body(record)
        content = record_content(dict(record)) if body is None else content_of(*body, "text")
        if table.numbered:
            content = replace(content, markdown="")
        title = safe(plain_text(field_of(record, table.title)), glyphs)
        view.show_content(TitledContent(title, facts, content), keep=keep)

    def reveal_source(self, location: str) -> None:
        """Selects a file and scrolls to a line (`file:line`)."""
        if self._table is None or self._table.numbered:
            self._target = location
            self._reveal_target()

    def _reveal_target(self) -> None:
        if self._target is None or self._table is None or not self._table.numbered:
            return
        file, _, line = self._target.rpartition(":")
        self._target = None
        at = (row for row, one in enumerate(self.list.records) if one.get("path") == file)
        row = next(at, None)
        if row is not None and line.isdigit():
            self.list.move_to(row, notify=False)
            self.render_detail(keep=False)
            self.query_one(ContentView).mark(int(line))

    def redraw(self) -> None:
        """Formats the cells for the zone and units of now."""
        if self._table is not None:
            self.list.show(self._table, self.list.records)
        super().redraw()

    def action_enter(self) -> None:
        """Shows the record alone."""
        if self.list.record is not None:
            self.show_alone(True)

    def value_to_copy(self) -> Copy | None:
        """The record."""
        record = self.list.record
        return None if record is None else copied_record(dict(record), "the record")


def records_of(reader: RunReader, part: str) -> tuple[Record, ...] | None:
    """The records of a part; None if the run has no such part. On a reader's thread."""
    try:
        return tuple(reader.record(part))
    except KeyError:
        return None
