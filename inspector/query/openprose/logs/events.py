"""Bytes of a log, a piece at a time → its marker lines and where they stand.

Every byte belongs to the preamble, to a marker line, or to the lines that follow one: nothing is
dropped, and what is not held here can be read again by its offset. Pure: bytes in, facts out.
"""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from inspector.query.openprose.logs.lines import Marker, read_line

LONGEST_LINE = 64 << 10
"""Bytes of a line that are looked at; a marker says what it has to say well before that."""

# Cheaper than decoding every line, and true of every marker.
_MAYBE = re.compile(
    rb"^(?:\xef\xbb\xbf)?[ \t]{0,16}(?:[0-9]|---[A-Za-z]|\xe2\x88\xa5|\xe2\x80\x96|loop:)", re.M
)


class Found(NamedTuple):
    """A marker line in the log."""

    line: int
    """Its number, from 1."""
    offset: int
    """Where it begins, in bytes."""
    marker: Marker


class Scanner:
    """Finds the markers in what is fed to it, whatever the pieces."""

    __slots__ = ("_cut", "_size", "line", "offset", "pending")

    def __init__(self) -> None:
        self.line = 1
        """The number of the line that is not finished yet."""
        self.offset = 0
        """Where that line begins."""
        self.pending = b""
        """Its first bytes."""
        self._size = 0
        self._cut = False

    @property
    def end(self) -> int:
        """Where what was fed ends, in bytes."""
        return self.offset + self._size

    def feed(self, data: bytes) -> list[Found]:
        """The markers among the lines that these bytes finish."""
        if self._cut:
            return self._finish_long_line(data)
        buffer = self.pending + data
        whole = buffer.rfind(b"\n") + 1
        found = self._scan(buffer, whole)
        self._keep(buffer, whole)
        return found

    def unfinished(self) -> Found | None:
        """The line that is being written, if it is a marker already."""
        marker = marker_in(self.pending, half=True)
        return None if marker is None else Found(self.line, self.offset, marker)

    def _scan(self, buffer: bytes, whole: int) -> list[Found]:
        found: list[Found] = []
        line, counted = self.line, 0
        for maybe in _MAYBE.finditer(buffer, 0, whole):
            start = maybe.start()
            line += buffer.count(b"\n", counted, start)
            counted = start
            marker = read_line(decoded(buffer[start : buffer.index(b"\n", start)]))
            if marker is not None:
                found.append(Found(line, self.offset + start, marker))
        self.line = line + buffer.count(b"\n", counted, whole)
        return found

    def _keep(self, buffer: bytes, whole: int) -> None:
        self.offset += whole
        self._size = len(buffer) - whole
        self._cut = self._size > LONGEST_LINE
        self.pending = buffer[whole : whole + LONGEST_LINE]

    def _finish_long_line(self, data: bytes) -> list[Found]:
        end = data.find(b"\n") + 1
        if not end:
            self._size += len(data)
            return []
        marker = marker_in(self.pending)
        found = [] if marker is None else [Found(self.line, self.offset, marker)]
        self.line += 1
        self.offset += self._size + end
        self.pending, self._size, self._cut = b"", 0, False
        return found + self.feed(data[end:])


def marker_in(line: bytes, *, half: bool = False) -> Marker | None:
    """The marker that a line is; `half` if its last character may not be all there."""
    if not _MAYBE.match(line):
        return None
    if half:
        return read_line(codecs.getincrementaldecoder("utf-8")("replace").decode(line))
    return read_line(decoded(line))


def first_marker(data: bytes) -> int:
    """Where the first marker begins; the end where there is none."""
    for maybe in _MAYBE.finditer(data):
        end = data.find(b"\n", maybe.start())
        if marker_in(data[maybe.start() : end if end >= 0 else len(data)]) is not None:
            return maybe.start()
    return len(data)


def decoded(line: bytes) -> str:
    """A line as text, without its end; bytes that are not UTF-8 become replacement characters."""
    return line[:LONGEST_LINE].decode("utf-8", "replace").rstrip("\r\n")
