"""How long a read may wait, and for what; each cause has a budget of its own."""

import time
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReadBudget:
    """Times in ms. A read gives up as busy after `total_ms`, but never before a third try."""

    total_ms: float = 1000
    journal_waits: int = 8
    journal_wait_ms: float = 3
    """A commit in flight normally ends within these waits."""
    racy_ms: float = 25
    """Waiting for the clock that stamps files to move on; beyond it the file is read twice."""
    first_pause_ms: float = 2
    longest_pause_ms: float = 250
    read_twice_at_once_bytes: int = 4 << 20
    """Up to this size reading twice is cheaper than waiting."""
    read_twice_bytes: int = 64 << 20
    """The largest file that is read twice at all."""


_FEWEST_TRIES = 3
_GROWTH = 1.6


class Pace:
    """What one read has spent."""

    def __init__(self, budget: ReadBudget) -> None:
        self._budget = budget
        self._deadline = time.monotonic() + budget.total_ms / 1000
        self._tries = 0
        self._pause = budget.first_pause_ms / 1000
        self._journal_waits = budget.journal_waits
        self._racy = budget.racy_ms / 1000
        self.prefers_copy = False
        """A query that takes longer than copying the file had the file moved under it."""
        self.may_copy = True
        """Whether there is room for copies that could also be done without."""

    def waits_for_commit(self) -> bool:
        """Waits a moment for a transaction to end; False when that was done often enough."""
        if self._journal_waits <= 0:
            return False
        self._journal_waits -= 1
        self._wait(self._budget.journal_wait_ms / 1000)
        return True

    def waits_for_tick(self, needed_ns: int) -> bool:
        """Waits until a modification time is old enough; False when that takes too long."""
        needed = needed_ns / 1e9
        if needed > self._racy:
            return False
        self._racy -= needed
        self._wait(needed)
        return True

    def tries_again(self) -> bool:
        """Waits a little longer than the last time; False when the time is over."""
        self._tries += 1
        left = self._deadline - time.monotonic()
        if left <= 0 and self._tries >= _FEWEST_TRIES:
            return False
        time.sleep(max(0.0, min(self._pause, left)))
        self._pause = min(self._pause * _GROWTH, self._budget.longest_pause_ms / 1000)
        return True

    def _wait(self, seconds: float) -> None:
        self._deadline += seconds
        time.sleep(seconds)
