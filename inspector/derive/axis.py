"""The axis of a timeline: where an event or an instant stands among the cells of the screen.

Positions are counted in half cells, because bars begin and end on half cells. Two axes answer the
same questions: the order of events, here, and time (`time_axis.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from inspector.text.measure import cell_width

MOST_TICKS = 7
"""Ticks that a span may have at most before the next larger step is taken."""

STEADY_PARTS = 64
"""Into how many parts a power of two is divided: about one a cell."""

LABELS_APART = 2
"""Empty cells between two labels."""


class Tick(NamedTuple):
    """A cell of the axis, and what stands above it."""

    cell: int
    label: str

    @property
    def end(self) -> int:
        """The cell behind the label."""
        return self.cell + cell_width(self.label)


class Cut(NamedTuple):
    """An idle stretch that is left out: the cells of the lines at its ends, and how long it was."""

    first: int
    last: int
    label: str


class Axis(Protocol):
    """What bars, ruler and scrubber ask of either axis."""

    @property
    def cells(self) -> int:
        """How wide the axis is."""

    @property
    def ticks(self) -> tuple[Tick, ...]:
        """Where a line goes through the rows; the labels never touch each other."""

    @property
    def labels(self) -> tuple[Tick, ...]:
        """All that stands above the rows, from left to right."""

    @property
    def cuts(self) -> tuple[Cut, ...]:
        """Idle stretches that are left out, from left to right."""

    def begin(self, position: int) -> int:
        """The half cell at which something that begins at this event or instant begins."""

    def end(self, position: int) -> int:
        """The half cell at which something that ends at this event or instant ends."""

    def cell(self, position: int) -> int:
        """The cell that stands for an event or instant."""


def nearest(numerator: int, denominator: int) -> int:
    """The whole number nearest to a fraction that is not negative; halves are rounded up."""
    return (2 * numerator + denominator) // (2 * denominator)


def step_for(span: int, steps: Sequence[int]) -> int:
    """How far ticks are apart: the least of `steps` that gives few enough of them.

    It looks at the next power of two, so that ticks stay what they are until a span doubles.
    """
    power = 1 << max(0, span - 1).bit_length()
    return next((step for step in steps if power <= MOST_TICKS * step), steps[-1])


def steady(span: int) -> int:
    """A span with a little room at its end, so that an axis need not change with every event.

    The room is less than a 32nd of it, and short spans have none.
    """
    quantum = max(1, (1 << max(0, span - 1).bit_length()) // STEADY_PARTS)
    return -(-span // quantum) * quantum


def spaced(ticks: Iterable[Tick], begin: int, end: int) -> tuple[Tick, ...]:
    """Those ticks whose labels have room between two cells, and between each other."""
    kept: list[Tick] = []
    for tick in ticks:
        if tick.cell >= begin and tick.end <= end:
            kept.append(tick)
            begin = tick.end + LABELS_APART
    return tuple(kept)


_ROUND = tuple(factor * 10**power for power in range(10) for factor in (1, 2, 5))


@dataclass(frozen=True, slots=True)
class OrderAxis:
    """Events 1 to `events`, each as wide as the others.

    With `last` there is room for events that are still to come behind that one.
    """

    events: int
    cells: int
    last: int = 0

    def begin(self, position: int) -> int:
        """Where the event begins."""
        return nearest(2 * self.cells * (self._inside(position) - 1), self._events)

    def end(self, position: int) -> int:
        """Where the event ends."""
        return nearest(2 * self.cells * self._inside(position), self._events)

    def cell(self, position: int) -> int:
        """The cell in the middle of the event."""
        return self.cells * (2 * self._inside(position) - 1) // (2 * self._events)

    def event_at(self, cell: int) -> int:
        """The first event whose middle stands in a cell, or behind it."""
        halves = -(-2 * self._events * cell // self.cells)
        return min(self._events, halves // 2 + 1)

    @property
    def ticks(self) -> tuple[Tick, ...]:
        """Round numbers of events, at the cell where the event begins."""
        step = step_for(self._events, _ROUND)
        numbers = range(step if step > 1 else 2, self._events, step)
        ticks = (Tick(self.cells * (n - 1) // self._events, f"{n:,}") for n in numbers)
        last = self._last
        return spaced(ticks, 1 + LABELS_APART, last.cell - LABELS_APART if last else self.cells)

    @property
    def labels(self) -> tuple[Tick, ...]:
        """The first event, the ticks, the last event."""
        return (Tick(0, "1"), *self.ticks, *([self._last] if self._last else []))

    @property
    def cuts(self) -> tuple[Cut, ...]:
        """The order of events has no idle stretches."""
        return ()

    @property
    def _last(self) -> Tick | None:
        label = f"{self.last or self._events:,}"
        fits = self._events > 1 and self.cells >= 1 + LABELS_APART + len(label)
        return Tick(self.cells - len(label), label) if fits else None

    @property
    def _events(self) -> int:
        return max(1, self.events)

    def _inside(self, position: int) -> int:
        return min(max(1, position), self._events)
