"""A Fenwick tree: prefix sums over a sequence of integers that change one at a time."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from itertools import accumulate
from operator import sub


class FenwickTree:
    """Integers with prefix sums; `add` and `before` take O(log n)."""

    __slots__ = ("_tree", "total")

    def __init__(self, values: Iterable[int] = ()) -> None:
        """Builds the tree in log n vectorised passes."""
        before = array("q", accumulate(values, initial=0))
        size = len(before) - 1
        self.total = before[size]
        self._tree = array("q", bytes(8 * (size + 1)))
        width = 1
        while width <= size:
            # Nodes that cover `width` numbers end at width, 3 width, 5 width …
            ends = before[width :: 2 * width]
            self._tree[width :: 2 * width] = array("q", map(sub, ends, before[:: 2 * width]))
            width *= 2

    @classmethod
    def zeros(cls, size: int) -> FenwickTree:
        """Returns a tree of `size` zeros."""
        sums = cls()
        sums._tree = array("q", bytes(8 * (size + 1)))
        return sums

    def __len__(self) -> int:
        return len(self._tree) - 1

    def add(self, index: int, change: int) -> None:
        """Adds `change` to the number at `index`."""
        self.total += change
        tree, size = self._tree, len(self._tree)
        node = index + 1
        while node < size:
            tree[node] += change
            node += node & -node

    def before(self, index: int) -> int:
        """Returns the sum of the first `index` numbers."""
        tree, found = self._tree, 0
        while index:
            found += tree[index]
            index &= index - 1
        return found

    def append(self, value: int) -> None:
        """Appends a number."""
        size = len(self._tree)
        covered = self.total - self.before(size - (size & -size))
        self._tree.append(covered + value)
        self.total += value

    def pop(self) -> None:
        """Removes the last number."""
        self.total = self.before(len(self._tree) - 2)
        self._tree.pop()

    def find(self, offset: int) -> tuple[int, int]:
        """Returns the item that contains `offset`, and the rest; item i is `1 + number i` long.

        Requires 0 <= offset < `len(self) + self.total`.
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
