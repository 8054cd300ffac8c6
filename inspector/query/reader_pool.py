"""A pooled reader: the list of runs and every open run of a database share one private copy.

The leases of one pool may be used by several threads; reads take turns.
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


class ReaderPool:
    """A zero-touch reader shared by leases; closed with the last of them."""

    def __init__(self, path: str, clock: Clock) -> None:
        self.path = path
        self._source = ZeroTouchReader(path, clock=clock)
        self._lock = threading.Lock()
        self._leases = 0
        self._token: Token | None = None
        """The content of the last read, by any lease."""

    def lease(self) -> ReaderLease:
        """Return a further lease, which may be used by another thread."""
        with self._lock:
            self._leases += 1
        return ReaderLease(self)

    def read(self, query: Callable[[sqlite3.Connection], T]) -> tuple[Reading[T], int]:
        """Run a query on committed content; also returns the generation of that content."""
        with self._lock:
            try:
                reading = self._source.read(query)
            except sqlite3.DatabaseError as error:
                reason = f"SQLite says: {error}"
                raise StoreUnavailable(Health.UNREADABLE, reason) from error
            self._token = reading.token
            return reading, self._source.generation

    def changed_since(self, token: Token | None) -> bool:
        """Return whether there may be other content than that of the token."""
        with self._lock:
            return token is None or token != self._token or self._source.changed()

    def release(self) -> None:
        """Return a lease."""
        with self._lock:
            self._leases -= 1
            if not self._leases:
                self._source.close()


class ReaderLease:
    """One user's share of a pooled reader. Used by one thread at a time."""

    def __init__(self, source: ReaderPool) -> None:
        self._source = source
        self._token: Token | None = None
        self._closed = False
        self.generation = 0
        """Of the content this lease read last (see `ZeroTouchReader.generation`)."""

    def read(self, query: Callable[[sqlite3.Connection], T]) -> Reading[T]:
        """Run a query. Raises `StoreUnavailable` when the store cannot be read now.

        Other leases wait meanwhile, so long results should be read in pages.
        """
        reading, self.generation = self._source.read(query)
        self._token = reading.token
        return reading

    def changed(self) -> bool:
        """Return whether anything may have been committed since this lease's last read."""
        return self._source.changed_since(self._token)

    def close(self) -> None:
        """Return the lease; the last one removes the private copy."""
        if not self._closed:
            self._closed = True
            self._source.release()
