"""The zero-touch reader: reads committed content of a database while others write it.

Takes no lock on a watched file, writes nothing in its folder and keeps no connection. If the file
state before and after a read differs, the answer is discarded. If the file alone does not have the
content (a log, a journal), reads a private copy.

Weaker if the system cannot report locks (`fingerprint`): a writer with its journal in memory could
be read between two of its writes if it pauses longer than a clock tick.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Generic, NamedTuple, Self, TypeVar

from inspector.config.log import debug
from inspector.model.clock import Clock, system_clock
from inspector.model.store import Health
from inspector.store import files, routes, unavailable
from inspector.store.fingerprint import (
    HEAD_SIZE,
    MAGIC,
    WAL_HEAD_SIZE,
    FileState,
    WalGeneration,
    file_state,
    generation_of,
    mark_from,
)
from inspector.store.private import PrivateRoom
from inspector.store.routes import Answer, Query, Route
from inspector.store.unavailable import StoreUnavailable
from inspector.store.wal import WalImage, content_key_of


class _Traits(NamedTuple):
    """Properties that only a replacement, a VACUUM, a restore or a schema change alters."""

    identity: tuple[int, int]
    birth: int
    page_size: bytes
    schema: bytes
    encoding_and_version: bytes
    application: bytes


@dataclass(slots=True)
class ContentGeneration:
    """Counts generations of content, across which row ids are not valid; 0 before the first.

    A generation starts with (SQLite file format, section 1.3): another file; another schema cookie,
    which VACUUM, the backup API and schema changes increment; another page size, encoding or
    application version; a lower change counter, as after a copy over the file; fewer pages without
    auto-vacuum.
    """

    number: int = 0
    _traits: _Traits | None = None
    _counter: int = 0
    _pages: int = 0

    def update(self, identity: tuple[int, int], birth: int, head: bytes) -> None:
        """Records the header (100 bytes) of accepted content."""
        traits = _Traits(identity, birth, head[16:18], head[40:48], head[56:64], head[68:72])
        counter = int.from_bytes(head[24:28], "big")
        pages = int.from_bytes(head[28:32], "big")
        vacuums_itself = any(head[52:56])
        went_back = (counter - self._counter) & 0xFFFFFFFF >= 1 << 31
        shrank = pages < self._pages and not vacuums_itself
        if traits != self._traits or went_back or shrank:
            self.number += 1
        self._traits, self._counter, self._pages = traits, counter, pages


@dataclass(frozen=True, slots=True)
class ReadBudget:
    """Times in ms. A read gives up as busy after `total_ms`, but not before the third attempt."""

    total_ms: float = 1000
    journal_waits: int = 8
    journal_wait_ms: float = 3
    """A commit normally ends within these waits."""
    tick_ms: float = 25
    """Maximum wait for the clock of file times; beyond, the file is read twice."""
    first_pause_ms: float = 2
    longest_pause_ms: float = 250
    reread_small_bytes: int = 4 << 20
    """Up to this size reading twice is cheaper than waiting."""
    reread_bytes: int = 64 << 20
    """Largest file that is read twice."""


_MIN_ATTEMPTS = 3
_GROWTH = 1.6


class RetryPolicy:
    """Attempts and waits of one read."""

    def __init__(self, budget: ReadBudget) -> None:
        self._budget = budget
        self._deadline = time.monotonic() + budget.total_ms / 1000
        self._attempts = 0
        self._pause = budget.first_pause_ms / 1000
        self._journal_waits = budget.journal_waits
        self._tick = budget.tick_ms / 1000
        self.prefers_copy = False
        """Set after a slow query was invalidated: copy the file first next time."""
        self.may_copy = True
        """False if there is no room for optional copies."""

    def wait_for_commit(self) -> bool:
        """Waits briefly for a transaction to end; False if the waits are used up."""
        if self._journal_waits <= 0:
            return False
        self._journal_waits -= 1
        self._wait(self._budget.journal_wait_ms / 1000)
        return True

    def wait_for_tick(self, needed_ns: int) -> bool:
        """Waits until a modification time is old enough; False if that takes too long."""
        needed = needed_ns / 1e9
        if needed > self._tick:
            return False
        self._tick -= needed
        self._wait(needed)
        return True

    def wait_to_retry(self) -> bool:
        """Waits longer than the last time; False if the time is used up."""
        self._attempts += 1
        left = self._deadline - time.monotonic()
        if left <= 0 and self._attempts >= _MIN_ATTEMPTS:
            return False
        time.sleep(max(0.0, min(self._pause, left)))
        self._pause = min(self._pause * _GROWTH, self._budget.longest_pause_ms / 1000)
        return True

    def _wait(self, seconds: float) -> None:
        self._deadline += seconds
        time.sleep(seconds)


@dataclass(frozen=True, slots=True)
class Token:
    """Equal tokens mean equal content of one database; different ones may, too.

    `last_write_ms` is the last write to the database, its journal or its log (UTC ms); it is not
    compared.
    """

    key: tuple[object, ...]
    last_write_ms: int = field(compare=False)


def token(seen: FileState, key: tuple[object, ...]) -> Token:
    """Returns the token of content with this key."""
    return Token(key, seen.last_write_ms)


def unique_token(seen: FileState) -> Token:
    """Returns a token that equals no other, for content that may still change."""
    return Token((os.urandom(16),), seen.last_write_ms)


def plain_token(seen: FileState) -> Token:
    """Returns the token of content without a log."""
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
    """The value of a query, and the content it was read from."""

    value: T
    token: Token
    route: Route


class _Accepted(NamedTuple):
    seen: FileState
    token: Token
    route: Route


class ZeroTouchReader:
    """Reads one database, for one thread at a time. Follows links in `path` at every read.

    Private copies go to `private_root` if given. `trace` receives the name of each step before it.
    Close the reader to remove its private copies.
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
        self._generation = ContentGeneration()
        self._last: _Accepted | None = None
        self._is_settled = False
        self._unavailable_since: tuple[Health, int] | None = None

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
        """Removes the private copies; a later read creates them again."""
        self._wal.drop()
        self._room.close()

    @property
    def identity(self) -> tuple[int, int] | None:
        """Device and inode of the content last read; None before the first read."""
        return self._last.seen.identity if self._last else None

    @property
    def generation(self) -> int:
        """Incremented when the content was replaced, restored, vacuumed or got another schema.

        Row ids are not valid across generations. 0 before the first read.
        """
        return self._generation.number

    def read(self, query: Query[T]) -> Reading[T]:
        """Runs `query` on committed content, repeatedly until the content did not change.

        The query must have no side effects and must not keep the connection; it may set a progress
        handler to be cancellable. Its exceptions are raised here if the content did not change,
        except that damage to the database becomes StoreUnavailable (`unreadable`), like any other
        reason to have no answer.
        """
        started = self._clock()
        # Until an answer is accepted, `changed` must return True.
        self._is_settled = False
        try:
            reading = self._read(query)
        except StoreUnavailable as error:
            raise self._with_since(error, started) from error.__cause__
        except MemoryError:
            raise sqlite3.OperationalError("out of memory") from None
        except sqlite3.DatabaseError as error:
            if not _is_broken(error):
                raise
            raise self._with_since(
                unavailable.unreadable(f"SQLite says: {error}"), started
            ) from error
        self._unavailable_since = None
        return reading

    def changed(self) -> bool:
        """Returns False only if nothing was committed since the last read; takes 10 to 25 us."""
        last = self._last
        if last is None or not self._is_settled:
            return True
        try:
            status = os.stat(self.path)
            if last.route == "wal":
                there = status.st_dev, status.st_ino
                return there != last.seen.identity or self._wal.changed()
            return mark_from(status) != last.seen.db or self._companions_changed(last.seen)
        except (OSError, files.NotRegular):
            return True

    def content_token(self) -> Token:
        """Returns the token of the current content from the file state; raises StoreUnavailable.

        Within a clock tick of a write it equals no other.
        """
        started = self._clock()
        try:
            seen = self._state()
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
            raise self._with_since(error, started) from error.__cause__

    def _read(self, query: Query[T]) -> Reading[T]:
        policy = RetryPolicy(self._budget)
        while True:
            seen = self._settled_state(policy)
            try:
                answer = self._attempt(seen, query, policy)
            except (files.Moved, files.NotRegular):
                # Find out with the next state.
                answer = None
            if answer is not None:
                return self._accept(seen, answer)
            if not policy.wait_to_retry():
                debug("read: busy: %s", self.path)
                raise _busy(seen)

    def _accept(self, seen: FileState, answer: Answer[T]) -> Reading[T]:
        if answer.route == "wal":
            accepted = token(seen, self._wal.content_key())
        else:
            accepted = plain_token(seen)
        self._last = _Accepted(seen, accepted, answer.route)
        self._is_settled = answer.route == "wal" or not seen.racy_for_ns
        self._generation.update(seen.identity, seen.birth, answer.head)
        return Reading(answer.value, accepted, answer.route)

    def _attempt(self, seen: FileState, query: Query[T], policy: RetryPolicy) -> Answer[T] | None:
        if _covered_by_log(seen):
            return self._from_log(seen, query)
        self._wal.drop()
        if seen.journal_hot:
            if seen.racy_for_ns:
                return None
            size = sum(mark.size for mark in (seen.db, seen.journal, seen.wal) if mark)
            target = self._room.path("copy", size)
            return routes.from_journal(self._real, seen, query, self._unchanged, target)
        if _written_without_journal(seen):
            return None
        if seen.racy_for_ns or (policy.prefers_copy and policy.may_copy):
            return self._from_copy(seen, query, policy)
        self.trace("query")
        try:
            return routes.in_place(self._real, seen, query, self._unchanged)
        except routes.TooSlow:
            policy.prefers_copy = True
            return None

    def _from_copy(self, seen: FileState, query: Query[T], policy: RetryPolicy) -> Answer[T] | None:
        if seen.racy_for_ns and seen.db.size > self._budget.reread_bytes:
            return None
        try:
            target = self._room.path("copy", seen.db.size)
        except StoreUnavailable:
            # Waiting works too: once old enough, the file can be read in place.
            policy.may_copy = False
            return None
        return routes.from_copy(self._real, seen, query, self._unchanged, target)

    def _from_log(self, seen: FileState, query: Query[T]) -> Answer[T] | None:
        with routes.copying():
            if not self._wal.refresh(seen, self._generation_holds):
                return None
        self.trace("query")
        return routes.query_copy(self._wal.path, query, "wal")

    def _step(self, name: str) -> None:
        self.trace(name)

    # File states. Without the second one a reader would be wrong, as the tests show.

    def _unchanged(self, seen: FileState) -> bool:
        self.trace("look-b")
        try:
            again = file_state(self._real, time.time_ns())
        except (OSError, files.NotRegular):
            return False
        if again is None or not seen.is_stable(again):
            return False
        return not seen.journal_hot or again.generation == seen.generation

    def _generation_holds(self, generation: WalGeneration) -> bool:
        self.trace("look-b")
        try:
            return generation_of(self._real) == generation
        except (OSError, files.NotRegular):
            return False

    def _settled_state(self, policy: RetryPolicy) -> FileState:
        while True:
            seen = self._state()
            self._check(seen)
            if _covered_by_log(seen):
                return seen
            unfinished = seen.journal_hot or _written_without_journal(seen)
            if unfinished and policy.wait_for_commit():
                continue
            small = seen.db.size <= self._budget.reread_small_bytes
            twice = small and policy.may_copy and not seen.journal_hot
            if not twice and seen.racy_for_ns and policy.wait_for_tick(seen.racy_for_ns):
                continue
            return seen

    def _state(self) -> FileState:
        self.trace("look")
        try:
            seen = self._state_of_target()
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

    def _state_of_target(self) -> FileState | None:
        try:
            target = os.stat(self.path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        try:
            seen = file_state(self._real, time.time_ns())
        except files.NotRegular:
            if not self._follow_links():
                raise
            seen = None
        if seen is None or seen.identity != (target.st_dev, target.st_ino):
            self._follow_links()
            seen = file_state(self._real, time.time_ns())
        return seen

    def _follow_links(self) -> bool:
        """Resolves the path again; returns True if it leads to another file."""
        real = os.path.realpath(self.path)
        if real == self._real:
            return False
        self._wal.drop()
        self._real = real
        self._wal = WalImage(real, self._room, self._step)
        return True

    def _check(self, seen: FileState) -> None:
        if seen.db.size == 0:
            raise unavailable.empty()
        if seen.head.startswith(MAGIC) and len(seen.head) == HEAD_SIZE:
            if (newest := max(seen.head[18:20])) > _HIGHEST_FORMAT:
                raise unavailable.unsupported(newest)
            return
        if not (seen.has_wal or seen.journal_hot or seen.being_written):
            raise unavailable.unreadable("this file is not a database that SQLite wrote")

    def _companions_changed(self, seen: FileState) -> bool:
        if _size_of(self._real + "-wal") >= WAL_HEAD_SIZE and not seen.has_wal:
            return True
        if not seen.journal_hot:
            return False
        again = file_state(self._real, time.time_ns())
        return again is None or not seen.is_stable(again)

    def _with_since(self, error: StoreUnavailable, started: int) -> StoreUnavailable:
        if self._unavailable_since is None or self._unavailable_since[0] != error.health:
            self._unavailable_since = error.health, started
        since = self._unavailable_since[1]
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


def _covered_by_log(seen: FileState) -> bool:
    return seen.has_wal and not seen.journal_hot


def _written_without_journal(seen: FileState) -> bool:
    return bool(seen.being_written) and seen.journal_idle and not seen.has_wal


def _size_of(path: str) -> int:
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0


def _busy(seen: FileState) -> StoreUnavailable:
    if seen.journal_hot or _written_without_journal(seen):
        return unavailable.busy("a writer has held the database")
    return unavailable.busy("the database has changed faster than it can be read")


def _is_broken(error: sqlite3.DatabaseError) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _BROKEN
