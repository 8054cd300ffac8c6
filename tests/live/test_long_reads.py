"""Runs that take long to be read: their end comes first, how far it is is told, leaving ends it."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from inspector.live import run_worker
from inspector.live.feed import Unavailable
from inspector.live.run_worker import NOT_FOLLOWED, RateLimiter, RunWorker
from tests.live.fakes import FakeRun, LongRun, Told

PATIENCE = 20.0


@pytest.fixture(autouse=True)
def told_at_once(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(run_worker, "PROGRESS_SECONDS", 0.0)
    yield


def worker_of(run: FakeRun, told: Told, parts: Told) -> RunWorker:
    return RunWorker(
        run.as_reader,
        told,
        limiter=RateLimiter(0.0),
        on_progress=lambda done, of: parts((done, of)),
    )


def test_the_end_is_shown_before_the_whole() -> None:
    told, worker = Told(), None
    try:
        worker = worker_of(LongRun(events=9), told, Told())
        worker.start()
        told.wait(lambda views: len(views) == 2)
    finally:
        assert worker is not None
        worker.stop()
        worker.join(PATIENCE)
    assert [(view.partial, view.events) for view in told.messages] == [(True, 2), (False, 9)]


def test_only_the_first_read_is_told_of() -> None:
    told, parts = Told(), Told()
    run = LongRun(parts=[(0, 4), (2, 4), (4, 4)])
    worker = worker_of(run, told, parts)
    worker.start()
    try:
        told.wait(lambda views: len(views) == 2)
        run.events, run.news = 2, True
        worker.wake()
        told.wait(lambda views: len(views) == 3)
    finally:
        worker.stop()
        worker.join(PATIENCE)
    assert parts.messages == [(0, 4), (2, 4), (4, 4)]


def test_who_asks_while_the_rest_is_read_can_have_the_end_at_once() -> None:
    told, reading, go_on = Told(), threading.Event(), threading.Event()

    def hold(what: str) -> None:
        if what == "refresh":
            reading.set()
            assert go_on.wait(PATIENCE)

    worker = worker_of(LongRun(before=hold), told, Told())
    worker.start()
    try:
        assert reading.wait(PATIENCE)
        assert worker.partial_view is told.messages[0]
        assert not worker.publishes_newest
        go_on.set()
        told.wait(lambda views: len(views) == 2)
        assert worker.partial_view is None
        assert worker.publishes_newest
    finally:
        go_on.set()
        worker.stop()
        worker.join(PATIENCE)


def test_leaving_ends_a_read_in_its_middle_and_answers_who_asked() -> None:
    reading, left = threading.Event(), threading.Event()

    class Endless(LongRun):
        """Goes on until it is told that nobody waits."""

        def refresh(self) -> None:  # type: ignore[override]
            while True:
                reading.set()
                assert left.wait(PATIENCE)
                self.progress(1, 2)

    run, answers = Endless(), Told()
    worker = worker_of(run, Told(), Told())
    worker.start()
    assert reading.wait(PATIENCE)
    assert worker.ask(lambda reader: reader.at(0), answers)
    worker.stop()
    left.set()
    worker.join(PATIENCE)
    assert run.closed
    assert answers.messages == [Unavailable(NOT_FOLLOWED)]


def test_a_question_that_reads_for_nobody_is_ended_too() -> None:
    asked, left = threading.Event(), threading.Event()
    run, answers = LongRun(), Told()
    worker = worker_of(run, Told(), Told())

    def long_question(reader: object) -> None:
        asked.set()
        assert left.wait(PATIENCE)
        run.progress(1, 2)

    assert worker.ask(long_question, answers)
    worker.start()
    assert asked.wait(PATIENCE)
    worker.stop()
    left.set()
    worker.join(PATIENCE)
    assert run.closed
    assert answers.messages == [Unavailable(NOT_FOLLOWED)]
