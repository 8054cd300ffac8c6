"""A text log written by another process, read incrementally and without a trace.

Reads only what was appended since the last read. If the log was rewritten as a whole, by an editor
or an agent, reading restarts. Offsets and sizes in bytes.
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
"""Bytes read at once."""
WHOLE = 1 << 20
"""Logs up to this size are compared whole when they change; of longer ones only the ends."""
WINDOW = 4096
"""Bytes compared at either end of a longer log."""
TICK_NS = 20_000_000
"""More than the clock tick of any system with fractions of a second."""
COARSE_TICK_NS = 2_000_000_000
"""For file systems with times in seconds, or every second one."""
SETTLED_NS = 50_000_000
"""A log rewritten more recently than this may be incomplete."""


class LogMark(NamedTuple):
    """Identity and times of a file; equal marks mean equal content."""

    dev: int
    ino: int
    size: int
    mtime_ns: int
    ctime_ns: int


def mark_at(path: str) -> LogMark | None:
    """Returns the mark of the file, whatever its type; None if missing."""
    try:
        return _mark(os.lstat(path))
    except OSError:
        return None


def read_ends(path: str, size: int) -> tuple[bytes, bytes, LogMark]:
    """Returns the first and last `size` bytes of a log, and its mark. Raises StoreUnavailable."""
    fd = _open(path)
    try:
        status = os.fstat(fd)
        head = files.read_at(fd, size, 0)
        tail = files.read_at(fd, size, max(0, status.st_size - size))
        return head, tail, _mark(status)
    finally:
        os.close(fd)


class LogFile:
    """One log. For one thread at a time; keeps nothing open between reads."""

    def __init__(self, path: str, *, chunk: int = CHUNK) -> None:
        self.path = path
        self.offset = 0
        """Bytes delivered so far."""
        self._chunk = chunk
        self._mark: LogMark | None = None
        self._young = False
        self._digest = _ContentDigest()

    @property
    def last_write_ms(self) -> int | None:
        """Last write to the content that was read (UTC ms)."""
        return None if self._mark is None else self._mark.mtime_ns // 1_000_000

    def changed(self) -> bool:
        """Returns False only if nothing was written since the last `advance`; one `lstat`."""
        return self._mark is None or self._young or mark_at(self.path) != self._mark

    def advance(self, deliver: Callable[[bytes], None], restart: Callable[[], None]) -> None:
        """Delivers appended bytes in chunks; calls `restart` first if the log was rewritten.

        Raises StoreUnavailable: gone, denied, not a regular file, or busy while being rewritten.
        """
        fd = _open(self.path)
        try:
            status = os.fstat(fd)
            if not self._continues(fd, status):
                if self.offset and _unsettled(status):
                    raise StoreUnavailable(Health.BUSY, "the log is being rewritten")
                self.offset, self._digest = 0, _ContentDigest()
                restart()
            self._read_on(fd, status.st_size, deliver)
        finally:
            os.close(fd)
        self._mark = _mark(status)
        self._young = _is_young(status)

    def read_at(self, offset: int, size: int) -> bytes:
        """Reads bytes delivered before. Raises StoreUnavailable if they may have changed."""
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
        """True if the delivered bytes are still the beginning of the file."""
        if self._mark is None or status.st_size < self.offset:
            return False
        if _mark(status) == self._mark and not self._young:
            return True
        other = self._mark[:2] != (status.st_dev, status.st_ino)
        return not (other and self.offset > WHOLE) and self._digest.matches(fd, self.offset)

    def _read_on(self, fd: int, size: int, deliver: Callable[[bytes], None]) -> None:
        while self.offset < size:
            data = files.read_at(fd, min(self._chunk, size - self.offset), self.offset)
            if not data:
                return
            self._digest.add(data, self.offset)
            self.offset += len(data)
            deliver(data)


class _ContentDigest:
    """Digest of the delivered bytes, to recognise them."""

    def __init__(self) -> None:
        self._whole = blake2b(digest_size=16)
        self._head = b""
        self._tail = b""

    def add(self, data: bytes, offset: int) -> None:
        """Adds the bytes at `offset`, which follow the previous ones."""
        if offset < WINDOW:
            self._head += data[: WINDOW - offset]
        self._tail = (self._tail + data[-WINDOW:])[-WINDOW:]
        if offset + len(data) <= WHOLE:
            self._whole.update(data)

    def matches(self, fd: int, offset: int) -> bool:
        """True if an open file still starts with these bytes (of many, compares the ends)."""
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
    """True if another write might leave the times unchanged (clock ticks)."""
    tick = COARSE_TICK_NS if status.st_mtime_ns % 1_000_000_000 == 0 else TICK_NS
    return -tick <= time.time_ns() - status.st_mtime_ns < tick
