"""Values of a run, current or at a past position; called on a reader's thread."""

from __future__ import annotations

from dataclasses import dataclass, replace

from inspector.derive import event_times
from inspector.derive.axis import Axis
from inspector.derive.event_times import end_of
from inspector.model.value import Value
from inspector.query.run_reader import RunReader
from inspector.query.view import RunView, StepContext, ValueList
from inspector.text.parse_time import plausible


@dataclass(frozen=True, slots=True)
class Position:
    """Position in a run: after an event, in the frame of a step."""

    event: int
    frame: str


def position_of(view: RunView | None, step: int, *, chosen: bool) -> Position | None:
    """The position for a selected past event or the end of a chosen step.

    None for the present, or if past values cannot be derived.
    """
    if (
        view is None
        or view.partial
        or not view.capabilities.values_over_time
        or not 0 <= step < len(view.steps)
    ):
        return None
    event = view.events if view.travelling else end_of(view.steps, step) if chosen else None
    if event is None or event >= view.total_events:
        return None
    frame = view.describe(step).ref.get("frame")
    return Position(event, str(frame) if frame else "root")


def context_at(reader: RunReader, step: int, event: int | None) -> StepContext:
    """The context of a step; for a past event, with the values at that event."""
    context = reader.context(step)
    values = None if event is None else reader.values_at(event, context.values.frame)
    return context if values is None else replace(context, values=values)


def values_of(
    reader: RunReader, scope: str | None, point: Position | None, *, older: bool
) -> tuple[ValueList, ValueList]:
    """Values of every scope, and the values shown for one scope."""
    every = _values(reader, None, point)
    shown = every if scope is None else _values(reader, scope, point)
    return every, with_older(reader, shown) if older else shown


def _values(reader: RunReader, scope: str | None, point: Position | None) -> ValueList:
    values = None if point is None else reader.values_at(point.event, scope)
    return reader.values(scope) if values is None else values


def with_older(reader: RunReader, shown: ValueList) -> ValueList:
    """The values, each followed by its older rows, newest first."""
    if not reader.capabilities.value_versions:
        return shown
    rows: list[Value] = []
    for value in shown.values:
        rows.append(value)
        if value.superseded and value.name is not None:
            versions = reader.versions(value.name)
            found = () if versions is None else versions.values
            same = [one for one in found if one.scope == value.scope]
            at = next((at for at, one in enumerate(same) if one.row == value.row), len(same))
            rows.extend(reversed(same[:at]))
    return replace(shown, values=tuple(rows))


LOOKED_AT = 2_000
"""Maximum failures whose times are looked up; the newest ones if there are more."""


def instant_of(view: RunView, event: int, now: int) -> int | None:
    """The time of an event, or of the newest earlier event that has one (UTC ms)."""
    return event_times.instant_of(view.steps, view.step_of_event, event, now)


def failure_instants(view: RunView, now: int) -> list[int]:
    """Times of the events that recorded a failure, ascending (UTC ms)."""
    moments = (_own(view, event) for event in view.failures[-LOOKED_AT:])
    return sorted(moment for moment in moments if moment is not None and plausible(moment, now))


def values_of_then(context: StepContext, view: RunView, now: int) -> StepContext | None:
    """The context with the values at a view's newest event.

    None if the recorded times are insufficient; only current values can be shown then.
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
    """The newest event at or before a cell of a time axis; 0 if none."""
    low, high = 0, view.events
    while low < high:
        middle = (low + high + 1) // 2
        moment = instant_of(view, middle, now)
        if moment is None or axis.cell(moment) <= cell:
            low = middle
        else:
            high = middle - 1
    return low
