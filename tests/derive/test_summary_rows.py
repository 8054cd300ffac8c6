"""Which steps the preview of a run shows."""

from inspector.derive.steps import StepTable
from inspector.derive.summary_rows import focus, summary_rows
from inspector.model.status import Status
from inspector.model.step import StepKind


def table(*parents: int) -> StepTable:
    found = StepTable()
    for event, parent in enumerate(parents, 1):
        found.add(parent, StepKind.STATEMENT, f"s{event}", Status.COMPLETED, "completed", event)
    return found


def test_a_construct_shows_its_children() -> None:
    found = summary_rows(table(-1, 0, 0), 0, 4)
    assert (found.parent, found.steps, found.done, found.total) == (0, (1, 2), 2, 2)


def test_a_leaf_shows_its_siblings() -> None:
    assert summary_rows(table(-1, 0, 0), 2, 4).parent == 0
    assert summary_rows(table(-1, -1), 1, 4).steps == (0, 1)


def test_a_step_in_a_branch_shows_the_branches() -> None:
    steps = StepTable()
    steps.add(-1, StepKind.PARALLEL, "", Status.RUNNING, None, 1)
    steps.add(0, StepKind.BRANCH, "", Status.RUNNING, None, 2)
    steps.add(0, StepKind.BRANCH, "", Status.PENDING, None, 0)
    steps.add(1, StepKind.STATEMENT, "inside", Status.FAILED, None, 3)
    found = summary_rows(steps, 3, 4)
    assert (found.parent, found.steps) == (0, (1, 2))


def test_of_many_it_shows_the_last_up_to_the_step() -> None:
    steps = table(-1, *[0] * 20)
    assert summary_rows(steps, 20, 4).steps == (17, 18, 19, 20)
    assert summary_rows(steps, 10, 4).steps == (7, 8, 9, 10)
    assert summary_rows(steps, 2, 4).steps == (1, 2, 3, 4)


def test_counts_are_known_only_if_all_children_were_scanned() -> None:
    steps = table(-1, *[0] * 3, *[-1] * 30_000)
    assert summary_rows(steps, 0, 4).done is None
    assert summary_rows(steps, 0, 4).total == 3


def test_nothing_at_all() -> None:
    assert summary_rows(StepTable(), -1, 4).steps == ()
    assert focus(StepTable(), [], []) == -1


def test_focus_is_the_last_failure_else_the_last_event() -> None:
    steps = table(-1, -1, -1)
    assert focus(steps, [0, 1, 2], [2]) == 1
    assert focus(steps, [0, 1, 2], []) == 2
    # A failure beyond the events that are shown, as while travelling.
    assert focus(steps, [0, 1], [3]) == 1
