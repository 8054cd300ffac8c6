"""One glance at a database and the files beside it: enough to know whether anything moved.

Costs tens of microseconds. Sizes in bytes, modification times in ns. Not here: waiting, copying,
what a change means for a reader.
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
"""Coarser than the clock of any system that keeps fractions of a second."""
COARSE_TICK_NS = 2_000_000_000
"""For file systems that keep whole seconds, or every second one."""

MOUNTINFO = "/proc/self/mountinfo"
_FINE_SINCE = (6, 13)
_FINE = frozenset({"ext4", "tmpfs", "xfs"})
_REMEMBERED_S = 60


def tick_ns(dev: int, mtime_ns: int) -> int:
    """How long after a modification time a write may still leave it as it is; 0 if never."""
    if mtime_ns % 1_000_000_000 == 0:
        return COARSE_TICK_NS
    return 0 if every_write_shows(dev) else TICK_NS


def every_write_shows(dev: int) -> bool:
    """Whether a write after a look always changes the time on this device; no if unknown."""
    # A device number may come to mean another file system, though not between two blinks.
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
    """The kind of file system on a device (proc(5), `mountinfo`); empty when it is not told."""
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

# Shape of `struct flock`, the arguments before and after start and length, where the type lies.
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
"""Whether this system can be asked at all."""


def being_written(fd: int) -> bool | None:
    """Whether another process may change pages of the database right now; None when unknown.

    Locks of our own process are not seen, so a writer inside it is not either.
    """
    if not KNOWN:
        return None
    try:
        answer = fcntl.fcntl(fd, fcntl.F_GETLK, _QUESTION)
    except OSError:
        return None
    return bool(_FLOCK.unpack(answer)[_TYPE] == fcntl.F_WRLCK)


HEAD_SIZE = 100
"""The database header (SQLite file format, section 1.3)."""
JOURNAL_HEAD_SIZE = 28
"""The part of a rollback journal's header that carries meaning (section 3)."""
WAL_HEAD_SIZE = 32
"""The header of a write-ahead log (section 4.1)."""
MAGIC = b"SQLite format 3\0"

_FS_IOC_GETVERSION = 0x80087601


class Mark(NamedTuple):
    """Which file it is, how long, and when it was last written."""

    dev: int
    ino: int
    size: int
    mtime_ns: int


class WalGeneration(NamedTuple):
    """The span between two resets of a write-ahead log: its header carries fresh salts each time.

    Within one generation no committed frame is overwritten, and the database changes only in pages
    that have a committed frame in the log.
    """

    dev: int
    ino: int
    birth: int
    wal_dev: int
    wal_ino: int
    header: bytes


class Look(NamedTuple):
    """What one glance told. Files that are not there have no mark and an empty head."""

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
        """A journal that SQLite would play back if its writer is dead."""
        return self.journal_head[:1] > b"\0"

    @property
    def journal_idle(self) -> bool:
        """No transaction uses the journal: it is absent, cut to nothing, or its header zeroed."""
        return not any(self.journal_head)

    @property
    def has_wal(self) -> bool:
        """Whether a write-ahead log with a whole header is there."""
        return len(self.wal_head) == WAL_HEAD_SIZE

    @property
    def identity(self) -> tuple[int, int]:
        """Device and inode of the database."""
        return self.db.dev, self.db.ino

    @property
    def generation(self) -> WalGeneration:
        """The generation of the log that is there; without one its part is zero."""
        wal = self.wal or Mark(0, 0, 0, 0)
        return WalGeneration(self.db.dev, self.db.ino, self.birth, wal.dev, wal.ino, self.wal_head)

    @property
    def journal_key(self) -> tuple[object, ...]:
        """Which hot journal it is; its record count may grow without making it another."""
        if not self.journal_hot or self.journal is None:
            return ()
        return self.journal.dev, self.journal.ino, self.journal_head[12:]

    @property
    def calm(self) -> tuple[object, ...]:
        """What must be equal before and after a read that no write-ahead log covers."""
        return (self.db, self.birth, self.head, self.being_written, self.journal_key, self.has_wal)

    @property
    def last_write_ms(self) -> int:
        """When the database, its journal or its log was last written (UTC ms)."""
        newest = self.db.mtime_ns
        for mark in (self.journal, self.wal):
            if mark is not None and mark.mtime_ns > newest:
                newest = mark.mtime_ns
        return newest // 1_000_000

    @property
    def racy_for_ns(self) -> int:
        """How long a later write might still leave the modification time as it is; 0 if never.

        A time in the future cannot be met again.
        """
        tick = tick_ns(self.db.dev, self.db.mtime_ns)
        age = self.at_ns - self.db.mtime_ns
        return tick - age if -tick <= age < tick else 0


def look(path: str, now_ns: int) -> Look | None:
    """Looks at the database at a resolved path; None when it is not there.

    Raises NotRegular, and OSError with the `filename` that refused.
    """
    fd = files.open_regular(path)
    if fd is None:
        return None
    try:
        head = files.read_at(fd, HEAD_SIZE, 0)
        status = os.fstat(fd)
        # The lock after the status: what is written later shows in the next look's status.
        writing = being_written(fd)
        birth = _birth(fd, status)
    finally:
        os.close(fd)
    journal, journal_head = _beside(path + "-journal", JOURNAL_HEAD_SIZE)
    wal, wal_head = _beside(path + "-wal", WAL_HEAD_SIZE)
    return Look(
        now_ns, mark_from(status), birth, head, writing, journal, journal_head, wal, wal_head
    )


def generation_of(path: str) -> WalGeneration | None:
    """The generation of the log beside a database now; None when either is not there."""
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
    """The mark of an open file."""
    return mark_from(os.fstat(fd))


def mark_from(status: os.stat_result) -> Mark:
    """The mark that a file's status gives."""
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


# An inode number is given again to the next new file; this tells the two apart where it exists.
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
