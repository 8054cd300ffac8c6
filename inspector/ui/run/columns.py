"""Where things stand on a line of the timeline, for a width; nothing widens with its content."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.ui.lines import NARROW, margin

COUNT_CELLS = 7
"""Kept free for `∥ 2/3`, so that a label is cut where it was when the count grows."""

NARROW_AXIS = 10
TOKENS_FROM = 100
"""Columns from which tokens have a column."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Columns of the timeline; those that end before a column are right-aligned."""

    width: int
    sign: int
    tree: int
    """The sign that folds the outermost steps."""
    indent: int
    label: int
    """The outermost labels."""
    label_end: int
    count_end: int | None
    """None where counts follow the label."""
    tokens_end: int | None
    duration_end: int | None
    axis: int
    cells: int

    @property
    def narrow(self) -> bool:
        """Whether there is one pane only."""
        return self.width < NARROW

    @property
    def gap(self) -> int:
        """Empty cells between a label and what follows it."""
        return 2 if self.narrow else 3


def columns_for(width: int, timed: bool, tokens: bool = False) -> Columns:
    """The columns of a pane this wide, without or with durations."""
    edge = margin(width)
    if width < NARROW:
        axis = max(12, width - edge - NARROW_AXIS)
        end = axis - 1
        tokens_end = None
        tree, indent = 3, 1
    else:
        tree, indent = 5, 2
        end = min(41, (width + 3) // 2) + max(0, (width - 82) // 2)
        axis = end + 3
        tokens_end = end - 10 if timed and tokens and width >= TOKENS_FROM else None
    duration_end = end if timed else None
    label_end = end
    if timed:
        label_end = (tokens_end - 6 if tokens_end else end - 8) - 2
    return Columns(
        width,
        sign=edge,
        tree=tree,
        indent=indent,
        label=tree + 2,
        label_end=label_end,
        count_end=None if timed else end,
        tokens_end=tokens_end,
        duration_end=duration_end,
        axis=axis,
        cells=max(1, width - edge - axis),
    )
