"""Where OpenProse keeps runs, agents and world models, and how discovery recognises them.

Source: OpenProse state document (run folders, roots, imports) and its reactor's state folder.
"""

from __future__ import annotations

import os
import re
import stat

from inspector.query.openprose import NAME
from inspector.store.discover import Layout, Level, Search
from inspector.store.places import Candidate, PlaceKind, RunFolderNames, counted, exists

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

RUN_FOLDER_NAMES = RunFolderNames(databases=(STATE,), logs=LOGS, nested=(IMPORTS,))

_RUN_ID = re.compile(r"\d{8}-\d{6}(?:-.+)?", re.DOTALL)

_BESIDE_STATE = ("program.prose", "bindings", "root.prose.md", "sources", "compiled-intent.json")
"""What lies beside a `state.md` that is a run's log. The name alone is too common."""


def is_real_folder(path: str) -> bool:
    """Return whether a folder of this name exists and is not a link; False if not accessible."""
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def is_run_id(name: str) -> bool:
    """Return whether a folder is named as OpenProse names a run: `YYYYMMDD-HHMMSS-random`."""
    return _RUN_ID.fullmatch(name) is not None


def has_record(folder: str) -> bool:
    """Return whether a folder holds a run's database or log by name, of whatever file type."""
    return any(exists(f"{folder}/{name}") for name in (STATE, *LOGS))


def is_run_alone(folder: str) -> bool:
    """Return whether a folder outside any folder of runs is a run, judged by its content."""
    if exists(f"{folder}/{STATE}") or exists(f"{folder}/{LOGS[0]}"):
        return True
    return exists(f"{folder}/{LOGS[1]}") and (
        is_run_id(os.path.basename(folder))
        or any(exists(f"{folder}/{name}") for name in _BESIDE_STATE)
    )


def is_reactor(folder: str) -> bool:
    """Return whether a folder is laid out like a reactor's state; its content decides later."""
    if exists(f"{folder}/{TOPOLOGY}"):
        return True
    return exists(f"{folder}/{RECEIPTS}") and exists(f"{folder}/{MODELS}")


def is_run_among_runs(folder: str) -> bool:
    """Return whether a folder lies where runs or imported programs lie, and looks like one."""
    name, parent = os.path.basename(folder), os.path.basename(os.path.dirname(folder))
    if parent == RUNS:
        return is_run_id(name) or has_record(folder)
    return parent == IMPORTS and ("--" in name or has_record(folder))


def root_of(path: str) -> str:
    """Return the OpenProse root or project of a run folder or file, by its path alone."""
    while os.path.basename(os.path.dirname(path)) == IMPORTS:
        path = os.path.dirname(os.path.dirname(path))
    holder = os.path.dirname(path)
    if os.path.basename(holder) in (RUNS, STATE_FOLDER):
        return os.path.dirname(holder)
    return holder


def importer_of(folder: str) -> str | None:
    """Return the run folder that imports this one, by its path alone."""
    holder = os.path.dirname(folder)
    return os.path.dirname(holder) if os.path.basename(holder) == IMPORTS else None


