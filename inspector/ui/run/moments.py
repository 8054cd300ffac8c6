"""Which instant an event has, as far as its step tells: events themselves carry none here."""

from __future__ import annotations

from dataclasses import replace

from inspector.derive import event_times
from inspector.derive.axis import Axis
from inspector.query.view import RunView, StepContext
from inspector.text.parse_time import plausible

LOOKED_AT = 2_000
"""Failures whose instants are looked up; the newest, where there are more."""


def instant_of(view: RunView, event: int, now: int) -> int | None:
    """The instant of an event, or of the newest one before it that has one (UTC ms)."""
    return event_times.instant_of(view.steps, view.step_of_event, event, now)


def failure_instants(view: RunView, now: int) -> list[int]:
    """The instants of the events that recorded a failure, ascending (UTC ms)."""
    moments = (_own(view, event) for event in view.failures[-LOOKED_AT:])
    return sorted(moment for moment in moments if moment is not None and plausible(moment, now))


def values_of_then(context: StepContext, view: RunView, now: int) -> StepContext | None:
    """The context with the values that there were at a view's newest event.

    None where instants do not tell: then they can only be shown as of now.
    """
    values = context.values.values
    if view.travelling and context.values.at is not None:
        return context
    if not view.travelling or view.run.order_only or any(one.updated_at is None for one in values):
        return None
    moment = instant_of(view, view.events, now)
    if moment is None:
        return None
    kept = tuple(one for one in values if one.updated_at is not None and one.updated_at <= moment)
    return replace(context, values=replace(context.values, values=kept))


def _own(view: RunView, event: int) -> int | None:
    return event_times.own_instant(view.steps, view.step_of_event, event)


def event_at(view: RunView, axis: Axis, cell: int, now: int) -> int:
    """The newest event whose instant stands at or before a cell of a time axis; 0 = none."""
    low, high = 0, view.events
    while low < high:
        middle = (low + high + 1) // 2
        moment = instant_of(view, middle, now)
        if moment is None or axis.cell(moment) <= cell:
            low = middle
        else:
            high = middle - 1
    return low
