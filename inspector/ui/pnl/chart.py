"""Net per run as bars: cells as background, half a cell at the tips, a number at each bar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.style import Style

from inspector.text.measure import cell_width, clip
from inspector.ui.context import UiContext
from inspector.ui.lines import Line, margin
from inspector.ui.palette import Role
from inspector.ui.pnl.bars import Scale, Window, scale_of, window_of
from inspector.ui.pnl.book import AssetLine, Measure, RunLine
from inspector.ui.pnl.figures import decimals_of, on_a_bar, symbol_of

_TITLES = {
    Measure.COUNTED: "net per run",
    Measure.REALISED: "realised per run",
    Measure.SO_FAR: "realised so far",
}
_WITHOUT = {
    Measure.COUNTED: "did not move it",
    Measure.REALISED: "nothing of it was realised",
    Measure.SO_FAR: "nothing of it had been realised yet",
}
LEAST_ROWS = 4
"""Rows of bars in both directions together."""
WIDE = 100
_ABOVE, _BELOW = "▄", "▀"


@dataclass(frozen=True, slots=True)
class Frame:
    """Where the axis begins, where the first slot does, and where the right margin is."""

    width: int
    zero: int
    axis: int
    slots: int
    end: int


def frame_of(width: int) -> Frame:
    """The columns of a chart for a width."""
    edge = margin(width)
    zero = 10 if width >= WIDE else edge
    axis = zero + 2
    return Frame(width, zero, axis, axis + (3 if width >= WIDE else 1), width - edge)


@dataclass(slots=True)
class _Canvas:
    """Pieces of text by row and column; row 0 is the zero line, rows above it are positive."""

    pieces: dict[int, list[tuple[int, str, Style]]] = field(default_factory=dict)

    def put(self, row: int, column: int, text: str, style: Style) -> None:
        self.pieces.setdefault(row, []).append((column, text, style))


class Chart:
    """One asset's amounts in all runs, drawn for a width and a number of rows."""

    def __init__(
        self,
        ui: UiContext,
        asset: AssetLine,
        runs: Sequence[RunLine],
        cursor: int,
        measure: Measure = Measure.COUNTED,
    ) -> None:
        self._kit = ui
        self._asset = asset
        self._measure = measure
        self._runs = runs
        self._cursor = cursor
        self._amounts = [run.measured(asset, measure) for run in runs]
        decimals = decimals_of(asset, ui)
        glyphs = ui.glyphs
        self._labels = [
            "" if amount is None else glyphs.plain(on_a_bar(amount, decimals))
            for amount in self._amounts
        ]

    def lines(self, width: int, rows: int) -> list[Line]:
        """The title, the bars and what their signs mean; about `rows` lines."""
        frame = frame_of(width)
        longest = max((len(label) for label in self._labels), default=1)
        room = frame.end - frame.slots
        window = window_of(len(self._runs), longest, room, self._cursor)
        legend = self._legend(window, frame)
        title = [self._title(window, frame), self._line(frame)]
        if not self._runs:
            return title[:1]
        known = [amount for amount in self._amounts if amount is not None]
        labels = 2 if any(amount < 0 for amount in known) else 1
        scale = scale_of(known, max(LEAST_ROWS, rows - len(title) - len(legend) - labels - 2))
        return [*title, *self._bars(frame, window, scale), self._numbers(frame, window), *legend]

    def _line(self, frame: Frame) -> Line:
        return Line(frame.width, self._kit.styles)

    def _title(self, window: Window, frame: Frame) -> Line:
        line, cut = self._line(frame), self._kit.glyphs.cut
        words = "gas per run, units" if self._asset.is_gas else f"{_TITLES[self._measure]}, "
        name = "" if self._asset.is_gas else symbol_of(self._asset, self._kit)
        left = margin(frame.width)
        line.put(left, clip(words + name, frame.end - left, ellipsis=cut), Role.STRONG)
        if len(self._runs) > window.count:
            last = window.first + window.count
            told = f"runs {window.first + 1} to {last} of {len(self._runs)}, oldest to newest"
        else:
            told = "oldest to newest"
        if not self._asset.is_gas:
            told += f", {self._measure.value}"
        left = frame.end - line.cells - 3
        if left > 8:
            line.add(clip(told, left, ellipsis=cut), Role.MUTED, skip=3)
        return line

    def _bars(self, frame: Frame, window: Window, scale: Scale) -> list[Line]:
        canvas = _Canvas()
        for place in range(window.count):
            self._draw(canvas, frame.slots + place * window.slot, window, scale, place)
        top = scale.up + 1
        bottom = -scale.down - 1 if scale.down else 0
        return [self._row(frame, canvas, row) for row in range(top, bottom - 1, -1)]

    def _row(self, frame: Frame, canvas: _Canvas, row: int) -> Line:
        line, styles = self._line(frame), self._kit.styles
        pieces = sorted(canvas.pieces.get(row, ()), key=lambda piece: piece[0])
        if row:
            for column, text, style in pieces:
                # A gap would have the ground of the bar before it.
                line.put(line.cells, " " * (column - line.cells))
                line.put_style(column, text, style)
            line.put(line.cells, " " * (frame.width - line.cells))
            return line
        line.put(frame.zero, "0", Role.MUTED)
        line.put(frame.axis, "")
        rule = self._kit.glyphs.rule
        for column, text, style in pieces:
            line.put(line.cells, rule * (column - line.cells), Role.LINE)
            line.put_style(column, text, style)
        line.put_style(line.cells, rule * (frame.end - line.cells), styles.style(Role.LINE))
        return line

    def _draw(self, canvas: _Canvas, start: int, window: Window, scale: Scale, place: int) -> None:
        number = window.first + place
        amount, label, styles = self._amounts[number], self._labels[number], self._kit.styles
        chosen = number == self._cursor
        if amount is None:
            sign, role = self._no_amount(self._runs[number])
            canvas.put(0, start + (window.slot - 1) // 2, sign, styles.style(role, bold=chosen))
            return
        direction = -1 if amount < 0 else 1
        half = scale.half_cells(amount)
        full, tip = divmod(half, 2)
        if tip and self._kit.glyphs.ascii:
            full, tip = full + 1, 0
        column, cells = start + (window.slot - window.bar) // 2, window.bar
        ink = _ink(amount, chosen)
        fill, point = area(self._kit, ink)
        for row in range(1, full + 1):
            canvas.put(direction * row, column, " " * cells, fill)
        if tip:
            text = (_ABOVE if amount > 0 else _BELOW) * cells
            canvas.put(direction * (full + 1), column, text, point)
        style = styles.style(Role.STRONG if chosen else Role.MUTED)
        column = start + (window.slot - cell_width(label)) // 2
        canvas.put(direction * (full + tip + 1), column, label, style)

    def _no_amount(self, run: RunLine) -> tuple[str, Role]:
        glyphs, counted = self._kit.glyphs, self._measure is Measure.COUNTED
        if run.success or not (counted or self._asset.is_gas):
            return glyphs.nothing, Role.MUTED
        return glyphs.failed, Role.ERROR

    def _numbers(self, frame: Frame, window: Window) -> Line:
        line = self._line(frame)
        if frame.width >= WIDE:
            line.put(margin(frame.width), "run", Role.MUTED)
        for place in range(window.count):
            number = window.first + place
            text = str(self._runs[number].number)
            end = frame.slots + place * window.slot + (window.slot - 1) // 2 + 1
            line.right(end, text, Role.STRONG if number == self._cursor else Role.MUTED)
        return line

    def _legend(self, window: Window, frame: Frame) -> list[Line]:
        shown = self._runs[window.first : window.first + window.count]
        without = [run for run in shown if run.measured(self._asset, self._measure) is None]
        counted = self._measure is Measure.COUNTED or self._asset.is_gas
        failed = [run for run in without if counted and not run.success]
        found = []
        if failed and not any(run.moves for run in failed):
            words = "failed before any movement: it has no amount, and 0 would be a guess"
            found.append(("failed", words, Role.ERROR))
        elif failed:
            words = "failed without moving it: there is no amount, and 0 would be a guess"
            found.append(("failed", words, Role.ERROR))
        if len(failed) < len(without):
            words = "no transaction is confirmed" if self._asset.is_gas else _WITHOUT[self._measure]
            found.append(("nothing", words, Role.MUTED))
        lines = []
        start = frame.slots + (window.slot - 1) // 2 if frame.width >= WIDE else frame.zero
        for sign, words, role in found:
            line = self._line(frame)
            line.put(start, getattr(self._kit.glyphs, sign), role)
            left = frame.end - line.cells - 1
            line.add(clip(words, left, ellipsis=self._kit.glyphs.cut), Role.MUTED, skip=1)
            lines.append(line)
        return lines


def _ink(amount: int, chosen: bool) -> Role:
    if amount < 0:
        return Role.ERROR if chosen else Role.LOSS
    return Role.SUCCESS if chosen else Role.DONE


def area(ui: UiContext, role: Role) -> tuple[Style, Style]:
    """How the cells of an area are filled, and half of one; reverse where there is no colour."""
    styles = ui.styles
    if not styles.colour:
        return Style(reverse=True), styles.style(Role.TEXT)
    return Style(bgcolor=styles.palette.inks[role]), styles.style(role)
