"""Step tables for tests, from short descriptions."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from inspector.derive.steps import StepTable
from inspector.model.status import Status
from inspector.model.step import StepKind


class Spec(NamedTuple):
    """One step: its parent's number (-1 = the run), kind, status, and whether it has a row."""

    parent: int = -1
    kind: StepKind = StepKind.STATEMENT
    status: Status = Status.COMPLETED
    has_row: bool = True
    label: str = "step"


def table_of(specs: Iterable[Spec]) -> StepTable:
    """The table after these steps; each has one event, in their order."""
    table = StepTable()
    rounds: dict[int, int] = {}
    for event, spec in enumerate(specs, start=1):
        step = table.add(
            spec.parent, spec.kind, spec.label, spec.status, None, event if spec.has_row else 0
        )
        if spec.kind is StepKind.ITERATION:
            rounds[spec.parent] = table.segment[step] = rounds.get(spec.parent, 0) + 1
        else:
            table.segment[step] = step
    return table


def flat(count: int) -> StepTable:
    """Statements without anything inside."""
    return table_of(Spec() for _ in range(count))


def nested(depth: int) -> StepTable:
    """Blocks inside of blocks."""
    return table_of(Spec(step - 1, StepKind.BLOCK) for step in range(depth))


def naive_children(table: StepTable) -> dict[int, list[int]]:
    """The children of every step, found in the plainest way."""
    children: dict[int, list[int]] = {}
    for step, parent in enumerate(table.parent):
        children.setdefault(parent, []).append(step)
    return children


def naive_inner(table: StepTable, children: dict[int, Sequence[int]], step: int) -> int:
    """Which step shares the row, said in the plainest way."""
    inside = children.get(step, ())
    kind = table.kind_of(step)
    if len(inside) != 1 or kind not in (StepKind.BRANCH, StepKind.ITERATION):
        return step
    child = inside[0]
    if kind is StepKind.ITERATION and table.kind_of(child) is StepKind.PARALLEL:
        return child
    if table.kind_of(child) is not StepKind.STATEMENT or children.get(child):
        return step
    if kind is StepKind.BRANCH and table.first[step]:
        same = (table.first[step], table.last[step]) == (table.first[child], table.last[child])
        return child if same else step
    return child
