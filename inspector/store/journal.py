"""Reading behind a hot rollback journal: private copies on which SQLite undoes what is unfinished.

A transaction over several databases names a super-journal at the end of each journal (SQLite file
format, section 3.2). SQLite would look it up, and remove it, in the watched folder; so the copy is
relieved of the name after we have looked ourselves.
"""

import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager

from inspector.store import image, raw
from inspector.store.fingerprint import Look, mark_of

_MAGIC = bytes.fromhex("d9d505f920a163d7")
_TAIL = struct.Struct(">II8s")
_LONGEST_NAME = 4096


def copy_with_journal(seen: Look, path: str, target: str) -> None:
    """Copies the database, then what lies beside it, to a private path; raises Moved.

    The order matters: a page is only written after the journal holds its old content, so a journal
    copied later undoes all that the copy of the database may hold.
    """
    image.remove(target)
    with _open(path) as source:
        if mark_of(source)[:2] != seen.identity:
            raise raw.Moved(path)
        raw.copy_out(source, target)
    for suffix in ("-journal", "-wal") if seen.has_wal else ("-journal",):
        with _open(path + suffix) as source:
            raw.copy_out(source, target + suffix)
    _forget_super_journal(target + "-journal")


@contextmanager
def _open(path: str) -> Iterator[int]:
    fd = raw.open_regular(path)
    if fd is None:
        raise raw.Moved(path)
    try:
        yield fd
    finally:
        os.close(fd)


def _forget_super_journal(journal: str) -> None:
    fd = os.open(journal, os.O_RDWR | os.O_CLOEXEC)
    try:
        name = super_journal(fd)
        if name is None:
            return
        if _stands(name):
            os.ftruncate(fd, os.fstat(fd).st_size - len(_MAGIC))
            return
    finally:
        os.close(fd)
    # Without its super-journal the transaction is complete, and the journal no longer counts.
    raw.unlink(journal)


def super_journal(fd: int) -> bytes | None:
    """The super-journal that an open journal names at its end, or None."""
    size = os.fstat(fd).st_size
    if size < _TAIL.size:
        return None
    length, checksum, magic = _TAIL.unpack(raw.read_at(fd, _TAIL.size, size - _TAIL.size))
    if magic != _MAGIC or not 0 < length <= min(_LONGEST_NAME, size - _TAIL.size):
        return None
    name = raw.read_at(fd, length, size - _TAIL.size - length)
    # SQLite sums signed characters.
    total = sum(byte - 256 if byte > 127 else byte for byte in name) & 0xFFFFFFFF
    return name if total == checksum and b"\0" not in name else None


def _stands(name: bytes) -> bool:
    if not os.path.isabs(name):
        return False
    try:
        return os.stat(name).st_size > 0
    except OSError:
        return False
