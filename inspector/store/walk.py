"""Going through folders: each once, not too many, and saying so where it could not look.

Directories are read with `os.scandir`; no file is opened.
"""

import errno
import os
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from inspector.store.places import MARKED, SKIPPED, Limits, Notice, counted


@dataclass(slots=True)
class Level:
    """One folder of a walk. What is removed from `folders` is not entered."""

    path: str
    depth: int
    folders: dict[str, str]
    """Name to real path, links included."""
    files: list["os.DirEntry[str]"]
    """All that is not a folder; links among them may be broken."""


class Ground:
    """Which folders were entered, and what kept us out of others."""

    def __init__(self) -> None:
        self.entered: set[str] = set()
        self._notices: dict[tuple[str, str | None], Notice] = {}

    @property
    def notices(self) -> tuple[Notice, ...]:
        """One notice for each code and path, sorted by path."""
        return tuple(sorted(self._notices.values(), key=lambda n: (n.path or "", n.code)))

    def note(self, code: str, message: str, path: str) -> None:
        """Keeps a notice, the first of its code and path."""
        self._notices.setdefault((code, path), Notice(code, message, path))

    def refused(self, path: str, error: OSError) -> None:
        """Keeps that a path could not be looked at, unless it has merely gone.

        Where a folder hides what is in it, the notice is about that folder, once.
        """
        if isinstance(error, FileNotFoundError | NotADirectoryError):
            return
        while isinstance(error, PermissionError) and _is_hidden(path):
            path = os.path.dirname(path)
        self.note("unreadable", f"{path} cannot be read: {error.strerror or error}.", path)

    def entries(self, folder: str, limit: int) -> list["os.DirEntry[str]"] | None:
        """Up to `limit` entries of a folder, unsorted; None where it cannot be read."""
        try:
            with os.scandir(folder) as found:
                return list(islice(found, limit))
        except OSError as error:
            self.refused(folder, error)
            return None

    def folder_of(self, entry: "os.DirEntry[str]", holder: str) -> str | None:
        """The real folder behind an entry of the real folder `holder`; None if it is none.

        A link that leads to where it lies, or above it, is cut with a notice.
        """
        try:
            if entry.is_dir(follow_symlinks=False):
                return entry.path
            if not entry.is_symlink():
                return None
            real = os.path.realpath(entry.path, strict=True)
            if not os.path.isdir(real):
                return None
        except OSError as error:
            if error.errno == errno.ELOOP:
                self.note("link_loop", f"{entry.path} is a link that leads to itself.", entry.path)
            else:
                self.refused(entry.path, error)
            return None
        if f"{holder}/".startswith(real.rstrip("/") + "/"):
            self.note("link_loop", f"{entry.path} is a link to a folder above it.", entry.path)
            return None
        return real

    def walk(self, top: str, limits: Limits) -> Iterator[Level]:
        """Folders from `top` down, the near ones first, those behind links last.

        Ends with a notice `limit` when more than `limits.entries` names were seen.
        """
        near: deque[tuple[str, int]] = deque([(top, 0)])
        linked: deque[tuple[str, int]] = deque()
        budget = limits.entries
        while near or linked:
            path, depth = (near or linked).popleft()
            if path in self.entered:
                continue
            self.entered.add(path)
            entries = self.entries(path, budget + 1)
            if entries is None:
                continue
            over = len(entries) > budget
            level = self._level(path, depth, entries[:budget])
            budget -= len(entries)
            if level is not None:
                yield level
                if depth < limits.depth:
                    for name, real in level.folders.items():
                        queue = linked if real != os.path.join(path, name) else near
                        queue.append((real, depth + 1))
            if over:
                self._too_many(top, limits)
                return

    def _level(self, path: str, depth: int, entries: list["os.DirEntry[str]"]) -> Level | None:
        level = Level(path, depth, {}, [])
        for entry in sorted(entries, key=lambda entry: entry.name):
            if depth and entry.name in MARKED:
                return None
            real = self.folder_of(entry, path)
            if real is None:
                level.files.append(entry)
            elif entry.name not in SKIPPED:
                level.folders[entry.name] = real
        return level

    def _too_many(self, top: str, limits: Limits) -> None:
        seen = counted(limits.entries, "name")
        self.note(
            "limit",
            f"Stopped looking below {top} after {seen}: what lies deeper is not shown. "
            "Name a folder nearer to the runs.",
            top,
        )


def _is_hidden(path: str) -> bool:
    try:
        os.lstat(path)
    except PermissionError:
        return os.path.dirname(path) != path
    except OSError:
        pass
    return False
