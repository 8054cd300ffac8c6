"""Where runtimes keep their records, what such places are called, and what looking gives.

Source: OpenProse state document (run folders, roots, imports) and its reactor's state folder;
Grimoire's state folder; Prism's own examples. Pure but for `exists`, which asks the file system
about one name.
"""

import os
import re
import stat
from dataclasses import dataclass
from enum import StrEnum

RUNS = "runs"
IMPORTS = "imports"
STATE = "state.db"
LOGS = ("vm.log.md", "state.md")
AGENTS = "agents.db"
STATE_FOLDER = "state"
KEPT = ("agents", "world-model")
"""Folders in which agents and world models outlive runs as files."""
RECEIPTS = "receipts.json"
COMPILED, MODELS = "compile", "world-models"
TOPOLOGY = f"{COMPILED}/topology.json"
GRIMOIRE = ".grimoire"

RUN_PLACES = (RUNS, ".prose/runs", ".agents/prose/runs")
"""Folders of runs below a project, as the three generations of OpenProse name them."""

AGENT_PLACES = (
    "state/agents.db",
    ".prose/agents.db",
    ".prose/state/agents.db",
    ".agents/prose/agents.db",
    ".agents/prose/state/agents.db",
)
USER_ROOTS = (".agents/prose", ".prose")
"""OpenProse roots below the home folder."""

OWN_NAMES = frozenset({AGENTS, "grimoire.db", "prism.db"})
"""Names that a runtime uses: worth showing even while the file is empty or cannot be read."""

DATABASE_SUFFIXES = (".db", ".sqlite", ".sqlite3")
COMPANION_SUFFIXES = ("-wal", "-journal", "-shm")
MAGIC = b"SQLite format 3\0"

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

_RUN_ID = re.compile(r"\d{8}-\d{6}(?:-.+)?", re.DOTALL)

# What lies beside a `state.md` that is a run's log. The name alone is too common.
_BESIDE_STATE = ("program.prose", "bindings", "root.prose.md", "sources", "compiled-intent.json")


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


def is_real_folder(path: str) -> bool:
    """Whether there is a folder of this name that is no link; False if nobody may say."""
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def is_run_id(name: str) -> bool:
    """Whether a folder is named as OpenProse names a run: `YYYYMMDD-HHMMSS-random`."""
    return _RUN_ID.fullmatch(name) is not None


def is_database_name(name: str) -> bool:
    """Whether a file is named like a database."""
    return name.lower().endswith(DATABASE_SUFFIXES)


def database_of(path: str) -> str:
    """The database that a `-wal`, `-journal` or `-shm` belongs to; any other path as it is."""
    for suffix in COMPANION_SUFFIXES:
        if path.endswith(suffix):
            return path[: -len(suffix)]
    return path


def has_record(folder: str) -> bool:
    """Whether a folder holds a run's database or log by name, of whatever file type."""
    return any(exists(f"{folder}/{name}") for name in (STATE, *LOGS))


def is_run_alone(folder: str) -> bool:
    """Whether a folder that was named, and lies in no folder of runs, is a run by what it holds."""
    if exists(f"{folder}/{STATE}") or exists(f"{folder}/{LOGS[0]}"):
        return True
    return exists(f"{folder}/{LOGS[1]}") and (
        is_run_id(os.path.basename(folder))
        or any(exists(f"{folder}/{name}") for name in _BESIDE_STATE)
    )


def is_reactor(folder: str) -> bool:
    """Whether a folder is laid out like a reactor's state; what is in it decides later."""
    if exists(f"{folder}/{TOPOLOGY}"):
        return True
    return exists(f"{folder}/{RECEIPTS}") and exists(f"{folder}/{MODELS}")


def is_run_among_runs(folder: str) -> bool:
    """Whether a folder lies where runs or imported programs lie, and looks like one."""
    name, among = os.path.basename(folder), os.path.basename(os.path.dirname(folder))
    if among == RUNS:
        return is_run_id(name) or has_record(folder)
    return among == IMPORTS and ("--" in name or has_record(folder))


def root_of(path: str) -> str:
    """The OpenProse root or project of a run folder or database file, by its place alone."""
    while os.path.basename(os.path.dirname(path)) == IMPORTS:
        path = os.path.dirname(os.path.dirname(path))
    holder = os.path.dirname(path)
    if os.path.basename(holder) in (RUNS, GRIMOIRE, STATE_FOLDER):
        return os.path.dirname(holder)
    return holder


def importer_of(folder: str) -> str | None:
    """The run folder that imports this one, by its place alone."""
    holder = os.path.dirname(folder)
    return os.path.dirname(holder) if os.path.basename(holder) == IMPORTS else None


def counted(number: int, one: str, many: str | None = None) -> str:
    """`1 run`, `12 runs`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
