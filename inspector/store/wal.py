"""A private image of a database in WAL mode, kept for one generation of its log.

The base is copied once per generation and may be torn by a checkpoint; every page that a checkpoint
can have touched has a committed frame in the log, so the frames applied over it make it exact. That
needs: the base before the log, the same generation before and after, and no modification time.
A refresh applies only what was committed since the last one.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice, pairwise

from inspector.store import image, raw
from inspector.store.fingerprint import WAL_HEAD_SIZE, Look, WalGeneration, mark_of
from inspector.store.private import PrivateRoom
from inspector.store.unavailable import unreadable
from inspector.store.walformat import (
    FRAME_HEAD_SIZE,
    Checksum,
    WalFormat,
    commits,
    frame_head,
    frame_heads,
    frames,
    is_commit,
    parse_header,
)

# Applying frames in Python costs by the frame, letting SQLite do it costs by the whole log.
_FEW_FRAMES = 8
_FEW_PER_MB = 6


@dataclass(frozen=True, slots=True)
class _Applied:
    """Up to where the log is in the image; `heads` are those of the last transaction."""

    start: int
    end: int
    checksum: Checksum
    heads: bytes
    digest: bytes
    """Of the headers of all frames up to `end`."""


class WalImage:
    """The image of one database; `path` is where the private file lies once refreshed.

    `trace` is called with the name of each step before it is taken.
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
        """Forgets the image and removes its files."""
        self._generation = self._applied = self._next_slot = None
        if self.path:
            image.remove(self.path)

    def refresh(self, seen: Look, holds: Callable[[WalGeneration], bool]) -> bool:
        """Brings the image to the last commit in the log; False means look again.

        `holds` is asked once, right after the last byte was copied, whether the generation is
        still there. Raises Moved, OSError, and sqlite3.Error for a log that SQLite cannot apply.
        """
        try:
            with self._open_log(seen) as log:
                done = self._take(log, seen, holds)
                if done:
                    self._next_slot = self._free_slot(log)
        except BaseException:
            self.drop()
            raise
        if not done:
            self.drop()
        return done

    def changed(self) -> bool:
        """False only if nothing was committed since the last refresh.

        A commit shows where the next one is to be written, or, if the last one was lost with its
        writer, in its place.
        """
        generation, applied = self._generation, self._applied
        if generation is None or applied is None or self._next_slot is None:
            return True
        log = raw.open_regular(self._watched + "-wal")
        if log is None:
            return True
        try:
            return (
                mark_of(log)[:2] != (generation.wal_dev, generation.wal_ino)
                or raw.read_at(log, WAL_HEAD_SIZE, 0) != generation.header
                or raw.read_at(log, FRAME_HEAD_SIZE, applied.end) != self._next_slot
                or not self._first_head_stands(log, applied)
            )
        finally:
            os.close(log)

    def content_key(self) -> tuple[object, ...]:
        """What identifies the content of the image; see `content_key_of`."""
        assert self._applied is not None
        return self._generation, self._applied.end, self._applied.digest

    def _take(self, log: int, seen: Look, holds: Callable[[WalGeneration], bool]) -> bool:
        if not self._has_base(seen.generation):
            self._take_base(seen)
        assert self._applied is not None and self._format is not None
        self._trace("log")
        if not self._format.valid:
            return holds(seen.generation)
        if not self._last_commit_stands(log, self._applied):
            return False
        few = self._few()
        waiting = list(islice(frames(log, self._format, self._applied.end), few + 1))
        heads = self._copy_log(log, seen.wal_head) if len(waiting) > few else b""
        self._trace("log-copied")
        # Before the work: a short stretch between the looks is what lets a read succeed.
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
        # Systems clear away what a user left in memory when the last session ends.
        return os.path.exists(self.path)

    @contextmanager
    def _open_log(self, seen: Look) -> Iterator[int]:
        log = raw.open_regular(self._watched + "-wal")
        if log is None:
            raise raw.Moved(self._watched)
        try:
            if seen.wal is None or mark_of(log)[:2] != seen.wal[:2]:
                raise raw.Moved(self._watched)
            if raw.read_at(log, WAL_HEAD_SIZE, 0) != seen.wal_head:
                raise raw.Moved(self._watched)
            yield log
        finally:
            os.close(log)

    def _take_base(self, seen: Look) -> None:
        self.drop()
        wal = parse_header(seen.wal_head)
        if wal.valid and not wal.known:
            raise unreadable("the database's write-ahead log has a version that is not known")
        size = seen.db.size + (seen.wal.size if seen.wal else 0)
        self.path = self._room.path("image", size)
        self._trace("base")
        source = raw.open_regular(self._watched)
        if source is None:
            raise raw.Moved(self._watched)
        try:
            if mark_of(source)[:2] != seen.identity:
                raise raw.Moved(self._watched)
            raw.copy_out(source, self.path, between=lambda: self._trace("base-part"))
        finally:
            os.close(source)
        self._trace("base-copied")
        self._format = wal
        self._generation = seen.generation
        self._applied = _Applied(WAL_HEAD_SIZE, WAL_HEAD_SIZE, wal.checksum, b"", b"")

    def _last_commit_stands(self, log: int, applied: _Applied) -> bool:
        """A writer that died before telling the others of its commit has it overwritten."""
        wal = self._known_format()
        offsets = range(applied.start, applied.end, wal.frame_size)
        return all(
            frame_head(log, wal, offset) == _head(applied.heads, number)
            for number, offset in enumerate(offsets)
        )

    def _first_head_stands(self, log: int, applied: _Applied) -> bool:
        first = applied.heads[:FRAME_HEAD_SIZE]
        return raw.read_at(log, len(first), applied.start) == first

    def _few(self) -> int:
        assert self._applied is not None
        return _FEW_FRAMES + self._applied.end * _FEW_PER_MB // (1 << 20)

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
                    raw.write_at(out, page, (number - 1) * wal.page_size)
            os.ftruncate(out, page_count * wal.page_size)
        finally:
            os.close(out)
        self._applied = applied

    def _copy_log(self, log: int, header: bytes) -> bytes:
        """Copies all frames of this generation; gives their headers."""
        wal = self._known_format()
        heads = bytearray()
        target = self.path + "-wal"
        out = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        try:
            offset = raw.write_at(out, header, 0)
            for part in _whole_frames(log, wal):
                offset += raw.write_at(out, part, offset)
                for place in range(0, len(part), wal.frame_size):
                    heads += part[place : place + FRAME_HEAD_SIZE]
        finally:
            os.close(out)
        return bytes(heads)

    def _replay(self, heads: bytes) -> None:
        self._trace("replay")
        wal = self._known_format()
        count = image.recover(self.path)
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
        """What stands where the next commit will be written; None when that cannot tell."""
        assert self._applied is not None
        if not self._known_format().valid:
            return None
        slot = raw.read_at(log, FRAME_HEAD_SIZE, self._applied.end)
        return None if slot[8:16] == self._known_format().salts else slot

    def _known_format(self) -> WalFormat:
        assert self._format is not None
        return self._format


def content_key_of(path: str, seen: Look) -> tuple[object, ...]:
    """What `WalImage.content_key` would be after a refresh now, from the log's headers alone.

    Different where the last transaction is one that SQLite would not count, never equal for
    different content. Raises Moved.
    """
    wal = parse_header(seen.wal_head)
    end, digest, pending = WAL_HEAD_SIZE, b"", b""
    log = raw.open_regular(path + "-wal")
    if log is None:
        raise raw.Moved(path)
    try:
        for head in frame_heads(log, wal) if wal.valid else ():
            pending += head
            if is_commit(head):
                digest = _digest(digest, pending)
                end += len(pending) // FRAME_HEAD_SIZE * wal.frame_size
                pending = b""
        if raw.read_at(log, WAL_HEAD_SIZE, 0) != seen.wal_head:
            raise raw.Moved(path)
    finally:
        os.close(log)
    return seen.generation, end, digest


def _whole_frames(log: int, wal: WalFormat) -> Iterator[bytes]:
    size = wal.frame_size
    batch = max(1, (1 << 18) // size) * size
    offset = WAL_HEAD_SIZE
    while True:
        part = raw.read_at(log, batch, offset)
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
