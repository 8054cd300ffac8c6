"""The assets, a line each: at the left what Grimoire counts, at the right what was confirmed."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from textual.strip import Strip

from inspector.text.measure import cell_width, clip
from inspector.text.numbers import count
from inspector.ui.context import UiContext
from inspector.ui.lines import Line, margin
from inspector.ui.palette import Ground, Role
from inspector.ui.pnl.book import SUMS, AssetLine, Book
from inspector.ui.pnl.figures import figure, in_cells, role_of, spread, symbol_of
from inspector.ui.widgets.line_list import LineList

_HEADS = {"unaccounted": "unacc."}
_USUAL = (14, 14, 10, 7, 12, 6)
_SHORT = ("net", "unaccounted")
NAME, GAP = 11, 2
REALISED_NET, REALISED_RUNS = 14, 12
_BESIDE = 2 + 2 + REALISED_RUNS
"""Cells of the right half without its net and its margin."""
LEFT_TITLE = "session ledger, as Grimoire counts it"
RIGHT_TITLE = "realised, confirmed"


@dataclass(frozen=True, slots=True)
class Layout:
    """Which columns there are, where they end, and where the right half begins."""

    columns: tuple[tuple[str, int, int], ...]
    """Sum, its end, its cells."""
    beside: int | None
    """Column where the right half begins; None = it stands below."""
    net_end: int = 0
    runs_end: int = 0

    def tells(self, column: str, text: str) -> bool:
        """Whether a sum stands in the table with every digit."""
        return any(name == column and len(text) <= cells for name, _, cells in self.columns)


def layout_of(book: Book | None, ui: UiContext, width: int) -> Layout:
    """The widest layout in which every figure has its digits; else the shortest."""
    edge = margin(width)
    assets = book.assets if book is not None else ()
    needed = [_needed(assets, column, ui) for column in SUMS]
    start = edge + NAME
    gaps = GAP * (len(SUMS) - 1)
    right = [figure(asset, asset.realised, ui) for asset in assets]
    right_cells = max([REALISED_NET, *map(len, right)])
    beside = width - edge - _BESIDE - right_cells
    net_end = beside + 2 + right_cells
    room = beside - 2 - start
    cells = spread(needed, _USUAL, room - gaps)
    if cells is not None:
        return Layout(_ends(SUMS, cells, start), beside, net_end, width - edge)
    cells = spread(needed, _USUAL, width - edge - start - gaps)
    if cells is not None:
        return Layout(_ends(SUMS, cells, start), None)
    net, unaccounted = needed[-2], needed[-1]
    if net + GAP + unaccounted <= room:
        return Layout(_ends(_SHORT, [net, unaccounted], start), beside, net_end, width - edge)
    unaccounted = min(10, unaccounted)
    net = width - edge - start - GAP - unaccounted
    return Layout(_ends(_SHORT, [net, unaccounted], start), None)


def _needed(assets: Sequence[AssetLine], column: str, ui: UiContext) -> int:
    texts = [figure(one, one.sums[column], ui) for one in assets if one.sums is not None]
    return max([len(_HEADS.get(column, column)), *map(len, texts)])


def _ends(
    names: Sequence[str], cells: Sequence[int], start: int
) -> tuple[tuple[str, int, int], ...]:
    found, end = [], start - GAP
    for name, wide in zip(names, cells, strict=True):
        end += GAP + wide
        found.append((name, end, wide))
    return tuple(found)


def paint_titles(line: Line, layout: Layout, edge_sign: str) -> None:
    """The names of the halves."""
    edge = margin(line.width)
    end = layout.beside if layout.beside is not None else line.width - edge
    line.put(edge, clip(LEFT_TITLE, end - edge), Role.STRONG)
    if layout.beside is not None:
        _raise(line, layout.beside, edge_sign)
        line.put_style(
            layout.beside + 2, RIGHT_TITLE, line.styles.style(Role.STRONG, Ground.RAISED)
        )
        _fill(line)


def _raise(line: Line, column: int, edge: str, ground: Ground = Ground.RAISED) -> None:
    """Begins the right half at a column; `edge` stands there where no ground tells it."""
    line.put(column, "")
    role = Role.GUIDE if line.styles.plain else Role.TEXT
    line.put_style(column, edge if line.styles.plain else " ", line.styles.style(role, ground))
    line.put_style(line.cells, " ", line.styles.style(Role.TEXT, ground))


def _fill(line: Line, ground: Ground = Ground.RAISED) -> None:
    """The right half up to its end."""
    missing = line.width - line.cells
    line.put_style(line.cells, " " * missing, line.styles.style(Role.TEXT, ground))


class AssetList(LineList):
    """Assets with a cursor."""

    def __init__(self) -> None:
        super().__init__(id="assets")
        self._book: Book | None = None
        self.layout_now = Layout((), None)

    def show(self, book: Book, cursor: int) -> None:
        """Takes the assets."""
        self._book = book
        self.rows_changed(cursor)

    def lay_out(self, layout: Layout) -> None:
        """Takes where the columns are."""
        self.layout_now = layout
        self.repaint()

    @property
    def asset(self) -> AssetLine | None:
        """The asset under the cursor."""
        return self._assets[self.cursor] if 0 <= self.cursor < len(self._assets) else None

    @property
    def _assets(self) -> tuple[AssetLine, ...]:
        return self._book.assets if self._book is not None else ()

    @property
    def row_count(self) -> int:
        """Assets."""
        return len(self._assets)

    @property
    def has_head(self) -> bool:
        """The names of the columns."""
        return True

    def version(self, row: int) -> Hashable:
        """What the line says, and where."""
        return (row, id(self._book), self.layout_now)

    def head_version(self, top: int) -> Hashable:
        """Where the columns are."""
        return self.layout_now

    def rest(self, width: int) -> Line:
        """The right half goes on below the last asset."""
        line = Line(width, self.ui.styles)
        if self.layout_now.beside is not None:
            _raise(line, self.layout_now.beside, self.ui.glyphs.guide)
            _fill(line)
        return line

    def paint_head(self, width: int, top: int) -> Strip:
        """The names of the columns."""
        layout, line = self.layout_now, Line(width, self.ui.styles)
        line.put(margin(width), "asset", Role.MUTED)
        for name, end, _ in layout.columns:
            line.right(end, _HEADS.get(name, name), Role.MUTED)
        if layout.beside is not None:
            _raise(line, layout.beside, self.ui.glyphs.guide)
            style = self.ui.styles.style(Role.MUTED, Ground.RAISED)
            line.put_style(layout.net_end - 3, "net", style)
            line.put_style(layout.runs_end - 7, "in runs", style)
            _fill(line)
        return line.strip()

    def paint(self, row: int, width: int, cursor: bool, hover: bool, focused: bool) -> Strip:
        """An asset."""
        ui, layout, asset = self.ui, self.layout_now, self._assets[row]
        ground = Ground.SELECT if cursor else Ground.HOVER if hover else Ground.BG
        line = Line(width, ui.styles, ground)
        if cursor:
            line.put(0, ui.glyphs.cursor, Role.ACCENT if focused else Role.GUIDE)
        name = clip(symbol_of(asset, ui), NAME - GAP, ellipsis=ui.glyphs.cut)
        line.put(margin(width), name, Role.STRONG if cursor else Role.TEXT)
        for column, end, cells in layout.columns:
            number = asset.sums[column] if asset.sums is not None else None
            text = in_cells(figure(asset, number, ui), cells)
            role = role_of(number, column)
            line.put(end - cell_width(text), text, role, bold=column == "net" and bool(number))
        if layout.beside is not None:
            self._paint_realised(line, asset, ground if ground != Ground.BG else Ground.RAISED)
        return line.strip()

    def _paint_realised(self, line: Line, asset: AssetLine, ground: Ground) -> None:
        layout, styles = self.layout_now, self.ui.styles
        assert layout.beside is not None
        _raise(line, layout.beside, self.ui.glyphs.guide, ground)
        text = figure(asset, asset.realised, self.ui)
        style = styles.style(role_of(asset.realised, "realised"), ground)
        line.put_style(layout.net_end - cell_width(text), text, style)
        runs = count(asset.realised_runs) if asset.realised_runs else self.ui.glyphs.nothing
        style = styles.style(Role.MUTED if asset.realised_runs else Role.FAINT, ground)
        line.put_style(layout.runs_end - cell_width(runs), runs, style)
        _fill(line, ground)
