"""One glance at a database and the files beside it: enough to know whether anything moved.

Costs tens of microseconds. Sizes in bytes, modification times in ns. Not here: waiting, copying,
what a change means for a reader.
"""

import os
import struct
import sys
from typing import NamedTuple

from inspector.store import raw, stamps
from inspector.store.locks import being_written

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
        tick = stamps.tick_ns(self.db.dev, self.db.mtime_ns)
        age = self.at_ns - self.db.mtime_ns
        return tick - age if -tick <= age < tick else 0


def look(path: str, now_ns: int) -> Look | None:
    """Looks at the database at a resolved path; None when it is not there.

    Raises NotRegular, and OSError with the `filename` that refused.
    """
    fd = raw.open_regular(path)
    if fd is None:
        return None
    try:
        head = raw.read_at(fd, HEAD_SIZE, 0)
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
    fd = raw.open_regular(path)
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
    fd = raw.open_regular(path)
    if fd is None:
        return None, b""
    try:
        head = raw.read_at(fd, size, 0)
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
