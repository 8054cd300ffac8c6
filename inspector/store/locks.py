"""Asking whether someone is writing, without taking a lock (POSIX `F_GETLK`).

SQLite's writers hold a write lock on the shared range of a database while they change its pages
("File Locking And Concurrency In SQLite Version 3", EXCLUSIVE). Where the answer cannot be had
(other systems than 64-bit Linux and macOS, file systems without locks), it is None: then a writer
that keeps its journal in memory, or none, can be told only by the file's modification time.
"""

import fcntl
import struct
import sys

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
