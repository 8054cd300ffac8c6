"""A text log that another process appends to, read a piece at a time and without its notice.

Only what was added since the last read is read. A log may also be rewritten as a whole, by an
editor or an agent: then everything begins anew. Offsets and sizes are in bytes. Not here: what a
line means.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from hashlib import blake2b
from typing import NamedTuple

from inspector.model.store import Health
from inspector.store import files
from inspector.store.unavailable import StoreUnavailable

CHUNK = 1 << 20
"""Bytes held at a time."""
WHOLE = 1 << 20
"""Logs up to here are compared whole when they change; of longer ones only the two ends."""
WINDOW = 4096
"""Bytes at either end that stand for the content of a longer log."""
TICK_NS = 20_000_000
"""Coarser than the clock that stamps files on any system with fractions of a second."""
COARSE_TICK_NS = 2_000_000_000
"""For file systems that keep whole seconds, or every second one."""
SETTLED_NS = 50_000_000
"""What was rewritten less than this ago may be half of what its writer means to write."""


class LogMark(NamedTuple):
    """Which file it was and how it stood; equal marks, equal content."""

    dev: int
    ino: int
    size: int
    mtime_ns: int
    ctime_ns: int


def mark_at(path: str) -> LogMark | None:
    """The mark of the file that stands there now, whatever it is; None when nothing does."""
    try:
        return _mark(os.lstat(path))
    except OSError:
        return None


def read_ends(path: str, size: int) -> tuple[bytes, bytes, LogMark]:
    """The first and the last `size` bytes of a log, and its mark. Raises StoreUnavailable."""
    fd = _open(path)
    try:
        status = os.fstat(fd)
        head = files.read_at(fd, size, 0)
        tail = files.read_at(fd, size, max(0, status.st_size - size))
        return head, tail, _mark(status)
    finally:
        os.close(fd)


class LogFile:
    """One log. Used by one thread at a time; nothing is kept open between two reads."""

    def __init__(self, path: str, *, chunk: int = CHUNK) -> None:
        self.path = path
        self.offset = 0
        """Bytes that were handed out."""
        self._chunk = chunk
        self._mark: LogMark | None = None
        self._young = False
        self._guard = _Guard()

    @property
    def last_write_ms(self) -> int | None:
        """When the content that was read had been written last (UTC ms)."""
        return None if self._mark is None else self._mark.mtime_ns // 1_000_000

    def changed(self) -> bool:
        """Whether anything may have been written since the last `advance`; one `lstat`."""
        return self._mark is None or self._young or mark_at(self.path) != self._mark

    def advance(self, take: Callable[[bytes], None], restart: Callable[[], None]) -> None:
        """Hands out what was added, in pieces; `restart` is called first if all begins anew.

        Raises StoreUnavailable: gone, denied, no regular file, or busy while it is rewritten.
        """
        fd = _open(self.path)
        try:
            status = os.fstat(fd)
            if not self._continues(fd, status):
                if self.offset and _unsettled(status):
                    raise StoreUnavailable(Health.BUSY, "the log is being rewritten")
                self.offset, self._guard = 0, _Guard()
                restart()
            self._read_on(fd, status.st_size, take)
        finally:
            os.close(fd)
        self._mark = _mark(status)
        self._young = _is_young(status)

    def read_at(self, offset: int, size: int) -> bytes:
        """Bytes that were handed out before. Raises StoreUnavailable when they may be others."""
        fd = _open(self.path)
        try:
            status, known = os.fstat(fd), self._mark
            same = known is not None and known[:2] == (status.st_dev, status.st_ino)
            if not same or status.st_size < self.offset:
                raise StoreUnavailable(Health.BUSY, "the log is being rewritten")
            return _read(fd, offset, size)
        finally:
            os.close(fd)

    def _continues(self, fd: int, status: os.stat_result) -> bool:
        """Whether what was handed out still stands at the beginning of the file."""
        if self._mark is None or status.st_size < self.offset:
            return False
        if _mark(status) == self._mark and not self._young:
            return True
        other = self._mark[:2] != (status.st_dev, status.st_ino)
        return not (other and self.offset > WHOLE) and self._guard.holds(fd, self.offset)

    def _read_on(self, fd: int, size: int, take: Callable[[bytes], None]) -> None:
        while self.offset < size:
            data = files.read_at(fd, min(self._chunk, size - self.offset), self.offset)
            if not data:
                return
            self._guard.add(data, self.offset)
            self.offset += len(data)
            take(data)


class _Guard:
    """Remembers what was handed out well enough to know it again."""

    def __init__(self) -> None:
        self._whole = blake2b(digest_size=16)
        self._head = b""
        self._tail = b""

    def add(self, data: bytes, offset: int) -> None:
        """Takes in the bytes at `offset`, which follow those before."""
        if offset < WINDOW:
            self._head += data[: WINDOW - offset]
        self._tail = (self._tail + data[-WINDOW:])[-WINDOW:]
        if offset + len(data) <= WHOLE:
            self._whole.update(data)

    def holds(self, fd: int, offset: int) -> bool:
        """Whether an open file still begins with these `offset` bytes, as far as one may tell."""
        if offset <= WHOLE:
            now = blake2b(_read(fd, 0, offset), digest_size=16)
            return now.digest() == self._whole.digest()
        if _read(fd, 0, len(self._head)) != self._head:
            return False
        return _read(fd, offset - len(self._tail), len(self._tail)) == self._tail


def _open(path: str) -> int:
    try:
        fd = files.open_regular(path)
    except files.NotRegular as refused:
        raise StoreUnavailable(Health.UNREADABLE, f"the log is {refused.kind}") from None
    except PermissionError:
        raise StoreUnavailable(Health.DENIED, "this user may not read the log") from None
    except OSError as error:
        why = f"the log cannot be read: {error.strerror or error}"
        raise StoreUnavailable(Health.UNREADABLE, why) from None
    if fd is None:
        raise StoreUnavailable(Health.GONE, "the log is not there any more")
    return fd


def _read(fd: int, offset: int, size: int) -> bytes:
    parts: list[bytes] = []
    while size > 0:
        part = files.read_at(fd, min(size, CHUNK), offset)
        if not part:
            break
        parts.append(part)
        offset, size = offset + len(part), size - len(part)
    return b"".join(parts)


def _mark(status: os.stat_result) -> LogMark:
    return LogMark(
        status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
    )


def _unsettled(status: os.stat_result) -> bool:
    return 0 <= time.time_ns() - status.st_mtime_ns < SETTLED_NS


def _is_young(status: os.stat_result) -> bool:
    """Whether another write might still leave the times as they are: clocks tick."""
    tick = COARSE_TICK_NS if status.st_mtime_ns % 1_000_000_000 == 0 else TICK_NS
    return -tick <= time.time_ns() - status.st_mtime_ns < tick
