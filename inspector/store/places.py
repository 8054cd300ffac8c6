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
"""Folders that hold what was fetched or built, never a run, and often more than all the rest."""

MARKED = frozenset({"pyvenv.cfg", "CACHEDIR.TAG"})
"""Files by which a folder says of itself that it holds what was fetched or built."""


class PlaceKind(StrEnum):
    """What a candidate is by its place; what is in it decides later what it really is."""

    RUN_FOLDER = "run_folder"
    DATABASE = "database"
    AGENTS = "agents"
    """A database of agents, or a folder in which something is kept across runs."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A run folder or a database file that may hold runs."""

    path: str
    """Absolute real path of the run folder (which may hold no record yet) or of the file."""
    kind: PlaceKind
    root: str
    """The OpenProse root or the project folder that it belongs to."""
    parent: str | None = None
    """The run folder that imports it, for an imported program."""
    runtime: str | None = None
    """The backend that claims it by its place alone; None = its tables decide."""


@dataclass(frozen=True, slots=True)
class Looked:
    """A place that was looked at, and what came of it, in words."""

    shown: str
    outcome: str
    path: str


@dataclass(frozen=True, slots=True)
class Notice:
    """What kept a search or a watch from being complete: a code and a sentence.

    Codes: `unreadable limit link_loop refused polling`.
    """

    code: str
    message: str
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """How far a search goes before it stops and says so."""

    depth: int = 5
    """Folders below the one that was named."""
    entries: int = 20_000
    """Names seen on the way, not counting those inside a folder of runs."""
    runs: int = 200_000
    """Names inside one folder of runs."""
    imports: int = 32
    """Imports within imports."""
    folders: int = 2_000
    """Folders that are offered for watching."""


@dataclass(frozen=True, slots=True)
class Discovery:
    """All that one search found, sorted by path.

    `watch_roots` are to be watched with all that is below them and may not exist yet;
    `watch_folders` exist, and only what is directly in them matters.
    """

    candidates: tuple[Candidate, ...]
    looked: tuple[Looked, ...]
    notices: tuple[Notice, ...]
    watch_roots: tuple[str, ...]
    watch_folders: tuple[str, ...] = ()


class MissingPath(FileNotFoundError):
    """A PATH that does not exist; `str()` is a sentence, `filename` the path as it was given."""

    def __init__(self, path: str) -> None:
        super().__init__(f"There is no file or folder {path}. Check the spelling of the path.")
        self.filename = path

    def __str__(self) -> str:
        return str(self.args[0])


def exists(path: str) -> bool:
    """Whether the name is there, whatever it is, a broken link too; OSError if nobody may say."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def is_database_name(name: str) -> bool:
    """Whether a file is named like a database."""
    return name.lower().endswith(DATABASE_SUFFIXES)


def database_of(path: str) -> str:
    """The database that a `-wal`, `-journal` or `-shm` belongs to; any other path as it is."""
    for suffix in COMPANION_SUFFIXES:
        if path.endswith(suffix):
            return path[: -len(suffix)]
    return path


def counted(number: int, one: str, many: str | None = None) -> str:
    """`1 run`, `12 runs`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


@dataclass(frozen=True, slots=True)
class RunFolderNames:
    """The files by which run folders of a runtime are known to the watch."""

    databases: tuple[str, ...] = ()
    logs: tuple[str, ...] = ()
    nested: tuple[str, ...] = ()
    """Folders inside a run folder that hold further run folders."""

    @property
    def records(self) -> tuple[str, ...]:
        """Databases, then logs."""
        return (*self.databases, *self.logs)
