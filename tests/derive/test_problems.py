"""What the list of problems holds, in which order."""

from datetime import UTC, datetime

from inspector.derive.problems import problems, standing
from inspector.model.status import Status
from inspector.model.store import Health
from tests.ui.fakes import run, store

NOON = int(datetime(2026, 1, 16, 12, tzinfo=UTC).timestamp() * 1000)


def test_notices_and_stores_come_first_then_the_newest_runs() -> None:
    old = run("a", "1", started=1, findings=("one", "two"))
    new = run("b", "2", started=2, findings=("three",))
    bad = store(health=Health.DENIED, reason="Permission is denied.")
    found = problems([store(), bad], [old, new], ["5 folders deep is enough."])
    assert [problem.message for problem in found] == [
        "5 folders deep is enough.",
        "Permission is denied.",
        "three",
        "one",
        "two",
    ]
    assert found[1].code == "denied"
    assert standing(found) == 5


def test_a_busy_or_empty_store_is_no_problem() -> None:
    assert not problems([store(health=Health.BUSY), store(health=Health.EMPTY)], [])


def test_a_store_with_one_run_leads_to_it() -> None:
    bad = store("/a/state.db", health=Health.UNREADABLE, reason="It is torn.")
    inside = run("a", "1", Status.UNKNOWN, at=bad)
    assert problems([bad], [inside, run("b", "2")])[0].run is inside
    assert problems([bad], [inside, run("c", "3", at=bad)])[0].run is None


def test_a_completed_newer_run_makes_it_history() -> None:
    failed = run("a", "1", Status.FAILED, started=1, findings=("it broke",))
    again = run("a", "2", started=2)
    found = problems([], [failed, again])
    assert found[0].followed
    assert standing(found) == 0
    assert not problems([], [failed, run("b", "2", started=2)])[0].followed
    unfinished = run("a", "2", Status.RUNNING, started=2)
    assert not problems([], [failed, unfinished])[0].followed


def test_running_runs_are_never_history() -> None:
    quiet = run("a", "1", Status.RUNNING, started=1, findings=("it is quiet",))
    assert not problems([], [quiet, run("a", "2", started=2)])[0].followed
