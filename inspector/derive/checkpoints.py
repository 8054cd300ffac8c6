"""Saved states of a fold, so that the past and a changed row cost little."""

from __future__ import annotations

from typing import Generic, TypeVar

S = TypeVar("S")

BUDGET = 1_000_000
"""Events in all saved states together: a state is as large as what it tells of."""


class Checkpoints(Generic[S]):
    """States after some event numbers, ever wider apart as a run grows.

    At most `limit` of them, which together tell of at most `budget` events, or of a long run's
    twice over.
    """

    def __init__(self, *, spacing: int = 512, limit: int = 24, budget: int = BUDGET) -> None:
        self._states: dict[int, S] = {}
        self._spacing = spacing
        self._limit = limit
        self._budget = budget

    def expect(self, events: int) -> None:
        """Makes the distances right for a run of this length: none is saved only to be dropped."""
        while not self._holds(events // self._spacing):
            self._spacing *= 2
            self._states = {n: s for n, s in self._states.items() if n % self._spacing == 0}

    def _holds(self, count: int) -> bool:
        """Whether so many states at the present distance are allowed."""
        together = self._spacing * count * (count + 1) // 2
        return count <= self._limit and together <= max(self._budget, 2 * self._spacing * count)

    def due(self, events: int) -> int:
        """The next event number after `events` at which a state should be saved."""
        return (events // self._spacing + 1) * self._spacing

    def save(self, events: int, state: S) -> None:
        """Keeps a state that nobody changes any more."""
        self._states[events] = state
        self.expect(events)

    def before(self, events: int) -> tuple[int, S] | None:
        """The newest saved state with at most this many events; it must be copied before use."""
        at = max((n for n in self._states if n <= events), default=None)
        return None if at is None else (at, self._states[at])

    def forget_after(self, events: int) -> None:
        """Drops the states that already took in a later event."""
        self._states = {n: state for n, state in self._states.items() if n <= events}

    def __len__(self) -> int:
        return len(self._states)