class ProseLayout(Layout):
    """OpenProse's run folders, reactors, and folders and databases of agents."""

    own_names = frozenset({AGENTS})

    def __init__(self, search: Search) -> None:
        self._search = search
        self._counts: dict[str, int] = {}
        """Folder of runs → runs in it."""
        self._others: dict[str, dict[str, str]] = {}
        """Folder of runs → folders in it that are no runs, by name."""

    def project(self, folder: str) -> None:
        """Look at the known places of a project."""
        for place in RUN_PLACES:
            self._run_place(os.path.join(folder, place))
        for place in AGENT_PLACES:
            self._agents(os.path.join(folder, place))

    def home(self, home: str) -> None:
        """Look at the OpenProse roots below the home folder, and nowhere else in it."""
        for root in USER_ROOTS:
            base = os.path.join(home, root)
            self._run_place(os.path.join(base, RUNS), shown=base)
            for place in (AGENTS, f"state/{AGENTS}"):
                self._agents(os.path.join(base, place))

    def named_folder(self, folder: str) -> bool:
        """Propose a folder that the user named; True unless its content is still to be searched."""
        search = self._search
        try:
            among, alone = is_run_among_runs(folder), is_run_alone(folder)
        except OSError as error:
            search.refused(folder, error)
            among, alone = False, is_run_id(os.path.basename(folder))
        if self._is_reactor(folder):
            self._reactor(folder)
            search.watch_root(folder)
            search.looked(folder, "1 reactor")
        if among or alone:
            root = root_of(folder)
            self._run(folder, root, importer_of(folder))
            self._agents_of(root)
            search.watch_root(folder)
            search.looked(folder, "1 run")
        if among:
            return True
        if os.path.basename(folder) == RUNS:
            self._agents_of(root_of(os.path.join(folder, "run")))
            self._run_place(folder)
            search.databases_below(folder, named=True)
            return True
        return False

    def named_file(self, path: str) -> bool:
        """Propose a file that the user named; False if it is not one of OpenProse's."""
        holder, name = os.path.split(path)
        if name == STATE or name in LOGS:
            self._run(holder, root_of(holder), importer_of(holder))
            self._search.looked(path, "1 run")
        elif name == RECEIPTS and self._is_reactor(holder):
            self._reactor(holder)
            self._search.looked(path, "1 reactor")
        elif name == AGENTS and os.path.isfile(path):
            self._search.propose(Candidate(path, PlaceKind.AGENTS, root_of(path)))
            self._search.looked(path, "1 file")
        else:
            return False
        return True

    def starts(self, top: str) -> tuple[str, ...]:
        """Return the folders where a walk through `top` begins.

        A folder of runs has been read already, and may hold more names than a walk may visit.
        """
        return tuple(self._others[top].values()) if self._counts.get(top) else (top,)

    def level(self, level: Level, *, named: bool) -> bool:
        """Take OpenProse's folders out of a level of a walk; True if the level itself is a run."""
        search = self._search
        if level.depth and self._is_run(level, named=named):
            self._run(level.path, root_of(level.path))
            level.folders.clear()
            return True
        if {COMPILED, MODELS} & level.folders.keys() and self._is_reactor(level.path):
            self._reactor(level.path)
            for name in (COMPILED, MODELS):
                level.folders.pop(name, None)
        for name in KEPT if os.path.basename(level.path) == STATE_FOLDER else ():
            if name in level.folders:
                self._kept(level.folders[name])
        for name, real in list(level.folders.items()):
            if name == RUNS:
                self._runs_of(level, real)
            elif search.is_proposed(real):
                del level.folders[name]
            elif is_run_id(name) and self._has_record(real):
                self._run(real, root_of(real))
                search.watch_root(real)
                del level.folders[name]
        return False

    def database(self, path: str, level: Level) -> bool:
        """Propose a database found by a walk; False if its name is not one of OpenProse's."""
        name = os.path.basename(path)
        if name == STATE:
            self._run(level.path, root_of(level.path))
        elif name == AGENTS:
            self._search.propose(Candidate(path, PlaceKind.AGENTS, root_of(path)))
        else:
            return False
        return True

    def _run_place(self, folder: str, *, shown: str | None = None) -> None:
        """Look at a place that is a folder of runs if it exists."""
        search, real = self._search, os.path.realpath(folder)
        search.watch_root(real)
        number = self._runs(real, root_of(os.path.join(folder, "run")))
        if number is not None:
            outcome = counted(number, "run") if number else "empty"
        elif os.path.isdir(real):
            outcome = "cannot be read"
        elif os.path.lexists(folder):
            outcome = "not a folder"
        else:
            outcome = "no such folder"
        search.looked(shown or folder, outcome)

    def _runs(self, folder: str, root: str) -> int | None:
        """Propose the runs directly in a real folder; their number, None if it cannot be read."""
        if folder in self._counts:
            return self._counts[folder]
        search = self._search
        limit = search.limits.runs
        entries = search.entries(folder, limit + 1)
        if entries is None:
            return None
        if len(entries) > limit:
            search.note(
                "limit",
                f"{folder} holds more than {counted(limit, 'name')}: the rest is not shown.",
                folder,
            )
        number, others = 0, {}
        for entry in entries[:limit]:
            real = search.folder_of(entry, folder)
            if real is None:
                continue
            if is_run_id(entry.name) or self._has_record(real):
                self._run(real, root)
                number += 1
            elif not search.is_skipped(entry.name):
                others[entry.name] = real
        self._others[folder] = others
        self._counts[folder] = number
        return number

    def _run(self, folder: str, root: str, parent: str | None = None) -> None:
        """Propose a run folder and, below it, the programs that it imported."""
        search = self._search
        waiting = [(folder, parent, 0)]
        while waiting:
            path, importer, depth = waiting.pop()
            if search.is_proposed(path):
                continue
            search.propose(Candidate(path, PlaceKind.RUN_FOLDER, root, importer, NAME))
            search.mark_entered(path)
            imports = f"{path}/{IMPORTS}"
            try:
                os.lstat(imports)
            except OSError as error:
                search.refused(path, error)
                continue
            if depth >= search.limits.imports:
                search.note("limit", f"Imports below {path} are not shown.", imports)
                continue
            for entry in search.entries(imports, search.limits.entries) or ():
                real = search.folder_of(entry, imports)
                if real is not None and ("--" in entry.name or self._has_record(real)):
                    waiting.append((real, path, depth + 1))

    def _reactor(self, folder: str) -> None:
        """Propose a reactor's state folder; it is watched like one that holds a database."""
        root = os.path.dirname(folder)
        self._search.propose(Candidate(folder, PlaceKind.RUN_FOLDER, root, runtime=NAME))
        self._search.watch_folder(folder)

    def _is_reactor(self, folder: str) -> bool:
        try:
            return is_reactor(folder)
        except OSError as error:
            self._search.refused(folder, error)
            return False

    def _is_run(self, level: Level, *, named: bool) -> bool:
        """Whether a level is a run; one right below a named folder needs to prove less."""
        names = {entry.name: entry for entry in level.files}
        if LOGS[0] in names:
            return True
        if named and level.depth == 1:
            try:
                return is_run_alone(level.path)
            except OSError as error:
                self._search.refused(level.path, error)
                return False
        return STATE in names and self._search.is_database(names[STATE])

    def _runs_of(self, level: Level, folder: str) -> None:
        """Take out the folder of runs of a level, except for folders in it that are no runs."""
        number = self._runs(folder, level.path)
        if number is None:
            del level.folders[RUNS]
        elif number:
            del level.folders[RUNS]
            others = self._others[folder].items()
            level.folders.update((f"{RUNS}/{name}", real) for name, real in others)
        if number or (number == 0 and not self._others[folder]):
            self._search.watch_root(folder)

    def _agents_of(self, root: str) -> None:
        self._agents(os.path.join(root, "state", AGENTS))
        if os.path.basename(root) in (".prose", "prose"):
            self._agents(os.path.join(root, AGENTS))

    def _agents(self, path: str) -> None:
        self._search.known_file(path, PlaceKind.AGENTS, root_of(path))
        holder = os.path.dirname(path)
        for name in KEPT:
            self._kept(os.path.join(holder, name))

    def _kept(self, folder: str) -> None:
        """Propose a folder in which something outlives runs as files, unless it is a link."""
        if is_real_folder(folder):
            real = os.path.realpath(folder)
            self._search.propose(Candidate(real, PlaceKind.AGENTS, root_of(real)))
            self._search.watch_folder(real)

    def _has_record(self, folder: str) -> bool:
        try:
            return has_record(folder)
        except OSError as error:
            self._search.refused(folder, error)
            return False
