"""Parallels: instances, branches, joins, and what is not recorded."""

from __future__ import annotations

from inspector.model.status import Status
from tests.query.openprose.builders import (
    branch,
    cells,
    done,
    executing,
    failed,
    folded,
    joined,
    loop,
    number_of,
    parallel,
    remarks,
    round_,
    told,
    tree,
)


def test_branches_without_a_row_are_pending() -> None:
    assert told(parallel("p1", "a b c"), branch("p1", "a")) == {
        "p1": "started",
        "p1.a": "completed",
        "p1.b": "(pending)",
        "p1.c": "(pending)",
    }


def test_a_joined_parallel_needs_no_further_branch() -> None:
    state = folded(parallel("p1", "a b"), branch("p1", "a"), joined("p1"))
    step = state.steps.step(number_of(state, "p1"))
    assert (step.status, step.raw_status) == (Status.COMPLETED, "joined")
    assert step.ref["joined"] is True
    assert state.steps.status_of(number_of(state, "p1.b")) is Status.NOT_NEEDED


def test_what_the_start_says_of_the_parallel_is_kept() -> None:
    state = folded(parallel("p1", "a b", strategy="first", on_fail="continue", note="x"))
    ref = state.steps.step(0).ref
    assert ref == {
        "strategy": "first", "on_fail": "continue", "parallel_id": "p1", "joined": False,
        "branches": ["a", "b"],
    }  # fmt: skip


def test_a_failed_branch_fails_alone() -> None:
    state = folded(
        parallel("p1", "a b"), branch("p1", "a", "failed", error="no answer"), branch("p1", "b")
    )
    failed_one = state.steps.step(number_of(state, "p1.a"))
    assert (failed_one.status, failed_one.error) == (Status.FAILED, "no answer")
    assert state.steps.status_of(number_of(state, "p1")) is Status.RUNNING
    assert state.failures.tolist() == [2]


def test_a_branch_that_executes_is_running() -> None:
    state = folded(parallel("p1", "a b"), branch("p1", "a", "executing"))
    assert state.steps.status_of(number_of(state, "p1.a")) is Status.RUNNING
    assert (
        told(parallel("p1", "a b"), branch("p1", "a", "executing"), branch("p1", "a"))["p1.a"]
        == "completed"
    )


def test_a_branch_that_was_not_named_is_added() -> None:
    state = folded(parallel("p1", "a"), branch("p1", "z"))
    assert state.steps.step(number_of(state, "p1")).ref["branches"] == ["a", "z"]
    assert number_of(state, "p1.z")


def test_the_same_id_again_is_another_instance() -> None:
    state = folded(
        parallel("p1", "a b"), branch("p1", "a"), branch("p1", "b"), joined("p1"),
        parallel("p1", "a b"), branch("p1", "a", "failed"),
    )  # fmt: skip
    second = number_of(state, "p1#2")
    assert state.steps.step(second).instance == 2
    assert state.steps.status_of(number_of(state, "p1.a")) is Status.COMPLETED
    assert state.steps.status_of(number_of(state, "p1#2.a")) is Status.FAILED
    assert state.steps.status_of(number_of(state, "p1#2.b")) is Status.PENDING


def test_a_parallel_begun_again_before_its_end_supersedes_the_first() -> None:
    state = folded(parallel("p1", "a b"), branch("p1", "a"), parallel("p1", "a b"))
    assert state.steps.status_of(number_of(state, "p1")) is Status.INTERRUPTED
    assert state.steps.status_of(number_of(state, "p1#2")) is Status.RUNNING
    assert remarks(state) == [("superseded", (3,))]


def test_a_branch_row_without_a_start_makes_the_parallel() -> None:
    state = folded(branch("p1", "a"), branch("p1", "b"), joined("p1"))
    assert told(branch("p1", "a"), branch("p1", "b"), joined("p1")) == {
        "p1": "joined",
        "p1.a": "completed",
        "p1.b": "completed",
    }
    assert remarks(state) == [("start_missing", (1,))]


def test_a_join_without_anything_makes_the_parallel() -> None:
    assert told(joined("p1")) == {"p1": "joined"}


