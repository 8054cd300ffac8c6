"""The step table of a run, in columns: filled by a fold, read by everything else.

A million steps are a handful of arrays; `Step` objects are created on demand.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from inspector.model.run import StepCounts
from inspector.model.status import Status
from inspector.model.step import Attempt, Step, StepKind

NO_TIME = -(2**63)
"""Marks an instant that is not recorded, in the columns only."""

KINDS: tuple[StepKind, ...] = tuple(StepKind)
STATUSES: tuple[Status, ...] = tuple(Status)
MAX_SEGMENTS = 600
"""Segments of the longest path written in full."""
_BLOCK = 1024
_NO_TIMES = array("q", [NO_TIME]) * _BLOCK
_ZEROS = array("i", [0]) * _BLOCK
KIND_CODE = {kind: code for code, kind in enumerate(KINDS)}
STATUS_CODE = {status: code for code, status in enumerate(STATUSES)}
_ITERATION = KIND_CODE[StepKind.ITERATION]
_BRANCH = KIND_CODE[StepKind.BRANCH]
_RESERVED = re.compile(r"[%/.\[\]#@]")
"""Characters with a meaning in paths; in names they are escaped as `%2F`."""
_NUMBER = re.compile(r"-?[0-9]+", re.ASCII)


@dataclass(slots=True)
class Extra:
    """Facts that few steps have, kept beside the columns so that plain steps stay small."""

    attempts: list[Attempt] = field(default_factory=list)
    max_attempts: int | None = None
    error: str | None = None
    of: int | None = None
    instance: int | None = None
    ref: dict[str, Any] = field(default_factory=dict)

    def copy(self) -> Extra:
        """Returns an independent copy."""
        return Extra(
            list(self.attempts),
            self.max_attempts,
            self.error,
            self.of,
            self.instance,
            dict(self.ref),
        )


class StepTable:
    """Columns of steps in order of first appearance; parent -1 = the run itself."""

    __slots__ = (
        "children_of",
        "ended",
        "extra",
        "first",
        "kind",
        "label",
        "last",
        "leaf_counts",
        "owned",
        "parent",
        "raw",
        "reparented",
        "repeats",
        "segment",
        "span_last",
        "span_start",
        "span_stop",
        "started",
        "status",
    )

    def __init__(self) -> None:
        self.parent = array("i")
        self.kind = bytearray()
        self.status = bytearray()
        self.children_of = array("i")
        """Number of children of each step."""
        self.first = array("i")
        self.last = array("i")
        """First and last event of the step itself; 0 = no row of its own."""
        self.span_last = array("i")
        """Last event of the step and all inside it."""
        self.started = array("q")
        self.ended = array("q")
        self.span_start = array("q")
        self.span_stop = array("q")
        """Earliest and latest instant of the step and all inside it."""
        self.label: list[str] = []
        self.raw: list[str | None] = []
        self.segment: list[Any] = []
        """The step's segment of its path: an index, a name, or None."""
        self.repeats: dict[int, str] = {}
        """Suffixes such as `#2` of steps whose segment an earlier sibling has."""
        self.extra: dict[int, Extra] = {}
        self.owned: set[int] = set()
        """Steps whose extra facts no copy shares."""
        self.leaf_counts = [0] * len(STATUSES)
        """Number of leaf steps by status code."""
        self.reparented = 0
        """Incremented when a step moves to another parent: an index must be rebuilt."""

    def __len__(self) -> int:
        return len(self.parent)

    def add(
        self, parent: int, kind: StepKind, label: str, status: Status, raw: str | None, event: int
    ) -> int:
        """Appends a step and returns its number; `event` 0 = a step without a row."""
        return self.append(parent, KIND_CODE[kind], label, STATUS_CODE[status], raw, event)

    def append(
        self,
        parent: int,
        kind: int,
        label: str,
        status: int,
        raw: str | None,
        event: int,
        segment: Any = None,
    ) -> int:
        """Like `add`, with column codes: the fast path for plain steps."""
        number = len(self.parent)
        if number == len(self.started):
            self._grow()
        self.parent.append(parent)
        self.kind.append(kind)
        self.status.append(status)
        self.first.append(event)
        self.last.append(event)
        self.span_last.append(event)
        self.label.append(label)
        self.raw.append(raw)
        self.segment.append(segment)
        counts = self.leaf_counts
        counts[status] += 1
        if parent >= 0:
            children = self.children_of
            if not children[parent]:
                counts[self.status[parent]] -= 1
            children[parent] += 1
            if self.span_last[parent] < event:
                self.touch(parent, event)
        return number

    def _grow(self) -> None:
        """Grows the rarely set columns by blocks; they may be longer than the table."""
        self.children_of.extend(_ZEROS)
        for column in (self.started, self.ended, self.span_start, self.span_stop):
            column.extend(_NO_TIMES)

    def _adopt(self, parent: int) -> None:
        if not self.children_of[parent]:
            self.leaf_counts[self.status[parent]] -= 1
        self.children_of[parent] += 1

    def move(self, step: int, parent: int) -> None:
        """Moves a step and all inside it to another parent, which must not be inside the step."""
        old = self.parent[step]
        if old >= 0:
            self.children_of[old] -= 1
            if not self.children_of[old]:
                self.leaf_counts[self.status[old]] += 1
        self.parent[step] = parent
        if parent >= 0:
            self._adopt(parent)
            self.touch(parent, self.span_last[step])
            for moment in (self.span_start[step], self.span_stop[step]):
                if moment != NO_TIME:
                    self.stretch(parent, moment)
        self.reparented += 1

    def set_status(self, step: int, status: Status, raw: str | None) -> None:
        """Sets the status and updates `leaf_counts`."""
        code = STATUS_CODE[status]
        if not self.children_of[step]:
            self.leaf_counts[self.status[step]] -= 1
            self.leaf_counts[code] += 1
        self.status[step] = code
        self.raw[step] = raw

    def touch(self, step: int, event: int) -> None:
        """Updates the last event of a step and its ancestors."""
        span_last, parent = self.span_last, self.parent
        while step >= 0 and span_last[step] < event:
            span_last[step] = event
            step = parent[step]

    def stretch(self, step: int, instant: int) -> None:
        """Widens the time span of a step and its ancestors to include an instant (UTC ms)."""
        start, stop, parent = self.span_start, self.span_stop, self.parent
        while step >= 0:
            moved = False
            if start[step] == NO_TIME or instant < start[step]:
                start[step] = instant
                moved = True
            if stop[step] == NO_TIME or instant > stop[step]:
                stop[step] = instant
                moved = True
            if not moved:
                return
            step = parent[step]

    def more(self, step: int) -> Extra:
        """Returns the step's extra facts for modification, copying those that a snapshot shares."""
        if step in self.owned:
            return self.extra[step]
        found = self.extra.get(step)
        mine = self.extra[step] = Extra() if found is None else found.copy()
        self.owned.add(step)
        return mine

    def copy(self) -> StepTable:
        """Returns an independent copy: a snapshot or a checkpoint."""
        other = StepTable.__new__(StepTable)
        for name in _ARRAYS:
            setattr(other, name, getattr(self, name)[:])
        other.extra = dict(self.extra)
        other.repeats = dict(self.repeats)
        self.owned.clear()
        other.owned = set()
        other.leaf_counts = self.leaf_counts[:]
        other.reparented = self.reparented
        return other

    def kind_of(self, step: int) -> StepKind:
        """Returns the kind of a step."""
        return KINDS[self.kind[step]]

    def status_of(self, step: int) -> Status:
        """Returns the status of a step."""
        return STATUSES[self.status[step]]

    def ancestors(self, step: int) -> Iterator[int]:
        """Yields the ancestors of a step, innermost first."""
        step = self.parent[step]
        while step >= 0:
            yield step
            step = self.parent[step]

    def path(self, step: int) -> str:
        """Returns the step's id, such as `l1[2]/p1.b/l2[1]`; stable while events are only added.

        Ids are unique: reserved characters in names are escaped as `%2F`, a name that looks like a
        number becomes `#7`, a missing name `?`, an empty one `%`; a repeated segment gets `#2`;
        a path that is too deep is cut to its end and the step's number.
        """
        parts: list[str] = []
        repeats, number = self.repeats, step
        while step >= 0:
            if len(parts) == MAX_SEGMENTS:
                return f"…{''.join(reversed(parts[:2]))}@{number}"
            kind, segment = self.kind[step], self.segment[step]
            again = repeats.get(step, "") if repeats else ""
            if kind == _ITERATION:
                parts.append(f"[{segment}{again}]")
            elif kind == _BRANCH:
                parts.append(f".{_quoted(str(segment))}{again}")
            else:
                parts.append(f"/{part_of_path(segment)}{again}")
            step = self.parent[step]
        return "".join(reversed(parts)).removeprefix("/")

    def iteration(self, step: int) -> int | None:
        """Returns the iteration number of a step of kind iteration, else None."""
        segment = self.segment[step]
        is_round = self.kind_of(step) is StepKind.ITERATION
        return segment if is_round and isinstance(segment, int) else None

    def attempts(self, step: int) -> tuple[Attempt, ...]:
        """Returns the attempts of a step; a plain step with a row has one."""
        extra = self.extra.get(step)
        if extra is not None and extra.attempts:
            return tuple(extra.attempts)
        if not self.first[step]:
            return ()
        return (
            Attempt(
                1,
                self.status_of(step),
                self.raw[step],
                extra.error if extra else None,
                self.first[step],
                self.last[step],
                instant(self.started[step]),
                instant(self.ended[step]),
            ),
        )

    def step(self, number: int) -> Step:
        """Returns a step as an object."""
        extra = self.extra.get(number) or Extra()
        parent = self.parent[number]
        return Step(
            id=self.path(number),
            parent=self.path(parent) if parent >= 0 else None,
            kind=self.kind_of(number),
            label=self.label[number],
            status=self.status_of(number),
            raw_status=self.raw[number],
            started_at=instant(self.started[number]),
            ended_at=instant(self.ended[number]),
            first_event=self.first[number] or None,
            last_event=self.span_last[number] or None,
            iteration=self.iteration(number),
            of=extra.of,
            instance=extra.instance,
            error=extra.error,
            attempts=self.attempts(number),
            max_attempts=extra.max_attempts,
            ref=extra.ref,
        )


