"""Finding what may hold runs, from what the user named or from where they are.

Nothing is decided by a name alone: discovery proposes, the tables decide. Only folders are read,
and the first 16 bytes of files that are named like a database.
"""

from __future__ import annotations

import errno
import os
import stat
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from inspector.store import places
from inspector.store.places import (
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
)


@dataclass(slots=True)
class Level:
    """One folder of a walk. What is removed from `folders` is not entered."""

    path: str
    depth: int
    folders: dict[str, str]
    """Name to real path, links included."""
    files: list[os.DirEntry[str]]
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

    def entries(self, folder: str, limit: int) -> list[os.DirEntry[str]] | None:
        """Up to `limit` entries of a folder, unsorted; None where it cannot be read."""
        try:
            with os.scandir(folder) as found:
                return list(islice(found, limit))
        except OSError as error:
            self.refused(folder, error)
            return None

    def folder_of(self, entry: os.DirEntry[str], holder: str) -> str | None:
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


def discover(
    paths: Sequence[str], *, home: str | None, cwd: str, limits: Limits = _NO_LIMITS
) -> Discovery:
    """Looks at each PATH (project, folder of runs, run folder, file), else at `cwd` and `home`.

    Raises MissingPath when a PATH does not exist. Whatever else cannot be looked at is a notice.
    """
    survey = _Survey(cwd, home, limits)
    if paths:
        for path in paths:
            survey.named(path)
    else:
        survey.project(os.path.realpath(cwd))
        if home is not None:
            survey.user_roots(os.path.realpath(home))
    return survey.result()


