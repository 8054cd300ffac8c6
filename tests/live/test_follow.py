"""One run to its end, for commands that print."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from inspector.live.follow import PATIENCE_SECONDS, follow
from inspector.model.status import Status
from inspector.model.store import Health
from inspector.store.read import StoreUnavailable
from tests.live.fakes import BUSY, FakeRun, run_of

GONE = StoreUnavailable(Health.GONE, "the database file is not there")


def followed(run: FakeRun, *turns: Callable[[], object]) -> list[int]:
    """The events of each view; every sleep does the next thing, the last one ends the run."""
    left = list(turns)

    def sleep(seconds: float) -> None:
        if left:
            left.pop(0)()
        else:
            run.run, run.news, run.trouble = run_of(status=Status.COMPLETED), True, None

    return [view.events for view in follow(run.as_reader(), sleep=sleep, poll=0.5)]


def grow(run: FakeRun) -> Callable[[], object]:
    def one_more() -> None:
        run.events, run.news = run.events + 1, True

    return one_more


def trouble(run: FakeRun, error: Exception | None) -> Callable[[], object]:
    def meet() -> None:
        run.trouble, run.news = error, True

    return meet


def nothing() -> None:
    pass


def test_every_write_gives_a_view_and_silence_none() -> None:
    run = FakeRun()
    assert followed(run, grow(run), nothing, nothing, grow(run)) == [1, 2, 3, 3]


@pytest.mark.parametrize("status", [Status.COMPLETED, Status.FAILED, Status.INTERRUPTED])
def test_a_run_that_is_over_is_shown_once(status: Status) -> None:
    assert followed(FakeRun(run_of(status=status))) == [1]


def test_a_waiting_run_is_not_over() -> None:
    run = FakeRun(run_of(status=Status.WAITING))
    assert followed(run, grow(run)) == [1, 2, 2]


def test_a_busy_store_is_waited_for_however_long() -> None:
    run = FakeRun()
    assert followed(run, *[trouble(run, BUSY)] * 50, trouble(run, None)) == [1, 1, 1]


def test_a_store_that_comes_back_is_followed_on() -> None:
    run = FakeRun()
    assert followed(run, trouble(run, GONE), trouble(run, GONE), trouble(run, None)) == [1, 1, 1]


def test_a_store_that_stays_away_ends_it() -> None:
    run = FakeRun()
    turns = round(PATIENCE_SECONDS / 0.5)
    with pytest.raises(StoreUnavailable) as error:
        followed(run, *[trouble(run, GONE)] * turns)
    assert error.value.health is Health.GONE


def test_the_first_read_must_work() -> None:
    with pytest.raises(StoreUnavailable):
        followed(FakeRun(trouble=BUSY))


def test_a_view_that_says_nothing_else_is_not_told() -> None:
    run = FakeRun(replace(run_of()))
    same = run.refresh()
    run.refresh = lambda: same if run.run.status is Status.RUNNING else FakeRun.refresh(run)  # type: ignore[method-assign]
    run.news = True

    def look() -> None:
        run.news = True

    assert followed(run, look, look) == [1, 1]
