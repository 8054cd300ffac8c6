"""Records of a cross-chain run, a line each: a sign for how it stands, then its columns."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from textual.strip import Strip

from inspector.text.measure import clip
from inspector.ui.labels import safe
from inspector.ui.lines import NARROW, Line, margin
from inspector.ui.palette import STATUS_ROLE, Ground, Role, word_role
from inspector.ui.spell.crossing_columns import Column, Kind, Record, status_of
from inspector.ui.widgets.line_list import LineList

SIGN, GAP = 2, 2
Placed = tuple[Column, int, int]


def places(kind: Kind, width: int) -> list[Placed]:
    """Where the columns stand; those that have no room are left out, from the right."""
    edge = margin(width)
    shown = [one for one in kind.columns if width >= NARROW or one.narrow]
    start, room = edge + SIGN, width - 2 * edge - SIGN
    while len(shown) > 1 and _taken(shown) > room:
        shown.pop()
    growing = [one for one in shown if one.grows] or shown[:1]
    spare = max(0, room - _taken(shown))
    found = []
    for one in shown:
        more = 0
        if one in growing:
            more = spare // len(growing)
            if one is growing[-1]:
                more = spare - more * (len(growing) - 1)
        found.append((one, start, min(start + one.cells + more, width - edge)))
        start += one.cells + more + GAP
    return found


def _taken(columns: Sequence[Column]) -> int:
    return sum(one.cells for one in columns) + GAP * (len(columns) - 1)


class CrossingList(LineList):
    """Records with a cursor."""

    def __init__(self, kind: Kind) -> None:
        super().__init__(id="crossing")
        self._kind = kind
        self._records: tuple[Record, ...] = ()
        self._told = 0

    def show(self, records: Sequence[Record]) -> None:
        """Takes the records; the cursor stays on its row number."""
        self._records = tuple(records)
        self._told += 1
        self.rows_changed(min(max(self.cursor, 0), len(self._records) - 1))

    @property
    def record(self) -> Record | None:
        """The record under the cursor."""
        return self._records[self.cursor] if 0 <= self.cursor < len(self._records) else None

    @property
    def row_count(self) -> int:
        """Records."""
        return len(self._records)

    @property
    def has_head(self) -> bool:
        """The names of the columns."""
        return True

    def version(self, row: int) -> Hashable:
        """Which record, in which units and zone."""
        return (row, self._told, self.ui.epoch)

    def head_version(self, top: int) -> Hashable:
        """The names never change."""
        return self._kind.part

    def paint_head(self, width: int, top: int) -> Strip:
        """The names of the columns."""
        line = Line(width, self.ui.styles)
        for column, start, end in places(self._kind, width):
            if column.right:
                line.right(end, column.title, Role.MUTED)
            else:
                line.put(start, clip(column.title, end - start), Role.MUTED)
        return line.strip()

    def paint(self, row: int, width: int, cursor: bool, hover: bool, focused: bool) -> Strip:
        """A record."""
        ui, record = self.ui, self._records[row]
        ground = Ground.SELECT if cursor else Ground.HOVER if hover else Ground.BG
        line, status = Line(width, ui.styles, ground), status_of(record, self._kind)
        if cursor:
            line.put(0, ui.glyphs.cursor, Role.ACCENT if focused else Role.GUIDE)
        line.put(margin(width), ui.glyphs.of(status), STATUS_ROLE[status])
        for column, start, end in places(self._kind, width):
            text = safe(column.text(record, ui), ui.glyphs)
            shown = clip(text, end - start, ellipsis=ui.glyphs.cut)
            role = column.role
            if column.title == "stands":
                role = word_role(status)
            elif column.title == "error" and record.get("error") is not None:
                role = Role.ERROR
            elif cursor and focused and role is Role.TEXT:
                role = Role.STRONG
            if column.right:
                line.right(end, shown, role)
            else:
                line.put(start, shown, role)
        return line.strip()
