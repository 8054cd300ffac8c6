"""Values of a run as of now, or as they were where one stands; asked on a reader's thread."""

from __future__ import annotations

from dataclasses import dataclass, replace

from inspector.derive.event_times import end_of
from inspector.model.value import Value
from inspector.query.run_reader import RunReader
from inspector.query.view import RunView, StepContext, ValueList


@dataclass(frozen=True, slots=True)
class Point:
    """Where in a run one stands: after an event, in the frame of a step."""

    event: int
    frame: str


def point_of(view: RunView | None, step: int, *, chosen: bool) -> Point | None:
    """Where one stands: at the event that is travelled to, or at the end of a chosen step.

    None where that is now, or nothing tells which values there were.
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
    return Point(event, str(frame) if frame else "root")


def context_at(reader: RunReader, step: int, event: int | None) -> StepContext:
    """The context of a step; for a traveller with the values that there were at the event."""
    context = reader.context(step)
    values = None if event is None else reader.values_at(event, context.values.frame)
    return context if values is None else replace(context, values=values)


def values_of(
    reader: RunReader, scope: str | None, point: Point | None, *, older: bool
) -> tuple[ValueList, ValueList]:
    """The values of every scope, and those that are shown: as a scope resolves them."""
    every = _values(reader, None, point)
    shown = every if scope is None else _values(reader, scope, point)
    return every, with_older(reader, shown) if older else shown


def _values(reader: RunReader, scope: str | None, point: Point | None) -> ValueList:
    values = None if point is None else reader.values_at(point.event, scope)
    return reader.values(scope) if values is None else values


def with_older(reader: RunReader, shown: ValueList) -> ValueList:
    """The values, each with its older rows below it, the newest of these first."""
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
