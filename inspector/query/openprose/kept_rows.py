"""Rows that were folded, kept small: to fold again from an earlier point, and to see what changed.

A row is compared by its digest; whole rows are packed away by blocks and unpacked when the past is
asked for, which needs no further read of the database.
"""

from __future__ import annotations

import marshal
import zlib
from array import array
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import cast

from inspector.query.openprose.events import Row

BLOCK = 1024
_FORMAT = 2
"""Of `marshal`: equal values give equal bytes, since none refers to another."""


def _digest(row: Row) -> int:
    """Of the bytes of a row: numbers and texts that are no more than alike must differ in it."""
    return hash(marshal.dumps(row, _FORMAT))


class KeptRows:
    """Rows in their order; the first is at 0."""

    def __init__(self) -> None:
        self._digests = array("q")
        self._packed: list[bytes] = []
        self._newest: list[Row] = []
        """Rows after the last full block."""

    def __len__(self) -> int:
        return len(self._digests)

    def extend(self, rows: Sequence[Row]) -> None:
        """Adds rows at the end."""
        self._digests.extend(map(_digest, rows))
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
        del self._newest[length - len(self._packed) * BLOCK :]
        del self._digests[length:]

    def between(self, first: int, end: int) -> Iterator[Row]:
        """Rows number `first` to `end - 1`."""
        end = min(end, len(self))
        begins_newest = len(self._packed) * BLOCK
        while first < min(end, begins_newest):
            number, within = divmod(first, BLOCK)
            block = self._block(number)[within : within + end - first]
            yield from block
            first += len(block)
        yield from self._newest[max(0, first - begins_newest) : max(0, end - begins_newest)]

    def same(self, at: int, row: Row) -> bool:
        """Whether the row at this place is this very one."""
        return self._digests[at] == _digest(row)

    def first_difference(self, rows: Sequence[Row], start: int = 0) -> int:
        """Where `rows`, the first of which belongs at `start`, begin to differ from these.

        The length of the shorter when neither has a row that the other has not.
        """
        ours = self._digests[start : start + len(rows)]
        theirs = array("q", map(_digest, islice(rows, len(ours))))
        if ours == theirs:
            return start + len(ours)
        return start + next(
            at for at, (one, other) in enumerate(zip(ours, theirs, strict=True)) if one != other
        )

    def _block(self, number: int) -> list[Row]:
        return cast(list[Row], marshal.loads(zlib.decompress(self._packed[number])))
