"""The reader thread of one run: what it delivers, when, and that every question is answered."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from inspector.live.feed import Unavailable
from inspector.live.run_worker import NOT_FOLLOWED, RateLimiter, RunWorker
from inspector.model.status import Status
from inspector.query.run_reader import RunReader
from inspector.store.read import StoreUnavailable
from tests.live.fakes import BUSY, FakeRun, Told, run_of

PATIENCE = 20.0
Begin = Callable[..., RunWorker]


@pytest.fixture
def begin() -> Iterator[Begin]:
    """Starts workers that are stopped in the end."""
    workers: list[RunWorker] = []

    def begin_one(run: FakeRun, deliver: Any, **more: Any) -> RunWorker:
        worker = RunWorker(run.as_reader, deliver, limiter=RateLimiter(0.0), **more)
        workers.append(worker)
        worker.start()
        return worker

    yield begin_one
    for worker in workers:
        worker.stop()
        worker.join(PATIENCE)


def test_the_first_view_comes_unasked(begin: Begin) -> None:
    told = Told()
    begin(FakeRun(events=3), told)
    told.wait(lambda views: len(views) == 1)
    assert told.messages[0].events == 3


def test_nothing_is_read_or_told_while_nothing_changes(begin: Begin) -> None:
    run, told = FakeRun(), Told()
    looks = threading.Semaphore(0)
    run.before = lambda what: looks.release() if what == "changed" else None
    worker = begin(run, told)
    told.wait(lambda views: len(views) == 1)
    for _ in range(5):
        worker.wake()
        assert looks.acquire(timeout=PATIENCE)
    assert run.refreshed == 1
    assert len(told.messages) == 1


def test_a_write_is_told(begin: Begin) -> None:
    run, told = FakeRun(), Told()
    worker = begin(run, told)
    told.wait(lambda views: len(views) == 1)
    run.events, run.news = 2, True
    worker.wake()
    told.wait(lambda views: views[-1].events == 2)


def test_however_often_it_is_woken_while_it_reads_it_reads_once_more(begin: Begin) -> None:
    run, told = FakeRun(), Told()
    reading, go_on = threading.Event(), threading.Event()

    def hold(what: str) -> None:
        if what == "refresh" and not go_on.is_set():
            reading.set()
            assert go_on.wait(PATIENCE)

    run.before = hold
    worker = begin(run, told)
    assert reading.wait(PATIENCE)
    for _ in range(100):
        worker.wake()
    go_on.set()
    told.wait(lambda views: len(views) == 1)
    asked = threading.Event()
    worker.ask(lambda reader: None, lambda _: asked.set())
    assert asked.wait(PATIENCE)
    assert run.refreshed == 1


def test_a_busy_store_leaves_the_last_view_with_the_reason(begin: Begin) -> None:
    run, told = FakeRun(), Told()
    worker = begin(run, told)
    told.wait(lambda views: len(views) == 1)
    run.trouble, run.news = BUSY, True
    worker.wake()
    told.wait(lambda views: views[-1].stale_reason is not None)
    stale = told.messages[-1]
    assert stale.events == 1
    assert stale.stale_reason == stale.run.store.reason == BUSY.reason
    run.trouble = None
    told.wait(lambda views: views[-1].stale_reason is None)
    assert len(told.messages) == 3, "the trouble is told once, however often it was met"


def test_a_fault_of_ours_is_said_and_the_run_is_tried_again(begin: Begin) -> None:
    run, told = FakeRun(), Told()
    worker = begin(run, told)
    told.wait(lambda views: len(views) == 1)
    run.trouble, run.news = RuntimeError("oh"), True
    worker.wake()
    told.wait(lambda views: "RuntimeError: oh" in (views[-1].stale_reason or ""))
    run.trouble, run.events = None, 2
    told.wait(lambda views: views[-1].events == 2)


class TestTravel:
    def test_to_an_earlier_event_and_back(self, begin: Begin) -> None:
        run, told = FakeRun(events=9), Told()
        worker = begin(run, told)
        told.wait(lambda views: len(views) == 1)
        worker.travel(4)
        told.wait(lambda views: views[-1].events == 4)
        assert told.messages[-1].travelling
        assert not worker.publishes_newest
        worker.travel(None)
        told.wait(lambda views: views[-1].events == 9)
        assert worker.publishes_newest

    def test_it_may_begin_there(self, begin: Begin) -> None:
        told = Told()
        begin(FakeRun(events=9), told, at=2)
        told.wait(lambda views: len(views) == 1)
        assert (told.messages[0].events, told.messages[0].total_events) == (2, 9)

    def test_the_past_hears_how_long_the_run_became(self, begin: Begin) -> None:
        run, told = FakeRun(events=9), Told()
        worker = begin(run, told, at=2)
        told.wait(lambda views: len(views) == 1)
        run.events, run.news = 12, True
        worker.wake()
        told.wait(lambda views: views[-1].total_events == 12)
        assert told.messages[-1].events == 2

    def test_asking_for_where_one_is_tells_it_again(self, begin: Begin) -> None:
        told = Told()
        worker = begin(FakeRun(events=9), told)
        told.wait(lambda views: len(views) == 1)
        worker.travel(None)
        told.wait(lambda views: len(views) == 2)


class TestQuestions:
    def ask(self, worker: RunWorker, question: Callable[[RunReader], Any]) -> Any:
        told = Told()
        assert worker.ask(question, told)
        told.wait(lambda answers: len(answers) == 1)
        return told.messages[0]

    def test_they_are_answered_between_two_reads(self, begin: Begin) -> None:
        worker = begin(FakeRun(events=5), Told())
        assert self.ask(worker, lambda reader: reader.at(3).events) == 3

    def test_a_store_that_cannot_be_read_says_so(self, begin: Begin) -> None:
        def fail(reader: RunReader) -> None:
            raise BUSY

        assert self.ask(begin(FakeRun(), Told()), fail) == Unavailable(BUSY.reason)

    def test_one_that_goes_wrong_costs_no_other(self, begin: Begin) -> None:
        worker = begin(FakeRun(), Told())
        answer = self.ask(worker, lambda reader: reader.record("no such part"))
        assert isinstance(answer, Unavailable)
        assert "KeyError" in answer.reason
        assert self.ask(worker, lambda reader: "fine") == "fine"

    def test_what_nobody_can_answer_any_more_is_said(self, begin: Begin) -> None:
        run = FakeRun()
        busy, go_on = threading.Event(), threading.Event()

        def block(reader: RunReader) -> str:
            busy.set()
            assert go_on.wait(PATIENCE)
            return "answered"

        worker, told = begin(run, Told()), Told()
        worker.ask(block, told)
        assert busy.wait(PATIENCE)
        worker.ask(lambda reader: "too late", told)
        worker.stop()
        go_on.set()
        worker.join(PATIENCE)
        assert told.messages == ["answered", Unavailable(NOT_FOLLOWED)]
        assert not worker.ask(lambda reader: "later", told)
        assert len(told.messages) == 2

    def test_a_run_that_is_gone_says_so_and_is_tried_again(self) -> None:
        tries, told = Told(), Told()
        run = FakeRun()

        def open_reader() -> RunReader:
            tries("opened")
            if len(tries.messages) < 2:
                raise StoreUnavailable(BUSY.health, "not there")
            return run.as_reader()

        worker = RunWorker(open_reader, None)
        worker.ask(lambda reader: "never", told)
        worker.start()
        told.wait(lambda answers: answers == [Unavailable("not there")])
        worker.ask(lambda reader: "now", told)
        told.wait(lambda answers: answers[-1] == "now")
        worker.stop()
        worker.join(PATIENCE)
        assert run.closed


class TestWithoutAView:
    """A worker that only answers."""

    def test_it_reads_when_something_was_written_and_somebody_asks(self, begin: Begin) -> None:
        run, told = FakeRun(), Told()
        worker = begin(run, None)
        for _ in range(3):
            worker.ask(lambda reader: "answer", told)
        told.wait(lambda answers: len(answers) == 3)
        assert run.refreshed == 1
        run.news = True
        worker.ask(lambda reader: run.refreshed, told)
        told.wait(lambda answers: answers[-1] == 2)

    def test_trouble_with_reading_does_not_keep_a_question(self, begin: Begin) -> None:
        run, told = FakeRun(trouble=BUSY), Told()
        begin(run, None).ask(lambda reader: "answer", told)
        told.wait(lambda answers: answers == ["answer"])

    def test_it_ends_when_nobody_asks(self) -> None:
        run, told = FakeRun(), Told()
        worker = RunWorker(run.as_reader, None, idle=0.01)
        worker.start()
        worker.join(PATIENCE)
        assert run.closed
        assert not worker.ask(lambda reader: "too late", told)


def test_stopping_closes_the_reader() -> None:
    run, told = FakeRun(run_of(status=Status.COMPLETED)), Told()
    worker = RunWorker(run.as_reader, told)
    worker.start()
    told.wait(lambda views: len(views) == 1)
    worker.stop()
    worker.join(PATIENCE)
    assert run.closed


def test_deliveries_keep_their_distance() -> None:
    """The clock is the test's: the first goes out at once, the next after the interval."""
    pacing = RateLimiter(0.25)
    assert pacing.wait(100.0) == 0
    pacing.sent(100.0)
    assert pacing.wait(100.1) == pytest.approx(0.15)
    assert pacing.wait(100.25) == 0
    assert pacing.wait(1000.0) == 0
