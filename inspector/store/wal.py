"""A private image of a database in WAL mode for one generation of its log, and the log's format.

The base is copied once per generation. A checkpoint may tear the copy, but every page it writes has
a committed frame in the log, so applying the frames makes the image exact. This requires: base
before log, and the same generation before and after; modification times do not matter. A refresh
only applies new commits. Format: SQLite file format, section 4. Offsets and sizes in bytes.
"""

from __future__ import annotations

import os
import struct
import sys
from array import array
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import islice, pairwise
from operator import mul

from inspector.store import connections, files
from inspector.store.fingerprint import WAL_HEAD_SIZE, FileState, WalGeneration, mark_of
from inspector.store.private import PrivateRoom
from inspector.store.unavailable import unreadable

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
    """The header of a log.

    `valid` is False if SQLite would treat the log as empty; `known` is False for an unsupported,
    later format.
    """

    valid: bool
    known: bool
    page_size: int
    big_endian: bool
    salts: bytes
    checksum: Checksum

    @property
    def frame_size(self) -> int:
        """Size of a frame: header and page."""
        return FRAME_HEAD_SIZE + self.page_size


@dataclass(frozen=True, slots=True)
class Commit:
    """One complete, verified transaction of the log."""

    start: int
    end: int
    page_count: int
    """Pages of the database afterwards."""
    checksum: Checksum
    heads: bytes
    """Concatenated headers of its frames."""
    pages: dict[int, bytes]
    """New content by page number, from 1."""


def parse_header(header: bytes) -> WalFormat:
    """Parses the 32 bytes at the start of a log."""
    magic, version, page_size, _sequence, salts, first, second = _HEADER.unpack(header)
    sane = magic & ~1 == _MAGIC and 512 <= page_size <= 65536
    sane = sane and page_size & (page_size - 1) == 0
    big_endian = bool(magic & 1)
    valid = sane and _checksum(_words(header[:24], big_endian)) == (first, second)
    return WalFormat(valid, version == _VERSION, page_size, big_endian, salts, (first, second))


def frame_head(fd: int, wal: WalFormat, offset: int) -> bytes | None:
    """Returns the header of the frame at `offset`; None if it is of another generation."""
    head = files.read_at(fd, FRAME_HEAD_SIZE, offset)
    return head if head[8:16] == wal.salts else None


def is_commit(head: bytes) -> bool:
    """True if a frame header ends a transaction."""
    return head[4:8] != b"\0\0\0\0"


def frame_heads(fd: int, wal: WalFormat) -> Iterator[bytes]:
    """Yields the headers of all frames of this generation, unverified."""
    offset = WAL_HEAD_SIZE
    while head := frame_head(fd, wal, offset):
        yield head
        offset += wal.frame_size


