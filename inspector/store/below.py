"""Folders below a run folder, listed without ever following a link and with a limit.

What lies there was written by agents: a name may lead anywhere, so every folder on the way is
opened from the one before it and none of them may be a link.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

MOST = 5_000
"""Names of one folder."""
DEEPEST = 3
"""Folders inside one another."""

_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_QUIET = getattr(os, "O_NOATIME", 0)


class Entry(NamedTuple):
    """One name in a folder."""

    name: str
    is_file: bool
    is_folder: bool
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Listing:
    """The names of a folder in their order; none where it is not there or is no folder."""

    entries: tuple[Entry, ...] = ()
    cut: bool = False
    """There are more names than were read."""
    denied: bool = False
    mtime_ns: int = 0
    """When a name was last added or removed; 0 where there is no such folder."""

    def files(self) -> Iterator[Entry]:
        """The regular files."""
        return (entry for entry in self.entries if entry.is_file)

    def folders(self) -> Iterator[Entry]:
        """The folders that are no links."""
        return (entry for entry in self.entries if entry.is_folder)


def list_below(root: str, parts: Sequence[str] = (), limit: int = MOST) -> Listing:
    """The folder `parts` below `root`. Raises nothing: what cannot be listed is empty."""
    try:
        folder = _enter(root, parts)
    except PermissionError:
        return Listing(denied=True)
    except (OSError, ValueError):
        # Not there, no folder, a link, or a name that no file can have.
        return Listing()
    try:
        return _list(folder, limit)
    except OSError:
        return Listing(denied=True)
    finally:
        os.close(folder)


def files_below(
    root: str, top: str, limit: int = MOST, deepest: int = DEEPEST
) -> tuple[list[tuple[str, Entry]], bool]:
    """Regular files below `root/top` with their paths from `root`, sorted; whether there are more.

    At most `limit` of them, and only in folders up to `deepest` levels below `top`.
    """
    found: list[tuple[str, Entry]] = []
    waiting: list[tuple[str, ...]] = [(top,)]
    cut = False
    while waiting and len(found) < limit:
        parts = waiting.pop()
        listing = list_below(root, parts, limit)
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
            inner = _open(part, folder)
        finally:
            os.close(folder)
        folder = inner
    return folder


def _open(name: str, holder: int) -> int:
    try:
        return os.open(name, _FLAGS | _QUIET, dir_fd=holder)
    except OSError as error:
        if error.errno != errno.EPERM or not _QUIET:
            raise
    # Only a folder's owner may list it without leaving an access time.
    return os.open(name, _FLAGS, dir_fd=holder)


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
