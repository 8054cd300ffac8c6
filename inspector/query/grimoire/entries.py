"""The entries of a ledger out of its JSON text, one after the other, however long it is.

A ledger is one JSON array; an entry is known by its place in it. The text is decoded in windows, so
that no more of it is held as objects than was asked for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

from inspector.query.grimoire.js import DECODER, LONG_DECODER, Unreadable, parse

WINDOW = 1 << 17
"""Bytes that are decoded at once."""

_NEXT = re.compile(r"[ \t\n\r]*([,\]]?)[ \t\n\r]*")
_SPACE = b" \t\n\r"
_CUT = b'},{"id":"'
"""What stands between two entries as the runtime writes them; inside a string it cannot stand."""
_CLOSED = '}]"'
_CUT_NUMBER = 16
"""Of a number or word that a window cuts, fewer characters than this stay behind what was read."""


def entries(content: bytes, start: int = 0) -> Iterator[tuple[int, Any]]:
    """Each entry with the byte at which it begins; all of them, or those from an entry's byte on.

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
            _nothing_more(content, window.closed_at)
            return
        width = WINDOW if position > before else width * 2
    if position == len(content):
        raise Unreadable("the ledger ends in the middle")


class Page(NamedTuple):
    """Entries that lie beside each other, and the byte at which the first of them begins."""

    start: int
    entries: list[Any]


def pages(content: bytes, start: int = 0) -> Iterator[Page]:
    """All entries, or those from an entry's byte on, about a window's worth at a time.

    The fastest way through them. Raises Unreadable like `entries`, after what could be read.
    """
    position = start or _opening(content)
    while len(content) - position > WINDOW:
        cut = content.rfind(_CUT, position, position + WINDOW)
        found = _array(b"[" + content[position : cut + 1] + b"]") if cut > position else None
        if found is None:
            yield from _slowly(content, position)
            return
        yield Page(position, found)
        position = cut + 2
    if position > len(content):
        return
    found = _array(b"[" + content[position:])
    if found is None:
        yield from _slowly(content, position)
    elif found:
        yield Page(position, found)


def _slowly(content: bytes, position: int) -> Iterator[Page]:
    """Entry by entry: where entries are longer than a window, written otherwise, or damaged."""
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


def some(text: bytes, skipped: int, count: int) -> list[Any]:
    """Entries out of a stretch that begins with one, after the first `skipped` of them."""
    found = (value for _, value in entries(b"[" + text))
    return list(islice(found, skipped, skipped + count))


def last(tail: bytes) -> list[Any]:
    """The whole entries at the end of a ledger, out of its last stretch; none where it is damaged.

    The stretch may begin anywhere; what is before its first cut between two entries is left out.
    """
    cut = tail.find(_CUT)
    found = None if cut < 0 else _array(b"[" + tail[cut + 2 :])
    return found or []


def _array(text: bytes) -> list[Any] | None:
    try:
        found = parse(text.decode())
    except (Unreadable, UnicodeDecodeError):
        return None
    return found if isinstance(found, list) else None


def _opening(content: bytes) -> int:
    """Where the first entry may begin; beyond the end for a ledger that is null."""
    head = content[:64].lstrip(_SPACE)
    if head.startswith(b"["):
        return content.index(b"[") + 1
    if content.strip(_SPACE) == b"null":
        return len(content) + 1
    if not content.strip(_SPACE):
        raise Unreadable("the ledger is empty text")
    parse(content)
    raise Unreadable("the ledger is not an array")


def _nothing_more(content: bytes, position: int) -> None:
    if content[position : position + 64].strip(_SPACE):
        raise Unreadable("there is more text behind the ledger's array")


class _Window:
    """A stretch of the text, decoded, that begins where an entry may begin."""

    def __init__(self, content: bytes, start: int, width: int) -> None:
        stop = min(len(content), start + width)
        part = content[start:stop]
        try:
            self._text = part.decode()
        except UnicodeDecodeError:
            # Kept as they are, so that places can be counted in bytes. A letter that the window
            # cuts stands in an entry that it cuts as well.
            self._text = part.decode("utf-8", "surrogateescape")
        self._start = start
        self._is_last = stop == len(content)
        self._ascii = self._text.isascii()
        self._counted = (0, 0)
        self.closed_at = 0
        """The byte behind the array's end, once it was met."""

    def read(self, first: bool) -> Iterator[tuple[int, Any, int]]:
        """Whole entries: where each begins, its value, and where the next may begin."""
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

    def _value(self, at: int) -> tuple[Any, int] | None:
        """A value and the character behind it; None when it may go on behind the window."""
        text = self._text
        if at >= len(text):
            if self._is_last:
                raise Unreadable("the ledger ends in the middle")
            return None
        try:
            value, end = DECODER.raw_decode(text, at)
        except json.JSONDecodeError as error:
            if self._is_last or self._cannot_go_on(error):
                raise Unreadable(
                    f"not JSON at byte {self._byte(error.pos)} of the ledger: {error.msg}"
                ) from None
            return None
        except RecursionError:
            raise Unreadable("an entry is nested too deep to be read") from None
        except ValueError as error:
            if isinstance(error, Unreadable):
                raise
            value, end = LONG_DECODER.raw_decode(text, at)
        if end == len(text) and not self._is_last and text[end - 1] not in _CLOSED:
            return None
        return value, end

    def _cannot_go_on(self, error: json.JSONDecodeError) -> bool:
        is_open = error.msg.startswith(("Unterminated", "Invalid"))
        return not is_open and error.pos + _CUT_NUMBER < len(self._text)

    def _byte(self, at: int) -> int:
        if self._ascii:
            return self._start + at
        character, byte = self._counted if at >= self._counted[0] else (0, 0)
        byte += len(self._text[character:at].encode("utf-8", "surrogateescape"))
        self._counted = (at, byte)
        return self._start + byte
