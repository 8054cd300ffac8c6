"""What receipts spent over the run, one cell for one or several of them. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from inspector.ui.receipts.book import Record, spent

BLOCKS = " ▁▂▃▄▅▆▇█"
ASCII_BLOCKS = " _.-=+*#@"


class Cell(NamedTuple):
    """The receipts of one cell."""

    fresh: int
    reused: int
    failed: bool
    chosen: bool
    receipts: int


def cells_of(receipts: Sequence[Record], width: int, chosen: int) -> list[Cell]:
    """Receipts shared out over at most `width` cells in their order; `chosen` is a place."""
    count = len(receipts)
    if not count or width < 1:
        return []
    cells = min(width, count)
    found = []
    for at in range(cells):
        first, end = at * count // cells, (at + 1) * count // cells
        part = receipts[first:end]
        sums = [spent(one) or (0, 0) for one in part]
        found.append(
            Cell(
                sum(one[0] for one in sums),
                sum(one[1] for one in sums),
                any(one.get("status") == "failed" for one in part),
                first <= chosen < end,
                len(part),
            )
        )
    return found


def block(amount: int, most: int, blocks: str) -> str:
    """The sign for an amount beside the most there is; something is never nothing."""
    if not amount or not most:
        return blocks[0]
    return blocks[max(1, min(len(blocks) - 1, round(amount * (len(blocks) - 1) / most)))]
