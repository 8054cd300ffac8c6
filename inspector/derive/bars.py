"""Bars and scrubber of a timeline, in cells, without colours.

A solid bar is recorded; a dashed end means that no end is recorded. A step without a row has no
bar.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from inspector.derive.axis import Axis

OPEN_CELLS = 2
"""Dashed cells at the end of a bar that has no end."""


class Bar(NamedTuple):
    """A bar: solid from half cell `start` to `solid`, then dashed up to cell `stop` (exclusive)."""

    start: int
    solid: int
    stop: int
    """First cell after the bar."""

    @property
    def cell(self) -> int:
        """The first cell."""
        return self.start // 2


class BarGlyphs(NamedTuple):
    """Glyphs of a bar, one cell each."""

    whole: str
    right_half: str
    left_half: str
    dashed: str


def closed_bar(axis: Axis, begin: int, end: int) -> Bar:
    """Returns a bar from the first to the last event or instant, at least half a cell long."""
    start, stop = axis.begin(begin), axis.end(end)
    if stop <= start:
        start = min(start, 2 * axis.cells - 1)
        stop = start + 1
    return Bar(start, stop, (stop + 1) // 2)


def open_bar(axis: Axis, begin: int, now: int) -> Bar:
    """Returns a bar without an end: it ends at `now` with two dashes."""
    start = axis.begin(begin)
    stop = max(1, (axis.end(now) + 1) // 2, start // 2 + 1)
    stop = min(stop, axis.cells)
    start = min(start, 2 * stop - 1)
    solid = 2 * (stop - OPEN_CELLS)
    # A bar shorter than the dashes is all dashed.
    return Bar(start, solid, stop) if solid > start else Bar(start, start, stop)


def dashed_bar(axis: Axis, begin: int, end: int) -> Bar:
    """Returns a bar without any confirmed end: all dashed."""
    bar = closed_bar(axis, begin, end)
    return Bar(bar.start, bar.start, bar.stop)


def bar_text(bar: Bar, glyphs: BarGlyphs) -> str:
    """Returns the text of a bar from its first cell on."""
    start, solid, stop = bar
    text = ""
    if solid > start:
        if start % 2:
            text += glyphs.right_half
            start += 1
        text += glyphs.whole * ((solid - start) // 2)
        if solid % 2:
            text += glyphs.left_half
    return text + glyphs.dashed * (stop - bar.cell - len(text))


class Mark(Enum):
    """A cell of the scrubber."""

    LINE = "line"
    BEFORE = "before"
    """The line before the position, while in the past."""
    AFTER = "after"
    """The line after the position, while in the past."""
    FAILURE = "failure"
    POSITION = "position"
    IDLE = "idle"


def scrubber(
    axis: Axis, failures: Sequence[int], position: int | None, *, travelling: bool
) -> list[Mark]:
    """Returns the cells of the scrubber. `failures` ascend; all positions are on the axis."""
    here = axis.cell(position) if position is not None else -1
    if travelling:
        marks = [Mark.BEFORE if cell < here else Mark.AFTER for cell in range(axis.cells)]
    else:
        marks = [Mark.LINE] * axis.cells
    for cut in axis.cuts:
        marks[cut.first] = marks[cut.last] = Mark.IDLE
    for cell in failure_cells(axis, failures):
        marks[cell] = Mark.FAILURE
    if here >= 0:
        marks[here] = Mark.POSITION
    return marks


def failure_cells(axis: Axis, failures: Sequence[int]) -> list[int]:
    """Returns the cells that contain a failure; tests one failure per cell, not all of them."""
    cells: list[int] = []
    at = 0
    while at < len(failures):
        cell = axis.cell(failures[at])
        cells.append(cell)
        at = bisect_left(failures, cell + 1, lo=at + 1, key=axis.cell)
    return cells
