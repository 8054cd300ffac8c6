"""A step of the preview: its sign, its name and its bar on the axis of the run."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.derive.axis import Axis, OrderAxis, Span, TimeAxis, span_of
from inspector.derive.bars import Bar, BarGlyphs, closed_bar, dashed_bar, open_bar
from inspector.derive.steps import NO_TIME, StepTable
from inspector.model.status import Status
from inspector.model.step import StepKind
from inspector.query.view import RunView
from inspector.text.numbers import Zone
from inspector.ui.glyphs import Glyphs
from inspector.ui.palette import STATUS_ROLE, Role

INLINE_CELLS = 13
"""Cells that the whole run would take where bars share one line."""

_OPEN = {Status.RUNNING, Status.WAITING}
_BAR_ROLE = {
    Status.COMPLETED: Role.DONE,
    Status.RUNNING: Role.ACCENT,
    Status.WAITING: Role.WARNING,
    Status.INTERRUPTED: Role.WARNING,
    Status.FAILED: Role.ERROR,
}


@dataclass(frozen=True, slots=True)
class StepRow:
    """A step as the preview shows it. All text is safe."""

    step: int
    status: Status
    sign: str
    role: Role
    construct: str
    """The sign of what it is: parallel, loop; empty for a plain step."""
    name: str
    """The short name of a branch, a parallel or a round; empty for others."""
    label: str
    note: str
    note_role: Role


def step_row(table: StepTable, step: int, glyphs: Glyphs) -> StepRow:
    """What one step says."""
    status = table.status_of(step)
    kind = table.kind_of(step)
    extra = table.extra.get(step)
    construct = {StepKind.PARALLEL: glyphs.parallel, StepKind.LOOP: glyphs.loop}.get(kind, "")
    text = glyphs.safe(table.label[step])
    name, label = "", text or kind.value.replace("_", " ")
    if kind is StepKind.BRANCH:
        name = glyphs.safe(str(table.segment[step]))
        label = f"{glyphs.branch(name)} {text}".rstrip()
    elif kind is StepKind.ITERATION:
        name = f"[{table.segment[step]}]"
        label = f"{name} {text}".rstrip()
    elif kind is StepKind.PARALLEL:
        name = glyphs.safe(str(table.segment[step]))
    note, note_role = "", Role.MUTED
    if status is Status.UNCONFIRMED:
        note = "value exists, no end recorded"
    elif status is Status.NOT_NEEDED:
        note = "not needed"
    elif extra is not None and extra.error and status is Status.FAILED:
        note, note_role = glyphs.safe(extra.error), Role.ERROR
    elif not table.span_last[step]:
        note = "no row yet"
    return StepRow(
        step,
        status,
        glyphs.of(status),
        STATUS_ROLE[status],
        construct,
        name,
        label,
        note,
        note_role,
    )


def axis_of(view: RunView, cells: int, zone: Zone) -> Axis:
    """The axis of the preview: time where instants are recorded, else the order of events."""
    span = None if view.run.order_only else span_of(view.steps, view.run, view.as_of)
    if span is None:
        return OrderAxis(max(1, view.events), cells)
    # So few lines have no room for the marks of stretches that are cut out.
    return TimeAxis(Span(span.start, span.stop), cells, zone)


def bar_of(view: RunView, row: StepRow, axis: Axis) -> Bar | None:
    """The bar of a step; one without a row has none."""
    steps, step = view.steps, row.step
    if isinstance(axis, TimeAxis):
        first, last, now = steps.span_start[step], steps.span_stop[step], axis.span.stop
        if first == NO_TIME:
            return None
    else:
        first, last, now = steps.first[step], steps.span_last[step], view.events
        if not last:
            return None
        first = first or last
    if row.status is Status.UNCONFIRMED:
        return dashed_bar(axis, first, last)
    return open_bar(axis, first, now) if row.status in _OPEN else closed_bar(axis, first, last)


def bar_role(status: Status) -> Role:
    """The hue of a bar."""
    return _BAR_ROLE.get(status, Role.MUTED)


def bar_glyphs(glyphs: Glyphs) -> BarGlyphs:
    """The glyphs of a leaf step's bar."""
    return BarGlyphs(glyphs.bar, glyphs.bar_from, glyphs.bar_to, glyphs.open_bar)


def inline_bar(bar: Bar, status: Status, glyphs: Glyphs) -> str:
    """A bar where there is no axis beside it: only its length speaks."""
    dashed = 2 * bar.stop > bar.solid + 1
    halves = (2 * bar.stop if dashed else bar.solid) - bar.start
    cells = max(1, round(halves / 2))
    return (glyphs.open_bar if status is Status.UNCONFIRMED else glyphs.bar) * cells
