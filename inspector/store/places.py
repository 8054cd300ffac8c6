"""Names and results of discovery: candidates, notices, limits, names of databases."""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import StrEnum

DATABASE_SUFFIXES = (".db", ".sqlite", ".sqlite3")
COMPANION_SUFFIXES = ("-wal", "-journal", "-shm")
DATABASE_MAGIC = b"SQLite format 3\0"

SKIPPED = frozenset(
    {
        ".git",
        ".hg",
        ".svn",
        ".jj",
        "node_modules",
        ".venv",
        ".tox",
        ".nox",
        "__pycache__",
        "site-packages",
        ".mypy_cache",
        ".ruff_cache",
        ".pytest_cache",
        ".hypothesis",
        ".gradle",
        ".terraform",
        ".next",
        ".nuxt",
        ".yarn",
        ".pnpm-store",
        ".direnv",
        ".eggs",
    }
)
"""Folders of dependencies and build output, which never contain runs and are often large."""

MARKED = frozenset({"pyvenv.cfg", "CACHEDIR.TAG"})
"""Files that mark a folder of dependencies or build output."""


class PlaceKind(StrEnum):
    """Kind of a candidate by its path; its content decides later."""

    RUN_FOLDER = "run_folder"
    DATABASE = "database"
    AGENTS = "agents"
    """A database of agents, or a folder that is kept across runs."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A run folder or a database file that may contain runs."""

    path: str
    """Absolute real path of the run folder (perhaps without a record yet) or of the file."""
    kind: PlaceKind
    root: str
    """The OpenProse root or project folder that it belongs to."""
    parent: str | None = None
    """The importing run folder of an imported program."""
    runtime: str | None = None
    """The backend that claims it by its path; None = its tables decide."""


@dataclass(frozen=True, slots=True)
class Looked:
    """A place that was searched, and the result in words."""

    shown: str
    outcome: str
    path: str


@dataclass(frozen=True, slots=True)
class Notice:
    """Why a search or a watch is incomplete: a code and a sentence.

    Codes: `unreadable limit link_loop refused polling`.
    """

    code: str
    message: str
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a search; reaching one adds a notice."""

    depth: int = 5
    """Depth below the named folder."""
    entries: int = 20_000
    """Entries visited, not counting those of a folder of runs."""
    runs: int = 200_000
    """Entries of one folder of runs."""
    imports: int = 32
    """Nested imports."""
    folders: int = 2_000
    """Folders proposed for watching."""


@dataclass(frozen=True, slots=True)
class Discovery:
    """The results of a search, sorted by path.

    `watch_roots` are to be watched with all that is below them and may not exist yet;
    `watch_folders` exist and are not watched recursively.
    """

    candidates: tuple[Candidate, ...]
    looked: tuple[Looked, ...]
    notices: tuple[Notice, ...]
    watch_roots: tuple[str, ...]
    watch_folders: tuple[str, ...] = ()


class MissingPath(FileNotFoundError):
    """A PATH that does not exist; `str()` is a sentence, `filename` the given path."""

    def __init__(self, path: str) -> None:
        super().__init__(f"There is no file or folder {path}. Check the spelling of the path.")
        self.filename = path

    def __str__(self) -> str:
        return str(self.args[0])


def exists(path: str) -> bool:
    """Returns True if a path exists, even as a broken link. Raises OSError if unknown."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def is_database_name(name: str) -> bool:
    """Returns True if a file has a database's suffix."""
    return name.lower().endswith(DATABASE_SUFFIXES)


def database_of(path: str) -> str:
    """Returns the database of a `-wal`, `-journal` or `-shm`; other paths unchanged."""
    for suffix in COMPANION_SUFFIXES:
        if path.endswith(suffix):
            return path[: -len(suffix)]
    return path


def counted(number: int, one: str, many: str | None = None) -> str:
    """Formats a count: `1 run`, `12 runs`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


@dataclass(frozen=True, slots=True)
class RunFolderNames:
    """File names by which the watch recognises run folders of a runtime."""

    databases: tuple[str, ...] = ()
    logs: tuple[str, ...] = ()
    nested: tuple[str, ...] = ()
    """Folders inside a run folder that hold further run folders."""

    @property
    def records(self) -> tuple[str, ...]:
        """Databases, then logs."""
        return (*self.databases, *self.logs)
