"""One test per rule of the fold: which rows are one step, one attempt, one block."""

from __future__ import annotations

import pytest

from inspector.model.status import Status
from inspector.model.step import Step, StepKind
from inspector.query.openprose import view
from inspector.query.openprose.state import State
from tests.query.openprose.builders import (
    Cells,
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
    retry,
    told,
)


def step(state: State, path: str) -> Step:
    return view.show(state, frozenset()).describe(number_of(state, path))


def attempts(*described: Cells, path: str = "1") -> list[tuple[int, str]]:
    """Number and status of each attempt of a step."""
    return [(one.n, one.status.value) for one in step(folded(*described), path).attempts]


def block(index: int, name: str, **more: object) -> Cells:
    return executing(index, f"do {name}", block=name, **more)


class TestWhichRowsAreOneStatement:
    def test_a_retry_after_an_end_is_the_same_statement_whatever_its_text(self) -> None:
        rows = (failed(1, text="session x"), retry(1, 2, 3, text="session x, again"))
        assert told(*rows) == {"1": "retry"}
        assert attempts(*rows) == [(1, "failed"), (2, "running")]

    def test_another_text_after_an_end_is_another_statement(self) -> None:
        assert told(done(1, "a"), executing(1, "b")) == {"1": "completed", "1#2": "executing"}
        assert told(done(1, "a"), failed(1, text="b")) == {"1": "completed", "1#2": "failed"}

    def test_another_text_before_an_end_is_the_same_statement(self) -> None:
        assert told(executing(1, "a"), done(1, "b")) == {"1": "completed"}

    def test_a_block_that_starts_while_it_runs_is_another_call(self) -> None:
        assert told(block(1, "b"), block(1, "b")) == {"1": "executing", "1#2": "executing"}

    def test_a_block_that_starts_after_its_end_is_another_call(self) -> None:
        rows = (block(1, "b"), done(1, "do b"), block(1, "b"))
        assert told(*rows) == {"1": "completed", "1#2": "executing"}

    def test_a_retry_of_a_block_is_an_attempt_not_a_call(self) -> None:
        rows = (block(1, "b"), failed(1, text="do b"), retry(1, 2, 3, text="do b", block="b"))
        assert told(*rows) == {"1": "retry"}

    @pytest.mark.parametrize("text", ["do b", "block b"])
    def test_the_text_alone_makes_a_block(self, text: str) -> None:
        assert folded(executing(1, text)).steps.kind_of(0) is StepKind.BLOCK
        assert folded(done(1, text)).steps.kind_of(0) is StepKind.STATEMENT


class TestTheEndOfABlock:
    """The end may name the block itself or the frame around it as its parent."""

    def test_in_recursion_the_depth_says_which_block_ends(self) -> None:
        calls = (block(1, "again", depth=1), block(1, "again", depth=2, parent=1))
        outer = done(1, "do again", depth=1, parent=1)
        assert told(*calls, outer) == {"1": "completed", "1/1": "executing"}
        inner = done(1, "do again", depth=2, parent=1)
        assert told(*calls, inner) == {"1": "executing", "1/1": "completed"}

    def test_without_a_depth_the_open_child_ends(self) -> None:
        calls = (block(1, "again"), block(1, "again", parent=1))
        end = done(1, "do again", parent=1)
        assert told(*calls, end) == {"1": "executing", "1/1": "completed"}

    def test_another_text_or_number_does_not_end_the_block(self) -> None:
        assert told(block(1, "b"), done(1, "session", parent=1)) == {
            "1": "executing", "1/1": "completed",
        }  # fmt: skip
        assert told(block(1, "b"), done(2, "do b", parent=1)) == {
            "1": "executing", "1/2": "completed",
        }  # fmt: skip

    def test_only_a_final_status_ends_it(self) -> None:
        assert told(block(1, "b"), cells(1, "pending", "do b", parent=1)) == {
            "1": "executing", "1/1": "pending",
        }  # fmt: skip


