"""What came of a launch is judged from the store."""

import pytest

from inspector.model.preflight import PreFlight, refused
from inspector.model.status import Status
from inspector.resume.launch import Outcome, Verdict, exit_words, judge
from tests.resume.flights import KEY


def flight(outcome: Status | None, **record: str) -> PreFlight:
    return refused(KEY, "whatever", record=record, outcome=outcome)


BEFORE = flight(Status.WAITING, track="waiting", handoff="submitted")


@pytest.mark.parametrize(
    ("after", "verdict"),
    [
        (flight(Status.COMPLETED, track="completed", handoff="settled"), Verdict.COMPLETED),
        (flight(Status.FAILED, track="failed", handoff="expired"), Verdict.FAILED),
        (flight(Status.INTERRUPTED, track="x", handoff="submitted"), Verdict.INTERRUPTED),
        (flight(Status.RUNNING, track="running", handoff="submitted"), Verdict.CONTINUED),
        (flight(Status.WAITING, track="waiting", handoff="settled"), Verdict.CONTINUED),
        (BEFORE, Verdict.WAITING),
        (flight(Status.FAILED, track="waiting", handoff="submitted"), Verdict.UNCHANGED),
        (None, Verdict.UNKNOWN),
    ],
)
def test_the_store_decides(after: PreFlight | None, verdict: Verdict) -> None:
    assert judge(BEFORE, after).verdict is verdict


def test_changes_are_listed_one_by_one() -> None:
    after = flight(Status.COMPLETED, track="completed", handoff="submitted", row="XDest")
    assert judge(BEFORE, after).changes == (
        "track: waiting → completed",
        "row: nothing → XDest",
    )


def test_only_progress_is_success() -> None:
    well = {verdict for verdict in Verdict if Outcome(verdict).went_well}
    assert well == {Verdict.COMPLETED, Verdict.CONTINUED}
    assert all(Outcome(verdict).words for verdict in Verdict)


def test_how_a_program_ended_in_words() -> None:
    assert "code 1" in exit_words(1)
    assert "signal 9" in exit_words(-9)
    assert "unknown" in exit_words(None)
