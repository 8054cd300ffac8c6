"""What the fold knows after its first N events, and how it can be asked.

The rules that change it live beside it: places, statements, parallels, loops, fold.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from inspector.derive.steps import StepTable
from inspector.model.status import Status
from inspector.model.step import StepKind
from inspector.query.openprose.events import Meta

ROOT = -1
"""The run itself as a container."""

KEPT_REMARKS = 100
"""Remarks of one code that are kept one by one; beyond that they are only counted."""


class Fact(NamedTuple):
    """One row, read: what it says without what it means."""

    n: int
    row: int
    statement: int | float | str | None
    """`statement_index`."""
    text: str
    raw: str | None
    status: Status
    started_at: int | None
    ended_at: int | None
    error: str | None
    parent_row: int | None
    meta: Meta


class Remark(NamedTuple):
    """Something odd that the fold met; a sentence is made of it later."""

    code: str
    step: int
    rows: tuple[int, ...]
    detail: str


@dataclass(slots=True)
class State:
    """The steps after the first `events` rows, with the indexes that the next row needs."""

    steps: StepTable = field(default_factory=StepTable)
    events: int = 0
    row_ids: array[int] = field(default_factory=lambda: array("q"))
    event_step: array[int] = field(default_factory=lambda: array("i"))
    index: list[Any] = field(default_factory=list)
    """`statement_index` of each step; None where it has none."""
    frame: array[int] = field(default_factory=lambda: array("q"))
    """Row of the innermost enclosing frame of each step; 0 = root."""
    by_key: dict[int, dict[Any, int]] = field(default_factory=dict)
    """Container → key of a statement → its newest step."""
    used: dict[int, Counter[str]] = field(default_factory=dict)
    """Container → path segments taken, so that ids stay unique."""
    here: int | None = None
    """Container of a row that names no parent; None = to be found again."""
    loops: dict[int, list[int]] = field(default_factory=dict)
    """Container → its open loops whose rows come between their start and their exit."""
    rounds: dict[int, int] = field(default_factory=dict)
    """Loop → its iteration that is under way."""
    loop_ids: dict[str, list[int]] = field(default_factory=dict)
    parallel_ids: dict[str, list[int]] = field(default_factory=dict)
    branches: dict[int, dict[str, int]] = field(default_factory=dict)
    waiting: dict[int, list[int]] = field(default_factory=dict)
    """Row that is named as parent but not recorded → the steps that name it."""
    parent_is_index: bool = False
    """The writer put a statement index into `parent_id` (as the first state document did)."""
    instants: int = 0
    """Events that carry at least one instant."""
    failures: array[int] = field(default_factory=lambda: array("i"))
    """Events that recorded a failure."""
    appended: int = 0
    updated: int = 0
    both_instants: int = 0
    """Events that show how they were written (see `schema.StyleSigns`)."""
    remarks: list[Remark] = field(default_factory=list)
    remark_counts: Counter[str] = field(default_factory=Counter)

    def remark(self, code: str, step: int, rows: tuple[int, ...], detail: str = "") -> None:
        """Notes something odd; beyond a limit only the count grows."""
        self.remark_counts[code] += 1
        if self.remark_counts[code] <= KEPT_REMARKS:
            self.remarks.append(Remark(code, step, rows, detail))

    def step_of_row(self, row: int) -> int | None:
        """The step that a recorded row belongs to, None when there is no such row so far."""
        at = bisect_left(self.row_ids, row)
        if at < len(self.event_step) and self.row_ids[at] == row:
            return self.event_step[at]
        return None

    def first_row(self, step: int) -> int:
        """The first row of a step; 0 when it has none."""
        first = self.steps.first[step]
        return self.row_ids[first - 1] if first else 0

    def add_step(
        self, container: int, kind: StepKind, fact: Fact | None, label: str, segment: Any
    ) -> int:
        """Adds a step to a container; without a fact it is named but has no row yet."""
        steps = self.steps
        self.here = None
        if fact is None:
            number = steps.add(container, kind, label, Status.PENDING, None, 0)
            self.index.append(self.index[container] if container >= 0 else None)
        else:
            number = steps.add(container, kind, label, fact.status, fact.raw, fact.n)
            self.index.append(fact.statement)
        self.frame.append(self.frame[container] if container >= 0 else 0)
        steps.segment[number] = self._free_segment(container, segment)
        return number

    def taken(self, container: int, segment: Any) -> None:
        """Says that a path segment is in use, although it was never asked for."""
        self.used.setdefault(container, Counter()).setdefault(segment, 1)

    def _free_segment(self, container: int, segment: Any) -> Any:
        if isinstance(segment, int) and container >= 0 and self._is_loop(container):
            return segment
        taken = self.used.get(container)
        if taken is None:
            taken = self.used[container] = Counter()
        taken[segment] += 1
        return segment if taken[segment] == 1 else f"{segment}#{taken[segment]}"

    def _is_loop(self, step: int) -> bool:
        return self.steps.kind_of(step) is StepKind.LOOP

    def drop_indexes(self, container: int) -> None:
        """Forgets the indexes of a container that nothing can be added to by order any more."""
        self.by_key.pop(container, None)
        self.used.pop(container, None)
        self.loops.pop(container, None)

    def copy(self) -> State:
        """A checkpoint: later events do not reach it."""
        return State(
            steps=self.steps.copy(),
            events=self.events,
            row_ids=self.row_ids[:],
            event_step=self.event_step[:],
            index=self.index[:],
            frame=self.frame[:],
            by_key={key: dict(value) for key, value in self.by_key.items()},
            used={key: Counter(value) for key, value in self.used.items()},
            loops={key: list(value) for key, value in self.loops.items()},
            rounds=dict(self.rounds),
            loop_ids={key: list(value) for key, value in self.loop_ids.items()},
            parallel_ids={key: list(value) for key, value in self.parallel_ids.items()},
            branches={key: dict(value) for key, value in self.branches.items()},
            waiting={key: list(value) for key, value in self.waiting.items()},
            parent_is_index=self.parent_is_index,
            instants=self.instants,
            failures=self.failures[:],
            appended=self.appended,
            updated=self.updated,
            both_instants=self.both_instants,
            remarks=list(self.remarks),
            remark_counts=Counter(self.remark_counts),
        )