class TestAttempts:
    """A `retry` row, a start after an end, and an end after an end each begin an attempt."""

    def test_a_start_after_an_end(self) -> None:
        assert attempts(done(1), executing(1)) == [(1, "completed"), (2, "running")]

    def test_an_end_after_an_end(self) -> None:
        assert attempts(done(1), failed(1)) == [(1, "completed"), (2, "failed")]

    def test_a_start_after_a_start_interrupts_the_first(self) -> None:
        assert attempts(executing(1), executing(1)) == [(1, "interrupted"), (2, "running")]

    def test_a_start_after_a_retry_is_the_same_attempt(self) -> None:
        rows = (failed(1), retry(1, 2, 3), executing(1))
        assert attempts(*rows) == [(1, "failed"), (2, "running")]

    def test_any_other_status_after_an_end_begins_none(self) -> None:
        assert attempts(done(1), cells(1, "pending")) == [(1, "pending")]

    def test_a_first_row_that_is_a_retry_has_attempts_without_rows_before_it(self) -> None:
        assert attempts(retry(1, 3, 5)) == [(1, "unknown"), (2, "unknown"), (3, "running")]
        assert attempts(cells(1, "retry")) == [(1, "unknown"), (2, "running")]

    def test_only_an_updating_writer_tells_of_earlier_attempts_by_number_alone(self) -> None:
        updating = attempts(executing(1, retry_attempt=2, max_retries=3))
        assert updating == [(1, "unknown"), (2, "running")]
        assert attempts(executing(1, attempt=2)) == [(1, "running")]

    def test_numbers_follow_the_recorded_ones_and_always_ascend(self) -> None:
        rows = (failed(1), retry(1, 5, 9), failed(1), retry(1, 2, 9))
        assert [number for number, _ in attempts(*rows)] == [1, 5, 6]

    def test_the_maximum_needs_an_attempt_and_stays_until_a_retry_changes_it(self) -> None:
        assert step(folded(executing(1, retry_attempt=1, max_retries=3)), "1").max_attempts == 3
        assert step(folded(executing(1, max=3)), "1").max_attempts is None
        assert step(folded(executing(1, attempt=1)), "1").max_attempts is None
        kept = folded(failed(1), retry(1, 2, 3), failed(1), cells(1, "retry", attempt=3))
        assert step(kept, "1").max_attempts == 3

    def test_an_error_belongs_to_the_newest_attempt(self) -> None:
        assert step(folded(executing(1), failed(1, "it broke")), "1").error == "it broke"
        ended = step(folded(failed(1, "it broke"), retry(1, 2, 3), done(1)), "1")
        assert ended.error is None
        assert [one.error for one in ended.attempts] == ["it broke", None]


class TestInstants:
    def test_the_first_start_and_the_newest_end_count(self) -> None:
        state = folded(
            executing(1, started="2026-01-16 10:00:00"),
            failed(1, started="2026-01-16 10:01:00", ended="2026-01-16 10:02:00"),
            done(1, ended="2026-01-16 10:05:00"),
        )
        found = step(state, "1")
        assert (found.ended_at or 0) - (found.started_at or 0) == 300_000

    def test_a_new_start_reopens_the_end(self) -> None:
        state = folded(
            done(1, started="2026-01-16 10:00:00", ended="2026-01-16 10:02:00"),
            executing(1, started="2026-01-16 10:03:00"),
        )
        assert step(state, "1").ended_at is None

    def test_an_end_before_the_start_is_reported(self) -> None:
        state = folded(done(1, started="2026-01-16 10:02:00", ended="2026-01-16 10:00:00"))
        assert [code for code, _ in remarks(state)] == ["clock_skew"]

    @pytest.mark.parametrize("moment", ["1999-12-31 00:00:00", "2101-01-01 00:00:00"])
    def test_an_impossible_instant_is_reported_and_not_drawn(self, moment: str) -> None:
        state = folded(executing(1, started=moment))
        assert [code for code, _ in remarks(state)] == ["implausible_time"]
        assert state.steps.span_start[0] == state.steps.span_stop[0]

    def test_a_start_before_the_container_s_start_is_reported(self) -> None:
        state = folded(
            block(1, "b", started="2026-01-16 10:00:00"),
            executing(2, parent=1, started="2026-01-16 09:00:00"),
        )
        assert [(one.code, one.detail) for one in state.remarks] == [
            ("clock_skew", "before_parent")
        ]


class TestWhichConstructIsMeant:
    """Names repeat: the newest open construct counts, the one in the row's frame before others."""

    def test_a_branch_row_after_the_join_belongs_to_the_last_instance(self) -> None:
        rows = (parallel("p", "a b"), branch("p", "a"), joined("p"), branch("p", "b"))
        assert told(*rows) == {"p": "joined", "p.a": "completed", "p.b": "completed"}

    def test_of_two_open_parallels_of_a_name_the_newest_counts(self) -> None:
        state = folded(parallel("p", "a"), parallel("p", "a", index=21), branch("p", "a"))
        assert step(state, "p#2.a").status is Status.COMPLETED
        assert step(state, "p.a").status is Status.PENDING

    def test_a_frame_that_is_the_construct_itself_counts(self) -> None:
        rows = (parallel("p", "a"), parallel("p", "a", index=21), branch("p", "a", parent=1))
        assert told(*rows)["p.a"] == "completed"

    def test_a_start_in_another_place_supersedes_nothing(self) -> None:
        state = folded(loop("l", 3), done(5), loop("l", 3, index=11))
        assert not remarks(state)
        assert step(state, "l").status is Status.RUNNING

    def test_a_start_in_the_same_place_supersedes_the_open_one(self) -> None:
        state = folded(loop("l", 3), loop("l", 3))
        assert remarks(state) == [("superseded", (2,))]
        assert step(state, "l").status is Status.INTERRUPTED


class TestBranches:
    def test_a_named_branch_takes_its_first_row_as_its_own(self) -> None:
        state = folded(parallel("p", "a"), branch("p", "a"))
        assert (step(state, "p.a").first_event, step(state, "p.a").last_event) == (2, 2)

    def test_a_join_that_failed_leaves_branches_pending(self) -> None:
        state = folded(parallel("p", "a b"), branch("p", "a"), failed(20, text="parallel:",
                       parallel_id="p"))  # fmt: skip
        assert step(state, "p.b").status is Status.PENDING
        assert step(state, "p").ref["joined"] is False
