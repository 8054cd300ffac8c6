"""What lies beside a run's log: names, sizes and times, never through a link and never without end.

Source: OpenProse filesystem state document, "Directory Structure" (`bindings/`, `workspace/`,
`world-model/`, `receipts/`, `agents/`). Contents are read elsewhere, and only when asked for.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from inspector.query.openprose.discovery import LOGS, STATE
from inspector.store.attachment import inspect_attachment
from inspector.store.files import Entry, Listing, safe_listdir, safe_walk

BINDINGS, WORKSPACE, MODELS = "bindings", "workspace", "world-model"
RECEIPTS, AGENTS, IMPORTS = "receipts", "agents", "imports"
FOLDERS = (BINDINGS, WORKSPACE, MODELS, RECEIPTS, AGENTS)
ERROR, DELEGATE, ANSWER = "__error.md", "__delegate", "-response.md"

MOST_FILES = 2_000
"""Files of one kind that are looked at."""
MOST_NODES = 64
"""Folders of nodes that are watched for new files one by one."""
_SCOPED = re.compile(r"(.+)__([0-9]{1,18})")


class Beside(NamedTuple):
    """One file beside the log."""

    path: str
    """Relative to the run folder."""
    node: str
    """The folder in which it lies; empty for one directly in `bindings/`."""
    name: str
    """Its path below that folder."""
    size: int
    mtime_ns: int


def is_content(one: Beside) -> bool:
    """Whether a file of a world model belongs to it, and is no stamp beside it."""
    return not one.name.startswith(".")


class Delegation(NamedTuple):
    """A request that a node left for another one."""

    delegate: str
    id: str
    answered: bool


@dataclass(frozen=True, slots=True)
class Surroundings:
    """All that one look at the folder told."""

    bindings: tuple[Beside, ...] = ()
    workspace: tuple[Beside, ...] = ()
    models: tuple[Beside, ...] = ()
    receipts: tuple[Beside, ...] = ()
    agents: int = 0
    names: frozenset[str] = frozenset()
    """Names that have a value, whatever its scope."""
    errors: Mapping[str, str] = field(default_factory=dict)
    """Node → what its `__error.md` says first."""
    delegations: Mapping[str, tuple[Delegation, ...]] = field(default_factory=dict)
    """Node → what it asked others for."""
    last_write_ms: int = 0
    cut: bool = False
    """There are more files than were looked at."""

    @property
    def values(self) -> int:
        """Files that hold a value."""
        return len(self.bindings) + sum(is_content(one) for one in self.models)


def split_name(name: str) -> tuple[str, int | None]:
    """A binding's name and its frame, from `result__43`; the root has none."""
    found = _SCOPED.fullmatch(name)
    return (name, None) if found is None else (found[1], int(found[2]))


class RunFolder:
    """The folder of one run. Used by one thread at a time."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._seen: Surroundings | None = None
        self._stamp: tuple[int, ...] | None = None
        self._watched: tuple[str, ...] = ()

    def changed(self) -> bool:
        """Whether files came, went or (receipts) grew since the last look; some `lstat`s."""
        return self._stamp is None or _stamp(self.path, self._watched) != self._stamp

    def look(self) -> Surroundings:
        """What lies there now; the last answer while nothing came or went."""
        if self._seen is not None and not self.changed():
            return self._seen
        # The stamp first: what comes meanwhile is seen at the next look.
        before = _stamp(self.path, self._watched)
        seen = _look(self.path)
        watched = _worth_watching(seen)
        self._stamp = before if watched == self._watched else _stamp(self.path, watched)
        self._seen, self._watched = seen, watched
        return seen


def last_write(folder: str) -> int:
    """When a name was last added to the folder or those directly in it (UTC ms); one cheap look."""
    return max(_stamp(folder, ())) // 1_000_000


def _files(root: str, top: str) -> tuple[list[Beside], bool]:
    """Regular files below `root/top` in the order of their paths; whether there are more."""
    found, cut = safe_walk(root, top, MOST_FILES)
    return [_beside(path, entry) for path, entry in found], cut


def _beside(path: str, entry: Entry) -> Beside:
    node, slash, name = path.partition("/")[2].partition("/")
    return Beside(path, node if slash else "", name if slash else node, entry.size, entry.mtime_ns)


def _look(root: str) -> Surroundings:
    bindings, more_bindings = _files(root, BINDINGS)
    workspace, more_work = _files(root, WORKSPACE)
    models, more_models = _files(root, MODELS)
    receipts, more_receipts = _files(root, RECEIPTS)
    every = (*bindings, *workspace, *models, *receipts)
    newest = max((one.mtime_ns for one in every), default=0)
    return Surroundings(
        tuple(bindings),
        tuple(workspace),
        tuple(models),
        tuple(one for one in receipts if one.path.endswith((".jsonl", ".json"))),
        sum(1 for _ in safe_listdir(root, (AGENTS,), MOST_FILES).folders()),
        frozenset(_names(bindings)),
        {one.node: _first_words(root, one) for one in workspace if one.name == ERROR},
        _delegations(workspace),
        max(newest // 1_000_000, last_write(root)),
        more_bindings or more_work or more_models or more_receipts,
    )


def _names(bindings: Iterable[Beside]) -> Iterator[str]:
    for one in bindings:
        if one.node:
            yield one.node
        yield split_name(os.path.splitext(one.name)[0])[0]


def _first_words(root: str, one: Beside) -> str:
    """The first line of an error file, its heading's mark and the word Error left out."""
    _, data = inspect_attachment(root, one.path, preview_bytes=2048)
    text = data[:2048].decode("utf-8", "replace")
    line = next((line.strip() for line in text.split("\n") if line.strip()), "")
    return re.sub(r"^#*\s*(?:Error\s*:\s*)?", "", line)[:500] or ERROR


def _delegations(workspace: Iterable[Beside]) -> dict[str, tuple[Delegation, ...]]:
    asked: dict[str, dict[tuple[str, str], bool]] = {}
    for one in workspace:
        parts = one.name.split("/")
        if len(parts) != 3 or parts[0] != DELEGATE or not parts[2].endswith(".md"):
            continue
        answer = parts[2].endswith(ANSWER)
        name = parts[2].removesuffix(ANSWER if answer else ".md")
        known = asked.setdefault(one.node, {})
        known[parts[1], name] = answer or known.get((parts[1], name), False)
    return {
        node: tuple(Delegation(delegate, name, done) for (delegate, name), done in all_.items())
        for node, all_ in asked.items()
    }


def _worth_watching(seen: Surroundings) -> tuple[str, ...]:
    """Folders of nodes, which get files while a node works, and receipts, which grow."""
    holders: dict[str, None] = {}
    for one in (*seen.workspace, *seen.bindings, *seen.models):
        holders[os.path.dirname(one.path)] = None
    receipts = [one.path for one in seen.receipts]
    return (*sorted(holders)[:MOST_NODES], *receipts[:MOST_NODES])


def _stamp(root: str, watched: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(_changed_at(os.path.join(root, name)) for name in ("", *FOLDERS, *watched))


def _changed_at(path: str) -> int:
    try:
        status = os.lstat(path)
    except OSError:
        return 0
    return status.st_mtime_ns


def listing_of(root: str, *parts: str) -> Listing:
    """The names in a folder below the run's."""
    return safe_listdir(root, parts, MOST_FILES)


def record_of(folder: str) -> str | None:
    """The name of what a run folder keeps its record in: the database, else a log, else None."""
    names = (STATE, *LOGS)
    return next((name for name in names if os.path.lexists(os.path.join(folder, name))), None)
