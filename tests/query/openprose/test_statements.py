"""Statements, their attempts and their instants, whichever way they were written."""

from __future__ import annotations

import pytest

from inspector.derive.steps import NO_TIME
from inspector.model.status import Status
from inspector.query.openprose.fold import fold
from inspector.query.openprose.state import LATEST, State
from tests.query.openprose.builders import (
    cells,
    done,
    executing,
    failed,
    folded,
    number_of,
    remarks,
    retry,
    rows,
    told,
)

SECOND = 1000
AT = "2026-01-16 20:00:00"
AT_MS = 1_768_593_600_000


def test_a_completion_alone_is_a_statement() -> None:
    assert told(done(1), done(2)) == {"1": "completed", "2": "completed"}


def test_executing_then_completed_is_one_step() -> None:
    state = folded(executing(1), done(1))
    (step,) = range(len(state.steps))
    assert state.event_step.tolist() == [step, step]
    assert (state.steps.first[step], state.steps.last[step]) == (1, 2)
    assert state.steps.status_of(step) is Status.COMPLETED
    assert len(state.steps.attempts(step)) == 1


def test_a_stale_executing_row_of_another_statement_stays_open() -> None:
    assert told(executing(1), done(2)) == {"1": "executing", "2": "completed"}


def test_failed_retry_completed_is_one_step_with_two_attempts() -> None:
    state = folded(failed(1, "timeout"), retry(1, 2, 3), done(1, attempt=2))
    (step,) = range(len(state.steps))
    tries = state.steps.attempts(step)
    assert [one.n for one in tries] == [1, 2]
    assert [one.raw_status for one in tries] == ["failed", "completed"]
    assert [one.error for one in tries] == ["timeout", None]
    assert [(one.first_event, one.last_event) for one in tries] == [(1, 1), (2, 3)]
    assert state.steps.step(step).max_attempts == 3
    assert state.steps.step(step).error is None
    assert state.steps.leaf_counts[list(Status).index(Status.COMPLETED)] == 1
    assert sum(state.steps.leaf_counts) == 1


def test_a_retry_that_fails_again_keeps_every_error() -> None:
    state = folded(failed(1, "one"), retry(1, 2, 3), failed(1, "two"), retry(1, 3, 3))
    step = state.steps.step(0)
    assert [one.error for one in step.attempts] == ["one", "two", None]
    assert step.status is Status.RUNNING
    assert step.attempts[-1].status is Status.RUNNING


def test_a_completed_statement_that_is_begun_again_is_tried_again() -> None:
    """A run that was taken up again writes under the old number: the first end stays."""
    state = folded(done(1), done(2), executing(1), done(1))
    tries = state.steps.attempts(0)
    assert [one.status for one in tries] == [Status.COMPLETED, Status.COMPLETED]
    assert [one.first_event for one in tries] == [1, 3]
    assert len(state.steps) == 2


def test_an_attempt_without_an_end_was_interrupted_by_the_next() -> None:
    tries = folded(executing(1), executing(1), done(1)).steps.attempts(0)
    assert [one.status for one in tries] == [Status.INTERRUPTED, Status.COMPLETED]


def test_a_row_changed_in_place_tells_of_attempts_that_left_no_row() -> None:
    state = folded(executing(1, retry_attempt=3, max_retries=4))
    step = state.steps.step(0)
    assert [one.n for one in step.attempts] == [1, 2, 3]
    assert [one.status for one in step.attempts] == [Status.UNKNOWN, Status.UNKNOWN, Status.RUNNING]
    assert step.attempts[0].first_event is None
    assert step.max_attempts == 4


def test_an_absurd_attempt_number_costs_nothing() -> None:
    tries = folded(executing(1, retry_attempt=10**12, max_retries=4)).steps.attempts(0)
    assert len(tries) <= 1000
    assert tries[-1].n == 10**12


@pytest.mark.parametrize("word", ["Completed", "completed ", "done", "", "JOINED"])
def test_an_unknown_word_stays_raw_and_is_said(word: str) -> None:
    state = folded(cells(1, word))
    assert state.steps.status_of(0) is Status.UNKNOWN
    assert state.steps.raw[0] == word
    assert remarks(state) == [("unknown_status", (1,))]


def test_no_status_at_all_is_unknown() -> None:
    state = folded(cells(1, None))
    assert state.steps.status_of(0) is Status.UNKNOWN
    assert state.steps.raw[0] is None


def test_pending_and_skipped_stand_as_they_are() -> None:
    state = folded(cells(1, "pending"), cells(2, "skipped"))
    assert [state.steps.status_of(step) for step in (0, 1)] == [Status.PENDING, Status.SKIPPED]


@pytest.mark.parametrize("index", [3, 3.0, "3", b"3", " 3 "])
def test_a_number_is_the_same_however_it_is_stored(index: object) -> None:
    state = folded(executing(3, "x"), done(index, "x"))
    assert len(state.steps) == 1
    assert state.index == [3]


def test_statements_without_a_number_are_told_apart_by_their_text() -> None:
    assert told(done(None, "a"), done(None, "b")) == {"?": "completed", "?#2": "completed"}


