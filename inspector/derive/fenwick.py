"""Sums over a long row of numbers of which single ones change: a Fenwick tree."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from itertools import accumulate
from operator import sub


class FenwickTree:
    """Whole numbers in a row; changing one and adding up a beginning both take O(log n)."""

    __slots__ = ("_tree", "total")

    def __init__(self, values: Iterable[int] = ()) -> None:
        """Builds the tree in a handful of passes that run at the speed of C."""
        before = array("q", accumulate(values, initial=0))
        size = len(before) - 1
        self.total = before[size]
        self._tree = array("q", bytes(8 * (size + 1)))
        width = 1
        while width <= size:
            # Every node that covers `width` numbers: it ends at width, 3 width, 5 width …
            ends = before[width :: 2 * width]
            self._tree[width :: 2 * width] = array("q", map(sub, ends, before[:: 2 * width]))
            width *= 2

    @classmethod
    def zeros(cls, size: int) -> FenwickTree:
        """`size` numbers that are all 0."""
        sums = cls()
        sums._tree = array("q", bytes(8 * (size + 1)))
        return sums

    def __len__(self) -> int:
        return len(self._tree) - 1

    def add(self, index: int, change: int) -> None:
        """Adds `change` to one number."""
        self.total += change
        tree, size = self._tree, len(self._tree)
        node = index + 1
        while node < size:
            tree[node] += change
            node += node & -node

    def before(self, index: int) -> int:
        """The sum of the first `index` numbers."""
        tree, found = self._tree, 0
        while index:
            found += tree[index]
            index &= index - 1
        return found

    def append(self, value: int) -> None:
        """Adds a number at the end."""
        size = len(self._tree)
        covered = self.total - self.before(size - (size & -size))
        self._tree.append(covered + value)
        self.total += value

    def pop(self) -> None:
        """Removes the last number."""
        self.total = self.before(len(self._tree) - 2)
        self._tree.pop()

    def find(self, offset: int) -> tuple[int, int]:
        """Which item holds `offset` when item i is `1 + number i` long, and how far into it.

        `offset` lies in 0 to `len(self) + self.total - 1`.
        """
        tree, size = self._tree, len(self._tree)
        at = 0
        width = 1 << (size.bit_length() - 1)
        while width:
            end = at + width
            if end < size:
                length = tree[end] + width
                if length <= offset:
                    offset -= length
                    at = end
            width >>= 1
        return at, offset