_NOT_COLUMNS = {"extra", "owned", "leaf_counts", "reparented", "repeats"}
_ARRAYS = tuple(name for name in StepTable.__slots__ if name not in _NOT_COLUMNS)


def part_of_path(segment: object) -> str:
    """Formats a segment after a slash; names that look like numbers get a `#`."""
    if isinstance(segment, int):
        return str(segment)
    if segment is None:
        return "?"
    name = str(segment)
    if _NUMBER.fullmatch(name):
        return f"#{name}"
    return _quoted(name) if name != "?" else "%3F"


def _quoted(name: str) -> str:
    if not _RESERVED.search(name):
        return name or "%"
    return _RESERVED.sub(lambda found: f"%{ord(found[0]):02X}", name)


def instant(value: int) -> int | None:
    """Converts a column value to UTC ms; None if not recorded."""
    return None if value == NO_TIME else value


def step_counts(leaves: Sequence[int]) -> StepCounts:
    """Returns step counts from `leaf_counts`."""
    return StepCounts(
        total=sum(leaves),
        completed=leaves[STATUS_CODE[Status.COMPLETED]],
        failed=leaves[STATUS_CODE[Status.FAILED]],
        running=leaves[STATUS_CODE[Status.RUNNING]],
        pending=leaves[STATUS_CODE[Status.PENDING]],
        skipped=leaves[STATUS_CODE[Status.SKIPPED]],
    )


def levels_of(table: StepTable) -> array[int]:
    """Returns the depth of each step, 1 for outermost; parents may follow their children."""
    parent = table.parent
    levels = array("i", bytes(4 * len(parent)))
    for step in range(len(parent)):
        unknown: list[int] = []
        at = step
        while at >= 0 and not levels[at]:
            unknown.append(at)
            at = parent[at]
        level = levels[at] if at >= 0 else 0
        for one in reversed(unknown):
            level += 1
            levels[one] = level
    return levels
