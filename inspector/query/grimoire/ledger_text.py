"""The text of a ledger: reading all or a part of it, and decoding its entries.

A ledger is one JSON array; an entry is identified by its index. Lists read only the ends of the
text, through a BLOB handle, because SQL would read every page of the value. Decoding goes window by
window, so that only the entries asked for become objects.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from inspector.query.grimoire.js import DECODER, LONG_DECODER, Unreadable, parse
from inspector.query.tables import Table, Tables, quoted

EDGE = 512
"""Bytes read at either end for a list."""
TAIL_WITHIN = 1 << 18
"""The end of a longer text is not read for a list: SQLite would read every page before it."""

_FIRST = re.compile(rb'\s*\[\s*\{"id":"[^"\\]*","timestamp":(\d{1,15})[,}]')
_LAST = re.compile(
    rb'\{"id":"[^"\\]*","timestamp":(\d{1,15}),"runId":"[^"\\]*","spellId":"[^"\\]*","event":\{'
)


class Edges(NamedTuple):
    """Bytes of a ledger and the instants of its first and last entry (UTC ms)."""

    size: int
    first_at: int | None
    last_at: int | None


UNKNOWN = Edges(0, None, None)


def edges(
    connection: sqlite3.Connection, tables: Tables, rows: Sequence[int]
) -> Iterator[tuple[int, Edges]]:
    """Yield the ends of these rows' ledgers; an instant that needs the whole text is None."""
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


