"""Read-only SQLite connections, and recovery of private copies.

A connection lives for one query. Its file does not change: the watched file between two equal
states, or a private copy.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from operator import methodcaller
from typing import Final

from inspector.store import files

SUFFIXES: Final = ("", "-journal", "-wal", "-shm")
"""Suffixes of SQLite's files beside a database."""

MAX_MEMORY: Final = 1 << 30
"""Memory limit of SQLite in this process: a hostile view can allocate without end."""
_SETTINGS: Final = (
    f"PRAGMA hard_heap_limit={MAX_MEMORY};"
    "PRAGMA query_only=ON;"
    "PRAGMA trusted_schema=OFF;"
    "PRAGMA cell_size_check=ON;"
    "PRAGMA mmap_size=0;"
    "PRAGMA temp_store=MEMORY;"
)
# Limits against hostile databases: huge values, endless programs, other files.
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


_UNQUOTED: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~/")


def _quoted(path: bytes) -> str:
    """Return `urllib.parse.quote(path)`, whose import costs more than reading a run."""
    return "".join(chr(byte) if byte in _UNQUOTED else f"%{byte:02X}" for byte in path)


def uri(path: str, parameters: str) -> str:
    """Formats an absolute path as an SQLite URI, safely quoted."""
    return f"file://{_quoted(os.fsencode(path))}?{parameters}"


def reading(path: str) -> closing[sqlite3.Connection]:
    """Opens a file that does not change, without locks and without its journal or log.

    Text is decoded as UTF-8 with replacement characters; BLOBs stay bytes.
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
    """Applies the journal and the log beside a private copy to it; returns the frames applied.

    The count is 0 without a log. Afterwards the copy is complete by itself. Raises sqlite3.Error.
    """
    connection = sqlite3.connect(uri(path, "mode=rw"), uri=True, isolation_level=None)
    with closing(connection):
        connection.execute("PRAGMA synchronous=OFF")
        connection.execute("PRAGMA trusted_schema=OFF")
        connection.execute("PRAGMA wal_autocheckpoint=0")
        # The first read rolls back the journal, or reads the log.
        connection.execute("PRAGMA schema_version").fetchone()
        busy, frames, moved = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        if busy or frames != moved:
            raise sqlite3.DatabaseError("the private copy of the log could not be applied")
    for suffix in SUFFIXES[1:]:
        files.unlink(path + suffix)
    return max(0, int(frames))


def remove(path: str) -> None:
    """Removes a private copy and the files beside it."""
    for suffix in SUFFIXES:
        files.unlink(path + suffix)