class _Survey:
    """One search: what was found so far, and where."""

    def __init__(self, cwd: str, home: str | None, limits: Limits) -> None:
        self._cwd = os.path.realpath(cwd)
        self._home = home and os.path.realpath(home)
        self._limits = limits
        self._ground = Ground()
        self._candidates: dict[str, Candidate] = {}
        self._looked: list[Looked] = []
        self._roots: dict[str, None] = {}
        self._folders: dict[str, None] = {}
        self._counts: dict[str, int] = {}
        self._others: dict[str, dict[str, str]] = {}

    def result(self) -> Discovery:
        """All of it, sorted by path."""
        return Discovery(
            tuple(sorted(self._candidates.values(), key=lambda found: found.path)),
            tuple(self._looked),
            self._ground.notices,
            tuple(self._roots),
            tuple(self._folders),
        )

    def named(self, path: str) -> None:
        """Looks at a PATH that the user named."""
        real = places.database_of(os.path.realpath(os.path.join(self._cwd, path)))
        try:
            mode = os.stat(real).st_mode
        except (FileNotFoundError, NotADirectoryError):
            raise MissingPath(path) from None
        except OSError as error:
            self._ground.refused(real, error)
            self._look(real, "cannot be read")
            return
        if stat.S_ISDIR(mode):
            self._named_folder(real)
        else:
            self._named_file(real, mode)

    def project(self, folder: str, *, named: bool = False) -> None:
        """Looks at the known places of a project, then for other databases below it."""
        for place in places.RUN_PLACES:
            self._place(os.path.join(folder, place))
        for place in places.AGENT_PLACES:
            self._agents(os.path.join(folder, place))
        self._grimoire(folder)
        self._other_databases(folder, named=named)

    def user_roots(self, home: str) -> None:
        """Looks at the OpenProse roots below the home folder, and nowhere else in it."""
        for root in places.USER_ROOTS:
            base = os.path.join(home, root)
            self._place(os.path.join(base, places.RUNS), shown=base)
            for place in (places.AGENTS, f"state/{places.AGENTS}"):
                self._agents(os.path.join(base, place))

    def _named_folder(self, folder: str) -> None:
        try:
            among, alone = places.is_run_among_runs(folder), places.is_run_alone(folder)
        except OSError as error:
            self._ground.refused(folder, error)
            among, alone = False, places.is_run_id(os.path.basename(folder))
        if self._is_reactor(folder):
            self._reactor(folder)
            self._roots[folder] = None
            self._look(folder, "1 reactor")
        if among or alone:
            root = places.root_of(folder)
            self._run(folder, root, places.importer_of(folder))
            self._agents_of(root)
            self._roots[folder] = None
            self._look(folder, "1 run")
        if among:
            return
        if os.path.basename(folder) == places.RUNS:
            root = places.root_of(os.path.join(folder, "run"))
            self._agents_of(root)
            self._place(folder)
            self._other_databases(folder, named=True)
        else:
            self.project(folder, named=True)

    def _named_file(self, file: str, mode: int) -> None:
        holder, name = os.path.split(file)
        self._folders[holder] = None
        if name == places.STATE or name in places.LOGS:
            self._run(holder, places.root_of(holder), places.importer_of(holder))
            self._look(file, "1 run")
        elif name == places.RECEIPTS and self._is_reactor(holder):
            self._reactor(holder)
            self._look(file, "1 reactor")
        elif stat.S_ISREG(mode):
            kind = PlaceKind.AGENTS if name == places.AGENTS else PlaceKind.DATABASE
            self._propose(Candidate(file, kind, places.root_of(file)))
            self._look(file, "1 file")
        else:
            self._not_a_file(file)
            self._look(file, "not a file")

    def _place(self, folder: str, *, shown: str | None = None) -> None:
        """Looks at a place that is a folder of runs if it is there."""
        real = os.path.realpath(folder)
        self._roots[real] = None
        number = self._runs(real, places.root_of(os.path.join(folder, "run")))
        if number is not None:
            outcome = counted(number, "run") if number else "empty"
        elif os.path.isdir(real):
            outcome = "cannot be read"
        elif os.path.lexists(folder):
            outcome = "not a folder"
        else:
            outcome = "no such folder"
        self._look(shown or folder, outcome)

    def _runs(self, folder: str, root: str) -> int | None:
        """Proposes the runs directly in a real folder; how many, None where it cannot be read."""
        if folder in self._counts:
            return self._counts[folder]
        limit = self._limits.runs
        entries = self._ground.entries(folder, limit + 1)
        if entries is None:
            return None
        if len(entries) > limit:
            self._ground.note(
                "limit",
                f"{folder} holds more than {counted(limit, 'name')}: the rest is not shown.",
                folder,
            )
        number, others = 0, {}
        for entry in entries[:limit]:
            real = self._ground.folder_of(entry, folder)
            if real is None:
                continue
            if places.is_run_id(entry.name) or self._has_record(real):
                self._run(real, root)
                number += 1
            elif entry.name not in places.SKIPPED:
                others[entry.name] = real
        self._others[folder] = others
        self._counts[folder] = number
        return number

    def _run(self, folder: str, root: str, parent: str | None = None) -> None:
        """Proposes a run folder and, below it, the programs that it imported."""
        waiting = [(folder, parent, 0)]
        while waiting:
            path, importer, depth = waiting.pop()
            if path in self._candidates:
                continue
            self._propose(Candidate(path, PlaceKind.RUN_FOLDER, root, importer, "openprose"))
            self._ground.entered.add(path)
            imports = f"{path}/{places.IMPORTS}"
            try:
                os.lstat(imports)
            except OSError as error:
                self._ground.refused(path, error)
                continue
            if depth >= self._limits.imports:
                self._ground.note("limit", f"Imports below {path} are not shown.", imports)
                continue
            for entry in self._ground.entries(imports, self._limits.entries) or ():
                real = self._ground.folder_of(entry, imports)
                if real is not None and ("--" in entry.name or self._has_record(real)):
                    waiting.append((real, path, depth + 1))

    def _reactor(self, folder: str) -> None:
        """Proposes a reactor's state folder; it is watched like one that holds a database."""
        self._propose(
            Candidate(folder, PlaceKind.RUN_FOLDER, os.path.dirname(folder), None, "openprose")
        )
        self._folders[folder] = None

    def _is_reactor(self, folder: str) -> bool:
        try:
            return places.is_reactor(folder)
        except OSError as error:
            self._ground.refused(folder, error)
            return False

    def _other_databases(self, top: str, *, named: bool) -> None:
        before = len(self._candidates)
        # A folder of runs was read already, and may hold more names than a walk may see.
        for start in self._others[top].values() if self._counts.get(top) else (top,):
            for level in self._ground.walk(start, self._limits):
                if len(self._folders) < self._limits.folders:
                    self._folders[level.path] = None
                self._level(level, top, named=named)
        more = len(self._candidates) - before
        told = f"{more:,} more in folders below" if more else "nothing more"
        self._look(os.path.join(top, "*.db"), told)

    def _level(self, level: Level, top: str, *, named: bool) -> None:
        """Takes runs and databases out of a level; what is left in it is entered."""
        if level.depth and self._is_run(level, named=named):
            self._run(level.path, places.root_of(level.path))
            level.folders.clear()
            return
        if {places.COMPILED, places.MODELS} & level.folders.keys() and self._is_reactor(level.path):
            self._reactor(level.path)
            for name in (places.COMPILED, places.MODELS):
                level.folders.pop(name, None)
        for name in places.KEPT if os.path.basename(level.path) == places.STATE_FOLDER else ():
            if name in level.folders:
                self._kept(level.folders[name])
        for name, real in list(level.folders.items()):
            if name == places.RUNS:
                self._runs_of(level, real)
            elif real in self._candidates:
                del level.folders[name]
            elif places.is_run_id(name) and self._has_record(real):
                self._run(real, places.root_of(real))
                self._roots[real] = None
                del level.folders[name]
        for entry in level.files:
            self._file(entry, level, top)

    def _is_run(self, level: Level, *, named: bool) -> bool:
        """Whether a level is a run; one right below a named folder needs to prove less."""
        names = {entry.name: entry for entry in level.files}
        if places.LOGS[0] in names:
            return True
        if named and level.depth == 1:
            try:
                return places.is_run_alone(level.path)
            except OSError as error:
                self._ground.refused(level.path, error)
                return False
        return places.STATE in names and self._is_database(names[places.STATE])

    def _runs_of(self, level: Level, folder: str) -> None:
        """Takes out the folder of runs of a level, but for what in it is no run."""
        number = self._runs(folder, level.path)
        if number is None:
            del level.folders[places.RUNS]
        elif number:
            del level.folders[places.RUNS]
            others = self._others[folder].items()
            level.folders.update((f"{places.RUNS}/{name}", real) for name, real in others)
        if number or (number == 0 and not self._others[folder]):
            self._roots[folder] = None

    def _file(self, entry: os.DirEntry[str], level: Level, top: str) -> None:
        name = entry.name
        if not places.is_database_name(name) or not self._is_database(entry):
            return
        path = os.path.realpath(entry.path)
        if name == places.STATE:
            self._run(level.path, places.root_of(level.path))
        elif name in places.OWN_NAMES:
            kind = PlaceKind.AGENTS if name == places.AGENTS else PlaceKind.DATABASE
            self._propose(Candidate(path, kind, places.root_of(path)))
        else:
            self._propose(Candidate(path, PlaceKind.DATABASE, top))

    def _is_database(self, entry: os.DirEntry[str]) -> bool:
        """Whether an entry is a regular file that starts like a database or is a runtime's own."""
        try:
            mode = os.stat(entry.path).st_mode
            if not stat.S_ISREG(mode):
                self._not_a_file(entry.path)
                return False
            return entry.name in places.OWN_NAMES or _starts_like_a_database(entry.path)
        except OSError as error:
            self._ground.refused(entry.path, error)
            return False

    def _agents_of(self, root: str) -> None:
        self._agents(os.path.join(root, "state", places.AGENTS))
        if os.path.basename(root) in (".prose", "prose"):
            self._agents(os.path.join(root, places.AGENTS))

    def _agents(self, path: str) -> None:
        self._known_file(path, PlaceKind.AGENTS)
        holder = os.path.dirname(path)
        for name in places.KEPT:
            self._kept(os.path.join(holder, name))

    def _kept(self, folder: str) -> None:
        """Proposes a folder in which something outlives runs as files, unless it is a link."""
        if places.is_real_folder(folder):
            real = os.path.realpath(folder)
            self._propose(Candidate(real, PlaceKind.AGENTS, places.root_of(real)))
            self._folders[real] = None

    def _grimoire(self, folder: str) -> None:
        base = os.path.join(folder, places.GRIMOIRE)
        found = self._known_file(os.path.join(base, "grimoire.db"), PlaceKind.DATABASE)
        self._roots[base] = None
        if found:
            self._look(base, "1 database")
        else:
            self._look(base, "no database" if os.path.isdir(base) else "no such folder")

    def _known_file(self, path: str, kind: PlaceKind) -> bool:
        """Proposes a file of a known place if it is a regular file, whatever it holds."""
        try:
            mode = os.stat(path).st_mode
        except OSError as error:
            self._ground.refused(path, error)
            return False
        if not stat.S_ISREG(mode):
            self._not_a_file(path)
            return False
        real = os.path.realpath(path)
        self._propose(Candidate(real, kind, places.root_of(path)))
        self._folders[os.path.dirname(real)] = None
        return True

    def _has_record(self, folder: str) -> bool:
        try:
            return places.has_record(folder)
        except OSError as error:
            self._ground.refused(folder, error)
            return False

    def _propose(self, candidate: Candidate) -> None:
        self._candidates.setdefault(candidate.path, candidate)

    def _not_a_file(self, path: str) -> None:
        self._ground.note("refused", f"{path} is not a regular file and is not opened.", path)

    def _look(self, path: str, outcome: str) -> None:
        """Keeps that a place was looked at, once, named as the user would name it."""
        shown = path
        for base, sign in ((self._cwd, "."), (self._home, "~")):
            if base and f"{path}/".startswith(base.rstrip("/") + "/"):
                shown = sign + path[len(base.rstrip("/")) :]
                break
        looked = Looked(shown, outcome, path)
        if looked not in self._looked:
            self._looked.append(looked)


def _starts_like_a_database(path: str) -> bool:
    """Reads the first bytes of a file, without waiting and without moving its access time."""
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags | getattr(os, "O_NOATIME", 0))
    except PermissionError:
        # O_NOATIME is for the owner only.
        descriptor = os.open(path, flags)
    try:
        return os.read(descriptor, len(places.MAGIC)) == places.MAGIC
    finally:
        os.close(descriptor)
