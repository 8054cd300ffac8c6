"""The list of assets: the sums of the session at the left, realised net at the right."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from textual.strip import Strip

from inspector.query.pnl import SUMS
from inspector.text.measure import cell_width, clip
from inspector.text.numbers import count
from inspector.ui.context import UiContext
from inspector.ui.lines import Line, margin
from inspector.ui.palette import Ground, Role
from inspector.ui.pnl.figures import TITLES, figure, in_cells, role_of, spread, symbol_of
from inspector.ui.pnl.model import AssetRow, PnlModel
from inspector.ui.widgets.line_list import LineList

_USUAL = (14, 14, 10, 7, 12, 11)
_SHORT = ("net", "unaccounted")
NAME, GAP = 11, 2
REALISED_NET, REALISED_RUNS = 14, 8
_BESIDE = 2 + 2 + REALISED_RUNS
"""Cells of the right half without its net and its margin."""
RIGHT_TITLE = "realised, confirmed"


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns of the list for a width."""

    columns: tuple[tuple[str, int, int], ...]
    """Name of a sum, end, cells."""
    beside: int | None
    """Where the right half begins; None if realised sums are below the list instead."""
    net_end: int = 0
    runs_end: int = 0

    def fits(self, column: str, text: str) -> bool:
        """Return whether a sum is in the list with every digit."""
        return any(name == column and len(text) <= cells for name, _, cells in self.columns)


def layout_of(model: PnlModel | None, ui: UiContext, width: int) -> Layout:
    """Return the widest layout in which every figure fits; else the narrowest."""
    edge = margin(width)
    assets = model.assets if model is not None else ()
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


def _needed(assets: Sequence[AssetRow], column: str, ui: UiContext) -> int:
    texts = [figure(one, getattr(one.sums, column), ui) for one in assets if one.sums is not None]
    return max([len(TITLES[column]), *map(len, texts)])


def _ends(
    names: Sequence[str], cells: Sequence[int], start: int
) -> tuple[tuple[str, int, int], ...]:
    found, end = [], start - GAP
    for name, wide in zip(names, cells, strict=True):
        end += GAP + wide
        found.append((name, end, wide))
    return tuple(found)


def paint_titles(line: Line, layout: Layout, left_title: str, edge_glyph: str) -> None:
    """Paint the titles of both halves."""
    edge = margin(line.width)
    end = layout.beside if layout.beside is not None else line.width - edge
    line.put(edge, clip(left_title, end - edge), Role.STRONG)
    if layout.beside is not None:
        _start_right_half(line, layout.beside, edge_glyph)
        line.put_style(
            layout.beside + 2, RIGHT_TITLE, line.styles.style(Role.STRONG, Ground.RAISED)
        )
        _end_right_half(line)


def _start_right_half(line: Line, column: int, edge: str, ground: Ground = Ground.RAISED) -> None:
    """Begin the right half at a column; `edge` marks it in themes without backgrounds."""
    line.put(column, "")
    role = Role.GUIDE if line.styles.plain else Role.TEXT
    line.put_style(column, edge if line.styles.plain else " ", line.styles.style(role, ground))
    line.put_style(line.cells, " ", line.styles.style(Role.TEXT, ground))


def _end_right_half(line: Line, ground: Ground = Ground.RAISED) -> None:
    """Fill the right half up to its end."""
    missing = line.width - line.cells
    line.put_style(line.cells, " " * missing, line.styles.style(Role.TEXT, ground))


class AssetList(LineList):
    """The assets, with a cursor."""

    def __init__(self) -> None:
        super().__init__(id="assets")
        self._model: PnlModel | None = None
        self.layout_now = Layout((), None)

    def show(self, model: PnlModel, cursor: int) -> None:
        """Show a model's assets."""
        self._model = model
        self.rows_changed(cursor)

    def lay_out(self, layout: Layout) -> None:
        """Apply a layout."""
        self.layout_now = layout
        self.repaint()

    @property
    def asset(self) -> AssetRow | None:
        """The asset under the cursor."""
        return self._assets[self.cursor] if 0 <= self.cursor < len(self._assets) else None

    @property
    def _assets(self) -> tuple[AssetRow, ...]:
        return self._model.assets if self._model is not None else ()

    @property
    def row_count(self) -> int:
        """The number of assets."""
        return len(self._assets)

    @property
    def has_head(self) -> bool:
        """There is a head line."""
        return True

    def version(self, row: int) -> Hashable:
        """The asset and the layout."""
        return (row, id(self._model), self.layout_now)

    def head_version(self, top: int) -> Hashable:
        """The layout."""
        return self.layout_now

    def rest(self, width: int) -> Line:
        """Continue the right half below the last asset."""
        line = Line(width, self.ui.styles)
        if self.layout_now.beside is not None:
            _start_right_half(line, self.layout_now.beside, self.ui.glyphs.guide)
            _end_right_half(line)
        return line

    def paint_head(self, width: int, top: int) -> Strip:
        """Paint the names of the columns."""
        layout, line = self.layout_now, Line(width, self.ui.styles)
        line.put(margin(width), "asset", Role.MUTED)
        for name, end, _ in layout.columns:
            line.right(end, TITLES[name], Role.MUTED)
        if layout.beside is not None:
            _start_right_half(line, layout.beside, self.ui.glyphs.guide)
            style = self.ui.styles.style(Role.MUTED, Ground.RAISED)
            line.put_style(layout.net_end - 3, "net", style)
            line.put_style(layout.runs_end - 4, "runs", style)
            _end_right_half(line)
        return line.strip()

    def paint(self, row: int, width: int, cursor: bool, hover: bool, focused: bool) -> Strip:
        """Paint an asset."""
        ui, layout, asset = self.ui, self.layout_now, self._assets[row]
        ground = Ground.SELECT if cursor else Ground.HOVER if hover else Ground.BG
        line = Line(width, ui.styles, ground)
        if cursor:
            line.put(0, ui.glyphs.cursor, Role.ACCENT if focused else Role.GUIDE)
        name = clip(symbol_of(asset, ui), NAME - GAP, ellipsis=ui.glyphs.cut)
        line.put(margin(width), name, Role.STRONG if cursor else Role.TEXT)
        for column, end, cells in layout.columns:
            number = None if asset.sums is None else getattr(asset.sums, column)
            text = in_cells(figure(asset, number, ui), cells)
            role = role_of(number, column)
            line.put(end - cell_width(text), text, role, bold=column == "net" and bool(number))
        if layout.beside is not None:
            self._paint_realised(line, asset, ground if ground != Ground.BG else Ground.RAISED)
        return line.strip()

    def _paint_realised(self, line: Line, asset: AssetRow, ground: Ground) -> None:
        layout, styles = self.layout_now, self.ui.styles
        assert layout.beside is not None
        _start_right_half(line, layout.beside, self.ui.glyphs.guide, ground)
        text = figure(asset, asset.realised, self.ui)
        style = styles.style(role_of(asset.realised, "realised"), ground)
        line.put_style(layout.net_end - cell_width(text), text, style)
        runs = count(asset.realised_runs) if asset.realised_runs else self.ui.glyphs.nothing
        style = styles.style(Role.MUTED if asset.realised_runs else Role.FAINT, ground)
        line.put_style(layout.runs_end - cell_width(runs), runs, style)
        _end_right_half(line, ground)
