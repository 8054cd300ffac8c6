"""Which run, store, session or spell a user means by a word on the command line."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from inspector.model.run import Run
from inspector.query.store_reader import StoreReader
from inspector.query.workspace import Workspace, newest_first

T = TypeVar("T")

LATEST = "latest"
_LISTED = 10
"""Candidates listed in an error message."""


class NoMatch(Exception):
    """Nothing matches; the message is one sentence with what to do."""


class Ambiguous(Exception):
    """Several candidates match; the message lists the first of them."""

    def __init__(self, text: str, noun: str, names: Sequence[str]) -> None:
        self.names = tuple(names)
        listed = "".join(f"\n  {name}" for name in names[:_LISTED])
        more = len(names) - _LISTED
        rest = f"\n  and {more} more" if more > 0 else ""
        super().__init__(f"{text!r} matches {len(names)} {noun}:{listed}{rest}")


def only_match(
    candidates: Sequence[T],
    text: str,
    ranks: Iterable[Callable[[T], bool]],
    *,
    noun: str,
    name: Callable[[T], str],
    hint: str,
) -> T:
    """Return the one candidate that the first rank with any match accepts.

    Ranks go from exact to partial names. Raises `Ambiguous` when that rank accepts several, and
    `NoMatch` with `hint` when none accepts any. `noun` is a plural.
    """
    for matches in ranks:
        found = [one for one in candidates if matches(one)]
        if len(found) == 1:
            return found[0]
        if found:
            raise Ambiguous(text, noun, [name(one) for one in found])
    raise NoMatch(hint)


def select_run(runs: Sequence[Run], text: str, cwd: str) -> Run:
    """Return the run meant by a key, an id, a part of either, a path, a title or `latest`.

    Relative paths start at `cwd`. Raises `NoMatch` or `Ambiguous`.
    """
    if not text:
        raise NoMatch("RUN is empty. `inspector runs` lists all runs.")
    if text == LATEST:
        if not runs:
            raise NoMatch("No runs found. Give a folder with --in PATH.")
        return min(runs, key=newest_first)
    return only_match(
        sorted(runs, key=newest_first),
        text,
        (
            lambda run: text in (run.key, run.run_id),
            _in_folder(text, cwd),
            lambda run: _is_part(text, run.key, run.run_id or ""),
            lambda run: bool(run.title) and run.title == text,
        ),
        noun="runs",
        name=lambda run: run.key,
        hint=f"No run matches {text!r}. `inspector runs` lists all runs.",
    )


def _is_part(text: str, *names: str) -> bool:
    return any(name.startswith(text) or name.endswith(text) for name in names)


def _in_folder(text: str, cwd: str) -> Callable[[Run], bool]:
    joined = os.path.join(cwd, text)
    if os.sep not in text and not os.path.isdir(joined):
        return lambda run: False
    path = os.path.realpath(joined)
    return lambda run: path in (run.store.path, folder_of(run))


def folder_of(run: Run) -> str:
    """Return the folder of a run's store; a run folder without a record is its own store."""
    path = run.store.path
    is_folder = os.path.basename(path) == run.run_id and os.path.isdir(path)
    return path if is_folder else os.path.dirname(path)


@dataclass(frozen=True, slots=True)
class SessionOwner:
    """A session with a profit and loss account, and the store that it is in."""

    reader: StoreReader
    name: str
    runtime: str

    @property
    def key(self) -> str:
        """The session's key."""
        return f"{self.runtime}:{self.reader.path}#{self.name}"


def select_session(workspace: Workspace, text: str) -> SessionOwner:
    """Return the session meant by a key, a name, or its beginning or end.

    Only stores of runtimes with profit and loss are read. Raises `NoMatch` or `Ambiguous`.
    """
    return only_match(
        list(_sessions_with_pnl(workspace)),
        text,
        (
            lambda session: session.key == text,
            lambda session: session.name == text,
            lambda session: bool(text) and session.name.startswith(text),
            lambda session: bool(text) and session.name.endswith(text),
        ),
        noun="spells",
        name=lambda session: session.key,
        hint=f"No spell matches {text!r}. `inspector runs` lists all runs.",
    )


def _sessions_with_pnl(workspace: Workspace) -> Iterator[SessionOwner]:
    for candidate in workspace.candidates():
        backend = workspace.backend_of(candidate)
        if backend is None or not backend.presentation.has_pnl:
            continue
        reader = workspace.reader(candidate)
        if reader is not None:
            for name in reader.sessions():
                yield SessionOwner(reader, name, backend.name)


@dataclass(frozen=True, slots=True)
class RecordOwner:
    """A store with records of its own, or (with a name) one of its sessions or spells."""

    reader: StoreReader
    name: str | None

    @property
    def label(self) -> str:
        """The name with the store's path."""
        return self.reader.path if self.name is None else f"{self.name} in {self.reader.path}"


def record_owners(workspace: Workspace, text: str) -> list[RecordOwner]:
    """Return the stores and subjects with exactly this name, else those it is a part of."""
    readers = list(_readers_with_records(workspace))
    path = os.path.realpath(os.path.join(workspace.cwd, text))
    exact = [
        RecordOwner(reader, None)
        for reader in readers
        # A folder that holds a database means the database.
        if path in (reader.path, os.path.dirname(reader.path))
    ]
    exact += [RecordOwner(reader, text) for reader in readers if text in reader.subjects()]
    if exact or not text:
        return exact
    stores = [reader for reader in readers if reader.path.endswith(os.sep + text)]
    return [RecordOwner(reader, None) for reader in stores] + [
        RecordOwner(reader, name)
        for reader in readers
        for name in reader.subjects()
        if _is_part(text, name)
    ]


def _readers_with_records(workspace: Workspace) -> Iterator[StoreReader]:
    for candidate in workspace.candidates():
        reader = workspace.reader(candidate)
        if reader is not None and reader.has_records:
            yield reader


def select_record_owner(workspace: Workspace, runs: Sequence[Run], text: str) -> Run | RecordOwner:
    """Return the run, store, session or spell of this name, else what the name is a part of.

    Exact names come before partial ones, and runs before other subjects. Raises `NoMatch` or
    `Ambiguous`.
    """
    exact = [run for run in runs if text in (run.key, run.run_id)]
    if len(exact) == 1 or _is_one_run(exact):
        return exact[0]
    owners = [] if exact else record_owners(workspace, text)
    if len(owners) > 1:
        raise Ambiguous(text, "names", [one.label for one in owners])
    if owners and owners[0].name in (None, text):
        return owners[0]
    try:
        return select_run(runs, text, workspace.cwd)
    except NoMatch:
        if owners:
            return owners[0]
        raise


def _is_one_run(runs: Sequence[Run]) -> bool:
    """Whether these are parts of one run under several spells of a store.

    A store that is asked for the id answers with the newest part, which is listed first.
    """
    return len({(run.store.path, run.run_id) for run in runs}) == 1
