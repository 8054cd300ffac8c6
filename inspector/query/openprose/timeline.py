"""The fold of one run, kept as rows are added, changed and taken away, and its past."""

from __future__ import annotations

import marshal
import zlib
from collections.abc import Iterator, Sequence
from typing import cast

from inspector.derive.checkpoints import Checkpoints
from inspector.derive.steps import STATUS_CODE
from inspector.model.status import Status
from inspector.query.openprose.events import Row
from inspector.query.openprose.fold import fold
from inspector.query.openprose.state import LATEST, State
from inspector.query.progress import Progress, no_progress

BLOCK = 1024
_FORMAT = 2
"""Of `marshal`: without references between objects, which would cost time and gain nothing."""


class KeptRows:
    """Rows in their order; the first is at 0."""

    def __init__(self) -> None:
        self._packed: list[bytes] = []
        self._newest: list[Row] = []
        """Rows after the last full block."""
        self._unpacked: tuple[int, list[Row]] = (-1, [])
        """The block that was needed last."""

    def __len__(self) -> int:
        return len(self._packed) * BLOCK + len(self._newest)

    def extend(self, rows: Sequence[Row]) -> None:
        """Adds rows at the end."""
        newest = self._newest
        newest.extend(rows)
        full = max(0, len(newest) // BLOCK - 1) * BLOCK
        for start in range(0, full, BLOCK):
            block = newest[start : start + BLOCK]
            self._packed.append(zlib.compress(marshal.dumps(block, _FORMAT), 1))
        del newest[:full]

    def cut(self, length: int) -> None:
        """Drops all rows after the first `length`."""
        if length >= len(self):
            return
        packed = length // BLOCK
        if packed < len(self._packed):
            self._newest = list(self._block(packed))
            del self._packed[packed:]
            self._unpacked = (-1, [])
        del self._newest[length - len(self._packed) * BLOCK :]

    def between(self, first: int, end: int) -> Iterator[Row]:
        """Rows number `first` to `end - 1`."""
        for stretch in self._stretches(first, end):
            yield from stretch

    def same(self, at: int, row: Row) -> bool:
        """Whether the row at this place is this very one; cheap for places close to each other."""
        return next(self.between(at, at + 1), None) == row

    def first_difference(self, rows: Sequence[Row], start: int = 0) -> int:
        """Where `rows`, the first of which belongs at `start`, begin to differ from these.

        The length of the shorter when neither has a row that the other has not.
        """
        at = start
        for ours in self._stretches(start, start + len(rows)):
            theirs = rows[at - start : at - start + len(ours)]
            if ours != theirs:
                return at + next(
                    n
                    for n, (one, other) in enumerate(zip(ours, theirs, strict=True))
                    if one != other
                )
            at += len(ours)
        return at

    def _stretches(self, first: int, end: int) -> Iterator[list[Row]]:
        end = min(end, len(self))
        while first < end:
            number, within = divmod(first, BLOCK)
            rows = self._block(number) if number < len(self._packed) else self._newest
            if number >= len(self._packed):
                within = first - len(self._packed) * BLOCK
            stretch = rows[within : within + end - first]
            yield stretch
            first += len(stretch)

    def _block(self, number: int) -> list[Row]:
        if self._unpacked[0] != number:
            rows = marshal.loads(zlib.decompress(self._packed[number]))
            self._unpacked = (number, cast(list[Row], rows))
        return self._unpacked[1]


PART = 2_000
"""Events that are folded between two tellings: some ten milliseconds of work."""

_UNFINISHED = tuple(
    STATUS_CODE[status] for status in (Status.RUNNING, Status.PENDING, Status.UNKNOWN)
)


class Timeline:
    """Events 1 to `len(self)` of a run and the state after the last of them."""

    def __init__(self) -> None:
        self.state = State()
        self._rows = KeptRows()
        self._checkpoints: Checkpoints[State] = Checkpoints()
        self._latest = LATEST
        self.tell: Progress = no_progress

    def __len__(self) -> int:
        return len(self._rows)

    def replace(self, rows: Sequence[Row], start: int, latest: int) -> int:
        """Makes `rows` the events after the first `start`; gives the first that differed.

        That is `len(self)` as it was before when rows were only added. Instants after `latest`
        (UTC ms) are held to be wrong.
        """
        self._latest = self.state.latest = min(latest, LATEST)
        first = self._rows.first_difference(rows, start)
        if first < len(self._rows):
            self._checkpoints.forget_after(first)
            self.state = self.at(first)
            self._rows.cut(first)
        self._append(rows[first - start :])
        return first

    def at(self, event: int) -> State:
        """The state after the first `event` events, to be changed by nobody else."""
        saved = self._checkpoints.before(event)
        begun, state = (saved[0], saved[1].copy()) if saved else (0, State())
        state.latest = self._latest
        return fold(self._rows.between(begun, event), state)

    def is_known(self, row: Row) -> bool:
        """Whether a row with whole ascending ids stands as it was folded."""
        event = self.state.rows.event(row[0])
        return event is not None and self._rows.same(event - 1, row)

    def unfinished(self, end: int, most: int) -> list[int]:
        """Rows up to event `end` whose steps have not ended; the newest `most` of them."""
        steps, ids = self.state.steps, self.state.rows.ids
        events: set[int] = set()
        for code in _UNFINISHED:
            step = steps.status.rfind(code)
            while step >= 0 and len(events) < most * len(_UNFINISHED):
                events.update(n for n in (steps.first[step], steps.last[step]) if 0 < n <= end)
                step = steps.status.rfind(code, 0, step)
        return [ids[event - 1] for event in sorted(events)[-most:]]

    def _append(self, rows: Sequence[Row]) -> None:
        state, at = self.state, 0
        self._checkpoints.expect(state.events + len(rows))
        while at < len(rows):
            due = self._checkpoints.due(state.events)
            end = min(at + due - state.events, at + PART, len(rows))
            fold(rows[at:end], state)
            at = end
            self.tell(at, len(rows))
            if state.events == due:
                self._checkpoints.save(due, state.copy())
        self._rows.extend(rows)
