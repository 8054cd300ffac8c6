"""Axes of a timeline: map events or instants to screen cells.

Positions are in half cells because bars start and end on half cells. `OrderAxis` shows the order of
events, `TimeAxis` time (UTC ms) with idle gaps cut out; `span_of` finds the time a run covers.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress
from operator import attrgetter, not_
from typing import NamedTuple, Protocol

from inspector.derive.steps import KIND_CODE, NO_TIME, STATUS_CODE, StepTable
from inspector.model.run import Run
from inspector.model.status import ENDED, Status
from inspector.model.step import StepKind
from inspector.text.measure import cell_width
from inspector.text.numbers import CANNOT_BE_KNOWN, Zone, duration, instant, local_moment
from inspector.text.parse_time import plausible

MAX_TICKS = 7
"""Maximum ticks of a span before the next larger step is used."""

STEADY_PARTS = 64
"""Parts that a power of two is divided into: about one per cell."""

LABELS_APART = 2
"""Minimum empty cells between two labels."""


class Tick(NamedTuple):
    """A cell of the axis and the label above it."""

    cell: int
    label: str

    @property
    def end(self) -> int:
        """The cell after the label."""
        return self.cell + cell_width(self.label)


class Cut(NamedTuple):
    """A gap that is cut out: the cells of the lines at its ends, and its length."""

    first: int
    last: int
    label: str


class Axis(Protocol):
    """Interface of both axes for bars, ruler and scrubber."""

    @property
    def cells(self) -> int:
        """Width of the axis."""

    @property
    def ticks(self) -> tuple[Tick, ...]:
        """Ticks with a line through the rows; their labels never touch."""

    @property
    def labels(self) -> tuple[Tick, ...]:
        """All labels above the rows, from left to right."""

    @property
    def cuts(self) -> tuple[Cut, ...]:
        """Idle gaps that are cut out, from left to right."""

    def begin(self, position: int) -> int:
        """Returns the half cell where something that starts at this event or instant starts."""

    def end(self, position: int) -> int:
        """Returns the half cell where something that ends at this event or instant ends."""

    def cell(self, position: int) -> int:
        """Returns the cell of an event or instant."""


def nearest(numerator: int, denominator: int) -> int:
    """Returns the integer nearest to a non-negative fraction; halves round up."""
    return (2 * numerator + denominator) // (2 * denominator)


def step_for(span: int, steps: Sequence[int]) -> int:
    """Returns the distance between ticks: the smallest of `steps` that gives at most MAX_TICKS.

    The span is rounded up to a power of two so that ticks only change when it doubles.
    """
    power = 1 << max(0, span - 1).bit_length()
    return next((step for step in steps if power <= MAX_TICKS * step), steps[-1])


def steady(span: int) -> int:
    """Rounds a span up so that the axis does not change with every event.

    Adds less than a 32nd of the span; short spans stay as they are.
    """
    quantum = max(1, (1 << max(0, span - 1).bit_length()) // STEADY_PARTS)
    return -(-span // quantum) * quantum


def spaced(ticks: Iterable[Tick], begin: int, end: int) -> tuple[Tick, ...]:
    """Returns the ticks whose labels fit between two cells without touching each other."""
    kept: list[Tick] = []
    for tick in ticks:
        if tick.cell >= begin and tick.end <= end:
            kept.append(tick)
            begin = tick.end + LABELS_APART
    return tuple(kept)


_ROUND = tuple(factor * 10**power for power in range(10) for factor in (1, 2, 5))


@dataclass(frozen=True, slots=True)
class OrderAxis:
    """Events 1 to `events`, all of the same width.

    `last`, if given, is the newest event; the room after it is for events still to come.
    """

    events: int
    cells: int
    last: int = 0

    def begin(self, position: int) -> int:
        """Returns the half cell where the event starts."""
        return nearest(2 * self.cells * (self._clamped(position) - 1), self._events)

    def end(self, position: int) -> int:
        """Returns the half cell where the event ends."""
        return nearest(2 * self.cells * self._clamped(position), self._events)

    def cell(self, position: int) -> int:
        """Returns the cell in the middle of the event."""
        return self.cells * (2 * self._clamped(position) - 1) // (2 * self._events)

    def event_at(self, cell: int) -> int:
        """Returns the first event whose middle is in a cell or after it."""
        halves = -(-2 * self._events * cell // self.cells)
        return min(self._events, halves // 2 + 1)

    @property
    def ticks(self) -> tuple[Tick, ...]:
        """Round event numbers, at the cell where the event starts."""
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
        """Always empty: the order of events has no gaps."""
        return ()

    @property
    def _last(self) -> Tick | None:
        label = f"{self.last or self._events:,}"
        fits = self._events > 1 and self.cells >= 1 + LABELS_APART + len(label)
        return Tick(self.cells - len(label), label) if fits else None

    @property
    def _events(self) -> int:
        return max(1, self.events)

    def _clamped(self, position: int) -> int:
        return min(max(1, position), self._events)


IDLE_AT_LEAST_MS = 30_000
"""Shorter gaps are never idle."""

IDLE_SHARE = 5
"""An idle gap is at least a fifth of the busy time."""

MAX_CUTS = 3

MIN_TICKS = 5
"""Minimum length of a run, in ticks of its clock, for a time axis by default."""

MAX_SCANNED = 20_000
"""Steps above which only the outermost, and the first and last, are scanned."""

_OPEN = {STATUS_CODE[Status.RUNNING], STATUS_CODE[Status.UNCONFIRMED]}
_WAITING = STATUS_CODE[Status.WAITING]
_WAIT = KIND_CODE[StepKind.WAIT]


class Span(NamedTuple):
    """The time that an axis covers, UTC ms; `idle` gaps are in order and disjoint."""

    start: int
    stop: int
    idle: tuple[tuple[int, int], ...] = ()

    def steady(self) -> Span:
        """Returns the span with a little room at its end."""
        return self._replace(stop=self.stop - self.busy + steady(self.busy))

    @property
    def busy(self) -> int:
        """Length without the idle gaps, in ms."""
        return self.stop - self.start - sum(end - begin for begin, end in self.idle)


def span_of(table: StepTable, run: Run, now: int) -> Span | None:
    """Returns the span of a run's instants; None if it has no plausible ones.

    A run that has not ended reaches until `now` (UTC ms). Instants before 2000 or after tomorrow
    are ignored.
    """
    moments = [moment for moment in _moments(table, run) if plausible(moment, now)]
    if not moments:
        return None
    start, stop = min(moments), max(moments)
    if run.status not in ENDED:
        stop = max(stop, now)
    stop = max(stop, start + 1)
    return Span(start, stop, _idle(_busy_times(table, now, stop), start, stop))


def use_times(table: StepTable, run: Run, span: Span) -> bool:
    """True if a time axis is useful by default.

    At least half of the steps have instants, and the busy time is at least MIN_TICKS of the clock.
    """
    count = len(table)
    known = count - table.span_start[:count].count(NO_TIME)
    return 2 * known >= count and span.busy >= MIN_TICKS * run.clock_ms


def _moments(table: StepTable, run: Run) -> Iterator[int]:
    for moment in (run.started_at, run.ended_at):
        if moment is not None:
            yield moment
    for column in (table.started, table.ended):
        yield from column[: min(MAX_SCANNED, len(table))]
        yield from column[max(MAX_SCANNED, len(table) - MAX_SCANNED) : len(table)]


def _busy_times(table: StepTable, now: int, stop: int) -> list[tuple[int, int]]:
    """Returns when leaf steps were active; of a step that only waits, just its ends."""
    found: list[tuple[int, int]] = []
    for step in _scanned(table):
        begin, end = table.started[step], table.ended[step]
        if not plausible(begin, now):
            begin = end
        if not plausible(begin, now):
            continue
        waits = table.status[step] == _WAITING or table.kind[step] == _WAIT
        if not plausible(end, now) or end < begin:
            end = stop if table.status[step] in _OPEN else begin
        found += [(begin, begin), (end, end)] if waits else [(begin, end)]
    return found


def _scanned(table: StepTable) -> list[int]:
    if len(table) <= MAX_SCANNED:
        return list(compress(range(len(table)), map(not_, table.children_of)))
    outermost = compress(range(len(table)), map((-1).__eq__, table.parent))
    steps = array("i", outermost)
    return list(steps) if len(steps) <= MAX_SCANNED else []


def _idle(busy_times: list[tuple[int, int]], start: int, stop: int) -> tuple[tuple[int, int], ...]:
    if not busy_times:
        return ()
    gaps: list[tuple[int, int]] = []
    reached = start
    for begin, end in [*sorted(busy_times), (stop, stop)]:
        if begin - reached >= IDLE_AT_LEAST_MS:
            gaps.append((reached, begin))
        reached = max(reached, end)
    gaps.sort(key=lambda gap: gap[0] - gap[1])
    busy, kept = stop - start, []
    for begin, end in gaps[:MAX_CUTS]:
        if (end - begin) * IDLE_SHARE >= busy - (end - begin):
            kept.append((begin, end))
            busy -= end - begin
    return tuple(sorted(kept))


WIDE_CUT, NARROW_CUT = 6, 2
"""Cells of a cut, including the lines at its ends."""

ROOMY = 30
"""Axis width from which cuts are wide."""

PIECE_CELLS = 4
"""Minimum cells between two cuts; gaps that would leave less are not cut."""

_SECOND, _MINUTE, _HOUR, _DAY = 1000, 60_000, 3_600_000, 86_400_000
_STEPS = (
    *(factor * 10**power for power in range(3) for factor in (1, 2, 5)),
    *(factor * _SECOND for factor in (1, 2, 5, 10, 20, 30)),
    *(factor * _MINUTE for factor in (1, 2, 5, 10, 20, 30)),
    *(factor * _HOUR for factor in (1, 2, 3, 6, 12)),
    *(factor * 10**power * _DAY for power in range(6) for factor in (1, 2, 5)),
)


class _Piece(NamedTuple):
    """A piece of the span and its half cells."""

    start: int
    stop: int
    left: int
    right: int
    idle: bool


@dataclass(frozen=True, slots=True)
class TimeAxis:
    """A span of time over `cells` cells; instants outside are drawn at its ends.

    Ticks show the time since the start, which does not depend on zones or clock changes; the start
    itself is shown in `zone`.
    """

    span: Span
    cells: int
    zone: Zone = None
    _pieces: tuple[_Piece, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_pieces", _pieces(self.span, self.cells))

    def begin(self, position: int) -> int:
        """Returns the half cell nearest to an instant."""
        at = max(0, bisect_right(self._pieces, position, key=attrgetter("start")) - 1)
        piece = self._pieces[at]
        inside = min(max(position, piece.start), piece.stop) - piece.start
        return piece.left + nearest(
            inside * (piece.right - piece.left), max(1, piece.stop - piece.start)
        )

    end = begin

    def cell(self, position: int) -> int:
        """Returns the cell that contains an instant."""
        return min(self.cells - 1, self.begin(position) // 2)

    @property
    def cuts(self) -> tuple[Cut, ...]:
        """Idle gaps that are cut out."""
        return tuple(
            Cut(piece.left // 2 + 1, piece.right // 2, f"idle {duration(piece.stop - piece.start)}")
            for piece in self._pieces
            if piece.idle
        )

    @property
    def ticks(self) -> tuple[Tick, ...]:
        """Round times since the start."""
        heads = self._heads
        return tuple(tick for tick in self._labelled if tick not in heads)

    @property
    def labels(self) -> tuple[Tick, ...]:
        """The start, the ticks, and the time after each cut."""
        return self._labelled

    @property
    def _heads(self) -> tuple[Tick, ...]:
        busy = (piece for piece in self._pieces if not piece.idle)
        heads = (Tick(piece.left // 2, self._head(piece)) for piece in busy)
        return spaced(heads, 0, self.cells)

    @property
    def _labelled(self) -> tuple[Tick, ...]:
        found: list[Tick] = []
        step = step_for(self._busy, _STEPS)
        heads = {head.cell: head for head in self._heads}
        for piece in self._pieces:
            if piece.idle:
                continue
            head = heads.get(piece.left // 2)
            found += [head] if head else []
            begin = max(piece.left // 2 + 1, found[-1].end + LABELS_APART if found else 0)
            # A label must not touch the line where a cut begins.
            end = self.cells if piece is self._pieces[-1] else piece.right // 2 + 1 - LABELS_APART
            found += self._ticks_in(piece, step, begin, end)
        return tuple(found)

    def _ticks_in(self, piece: _Piece, step: int, begin: int, end: int) -> tuple[Tick, ...]:
        start = self.span.start
        first = (piece.start - start) // step + 1
        numbers = range(first, (piece.stop - start) // step + 1)
        places = (number * step for number in numbers)
        ticks = (Tick(self.begin(start + since) // 2, _since(since)) for since in places)
        return spaced(ticks, begin, end)

    @property
    def _busy(self) -> int:
        return sum(piece.stop - piece.start for piece in self._pieces if not piece.idle)

    def _head(self, piece: _Piece) -> str:
        if piece.start != self.span.start:
            since = piece.start - self.span.start
            return _since(since // _SECOND * _SECOND)
        if self._busy >= _DAY:
            moment = local_moment(self.span.start, self.zone)
            return f"{moment:%d %b %H:%M}" if moment else CANNOT_BE_KNOWN
        text = instant(self.span.start, self.zone)
        # Drop the milliseconds; a zone follows them in an hour that occurs twice.
        return text[:8] + text[12:]


def _since(ms: int) -> str:
    """Formats a round time since the start: `+20s`, `+8m 40s`, `+2h`."""
    label = duration(ms, clock_ms=_SECOND if ms % _SECOND == 0 else 1)
    for zero in (" 00s", " 00m", " 00h"):
        label = label.removesuffix(zero)
    return f"+{label}"


def _pieces(span: Span, cells: int) -> tuple[_Piece, ...]:
    width = WIDE_CUT if cells >= ROOMY else NARROW_CUT
    idle = list(span.idle)
    while idle and cells < len(idle) * width + (len(idle) + 1) * PIECE_CELLS:
        idle.remove(min(idle, key=lambda stretch: stretch[1] - stretch[0]))
    busy = span.stop - span.start - sum(end - begin for begin, end in idle)
    room = 2 * (cells - len(idle) * width)
    pieces: list[_Piece] = []
    at, left, gone = span.start, 0, 0
    for begin, end in idle:
        gone += begin - at
        # A piece ends in the middle of a cell; the line of the cut is in the next one. If the busy
        # time is 0, the first piece gets all the room.
        part = room * gone // busy if busy else room
        share = (part + 2 * width * (len(pieces) // 2)) // 2
        latest = cells - (len(idle) - len(pieces) // 2) * (width + PIECE_CELLS)
        right = 2 * max(left // 2 + PIECE_CELLS - 1, min(share, latest)) + 1
        pieces.append(_Piece(at, begin, left, right, False))
        pieces.append(_Piece(begin, end, right, right + 2 * width, True))
        at, left = end, right + 2 * width
    pieces.append(_Piece(at, span.stop, left, 2 * cells, False))
    return tuple(pieces)
