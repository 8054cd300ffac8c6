"""The state of the fold after N events.

The rules that change it are in fold, frames, statements, parallels, loops and iterations.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NamedTuple

from inspector.derive.steps import STATUS_CODE, StepTable, part_of_path
from inspector.model.status import Status
from inspector.model.step import StepKind
from inspector.query.openprose.events import BRANCH, ITERATION, PENDING, Meta, index_of, text_of

MOST_OPEN = 100
"""Maximum number of open constructs that are searched; no plausible run has more."""
_RUNNING = STATUS_CODE[Status.RUNNING]


class OpenSteps:
    """Steps that may have ended meanwhile. An ended step never opens again."""

    __slots__ = ("_maybe",)

    def __init__(self, maybe: Iterable[int] = ()) -> None:
        self._maybe = list(maybe)

    def add(self, step: int) -> None:
        """Add a step that began."""
        self._maybe.append(step)

    def of(self, steps: StepTable) -> list[int]:
        """Return those still open, oldest first."""
        status = steps.status
        self._maybe = [step for step in self._maybe if status[step] == _RUNNING]
        return self._maybe

    def last(self, steps: StepTable) -> int | None:
        """Return the newest one still open."""
        status, maybe = steps.status, self._maybe
        while maybe:
            if status[maybe[-1]] == _RUNNING:
                return maybe[-1]
            maybe.pop()
        return None

    def newest(self, steps: StepTable) -> list[int]:
        """Return those still open, newest first; at most `MOST_OPEN`."""
        status, maybe = steps.status, self._maybe
        found: list[int] = []
        at = len(maybe)
        while at and len(found) < MOST_OPEN:
            at -= 1
            if status[maybe[at]] == _RUNNING:
                found.append(maybe[at])
        # Drop the ended ones that were passed.
        maybe[at:] = reversed(found)
        return found

    def copy(self) -> OpenSteps:
        """Return a copy that later events do not change."""
        return OpenSteps(self._maybe)


@dataclass(slots=True)
class Instances:
    """The instances of one name."""

    count: int = 0
    last: int = -1
    open: OpenSteps = field(default_factory=OpenSteps)

    def copy(self) -> Instances:
        """Return a copy that later events do not change."""
        return Instances(self.count, self.last, self.open.copy())


@dataclass(slots=True)
class Registry:
    """The constructs of one kind."""

    by_name: dict[str, Instances] = field(default_factory=dict)
    open: OpenSteps = field(default_factory=OpenSteps)

    def add(self, name: str, step: int) -> int:
        """Add a construct that began; return its number among those of its name."""
        instances = self.by_name.setdefault(name, Instances())
        instances.count += 1
        instances.last = step
        instances.open.add(step)
        self.open.add(step)
        return instances.count

    def named(self, name: str) -> Instances:
        """Return the instances of a name; none if it never began."""
        return self.by_name.get(name) or Instances()

    def lasts(self) -> Iterator[int]:
        """Return the newest instance of each name."""
        return (instances.last for instances in self.by_name.values())

    def copy(self) -> Registry:
        """Return a copy that later events do not change."""
        by_name = {name: one.copy() for name, one in self.by_name.items()}
        return Registry(by_name, self.open.copy())


_NAMED = -(2**62)
"""Numbers up to this one stand for ids that are not integers."""


@dataclass(slots=True)
class RowNumbers:
    """The folded rows in order, each by an integer.

    The state document gives rows ascending integer ids. Writers that create the table themselves
    also use text, leave ids out, or add rows out of order; every row still gets a number.
    """

    ids: array[int] = field(default_factory=lambda: array("q"))
    last: int = _NAMED
    """The greatest number so far, while all were ascending."""
    by_number: dict[int, int] | None = None
    """Number → its newest event; only if rows do not ascend."""
    names: list[str | None] = field(default_factory=list)
    """Ids that are not integers; None for rows without an id."""
    numbers: dict[str, int] = field(default_factory=dict)

    def number_of_row(self, value: object) -> int:
        """Return the number of a row with this id; a row without one gets a number of its own."""
        if type(value) is int and value > _NAMED:
            return value
        return self._named(None) if value is None else self._number(value)

    def number_of_parent(self, value: object) -> int | None:
        """Return the number of the row named as parent; None if none is named."""
        if type(value) is int and value > _NAMED:
            return value
        if value is None or value == "" or value == b"":
            return None
        return self._number(value)

    def add(self, number: int) -> None:
        """Add the next row."""
        ids = self.ids
        ids.append(number)
        if self.by_number is not None:
            self.by_number[number] = len(ids)
        elif number > self.last:
            self.last = number
        else:
            self.last = 2**63
            self.by_number = {known: event for event, known in enumerate(ids, 1)}

    def event(self, number: int) -> int | None:
        """Return the newest event whose row has this number."""
        if self.by_number is not None:
            return self.by_number.get(number)
        at = bisect_left(self.ids, number)
        return at + 1 if at < len(self.ids) and self.ids[at] == number else None

    def id_of(self, number: int) -> int | str | None:
        """Return the id as recorded."""
        return number if number > _NAMED else self.names[_NAMED - number]

    def copy(self) -> RowNumbers:
        """Return a copy that later rows do not change."""
        return RowNumbers(
            self.ids[:],
            self.last,
            None if self.by_number is None else dict(self.by_number),
            self.names[:],
            dict(self.numbers),
        )

    def _number(self, value: object) -> int:
        number = index_of(value)
        if isinstance(number, int) and number > _NAMED:
            return number
        return self._named(text_of(value))

    def _named(self, name: str | None) -> int:
        known = None if name is None else self.numbers.get(name)
        if known is None:
            known = _NAMED - len(self.names)
            self.names.append(name)
            if name is not None:
                self.numbers[name] = known
        return known


_NONE: Mapping[object, int] = {}

ROOT = -1
"""The run itself as a container."""

KEPT_REMARKS = 100
"""Remarks kept per code; further ones are only counted."""

DEEPEST = 512
"""Maximum nesting of steps. A program recurses at most a hundred times, so a deeper parent was
recorded wrongly: the step is kept beside it, not inside."""

EARLIEST = 946_684_800_000
"""The year 2000 in UTC ms."""
LATEST = 4_102_444_800_000
"""The year 2100 in UTC ms; later times are implausible whatever the clock says."""


class IterationRow(Enum):
    """How the `iteration` rows of a loop are read (see `iterations`)."""

    ENDS = auto()
    BEGINS = auto()
    SEEMS_TO_BEGIN = auto()


class Fact(NamedTuple):
    """One row, parsed but not interpreted."""

    n: int
    row: int
    """Its number (`RowNumbers`)."""
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
    """An anomaly that the fold found; `findings` turns it into a sentence."""

    code: str
    step: int
    rows: tuple[int, ...]
    detail: str


@dataclass(slots=True)
class State:
    """The steps after the first `events` rows, with the indexes that the next row needs."""

    steps: StepTable = field(default_factory=StepTable)
    events: int = 0
    rows: RowNumbers = field(default_factory=RowNumbers)
    event_step: array[int] = field(default_factory=lambda: array("i"))
    levels: array[int] = field(default_factory=lambda: array("H"))
    """Depth of each step when it was added; 0 is directly in the run."""
    index: list[object] = field(default_factory=list)
    """`statement_index` of each step; None if it has none."""
    by_key: dict[int, dict[object, int]] = field(default_factory=dict)
    """Container → key of a statement → its newest step."""
    used: dict[int, dict[str, int]] = field(default_factory=dict)
    """Container → path segments in use, so that ids stay unique."""
    late: set[int] = field(default_factory=set)
    """Containers that got a further step after their indexes were dropped."""
    here: int | None = None
    """Cached container of rows whose parent is `here_parent`; None = look it up again."""
    here_parent: int | None = None
    loops: dict[int, list[int]] = field(default_factory=dict)
    """Container → its open loops whose body follows from the order of rows."""
    branch_loops: dict[int, OpenSteps] = field(default_factory=dict)
    """Container → open loops of that kind in the branches of its parallels."""
    iterations: dict[int, int] = field(default_factory=dict)
    """Loop → its current iteration."""
    iteration_rows: dict[int, IterationRow] = field(default_factory=dict)
    """Loop → how its `iteration` rows are read, once decided."""
    empty_iterations: dict[int, int] = field(default_factory=dict)
    """Loop of which only `iteration` rows are known → the iteration of the newest one."""
    rows_begin_iterations: bool | None = None
    """How the newest loop that was decided with certainty was written; None = none yet."""
    named_loops: Registry = field(default_factory=Registry)
    named_parallels: Registry = field(default_factory=Registry)
    branches: dict[int, dict[str, int]] = field(default_factory=dict)
    waiting: dict[int, list[int]] = field(default_factory=dict)
    """Row that is named as parent but not recorded → the steps that name it."""
    parent_is_index: bool = False
    """Whether the writer puts a statement index into `parent_id`, as the first state document did.
    """
    latest: int = LATEST
    """Later times are implausible (UTC ms); the caller, who has a clock, sets it."""
    instants: int = 0
    """Events with at least one time."""
    failures: array[int] = field(default_factory=lambda: array("i"))
    """Events that recorded a failure."""
    appended: int = 0
    updated: int = 0
    both_instants: int = 0
    """Counts that reveal the write style (see `schema.StyleSigns`)."""
    remarks: list[Remark] = field(default_factory=list)
    remark_counts: Counter[str] = field(default_factory=Counter)

    def remark(self, code: str, step: int, rows: tuple[int, ...], detail: str = "") -> None:
        """Add a remark; beyond `KEPT_REMARKS` per code it is only counted."""
        self.remark_counts[code] += 1
        if self.remark_counts[code] <= KEPT_REMARKS:
            self.remarks.append(Remark(code, step, rows, detail))

    def step_of_row(self, row: int) -> int | None:
        """Return the step that a recorded row belongs to; None if there is no such row yet."""
        event = self.rows.event(row)
        return None if event is None or event > len(self.event_step) else self.event_step[event - 1]

    def is_deepest(self, container: int) -> bool:
        """Return whether nothing may be nested in a container any more."""
        return container >= 0 and self.levels[container] >= DEEPEST

    def first_row(self, step: int) -> int | None:
        """Return the first row of a step; None if it has none of its own."""
        first = self.steps.first[step]
        return self.rows.ids[first - 1] if first else None

    def add_step(
        self,
        container: int,
        kind: StepKind,
        fact: Fact | None,
        label: str,
        segment: object,
        *,
        status: Status = PENDING,
        apart: bool = False,
    ) -> int:
        """Add a step to a container; without a fact, it is named and has a status but no row.

        With `apart` the step is only kept there, and takes no path segment.
        """
        steps = self.steps
        self.here = None
        number = len(steps)
        repeat = f"@{number}" if apart else self._repeat(container, kind, segment, number)
        if fact is None:
            steps.add(container, kind, label, status, None, 0)
            self.index.append(self.index[container] if container >= 0 else None)
        else:
            steps.add(container, kind, label, fact.status, fact.raw, fact.n)
            self.index.append(fact.statement)
        self.levels.append(self.levels[container] + 1 if container >= 0 else 0)
        steps.segment[number] = segment
        if repeat:
            steps.repeats[number] = repeat
        return number

    def move_step(self, step: int, container: int) -> None:
        """Move a step to another container, under a free path segment."""
        steps = self.steps
        repeat = self._repeat(container, steps.kind_of(step), steps.segment[step], step)
        steps.move(step, container)
        steps.repeats.pop(step, None)
        if repeat:
            steps.repeats[step] = repeat

    def _repeat(self, container: int, kind: StepKind, segment: object, step: int) -> str:
        """Return the suffix, if any, that distinguishes a step from earlier ones of its segment."""
        used = self.used
        taken = used.get(container)
        if taken is None:
            if self.is_forgotten(container):
                self.late.add(container)
            taken = used[container] = {}
        if container in self.late:
            return f"@{step}"
        if kind is BRANCH or kind is ITERATION:
            # Each exists once, and no other kind has paths like theirs.
            return ""
        key = str(segment) if type(segment) is int else part_of_path(segment)
        count = taken.get(key, 0)
        if not count and self.by_key.get(container, _NONE).get(segment, step) != step:
            # The fast path used the segment without registering it.
            count = 1
        taken[key] = count + 1
        return f"#{count + 1}" if count else ""

    def is_forgotten(self, container: int) -> bool:
        """Return whether the indexes of a container with steps were dropped."""
        if container < 0 or not self.steps.children_of[container]:
            return False
        return container not in self.by_key and container not in self.used

    def drop_indexes(self, container: int) -> None:
        """Drop the indexes of a container that can get no more steps by order."""
        self.by_key.pop(container, None)
        self.used.pop(container, None)
        self.loops.pop(container, None)
        self.branch_loops.pop(container, None)

    def copy(self) -> State:
        """Return a checkpoint that later events do not change."""
        return State(
            steps=self.steps.copy(),
            events=self.events,
            rows=self.rows.copy(),
            event_step=self.event_step[:],
            levels=self.levels[:],
            index=self.index[:],
            by_key={key: dict(value) for key, value in self.by_key.items()},
            used={key: dict(value) for key, value in self.used.items()},
            late=set(self.late),
            loops={key: list(value) for key, value in self.loops.items()},
            branch_loops={key: value.copy() for key, value in self.branch_loops.items()},
            iterations=dict(self.iterations),
            iteration_rows=dict(self.iteration_rows),
            empty_iterations=dict(self.empty_iterations),
            rows_begin_iterations=self.rows_begin_iterations,
            named_loops=self.named_loops.copy(),
            named_parallels=self.named_parallels.copy(),
            branches={key: dict(value) for key, value in self.branches.items()},
            waiting={key: list(value) for key, value in self.waiting.items()},
            parent_is_index=self.parent_is_index,
            latest=self.latest,
            instants=self.instants,
            failures=self.failures[:],
            appended=self.appended,
            updated=self.updated,
            both_instants=self.both_instants,
            remarks=list(self.remarks),
            remark_counts=Counter(self.remark_counts),
        )
