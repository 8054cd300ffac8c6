"""Questions to a run's reader: answers come from its thread and are taken in on the screen's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from textual.message import Message
from textual.widget import Widget

from inspector.live.feed import Feed, Unavailable
from inspector.query.run_reader import RunReader

T = TypeVar("T")


class Answered(Message):
    """An answer that is now to be taken in."""

    def __init__(self, take: Callable[[Any], None], answer: Any) -> None:
        super().__init__()
        self.take = take
        self.answer = answer


class Asker:
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
