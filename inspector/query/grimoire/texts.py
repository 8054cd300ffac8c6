"""The text of a ledger's row: its beginning and end for a list, a stretch of it, or the whole.

SQLite would read a value whole to give its first characters; a BLOB handle reads only the pages
that are asked for.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from inspector.query.grimoire.js import Unreadable
from inspector.query.tables import Table, Tables, quoted

EDGE = 512
"""Bytes at either end that are looked at for a list."""
TAIL_WITHIN = 1 << 18
"""The end of a longer text is only read with the whole: to get there every page before it is."""

_FIRST = re.compile(rb'\s*\[\s*\{"id":"[^"\\]*","timestamp":(\d{1,15})[,}]')
_LAST = re.compile(
    rb'\{"id":"[^"\\]*","timestamp":(\d{1,15}),"runId":"[^"\\]*","spellId":"[^"\\]*","event":\{'
)


class Edges(NamedTuple):
    """What a list shows of a ledger: bytes, and the instants of its ends (UTC ms)."""

    size: int
    first_at: int | None
    last_at: int | None


UNKNOWN = Edges(0, None, None)


def edges(
    connection: sqlite3.Connection, tables: Tables, rows: Sequence[int]
) -> Iterator[tuple[int, Edges]]:
    """The ends of these ledgers; instants are None where only a whole reading would tell them."""
    table = tables.get("ledger")
    if table is None or not _has_handles(connection, table):
        return
    for row in rows:
        yield row, _edges(connection, row)


def _edges(connection: sqlite3.Connection, row: int) -> Edges:
    try:
        with connection.blobopen("ledger", "entries", row, readonly=True) as blob:
            size = len(blob)
            head = blob.read(min(EDGE, size))
            tail = b""
            if size <= TAIL_WITHIN:
                begin = max(0, size - 4 * EDGE)
                blob.seek(begin)
                tail = blob.read(size - begin)
    except sqlite3.Error:
        return UNKNOWN
    first, last = _FIRST.match(head), _LAST.findall(tail)
    return Edges(size, None if first is None else int(first[1]), int(last[-1]) if last else None)


def mark(
    connection: sqlite3.Connection, tables: Tables, row: int, length: int
) -> tuple[int, int, bytes]:
    """What tells a ledger's text from another cheaply: its row, its size and its beginning.

    The size is 0 where it cannot be had without reading the whole. Raises Unreadable.
    """
    table = tables.get("ledger")
    if table is None or not _has_handles(connection, table):
        return row, 0, b""
    try:
        with connection.blobopen("ledger", "entries", row, readonly=True) as blob:
            return row, len(blob), blob.read(min(length, len(blob)))
    except sqlite3.OperationalError:
        return row, 0, b""
    except sqlite3.DatabaseError as error:
        raise Unreadable(f"SQLite says: {error}") from None


def whole(connection: sqlite3.Connection, tables: Tables, row: int) -> bytes:
    """The whole text as UTF-8. Raises Unreadable when SQLite does not give it."""
    return _read(connection, tables, row, 0, None)


def stretch(
    connection: sqlite3.Connection, tables: Tables, row: int, start: int, stop: int
) -> bytes:
    """The bytes from `start` to `stop`. Raises Unreadable when SQLite does not give them."""
    return _read(connection, tables, row, start, stop)


def _read(
    connection: sqlite3.Connection, tables: Tables, row: int, start: int, stop: int | None
) -> bytes:
    table = tables.get("ledger")
    if table is None or not table.has("entries"):
        raise Unreadable("the store has no ledger")
    try:
        if _has_handles(connection, table):
            with connection.blobopen("ledger", "entries", row, readonly=True) as blob:
                blob.seek(min(start, len(blob)))
                return blob.read(len(blob) if stop is None else max(0, stop - start))
        return _selected(connection, table, row)[start:stop]
    except sqlite3.OperationalError as error:
        if "cannot open value of type" not in str(error):
            raise Unreadable(f"SQLite says: {error}") from None
        return _selected(connection, table, row)[start:stop]
    except sqlite3.DatabaseError as error:
        raise Unreadable(f"SQLite says: {error}") from None


def _selected(connection: sqlite3.Connection, table: Table, row: int) -> bytes:
    key = quoted("id") if table.has("id") else "rowid"
    try:
        found = connection.execute(
            f"SELECT {quoted('entries')} FROM ledger WHERE {key} = ?", (row,)
        ).fetchone()
    except sqlite3.DatabaseError as error:
        raise Unreadable(f"SQLite says: {error}") from None
    if found is None:
        raise Unreadable("the ledger's row is not there any more")
    value = found[0]
    if value is None:
        raise Unreadable("the ledger's row holds no text")
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")


def _has_handles(connection: sqlite3.Connection, table: Table) -> bool:
    """Whether values can be read in parts: by rowid, and in the encoding that we expect."""
    if not table.has_rowid or not table.has("entries") or not table.has("id"):
        return False
    return bool(connection.execute("PRAGMA encoding").fetchone()[0] == "UTF-8")
