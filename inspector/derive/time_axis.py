"""Time as the axis of a timeline: UTC ms → half cells, with idle stretches cut out."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from operator import attrgetter
from typing import NamedTuple

from inspector.derive.axis import LABELS_APART, Cut, Tick, nearest, spaced, step_for
from inspector.derive.span import Span
from inspector.text.numbers import CANNOT_BE_KNOWN, Zone, duration, instant, local_moment

WIDE_CUT, NARROW_CUT = 6, 2
"""Cells that stand for an idle stretch, the lines at its ends among them."""

ROOMY = 30
"""Cells from which on a cut is wide."""

PIECE_CELLS = 4
"""Cells that a stretch between two cuts has at least; what would leave less is not cut."""

_SECOND, _MINUTE, _HOUR, _DAY = 1000, 60_000, 3_600_000, 86_400_000
_STEPS = (
    *(factor * 10**power for power in range(3) for factor in (1, 2, 5)),
    *(factor * _SECOND for factor in (1, 2, 5, 10, 20, 30)),
    *(factor * _MINUTE for factor in (1, 2, 5, 10, 20, 30)),
    *(factor * _HOUR for factor in (1, 2, 3, 6, 12)),
    *(factor * 10**power * _DAY for power in range(6) for factor in (1, 2, 5)),
)


class _Piece(NamedTuple):
    """A stretch of time and the half cells that it takes."""

    start: int
    stop: int
    left: int
    right: int
    idle: bool


@dataclass(frozen=True, slots=True)
class TimeAxis:
    """A span of time over so many cells; what lies outside of it is drawn at its ends.

    Ticks tell the time since the start, which no zone and no change of the clocks can bend; the
    start is told in `zone`.
    """

    span: Span
    cells: int
    zone: Zone = None
    _pieces: tuple[_Piece, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_pieces", _pieces(self.span, self.cells))

    def begin(self, position: int) -> int:
        """The half cell nearest to the instant."""
        at = max(0, bisect_right(self._pieces, position, key=attrgetter("start")) - 1)
        piece = self._pieces[at]
        inside = min(max(position, piece.start), piece.stop) - piece.start
        return piece.left + nearest(
            inside * (piece.right - piece.left), max(1, piece.stop - piece.start)
        )

    end = begin

    def cell(self, position: int) -> int:
        """The cell that the instant falls into."""
        return min(self.cells - 1, self.begin(position) // 2)

    @property
    def cuts(self) -> tuple[Cut, ...]:
        """The idle stretches that are left out."""
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
        """The start, the ticks, and the time at which it goes on behind a cut."""
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
            # A label keeps clear of the line where an idle stretch begins.
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
        # Without the milliseconds; in an hour that comes twice the zone follows them.
        return text[:8] + text[12:]


def _since(ms: int) -> str:
    """A round time since the start: `+20s`, `+8m 40s`, `+2h`."""
    label = duration(ms, clock_ms=_SECOND if ms % _SECOND == 0 else 1)
    for nothing in (" 00s", " 00m", " 00h"):
        label = label.removesuffix(nothing)
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
        # A piece ends in the middle of a cell; the line of the cut stands in the next one.
        # Where nothing took any time, what comes first has the room.
        part = room * gone // busy if busy else room
        share = (part + 2 * width * (len(pieces) // 2)) // 2
        latest = cells - (len(idle) - len(pieces) // 2) * (width + PIECE_CELLS)
        right = 2 * max(left // 2 + PIECE_CELLS - 1, min(share, latest)) + 1
        pieces.append(_Piece(at, begin, left, right, False))
        pieces.append(_Piece(begin, end, right, right + 2 * width, True))
        at, left = end, right + 2 * width
    pieces.append(_Piece(at, span.stop, left, 2 * cells, False))
    return tuple(pieces)