def test_without_a_number_a_text_is_ended_once() -> None:
    """A further row with the text of what ended is another statement: nothing ties them."""
    assert told(executing(None, "a"), done(None, "a")) == {"?": "completed"}
    assert told(done(None, "a"), done(None, "a")) == {"?": "completed", "?#2": "completed"}
    assert told(executing(None, ""), done(None, "")) == {"?": "executing", "?#2": "completed"}


def test_the_rows_show_how_they_were_written() -> None:
    state = folded(
        executing(1, started=AT), done(2, started=AT, ended=AT), done(3, ended=AT), done(4),
        retry(5, 2, 3), executing(6, retry_attempt=1, max_retries=3), cells(7, "failed"),
    )  # fmt: skip
    assert (state.instants, state.both_instants) == (3, 1)
    assert (state.appended, state.updated) == (1, 1)
    assert state.failures.tolist() == [7]
    # The long way and the short one count alike.
    assert folded(done(1, started=AT, ended=AT, note=1)).both_instants == 1


def test_how_many_attempts_are_allowed_is_said_by_the_retry() -> None:
    state = folded(failed(1), retry(1, 2, 3), done(1, attempt=2, max=9))
    assert state.steps.step(0).max_attempts == 3


def test_cells_of_the_wrong_kind_are_read_as_text() -> None:
    state = folded(cells(1, b"completed", b"\xff\x41", error=7))
    step = state.steps.step(0)
    assert step.status is Status.COMPLETED
    assert step.label == "\ufffdA"
    assert step.error == "7"


class TestInstants:
    """What is recorded counts, what is not recorded is not made up."""

    def test_none_recorded(self) -> None:
        state = folded(done(1))
        step = state.steps.step(0)
        assert (step.started_at, step.ended_at, step.duration_ms) == (None, None, None)
        assert state.instants == 0

    @pytest.mark.parametrize(
        "written",
        [
            "2026-01-16 20:00:00",
            "2026-01-16T20:00:00Z",
            1_768_593_600_000,
            1_768_593_600,
            "2026-01-16T22:00:00+02:00",
        ],
    )
    def test_one_instant_in_any_form(self, written: object) -> None:
        state = folded(done(1, started=written))
        assert state.steps.started[0] == AT_MS

    def test_a_start_and_an_end_in_two_rows(self) -> None:
        state = folded(executing(1, started=AT), done(1, ended="2026-01-16 20:00:07"))
        assert state.steps.step(0).duration_ms == 7 * SECOND

    def test_a_running_step_has_no_length(self) -> None:
        state = folded(executing(1, started=AT))
        assert state.steps.step(0).duration_ms is None

    def test_an_end_before_the_start_is_said_and_kept_off_the_axis(self) -> None:
        state = folded(done(1, started="2026-01-16 20:00:05", ended=AT))
        assert remarks(state) == [("clock_skew", (1,))]
        step = state.steps.step(0)
        assert step.duration_ms is None
        assert step.started_at == AT_MS + 5 * SECOND
        assert step.ended_at == AT_MS
        assert state.steps.span_start[0] == NO_TIME

    def test_a_child_that_starts_before_its_parent_is_said_and_stays_where_it_is(self) -> None:
        state = folded(
            executing(1, "do it", started="2026-01-16 20:00:03", block="it"),
            done(2, started=AT, parent=1),
        )
        assert remarks(state) == [("clock_skew", (2,))]
        assert state.steps.started[1] == AT_MS

    def test_one_that_starts_with_its_parent_is_right(self) -> None:
        state = folded(executing(1, "do it", started=AT, block="it"), done(2, started=AT, parent=1))
        assert remarks(state) == []

    @pytest.mark.parametrize("never", ["1970-01-01 00:00:00", "9999-12-31 23:59:59"])
    def test_an_instant_that_cannot_be_right_is_kept_off_the_axis(self, never: str) -> None:
        state = folded(done(1, started=AT), done(2, started=never))
        assert remarks(state) == [("implausible_time", (2,))]
        assert state.steps.started[1] != NO_TIME
        assert state.steps.span_start[1] == NO_TIME

    def test_the_future_is_what_comes_after_the_latest_plausible_instant(self) -> None:
        tomorrow = State(latest=AT_MS)
        fold(rows(done(1, started=AT), done(2, started="2026-01-16 20:00:01")), tomorrow)
        assert remarks(tomorrow) == [("implausible_time", (2,))]
        assert LATEST > AT_MS

    def test_a_span_reaches_around_everything_inside(self) -> None:
        state = folded(
            executing(1, "do it", started=AT, block="it"),
            done(2, ended="2026-01-16 20:01:00", parent=1),
        )
        block = number_of(state, "1")
        assert state.steps.span_start[block] == AT_MS
        assert state.steps.span_stop[block] == AT_MS + 60 * SECOND


@pytest.mark.parametrize("written", [AT, None])
def test_forty_rows_of_one_second_or_none_keep_their_order(written: str | None) -> None:
    state = folded(*(done(number, started=written) for number in range(40, 0, -1)))
    assert state.index == list(range(40, 0, -1))
    assert state.event_step.tolist() == list(range(40))
