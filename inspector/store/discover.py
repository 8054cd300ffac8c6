"""Discovery: finds possible stores of runs from the PATHs of the user, or from known places.

Nothing is decided by a name alone: discovery proposes, the tables decide. Only folders are read,
and the first 16 bytes of files that are named like a database.
"""

from __future__ import annotations

import errno
import os
import stat
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from inspector.store.places import (
    DATABASE_MAGIC,
    MARKED,
    SKIPPED,
    Candidate,
    Discovery,
    Limits,
    Looked,
    MissingPath,
    Notice,
    PlaceKind,
    counted,
    database_of,
    is_database_name,
)


@dataclass(slots=True)
class Level:
    """One folder of a walk; remove entries of `folders` to skip them."""

    path: str
    depth: int
    folders: dict[str, str]
    """Name → real path, including links."""
    files: list[os.DirEntry[str]]
    """Everything else; links may be broken."""


class FolderWalk:
    """Folders entered so far, and notices about those that could not be."""

    def __init__(self) -> None:
        self.entered: set[str] = set()
        self._notices: dict[tuple[str, str | None], Notice] = {}

    @property
    def notices(self) -> tuple[Notice, ...]:
        """One notice per code and path, sorted by path."""
        return tuple(sorted(self._notices.values(), key=lambda n: (n.path or "", n.code)))

    def note(self, code: str, message: str, path: str) -> None:
        """Add a notice, unless there is one of this code and path."""
        self._notices.setdefault((code, path), Notice(code, message, path))

    def refused(self, path: str, error: OSError) -> None:
        """Add a notice that a path could not be read, unless it is merely gone.

        For a path inside an unreadable folder the notice is about that folder.
        """
        if isinstance(error, FileNotFoundError | NotADirectoryError):
            return
        while isinstance(error, PermissionError) and _is_hidden(path):
            path = os.path.dirname(path)
        self.note("unreadable", f"{path} cannot be read: {error.strerror or error}.", path)

    def entries(self, folder: str, limit: int) -> list[os.DirEntry[str]] | None:
        """Return up to `limit` entries of a folder, unsorted; None if it cannot be read."""
        try:
            with os.scandir(folder) as found:
                return list(islice(found, limit))
        except OSError as error:
            self.refused(folder, error)
            return None

    def folder_of(self, entry: os.DirEntry[str], holder: str) -> str | None:
        """Return the real folder behind an entry of the real folder `holder`; None if not a folder.

        A link to its own folder or an ancestor is skipped with a notice.
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
                self.note("link_loop", f"{entry.path} is a link to itself.", entry.path)
            else:
                self.refused(entry.path, error)
            return None
        if f"{holder}/".startswith(real.rstrip("/") + "/"):
            self.note("link_loop", f"{entry.path} is a link to a folder above it.", entry.path)
            return None
        return real

    def walk(self, top: str, limits: Limits) -> Iterator[Level]:
        """Yield folders from `top` down, breadth first, those behind links last.

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

    def _level(self, path: str, depth: int, entries: list[os.DirEntry[str]]) -> Level | None:
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


__all__ = [
    "Candidate",
    "Discovery",
    "Limits",
    "Looked",
    "MissingPath",
    "Notice",
    "PlaceKind",
    "discover",
]

_NO_LIMITS = Limits()


class Layout:
    """The places where one runtime keeps its stores. All methods are optional.

    A layout proposes candidates to the `Search` that it was created for.
    """

    own_names: frozenset[str] = frozenset()
    """Database names that only this runtime uses: listed even if empty or unreadable."""

    def project(self, folder: str) -> None:
        """Look at the known places of a project."""

    def home(self, home: str) -> None:
        """Look at the user's own places below the home folder."""

    def named_folder(self, folder: str) -> bool:
        """Propose a folder that the user named; True unless its content is still to be searched."""
        return False

    def named_file(self, path: str) -> bool:
        """Propose a file that the user named; False if it is not one of this runtime's."""
        return False

    def starts(self, top: str) -> tuple[str, ...]:
        """Return the folders where a walk through `top` begins; none = no opinion."""
        return ()

    def level(self, level: Level, *, named: bool) -> bool:
        """Take this runtime's folders out of a level of a walk; True if the level is a store."""
        return False

    def database(self, path: str, level: Level) -> bool:
        """Propose a database found by a walk; False to have it proposed as any other."""
        return False


