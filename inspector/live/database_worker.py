"""A thread that answers questions about a whole database: pages of tables, SQL.

It is separate from the threads that follow runs, so that a slow query delays no view.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from contextlib import closing
from typing import Any, TypeVar

from inspector.live.feed import Unavailable
from inspector.model.clock import Clock
from inspector.query.raw_database import GivenUp, RawDatabase
from inspector.store.read import StoreUnavailable

T = TypeVar("T")

IDLE_SECONDS = 10.0
"""How long private copies are kept for the next question."""

CANCELLED = "cancelled"


class DatabaseWorker:
    """Answers questions one at a time, in order."""

    def __init__(self, path: str, clock: Clock, *, idle: float = IDLE_SECONDS) -> None:
        self._path = path
        self._clock = clock
        self._idle = idle
        self._lock = threading.Lock()
        self._wake = threading.Condition(self._lock)
        self._questions: deque[tuple[Callable[[RawDatabase], object], Callable[[Any], None]]] = (
            deque()
        )
        self._thread: threading.Thread | None = None
        self._database: RawDatabase | None = None
        self._stopped = False

    def ask(
        self,
        question: Callable[[RawDatabase], T],
        answer: Callable[[T | Unavailable], None],
    ) -> None:
        """Queue a question; `answer` is called from the thread. Ignored after `stop`."""
        with self._wake:
            if self._stopped:
                return
            self._questions.append((question, answer))
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="raw", daemon=True)
                self._thread.start()
            self._wake.notify()

    def cancel(self) -> None:
        """Cancel the current question; queued ones are answered."""
        with self._lock:
            if self._database is not None:
                self._database.cancel()

    def stop(self) -> None:
        """End the thread, which then removes its private copies."""
        with self._wake:
            self._stopped = True
            self._questions.clear()
            self._wake.notify()
        self.cancel()

    def join(self, timeout: float | None = None) -> None:
        """Wait until private copies are removed."""
        thread = self._thread
        if thread is not None:
            thread.join(timeout)

    def _run(self) -> None:
        with closing(RawDatabase(self._path, self._clock)) as database:
            while (asked := self._next(database)) is not None:
                question, answer = asked
                try:
                    found = question(database)
                except StoreUnavailable as trouble:
                    found = Unavailable(trouble.reason)
                except GivenUp:
                    found = Unavailable(CANCELLED)
                answer(found)

    def _next(
        self, database: RawDatabase
    ) -> tuple[Callable[[RawDatabase], object], Callable[[object], None]] | None:
        with self._wake:
            self._database = None
            if not self._questions and not self._stopped:
                self._wake.wait(self._idle)
            if self._stopped or not self._questions:
                # A later question starts another thread.
                self._thread = None
                return None
            database.begin()
            self._database = database
            return self._questions.popleft()
