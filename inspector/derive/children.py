"""Who is inside whom: the children of any step, without a list for every step."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from operator import itemgetter

from inspector.derive.steps import StepTable

RUN = 32_768
"""Steps that are sorted in one go: some milliseconds."""

_first = itemgetter(0)


class ChildLists:
    """Steps sorted by parent, in runs of consecutive numbers; a million steps take 4 MB.

    Runs are merged like the digits of a counter, so that many small additions stay few runs.
    """

    __slots__ = ("_runs", "table")

    def __init__(self, table: StepTable, runs: list[tuple[int, array[int]]] | None = None) -> None:
        self.table = table
        self._runs = runs if runs is not None else []
        """First step of each run, and its steps by (parent, number)."""

    @property
    def size(self) -> int:
        """Steps that were taken in so far."""
        if not self._runs:
            return 0
        first, steps = self._runs[-1]
        return first + len(steps)

    def carried_to(self, table: StepTable) -> ChildLists:
        """The same lists for a table that begins with the same steps."""
        return ChildLists(table, list(self._runs))

    def grow(self, stop: int) -> None:
        """Takes in the steps below `stop`; call it in portions of at most RUN."""
        first = self.size
        while self._runs:
            begin, steps = self._runs[-1]
            if len(steps) >= RUN or len(steps) > stop - first:
                break
            self._runs.pop()
            first = begin
        for begin in range(first, stop, RUN):
            self._runs.append((begin, self._sorted(begin, min(begin + RUN, stop))))

    def cut(self, size: int) -> None:
        """Forgets the steps from `size` on."""
        while self.size > size:
            first, steps = self._runs.pop()
            if first < size:
                # What is left of a run is still sorted.
                kept = array("i", filter(size.__gt__, steps))
                self._runs.append((first, kept))

    def of(self, step: int) -> array[int]:
        """The children of a step, ascending; of the run itself for -1."""
        key = self.table.parent.__getitem__
        wanted = self.table.children_of[step] if step >= 0 else -1
        found = array("i")
        # A step comes after its parent unless it was moved later.
        skipped = bisect_right(self._runs, step, key=_first) - 1 if not self.table.reparented else 0
        for _, steps in self._runs[max(0, skipped) :]:
            if len(found) == wanted:
                break
            begin = bisect_left(steps, step, key=key)
            found += steps[begin : bisect_right(steps, step, lo=begin, key=key)]
        return found

    def _sorted(self, begin: int, stop: int) -> array[int]:
        return array("i", sorted(range(begin, stop), key=self.table.parent.__getitem__))
