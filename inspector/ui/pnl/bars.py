"""How high the bars of amounts of any size are: half cells, one scale for both directions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scale:
    """`up` and `down` are rows above and below the zero line."""

    up: int
    down: int
    numerator: int
    denominator: int

    def half_cells(self, amount: int) -> int:
        """How many half cells a bar has; something is never nothing."""
        if not amount:
            return 0
        exact = 2 * abs(amount) * self.numerator + self.denominator
        return max(1, exact // (2 * self.denominator))


def scale_of(amounts: Sequence[int], rows: int) -> Scale:
    """Shares out `rows` (2 or more) so that the largest amounts reach the ends."""
    gain = max((amount for amount in amounts if amount > 0), default=0)
    loss = -min((amount for amount in amounts if amount < 0), default=0)
    if not gain or not loss:
        up = rows if gain else 0
        return Scale(up, rows if loss else 0, 2 * rows, max(gain, loss, 1))
    up = (2 * rows * gain + gain + loss) // (2 * (gain + loss))
    up = min(max(1, up), rows - 1)
    down = rows - up
    if up * loss <= down * gain:
        return Scale(up, down, 2 * up, gain)
    return Scale(up, down, 2 * down, loss)


@dataclass(frozen=True, slots=True)
class Window:
    """Which runs are shown, in slots of equal width."""

    first: int
    count: int
    slot: int

    @property
    def bar(self) -> int:
        """Cells of a bar."""
        return max(1, self.slot // 2)


MOST_SLOT = 10


def window_of(runs: int, longest: int, room: int, cursor: int) -> Window:
    """The page, counted from the newest run, that has the cursor; pages do not move with it.

    `longest` is how many cells the longest number takes.
    """
    slot = max(longest + 1, min(MOST_SLOT, room // max(1, runs)))
    count = max(1, min(runs, room // slot))
    page = max(0, runs - 1 - cursor) // count
    return Window(max(0, runs - (page + 1) * count), count, slot)
