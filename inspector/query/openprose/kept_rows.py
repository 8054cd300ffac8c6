"""Rows that were folded, kept small: to fold again from an earlier point, and to see what changed.

Rows are packed away by blocks and unpacked when the past is asked for, or when they are compared,
which needs no further read of the database.
"""

from __future__ import annotations

import marshal
import zlib
from collections.abc import Iterator, Sequence
from typing import cast

from inspector.query.openprose.events import Row

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
