"""Reads files and folders of others without a trace: no lock, no write, no access time if possible.

Opens regular files only, and never through a link in the last component: a pipe would block, a
device might act. Listings never follow links: every folder is opened from its parent.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_NOCTTY
_NO_ATIME = getattr(os, "O_NOATIME", 0)
CHUNK = 1 << 23
"""Bytes copied at once."""

_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISLNK, "a link"),
)


class NotRegular(Exception):
    """`path` is not a regular file but a `kind` such as "a pipe"."""

    def __init__(self, path: str, kind: str) -> None:
        super().__init__(f"{path} is {kind}")
        self.path = path
        self.kind = kind


class Moved(Exception):
    """A file disappeared or was replaced between two steps; retry."""


def open_regular(path: str) -> int | None:
    """Opens a regular file for reading; returns its descriptor, None if missing.

    Raises NotRegular, PermissionError and other OSError.
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
        return os.open(path, _FLAGS | _NO_ATIME)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise NotRegular(path, "a link") from error
        if error.errno != errno.EPERM or not _NO_ATIME:
            raise
    # Only the owner may use O_NOATIME.
    return os.open(path, _FLAGS)


def _require_regular(path: str, mode: int) -> None:
    if not stat.S_ISREG(mode):
        raise NotRegular(path, next((kind for test, kind in _KINDS if test(mode)), "no file"))


def read_at(fd: int, size: int, offset: int) -> bytes:
    """Reads up to `size` bytes at `offset`; fewer only at the end of the file."""
    return os.pread(fd, size, offset)


def copy_out(source: int, target: str, *, between: Callable[[], None] = lambda: None) -> int:
    """Copies a whole open file to a private path; returns the number of bytes.

    Concurrent writes may or may not be in the copy. Calls `between` after every chunk.
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
            # Some file systems do not support sendfile.
            if error.errno not in (errno.EINVAL, errno.ENOSYS):
                raise
    part = os.pread(source, min(CHUNK, 1 << 20), offset)
    return write_at(out, part, offset) if part else 0


def write_at(fd: int, data: bytes | memoryview, offset: int) -> int:
    """Writes all of `data` at `offset` of a private file; returns the number of bytes."""
    view, done = memoryview(data), 0
    while done < len(view):
        done += os.pwrite(fd, view[done:], offset + done)
    return done


def unlink(path: str) -> None:
    """Removes a private file if it exists."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return


MAX_ENTRIES = 5_000
"""Maximum names of one folder."""
MAX_NESTING = 3
"""Maximum nesting of folders."""

_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK


class Entry(NamedTuple):
    """One entry of a folder."""

    name: str
    is_file: bool
    is_folder: bool
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Listing:
    """The entries of a folder in order; empty if it is missing or not a folder."""

    entries: tuple[Entry, ...] = ()
    cut: bool = False
    """True if there are more entries than were read."""
    denied: bool = False
    mtime_ns: int = 0
    """Modification time of the folder; 0 if missing."""

    def files(self) -> Iterator[Entry]:
        """Yields the regular files."""
        return (entry for entry in self.entries if entry.is_file)

    def folders(self) -> Iterator[Entry]:
        """Yields the folders that are not links."""
        return (entry for entry in self.entries if entry.is_folder)


def safe_listdir(root: str, parts: Sequence[str] = (), limit: int = MAX_ENTRIES) -> Listing:
    """Lists the folder `parts` below `root`; empty if that is not possible. Never raises."""
    try:
        folder = _enter(root, parts)
    except PermissionError:
        return Listing(denied=True)
    except (OSError, ValueError):
        # Missing, not a folder, a link, or an impossible name.
        return Listing()
    try:
        return _list(folder, limit)
    except OSError:
        return Listing(denied=True)
    finally:
        os.close(folder)


def safe_walk(
    root: str, top: str, limit: int = MAX_ENTRIES, deepest: int = MAX_NESTING
) -> tuple[list[tuple[str, Entry]], bool]:
    """Returns regular files below `root/top`, with paths from `root`, and whether there are more.

    Sorted; at most `limit` files, in folders up to `deepest` levels below `top`.
    """
    found: list[tuple[str, Entry]] = []
    waiting: list[tuple[str, ...]] = [(top,)]
    cut = False
    while waiting and len(found) < limit:
        parts = waiting.pop()
        listing = safe_listdir(root, parts, limit)
        cut |= listing.cut
        found += [("/".join((*parts, entry.name)), entry) for entry in listing.files()]
        deeper = [(*parts, entry.name) for entry in listing.folders()]
        if len(parts) <= deepest:
            waiting += reversed(deeper)
        else:
            cut |= bool(deeper)
    return sorted(found[:limit]), cut or bool(waiting) or len(found) > limit


def _enter(root: str, parts: Sequence[str]) -> int:
    folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    for part in parts:
        if part in ("", ".", "..") or "/" in part:
            os.close(folder)
            raise ValueError(part)
        try:
            inner = _open_folder(part, folder)
        finally:
            os.close(folder)
        folder = inner
    return folder


def _open_folder(name: str, holder: int) -> int:
    try:
        return os.open(name, _FOLDER_FLAGS | _NO_ATIME, dir_fd=holder)
    except OSError as error:
        if error.errno != errno.EPERM or not _NO_ATIME:
            raise
    # Only the owner may use O_NOATIME.
    return os.open(name, _FOLDER_FLAGS, dir_fd=holder)


def _list(folder: int, limit: int) -> Listing:
    with os.scandir(folder) as found:
        names = [entry.name for entry in islice(found, limit + 1)]
    entries = [one for name in sorted(names[:limit]) if (one := _entry(name, folder)) is not None]
    return Listing(tuple(entries), len(names) > limit, False, os.fstat(folder).st_mtime_ns)


def _entry(name: str, folder: int) -> Entry | None:
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return None
    mode = status.st_mode
    return Entry(name, stat.S_ISREG(mode), stat.S_ISDIR(mode), status.st_size, status.st_mtime_ns)
