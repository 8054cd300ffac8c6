"""Instants of events: from attempts, else from the step; implausible ones are skipped."""

from __future__ import annotations

from array import array

import pytest

from inspector.derive.event_times import end_of, instant_of, own_instant
from inspector.derive.steps import StepTable
from inspector.model.status import Status
from inspector.model.step import Attempt, StepKind

NOW = 1_768_573_927_000


def one_step(first: int, last: int, begun: int, ended: int) -> StepTable:
    table = StepTable()
    step = table.add(-1, StepKind.STATEMENT, "step", Status.COMPLETED, None, first)
    table.last[step] = table.span_last[step] = last
    table.started[step], table.ended[step] = begun, ended
    return table


def test_the_first_event_of_a_step_has_its_start_and_the_last_its_end() -> None:
    table = one_step(1, 2, NOW - 10, NOW - 5)
    events = array("i", [0, 0])
    assert own_instant(table, events, 1) == NOW - 10
    assert own_instant(table, events, 2) == NOW - 5


def test_the_only_event_of_a_step_has_its_end() -> None:
    assert own_instant(one_step(1, 1, NOW - 10, NOW - 5), array("i", [0]), 1) == NOW - 5


def test_an_event_that_ended_an_attempt_has_the_end_of_the_attempt() -> None:
    table = one_step(1, 3, NOW - 10, NOW - 5)
    attempt = Attempt(1, Status.FAILED, first_event=1, last_event=2, ended_at=NOW - 7)
    table.more(0).attempts.append(attempt)
    assert own_instant(table, array("i", [0, 0, 0]), 2) == NOW - 7


def test_an_event_without_a_plausible_instant_has_that_of_an_earlier_one() -> None:
    table = one_step(1, 1, NOW - 10, NOW - 5)
    step = table.add(-1, StepKind.STATEMENT, "wrong clock", Status.COMPLETED, None, 2)
    table.started[step] = table.ended[step] = 12
    events = array("i", [0, 1])
    assert own_instant(table, events, 2) == 12
    assert instant_of(table, events, 2, NOW) == NOW - 5
    assert own_instant(table, events, 3) is None


@pytest.mark.parametrize(
    ("status", "end"),
    [(Status.COMPLETED, 4), (Status.FAILED, 4), (Status.RUNNING, None), (Status.PENDING, None)],
)
def test_only_a_step_that_cannot_continue_has_an_end(status: Status, end: int | None) -> None:
    table = one_step(1, 4, NOW - 10, NOW - 5)
    table.set_status(0, status, None)
    assert end_of(table, 0) == end
