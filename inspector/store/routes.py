"""The ways to committed content: in place, from a copy, from a copy with its journal played back.

Each takes a look (`seen`) and `calm`, which looks again and tells whether nothing moved; it gives
None, or raises Moved, when something did. Which way to take is decided in `read`.
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
from inspector.store.fingerprint import HEAD_SIZE, Look, mark_of

_MAGIC = bytes.fromhex("d9d505f920a163d7")
_TAIL = struct.Struct(">II8s")
_LONGEST_NAME = 4096


def copy_with_journal(seen: Look, path: str, target: str) -> None:
    """Copies the database, then what lies beside it, to a private path; raises Moved.

    The order matters: a page is only written after the journal holds its old content, so a journal
    copied later undoes all that the copy of the database may hold.
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
        if _stands(name):
            os.ftruncate(fd, os.fstat(fd).st_size - len(_MAGIC))
            return
    finally:
        os.close(fd)
    # Without its super-journal the transaction is complete, and the journal no longer counts.
    files.unlink(journal)


def super_journal(fd: int) -> bytes | None:
    """The super-journal that an open journal names at its end, or None."""
    size = os.fstat(fd).st_size
    if size < _TAIL.size:
        return None
    length, checksum, magic = _TAIL.unpack(files.read_at(fd, _TAIL.size, size - _TAIL.size))
    if magic != _MAGIC or not 0 < length <= min(_LONGEST_NAME, size - _TAIL.size):
        return None
    name = files.read_at(fd, length, size - _TAIL.size - length)
    # SQLite sums signed characters.
    total = sum(byte - 256 if byte > 127 else byte for byte in name) & 0xFFFFFFFF
    return name if total == checksum and b"\0" not in name else None


def _stands(name: bytes) -> bool:
    if not os.path.isabs(name):
        return False
    try:
        return os.stat(name).st_size > 0
    except OSError:
        return False


T = TypeVar("T")
Query = Callable[[sqlite3.Connection], T]
Calm = Callable[[Look], bool]
Route = Literal["immutable", "image", "wal"]
"""In place; from a copy made for this read; from the image kept for a log."""

_COPY_BYTES_PER_S = 1e9
_COPY_START_S = 0.002
_COMPARED_BYTES = 1 << 20


class Answer(NamedTuple, Generic[T]):
    """What a query gave, the header of the content it saw, and the way there."""

    value: T
    head: bytes
    route: Route


class TooSlow(Exception):
    """The file moved under a query that took longer than copying the file would."""


def in_place(path: str, seen: Look, query: Query[T], calm: Calm) -> Answer[T] | None:
    """Reads the watched file itself; raises TooSlow when a copy is worth its price."""
    started = time.monotonic()
    try:
        with connections.reading(path) as connection:
            value = query(connection)
    except Exception:
        # What a query raises counts only if the content stood still.
        if calm(seen):
            raise
    else:
        if calm(seen):
            return Answer(value, seen.head, "immutable")
    if time.monotonic() - started > _COPY_START_S + seen.db.size / _COPY_BYTES_PER_S:
        raise TooSlow
    return None


def from_copy(path: str, seen: Look, query: Query[T], calm: Calm, target: str) -> Answer[T] | None:
    """Copies the file and reads the copy.

    With a modification time too young to be trusted the file is read a second time: what was equal
    twice, with nothing moved before, between and after, is the content at the middle look.
    """
    try:
        with copying(), _opened(path, seen) as source:
            files.copy_out(source, target)
            if not calm(seen):
                return None
            if seen.racy_for_ns and not (_equals(source, target) and calm(seen)):
                return None
        return query_copy(target, query, "image")
    finally:
        connections.remove(target)


def from_journal(
    path: str, seen: Look, query: Query[T], calm: Calm, target: str
) -> Answer[T] | None:
    """Copies the file with its hot journal and lets SQLite undo what was not committed."""
    try:
        with copying():
            copy_with_journal(seen, path, target)
        if not calm(seen):
            return None
        connections.recover(target)
        if os.path.getsize(target) == 0:
            raise unavailable.empty()
        return query_copy(target, query, "image")
    finally:
        connections.remove(target)


def query_copy(path: str, query: Query[T], route: Route) -> Answer[T]:
    """Reads a private copy that stands alone."""
    try:
        with open(path, "rb") as file:
            head = file.read(HEAD_SIZE)
        with connections.reading(path) as connection:
            return Answer(query(connection), head, route)
    except (FileNotFoundError, sqlite3.OperationalError) as error:
        # Systems clear away what a user left in memory when the last session ends.
        if os.path.exists(path):
            raise
        raise files.Moved(path) from error


@contextmanager
def copying() -> Iterator[None]:
    """Turns what the system says against copying into what a reader can act on."""
    try:
        yield
    except FileNotFoundError as error:
        raise files.Moved(str(error.filename)) from error
    except OSError as error:
        why = error.strerror or "no reason given"
        raise unavailable.unreadable(f"it could not be copied: {why}") from error


@contextmanager
def _opened(path: str, seen: Look) -> Iterator[int]:
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