def test_rows_without_an_id_belong_to_the_parallel_of_their_statement() -> None:
    rows = (
        cells(3, "started", "parallel:", branches=["a"]),
        cells(3, "completed", "parallel:a", branch="a"),
        cells(3, "joined", "parallel:"),
    )
    assert told(*rows) == {"parallel": "joined", "parallel.a": "completed"}


def test_without_an_id_what_is_closed_counts_when_nothing_is_open() -> None:
    start = cells(3, "started", "parallel:", branches=["a"])
    end = cells(3, "joined", "parallel:")
    again = cells(3, "completed", "parallel:a", branch="a")
    assert told(start, end, again) == {"parallel": "joined", "parallel.a": "completed"}
    other = cells(4, "completed", "parallel:z", branch="z")
    assert "parallel#2.z" in told(start, end, other)


def test_an_updating_writer_gives_branches_statements_of_their_own() -> None:
    state = folded(
        executing(3, "parallel:", parallel_id="p1", branches=["a", "b"], strategy="all"),
        done(4, "session a", parent=1, parallel_id="p1", branch="a"),
        failed(5, "no", "session b", parent=1, parallel_id="p1", branch="b"),
    )
    assert told(
        executing(3, "parallel:", parallel_id="p1", branches=["a", "b"], strategy="all"),
        done(4, "session a", parent=1, parallel_id="p1", branch="a"),
        failed(5, "no", "session b", parent=1, parallel_id="p1", branch="b"),
    ) == {
        "p1": "executing",
        "p1.a": "completed",
        "p1.b": "failed",
        "p1.a/4": "completed",
        "p1.b/5": "failed",
    }
    assert state.steps.step(number_of(state, "p1.b")).error == "no"
    assert state.updated == 1


def test_a_parallel_inside_a_branch_of_another() -> None:
    rows = (
        parallel("p1", "a b", 2),
        parallel("p2", "x y", 3, branch="b"),
        branch("p2", "x", index=3),
        branch("p1", "a", index=2),
    )
    assert told(*rows) == {
        "p1": "started",
        "p1.a": "completed",
        "p1.b": "(pending)",
        "p1.b/p2": "started",
        "p1.b/p2.x": "completed",
        "p1.b/p2.y": "(pending)",
    }


def test_the_instance_in_the_row_s_own_frame_counts() -> None:
    """Two open instances of one id in two frames: a row belongs to that of its own frame."""
    state = folded(
        executing(1, "do x", block="x"),
        executing(2, "do y", block="y"),
        parallel("p1", "a", parent=1),
        parallel("p1", "a", parent=2),
        branch("p1", "a", parent=1),
    )
    assert tree(state)["1/p1.a"] == "completed"
    assert tree(state)["2/p1.a"] == "(pending)"


def test_each_round_has_its_own_branches() -> None:
    rows = [loop("l1", 2)]
    for number in (1, 2):
        rows += [parallel("p1", "a"), branch("p1", "a"), joined("p1"), round_("l1", number)]
    assert told(*rows) == {
        "l1": "iteration",
        "l1[1]": "iteration",
        "l1[1]/p1": "joined",
        "l1[1]/p1.a": "completed",
        "l1[2]": "iteration",
        "l1[2]/p1": "joined",
        "l1[2]/p1.a": "completed",
    }


def test_five_thousand_branches_of_which_one_failed() -> None:
    names = [f"b{number}" for number in range(5000)]
    rows = [parallel("p1", " ".join(names))]
    rows += [branch("p1", name, "failed" if name == "b4711" else "completed") for name in names]
    state = folded(*rows)
    assert state.failures.tolist() == [4713]
    counts = dict(zip(Status, state.steps.leaf_counts, strict=True))
    assert (counts[Status.COMPLETED], counts[Status.FAILED]) == (4999, 1)


def test_names_that_look_like_paths_stay_apart() -> None:
    state = folded(parallel("p/1", "a a.b"), parallel("p", "1"), done(1), loop("1"))
    paths = [state.steps.path(step) for step in range(len(state.steps))]
    assert paths == ["p%2F1", "p%2F1.a", "p%2F1.a%2Eb", "p", "p.1", "1", "#1"]
