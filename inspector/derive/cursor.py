"""Cursor positions in a run: the initial one, the live step, next and previous events."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from inspector.derive.steps import STATUS_CODE, StepTable
from inspector.model.status import FINISHED, Status

MAX_SCANNED = 2_000
"""Failures scanned for the initial cursor; the newest."""

_FAILED = STATUS_CODE[Status.FAILED]
_FINISHED = frozenset(STATUS_CODE[status] for status in FINISHED)
_COMPLETED = STATUS_CODE[Status.COMPLETED]


def initial_cursor(
    table: StepTable, step_of_event: Sequence[int], failures: Sequence[int], *, over: bool
) -> int:
    """Returns the step that a run opens on; -1 if it has no steps.

    The first failed step without a completed ancestor; else the live step, or step 0 if the run
    is `over`.
    """
    for event in failures[-MAX_SCANNED:]:
        step = step_of_event[event - 1] if event <= len(step_of_event) else -1
        if step >= 0 and table.status[step] == _FAILED and not _is_recovered(table, step):
            return step
    if not len(table):
        return -1
    return 0 if over else live_step(table, step_of_event)


def live_step(table: StepTable, step_of_event: Sequence[int]) -> int:
    """Returns the newest unfinished leaf among the last events, else the step of the last event."""
    newest = step_of_event[-1] if len(step_of_event) else len(table) - 1
    for event in range(len(step_of_event), max(0, len(step_of_event) - _MAX_QUIET), -1):
        step = step_of_event[event - 1]
        if not table.children_of[step] and table.status[step] not in _FINISHED:
            return step
    return newest


def find_in_whole(
    part: StepTable,
    step: int,
    events_of_part: Sequence[int],
    whole: StepTable,
    step_of_event: Sequence[int],
) -> int:
    """Finds a step of `part`, a fold of the run's end alone, in `whole`; else the live step.

    Steps correspond if they have the same label and the same distance from the last event; up to
    _MAX_ADDED events may have been added since `part` was folded.
    """
    first, label = part.first[step], part.label[step]
    newest = len(step_of_event) - (len(events_of_part) - first)
    for event in range(newest, max(0, newest - _MAX_ADDED) if first else newest, -1):
        found = step_of_event[event - 1]
        if whole.first[found] == event and whole.label[found] == label:
            return found
    return live_step(whole, step_of_event)


_MAX_ADDED = 2_000

_MAX_QUIET = 12
"""Events without news of an unfinished step after which it no longer counts as live."""


def _is_recovered(table: StepTable, step: int) -> bool:
    return any(table.status[around] == _COMPLETED for around in table.ancestors(step))


def next_failure(failures: Sequence[int], event: int) -> int | None:
    """Returns the next event with a failure, wrapping around; None without failures."""
    if not failures:
        return None
    return failures[bisect_right(failures, event) % len(failures)]


def previous_failure(failures: Sequence[int], event: int) -> int | None:
    """Returns the previous event with a failure, wrapping around; None without failures."""
    return failures[bisect_left(failures, event) - 1] if failures else None


def next_step_event(table: StepTable, step_of_event: Sequence[int], event: int) -> int:
    """Returns the next event that starts a step, else the last event."""
    for later in range(event + 1, len(step_of_event) + 1):
        if table.first[step_of_event[later - 1]] == later:
            return later
    return len(step_of_event)


def previous_step_event(table: StepTable, step_of_event: Sequence[int], event: int) -> int:
    """Returns the previous event that starts a step, else the first event."""
    for earlier in range(min(event, len(step_of_event) + 1) - 1, 0, -1):
        if table.first[step_of_event[earlier - 1]] == earlier:
            return earlier
    return min(1, len(step_of_event))
