"""The table of values: what each name means, in which scope, and where it came from."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from textual.strip import Strip

from inspector.model.value import Then, Value
from inspector.text.measure import cell_width, clip
from inspector.text.numbers import NOT_RECORDED, SIZE_CELLS, size
from inspector.ui.glyphs import Glyphs
from inspector.ui.lines import NARROW, Line, margin
from inspector.ui.palette import Ground, Role
from inspector.ui.run.label import safe
from inspector.ui.run.previews import one_line, size_of, verdict
from inspector.ui.widgets.line_list import LineList

NAME_CELLS, SCOPE_CELLS, KIND_CELLS = 13, 11, 8
FROM_CELLS = 26
MIDDLE = 100
"""Columns from which kind and origin have columns."""


class ValueKey(NamedTuple):
    """What tells a value from others while the list is read again and again."""

    name: str | None
    scope: str
    row: int | None


def key_of(value: Value) -> ValueKey:
    """The key of a value."""
    return ValueKey(value.name, value.scope, value.row)


@dataclass(frozen=True, slots=True)
class ValueColumns:
    """Where things stand; None where there is no room for a column."""

    name: int
    scope: int | None
    kind: int | None
    size_end: int
    value: int
    value_end: int
    origin: int | None


def columns_for(width: int) -> ValueColumns:
    """The columns of a table this wide."""
    edge = margin(width)
    name = edge + 2
    if width < NARROW:
        size_end = name + NAME_CELLS + 1 + SIZE_CELLS
        return ValueColumns(name, None, None, size_end, size_end + 2, width - edge, None)
    scope = name + NAME_CELLS + 1
    kind = scope + SCOPE_CELLS + 2 if width >= MIDDLE else None
    size_end = (kind + KIND_CELLS if kind else scope + SCOPE_CELLS) + 2 + SIZE_CELLS
    value = size_end + 3
    origin = width - edge - FROM_CELLS if width >= MIDDLE else None
    return ValueColumns(
        name, scope, kind, size_end, value, origin - 2 if origin else width - edge, origin
    )


class ValuesList(LineList):
    """One line for each value."""

    def __init__(self) -> None:
        super().__init__(id="values")
        self._values: tuple[Value, ...] = ()
        self._older: set[int] = set()
        self.told = ""
        """Which scope is shown, and which names, in words."""

    def show(self, values: Sequence[Value], told: str) -> None:
        """Takes the values; the cursor stays on the one that it is on."""
        before = self.value
        self._values, self.told = tuple(values), told
        seen: set[tuple[str | None, str]] = set()
        self._older = set()
        for row, value in enumerate(self._values):
            if (value.name, value.scope) in seen:
                self._older.add(row)
            seen.add((value.name, value.scope))
        same = next(
            (
                row
                for row, value in enumerate(self._values)
                if before is not None and key_of(value) == key_of(before)
            ),
            min(max(self.cursor, 0), len(self._values) - 1),
        )
        self.rows_changed(same)

    @property
    def value(self) -> Value | None:
        """The value under the cursor."""
        return self._values[self.cursor] if 0 <= self.cursor < len(self._values) else None

    @property
    def row_count(self) -> int:
        """Values."""
        return len(self._values)

    @property
    def has_head(self) -> bool:
        """The names of the columns."""
        return True

    def version(self, row: int) -> Hashable:
        """The value itself."""
        return (self._values[row], row in self._older)

    def head_version(self, top: int) -> Hashable:
        """Which scope is shown."""
        return self.told

    def paint_head(self, width: int, top: int) -> Strip:
        """The names of the columns."""
        columns, line = columns_for(width), Line(width, self.ui.styles)
        line.put(columns.name, "name", Role.MUTED)
        if columns.scope is not None:
            line.put(columns.scope, "scope", Role.MUTED)
        if columns.kind is not None:
            line.put(columns.kind, "kind", Role.MUTED)
        line.right(columns.size_end, "size", Role.MUTED)
        line.put(columns.value, "value", Role.MUTED)
        if columns.origin is not None:
            line.put(columns.origin, "from", Role.MUTED)
        room = width - margin(width) - line.cells - 2
        if self.told and room > 8:
            told = clip(self.told, room, ellipsis=self.ui.glyphs.cut)
            line.right(width - margin(width), told, Role.ACCENT)
        return line.strip()

    def paint(self, row: int, width: int, cursor: bool, hover: bool, focused: bool) -> Strip:
        """One value."""
        ui, columns, value = self.ui, columns_for(width), self._values[row]
        ground = Ground.SELECT if cursor else Ground.HOVER if hover else Ground.BG
        line = Line(width, ui.styles, ground)
        if cursor:
            line.put(0, ui.glyphs.cursor, Role.ACCENT if focused else Role.GUIDE)
        attached = value.attachment
        if attached is not None and verdict(attached)[1] is Role.WARNING:
            line.put(margin(width), ui.glyphs.finding, Role.WARNING)
        older = row in self._older
        text = Role.MUTED if older else Role.TEXT
        name = safe(value.name, ui.glyphs) if value.name is not None else NOT_RECORDED
        role = Role.STRONG if cursor and focused else text
        line.put(columns.name, clip(name, NAME_CELLS, ellipsis=ui.glyphs.cut), role)
        if columns.scope is not None:
            scope = clip(scope_text(value.scope, ui.glyphs), SCOPE_CELLS, ellipsis=ui.glyphs.cut)
            line.put(columns.scope, scope, Role.MUTED)
        if columns.kind is not None:
            kind = safe(value.kind or NOT_RECORDED, ui.glyphs)
            line.put(columns.kind, clip(kind, KIND_CELLS, ellipsis=ui.glyphs.cut), Role.MUTED)
        line.right(columns.size_end, size(size_of(value)), Role.MUTED)
        self._content(line, columns, value, text)
        if columns.origin is not None:
            self._origin(line, columns.origin, value, older)
        return line.strip()

    def _content(self, line: Line, columns: ValueColumns, value: Value, role: Role) -> None:
        glyphs, room = self.ui.glyphs, columns.value_end - columns.value
        if value.attachment is None:
            shown, masked = one_line(value, room, glyphs)
            line.put(columns.value, shown, Role.MUTED if masked else role)
            return
        word, told = verdict(value.attachment)
        line.put(columns.value, clip("attachment", room, ellipsis=glyphs.cut), Role.MUTED)
        left = columns.value_end - line.cells - 2
        if left > 0:
            line.add(clip(word, left, ellipsis=glyphs.cut), told, skip=2)

    def _origin(self, line: Line, column: int, value: Value, older: bool) -> None:
        glyphs = self.ui.glyphs
        note = "superseded" if older else ""
        if value.superseded and not older:
            note = f"{value.superseded:,} superseded"
        if value.then is Then.UNKNOWN:
            note = "when not told"
        end = line.width - margin(line.width)
        room = end - column - (cell_width(note) + 2 if note else 0)
        origin = safe(value.source_statement or NOT_RECORDED, glyphs)
        line.put(column, clip(origin, room, ellipsis=glyphs.cut), Role.MUTED)
        line.add(note, Role.MUTED, skip=2 if note else 0)


def scope_text(scope: str, glyphs: Glyphs) -> str:
    """A scope in words: `root`, `frame 3`."""
    return f"frame {scope}" if scope.isdigit() else safe(scope, glyphs)