def frames(fd: int, wal: WalFormat, offset: int) -> Iterator[bytes]:
    """Yields the frames of this generation from `offset` on, unverified."""
    size = wal.frame_size
    wanted = 1
    while True:
        batch = files.read_at(fd, wanted * size, offset)
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
    """Yields the transactions in `found`, frames from `offset` on that continue `checksum`.

    Stops where SQLite's recovery would: at a wrong checksum or page number 0.
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
    first: array[int]
    second: array[int]
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


def _words(data: bytes, big_endian: bool) -> array[int]:
    words = array("I", data)
    if big_endian != (sys.byteorder == "big"):
        words.byteswap()
    return words


def _checksum(words: array[int]) -> Checksum:
    first = second = 0
    for pair in range(0, len(words), 2):
        first = (first + words[pair] + second) & _MASK
        second = (second + words[pair + 1] + first) & _MASK
    return first, second


# Applying frames in Python costs per frame, by SQLite per log.
_MIN_IN_PYTHON = 8
_IN_PYTHON_PER_MB = 6


@dataclass(frozen=True, slots=True)
class _Applied:
    """The part of the log in the image; `heads` are those of the last transaction."""

    start: int
    end: int
    checksum: Checksum
    heads: bytes
    digest: bytes
    """Digest of all frame headers up to `end`."""


class WalImage:
    """The image of one database; `path` is the private file after a refresh.

    `trace` receives the name of each step before it.
    """

    def __init__(
        self, watched: str, room: PrivateRoom, trace: Callable[[str], None] = lambda step: None
    ) -> None:
        self.path = ""
        self._watched = watched
        self._room = room
        self._trace = trace
        self._generation: WalGeneration | None = None
        self._format: WalFormat | None = None
        self._applied: _Applied | None = None
        self._next_slot: bytes | None = None

    def drop(self) -> None:
        """Removes the image."""
        self._generation = self._applied = self._next_slot = None
        if self.path:
            connections.remove(self.path)

    def refresh(self, seen: FileState, holds: Callable[[WalGeneration], bool]) -> bool:
        """Updates the image to the last commit in the log; False = read the state again.

        Calls `holds` once, right after copying the last byte, to test that the generation is the
        same. Raises Moved, OSError, and sqlite3.Error for a log that SQLite cannot apply.
        """
        try:
            with self._open_log(seen) as log:
                done = self._update(log, seen, holds)
                if done:
                    self._next_slot = self._free_slot(log)
        except BaseException:
            self.drop()
            raise
        if not done:
            self.drop()
        return done

    def changed(self) -> bool:
        """Returns False only if nothing was committed since the last refresh.

        The next commit is written after the last one, or over it if the last one was lost with its
        writer.
        """
        generation, applied = self._generation, self._applied
        if generation is None or applied is None or self._next_slot is None:
            return True
        log = files.open_regular(self._watched + "-wal")
        if log is None:
            return True
        try:
            return (
                mark_of(log)[:2] != (generation.wal_dev, generation.wal_ino)
                or files.read_at(log, WAL_HEAD_SIZE, 0) != generation.header
                or files.read_at(log, FRAME_HEAD_SIZE, applied.end) != self._next_slot
                or not self._first_head_intact(log, applied)
            )
        finally:
            os.close(log)

    def content_key(self) -> tuple[object, ...]:
        """Identifies the content of the image; see `content_key_of`."""
        assert self._applied is not None
        return self._generation, self._applied.end, self._applied.digest

    def _update(self, log: int, seen: FileState, holds: Callable[[WalGeneration], bool]) -> bool:
        if not self._has_base(seen.generation):
            self._copy_base(seen)
        assert self._applied is not None and self._format is not None
        self._trace("log")
        if not self._format.valid:
            return holds(seen.generation)
        if not self._last_commit_intact(log, self._applied):
            return False
        few = self._max_in_python()
        waiting = list(islice(frames(log, self._format, self._applied.end), few + 1))
        heads = self._copy_log(log, seen.wal_head) if len(waiting) > few else b""
        self._trace("log-copied")
        # Test before applying: the shorter the time between the states, the fewer retries.
        if not holds(seen.generation):
            return False
        if heads:
            self._replay(heads)
        else:
            self._apply(waiting)
        return True

    def _has_base(self, generation: WalGeneration) -> bool:
        if self._applied is None or self._generation != generation:
            return False
        # Systems remove a user's memory files when the last session ends.
        return os.path.exists(self.path)

    @contextmanager
    def _open_log(self, seen: FileState) -> Iterator[int]:
        log = files.open_regular(self._watched + "-wal")
        if log is None:
            raise files.Moved(self._watched)
        try:
            if seen.wal is None or mark_of(log)[:2] != seen.wal[:2]:
                raise files.Moved(self._watched)
            if files.read_at(log, WAL_HEAD_SIZE, 0) != seen.wal_head:
                raise files.Moved(self._watched)
            yield log
        finally:
            os.close(log)

    def _copy_base(self, seen: FileState) -> None:
        self.drop()
        wal = parse_header(seen.wal_head)
        if wal.valid and not wal.known:
            raise unreadable("the database's write-ahead log has a version that is not known")
        size = seen.db.size + (seen.wal.size if seen.wal else 0)
        self.path = self._room.path("image", size)
        self._trace("base")
        source = files.open_regular(self._watched)
        if source is None:
            raise files.Moved(self._watched)
        try:
            if mark_of(source)[:2] != seen.identity:
                raise files.Moved(self._watched)
            files.copy_out(source, self.path, between=lambda: self._trace("base-part"))
        finally:
            os.close(source)
        self._trace("base-copied")
        self._format = wal
        self._generation = seen.generation
        self._applied = _Applied(WAL_HEAD_SIZE, WAL_HEAD_SIZE, wal.checksum, b"", b"")

    def _last_commit_intact(self, log: int, applied: _Applied) -> bool:
        """False if the last commit was overwritten because its writer died before publishing it."""
        wal = self._known_format()
        offsets = range(applied.start, applied.end, wal.frame_size)
        return all(
            frame_head(log, wal, offset) == _head(applied.heads, number)
            for number, offset in enumerate(offsets)
        )

    def _first_head_intact(self, log: int, applied: _Applied) -> bool:
        first = applied.heads[:FRAME_HEAD_SIZE]
        return files.read_at(log, len(first), applied.start) == first

    def _max_in_python(self) -> int:
        assert self._applied is not None
        return _MIN_IN_PYTHON + self._applied.end * _IN_PYTHON_PER_MB // (1 << 20)

    def _apply(self, waiting: list[bytes]) -> None:
        assert self._applied is not None
        wal, applied = self._known_format(), self._applied
        pages: dict[int, bytes] = {}
        page_count = 0
        for commit in commits(waiting, wal, applied.end, applied.checksum):
            pages.update(commit.pages)
            page_count = commit.page_count
            digest = _digest(applied.digest, commit.heads)
            applied = _Applied(commit.start, commit.end, commit.checksum, commit.heads, digest)
        if not page_count:
            return
        out = os.open(self.path, os.O_RDWR | os.O_CLOEXEC)
        try:
            for number, page in pages.items():
                if number <= page_count:
                    files.write_at(out, page, (number - 1) * wal.page_size)
            os.ftruncate(out, page_count * wal.page_size)
        finally:
            os.close(out)
        self._applied = applied

    def _copy_log(self, log: int, header: bytes) -> bytes:
        """Copies all frames of this generation; returns their headers."""
        wal = self._known_format()
        heads = bytearray()
        target = self.path + "-wal"
        out = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        try:
            offset = files.write_at(out, header, 0)
            for part in _whole_frames(log, wal):
                offset += files.write_at(out, part, offset)
                for place in range(0, len(part), wal.frame_size):
                    heads += part[place : place + FRAME_HEAD_SIZE]
        finally:
            os.close(out)
        return bytes(heads)

    def _replay(self, heads: bytes) -> None:
        self._trace("replay")
        wal = self._known_format()
        count = connections.recover(self.path)
        heads = heads[: count * FRAME_HEAD_SIZE]
        bounds = [0, *(number + 1 for number in range(count) if is_commit(_head(heads, number)))]
        digest = b""
        for first, after in pairwise(bounds):
            digest = _digest(digest, heads[first * FRAME_HEAD_SIZE : after * FRAME_HEAD_SIZE])
        first = bounds[-2] if len(bounds) > 1 else 0
        checksum = wal.checksum
        if count:
            last = _head(heads, count - 1)
            checksum = int.from_bytes(last[16:20], "big"), int.from_bytes(last[20:24], "big")
        self._applied = _Applied(
            WAL_HEAD_SIZE + first * wal.frame_size,
            WAL_HEAD_SIZE + count * wal.frame_size,
            checksum,
            heads[first * FRAME_HEAD_SIZE :],
            digest,
        )

    def _free_slot(self, log: int) -> bytes | None:
        """Returns the current bytes of the next commit's slot; None if inconclusive."""
        assert self._applied is not None
        if not self._known_format().valid:
            return None
        slot = files.read_at(log, FRAME_HEAD_SIZE, self._applied.end)
        return None if slot[8:16] == self._known_format().salts else slot

    def _known_format(self) -> WalFormat:
        assert self._format is not None
        return self._format


