"""The zero-touch reader: committed content of a database that others write, without their notice.

It takes no lock on a watched file, writes nothing in its folder, and keeps no connection. A look
before and one after enclose every read; only if nothing moved in between is the answer given.
Where the file alone does not hold the content (a log, a journal), a private copy is read.

Weaker where the system cannot say who holds locks (see `locks`): a writer that keeps its journal in
memory could then be read between two of its writes, if it pauses there longer than a clock tick.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Generic, NamedTuple, Self, TypeVar

from inspector.model.clock import Clock, system_clock
from inspector.model.store import Health
from inspector.store import files, routes, unavailable
from inspector.store.fingerprint import (
    HEAD_SIZE,
    MAGIC,
    WAL_HEAD_SIZE,
    Look,
    WalGeneration,
    generation_of,
    look,
    mark_from,
)
from inspector.store.private import PrivateRoom
from inspector.store.routes import Answer, Query, Route
from inspector.store.unavailable import StoreUnavailable
from inspector.store.wal import WalImage, content_key_of


class _Traits(NamedTuple):
    """What only a replacement, a VACUUM, a restore or a change of the schema alters."""

    identity: tuple[int, int]
    birth: int
    page_size: bytes
    schema: bytes
    encoding_and_version: bytes
    application: bytes


@dataclass(slots=True)
class Lineage:
    """Counts the generations of one path's content from 1; 0 before the first.

    The signs (SQLite file format, section 1.3): another file; another schema cookie, which VACUUM
    and the backup API raise as every change of the schema does; another page size, encoding or
    version of the application; a change counter that went back, as after a copy over the file; a
    file that lost pages although it does not vacuum itself.
    """

    generation: int = 0
    _traits: _Traits | None = None
    _counter: int = 0
    _pages: int = 0

    def note(self, identity: tuple[int, int], birth: int, head: bytes) -> None:
        """Takes in the header (100 bytes) of content that was accepted."""
        traits = _Traits(identity, birth, head[16:18], head[40:48], head[56:64], head[68:72])
        counter = int.from_bytes(head[24:28], "big")
        pages = int.from_bytes(head[28:32], "big")
        vacuums_itself = any(head[52:56])
        went_back = (counter - self._counter) & 0xFFFFFFFF >= 1 << 31
        shrank = pages < self._pages and not vacuums_itself
        if traits != self._traits or went_back or shrank:
            self.generation += 1
        self._traits, self._counter, self._pages = traits, counter, pages


@dataclass(frozen=True, slots=True)
class ReadBudget:
    """Times in ms. A read gives up as busy after `total_ms`, but never before a third try."""

    total_ms: float = 1000
    journal_waits: int = 8
    journal_wait_ms: float = 3
    """A commit in flight normally ends within these waits."""
    racy_ms: float = 25
    """Waiting for the clock that stamps files to move on; beyond it the file is read twice."""
    first_pause_ms: float = 2
    longest_pause_ms: float = 250
    read_twice_at_once_bytes: int = 4 << 20
    """Up to this size reading twice is cheaper than waiting."""
    read_twice_bytes: int = 64 << 20
    """The largest file that is read twice at all."""


_FEWEST_TRIES = 3
_GROWTH = 1.6


class RetryPolicy:
    """What one read has spent."""

    def __init__(self, budget: ReadBudget) -> None:
        self._budget = budget
        self._deadline = time.monotonic() + budget.total_ms / 1000
        self._tries = 0
        self._pause = budget.first_pause_ms / 1000
        self._journal_waits = budget.journal_waits
        self._racy = budget.racy_ms / 1000
        self.prefers_copy = False
        """A query that takes longer than copying the file had the file moved under it."""
        self.may_copy = True
        """Whether there is room for copies that could also be done without."""

    def waits_for_commit(self) -> bool:
        """Waits a moment for a transaction to end; False when that was done often enough."""
        if self._journal_waits <= 0:
            return False
        self._journal_waits -= 1
        self._wait(self._budget.journal_wait_ms / 1000)
        return True

    def waits_for_tick(self, needed_ns: int) -> bool:
        """Waits until a modification time is old enough; False when that takes too long."""
        needed = needed_ns / 1e9
        if needed > self._racy:
            return False
        self._racy -= needed
        self._wait(needed)
        return True

    def tries_again(self) -> bool:
        """Waits a little longer than the last time; False when the time is over."""
        self._tries += 1
        left = self._deadline - time.monotonic()
        if left <= 0 and self._tries >= _FEWEST_TRIES:
            return False
        time.sleep(max(0.0, min(self._pause, left)))
        self._pause = min(self._pause * _GROWTH, self._budget.longest_pause_ms / 1000)
        return True

    def _wait(self, seconds: float) -> None:
        self._deadline += seconds
        time.sleep(seconds)


@dataclass(frozen=True, slots=True)
class Token:
    """Equal tokens, equal content of one database; different ones may still be the same.

    `last_write_ms` is when the database, its journal or its log was last written (UTC ms); it takes
    no part in the comparison.
    """

    key: tuple[object, ...]
    last_write_ms: int = field(compare=False)


def token(seen: Look, key: tuple[object, ...]) -> Token:
    """The token of content that `key` identifies."""
    return Token(key, seen.last_write_ms)


def unique_token(seen: Look) -> Token:
    """A token that never equals another, for content that may still move."""
    return Token((secrets.token_bytes(16),), seen.last_write_ms)


def plain_token(seen: Look) -> Token:
    """The token of content that no log covers."""
    unjournalled = seen.being_written and seen.journal_idle
    if seen.racy_for_ns or unjournalled:
        return unique_token(seen)
    return token(seen, (seen.db, seen.birth, seen.head, seen.journal_key))


__all__ = ["ReadBudget", "Reading", "Route", "StoreUnavailable", "Token", "ZeroTouchReader"]

T = TypeVar("T")

_HIGHEST_FORMAT = 2
_BROKEN = {
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CANTOPEN,
}


@dataclass(frozen=True, slots=True)
class Reading(Generic[T]):
    """What a query gave, and of which content."""

    value: T
    token: Token
    route: Route


class _Accepted(NamedTuple):
    seen: Look
    token: Token
    route: Route


class ZeroTouchReader:
    """Reads one database, one thread at a time. Links in `path` are followed at every read.

    Private copies go to `private_root` alone when it is given. `trace` is called with the name of
    each step before it is taken. Close the reader to remove its private copies.
    """

    def __init__(
        self,
        path: str,
        *,
        private_root: str | None = None,
        budget: ReadBudget = ReadBudget(),
        clock: Clock | None = None,
        trace: Callable[[str], None] = lambda step: None,
    ) -> None:
        self.path = os.path.abspath(path)
        self._real = self.path
        self._budget = budget
        self._clock = clock or system_clock()
        self.trace = trace
        self._room = PrivateRoom(private_root)
        self._wal = WalImage(self._real, self._room, self._step)
        self._lineage = Lineage()
        self._last: _Accepted | None = None
        self._settled = False
        self._trouble: tuple[Health, int] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Removes the private copies; another read would make them anew."""
        self._wal.drop()
        self._room.close()

    @property
    def identity(self) -> tuple[int, int] | None:
        """Device and inode of the content last read; None before the first read."""
        return self._last.seen.identity if self._last else None

    @property
    def generation(self) -> int:
        """Grows when the content was replaced, restored, vacuumed or given another schema.

        Nothing that was remembered by rowid holds across generations. 0 before the first read.
        """
        return self._lineage.generation

    def read(self, query: Query[T]) -> Reading[T]:
        """Runs `query` on committed content, as often as it takes until nothing moved under it.

        The query must have no effect but its value, and must not keep the connection; to be
        cancelled it may set a progress handler. What it
        raises on content that stood still is raised here, but for damage to the database: that is
        StoreUnavailable (`unreadable`), like every other way to have no answer.
        """
        started = self._clock()
        # Until an answer is accepted nobody can say that there is nothing new.
        self._settled = False
        try:
            reading = self._read(query)
        except StoreUnavailable as error:
            raise self._noted(error, started) from error.__cause__
        except MemoryError:
            raise sqlite3.OperationalError("out of memory") from None
        except sqlite3.DatabaseError as error:
            if not _is_broken(error):
                raise
            raise self._noted(unavailable.unreadable(f"SQLite says: {error}"), started) from error
        self._trouble = None
        return reading

    def changed(self) -> bool:
        """False only if nothing was committed since the last accepted read (10 to 25 us)."""
        last = self._last
        if last is None or not self._settled:
            return True
        try:
            status = os.stat(self.path)
            if last.route == "wal":
                there = status.st_dev, status.st_ino
                return there != last.seen.identity or self._wal.changed()
            return mark_from(status) != last.seen.db or self._moved_beside(last.seen)
        except (OSError, files.NotRegular):
            return True

    def content_token(self) -> Token:
        """The token of the content there is now, from a look alone; raises StoreUnavailable.

        Taken within a clock tick of a write it is equal to no other.
        """
        started = self._clock()
        try:
            seen = self._look()
            self._check(seen)
            if self._last is not None and not self.changed():
                return replace(self._last.token, last_write_ms=seen.last_write_ms)
            if not _covered_by_log(seen):
                return plain_token(seen)
            try:
                return token(seen, content_key_of(self._real, seen))
            except files.Moved:
                return unique_token(seen)
        except StoreUnavailable as error:
            raise self._noted(error, started) from error.__cause__

    def _read(self, query: Query[T]) -> Reading[T]:
        pace = RetryPolicy(self._budget)
        while True:
            seen = self._settled_look(pace)
            try:
                answer = self._attempt(seen, query, pace)
            except (files.Moved, files.NotRegular):
                # The next look says what has become of the files.
                answer = None
            if answer is not None:
                return self._accept(seen, answer)
            if not pace.tries_again():
                raise _busy(seen)

    def _accept(self, seen: Look, answer: Answer[T]) -> Reading[T]:
        if answer.route == "wal":
            accepted = token(seen, self._wal.content_key())
        else:
            accepted = plain_token(seen)
        self._last = _Accepted(seen, accepted, answer.route)
        self._settled = answer.route == "wal" or not seen.racy_for_ns
        self._lineage.note(seen.identity, seen.birth, answer.head)
        return Reading(answer.value, accepted, answer.route)

    def _attempt(self, seen: Look, query: Query[T], pace: RetryPolicy) -> Answer[T] | None:
        if _covered_by_log(seen):
            return self._from_log(seen, query)
        self._wal.drop()
        if seen.journal_hot:
            if seen.racy_for_ns:
                return None
            size = sum(mark.size for mark in (seen.db, seen.journal, seen.wal) if mark)
            target = self._room.path("copy", size)
            return routes.from_journal(self._real, seen, query, self._calm, target)
        if _written_without_journal(seen):
            return None
        if seen.racy_for_ns or (pace.prefers_copy and pace.may_copy):
            return self._from_copy(seen, query, pace)
        self.trace("query")
        try:
            return routes.in_place(self._real, seen, query, self._calm)
        except routes.TooSlow:
            pace.prefers_copy = True
            return None

    def _from_copy(self, seen: Look, query: Query[T], pace: RetryPolicy) -> Answer[T] | None:
        if seen.racy_for_ns and seen.db.size > self._budget.read_twice_bytes:
            return None
        try:
            target = self._room.path("copy", seen.db.size)
        except StoreUnavailable:
            # Time will do as well: a file at rest grows old enough to be read in place.
            pace.may_copy = False
            return None
        return routes.from_copy(self._real, seen, query, self._calm, target)

    def _from_log(self, seen: Look, query: Query[T]) -> Answer[T] | None:
        with routes.copying():
            if not self._wal.refresh(seen, self._generation_holds):
                return None
        self.trace("query")
        return routes.query_copy(self._wal.path, query, "wal")

    def _step(self, name: str) -> None:
        self.trace(name)

    # The looks. A reader without the second kind would be wrong, which the tests show.

    def _calm(self, seen: Look) -> bool:
        self.trace("look-b")
        try:
            again = look(self._real, time.time_ns())
        except (OSError, files.NotRegular):
            return False
        if again is None or again.calm != seen.calm:
            return False
        return not seen.journal_hot or again.generation == seen.generation

    def _generation_holds(self, generation: WalGeneration) -> bool:
        self.trace("look-b")
        try:
            return generation_of(self._real) == generation
        except (OSError, files.NotRegular):
            return False

    def _settled_look(self, pace: RetryPolicy) -> Look:
        while True:
            seen = self._look()
            self._check(seen)
            if _covered_by_log(seen):
                return seen
            unfinished = seen.journal_hot or _written_without_journal(seen)
            if unfinished and pace.waits_for_commit():
                continue
            small = seen.db.size <= self._budget.read_twice_at_once_bytes
            twice = small and pace.may_copy and not seen.journal_hot
            if not twice and seen.racy_for_ns and pace.waits_for_tick(seen.racy_for_ns):
                continue
            return seen

    def _look(self) -> Look:
        self.trace("look")
        try:
            seen = self._look_at_target()
        except files.NotRegular as error:
            raise unavailable.unreadable(self._misplaced(error)) from error
        except PermissionError as error:
            raise unavailable.denied(self._name_of(str(error.filename))) from error
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise unavailable.unreadable(f"the path cannot be followed: {why}") from error
        if seen is None:
            raise unavailable.gone()
        return seen

    def _look_at_target(self) -> Look | None:
        try:
            target = os.stat(self.path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        try:
            seen = look(self._real, time.time_ns())
        except files.NotRegular:
            if not self._follow_links():
                raise
            seen = None
        if seen is None or seen.identity != (target.st_dev, target.st_ino):
            self._follow_links()
            seen = look(self._real, time.time_ns())
        return seen

    def _follow_links(self) -> bool:
        """Resolves the path anew; tells whether that leads to another place."""
        real = os.path.realpath(self.path)
        if real == self._real:
            return False
        self._wal.drop()
        self._real = real
        self._wal = WalImage(real, self._room, self._step)
        return True

    def _check(self, seen: Look) -> None:
        if seen.db.size == 0:
            raise unavailable.empty()
        if seen.head.startswith(MAGIC) and len(seen.head) == HEAD_SIZE:
            if (newest := max(seen.head[18:20])) > _HIGHEST_FORMAT:
                raise unavailable.unsupported(newest)
            return
        if not (seen.has_wal or seen.journal_hot or seen.being_written):
            raise unavailable.unreadable("this file is not a database that SQLite wrote")

    def _moved_beside(self, seen: Look) -> bool:
        if _size_of(self._real + "-wal") >= WAL_HEAD_SIZE and not seen.has_wal:
            return True
        if not seen.journal_hot:
            return False
        again = look(self._real, time.time_ns())
        return again is None or again.calm != seen.calm

    def _noted(self, error: StoreUnavailable, started: int) -> StoreUnavailable:
        if self._trouble is None or self._trouble[0] != error.health:
            self._trouble = error.health, started
        since = self._trouble[1]
        reason = error.reason
        if error.health is Health.BUSY and (seconds := (self._clock() - since) // 1000) > 0:
            reason += f" for {seconds} s" if seconds < 120 else f" for {seconds // 60} min"
        return StoreUnavailable(error.health, reason, since)

    def _misplaced(self, error: files.NotRegular) -> str:
        if error.path == self._real:
            return f"this is {error.kind}, not a database file"
        return f"{self._name_of(error.path)} is {error.kind}, not a file"

    def _name_of(self, path: str) -> str:
        names = {"-wal": "the database's write-ahead log", "-journal": "the database's journal"}
        return names.get(path.removeprefix(self._real), "the database")


def _covered_by_log(seen: Look) -> bool:
    return seen.has_wal and not seen.journal_hot


def _written_without_journal(seen: Look) -> bool:
    return bool(seen.being_written) and seen.journal_idle and not seen.has_wal


def _size_of(path: str) -> int:
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0


def _busy(seen: Look) -> StoreUnavailable:
    if seen.journal_hot or _written_without_journal(seen):
        return unavailable.busy("a writer has held the database")
    return unavailable.busy("the database has changed faster than it can be read")


def _is_broken(error: sqlite3.DatabaseError) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _BROKEN
