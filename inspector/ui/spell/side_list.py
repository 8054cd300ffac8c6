"""The names of a part, a line each, with what stands under them on either side."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from textual.strip import Strip

from inspector.text.measure import clip
from inspector.ui.labels import safe
from inspector.ui.lines import NARROW, Line, margin
from inspector.ui.palette import Ground, Role
from inspector.ui.spell.sides import Row, Sides
from inspector.ui.widgets.line_list import LineList

SIGN = 2
LEAST_NAME, MOST_NAME = 12, 34
THREE = 100
"""Columns from which what is saved by now has a column of its own."""
GAP = 2


@dataclass(frozen=True, slots=True)
class _Place:
    title: str
    start: int
    end: int


class SideList(LineList):
    """Names with a cursor."""

    def __init__(self) -> None:
        super().__init__(id="sides")
        self._sides: Sides | None = None

    def show(self, sides: Sides) -> None:
        """Takes both sides; the cursor stays on its name, at first on one that is other."""
        row, rows = self.row, sides.rows
        self._sides = sides
        at = next((at for at, one in enumerate(rows) if row and one.name == row.name), None)
        if at is None:
            at = next((at for at, one in enumerate(rows) if one.differs), 0)
        self.rows_changed(at if rows else -1)
        if row is None:
            self.show_row(at)

    @property
    def row(self) -> Row | None:
        """What is under the cursor."""
        rows = self._rows
        return rows[self.cursor] if 0 <= self.cursor < len(rows) else None

    @property
    def _rows(self) -> tuple[Row, ...]:
        return self._sides.rows if self._sides is not None else ()

    @property
    def row_count(self) -> int:
        """Names."""
        return len(self._rows)

    @property
    def has_head(self) -> bool:
        """The names of the columns."""
        return True

    def version(self, row: int) -> Hashable:
        """What the line says."""
        return (row, id(self._sides))

    def head_version(self, top: int) -> Hashable:
        """Which columns there are."""
        return id(self._sides)

    def _places(self, width: int) -> list[_Place]:
        """The columns for a width: in a narrow one only this run's own."""
        titles = ["before", "this run"]
        if width < NARROW:
            titles = titles[1:]
        elif self._sides is not None and self._sides.with_now and width >= THREE:
            titles.append("saved now")
        edge = margin(width)
        longest = max((len(row.name) for row in self._rows), default=0)
        name = min(max(LEAST_NAME, longest), MOST_NAME, max(LEAST_NAME, width // 3))
        start = edge + SIGN
        places = [_Place("name", start, start + name)]
        room = width - edge - (start + name) - GAP * len(titles)
        each = max(1, room // len(titles))
        at = start + name + GAP
        for title in titles:
            places.append(_Place(title, at, at + each))
            at += each + GAP
        return places

    def paint_head(self, width: int, top: int) -> Strip:
        """The names of the columns."""
        line = Line(width, self.ui.styles)
        for place in self._places(width):
            line.put(place.start, clip(place.title, place.end - place.start), Role.MUTED)
        return line.strip()

    def paint(self, row: int, width: int, cursor: bool, hover: bool, focused: bool) -> Strip:
        """A name."""
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
        styles = {"before": Role.MUTED, "saved now": Role.MUTED}
        styles["name"] = Role.STRONG if cursor and focused else Role.TEXT
        styles["this run"] = Role.STRONG if one.differs else Role.TEXT
        for place in self._places(width):
            text = safe(texts[place.title], ui.glyphs)
            shown = clip(text, place.end - place.start, ellipsis=ui.glyphs.cut)
            line.put(place.start, shown, styles[place.title])
        return line.strip()
