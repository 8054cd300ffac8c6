"""Connections that read, and the private copies that they read from.

A connection is opened for one query and closed with it. It sees a file that does not change: the
watched one between two equal looks, or a private copy.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from operator import methodcaller
from typing import Final
from urllib.parse import quote

from inspector.store import files

SUFFIXES: Final = ("", "-journal", "-wal", "-shm")
"""What SQLite may keep beside a database."""

MOST_MEMORY: Final = 1 << 30
"""Bytes that SQLite may have at once in this process: a view can gather without end in seconds."""
_SETTINGS: Final = (
    f"PRAGMA hard_heap_limit={MOST_MEMORY};"
    "PRAGMA query_only=ON;"
    "PRAGMA trusted_schema=OFF;"
    "PRAGMA cell_size_check=ON;"
    "PRAGMA mmap_size=0;"
    "PRAGMA temp_store=MEMORY;"
)
# What a hostile database could otherwise make us do: huge values, endless programs, other files.
_LIMITS: Final = (
    (sqlite3.SQLITE_LIMIT_LENGTH, 256 << 20),
    (sqlite3.SQLITE_LIMIT_SQL_LENGTH, 1_000_000),
    (sqlite3.SQLITE_LIMIT_COLUMN, 2000),
    (sqlite3.SQLITE_LIMIT_EXPR_DEPTH, 200),
    (sqlite3.SQLITE_LIMIT_COMPOUND_SELECT, 100),
    (sqlite3.SQLITE_LIMIT_VDBE_OP, 1_000_000),
    (sqlite3.SQLITE_LIMIT_FUNCTION_ARG, 100),
    (sqlite3.SQLITE_LIMIT_ATTACHED, 0),
    (sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 10_000),
    (sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH, 1),
    (sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0),
)

_decode = methodcaller("decode", "utf-8", "replace")


def uri(path: str, parameters: str) -> str:
    """An absolute path as an SQLite URI; whatever the path holds, it stays a path."""
    return f"file://{quote(os.fsencode(path))}?{parameters}"


def reading(path: str) -> closing[sqlite3.Connection]:
    """A connection to a file that stands still; it neither locks nor looks for a journal or log.

    Text is decoded as UTF-8 with replacement characters, BLOBs stay bytes.
    """
    connection = sqlite3.connect(uri(path, "mode=ro&immutable=1"), uri=True, isolation_level=None)
    try:
        for limit, value in _LIMITS:
            connection.setlimit(limit, value)
        connection.executescript(_SETTINGS)
        connection.text_factory = _decode
    except BaseException:
        connection.close()
        raise
    return closing(connection)


def recover(path: str) -> int:
    """Lets SQLite play back the journal and the log beside a private copy, into the copy.

    Gives how many frames of the log count (0 without one). Afterwards the copy stands alone.
    Raises sqlite3.Error when it cannot be done.
    """
    connection = sqlite3.connect(uri(path, "mode=rw"), uri=True, isolation_level=None)
    with closing(connection):
        connection.execute("PRAGMA synchronous=OFF")
        connection.execute("PRAGMA trusted_schema=OFF")
        connection.execute("PRAGMA wal_autocheckpoint=0")
        # The first read plays the journal back, or reads the log.
        connection.execute("PRAGMA schema_version").fetchone()
        busy, frames, moved = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        if busy or frames != moved:
            raise sqlite3.DatabaseError("the private copy of the log could not be applied")
    for suffix in SUFFIXES[1:]:
        files.unlink(path + suffix)
    return max(0, int(frames))


def remove(path: str) -> None:
    """Removes a private copy and all that stands beside it."""
    for suffix in SUFFIXES:
        files.unlink(path + suffix)
