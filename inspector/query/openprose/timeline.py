"""The fold of one run, kept as rows are added, changed and taken away, and its past."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.derive.checkpoints import Checkpoints
from inspector.derive.steps import STATUS_CODE
from inspector.model.status import Status
from inspector.query.openprose.events import Row
from inspector.query.openprose.fold import fold
from inspector.query.openprose.kept_rows import KeptRows
from inspector.query.openprose.state import LATEST, State
from inspector.query.progress import Progress, no_progress

PART = 2_000
"""Events that are folded between two tellings: some ten milliseconds of work."""

_UNFINISHED = tuple(
    STATUS_CODE[status] for status in (Status.RUNNING, Status.PENDING, Status.UNKNOWN)
)


class Timeline:
    """Events 1 to `len(self)` of a run and the state after the last of them."""

    def __init__(self) -> None:
        self.state = State()
        self._rows = KeptRows()
        self._checkpoints: Checkpoints[State] = Checkpoints()
        self._latest = LATEST
        self.tell: Progress = no_progress

    def __len__(self) -> int:
        return len(self._rows)

    def replace(self, rows: Sequence[Row], start: int, latest: int) -> int:
        """Makes `rows` the events after the first `start`; gives the first that differed.

        That is `len(self)` as it was before when rows were only added. Instants after `latest`
        (UTC ms) are held to be wrong.
        """
        self._latest = self.state.latest = min(latest, LATEST)
        first = self._rows.first_difference(rows, start)
        if first < len(self._rows):
            self._checkpoints.forget_after(first)
            self.state = self.at(first)
            self._rows.cut(first)
        self._append(rows[first - start :])
        return first

    def at(self, event: int) -> State:
        """The state after the first `event` events, to be changed by nobody else."""
        saved = self._checkpoints.before(event)
        begun, state = (saved[0], saved[1].copy()) if saved else (0, State())
        state.latest = self._latest
        return fold(self._rows.between(begun, event), state)

    def is_known(self, row: Row) -> bool:
        """Whether a row with whole ascending ids stands as it was folded."""
        event = self.state.rows.event(row[0])
        return event is not None and self._rows.same(event - 1, row)

    def unfinished(self, end: int, most: int) -> list[int]:
        """Rows up to event `end` whose steps have not ended; the newest `most` of them."""
        steps, ids = self.state.steps, self.state.rows.ids
        events: set[int] = set()
        for code in _UNFINISHED:
            step = steps.status.rfind(code)
            while step >= 0 and len(events) < most * len(_UNFINISHED):
                events.update(n for n in (steps.first[step], steps.last[step]) if 0 < n <= end)
                step = steps.status.rfind(code, 0, step)
        return [ids[event - 1] for event in sorted(events)[-most:]]

    def _append(self, rows: Sequence[Row]) -> None:
        state, at = self.state, 0
        self._checkpoints.expect(state.events + len(rows))
        while at < len(rows):
            due = self._checkpoints.due(state.events)
            end = min(at + due - state.events, at + PART, len(rows))
            fold(rows[at:end], state)
            at = end
            self.tell(at, len(rows))
            if state.events == due:
                self._checkpoints.save(due, state.copy())
        self._rows.extend(rows)
