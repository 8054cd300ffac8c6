"""Loops and their iterations, nested and not, with and without what the document asks for."""

from __future__ import annotations

import pytest

from inspector.derive.steps import StepTable
from inspector.model.status import Status
from inspector.query.openprose.fold import fold
from inspector.query.openprose.state import Instances, OpenSteps, State
from tests.query.openprose.builders import (
    Cells,
    branch,
    cells,
    done,
    executing,
    exited,
    failed,
    folded,
    joined,
    loop,
    number_of,
    parallel,
    remarks,
    round_,
    rows,
    told,
    tree,
)


def test_rows_between_start_and_round_belong_to_the_round() -> None:
    assert told(
        loop("l1", 3), done(11), round_("l1", 1), done(11), done(12), round_("l1", 2),
        exited("l1"), done(13),
    ) == {
        "l1": "exited",
        "l1[1]": "iteration",
        "l1[1]/11": "completed",
        "l1[2]": "iteration",
        "l1[2]/11": "completed",
        "l1[2]/12": "completed",
        "13": "completed",
    }  # fmt: skip


def test_a_loop_says_how_far_it_is() -> None:
    state = folded(loop("l1", 5, condition="**good**"), done(11), round_("l1", 1), done(11))
    step = state.steps.step(number_of(state, "l1"))
    assert step.of == 5
    assert step.ref["iterations_completed"] == 1
    assert step.ref["current_iteration"] == 2
    assert step.ref["condition"] == "**good**"
    assert step.ref["exited"] is False
    assert state.steps.status_of(number_of(state, "l1[2]")) is Status.RUNNING


@pytest.mark.parametrize("reason", ["condition_satisfied", "max_iterations", "break"])
def test_the_reason_of_the_exit_is_kept(reason: str) -> None:
    state = folded(loop("l1", 2), round_("l1", 1), exited("l1", reason))
    ref = state.steps.step(number_of(state, "l1")).ref
    assert (ref["exited"], ref["reason"]) == (True, reason)


def test_a_loop_never_counts_beyond_its_maximum() -> None:
    state = folded(loop("l1", 2), round_("l1", 1), round_("l1", 2))
    assert state.steps.step(0).ref["current_iteration"] == 2


def test_a_failed_loop_leaves_its_round_failed() -> None:
    state = folded(loop("l1", 2), failed(11), cells(10, "failed", "loop", loop_id="l1"))
    assert state.steps.status_of(number_of(state, "l1")) is Status.FAILED
    assert state.steps.status_of(number_of(state, "l1[1]")) is Status.FAILED


def test_rows_that_name_their_parent_are_told_apart_all_the_same() -> None:
    """With `parent_id` set to the loop's own start row."""
    assert told(
        loop("l1", 2), done(11, parent=1), round_("l1", 1), done(11, parent=1), exited("l1")
    ) == {
        "l1": "exited",
        "l1[1]": "iteration",
        "l1[1]/11": "completed",
        "l1[2]": "(completed)",
        "l1[2]/11": "completed",
    }


def test_an_updating_writer_changes_one_row() -> None:
    state = folded(
        executing(10, "loop until **done**", loop_id="l1", max_iterations=4, current_iteration=3)
    )
    step = state.steps.step(number_of(state, "l1"))
    assert (step.of, step.ref["current_iteration"]) == (4, 3)
    assert step.ref["iterations_completed"] is None


def test_a_round_without_a_start_makes_the_loop() -> None:
    state = folded(round_("l1", 3), round_("l1", 4), exited("l1"))
    assert tree(state) == {"l1": "exited", "l1[3]": "iteration", "l1[4]": "iteration"}
    assert remarks(state) == [("start_missing", (1,))]


def test_an_exit_without_a_start_makes_the_loop() -> None:
    assert told(exited("l1")) == {"l1": "exited"}


def test_a_skipped_number_is_taken_as_it_is_recorded() -> None:
    assert list(told(loop("l1", 9), round_("l1", 1), round_("l1", 5))) == [
        "l1", "l1[1]", "l1[5]",
    ]  # fmt: skip


def test_a_number_that_repeats_does_not_hide_a_round() -> None:
    """Two rows for round 1: both are there, with the number that the second says beside it."""
    state = folded(loop("l1", 9), round_("l1", 1), round_("l1", 1))
    assert list(tree(state)) == ["l1", "l1[1]", "l1[2]"]
    assert state.steps.step(number_of(state, "l1[2]")).ref["recorded_iteration"] == 1


def test_the_same_loop_again_is_another_loop() -> None:
    assert told(
        loop("l1", 1), round_("l1", 1), exited("l1"), loop("l1", 1), round_("l1", 1), exited("l1")
    ) == {
        "l1": "exited",
        "l1[1]": "iteration",
        "l1#2": "exited",
        "l1#2[1]": "iteration",
    }


def test_a_loop_begun_again_before_its_end_does_not_lie_inside_itself() -> None:
    state = folded(loop("l1", 2), done(11), loop("l1", 2), done(11))
    assert tree(state) == {
        "l1": "started",
        "l1[1]": "(running)",
        "l1[1]/11": "completed",
        "l1#2": "started",
        "l1#2[1]": "(running)",
        "l1#2[1]/11": "completed",
    }
    assert state.steps.status_of(number_of(state, "l1")) is Status.INTERRUPTED
    assert remarks(state) == [("superseded", (3,))]