def discover(
    paths: Sequence[str],
    layouts: Iterable[LayoutFactory],
    *,
    home: str | None,
    cwd: str,
    limits: Limits = _NO_LIMITS,
) -> Discovery:
    """Search each PATH (project, folder of runs, run folder, file), else `cwd` and `home`.

    `layouts` say where each runtime keeps its stores; databases of other names are proposed as
    well. Raises MissingPath when a PATH does not exist. Whatever else cannot be read is a notice.
    """
    search = Search(cwd, home, limits, layouts)
    if paths:
        for path in paths:
            search.named(path)
    else:
        search.project(os.path.realpath(cwd))
        if home is not None:
            search.home(os.path.realpath(home))
    return search.result()


class Search:
    """One search and its results so far; layouts add to it through its methods."""

    def __init__(
        self, cwd: str, home: str | None, limits: Limits, layouts: Iterable[LayoutFactory]
    ) -> None:
        self.limits = limits
        self._cwd = os.path.realpath(cwd)
        self._home = home and os.path.realpath(home)
        self._walk = FolderWalk()
        self._candidates: dict[str, Candidate] = {}
        self._looked: list[Looked] = []
        self._roots: dict[str, None] = {}
        self._folders: dict[str, None] = {}
        self._layouts: list[Layout] = [make(self) for make in layouts]
        self._own_names = frozenset[str]().union(*(one.own_names for one in self._layouts))

    def result(self) -> Discovery:
        """Return all of it, sorted by path."""
        return Discovery(
            tuple(sorted(self._candidates.values(), key=lambda found: found.path)),
            tuple(self._looked),
            self._walk.notices,
            tuple(self._roots),
            tuple(self._folders),
        )

    def named(self, path: str) -> None:
        """Search a PATH that the user named."""
        real = database_of(os.path.realpath(os.path.join(self._cwd, path)))
        try:
            mode = os.stat(real).st_mode
        except (FileNotFoundError, NotADirectoryError):
            raise MissingPath(path) from None
        except OSError as error:
            self.refused(real, error)
            self.looked(real, "cannot be read")
            return
        if not stat.S_ISDIR(mode):
            self._named_file(real, mode)
        elif not any([layout.named_folder(real) for layout in self._layouts]):
            self.project(real, named=True)

    def project(self, folder: str, *, named: bool = False) -> None:
        """Search the known places of a project, then look for other databases below it."""
        for layout in self._layouts:
            layout.project(folder)
        self.databases_below(folder, named=named)

    def home(self, home: str) -> None:
        """Search the user's own places, and nothing else in the home folder."""
        for layout in self._layouts:
            layout.home(home)

    def _named_file(self, path: str, mode: int) -> None:
        self._folders[os.path.dirname(path)] = None
        if any(layout.named_file(path) for layout in self._layouts):
            return
        if stat.S_ISREG(mode):
            self.propose(Candidate(path, PlaceKind.DATABASE, os.path.dirname(path)))
            self.looked(path, "1 file")
        else:
            self._not_a_file(path)
            self.looked(path, "not a file")

    def databases_below(self, top: str, *, named: bool) -> None:
        """Walk through a folder and propose runs and databases by name and first bytes."""
        before = len(self._candidates)
        starts = [start for layout in self._layouts for start in layout.starts(top) or ()]
        for start in starts or (top,):
            for level in self._walk.walk(start, self.limits):
                if len(self._folders) < self.limits.folders:
                    self._folders[level.path] = None
                if not any([layout.level(level, named=named) for layout in self._layouts]):
                    for entry in level.files:
                        self._file(entry, level, top)
        more = len(self._candidates) - before
        outcome = f"{more:,} more in folders below" if more else "nothing more"
        self.looked(os.path.join(top, "*.db"), outcome)

    def _file(self, entry: os.DirEntry[str], level: Level, top: str) -> None:
        if not is_database_name(entry.name) or not self.is_database(entry):
            return
        path = os.path.realpath(entry.path)
        if any(layout.database(path, level) for layout in self._layouts):
            return
        self.propose(Candidate(path, PlaceKind.DATABASE, top))

    def is_database(self, entry: os.DirEntry[str]) -> bool:
        """Return whether an entry is a regular file that starts like a database, or is known.

        A name that a runtime uses is worth showing even while the file is empty or unreadable.
        """
        try:
            mode = os.stat(entry.path).st_mode
            if not stat.S_ISREG(mode):
                self._not_a_file(entry.path)
                return False
            return entry.name in self._own_names or _starts_like_a_database(entry.path)
        except OSError as error:
            self.refused(entry.path, error)
            return False

    def known_file(self, path: str, kind: PlaceKind, root: str) -> bool:
        """Propose a file of a known place if it is a regular file, whatever it holds."""
        try:
            mode = os.stat(path).st_mode
        except OSError as error:
            self.refused(path, error)
            return False
        if not stat.S_ISREG(mode):
            self._not_a_file(path)
            return False
        real = os.path.realpath(path)
        self.propose(Candidate(real, kind, root))
        self._folders[os.path.dirname(real)] = None
        return True

    def propose(self, candidate: Candidate) -> None:
        """Add a candidate, the first of its path."""
        self._candidates.setdefault(candidate.path, candidate)

    def is_proposed(self, path: str) -> bool:
        """Return whether a candidate with this path has been added."""
        return path in self._candidates

    def watch_root(self, folder: str) -> None:
        """Have a folder watched with everything below it; it may not exist yet."""
        self._roots[folder] = None

    def watch_folder(self, folder: str) -> None:
        """Have an existing folder watched, not recursively."""
        self._folders[folder] = None

    def mark_entered(self, folder: str) -> None:
        """Keep walks out of a folder."""
        self._walk.entered.add(folder)

    def is_skipped(self, name: str) -> bool:
        """Return whether a folder of this name is never entered."""
        return name in SKIPPED

    def entries(self, folder: str, limit: int) -> list[os.DirEntry[str]] | None:
        """Return up to `limit` entries of a folder, unsorted; None if it cannot be read."""
        return self._walk.entries(folder, limit)

    def folder_of(self, entry: os.DirEntry[str], holder: str) -> str | None:
        """Return the real folder behind an entry of the real folder `holder`; None if no folder."""
        return self._walk.folder_of(entry, holder)

    def note(self, code: str, message: str, path: str) -> None:
        """Add a notice."""
        self._walk.note(code, message, path)

    def refused(self, path: str, error: OSError) -> None:
        """Add a notice that a path could not be read, unless it is merely gone."""
        self._walk.refused(path, error)

    def _not_a_file(self, path: str) -> None:
        self.note("refused", f"{path} is not a regular file and is not opened.", path)

    def looked(self, path: str, outcome: str) -> None:
        """Record the result at a place, once, under the path the user would use."""
        shown = path
        for base, sign in ((self._cwd, "."), (self._home, "~")):
            if base and f"{path}/".startswith(base.rstrip("/") + "/"):
                shown = sign + path[len(base.rstrip("/")) :]
                break
        found = Looked(shown, outcome, path)
        if found not in self._looked:
            self._looked.append(found)


