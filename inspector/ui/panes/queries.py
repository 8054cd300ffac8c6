"""Awaitable queries: answered on a reader's thread, resumed on the event loop.

Call from a Textual worker (`widget.run_worker(…, group=TOPIC, exclusive=True)`), so that a newer
query under the same topic cancels the older one, and closing the widget cancels both.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from textual.dom import DOMNode
from textual.widget import Widget
from textual.worker import Worker

from inspector.live.database_worker import DatabaseWorker
from inspector.live.feed import Feed, Unavailable
from inspector.model.clock import Clock
from inspector.query.raw_database import RawDatabase
from inspector.query.run_reader import RunReader

T = TypeVar("T")

Work = Callable[[], Coroutine[None, None, None]]
"""A coroutine function: a worker that is cancelled before it starts creates no coroutine."""

DATABASE = "database"
"""The group of workers that ask a database."""


def start(node: DOMNode, work: Work, topic: str, *, exclusive: bool = True) -> None:
    """Runs `work` in a worker of the node; with `exclusive` it replaces the topic's older one."""
    worker: Worker[None] = node.run_worker(work, group=topic, exclusive=exclusive)
    del worker


class RunQueries:
    """Queries about one run."""

    def __init__(self, feed: Feed, key: str) -> None:
        self._feed = feed
        self._key = key

    async def ask(self, question: Callable[[RunReader], T]) -> T | Unavailable:
        """Returns the answer of the run's reader, or why it is unavailable."""
        answer: asyncio.Future[T | Unavailable] = asyncio.get_running_loop().create_future()
        self._feed.ask(self._key, question, partial(_deliver, answer))
        return await answer


class DatabaseQueries:
    """Queries about a whole database, answered one at a time on their own thread."""

    def __init__(self, path: str, clock: Clock, widget: Widget) -> None:
        self._worker = DatabaseWorker(path, clock)
        self._widget = widget
        self._pending: set[asyncio.Future[Any]] = set()

    @property
    def waiting(self) -> bool:
        """True while a query is unanswered."""
        return bool(self._pending)

    def start(self, work: Work) -> None:
        """Runs a coroutine function that makes queries; it ends with the widget."""
        start(self._widget, work, DATABASE, exclusive=False)

    async def ask(self, question: Callable[[RawDatabase], T]) -> T | Unavailable:
        """Returns the answer, or why it is unavailable.

        Raises CancelledError after `drop`.
        """
        answer: asyncio.Future[T | Unavailable] = asyncio.get_running_loop().create_future()
        self._pending.add(answer)
        self._worker.ask(question, partial(_deliver, answer))
        try:
            return await answer
        finally:
            self._pending.discard(answer)

    def drop(self) -> None:
        """Cancels every waiting coroutine, because something else is shown now."""
        if self._pending:
            self._worker.cancel()
        self._pending.clear()
        self._widget.workers.cancel_group(self._widget, DATABASE)

    def cancel(self) -> None:
        """Interrupts the current query; its coroutine receives Unavailable."""
        self._worker.cancel()

    async def close(self) -> None:
        """Ends the thread and removes private copies."""
        self.drop()
        self._worker.stop()
        await asyncio.to_thread(self._worker.join, 1.0)


def _deliver(answer: asyncio.Future[T], value: T) -> None:
    # The event loop may have ended because the application was closed.
    with suppress(RuntimeError):
        answer.get_loop().call_soon_threadsafe(_resolve, answer, value)


def _resolve(answer: asyncio.Future[T], value: T) -> None:
    if not answer.done():
        answer.set_result(value)