def nested(iterations: int = 3, inner_iterations: int = 2) -> list[Cells]:
    """Loop l1 containing parallel p1 containing, in each branch, loop l2; one text everywhere."""
    found = [loop("l1", iterations, 1)]
    for outer in range(1, iterations + 1):
        found.append(parallel("p1", "a b", 2))
        for which in ("a", "b"):
            around = {"parallel_id": "p1", "branch": which}
            found.append(loop("l2", inner_iterations, 3, **around))
            for inner in range(1, inner_iterations + 1):
                found.append(done(4, "session same"))
                found.append(round_("l2", inner, 3))
            found.append(exited("l2", index=3))
            found.append(branch("p1", which, index=2))
        found += [joined("p1", 2), round_("l1", outer, 1)]
    return [*found, exited("l1", index=1)]


def test_loop_in_parallel_in_loop_has_a_leaf_for_every_round() -> None:
    state = folded(*nested())
    leaves = [
        state.steps.path(step)
        for step in range(len(state.steps))
        if state.steps.label[step] == "session same"
    ]
    assert leaves == [
        f"l1[{outer}]/p1.{which}/l2[{inner}]/4"
        for outer in (1, 2, 3)
        for which in ("a", "b")
        for inner in (1, 2)
    ]
    iterations = [path for path in tree(state) if path.endswith(("/l2[1]", "/l2[2]"))]
    assert len(iterations) == 3 * 2 * 2
    assert "l1[2]/p1.b/l2[1]" in iterations


def test_loops_of_two_branches_that_run_at_the_same_time() -> None:
    """Rows of both branches come mixed; each names its loop."""
    state = folded(
        parallel("p1", "a b", 2),
        loop("la", 2, 3, parallel_id="p1", branch="a"),
        loop("lb", 2, 4, parallel_id="p1", branch="b"),
        done(5, "in a", loop_id="la"),
        done(5, "in b", loop_id="lb"),
        round_("la", 1, 3),
        done(5, "in a", loop_id="la"),
        round_("lb", 1, 4),
    )
    labels = {
        state.steps.path(step): state.steps.label[step]
        for step in range(len(state.steps))
        if state.steps.label[step].startswith("in ")
    }
    assert labels == {
        "p1.a/la[1]/5": "in a",
        "p1.b/lb[1]/5": "in b",
        "p1.a/la[2]/5": "in a",
    }


def test_order_tells_nothing_while_loops_of_two_branches_go_on() -> None:
    """A row that names neither stays beside the parallel: nothing is guessed."""
    both = (
        parallel("p1", "a b", 2),
        loop("la", 2, 3, parallel_id="p1", branch="a"),
        loop("lb", 2, 4, parallel_id="p1", branch="b"),
        done(5),
    )
    assert "5" in told(*both)
    assert "p1.b/lb[1]/6" in told(*both, exited("la", index=3), done(6))


@pytest.mark.parametrize("end", [branch("p1", "a"), joined("p1", 2)])
def test_either_end_closes_what_is_inside(end: Cells) -> None:
    start = (parallel("p1", "a", 2), loop("la", 2, 3, parallel_id="p1", branch="a"))
    assert "p1.a/la[1]/5" in told(*start, done(5))
    assert "5" in told(*start, end, done(5))


def test_a_loop_may_have_instants_and_an_error() -> None:
    state = folded(
        loop("l1", 2, started="2026-01-16 20:00:00"),
        cells(10, "failed", "loop", loop_id="l1", error="no more", ended="2026-01-16 20:00:09"),
    )
    step = state.steps.step(0)
    assert (step.duration_ms, step.error) == (9000, "no more")


def test_an_exited_loop_leaves_nothing_in_mind() -> None:
    state = folded(loop("l1", 2), done(1), exited("l1"), loop("l1", 2), done(1), exited("l1"))
    assert set(state.by_key) == {-1}


def test_a_loop_that_its_branch_left_open_takes_nothing_in_any_more() -> None:
    assert "5" in told(
        parallel("p1", "a", 2), loop("la", 2, 3, parallel_id="p1", branch="a"), branch("p1", "a"),
        joined("p1", 2), done(5),
    )  # fmt: skip


def test_ten_thousand_rounds_with_a_parallel_each_stay_cheap() -> None:
    """Every id repeats ten thousand times; nothing may look through all of them for each row."""
    looked = 0

    class Counting(OpenSteps):
        def newest(self, steps: StepTable) -> list[int]:
            nonlocal looked
            looked += len(self._maybe)
            return super().newest(steps)

    state = State()
    state.named_parallels.open = Counting()
    state.named_parallels.by_name["p1"] = Instances(open=Counting())
    iterations = 10_000
    described = [loop("l1", iterations)]
    for number in range(1, iterations + 1):
        described += [parallel("p1", "a"), branch("p1", "a"), joined("p1"), round_("l1", number)]
    fold(rows(*described), state)
    assert len(state.steps) == 1 + 3 * iterations
    assert len(state.by_key) < 10, "what is over is not kept in mind"
    assert looked < 5 * len(described)
