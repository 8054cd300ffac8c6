"""Determines when values were written, by the events of their run; never guessed. Pure.

Source: OpenProse state document, "Bindings": a row names the statement that wrote it
(`source_statement`) and its frame (`execution_id`: the first row of the block, or a counter of
invocations, which is useless here). Rows of `execution` are in order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from inspector.derive.event_times import end_of, instant_of
from inspector.model.status import Status
from inspector.model.step import StepKind
from inspector.model.value import Then
from inspector.query.openprose.state import State

MOST_STEPS = 300_000
"""Maximum number of steps searched for the statements of values."""
NEVER_ENDS = 1 << 62

Frame = int | str | None


class Binding(NamedTuple):
    """What a row reveals about when it was written."""

    name: str | None
    frame: Frame
    source: str | None
    written_at: int | None
    """UTC ms."""


class Span(NamedTuple):
    """The events between which a row was written."""

    first: int
    last: int

    @property
    def event(self) -> int | None:
        """The event at which it was written, if only one is possible."""
        return self.first if self.first == self.last else None


class WriteTime(NamedTuple):
    """Whether a row was written by an event, and at which event if that is known."""

    then: Then
    event: int | None


def write_times(bindings: Sequence[Binding], state: State, event: int, now: int) -> list[WriteTime]:
    """Return for each row, in the order they were written, whether it existed after `event` events.

    `state` is that of the newest event.
    """
    spans = Writers(state, bindings).spans(bindings)
    moment = None
    if None in spans and state.instants:
        moment = instant_of(state.steps, state.event_step, event, now)
    return [_told(one, span, event, moment) for one, span in zip(bindings, spans, strict=True)]


def _told(binding: Binding, span: Span | None, event: int, moment: int | None) -> WriteTime:
    if span is not None:
        if span.last <= event:
            return WriteTime(Then.WRITTEN, span.event)
        return WriteTime(Then.NOT_YET if event < span.first else Then.UNKNOWN, span.event)
    if moment is None or binding.written_at is None:
        return WriteTime(Then.UNKNOWN, None)
    return WriteTime(Then.WRITTEN if binding.written_at <= moment else Then.NOT_YET, None)


class Writers:
    """The steps that may have written a value: by statement, by branch, by frame."""

    def __init__(self, state: State, bindings: Sequence[Binding]) -> None:
        self._state = state
        self._steps = state.steps
        sources = {_plain(one.source) for one in bindings if one.source}
        names = {one.name for one in bindings if one.name}
        self._by_source: dict[str, list[int]] = {source: [] for source in sources}
        self._by_branch: dict[str, list[int]] = {}
        if len(self._steps) <= MOST_STEPS:
            self._look_through(names)

    def _look_through(self, names: set[str]) -> None:
        steps, index = self._steps, self._state.index
        lengths = sorted({len(source) for source in self._by_source})
        for step in range(len(steps)):
            if steps.kind_of(step) is StepKind.BRANCH and steps.segment[step] in names:
                self._by_branch.setdefault(str(steps.segment[step]), []).append(step)
            if not steps.first[step]:
                continue
            label = _plain(steps.label[step])
            found = {
                label[:length] for length in lengths if _ends_at(label, length)
            } & self._by_source.keys()
            number = str(index[step])
            if number in self._by_source:
                found.add(number)
            for source in found:
                self._by_source[source].append(step)

    def spans(self, bindings: Sequence[Binding]) -> list[Span | None]:
        """Return for each row the events between which it was written; None if unknown."""
        candidates = [self._candidates(one) for one in bindings]
        groups: dict[Binding, list[int]] = {}
        for at, one in enumerate(bindings):
            groups.setdefault(one._replace(written_at=None), []).append(at)
        spans = [self._around(one) for one in candidates]
        for rows in groups.values():
            steps = candidates[rows[0]]
            if len(rows) == len(steps) and all(self._is_completed(step) for step in steps):
                # As many rows as runs of the statement: each run wrote one.
                for at, step in zip(rows, steps, strict=True):
                    spans[at] = self._span(step)
        return _in_order(bindings, spans)

    def _candidates(self, one: Binding) -> list[int]:
        """Return the steps that may have written a row, in the order of events."""
        by_source = self._by_source.get(_plain(one.source), []) if one.source else []
        found = by_source or self._by_branch.get(one.name or "", [])
        frame = self._state.step_of_row(one.frame) if isinstance(one.frame, int) else None
        if frame is None:
            return found
        if frame in found:
            return [frame]
        if not self._steps.children_of[frame] and self._steps.kind_of(frame) is not StepKind.BLOCK:
            # Not the first row of a block but a counter of invocations, which belongs to no row.
            return found
        within = [step for step in found if self._is_in(step, frame)]
        return within or found or [frame]

    def _is_in(self, step: int, frame: int) -> bool:
        while step > frame:
            step = self._steps.parent[step]
        return step == frame

    def _around(self, steps: Sequence[int]) -> Span | None:
        spans = [self._span(step) for step in steps]
        if not spans:
            return None
        return Span(min(one.first for one in spans), max(one.last for one in spans))

    def _span(self, step: int) -> Span:
        end, first = end_of(self._steps, step), self._steps.first[step]
        return Span(first or end or 0, NEVER_ENDS if end is None else end)

    def _is_completed(self, step: int) -> bool:
        return self._steps.status_of(step) is Status.COMPLETED


def _in_order(bindings: Sequence[Binding], spans: Sequence[Span | None]) -> list[Span | None]:
    """Order rows of one name and scope: each was written after the previous one."""
    found = list(spans)
    first: dict[tuple[str | None, Frame], int] = {}
    for at, one in enumerate(bindings):
        span = found[at]
        if span is not None:
            begin = max(span.first, first.get((one.name, one.frame), 0))
            first[one.name, one.frame] = begin
            found[at] = Span(begin, max(begin, span.last))
    return found


def _plain(text: str) -> str:
    return " ".join(text.split())


def _ends_at(label: str, length: int) -> bool:
    """Return whether the first `length` characters of a label can be a whole statement."""
    if len(label) <= length:
        return len(label) == length
    return not (label[length].isalnum() or label[length] == "_")


WriteTimes = Callable[[Sequence[Binding]], Sequence[WriteTime]]
"""Returns the write times of rows while they are read."""
