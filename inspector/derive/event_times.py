"""Where a step stands in the record: its last event, and which instant an event has. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.derive.steps import NO_TIME, StepTable
from inspector.model.status import Status
from inspector.text.parse_time import plausible

OPEN = (Status.RUNNING, Status.WAITING, Status.PENDING, Status.UNCONFIRMED, Status.UNKNOWN)
"""Steps that may go on."""
_BACK = 64
"""Events before one without an instant that are asked for theirs."""


def end_of(steps: StepTable, step: int) -> int | None:
    """The last event of a step and of all inside it; None where it may go on."""
    last = steps.span_last[step]
    return None if not last or steps.status_of(step) in OPEN else last


def instant_of(steps: StepTable, step_of_event: Sequence[int], event: int, now: int) -> int | None:
    """The instant of an event, or of the newest one before it that has one (UTC ms)."""
    for earlier in range(min(event, len(step_of_event)), max(0, event - _BACK), -1):
        found = own_instant(steps, step_of_event, earlier)
        if plausible(found, now):
            return found
    return None


def own_instant(steps: StepTable, step_of_event: Sequence[int], event: int) -> int | None:
    """The instant that an event itself has (UTC ms), as far as its step tells."""
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
