"""Table grid: loaded rows with a row and column cursor, and as many columns as fit."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

from textual.message import Message
from textual.strip import Strip

from inspector.query.ask_sql import unique_names
from inspector.query.raw_pages import Cut, Row, Withheld
from inspector.text.mask import mask_named
from inspector.text.measure import cell_width, clip
from inspector.text.numbers import count, size
from inspector.ui.glyphs import Glyphs
from inspector.ui.labels import LONGEST
from inspector.ui.lines import NARROW, Line, margin
from inspector.ui.palette import Ground, Role
from inspector.ui.widgets.line_list import LineList

NULL = "NULL"
LEASE = "withheld"
HEX_BYTES = 32


class Written(NamedTuple):
    """Escaped text, its role, and whether it is right-aligned."""

    text: str
    role: Role
    right: bool


def written(name: str, cell: Any, glyphs: Glyphs) -> Written:
    """Format a cell on one line; `name`, the column name, may mark the value as a secret."""
    if cell is None:
        return Written(NULL, Role.FAINT, False)
    if isinstance(cell, bool | int | float):
        return Written(str(cell), Role.TEXT, True)
    if isinstance(cell, Withheld):
        return Written(LEASE, Role.MUTED, False)
    head, length = (cell.head, cell.size) if isinstance(cell, Cut) else (cell, len(cell))
    if isinstance(head, bytes):
        return Written(f"blob {size(length)}", Role.MUTED, True)
    if not head:
        return Written("''", Role.FAINT, False)
    shown = glyphs.safe(mask_named(name, head[:LONGEST]).text)
    return Written(shown, Role.TEXT, False)


def cell_facts(cell: Any) -> str:
    """Describe a cell: storage class and length."""
    if cell is None:
        return "null"
    if isinstance(cell, Withheld):
        return "never read"
    if isinstance(cell, int):
        return "integer"
    if isinstance(cell, float):
        return "real"
    head, length = (cell.head, cell.size) if isinstance(cell, Cut) else (cell, None)
    if isinstance(head, bytes):
        return f"blob, {size(len(head) if length is None else length)}"
    return f"text, {count(len(head))} chars" if length is None else f"text, {size(length)}"


def full_cell(cell: Any) -> Any:
    """Format a cell in full, for the row detail and for copying."""
    if isinstance(cell, Withheld):
        return "‹never read›"
    head, length = (cell.head, cell.size) if isinstance(cell, Cut) else (cell, None)
    if isinstance(head, bytes):
        whole = len(head) if length is None else length
        digits = head[:HEX_BYTES].hex(" ")
        return f"‹blob, {size(whole)}› {digits}{' …' if whole > HEX_BYTES else ''}".rstrip()
    return head if length is None else f"{head}… ‹{size(length)} in all›"


def is_whole(cells: Sequence[Any]) -> bool:
    """True if no cell of a row was truncated."""
    return not any(isinstance(cell, Cut) for cell in cells)


def as_record(names: Sequence[str], cells: Sequence[Any]) -> Mapping[str, Any]:
    """Map column names to cells; duplicate names are numbered."""
    return dict(zip(unique_names(names), map(full_cell, cells), strict=True))


LEAST, MOST = 4, 36
"""Minimum and maximum width of a column, in cells."""
LOOKED_AT = 64
"""Rows sampled to size a column; later, longer cells are clipped."""
GAP = 2


@dataclass(frozen=True, slots=True)
class GridColumn:
    """Column: escaped title, name used for masking, width, alignment."""

    title: str
    name: str
    cells: int
    right: bool = False
    role: Role = Role.TEXT


class Rows(Protocol):
    """Rows shown in a grid."""

    def __len__(self) -> int: ...

    def row(self, place: int) -> Row | None:
        """Return a row by index, or None if it is not loaded."""

    def serial(self, place: int) -> int:
        """Return the number of the read that loaded a row; 0 if it is not loaded."""


class Fixed:
    """Rows that were all read at once."""

    def __init__(self, rows: Sequence[Row] = ()) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def row(self, place: int) -> Row | None:
        """Return a row by index."""
        return self._rows[place] if 0 <= place < len(self._rows) else None

    def serial(self, place: int) -> int:
        """Return a constant: all rows come from one read."""
        return 1


def columns_of(
    names: Sequence[tuple[str, str]], rows: Sequence[Row], glyphs: Glyphs
) -> tuple[GridColumn, ...]:
    """Size columns by the first rows; `names` pairs each title with its name for masking."""
    found = []
    looked_at = rows[:LOOKED_AT]
    for at, (title, name) in enumerate(names):
        shown = glyphs.safe(title[:200]) or " "
        texts = [written(name, row.cells[at], glyphs) for row in looked_at]
        wide = max((cell_width(one.text) for one in texts), default=0)
        cells = min(MOST, max(LEAST, wide, min(cell_width(shown), MOST)))
        solid = [one for one in texts if one.role is not Role.FAINT]
        found.append(
            GridColumn(shown, name, cells, bool(solid) and all(one.right for one in solid))
        )
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Placed:
    at: int
    column: GridColumn
    start: int
    end: int


def _inset(width: int) -> int:
    """Cells between the margin and the first column."""
    return 2 if width >= NARROW else 1


class Grid(LineList):
    """Rows with a cursor on one row and one column."""

    class Turned(Message):
        """The cursor moved to another column."""

    def __init__(self, request: Callable[[int], None]) -> None:
        super().__init__(id="grid")
        self._request = request
        self._rows: Rows = Fixed()
        self._columns: tuple[GridColumn, ...] = ()
        self._numbers: Callable[[int, Row], str] | None = None
        self._digits = 0
        self._shape = 0
        self.column = 0
        self._first = 0

    def show(
        self,
        rows: Rows,
        columns: tuple[GridColumn, ...],
        *,
        numbers: Callable[[int, Row], str] | None = None,
        digits: int = 0,
    ) -> None:
        """Replace the rows; `numbers` is the number of digits of the row numbers."""
        self._rows, self._columns = rows, columns
        self._numbers, self._digits = numbers, digits
        self._shape += 1
        self.column = self._first = 0
        self.cursor = -1
        self._scroll(0)
        self.rows_changed(0 if len(rows) else -1)

    def columns_found(self, columns: tuple[GridColumn, ...]) -> None:
        """Set the columns once rows are available to size them by."""
        self._columns = columns
        self._shape += 1
        self.repaint()

    @property
    def columns(self) -> tuple[GridColumn, ...]:
        """All columns."""
        return self._columns

    @property
    def selected(self) -> Row | None:
        """Row under the cursor, or None if it is not loaded."""
        return self._rows.row(self.cursor) if 0 <= self.cursor < len(self._rows) else None

    @property
    def cell(self) -> Any:
        """Cell under the cursor, or None if it is not loaded."""
        row = self.selected
        return None if row is None or self.column >= len(row.cells) else row.cells[self.column]

    def move_column(self, by: int) -> None:
        """Move the column cursor right or left."""
        column = min(max(self.column + by, 0), len(self._columns) - 1)
        if column == self.column or column < 0:
            return
        self.column = column
        self._first = min(self._first, column)
        while self._first < column and not self._is_whole(column):
            self._first += 1
        self.repaint()
        self.post_message(self.Turned())

    def _is_whole(self, column: int) -> bool:
        width = self.size.width
        for one in self._placed(width):
            if one.at == column:
                return one.end - one.start >= min(one.column.cells, LEAST * 3)
        return False

    @property
    def row_count(self) -> int:
        """Number of rows known so far."""
        return len(self._rows)

    @property
    def has_head(self) -> bool:
        """True if there are columns to name."""
        return True

    def version(self, row: int) -> Hashable:
        """Read number of the row and the visible columns."""
        self._request(row)
        return (self._shape, row, self._rows.serial(row), self._first, self._selected_column(row))

    def _selected_column(self, row: int) -> int:
        return self.column if row == self.cursor else -1

    def head_version(self, top: int) -> Hashable:
        """Visible columns and the column cursor."""
        return (self._shape, self._first, self.column, self.has_focus)

    def _placed(self, width: int) -> list[_Placed]:
        edge = margin(width)
        start, end = edge + _inset(width), width - edge
        if self._numbers is not None:
            start += self._digits + GAP
        found: list[_Placed] = []
        for at in range(self._first, len(self._columns)):
            column = self._columns[at]
            room = end - start
            if found and room < min(column.cells, LEAST):
                break
            found.append(_Placed(at, column, start, start + min(column.cells, room)))
            start += column.cells + GAP
            if start >= end:
                break
        if found and found[-1].at == len(self._columns) - 1 and not found[-1].column.right:
            # The last column may use the remaining width.
            found[-1] = replace(found[-1], end=end)
        return found

    def paint_head(self, width: int, top: int) -> Strip:
        """Draw the column names, with a marker at each end where more columns are off screen."""
        line, glyphs = Line(width, self.ui.styles), self.ui.glyphs
        placed = self._placed(width)
        if self._first and placed:
            line.put(margin(width), glyphs.branch_open, Role.MUTED)
        for one in placed:
            here = one.at == self.column
            role = Role.STRONG if here and self.has_focus else Role.MUTED
            title = clip(one.column.title, one.end - one.start, ellipsis=glyphs.cut)
            start = one.end - cell_width(title) if one.column.right else one.start
            line.put(start, title, role, underline=here)
        if placed and placed[-1].at < len(self._columns) - 1:
            line.right(width - 1, glyphs.branch_close, Role.MUTED)
        return line.strip()

    def paint(self, row: int, width: int, cursor: bool, hover: bool, focused: bool) -> Strip:
        """Draw one row."""
        ui, found = self.ui, self._rows.row(row)
        ground = Ground.SELECT if cursor else Ground.HOVER if hover else Ground.BG
        line = Line(width, ui.styles, ground)
        if cursor:
            line.put(0, ui.glyphs.cursor, Role.ACCENT if focused else Role.GUIDE)
        edge = margin(width) + _inset(width)
        if found is None:
            line.put(edge, ui.glyphs.cut, Role.FAINT)
            return line.strip()
        if self._numbers is not None:
            line.right(edge + self._digits, self._numbers(row, found), Role.FAINT)
        for one in self._placed(width):
            if one.at >= len(found.cells):
                break
            text, role, right = written(one.column.name, found.cells[one.at], ui.glyphs)
            shown = clip(text, one.end - one.start, ellipsis=ui.glyphs.cut)
            here = cursor and focused and one.at == self.column
            start = one.end - cell_width(shown) if right else one.start
            # NULL and numbers must not look like text of the same spelling, even under the cursor.
            line.put(start, shown, Role.STRONG if here and role is Role.TEXT else role)
        return line.strip()
