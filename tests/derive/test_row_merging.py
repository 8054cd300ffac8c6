"""Two steps merged into one row show the more severe status."""

from __future__ import annotations

import pytest

from inspector.derive.steps import StepTable
from inspector.derive.tree import TreeIndex
from inspector.model.status import Status
from inspector.model.step import StepKind

COMPLETED, FAILED, RUNNING = Status.COMPLETED, Status.FAILED, Status.RUNNING
PENDING, SKIPPED = Status.PENDING, Status.SKIPPED


def shared(
    outer: Status, inner: Status, kind: StepKind, *, outer_row: int, branches: bool
) -> TreeIndex:
    """A round of a loop with one step in it."""
    table = StepTable()
    loop = table.add(-1, StepKind.LOOP, "loop", RUNNING, "started", 1)
    round_ = table.add(loop, StepKind.ITERATION, "", outer, None, outer_row)
    only = table.add(round_, kind, "only", inner, "word", 2)
    if branches:
        table.add(only, StepKind.BRANCH, "", COMPLETED, "completed", 3)
    return TreeIndex(table)


@pytest.mark.parametrize("kind", [StepKind.PARALLEL, StepKind.STATEMENT])
@pytest.mark.parametrize(
    ("outer", "inner", "row", "told"),
    [
        (RUNNING, COMPLETED, 0, COMPLETED),
        (RUNNING, FAILED, 0, FAILED),
        (COMPLETED, FAILED, 9, FAILED),
        (FAILED, COMPLETED, 9, FAILED),
        (COMPLETED, RUNNING, 9, RUNNING),
        (RUNNING, COMPLETED, 9, RUNNING),
        (COMPLETED, COMPLETED, 9, COMPLETED),
        (COMPLETED, SKIPPED, 9, SKIPPED),
        (PENDING, RUNNING, 0, RUNNING),
    ],
)
def test_a_shared_row_has_one_status(
    kind: StepKind, outer: Status, inner: Status, row: int, told: Status
) -> None:
    tree = shared(outer, inner, kind, outer_row=row, branches=False)
    assert tree.inner(1) == 2
    assert tree.table.status_of(tree.status_source(1)) is told


def test_of_equal_statuses_the_expandable_step_wins() -> None:
    whole = shared(COMPLETED, COMPLETED, StepKind.PARALLEL, outer_row=9, branches=True)
    assert whole.status_source(1) == 1
    leaf = shared(COMPLETED, COMPLETED, StepKind.STATEMENT, outer_row=9, branches=False)
    assert leaf.status_source(1) == 2


def test_a_row_of_its_own_speaks_for_itself() -> None:
    tree = shared(RUNNING, FAILED, StepKind.BLOCK, outer_row=9, branches=False)
    assert (tree.status_source(0), tree.status_source(1), tree.status_source(2)) == (0, 1, 2)
