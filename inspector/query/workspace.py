"""The workspace: all stores and runs that a set of PATHs leads to, and readers for them."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace

from inspector.config.log import internal_error
from inspector.model.clock import Clock
from inspector.model.run import Finding, Run
from inspector.model.status import Status
from inspector.model.store import Health, Store
from inspector.query.backend import Backend
from inspector.query.discovery import discover
from inspector.query.registry import backend_named, recognise
from inspector.query.run_reader import RunReader
from inspector.query.store_reader import StoreReader
from inspector.query.tables import read_tables
from inspector.store.discover import (
    Candidate,
    Discovery,
    MissingPath,
    Notice,
    PlaceKind,
)
from inspector.store.read import StoreUnavailable, ZeroTouchReader

_EARLIEST, _LATEST = 946_684_800_000, 4_102_444_800_000
"""2000 and 2100 in UTC ms."""

_NO_TABLES = "no tables; if a program used it, its -wal file is missing"


@dataclass(frozen=True, slots=True)
class Refused:
    """A file that is not a store, with the reason as a sentence without a full stop."""

    path: str
    reason: str
    health: Health


@dataclass(slots=True)
class Workspace:
    """The stores and runs at the PATHs (none = the current folder and the user's own roots).

    Discovery and summaries are for one thread at a time; `open` may be called from any.
    """

    paths: Sequence[str]
    clock: Clock
    cwd: str
    home: str | None = None
    readers: dict[str, StoreReader] = field(default_factory=dict)
    """Candidate path → reader of its store."""
    refused: dict[str, Refused] = field(default_factory=dict)
    found: Discovery | None = None
    agents: Sequence[Candidate] = ()
    """Stores of agents, which belong to no single run."""
    by_path: dict[str, Candidate] = field(default_factory=dict)
    """Candidate path → candidate, without stores of agents."""
    _creating: threading.Lock = field(default_factory=threading.Lock)
    """Held while a reader is created, so that there is only one of each."""
    missing: tuple[str, ...] = ()
    """PATHs that did not exist at the last search."""

    def discover(self, *, all_paths: bool = True) -> Discovery:
        """Search again; readers of stores that still exist are kept.

        Raises `MissingPath` if a PATH does not exist; without `all_paths`, only if none does.
        """
        self.missing = ()
        try:
            found = self._discover(self.paths, all_paths)
        except MissingPath:
            self.close()
            self.found, self.agents = None, ()
            self.by_path.clear()
            raise
        present = {candidate.path for candidate in found.candidates}
        for path in [path for path in self.readers if path not in present]:
            self.readers.pop(path).close()
        self.refused = {path: why for path, why in self.refused.items() if path in present}
        self.found = found
        self.agents = [one for one in found.candidates if one.kind is PlaceKind.AGENTS]
        self.by_path = {
            one.path: one for one in found.candidates if one.kind is not PlaceKind.AGENTS
        }
        return found

    def _discover(self, paths: Sequence[str], all_paths: bool) -> Discovery:
        while True:
            try:
                return discover(paths, home=self.home, cwd=self.cwd)
            except MissingPath as error:
                rest = [path for path in paths if path != error.filename]
                self.missing = (*self.missing, str(error.filename))
                if all_paths or not rest:
                    raise
                paths = rest

    def candidates(self) -> Sequence[Candidate]:
        """Return what discovery proposes, without stores of agents."""
        if self.found is None:
            self.discover()
        return tuple(self.by_path.values())

    def missing_roots(self) -> tuple[str, ...]:
        """Return the real paths of the PATHs that did not exist."""
        return tuple(os.path.realpath(os.path.join(self.cwd, path)) for path in self.missing)

    def notices(self) -> Sequence[Notice]:
        """Return what kept the search from being complete."""
        return (self.found or self.discover()).notices

    def reader(self, candidate: Candidate) -> StoreReader | None:
        """Return the reader of a candidate's store; None if no runtime claims it."""
        known = self.readers.get(candidate.path)
        if known is not None and not known.outgrown():
            return known
        with self._creating:
            known = self.readers.get(candidate.path)
            if known is not None:
                if not known.outgrown():
                    return known
                self.readers.pop(candidate.path).close()
            reader = self._make(candidate)
            if reader is not None:
                self.readers[candidate.path] = reader
            return reader

    def summaries(self) -> Iterator[tuple[Store, Sequence[Run]]]:
        """Yield every store with its runs, from cheap reads."""
        for candidate in self.candidates():
            summary = self.summary(candidate)
            if summary is not None:
                yield summary

    def summary(self, candidate: Candidate) -> tuple[Store, Sequence[Run]] | None:
        """Return a store with its runs; None if it is not a store, or on an internal error."""
        try:
            reader = self.reader(candidate)
            return None if reader is None else reader.summarize()
        except Exception as error:
            # Whatever is wrong with one store costs no other.
            reason = internal_error(f"summary of {candidate.path}", error)
            self.refused[candidate.path] = Refused(candidate.path, reason, Health.UNREADABLE)
            return None

    def open(self, run: Run) -> RunReader:
        """Return a reader of one run. Raises `StoreUnavailable` if its store no longer exists."""
        for path in _with_parents(run.store.path):
            candidate = self.by_path.get(path)
            reader = None if candidate is None else self.reader(candidate)
            if reader is not None and reader.path == run.store.path:
                return reader.open(run)
        raise StoreUnavailable(Health.GONE, "the store of this run no longer exists")

    def completed(self, run: Run) -> Run:
        """Return the run with findings and counts; reads it whole unless that was done."""
        return run if run.complete else self.read_whole(run)

    def read_whole(self, run: Run, *, spare_long: bool = False) -> Run:
        """Read a run whole; a run that cannot be read stays as it is.

        With `spare_long`, so does a long run: its follower will report it.
        """
        try:
            with closing(self.open(run)) as reader:
                if spare_long and reader.newest():
                    return replace(run, complete=True)
                return reader.refresh().run
        except StoreUnavailable:
            return run
        except Exception as error:
            message = f"Cannot be read whole: {internal_error(f'run {run.key}', error)}."
            return replace(run, complete=True, findings=(Finding("unreadable", message),))

    def close(self) -> None:
        """Remove all private copies."""
        for reader in self.readers.values():
            reader.close()
        self.readers.clear()

    def _make(self, candidate: Candidate) -> StoreReader | None:
        backend = self.backend_of(candidate)
        return None if backend is None else backend.reader(candidate, self.clock, self.agents)

    def backend_of(self, candidate: Candidate) -> Backend | None:
        """Return the backend of a candidate's store; None if its tables are no runtime's."""
        if candidate.runtime is not None:
            return backend_named(candidate.runtime)
        try:
            with ZeroTouchReader(candidate.path, clock=self.clock) as source:
                tables = source.read(read_tables).value
        except StoreUnavailable as trouble:
            self.refused[candidate.path] = Refused(candidate.path, trouble.reason, trouble.health)
            return None
        except sqlite3.DatabaseError as error:
            reason = f"SQLite says: {error}"
            self.refused[candidate.path] = Refused(candidate.path, reason, Health.UNREADABLE)
            return None
        names = tables.names()
        recognised = recognise(names)
        if recognised is not None:
            return recognised
        if not names:
            self.refused[candidate.path] = Refused(candidate.path, _NO_TABLES, Health.EMPTY)
            return None
        self.refused[candidate.path] = Refused(
            candidate.path, "its tables are not those of a known runtime", Health.UNSUPPORTED
        )
        return None


def _with_parents(path: str) -> Iterator[str]:
    """Yield the path and its parent folders, innermost first."""
    while True:
        yield path
        around = os.path.dirname(path)
        if around == path:
            return
        path = around


def newest_first(run: Run) -> tuple[int, str]:
    """Return a sort key: newest start or last write first, then by key.

    A start before 2000 or after 2099 is taken for wrong and ignored.
    """
    began = run.started_at
    if began is None or not _EARLIEST <= began < _LATEST:
        began = run.last_activity_at or 0
    return (-began, run.key)


def is_active(run: Run, now: int) -> bool:
    """Return whether a running run was written less than a minute ago."""
    if run.status is not Status.RUNNING or run.last_activity_at is None:
        return False
    return now - run.last_activity_at < 60_000
