"""Routes to committed content: in place, from a copy, from a copy with its journal rolled back.

Each takes a state (`seen`) and `unchanged`, which tests that nothing changed since; it returns None
or raises Moved if something did. `read` chooses the route.
"""

from __future__ import annotations

import os
import sqlite3
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, Literal, NamedTuple, TypeVar

from inspector.store import connections, files, unavailable
from inspector.store.fingerprint import HEAD_SIZE, FileState, mark_of

_MAGIC = bytes.fromhex("d9d505f920a163d7")
_TAIL = struct.Struct(">II8s")
_MAX_NAME = 4096


def copy_with_journal(seen: FileState, path: str, target: str) -> None:
    """Copies the database, then its companions, to a private path; raises Moved.

    The order matters: a page is written only after the journal has its old content, so a journal
    copied later undoes all changes in the copy of the database.
    """
    connections.remove(target)
    with _open(path) as source:
        if mark_of(source)[:2] != seen.identity:
            raise files.Moved(path)
        files.copy_out(source, target)
    for suffix in ("-journal", "-wal") if seen.has_wal else ("-journal",):
        with _open(path + suffix) as source:
            files.copy_out(source, target + suffix)
    _forget_super_journal(target + "-journal")


@contextmanager
def _open(path: str) -> Iterator[int]:
    fd = files.open_regular(path)
    if fd is None:
        raise files.Moved(path)
    try:
        yield fd
    finally:
        os.close(fd)


def _forget_super_journal(journal: str) -> None:
    fd = os.open(journal, os.O_RDWR | os.O_CLOEXEC)
    try:
        name = super_journal(fd)
        if name is None:
            return
        if _exists(name):
            os.ftruncate(fd, os.fstat(fd).st_size - len(_MAGIC))
            return
    finally:
        os.close(fd)
    # Without its super-journal the transaction is complete and the journal is void.
    files.unlink(journal)


def super_journal(fd: int) -> bytes | None:
    """Returns the super-journal named at the end of an open journal, or None."""
    size = os.fstat(fd).st_size
    if size < _TAIL.size:
        return None
    length, checksum, magic = _TAIL.unpack(files.read_at(fd, _TAIL.size, size - _TAIL.size))
    if magic != _MAGIC or not 0 < length <= min(_MAX_NAME, size - _TAIL.size):
        return None
    name = files.read_at(fd, length, size - _TAIL.size - length)
    # SQLite sums signed characters.
    total = sum(byte - 256 if byte > 127 else byte for byte in name) & 0xFFFFFFFF
    return name if total == checksum and b"\0" not in name else None


def _exists(name: bytes) -> bool:
    if not os.path.isabs(name):
        return False
    try:
        return os.stat(name).st_size > 0
    except OSError:
        return False


T = TypeVar("T")
Query = Callable[[sqlite3.Connection], T]
Unchanged = Callable[[FileState], bool]
Route = Literal["immutable", "image", "wal"]
"""In place; from a copy made for this read; from the image kept for a log."""

_COPY_BYTES_PER_S = 1e9
_COPY_START_S = 0.002
_COMPARED_BYTES = 1 << 20


class Answer(NamedTuple, Generic[T]):
    """The value of a query, the header of the content it read, and the route."""

    value: T
    head: bytes
    route: Route


class TooSlow(Exception):
    """The file changed during a query that took longer than copying the file."""


def in_place(path: str, seen: FileState, query: Query[T], unchanged: Unchanged) -> Answer[T] | None:
    """Reads the watched file itself; raises TooSlow if a copy would be better."""
    started = time.monotonic()
    try:
        with connections.reading(path) as connection:
            value = query(connection)
    except Exception:
        # An error of the query only counts if the content did not change.
        if unchanged(seen):
            raise
    else:
        if unchanged(seen):
            return Answer(value, seen.head, "immutable")
    if time.monotonic() - started > _COPY_START_S + seen.db.size / _COPY_BYTES_PER_S:
        raise TooSlow
    return None


def from_copy(
    path: str, seen: FileState, query: Query[T], unchanged: Unchanged, target: str
) -> Answer[T] | None:
    """Copies the file and reads the copy.

    If the modification time is too recent to be reliable, compares the file with the copy: equal
    content, with the same state before, between and after, is the content at the middle state.
    """
    try:
        with copying(), _opened(path, seen) as source:
            files.copy_out(source, target)
            if not unchanged(seen):
                return None
            if seen.racy_for_ns and not (_equals(source, target) and unchanged(seen)):
                return None
        return query_copy(target, query, "image")
    finally:
        connections.remove(target)


def from_journal(
    path: str, seen: FileState, query: Query[T], unchanged: Unchanged, target: str
) -> Answer[T] | None:
    """Copies the file with its hot journal and lets SQLite roll back."""
    try:
        with copying():
            copy_with_journal(seen, path, target)
        if not unchanged(seen):
            return None
        connections.recover(target)
        if os.path.getsize(target) == 0:
            raise unavailable.empty()
        return query_copy(target, query, "image")
    finally:
        connections.remove(target)


def query_copy(path: str, query: Query[T], route: Route) -> Answer[T]:
    """Reads a private copy."""
    try:
        with open(path, "rb") as file:
            head = file.read(HEAD_SIZE)
        with connections.reading(path) as connection:
            return Answer(query(connection), head, route)
    except (FileNotFoundError, sqlite3.OperationalError) as error:
        # Systems remove a user's memory files when the last session ends.
        if os.path.exists(path):
            raise
        raise files.Moved(path) from error


@contextmanager
def copying() -> Iterator[None]:
    """Converts errors of copying to Moved or StoreUnavailable."""
    try:
        yield
    except FileNotFoundError as error:
        raise files.Moved(str(error.filename)) from error
    except OSError as error:
        why = error.strerror or "no reason given"
        raise unavailable.unreadable(f"it could not be copied: {why}") from error


@contextmanager
def _opened(path: str, seen: FileState) -> Iterator[int]:
    source = files.open_regular(path)
    if source is None:
        raise files.Moved(path)
    try:
        if mark_of(source)[:2] != seen.identity:
            raise files.Moved(path)
        yield source
    finally:
        os.close(source)


def _equals(source: int, path: str) -> bool:
    offset = 0
    with open(path, "rb") as copy:
        while True:
            part = copy.read(_COMPARED_BYTES)
            if files.read_at(source, _COMPARED_BYTES, offset) != part:
                return False
            if not part:
                return True
            offset += len(part)
