"""The steps shown in the preview of a run: where it is now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inspector.derive.steps import KIND_CODE, STATUS_CODE, StepTable
from inspector.model.status import Status
from inspector.model.step import StepKind

MAX_SCANNED = 20_000
"""Steps scanned for the children of one: the preview must be fast."""

_COMPLETED = STATUS_CODE[Status.COMPLETED]
_BRANCH = KIND_CODE[StepKind.BRANCH]


@dataclass(frozen=True, slots=True)
class RowSummary:
    """A construct and the newest steps inside it; parent -1 = the run itself."""

    parent: int
    steps: tuple[int, ...]
    done: int | None = None
    """Completed children; None if not all were scanned."""
    total: int | None = None


def focus(table: StepTable, step_of_event: Sequence[int], failures: Sequence[int]) -> int:
    """Returns the last failed step, else the step of the last event; -1 without events."""
    if failures and failures[-1] <= len(step_of_event):
        return step_of_event[failures[-1] - 1]
    return step_of_event[-1] if step_of_event else len(table) - 1


def summary_rows(table: StepTable, step: int, limit: int) -> RowSummary:
    """Returns the construct that a step is or is in, with at most `limit` steps inside it.

    If there are more, the last ones up to the step itself.
    """
    if step < 0 or step >= len(table):
        parent = -1
    else:
        parent = step if table.children_of[step] else table.parent[step]
        if parent >= 0 and table.kind[parent] == _BRANCH:
            # Show a branch among its siblings.
            step, parent = parent, table.parent[parent]
    total = table.children_of[parent] if parent >= 0 else None
    children = _children(table, parent, total)
    done = sum(table.status[child] == _COMPLETED for child in children)
    complete = total is not None and len(children) == total
    end = len(children)
    if step in children and end > limit:
        end = max(children.index(step) + 1, limit)
    shown = tuple(children[max(0, end - limit) : end])
    return RowSummary(parent, shown, done if complete else None, total)


def _children(table: StepTable, parent: int, total: int | None) -> list[int]:
    """Returns the children in ascending order; of too many, the newest."""
    found: list[int] = []
    column = table.parent
    for number in range(len(table) - 1, max(-1, len(table) - 1 - MAX_SCANNED), -1):
        if column[number] == parent:
            found.append(number)
            if total is not None and len(found) == total:
                break
    return found[::-1]
