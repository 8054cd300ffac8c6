"""The ways to committed content: in place, from a copy, from a copy with its journal played back.

Each takes a look (`seen`) and `calm`, which looks again and tells whether nothing moved; it gives
None, or raises Moved, when something did. Which way to take is decided in `read`.
"""

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, Literal, NamedTuple, TypeVar

from inspector.store import image, raw, unavailable
from inspector.store.fingerprint import HEAD_SIZE, Look, mark_of
from inspector.store.journal import copy_with_journal

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
        with image.reading(path) as connection:
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
            raw.copy_out(source, target)
            if not calm(seen):
                return None
            if seen.racy_for_ns and not (_equals(source, target) and calm(seen)):
                return None
        return query_copy(target, query, "image")
    finally:
        image.remove(target)


def from_journal(
    path: str, seen: Look, query: Query[T], calm: Calm, target: str
) -> Answer[T] | None:
    """Copies the file with its hot journal and lets SQLite undo what was not committed."""
    try:
        with copying():
            copy_with_journal(seen, path, target)
        if not calm(seen):
            return None
        image.recover(target)
        if os.path.getsize(target) == 0:
            raise unavailable.empty()
        return query_copy(target, query, "image")
    finally:
        image.remove(target)


def query_copy(path: str, query: Query[T], route: Route) -> Answer[T]:
    """Reads a private copy that stands alone."""
    try:
        with open(path, "rb") as file:
            head = file.read(HEAD_SIZE)
        with image.reading(path) as connection:
            return Answer(query(connection), head, route)
    except (FileNotFoundError, sqlite3.OperationalError) as error:
        # Systems clear away what a user left in memory when the last session ends.
        if os.path.exists(path):
            raise
        raise raw.Moved(path) from error


@contextmanager
def copying() -> Iterator[None]:
    """Turns what the system says against copying into what a reader can act on."""
    try:
        yield
    except FileNotFoundError as error:
        raise raw.Moved(str(error.filename)) from error
    except OSError as error:
        why = error.strerror or "no reason given"
        raise unavailable.unreadable(f"it could not be copied: {why}") from error


@contextmanager
def _opened(path: str, seen: Look) -> Iterator[int]:
    source = raw.open_regular(path)
    if source is None:
        raise raw.Moved(path)
    try:
        if mark_of(source)[:2] != seen.identity:
            raise raw.Moved(path)
        yield source
    finally:
        os.close(source)


def _equals(source: int, path: str) -> bool:
    offset = 0
    with open(path, "rb") as copy:
        while True:
            part = copy.read(_COMPARED_BYTES)
            if raw.read_at(source, _COMPARED_BYTES, offset) != part:
                return False
            if not part:
                return True
            offset += len(part)
