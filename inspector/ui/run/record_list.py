"""A table of records: one line each, in the columns of their part."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from textual.strip import Strip

from inspector.text.measure import clip, clip_start
from inspector.ui.lines import Line, margin
from inspector.ui.palette import Ground, Role
from inspector.ui.run.label import safe
from inspector.ui.run.record_columns import Column, Record, Table
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
