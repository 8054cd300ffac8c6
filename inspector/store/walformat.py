"""The write-ahead log's format: header, frames, and the checksum that chains them.

Source: SQLite file format, section 4. Offsets and sizes in bytes. Not here: which file, and when.
"""

import struct
import sys
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from operator import mul

from inspector.store import raw
from inspector.store.fingerprint import WAL_HEAD_SIZE

FRAME_HEAD_SIZE = 24
_MAGIC = 0x377F0682
_VERSION = 3007000
_MASK = 0xFFFFFFFF
_HEADER = struct.Struct(">4I8s2I")
_FRAME = struct.Struct(">II8sII")
_BATCH_BYTES = 1 << 16

Checksum = tuple[int, int]


@dataclass(frozen=True, slots=True)
class WalFormat:
    """What a log's header says.

    `valid` is False when SQLite would treat the log as empty; `known` is False when a later SQLite
    wrote it.
    """

    valid: bool
    known: bool
    page_size: int
    big_endian: bool
    salts: bytes
    checksum: Checksum

    @property
    def frame_size(self) -> int:
        """A frame's header and page."""
        return FRAME_HEAD_SIZE + self.page_size


@dataclass(frozen=True, slots=True)
class Commit:
    """One whole transaction of the log, verified."""

    start: int
    end: int
    page_count: int
    """Pages of the database after it."""
    checksum: Checksum
    heads: bytes
    """The headers of its frames, one after the other."""
    pages: dict[int, bytes]
    """New content by page number, from 1."""


def parse_header(header: bytes) -> WalFormat:
    """Reads the 32 bytes at the start of a log."""
    magic, version, page_size, _sequence, salts, first, second = _HEADER.unpack(header)
    sane = magic & ~1 == _MAGIC and 512 <= page_size <= 65536
    sane = sane and page_size & (page_size - 1) == 0
    big_endian = bool(magic & 1)
    valid = sane and _sum_slowly(_words(header[:24], big_endian)) == (first, second)
    return WalFormat(valid, version == _VERSION, page_size, big_endian, salts, (first, second))


def frame_head(fd: int, wal: WalFormat, offset: int) -> bytes | None:
    """The header of the frame at `offset` if it belongs to this generation, else None."""
    head = raw.read_at(fd, FRAME_HEAD_SIZE, offset)
    return head if head[8:16] == wal.salts else None


def is_commit(head: bytes) -> bool:
    """Whether a frame's header ends a transaction."""
    return head[4:8] != b"\0\0\0\0"


def frame_heads(fd: int, wal: WalFormat) -> Iterator[bytes]:
    """The headers of all frames of this generation, unverified."""
    offset = WAL_HEAD_SIZE
    while head := frame_head(fd, wal, offset):
        yield head
        offset += wal.frame_size


def frames(fd: int, wal: WalFormat, offset: int) -> Iterator[bytes]:
    """The frames of this generation from `offset` on, unverified."""
    size = wal.frame_size
    wanted = 1
    while True:
        batch = raw.read_at(fd, wanted * size, offset)
        for place in range(0, len(batch) - size + 1, size):
            if batch[place + 8 : place + 16] != wal.salts:
                return
            yield batch[place : place + size]
        if len(batch) < wanted * size:
            return
        offset += len(batch)
        wanted = max(1, min(wanted * 4, _BATCH_BYTES // size))


def commits(
    found: Iterable[bytes], wal: WalFormat, offset: int, checksum: Checksum
) -> Iterator[Commit]:
    """The transactions in frames from `offset` on that continue the chain from `checksum`.

    Stops where SQLite's own recovery would: at a broken chain or a page number of zero.
    """
    start, heads, pages = offset, bytearray(), dict[int, bytes]()
    for frame in found:
        number, page_count, _salts, first, second = _FRAME.unpack_from(frame)
        checksum = _chain(frame, wal, checksum)
        if checksum != (first, second) or number == 0:
            return
        pages[number] = frame[FRAME_HEAD_SIZE:]
        heads += frame[:FRAME_HEAD_SIZE]
        offset += wal.frame_size
        if page_count:
            yield Commit(start, offset, page_count, checksum, bytes(heads), pages)
            start, heads, pages = offset, bytearray(), {}


# One step of the checksum takes a pair of 32-bit words x, y: s0 += x + s1; s1 += y + s0. That is
# linear, so a frame's sum is a fixed matrix applied to the sum before it, plus one dot product of
# its words with fixed weights. A loop over the words in Python would cost ten times as much.


@dataclass(frozen=True, slots=True)
class _Weights:
    first: "array[int]"
    second: "array[int]"
    matrix: tuple[int, int, int, int]


@lru_cache(maxsize=16)
def _weights(words: int) -> _Weights:
    first, second = array("I", bytes(4 * words)), array("I", bytes(4 * words))
    a, b, c, d = 1, 0, 0, 1
    for pair in range(words - 2, -1, -2):
        first[pair], second[pair] = (a + b) & _MASK, (c + d) & _MASK
        first[pair + 1], second[pair + 1] = b, d
        a, b, c, d = (a + b) & _MASK, (a + 2 * b) & _MASK, (c + d) & _MASK, (c + 2 * d) & _MASK
    return _Weights(first, second, (a, b, c, d))


def _chain(frame: bytes, wal: WalFormat, before: Checksum) -> Checksum:
    words = _words(frame[:8] + frame[FRAME_HEAD_SIZE:], wal.big_endian)
    weights = _weights(len(words))
    a, b, c, d = weights.matrix
    first = a * before[0] + b * before[1] + sum(map(mul, words, weights.first))
    second = c * before[0] + d * before[1] + sum(map(mul, words, weights.second))
    return first & _MASK, second & _MASK


def _words(data: bytes, big_endian: bool) -> "array[int]":
    words = array("I", data)
    if big_endian != (sys.byteorder == "big"):
        words.byteswap()
    return words


def _sum_slowly(words: "array[int]") -> Checksum:
    first = second = 0
    for pair in range(0, len(words), 2):
        first = (first + words[pair] + second) & _MASK
        second = (second + words[pair + 1] + first) & _MASK
    return first, second
