"""Questions to a run's reader: answers come from its thread and are taken in on the screen's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from textual.message import Message
from textual.widget import Widget

from inspector.live.database_worker import DatabaseWorker
from inspector.live.feed import Feed, Unavailable
from inspector.model.clock import Clock
from inspector.query.raw_database import RawDatabase
from inspector.query.run_reader import RunReader

T = TypeVar("T")


class Answered(Message):
    """An answer that is now to be taken in."""

    def __init__(self, take: Callable[[Any], None], answer: Any) -> None:
        super().__init__()
        self.take = take
        self.answer = answer


class RunQueries:
    """Asks about one run. Of the questions under one topic only the newest is answered."""

    def __init__(self, feed: Feed, key: str, widget: Widget) -> None:
        self._feed = feed
        self._key = key
        self._widget = widget
        self._newest: dict[str, int] = {}

    def ask(
        self,
        topic: str,
        question: Callable[[RunReader], T],
        take: Callable[[T | Unavailable], None],
    ) -> None:
        """Asks, and lets `take` have the answer on the screen's own thread, later."""
        number = self._newest[topic] = self._newest.get(topic, 0) + 1

        def take_newest(answer: T | Unavailable) -> None:
            if self._newest[topic] == number:
                take(answer)

        def deliver(answer: T | Unavailable) -> None:
            self._widget.post_message(Answered(take_newest, answer))

        self._feed.ask(self._key, question, deliver)

    def forget(self, topic: str) -> None:
        """What was asked under a topic is not wanted any more."""
        self._newest[topic] = self._newest.get(topic, 0) + 1


Answer = TypeVar("Answer")


class DatabaseQueries:
    """Asks on behalf of a widget. What was asked before `turn` is not answered any more."""

    def __init__(self, path: str, clock: Clock, widget: Widget) -> None:
        self._worker = DatabaseWorker(path, clock)
        self._widget = widget
        self._turn = 0
        self.waiting = 0
        """Questions of this turn that were not answered yet."""

    def ask(
        self,
        question: Callable[[RawDatabase], Answer],
        take: Callable[[Answer | Unavailable], None],
    ) -> None:
        """Asks, and lets `take` have the answer later."""
        turn = self._turn
        self.waiting += 1

        def take_now(answer: Answer | Unavailable) -> None:
            if turn == self._turn:
                self.waiting -= 1
                take(answer)

        self._worker.ask(
            question, lambda answer: _deliver(self._widget, Answered(take_now, answer))
        )

    def turn(self) -> None:
        """Something else is shown now: gives up what is being answered."""
        self._turn += 1
        if self.waiting:
            self._worker.cancel()
        self.waiting = 0

    def cancel(self) -> None:
        """Gives up what is being answered, and says so to whoever asked."""
        self._worker.cancel()

    def stop(self) -> None:
        """Ends; private copies are removed."""
        self._turn += 1
        self._worker.stop()
        self._worker.join(1.0)


def _deliver(widget: Widget, message: Answered) -> None:
    if widget.is_attached:
        widget.post_message(message)
