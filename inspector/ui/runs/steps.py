"""A step of the preview: its sign, its name and its bar on the axis of the run."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.derive.steps import NO_TIME, StepTable
from inspector.model.status import Status
from inspector.model.step import StepKind
from inspector.query.view import RunView
from inspector.ui.palette import Role
from inspector.ui.roles import STATUS_ROLE
from inspector.ui.signs import Signs

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


def step_row(table: StepTable, step: int, signs: Signs) -> StepRow:
    """What one step says."""
    status = table.status_of(step)
    kind = table.kind_of(step)
    extra = table.extra.get(step)
    construct = {StepKind.PARALLEL: signs.parallel, StepKind.LOOP: signs.loop}.get(kind, "")
    text = signs.show(table.label[step])
    name, label = "", text or kind.value.replace("_", " ")
    if kind is StepKind.BRANCH:
        name = signs.show(str(table.segment[step]))
        label = f"{signs.branch(name)} {text}".rstrip()
    elif kind is StepKind.ITERATION:
        name = f"[{table.segment[step]}]"
        label = f"{name} {text}".rstrip()
    elif kind is StepKind.PARALLEL:
        name = signs.show(str(table.segment[step]))
    note, note_role = "", Role.MUTED
    if status is Status.UNCONFIRMED:
        note = "value exists, no end recorded"
    elif status is Status.NOT_NEEDED:
        note = "not needed"
    elif extra is not None and extra.error and status is Status.FAILED:
        note, note_role = signs.show(extra.error), Role.ERROR
    elif not table.span_last[step]:
        note = "no row yet"
    return StepRow(
        step, status, signs.of(status), STATUS_ROLE[status], construct, name, label, note, note_role
    )


def bar_cells(view: RunView, row: StepRow, cells: int, signs: Signs) -> list[tuple[int, str, Role]]:
    """The bar as pieces: first cell, text, role. A step without a row has none."""
    span = _span(view, row.step, row.status)
    if span is None:
        return []
    start, end = span[0] * cells, span[1] * cells
    if row.status is Status.UNCONFIRMED:
        first = round(start)
        return [(first, signs.open_bar * max(1, round(end) - first), Role.MUTED)]
    role = _BAR_ROLE.get(row.status, Role.MUTED)
    if row.status in _OPEN:
        first, last = min(cells - 1, round(start)), cells
        open_cells = min(2, last - first)
        solid = signs.bar * (last - first - open_cells)
        return [(first, solid + signs.open_bar * open_cells, role)]
    return [_closed(start, end, cells, signs, role)]


def inline_bar(view: RunView, row: StepRow, signs: Signs) -> tuple[str, Role]:
    """The bar where there is no axis: only its length speaks."""
    span = _span(view, row.step, row.status)
    if span is None:
        return "", Role.MUTED
    cells = max(1, round((span[1] - span[0]) * INLINE_CELLS))
    if row.status is Status.UNCONFIRMED:
        return signs.open_bar * cells, Role.MUTED
    return signs.bar * cells, _BAR_ROLE.get(row.status, Role.MUTED)


def _closed(
    start: float, end: float, cells: int, signs: Signs, role: Role
) -> tuple[int, str, Role]:
    """A bar with ends at half cells, at least half a cell long."""
    first = min(round(start * 2), 2 * cells - 1)
    last = max(first + 1, min(round(end * 2), 2 * cells))
    text = signs.bar_from if first % 2 else ""
    text += signs.bar * (last // 2 - (first + 1) // 2)
    if last % 2 and last // 2 >= (first + 1) // 2:
        text += signs.bar_to
    return first // 2, text, role


def _span(view: RunView, step: int, status: Status) -> tuple[float, float] | None:
    """Where a step begins and ends, as parts of the run; None where no row says so."""
    steps, run = view.steps, view.run
    if not run.order_only and run.started_at is not None:
        end = run.ended_at if run.ended_at is not None else view.as_of
        whole = end - run.started_at
        start, stop = steps.span_start[step], steps.span_stop[step]
        if start != NO_TIME and whole > 0:
            return _part(start - run.started_at, whole), _part(stop - run.started_at, whole)
        return None
    last = steps.span_last[step]
    if not last or not view.events:
        return None
    first = steps.first[step] or last
    return _part(first - 1, view.events), _part(last, view.events)


def _part(value: int, whole: int) -> float:
    return min(1.0, max(0.0, value / whole))
