"""The state of a database and its companion files at an instant, to detect changes around a read.

Takes tens of microseconds. Sizes in bytes, modification times in ns. Includes the resolution of
file times, and whether a writer holds a lock (POSIX `F_GETLK`, which takes none).
"""

from __future__ import annotations

import fcntl
import os
import re
import struct
import sys
import time
from functools import lru_cache
from typing import NamedTuple

from inspector.store import files

TICK_NS = 20_000_000
"""More than the clock tick of any system with fractions of a second."""
COARSE_TICK_NS = 2_000_000_000
"""For file systems with times in seconds, or every second one."""

MOUNTINFO = "/proc/self/mountinfo"
_FINE_SINCE = (6, 13)
_FINE = frozenset({"ext4", "tmpfs", "xfs"})
_REMEMBERED_S = 60


def tick_ns(dev: int, mtime_ns: int) -> int:
    """Returns how long after `mtime_ns` a write may leave it unchanged; 0 if never."""
    if mtime_ns % 1_000_000_000 == 0:
        return COARSE_TICK_NS
    return 0 if every_write_shows(dev) else TICK_NS


def every_write_shows(dev: int) -> bool:
    """True if every write after a read changes the time on this device; False if unknown."""
    # A device number may later mean another file system: cache briefly.
    return _is_fine(dev, int(time.monotonic()) // _REMEMBERED_S)


@lru_cache(maxsize=64)
def _is_fine(dev: int, _when: int) -> bool:
    if sys.platform != "linux" or _kernel(os.uname().release) < _FINE_SINCE:
        return False
    try:
        with open(MOUNTINFO, encoding="utf-8", errors="surrogateescape") as table:
            return kind_of(dev, table.read()) in _FINE
    except OSError:
        return False


def kind_of(dev: int, mountinfo: str) -> str:
    """Returns the file system type of a device (proc(5), `mountinfo`); empty if unknown."""
    wanted = f"{os.major(dev)}:{os.minor(dev)}"
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        fields = before.split(" ")
        if len(fields) > 2 and fields[2] == wanted:
            return after.split(" ")[0]
    return ""


def _kernel(release: str) -> tuple[int, int]:
    match = re.match(r"(\d+)\.(\d+)", release)
    return (int(match[1]), int(match[2])) if match else (0, 0)


_SHARED_FIRST = 0x40000000 + 2
_SHARED_SIZE = 510

# `struct flock`: the fields before and after start and length, and the index of the type.
if sys.platform == "linux" and struct.calcsize("P") == 8:
    _FLOCK = struct.Struct("hhqqi4x")
    _QUESTION = _FLOCK.pack(fcntl.F_RDLCK, 0, _SHARED_FIRST, _SHARED_SIZE, 0)
    _TYPE = 0
elif sys.platform == "darwin":
    _FLOCK = struct.Struct("qqihh")
    _QUESTION = _FLOCK.pack(_SHARED_FIRST, _SHARED_SIZE, 0, fcntl.F_RDLCK, 0)
    _TYPE = 3
else:
    _FLOCK = struct.Struct("")
    _QUESTION = b""
    _TYPE = 0

KNOWN = bool(_QUESTION)
"""True if this system can report locks."""


def being_written(fd: int) -> bool | None:
    """Returns whether another process may be writing pages of the database; None if unknown.

    SQLite writers lock the shared range while they change pages ("File Locking And Concurrency In
    SQLite Version 3", EXCLUSIVE). Locks of this process are not visible.
    """
    if not KNOWN:
        return None
    try:
        answer = fcntl.fcntl(fd, fcntl.F_GETLK, _QUESTION)
    except OSError:
        return None
    return bool(_FLOCK.unpack(answer)[_TYPE] == fcntl.F_WRLCK)


HEAD_SIZE = 100
"""Database header (SQLite file format, section 1.3)."""
JOURNAL_HEAD_SIZE = 28
"""The meaningful part of a rollback journal's header (section 3)."""
WAL_HEAD_SIZE = 32
"""Header of a write-ahead log (section 4.1)."""
MAGIC = b"SQLite format 3\0"

_FS_IOC_GETVERSION = 0x80087601


class Mark(NamedTuple):
    """Identity, size and modification time of a file."""

    dev: int
    ino: int
    size: int
    mtime_ns: int


class WalGeneration(NamedTuple):
    """The time between two resets of a write-ahead log, each of which changes the header's salts.

    Within a generation no committed frame is overwritten, and the database changes only in pages
    with a committed frame in the log.
    """

    dev: int
    ino: int
    birth: int
    wal_dev: int
    wal_ino: int
    header: bytes


class FileState(NamedTuple):
    """The state of a database and its companions; a missing file has no mark and an empty head."""

    at_ns: int
    db: Mark
    birth: int
    head: bytes
    being_written: bool | None
    journal: Mark | None
    journal_head: bytes
    wal: Mark | None
    wal_head: bytes

    @property
    def journal_hot(self) -> bool:
        """True if SQLite would roll back the journal once its writer is dead."""
        return self.journal_head[:1] > b"\0"

    @property
    def journal_idle(self) -> bool:
        """True if no transaction uses the journal: absent, truncated, or with a zeroed header."""
        return not any(self.journal_head)

    @property
    def has_wal(self) -> bool:
        """True if there is a write-ahead log with a complete header."""
        return len(self.wal_head) == WAL_HEAD_SIZE

    @property
    def identity(self) -> tuple[int, int]:
        """Device and inode of the database."""
        return self.db.dev, self.db.ino

    @property
    def generation(self) -> WalGeneration:
        """The generation of the log; its part is zero without one."""
        wal = self.wal or Mark(0, 0, 0, 0)
        return WalGeneration(self.db.dev, self.db.ino, self.birth, wal.dev, wal.ino, self.wal_head)

    @property
    def journal_key(self) -> tuple[object, ...]:
        """Identifies the hot journal; its record count may grow."""
        if not self.journal_hot or self.journal is None:
            return ()
        return self.journal.dev, self.journal.ino, self.journal_head[12:]

    def is_stable(self, later: FileState) -> bool:
        """True if nothing changed up to `later` that matters to a read without a log."""
        return self._stable_part == later._stable_part

    @property
    def _stable_part(self) -> tuple[object, ...]:
        return (self.db, self.birth, self.head, self.being_written, self.journal_key, self.has_wal)

    @property
    def last_write_ms(self) -> int:
        """Last write to the database, its journal or its log (UTC ms)."""
        newest = self.db.mtime_ns
        for mark in (self.journal, self.wal):
            if mark is not None and mark.mtime_ns > newest:
                newest = mark.mtime_ns
        return newest // 1_000_000

    @property
    def racy_for_ns(self) -> int:
        """How long a later write may leave the modification time unchanged; 0 if never.

        0 for a time in the future, which no write repeats.
        """
        tick = tick_ns(self.db.dev, self.db.mtime_ns)
        age = self.at_ns - self.db.mtime_ns
        return tick - age if -tick <= age < tick else 0


def file_state(path: str, now_ns: int) -> FileState | None:
    """Returns the state of the database at a resolved path; None if missing.

    Raises NotRegular, and OSError with `filename`.
    """
    fd = files.open_regular(path)
    if fd is None:
        return None
    try:
        head = files.read_at(fd, HEAD_SIZE, 0)
        status = os.fstat(fd)
        # Lock after status: a later write changes the next status.
        writing = being_written(fd)
        birth = _birth(fd, status)
    finally:
        os.close(fd)
    journal, journal_head = _beside(path + "-journal", JOURNAL_HEAD_SIZE)
    wal, wal_head = _beside(path + "-wal", WAL_HEAD_SIZE)
    return FileState(
        now_ns, mark_from(status), birth, head, writing, journal, journal_head, wal, wal_head
    )


def generation_of(path: str) -> WalGeneration | None:
    """Returns the current generation of the log beside a database; None if either is missing."""
    fd = files.open_regular(path)
    if fd is None:
        return None
    try:
        status = os.fstat(fd)
        birth = _birth(fd, status)
    finally:
        os.close(fd)
    wal, header = _beside(path + "-wal", WAL_HEAD_SIZE)
    if wal is None or len(header) < WAL_HEAD_SIZE:
        return None
    return WalGeneration(status.st_dev, status.st_ino, birth, wal.dev, wal.ino, header)


def mark_of(fd: int) -> Mark:
    """Returns the mark of an open file."""
    return mark_from(os.fstat(fd))


def mark_from(status: os.stat_result) -> Mark:
    """Returns the mark in a file's status."""
    return Mark(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


def _beside(path: str, size: int) -> tuple[Mark | None, bytes]:
    fd = files.open_regular(path)
    if fd is None:
        return None, b""
    try:
        head = files.read_at(fd, size, 0)
        return mark_of(fd), head
    finally:
        os.close(fd)


# Inode numbers are reused; the birth time distinguishes files, where available.
if sys.platform == "linux":
    import fcntl

    def _birth(fd: int, status: os.stat_result) -> int:
        try:
            answer = fcntl.ioctl(fd, _FS_IOC_GETVERSION, bytes(8))
        except OSError:
            return 0
        return int(struct.unpack("I", answer[:4])[0])

else:

    def _birth(fd: int, status: os.stat_result) -> int:
        return int(getattr(status, "st_birthtime", 0) * 1_000_000)
