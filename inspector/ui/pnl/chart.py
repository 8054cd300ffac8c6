"""The chart of net per run: bars of half cells in two directions, with a number at each bar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.style import Style

from inspector.text.measure import cell_width, clip
from inspector.ui.context import UiContext
from inspector.ui.lines import Line, margin
from inspector.ui.palette import Role
from inspector.ui.pnl.figures import decimals_of, on_a_bar, symbol_of
from inspector.ui.pnl.model import AssetRow, Measure, RunBar

LEAST_ROWS = 4
"""Rows of bars in both directions together."""

MOST_SLOT = 10

WIDE = 100

_TITLES = {
    Measure.COUNTED: "net per run",
    Measure.REALISED: "realised per run",
    Measure.SO_FAR: "realised so far",
}

_WITHOUT = {
    Measure.COUNTED: "not moved",
    Measure.REALISED: "nothing realised",
    Measure.SO_FAR: "nothing realised yet",
}

_ABOVE, _BELOW = "▄", "▀"


@dataclass(frozen=True, slots=True)
class Scale:
    """Rows above (`up`) and below the zero line, and rows per amount as a fraction."""

    up: int
    down: int
    numerator: int
    denominator: int

    def half_cells(self, amount: int) -> int:
        """Return the length of a bar in half cells; at least 1 unless the amount is 0."""
        if not amount:
            return 0
        exact = 2 * abs(amount) * self.numerator + self.denominator
        return max(1, exact // (2 * self.denominator))


def scale_of(amounts: Sequence[int], rows: int) -> Scale:
    """Divide `rows` (2 or more) so that the largest amounts reach the ends."""
    gain = max((amount for amount in amounts if amount > 0), default=0)
    loss = -min((amount for amount in amounts if amount < 0), default=0)
    if not gain or not loss:
        up = rows if gain else 0
        return Scale(up, rows if loss else 0, 2 * rows, max(gain, loss, 1))
    up = (2 * rows * gain + gain + loss) // (2 * (gain + loss))
    up = min(max(1, up), rows - 1)
    down = rows - up
    if up * loss <= down * gain:
        return Scale(up, down, 2 * up, gain)
    return Scale(up, down, 2 * down, loss)


@dataclass(frozen=True, slots=True)
class Window:
    """The runs on the screen, in slots of equal width."""

    first: int
    count: int
    slot: int

    @property
    def bar(self) -> int:
        """Width of a bar in cells."""
        return max(1, self.slot // 2)


def window_of(runs: int, longest: int, room: int, cursor: int) -> Window:
    """Return the page of runs with the cursor; pages are counted from the newest run.

    `longest` is the width of the longest number.
    """
    slot = max(longest + 1, min(MOST_SLOT, room // max(1, runs)))
    count = max(1, min(runs, room // slot))
    page = max(0, runs - 1 - cursor) // count
    return Window(max(0, runs - (page + 1) * count), count, slot)


@dataclass(frozen=True, slots=True)
class Frame:
    """The columns of the zero, the axis, the first slot and the right margin."""

    width: int
    zero: int
    axis: int
    slots: int
    end: int


def frame_of(width: int) -> Frame:
    """Return the columns of a chart for a width."""
    edge = margin(width)
    zero = 10 if width >= WIDE else edge
    axis = zero + 2
    return Frame(width, zero, axis, axis + (3 if width >= WIDE else 1), width - edge)


@dataclass(slots=True)
class _Canvas:
    """Pieces of text by row and column; row 0 is the zero line, positive rows are above it."""

    pieces: dict[int, list[tuple[int, str, Style]]] = field(default_factory=dict)

    def put(self, row: int, column: int, text: str, style: Style) -> None:
        self.pieces.setdefault(row, []).append((column, text, style))


class Chart:
    """One asset's amounts in all runs, drawn for a width and a number of rows."""

    def __init__(
        self,
        ui: UiContext,
        asset: AssetRow,
        runs: Sequence[RunBar],
        cursor: int,
        measure: Measure = Measure.COUNTED,
    ) -> None:
        self._ui = ui
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
        """Return the title, the bars and the legend in about `rows` lines."""
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
        return Line(frame.width, self._ui.styles)

    def _title(self, window: Window, frame: Frame) -> Line:
        line, cut = self._line(frame), self._ui.glyphs.cut
        words = "gas per run, units" if self._asset.is_gas else f"{_TITLES[self._measure]}, "
        name = "" if self._asset.is_gas else symbol_of(self._asset, self._ui)
        left = margin(frame.width)
        line.put(left, clip(words + name, frame.end - left, ellipsis=cut), Role.STRONG)
        if len(self._runs) > window.count:
            last = window.first + window.count
            subtitle = f"runs {window.first + 1} to {last} of {len(self._runs)}, oldest to newest"
        else:
            subtitle = "oldest to newest"
        if not self._asset.is_gas:
            subtitle += f", {self._measure.value}"
        left = frame.end - line.cells - 3
        if left > 8:
            line.add(clip(subtitle, left, ellipsis=cut), Role.MUTED, skip=3)
        return line

    def _bars(self, frame: Frame, window: Window, scale: Scale) -> list[Line]:
        canvas = _Canvas()
        for place in range(window.count):
            self._draw(canvas, frame.slots + place * window.slot, window, scale, place)
        top = scale.up + 1
        bottom = -scale.down - 1 if scale.down else 0
        return [self._row(frame, canvas, row) for row in range(top, bottom - 1, -1)]

    def _row(self, frame: Frame, canvas: _Canvas, row: int) -> Line:
        line, styles = self._line(frame), self._ui.styles
        pieces = sorted(canvas.pieces.get(row, ()), key=lambda piece: piece[0])
        if row:
            for column, text, style in pieces:
                # `put` fills a gap with the background of the bar before it.
                line.put(line.cells, " " * (column - line.cells))
                line.put_style(column, text, style)
            line.put(line.cells, " " * (frame.width - line.cells))
            return line
        line.put(frame.zero, "0", Role.MUTED)
        line.put(frame.axis, "")
        rule = self._ui.glyphs.rule
        for column, text, style in pieces:
            line.put(line.cells, rule * (column - line.cells), Role.LINE)
            line.put_style(column, text, style)
        line.put_style(line.cells, rule * (frame.end - line.cells), styles.style(Role.LINE))
        return line

    def _draw(self, canvas: _Canvas, start: int, window: Window, scale: Scale, place: int) -> None:
        number = window.first + place
        amount, label, styles = self._amounts[number], self._labels[number], self._ui.styles
        chosen = number == self._cursor
        if amount is None:
            glyph, role = self._no_amount(self._runs[number])
            canvas.put(0, start + (window.slot - 1) // 2, glyph, styles.style(role, bold=chosen))
            return
        direction = -1 if amount < 0 else 1
        half = scale.half_cells(amount)
        full, tip = divmod(half, 2)
        if tip and self._ui.glyphs.ascii:
            full, tip = full + 1, 0
        column, cells = start + (window.slot - window.bar) // 2, window.bar
        ink = _ink(amount, chosen)
        fill, point = area(self._ui, ink)
        for row in range(1, full + 1):
            canvas.put(direction * row, column, " " * cells, fill)
        if tip:
            text = (_ABOVE if amount > 0 else _BELOW) * cells
            canvas.put(direction * (full + 1), column, text, point)
        style = styles.style(Role.STRONG if chosen else Role.MUTED)
        column = start + (window.slot - cell_width(label)) // 2
        canvas.put(direction * (full + tip + 1), column, label, style)

    def _no_amount(self, bar: RunBar) -> tuple[str, Role]:
        glyphs, counted = self._ui.glyphs, self._measure is Measure.COUNTED
        if bar.run.success or not (counted or self._asset.is_gas):
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
        failed = [bar for bar in without if counted and not bar.run.success]
        found = []
        if failed and not any(bar.run.moves for bar in failed):
            words = "failed before moving funds, no amount"
            found.append(("failed", words, Role.ERROR))
        elif failed:
            words = "failed before moving it, no amount"
            found.append(("failed", words, Role.ERROR))
        if len(failed) < len(without):
            words = "no confirmed transaction" if self._asset.is_gas else _WITHOUT[self._measure]
            found.append(("nothing", words, Role.MUTED))
        lines = []
        start = frame.slots + (window.slot - 1) // 2 if frame.width >= WIDE else frame.zero
        for glyph, words, role in found:
            line = self._line(frame)
            line.put(start, getattr(self._ui.glyphs, glyph), role)
            left = frame.end - line.cells - 1
            line.add(clip(words, left, ellipsis=self._ui.glyphs.cut), Role.MUTED, skip=1)
            lines.append(line)
        return lines


def _ink(amount: int, chosen: bool) -> Role:
    if amount < 0:
        return Role.ERROR if chosen else Role.LOSS
    return Role.SUCCESS if chosen else Role.DONE


def area(ui: UiContext, role: Role) -> tuple[Style, Style]:
    """Return the styles of full and half cells of a bar; reversed in themes without colours."""
    styles = ui.styles
    if not styles.colour:
        return Style(reverse=True), styles.style(Role.TEXT)
    return Style(bgcolor=styles.palette.inks[role]), styles.style(role)
