"""Questions to a database worker: answers are taken in on the screen's own thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from textual.widget import Widget

from inspector.live.database_worker import DatabaseWorker
from inspector.live.feed import Unavailable
from inspector.model.clock import Clock
from inspector.query.raw_database import RawDatabase
from inspector.ui.run.asking import Answered

T = TypeVar("T")


class DatabaseAsker:
    """Asks on behalf of a widget. What was asked before `turn` is not answered any more."""

    def __init__(self, path: str, clock: Clock, widget: Widget) -> None:
        self._worker = DatabaseWorker(path, clock)
        self._widget = widget
        self._turn = 0
        self.waiting = 0
        """Questions of this turn that were not answered yet."""

    def ask(
        self, question: Callable[[RawDatabase], T], take: Callable[[T | Unavailable], None]
    ) -> None:
        """Asks, and lets `take` have the answer later."""
        turn = self._turn
        self.waiting += 1

        def take_now(answer: T | Unavailable) -> None:
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
