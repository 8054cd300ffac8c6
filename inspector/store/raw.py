"""Bytes of files that others own, without a trace: no lock, no write, no access time if we may.

Not here: what the bytes mean. Only regular files are ever opened, and never through a link in the
last part of a path: a pipe would wait for a writer, a device might do something.
"""

import errno
import os
import stat
import sys
from collections.abc import Callable

_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_NOCTTY
_QUIET = getattr(os, "O_NOATIME", 0)
CHUNK = 1 << 23
"""Bytes copied at a time."""

_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISLNK, "a link"),
)


class NotRegular(Exception):
    """Something else than a regular file stands at `path`: `kind` says what ("a pipe")."""

    def __init__(self, path: str, kind: str) -> None:
        super().__init__(f"{path} is {kind}")
        self.path = path
        self.kind = kind


class Moved(Exception):
    """A file vanished or changed places between two of our steps; looking again will tell."""


def open_regular(path: str) -> int | None:
    """A read-only descriptor of a regular file, or None when nothing is there.

    Raises NotRegular, PermissionError, and OSError as the system gives it.
    """
    try:
        _require_regular(path, os.lstat(path).st_mode)
        fd = _open(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        _require_regular(path, os.fstat(fd).st_mode)
    except NotRegular:
        os.close(fd)
        raise
    return fd


def _open(path: str) -> int:
    try:
        return os.open(path, _FLAGS | _QUIET)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise NotRegular(path, "a link") from error
        if error.errno != errno.EPERM or not _QUIET:
            raise
    # Only a file's owner may read it without leaving an access time.
    return os.open(path, _FLAGS)


def _require_regular(path: str, mode: int) -> None:
    if not stat.S_ISREG(mode):
        raise NotRegular(path, next((kind for test, kind in _KINDS if test(mode)), "no file"))


def read_at(fd: int, size: int, offset: int) -> bytes:
    """Up to `size` bytes from `offset`; fewer only at the end of the file."""
    return os.pread(fd, size, offset)


def copy_out(source: int, target: str, *, between: Callable[[], None] = lambda: None) -> int:
    """Copies a whole open file to a private path of ours; gives the number of bytes.

    What is written to the source meanwhile may or may not be in the copy. `between` is called
    after every part.
    """
    out = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        offset = 0
        while sent := _send(source, out, offset):
            offset += sent
            between()
        return offset
    finally:
        os.close(out)


def _send(source: int, out: int, offset: int) -> int:
    if sys.platform == "linux":
        try:
            return os.sendfile(out, source, offset, CHUNK)
        except OSError as error:
            # Some file systems cannot be sent from.
            if error.errno not in (errno.EINVAL, errno.ENOSYS):
                raise
    part = os.pread(source, min(CHUNK, 1 << 20), offset)
    return write_at(out, part, offset) if part else 0


def write_at(fd: int, data: bytes | memoryview, offset: int) -> int:
    """Writes all of `data` at `offset` of a private file; gives the number of bytes."""
    view, done = memoryview(data), 0
    while done < len(view):
        done += os.pwrite(fd, view[done:], offset + done)
    return done


def unlink(path: str) -> None:
    """Removes a private file if it is there."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