LayoutFactory = Callable[[Search], Layout]


class FileLayout(Layout):
    """The layout of a runtime with one database per project under a fixed name.

    `folder` is the folder in the project that holds it; without one it may lie anywhere.
    """

    def __init__(self, search: Search, name: str, folder: str | None = None) -> None:
        self._search, self._name, self._folder = search, name, folder
        self.own_names = frozenset({name})

    def project(self, folder: str) -> None:
        """Look for the database in its folder, if it has one."""
        if self._folder is None:
            return
        base = os.path.join(folder, self._folder)
        path = os.path.join(base, self._name)
        found = self._search.known_file(path, PlaceKind.DATABASE, folder)
        self._search.watch_root(base)
        if found:
            self._search.looked(base, "1 database")
        else:
            self._search.looked(base, "no database" if os.path.isdir(base) else "no such folder")

    def named_file(self, path: str) -> bool:
        """Propose the database with its project as root."""
        if not os.path.isfile(path) or not self.database(path):
            return False
        self._search.looked(path, "1 file")
        return True

    def database(self, path: str, level: Level | None = None) -> bool:
        """Propose a database of this name with its project as root."""
        folder, name = os.path.split(path)
        if name != self._name:
            return False
        root = os.path.dirname(folder) if os.path.basename(folder) == self._folder else folder
        self._search.propose(Candidate(path, PlaceKind.DATABASE, root))
        return True


def _starts_like_a_database(path: str) -> bool:
    """Return whether a file starts like a database; does not block or change its access time."""
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags | getattr(os, "O_NOATIME", 0))
    except PermissionError:
        # O_NOATIME is for the owner only.
        descriptor = os.open(path, flags)
    try:
        return os.read(descriptor, len(DATABASE_MAGIC)) == DATABASE_MAGIC
    finally:
        os.close(descriptor)
