"""A container of the timeline: its children, and how many rows each of them takes."""

from __future__ import annotations

from array import array

from inspector.derive.sums import Sums


class Container:
    """A container whose inside was asked for. Folded ones stay, so that they unfold as before."""

    __slots__ = ("children", "inner", "open", "step", "sums")

    def __init__(self, step: int, inner: int, children: array[int]) -> None:
        self.step = step
        self.inner = inner
        self.children = children
        self.open = True
        self.sums: Sums | None = None
        """Rows inside of each child; None while no child stands open."""

    @property
    def rows(self) -> int:
        """Rows inside."""
        return len(self.children) + (self.sums.total if self.sums else 0)

    def before(self, index: int) -> int:
        """Rows before a child."""
        return index + (self.sums.before(index) if self.sums else 0)

    def find(self, offset: int) -> tuple[int, int]:
        """Which child holds a row, and how far into it."""
        return self.sums.find(offset) if self.sums else (offset, 0)

    def stretch(self, index: int, change: int) -> None:
        """Rows appeared (or, below 0, went away) inside of a child."""
        if self.sums is None:
            self.sums = Sums.zeros(len(self.children))
        self.sums.add(index, change)

    def append(self, steps: array[int]) -> None:
        """Takes in children at the end."""
        self.children += steps
        if self.sums is not None:
            for _ in steps:
                self.sums.append(0)

    def cut(self, size: int) -> None:
        """Forgets the children from step `size` on."""
        while self.children and self.children[-1] >= size:
            self.children.pop()
            if self.sums is not None:
                self.sums.pop()
