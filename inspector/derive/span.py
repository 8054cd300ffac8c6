"""From when to when a run was recorded, and where nothing went on in between."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from itertools import compress
from operator import not_
from typing import NamedTuple

from inspector.derive.axis import steady
from inspector.derive.steps import KIND_CODE, NO_TIME, STATUS_CODE, StepTable
from inspector.model.run import Run
from inspector.model.status import ENDED, Status
from inspector.model.step import StepKind
from inspector.text.parse_time import plausible

IDLE_AT_LEAST_MS = 30_000
"""Shorter stretches are never called idle."""

IDLE_SHARE = 5
"""An idle stretch is at least a fifth of the time in which something went on."""

MOST_CUTS = 3

LEAST_TICKS = 5
"""Ticks of the recording clock that a run takes at least for its axis to be time unasked."""

LOOKED_AT = 20_000
"""Steps beyond which only the outermost ones, and the first and last, are looked at."""

_OPEN = {STATUS_CODE[Status.RUNNING], STATUS_CODE[Status.UNCONFIRMED]}
_WAITING = STATUS_CODE[Status.WAITING]
_WAIT = KIND_CODE[StepKind.WAIT]


class Span(NamedTuple):
    """What a time axis shows, UTC ms: `idle` stretches in it, in order and apart."""

    start: int
    stop: int
    idle: tuple[tuple[int, int], ...] = ()

    def steady(self) -> Span:
        """The same span with a little room at its end."""
        return self._replace(stop=self.stop - self.busy + steady(self.busy))

    @property
    def busy(self) -> int:
        """Milliseconds without the idle stretches."""
        return self.stop - self.start - sum(end - begin for begin, end in self.idle)


def span_of(table: StepTable, run: Run, now: int) -> Span | None:
    """The span of a run's instants; None when it has none that a calendar could hold.

    A run that is not over reaches until `now` (UTC ms). Instants before the year 2000 or after
    tomorrow count for nothing.
    """
    moments = [moment for moment in _moments(table, run) if plausible(moment, now)]
    if not moments:
        return None
    start, stop = min(moments), max(moments)
    if run.status not in ENDED:
        stop = max(stop, now)
    stop = max(stop, start + 1)
    return Span(start, stop, _idle(_stretches(table, now, stop), start, stop))


def tells_time(table: StepTable, run: Run, span: Span) -> bool:
    """Whether bars by time say more than bars by order: most steps have instants, and the clock
    that recorded them could tell them apart."""
    count = len(table)
    known = count - table.span_start[:count].count(NO_TIME)
    return 2 * known >= count and span.busy >= LEAST_TICKS * run.clock_ms


def _moments(table: StepTable, run: Run) -> Iterator[int]:
    for moment in (run.started_at, run.ended_at):
        if moment is not None:
            yield moment
    for column in (table.started, table.ended):
        yield from column[: min(LOOKED_AT, len(table))]
        yield from column[max(LOOKED_AT, len(table) - LOOKED_AT) : len(table)]


def _stretches(table: StepTable, now: int, stop: int) -> list[tuple[int, int]]:
    """When something went on: the steps without anything inside, unless they only waited."""
    found: list[tuple[int, int]] = []
    for step in _looked_at(table):
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


def _looked_at(table: StepTable) -> list[int]:
    if len(table) <= LOOKED_AT:
        return list(compress(range(len(table)), map(not_, table.children_of)))
    outermost = compress(range(len(table)), map((-1).__eq__, table.parent))
    steps = array("i", outermost)
    return list(steps) if len(steps) <= LOOKED_AT else []


def _idle(stretches: list[tuple[int, int]], start: int, stop: int) -> tuple[tuple[int, int], ...]:
    if not stretches:
        return ()
    gaps: list[tuple[int, int]] = []
    reached = start
    for begin, end in [*sorted(stretches), (stop, stop)]:
        if begin - reached >= IDLE_AT_LEAST_MS:
            gaps.append((reached, begin))
        reached = max(reached, end)
    gaps.sort(key=lambda gap: gap[0] - gap[1])
    busy, kept = stop - start, []
    for begin, end in gaps[:MOST_CUTS]:
        if (end - begin) * IDLE_SHARE >= busy - (end - begin):
            kept.append((begin, end))
            busy -= end - begin
    return tuple(sorted(kept))
