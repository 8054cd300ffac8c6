"""What the fold knows after its first N events, and how it can be asked.

The rules that change it live beside it: places, statements, parallels, loops, fold.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, NamedTuple

from inspector.derive.steps import STATUS_CODE, StepTable, part_of_path
from inspector.model.status import Status
from inspector.model.step import StepKind
from inspector.query.openprose.events import BRANCH, ITERATION, PENDING, Meta, index_of, text_of

MOST_LOOKED_AT = 100
"""Constructs that are open at a time in any run that makes sense, and more."""
_RUNNING = STATUS_CODE[Status.RUNNING]


class OpenSteps:
    """Steps of which some have ended since. What has ended never opens again."""

    __slots__ = ("_maybe",)

    def __init__(self, maybe: Iterable[int] = ()) -> None:
        self._maybe = list(maybe)

    def add(self, step: int) -> None:
        """Takes in a step that was begun."""
        self._maybe.append(step)

    def of(self, steps: StepTable) -> list[int]:
        """Those that have not ended, oldest first."""
        status = steps.status
        self._maybe = [step for step in self._maybe if status[step] == _RUNNING]
        return self._maybe

    def last(self, steps: StepTable) -> int | None:
        """The newest that has not ended."""
        status, maybe = steps.status, self._maybe
        while maybe:
            if status[maybe[-1]] == _RUNNING:
                return maybe[-1]
            maybe.pop()
        return None

    def newest(self, steps: StepTable) -> list[int]:
        """Those that have not ended, newest first; of very many only the newest."""
        status, maybe = steps.status, self._maybe
        found: list[int] = []
        at = len(maybe)
        while at and len(found) < MOST_LOOKED_AT:
            at -= 1
            if status[maybe[at]] == _RUNNING:
                found.append(maybe[at])
        # What was passed and has ended is never passed again.
        maybe[at:] = reversed(found)
        return found

    def copy(self) -> OpenSteps:
        """A copy that later events do not reach."""
        return OpenSteps(self._maybe)


@dataclass(slots=True)
class Instances:
    """All instances of one name."""

    count: int = 0
    last: int = -1
    open: OpenSteps = field(default_factory=OpenSteps)

    def copy(self) -> Instances:
        """A copy that later events do not reach."""
        return Instances(self.count, self.last, self.open.copy())


@dataclass(slots=True)
class Registry:
    """All constructs of one kind."""

    by_name: dict[str, Instances] = field(default_factory=dict)
    open: OpenSteps = field(default_factory=OpenSteps)

    def add(self, name: str, step: int) -> int:
        """Takes in a construct that was begun; gives its number among those of its name."""
        instances = self.by_name.setdefault(name, Instances())
        instances.count += 1
        instances.last = step
        instances.open.add(step)
        self.open.add(step)
        return instances.count

    def named(self, name: str) -> Instances:
        """The instances of a name; none where it was never begun."""
        return self.by_name.get(name) or Instances()

    def lasts(self) -> Iterator[int]:
        """The newest instance of each name."""
        return (instances.last for instances in self.by_name.values())

    def copy(self) -> Registry:
        """A copy that later events do not reach."""
        by_name = {name: one.copy() for name, one in self.by_name.items()}
        return Registry(by_name, self.open.copy())


_NAMED = -(2**62)
"""Numbers up to this one stand for ids that are no whole numbers."""


@dataclass(slots=True)
class RowNumbers:
    """The rows that were folded, in order, each by a whole number."""

    ids: array[int] = field(default_factory=lambda: array("q"))
    last: int = _NAMED
    """The greatest number so far, as long as all were ascending."""
    by_number: dict[int, int] | None = None
    """Number → its newest event, only where rows do not ascend."""
    names: list[str | None] = field(default_factory=list)
    """Ids that are no whole numbers; None where a row has no id at all."""
    numbers: dict[str, int] = field(default_factory=dict)

    def number_of_row(self, value: Any) -> int:
        """The number of a row with this id; a row without one gets a number that nobody names."""
        if type(value) is int and value > _NAMED:
            return value
        return self._named(None) if value is None else self._number(value)

    def number_of_parent(self, value: Any) -> int | None:
        """The number of the row that is named as parent; None when none is."""
        if type(value) is int and value > _NAMED:
            return value
        if value is None or value == "" or value == b"":
            return None
        return self._number(value)

    def add(self, number: int) -> None:
        """Takes in the next row."""
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
        """The newest event whose row has this number."""
        if self.by_number is not None:
            return self.by_number.get(number)
        at = bisect_left(self.ids, number)
        return at + 1 if at < len(self.ids) and self.ids[at] == number else None

    def id_of(self, number: int) -> int | str | None:
        """The id as it was recorded."""
        return number if number > _NAMED else self.names[_NAMED - number]

    def copy(self) -> RowNumbers:
        """A copy that later rows do not reach."""
        return RowNumbers(
            self.ids[:],
            self.last,
            None if self.by_number is None else dict(self.by_number),
            self.names[:],
            dict(self.numbers),
        )

    def _number(self, value: Any) -> int:
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


_NONE: Mapping[Any, int] = {}

ROOT = -1
"""The run itself as a container."""

KEPT_REMARKS = 100
"""Remarks of one code that are kept one by one; beyond that they are only counted."""

DEEPEST = 512
"""Levels of steps inside steps. A program calls itself at most a hundred times over, so what lies
deeper was recorded wrongly: it is kept beside the step that it names, not inside."""

EARLIEST = 946_684_800_000
"""The year 2000 in UTC ms."""
LATEST = 4_102_444_800_000
"""The year 2100 in UTC ms: no later instant can be right, whatever the clock says."""


class RoundRow(Enum):
    """What the `iteration` rows of a loop say (`rounds`)."""

    ENDS = auto()
    BEGINS = auto()
    SEEMS_TO_BEGIN = auto()


class Fact(NamedTuple):
    """One row, read: what it says without what it means."""

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
    rows: RowNumbers = field(default_factory=RowNumbers)
    event_step: array[int] = field(default_factory=lambda: array("i"))
    levels: array[int] = field(default_factory=lambda: array("H"))
    """How deep each step was put when it was added; 0 is directly in the run."""
    index: list[Any] = field(default_factory=list)
    """`statement_index` of each step; None where it has none."""
    by_key: dict[int, dict[Any, int]] = field(default_factory=dict)
    """Container → key of a statement → its newest step."""
    used: dict[int, dict[str, int]] = field(default_factory=dict)
    """Container → path segments taken, so that ids stay unique."""
    late: set[int] = field(default_factory=set)
    """Containers that were over, and forgotten, when something was added to them again."""
    here: int | None = None
    """Container of a row that names `here_parent` as its parent; None = to be found again."""
    here_parent: int | None = None
    loops: dict[int, list[int]] = field(default_factory=dict)
    """Container → its open loops whose rows come between their start and their exit."""
    branch_loops: dict[int, OpenSteps] = field(default_factory=dict)
    """Container → open loops of that kind in the branches of its parallels."""
    rounds: dict[int, int] = field(default_factory=dict)
    """Loop → its iteration that is under way."""
    round_rows: dict[int, RoundRow] = field(default_factory=dict)
    """Loop → what its `iteration` rows say, once anything tells."""
    empty_rounds: dict[int, int] = field(default_factory=dict)
    """Loop of which only `iteration` rows are known → the round of the newest one."""
    rows_begin_rounds: bool | None = None
    """How the newest loop of which it is certain was written; None = none was yet."""
    named_loops: Registry = field(default_factory=Registry)
    named_parallels: Registry = field(default_factory=Registry)
    branches: dict[int, dict[str, int]] = field(default_factory=dict)
    waiting: dict[int, list[int]] = field(default_factory=dict)
    """Row that is named as parent but not recorded → the steps that name it."""
    parent_is_index: bool = False
    """The writer put a statement index into `parent_id` (as the first state document did)."""
    latest: int = LATEST
    """Instants after this one cannot be right (UTC ms); set by whoever knows what time it is."""
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
        event = self.rows.event(row)
        return None if event is None or event > len(self.event_step) else self.event_step[event - 1]

    def is_deepest(self, container: int) -> bool:
        """Whether nothing more should be put inside a container."""
        return container >= 0 and self.levels[container] >= DEEPEST

    def first_row(self, step: int) -> int | None:
        """The first row of a step; None when it has none of its own."""
        first = self.steps.first[step]
        return self.rows.ids[first - 1] if first else None

    def add_step(
        self,
        container: int,
        kind: StepKind,
        fact: Fact | None,
        label: str,
        segment: Any,
        *,
        status: Status = PENDING,
        apart: bool = False,
    ) -> int:
        """Adds a step to a container; without a fact it is named, with a status, but has no row.

        `apart`: it is only kept there, and takes no path segment from those that belong there.
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
        """Puts a step into another container, under a segment that is free there."""
        steps = self.steps
        repeat = self._repeat(container, steps.kind_of(step), steps.segment[step], step)
        steps.move(step, container)
        steps.repeats.pop(step, None)
        if repeat:
            steps.repeats[step] = repeat

    def _repeat(self, container: int, kind: StepKind, segment: Any, step: int) -> str:
        """What tells a new step from those before it with the same segment; mostly nothing."""
        used = self.used
        taken = used.get(container)
        if taken is None:
            if self.is_forgotten(container):
                self.late.add(container)
            taken = used[container] = {}
        if container in self.late:
            return f"@{step}"
        if kind is BRANCH or kind is ITERATION:
            # Each is there once, and no other kind of step has a path like theirs.
            return ""
        key = str(segment) if type(segment) is int else part_of_path(segment)
        count = taken.get(key, 0)
        if not count and self.by_key.get(container, _NONE).get(segment, step) != step:
            # A plain statement took the segment without a word.
            count = 1
        taken[key] = count + 1
        return f"#{count + 1}" if count else ""

    def is_forgotten(self, container: int) -> bool:
        """Whether the indexes of a container were dropped although it has something inside."""
        if container < 0 or not self.steps.children_of[container]:
            return False
        return container not in self.by_key and container not in self.used

    def drop_indexes(self, container: int) -> None:
        """Forgets the indexes of a container that nothing can be added to by order any more."""
        self.by_key.pop(container, None)
        self.used.pop(container, None)
        self.loops.pop(container, None)
        self.branch_loops.pop(container, None)

    def copy(self) -> State:
        """A checkpoint: later events do not reach it."""
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
            rounds=dict(self.rounds),
            round_rows=dict(self.round_rows),
            empty_rounds=dict(self.empty_rounds),
            rows_begin_rounds=self.rows_begin_rounds,
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
