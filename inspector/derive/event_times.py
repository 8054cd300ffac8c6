"""Last event of a step, and the instant of an event. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.derive.steps import NO_TIME, StepTable
from inspector.model.status import Status
from inspector.text.parse_time import plausible

OPEN = (Status.RUNNING, Status.WAITING, Status.PENDING, Status.UNCONFIRMED, Status.UNKNOWN)
"""Statuses of steps that may continue."""
_MAX_BACK = 64
"""Earlier events searched for an instant."""


def end_of(steps: StepTable, step: int) -> int | None:
    """Returns the last event of a step and all inside it; None if the step may continue."""
    last = steps.span_last[step]
    return None if not last or steps.status_of(step) in OPEN else last


def instant_of(steps: StepTable, step_of_event: Sequence[int], event: int, now: int) -> int | None:
    """Returns the instant of an event, else of the nearest earlier event with one (UTC ms)."""
    for earlier in range(min(event, len(step_of_event)), max(0, event - _MAX_BACK), -1):
        found = own_instant(steps, step_of_event, earlier)
        if plausible(found, now):
            return found
    return None


def own_instant(steps: StepTable, step_of_event: Sequence[int], event: int) -> int | None:
    """Returns the event's own instant (UTC ms) from its step; None if not recorded."""
    if event > len(step_of_event):
        return None
    step = step_of_event[event - 1]
    extra = steps.extra.get(step)
    for attempt in extra.attempts if extra is not None else ():
        if attempt.last_event == event and attempt.ended_at is not None:
            return attempt.ended_at
    begun, ended = steps.started[step], steps.ended[step]
    if event == steps.first[step] != steps.last[step]:
        begun, ended = ended, begun
    for moment in (ended, begun):
        if moment != NO_TIME:
            return moment
    return None