def fingerprint(
    connection: sqlite3.Connection, tables: Tables, row: int, length: int
) -> tuple[int, int, bytes]:
    """Return what identifies a ledger's text cheaply: its row, size and first `length` bytes.

    The size is 0 if only the whole text would give it. Raises Unreadable.
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


def read_bytes(
    connection: sqlite3.Connection,
    tables: Tables,
    row: int,
    start: int = 0,
    stop: int | None = None,
) -> bytes:
    """Return the UTF-8 text from byte `start` to `stop` or to its end. Raises Unreadable."""
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
        raise Unreadable("the ledger's row no longer exists")
    value = found[0]
    if value is None:
        raise Unreadable("the ledger's row is NULL")
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")


def _has_handles(connection: sqlite3.Connection, table: Table) -> bool:
    """Return whether values can be read in part: by rowid, and stored as UTF-8."""
    if not table.has_rowid or not table.has("entries") or not table.has("id"):
        return False
    return bool(connection.execute("PRAGMA encoding").fetchone()[0] == "UTF-8")


WINDOW = 1 << 17
"""Bytes decoded at once."""

_NEXT = re.compile(r"[ \t\n\r]*([,\]]?)[ \t\n\r]*")
_SPACE = b" \t\n\r"
_CUT = b'},{"id":"'
"""The boundary of two entries as Grimoire writes them; it cannot occur inside a string."""
_CLOSED = '}]"'
_CUT_NUMBER = 16
"""A number or word cut by a window has fewer characters than this after the last valid one."""


def entries(content: bytes, start: int = 0) -> Iterator[tuple[int, object]]:
    """Yield each entry with the byte at which it starts, from an entry's byte `start` on.

    Raises Unreadable where the text stops being a JSON array.
    """
    position = start or _opening(content)
    width, first = WINDOW, not start
    while position < len(content):
        window = _Window(content, position, width)
        before = position
        for begin, value, behind in window.read(first):
            first, position = False, behind
            yield begin, value
        if window.closed_at:
            _check_nothing_follows(content, window.closed_at)
            return
        width = WINDOW if position > before else width * 2
    if position == len(content):
        raise Unreadable("the ledger is cut short")


class Page(NamedTuple):
    """Consecutive entries, and the byte at which the first of them starts."""

    start: int
    entries: list[object]


def pages(content: bytes, start: int = 0) -> Iterator[Page]:
    """Yield the entries from an entry's byte `start` on, about a window's worth at a time.

    Faster than `entries`. Raises Unreadable after what could be read.
    """
    position = start or _opening(content)
    while len(content) - position > WINDOW:
        cut = content.rfind(_CUT, position, position + WINDOW)
        found = _array(b"[" + content[position : cut + 1] + b"]") if cut > position else None
        if found is None:
            yield from _pages_by_entry(content, position)
            return
        yield Page(position, found)
        position = cut + 2
    if position > len(content):
        return
    found = _array(b"[" + content[position:])
    if found is None:
        yield from _pages_by_entry(content, position)
    elif found:
        yield Page(position, found)


def _pages_by_entry(content: bytes, position: int) -> Iterator[Page]:
    """Yield pages entry by entry: for long entries, another JSON style, or damage."""
    page = Page(position, [])
    is_first = position == _opening(content)
    try:
        for begin, value in entries(content, 0 if is_first else position):
            if begin - page.start > WINDOW:
                yield page
                page = Page(begin, [])
            page.entries.append(value)
    except Unreadable:
        if page.entries:
            yield page
        raise
    if page.entries:
        yield page


def slice_entries(text: bytes, skipped: int, count: int) -> list[object]:
    """Return up to `count` entries of a text that starts with one, after the first `skipped`."""
    found = (value for _, value in entries(b"[" + text))
    return list(islice(found, skipped, skipped + count))


def last_entries(tail: bytes) -> list[object]:
    """Return the complete entries at the end of a ledger, given its last bytes; [] if damaged."""
    cut = tail.find(_CUT)
    found = None if cut < 0 else _array(b"[" + tail[cut + 2 :])
    return found or []


def _array(text: bytes) -> list[object] | None:
    try:
        found = parse(text.decode())
    except (Unreadable, UnicodeDecodeError):
        return None
    return found if isinstance(found, list) else None


def _opening(content: bytes) -> int:
    """Return where the first entry may start; beyond the end for a ledger that is `null`."""
    head = content[:64].lstrip(_SPACE)
    if head.startswith(b"["):
        return content.index(b"[") + 1
    if content.strip(_SPACE) == b"null":
        return len(content) + 1
    if not content.strip(_SPACE):
        raise Unreadable("the ledger is empty")
    parse(content)
    raise Unreadable("the ledger is not an array")


def _check_nothing_follows(content: bytes, position: int) -> None:
    if content[position : position + 64].strip(_SPACE):
        raise Unreadable("text follows the ledger's array")


class _Window:
    """A decoded part of the text that starts where an entry may start."""

    def __init__(self, content: bytes, start: int, width: int) -> None:
        stop = min(len(content), start + width)
        part = content[start:stop]
        try:
            self._text = part.decode()
        except UnicodeDecodeError:
            # Surrogates keep byte positions countable. A character that the window cuts is in an
            # entry that it cuts as well.
            self._text = part.decode("utf-8", "surrogateescape")
        self._start = start
        self._is_last = stop == len(content)
        self._ascii = self._text.isascii()
        self._counted = (0, 0)
        self.closed_at = 0
        """The byte after the array's end, once found; 0 before."""

    def read(self, first: bool) -> Iterator[tuple[int, object, int]]:
        """Yield complete entries: start byte, value, and the byte where the next may start."""
        text, at = self._text, 0
        while True:
            match = _NEXT.match(text, at)
            assert match is not None
            if match[1] == "]" and first:
                self.closed_at = self._byte(match.end())
                return
            if match[1] != ("" if at == 0 else ","):
                raise Unreadable(f"no comma at byte {self._byte(at)} of the ledger")
            begin = match.end()
            found = self._value(begin)
            if found is None:
                return
            value, at = found
            first = False
            after = _NEXT.match(text, at)
            assert after is not None
            if after[1] == "]":
                yield self._byte(begin), value, self._byte(at)
                self.closed_at = self._byte(after.end())
                return
            if after[1] != ",":
                if self._is_last or after.end() + _CUT_NUMBER < len(text):
                    raise Unreadable(f"no comma at byte {self._byte(at)} of the ledger")
                return
            yield self._byte(begin), value, self._byte(after.end())

    def _value(self, at: int) -> tuple[object, int] | None:
        """Return a value and the index after it; None if it may continue after the window."""
        text = self._text
        if at >= len(text):
            if self._is_last:
                raise Unreadable("the ledger is cut short")
            return None
        try:
            value, end = DECODER.raw_decode(text, at)
        except json.JSONDecodeError as error:
            if self._is_last or self._is_inside(error):
                raise Unreadable(
                    f"not JSON at byte {self._byte(error.pos)} of the ledger: {error.msg}"
                ) from None
            return None
        except RecursionError:
            raise Unreadable("an entry is nested too deeply") from None
        except ValueError as error:
            if isinstance(error, Unreadable):
                raise
            value, end = LONG_DECODER.raw_decode(text, at)
        if end == len(text) and not self._is_last and text[end - 1] not in _CLOSED:
            return None
        return value, end

    def _is_inside(self, error: json.JSONDecodeError) -> bool:
        """Return whether an error is not just due to the window's end."""
        is_open = error.msg.startswith(("Unterminated", "Invalid"))
        return not is_open and error.pos + _CUT_NUMBER < len(self._text)

    def _byte(self, at: int) -> int:
        if self._ascii:
            return self._start + at
        character, byte = self._counted if at >= self._counted[0] else (0, 0)
        byte += len(self._text[character:at].encode("utf-8", "surrogateescape"))
        self._counted = (at, byte)
        return self._start + byte