def content_key_of(path: str, seen: FileState) -> tuple[object, ...]:
    """Returns what `WalImage.content_key` would be after a refresh, from the log's headers alone.

    May differ for a last transaction that SQLite would ignore; never equal for different content.
    Raises Moved.
    """
    wal = parse_header(seen.wal_head)
    end, digest, pending = WAL_HEAD_SIZE, b"", b""
    log = files.open_regular(path + "-wal")
    if log is None:
        raise files.Moved(path)
    try:
        for head in frame_heads(log, wal) if wal.valid else ():
            pending += head
            if is_commit(head):
                digest = _digest(digest, pending)
                end += len(pending) // FRAME_HEAD_SIZE * wal.frame_size
                pending = b""
        if files.read_at(log, WAL_HEAD_SIZE, 0) != seen.wal_head:
            raise files.Moved(path)
    finally:
        os.close(log)
    return seen.generation, end, digest


def _whole_frames(log: int, wal: WalFormat) -> Iterator[bytes]:
    size = wal.frame_size
    batch = max(1, (1 << 18) // size) * size
    offset = WAL_HEAD_SIZE
    while True:
        part = files.read_at(log, batch, offset)
        ours = 0
        while ours + size <= len(part) and part[ours + 8 : ours + 16] == wal.salts:
            ours += size
        if ours:
            yield part[:ours]
        if ours < batch:
            return
        offset += ours


def _head(heads: bytes, number: int) -> bytes:
    return heads[number * FRAME_HEAD_SIZE : (number + 1) * FRAME_HEAD_SIZE]


def _digest(before: bytes, heads: bytes) -> bytes:
    return blake2b(before + heads, digest_size=16).digest()
