"""Which instant an event has, as far as its step tells: events themselves carry none here."""

from __future__ import annotations

from inspector.derive.steps import NO_TIME
from inspector.query.view import RunView
from inspector.text.parse_time import plausible

LOOKED_AT = 2_000
"""Failures whose instants are looked up; the newest, where there are more."""

_BACK = 64
"""Events before one without an instant that are asked for theirs."""


def instant_of(view: RunView, event: int, now: int) -> int | None:
    """The instant of an event, or of the newest one before it that has one (UTC ms)."""
    for earlier in range(min(event, len(view.step_of_event)), max(0, event - _BACK), -1):
        found = _own(view, earlier)
        if plausible(found, now):
            return found
    return None


def failure_instants(view: RunView, now: int) -> list[int]:
    """The instants of the events that recorded a failure, ascending (UTC ms)."""
    moments = (_own(view, event) for event in view.failures[-LOOKED_AT:])
    return sorted(moment for moment in moments if moment is not None and plausible(moment, now))


def _own(view: RunView, event: int) -> int | None:
    if event > len(view.step_of_event):
        return None
    table, step = view.steps, view.step_of_event[event - 1]
    extra = table.extra.get(step)
    for attempt in extra.attempts if extra is not None else ():
        if attempt.last_event == event and attempt.ended_at is not None:
            return attempt.ended_at
    begun, ended = table.started[step], table.ended[step]
    if event == table.first[step] != table.last[step]:
        begun, ended = ended, begun
    for moment in (ended, begun):
        if moment != NO_TIME:
            return moment
    return None
