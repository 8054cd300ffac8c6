"""Checkpoints of a fold: seeking and changed rows replay only the events after one."""

from __future__ import annotations

from typing import Generic, TypeVar

S = TypeVar("S")

BUDGET = 1_000_000
"""Total events covered by all checkpoints: the size of a state grows with its events."""


class Checkpoints(Generic[S]):
    """States after some event numbers, further apart as the run grows.

    At most `limit` states. Together they cover at most `budget` events, or twice the run if that
    is longer.
    """

    def __init__(self, *, spacing: int = 512, limit: int = 24, budget: int = BUDGET) -> None:
        self._states: dict[int, S] = {}
        self._spacing = spacing
        self._limit = limit
        self._budget = budget

    def expect(self, events: int) -> None:
        """Widens the spacing for a run of this length, before states are saved in vain."""
        while not self._fits(events // self._spacing):
            self._spacing *= 2
            self._states = {n: s for n, s in self._states.items() if n % self._spacing == 0}

    def _fits(self, count: int) -> bool:
        """True if `count` states at the current spacing are allowed."""
        together = self._spacing * count * (count + 1) // 2
        return count <= self._limit and together <= max(self._budget, 2 * self._spacing * count)

    def due(self, events: int) -> int:
        """Returns the next event number after `events` where a state should be saved."""
        return (events // self._spacing + 1) * self._spacing

    def save(self, events: int, state: S) -> None:
        """Saves a state, which must not change afterwards."""
        self._states[events] = state
        self.expect(events)

    def before(self, events: int) -> tuple[int, S] | None:
        """Returns the newest state of at most `events` events; copy it before use."""
        at = max((n for n in self._states if n <= events), default=None)
        return None if at is None else (at, self._states[at])

    def forget_after(self, events: int) -> None:
        """Drops the states that include a later event."""
        self._states = {n: state for n, state in self._states.items() if n <= events}

    def __len__(self) -> int:
        return len(self._states)
