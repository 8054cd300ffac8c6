"""The fold of one agent run, kept as events are added, and its past."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Any

from inspector.derive.checkpoints import Checkpoints
from inspector.query.prism.events import Row
from inspector.query.prism.fold import apply
from inspector.query.prism.state import State

PORTION = 10_000
"""Events that are read again at once."""


class Timeline:
    """Events 1 to `len(self)` of a run, and the state after the last of them.

    The events themselves stay in the database: of each its row and its step are kept.
    """

    def __init__(self) -> None:
        self.state = State()
        self.rows = array("q")
        """The rowid of each event."""
        self.step_of = array("i")
        self.last: tuple[Any, int] | None = None
        """Sequence and rowid of the last event."""
        self.newest_row = -1
        self.repeats = False
        """Whether sequences repeat, so that only the order of writing tells anything."""
        self._checkpoints: Checkpoints[State] = Checkpoints()

    def __len__(self) -> int:
        return len(self.rows)

    def append(self, rows: Sequence[Row]) -> None:
        """Folds further events onto the state."""
        state = self.state
        due = self._checkpoints.due(state.events)
        for row in rows:
            self.step_of.append(apply(state, row))
            self.rows.append(row[0])
            if state.events == due:
                self._checkpoints.save(due, state.copy())
                due = self._checkpoints.due(due)
        if rows:
            self.last = (rows[-1][1], rows[-1][0])
            self.newest_row = max(self.newest_row, max(row[0] for row in rows))

    def follows(self, rows: Sequence[Row]) -> bool:
        """Whether these events come, in their order, after all that are known."""
        before = self.last
        for row in rows:
            if not isinstance(row[1], int):
                return False
            if before is not None and (
                row[0] <= before[1] if self.repeats else row[1] <= before[0]
            ):
                return False
            before = (row[1], row[0])
        return True

    def at(self, event: int, read: Callable[[Sequence[int]], Sequence[Row]]) -> State:
        """The state after the first `event` events; `read` gives events by their rows again."""
        saved = self._checkpoints.before(event)
        begun, state = (saved[0], saved[1].copy()) if saved else (0, State())
        while begun < event:
            stop = min(begun + PORTION, event)
            for row in read(self.rows[begun:stop]):
                apply(state, row)
            begun = stop
        state.settle()
        return state

    def failures_until(self, event: int) -> array[int]:
        """Events up to `event` that recorded a failure."""
        failures = self.state.failures
        return failures[: bisect_right(failures, event)]


def has_repeats(rows: Sequence[Row], last: tuple[Any, int] | None) -> bool:
    """Whether, in their order, two of these events have one sequence, or one has none."""
    before = None if last is None else last[0]
    for row in rows:
        if row[1] == before or not isinstance(row[1], int):
            return True
        before = row[1]
    return False
