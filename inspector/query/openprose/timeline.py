"""The fold of one run, kept up to date as rows are added, changed and deleted, and its past."""

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
"""`marshal` format without references between objects, which would only cost time."""


class KeptRows:
    """Rows in order; the first has number 0. Full blocks are compressed."""

    def __init__(self) -> None:
        self._packed: list[bytes] = []
        self._newest: list[Row] = []
        """Rows after the last full block."""
        self._unpacked: tuple[int, list[Row]] = (-1, [])
        """The most recently used block."""

    def __len__(self) -> int:
        return len(self._packed) * BLOCK + len(self._newest)

    def extend(self, rows: Sequence[Row]) -> None:
        """Append rows."""
        newest = self._newest
        newest.extend(rows)
        full = max(0, len(newest) // BLOCK - 1) * BLOCK
        for start in range(0, full, BLOCK):
            block = newest[start : start + BLOCK]
            self._packed.append(zlib.compress(marshal.dumps(block, _FORMAT), 1))
        del newest[:full]

    def cut(self, length: int) -> None:
        """Drop all rows after the first `length`."""
        if length >= len(self):
            return
        packed = length // BLOCK
        if packed < len(self._packed):
            self._newest = list(self._block(packed))
            del self._packed[packed:]
            self._unpacked = (-1, [])
        del self._newest[length - len(self._packed) * BLOCK :]

    def between(self, first: int, end: int) -> Iterator[Row]:
        """Yield rows `first` to `end - 1`."""
        for stretch in self._stretches(first, end):
            yield from stretch

    def same(self, at: int, row: Row) -> bool:
        """Return whether a row equals the one kept at this place; cheap for neighbouring places."""
        return next(self.between(at, at + 1), None) == row

    def first_difference(self, rows: Sequence[Row], start: int = 0) -> int:
        """Return the place where `rows`, the first of which belongs at `start`, differ from these.

        If one is a prefix of the other, the length of the shorter.
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
"""Events folded between two progress reports, about ten milliseconds of work."""

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
        """Make `rows` the events after the first `start`; return the first that differed.

        That is the previous `len(self)` if rows were only added. Times after `latest` (UTC ms) are
        implausible.
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
        """Return the state after the first `event` events; the caller owns it."""
        saved = self._checkpoints.before(event)
        begun, state = (saved[0], saved[1].copy()) if saved else (0, State())
        state.latest = self._latest
        return fold(self._rows.between(begun, event), state)

    def is_known(self, row: Row) -> bool:
        """Return whether a row is unchanged since it was folded; needs ascending integer ids."""
        event = self.state.rows.event(row[0])
        return event is not None and self._rows.same(event - 1, row)

    def unfinished(self, end: int, most: int) -> list[int]:
        """Return the newest `most` rows, up to event `end`, of steps that have not ended."""
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
