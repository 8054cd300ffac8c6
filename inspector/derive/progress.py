"""Progress of a container: finished branches, the iteration of a loop, attempts of a step."""

from __future__ import annotations

from array import array
from enum import Enum
from typing import NamedTuple

from inspector.derive.steps import KIND_CODE, STATUS_CODE, StepTable
from inspector.model.status import Status
from inspector.model.step import StepKind

_PARALLEL = KIND_CODE[StepKind.PARALLEL]
_LOOP = KIND_CODE[StepKind.LOOP]
_ITERATION = KIND_CODE[StepKind.ITERATION]
_COMPLETED = STATUS_CODE[Status.COMPLETED]
_FAILED = STATUS_CODE[Status.FAILED]
_RUNNING = STATUS_CODE[Status.RUNNING]


class Counted(Enum):
    """The unit of progress."""

    BRANCHES = "branches"
    ROUNDS = "rounds"
    TRIES = "tries"


class Progress(NamedTuple):
    """`done` of `total`; the total is None if not recorded."""

    what: Counted
    done: int
    total: int | None = None


class ChildCounts(NamedTuple):
    """Children of a container by status."""

    completed: int
    failed: int
    running: int
    total: int


def count_children(table: StepTable, children: array[int]) -> ChildCounts:
    """Counts the children by status."""
    if len(children) and children[-1] - children[0] + 1 == len(children):
        codes = table.status[children[0] : children[-1] + 1]
    else:
        codes = bytearray(map(table.status.__getitem__, children))
    return ChildCounts(
        codes.count(_COMPLETED), codes.count(_FAILED), codes.count(_RUNNING), len(children)
    )


def progress(table: StepTable, step: int, children: array[int]) -> Progress | None:
    """Returns the progress of a parallel, loop or retried step, else None."""
    kind = table.kind[step]
    if kind == _PARALLEL:
        counts = count_children(table, children)
        return Progress(Counted.BRANCHES, counts.completed, counts.total)
    extra = table.extra.get(step)
    if kind == _LOOP:
        return _rounds(table, step, children)
    if extra is not None and len(extra.attempts) > 1:
        return Progress(Counted.TRIES, extra.attempts[-1].n)
    return None


def _rounds(table: StepTable, step: int, children: array[int]) -> Progress | None:
    extra = table.extra.get(step)
    total = extra.of if extra is not None else None
    newest = children[-1] if len(children) else -1
    now = table.iteration(newest) if newest >= 0 and table.kind[newest] == _ITERATION else None
    if now is None and extra is not None:
        now = extra.ref.get("current_iteration")
    return Progress(Counted.ROUNDS, now, total) if isinstance(now, int) else None


def begin_event(table: StepTable, step: int, children: array[int]) -> int:
    """Returns the first event of a step or its `children`; 0 if none has a row.

    An iteration's own row is written at its end, after the rows inside it.
    """
    first = table.first[step]
    for child in children[:_MAX_SCANNED]:
        begun = table.first[child]
        if begun:
            return min(first, begun) if first else begun
    return first


_MAX_SCANNED = 64
"""Children scanned for the first one with a row."""
