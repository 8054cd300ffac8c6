"""A feed that is made while the screen is there: nothing that is asked of it before is lost."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from inspector.live.feed import CLOSED, DeferredFeed, Message, Overview, Subscription, Unavailable
from tests.live.fakes import Told

PATIENCE = 20.0
A, B = Subscription("a"), Subscription("b", 3)


class Recorder:
    """The feed that is made; `calls` is what reached it."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, object]] = []

    def start(self, deliver: Callable[[Message], None]) -> None:
        self.calls.append(("start", None))
        deliver(Overview((), (), 1))

    def follow(self, subscriptions: Sequence[Subscription]) -> None:
        self.calls.append(("follow", tuple(subscriptions)))

    def in_view(self, keys: Sequence[str]) -> None:
        self.calls.append(("in view", tuple(keys)))

    def ask(self, key: str, question: Any, answer: Callable[[Any], None]) -> None:
        self.calls.append(("ask", key))
        answer(question(None))

    def stop(self) -> None:
        self.calls.append(("stop", None))


class Making:
    """Makes a feed when it is let to."""

    def __init__(self) -> None:
        self.made = Recorder()
        self.go_on = threading.Event()
        self.trouble: Exception | None = None

    def __call__(self) -> Recorder:
        assert self.go_on.wait(PATIENCE)
        if self.trouble is not None:
            raise self.trouble
        return self.made


@pytest.fixture
def making() -> Iterator[Making]:
    one = Making()
    yield one
    one.go_on.set()


def test_what_was_asked_before_reaches_it_when_it_is_made(making: Making) -> None:
    feed, told, answers = DeferredFeed(making), Told(), Told()
    feed.start(told)
    feed.follow([A])
    feed.follow([B])
    feed.in_view(["x"])
    feed.in_view(["x", "y"])
    feed.ask("b", lambda reader: "answer", answers)
    assert (told.messages, answers.messages) == ([], [])
    making.go_on.set()
    answers.wait(lambda found: found == ["answer"])
    assert making.made.calls == [
        ("start", None), ("follow", (B,)), ("in view", ("x", "y")), ("ask", "b"),
    ]  # fmt: skip
    assert isinstance(told.messages[0], Overview)


def test_afterwards_it_is_only_passed_on(making: Making) -> None:
    making.go_on.set()
    feed, told, answers = DeferredFeed(making), Told(), Told()
    feed.start(told)
    feed.ask("a", lambda reader: 1, answers)
    answers.wait(lambda found: found == [1])
    feed.follow([A])
    feed.in_view(["x"])
    feed.ask("a", lambda reader: 2, answers)
    feed.stop()
    assert making.made.calls[-4:] == [
        ("follow", (A,)), ("in view", ("x",)), ("ask", "a"), ("stop", None),
    ]  # fmt: skip
    assert answers.messages == [1, 2]


def test_left_before_it_was_made_it_ends_at_once(making: Making) -> None:
    feed, answers = DeferredFeed(making), Told()
    feed.start(Told())
    feed.ask("a", lambda reader: 1, answers)
    threading.Timer(0.1, making.go_on.set).start()
    feed.stop()
    assert answers.messages == [Unavailable(CLOSED)]
    assert making.made.calls == [("start", None), ("stop", None)]


def test_questions_to_one_that_was_left_are_answered(making: Making) -> None:
    feed, answers = DeferredFeed(making), Told()
    feed.ask("a", lambda reader: 1, answers)
    feed.stop()
    feed.ask("a", lambda reader: 2, answers)
    assert answers.messages == [Unavailable(CLOSED), Unavailable(CLOSED)]


def test_one_that_cannot_be_made_says_so(making: Making) -> None:
    making.trouble = RuntimeError("no room")
    feed, told, answers = DeferredFeed(making), Told(), Told()
    feed.start(told)
    feed.ask("a", lambda reader: 1, answers)
    making.go_on.set()
    told.wait(lambda messages: len(messages) == 1)
    assert "no room" in told.messages[0].notices[0]
    answers.wait(lambda found: len(found) == 1)
    assert "no room" in answers.messages[0].reason
    feed.stop()
