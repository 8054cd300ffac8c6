"""One reader of a database for everybody who asks about it, so that it is copied at most once.

A database that holds many runs is read by its list and by each run that is looked at, in several
threads; they take turns.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from typing import TypeVar

from inspector.model.clock import Clock
from inspector.model.store import Health
from inspector.store.read import Reading, StoreUnavailable, Token, ZeroTouchReader

T = TypeVar("T")


class SharedSource:
    """A zero-touch reader that several askers share; the last one to close closes it."""

    def __init__(self, path: str, clock: Clock) -> None:
        self.path = path
        self._source = ZeroTouchReader(path, clock=clock)
        self._lock = threading.Lock()
        self._askers = 0
        self._token: Token | None = None
        """Of the content that was read last, by whomever."""

    def asker(self) -> Asker:
        """A further asker; it may go to another thread."""
        with self._lock:
            self._askers += 1
        return Asker(self)

    def read(self, question: Callable[[sqlite3.Connection], T]) -> tuple[Reading[T], int]:
        """Asks a question of committed content; also gives the generation of that content."""
        with self._lock:
            try:
                reading = self._source.read(question)
            except sqlite3.DatabaseError as error:
                reason = f"SQLite says: {error}"
                raise StoreUnavailable(Health.UNREADABLE, reason) from error
            self._token = reading.token
            return reading, self._source.generation

    def changed_since(self, token: Token | None) -> bool:
        """Whether there may be other content now than that of the token."""
        with self._lock:
            return token is None or token != self._token or self._source.changed()

    def release(self) -> None:
        """One asker less."""
        with self._lock:
            self._askers -= 1
            if not self._askers:
                self._source.close()


class Asker:
    """One of those who share a source; used by one thread at a time."""

    def __init__(self, source: SharedSource) -> None:
        self._source = source
        self._token: Token | None = None
        self._closed = False
        self.generation = 0
        """Of the content that this asker saw last (see `ZeroTouchReader.generation`)."""

    def read(self, question: Callable[[sqlite3.Connection], T]) -> Reading[T]:
        """Asks a question; raises `StoreUnavailable` when there is no answer now.

        Others wait meanwhile: a long answer is better asked for in pages.
        """
        reading, self.generation = self._source.read(question)
        self._token = reading.token
        return reading

    def changed(self) -> bool:
        """Whether something may have been committed since this asker's last read."""
        return self._source.changed_since(self._token)

    def close(self) -> None:
        """Leaves; private copies are removed when nobody is left."""
        if not self._closed:
            self._closed = True
            self._source.release()
