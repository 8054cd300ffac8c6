"""Where to look in a run: what failed and was not made good, else where it goes on now."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from inspector.derive.steps import STATUS_CODE, StepTable
from inspector.model.status import FINISHED, Status

LOOKED_AT = 2_000
"""Failures that are looked through; the newest, where there are more."""

_FAILED = STATUS_CODE[Status.FAILED]
_FINISHED = frozenset(STATUS_CODE[status] for status in FINISHED)
_COMPLETED = STATUS_CODE[Status.COMPLETED]


def initial_cursor(
    table: StepTable, step_of_event: Sequence[int], failures: Sequence[int], *, over: bool
) -> int:
    """The step that a run opens on; -1 when it has none.

    The first failure that nothing around it overcame; else, while the run goes on, the step of
    the newest event, and 0 when it is over.
    """
    for event in failures[-LOOKED_AT:]:
        step = step_of_event[event - 1] if event <= len(step_of_event) else -1
        if step >= 0 and table.status[step] == _FAILED and not _overcome(table, step):
            return step
    if not len(table):
        return -1
    return 0 if over else live_step(table, step_of_event)


def live_step(table: StepTable, step_of_event: Sequence[int]) -> int:
    """The step where something happens now: unfinished and near the end, else the newest."""
    newest = step_of_event[-1] if len(step_of_event) else len(table) - 1
    for event in range(len(step_of_event), max(0, len(step_of_event) - _NEAR), -1):
        step = step_of_event[event - 1]
        if not table.children_of[step] and table.status[step] not in _FINISHED:
            return step
    return newest


def found_again(
    part: StepTable,
    step: int,
    events_of_part: Sequence[int],
    whole: StepTable,
    step_of_event: Sequence[int],
) -> int:
    """A step of the end of a run, folded by itself, in the whole of it; else the live step.

    Both are told as tables with the step of each event. Events may have been added meanwhile.
    """
    first, label = part.first[step], part.label[step]
    newest = len(step_of_event) - (len(events_of_part) - first)
    for event in range(newest, max(0, newest - _ADDED) if first else newest, -1):
        found = step_of_event[event - 1]
        if whole.first[found] == event and whole.label[found] == label:
            return found
    return live_step(whole, step_of_event)


_ADDED = 2_000
"""Events that may have been added while a run was read."""

_NEAR = 12
"""Events after which an unfinished step that was not heard of is no longer where things happen."""


def _overcome(table: StepTable, step: int) -> bool:
    return any(table.status[around] == _COMPLETED for around in table.ancestors(step))


def next_failure(failures: Sequence[int], event: int) -> int | None:
    """The next event that recorded a failure after this one, from the start again at the end."""
    if not failures:
        return None
    return failures[bisect_right(failures, event) % len(failures)]


def previous_failure(failures: Sequence[int], event: int) -> int | None:
    """The event that recorded a failure before this one, from the end again at the start."""
    return failures[bisect_left(failures, event) - 1] if failures else None


def next_step_event(table: StepTable, step_of_event: Sequence[int], event: int) -> int:
    """The next event at which a step begins; the last event when none does."""
    for later in range(event + 1, len(step_of_event) + 1):
        if table.first[step_of_event[later - 1]] == later:
            return later
    return len(step_of_event)


def previous_step_event(table: StepTable, step_of_event: Sequence[int], event: int) -> int:
    """The event before this one at which a step begins; the first event when none does."""
    for earlier in range(min(event, len(step_of_event) + 1) - 1, 0, -1):
        if table.first[step_of_event[earlier - 1]] == earlier:
            return earlier
    return min(1, len(step_of_event))
