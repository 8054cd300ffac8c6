"""The bookkeeping behind the list: all known stores and runs, and which to read again."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Sequence
from dataclasses import replace

from inspector.live.feed import Looked, Overview
from inspector.model.run import Run
from inspector.model.status import Status
from inspector.model.store import Store
from inspector.query.run_reader import RunReader
from inspector.query.workspace import Workspace, is_active, newest_first
from inspector.store.discover import Candidate, Discovery, MissingPath

SILENCE_MS = 60_000
"""A running run is completed again after this time: how long it has been silent changes."""


class Catalogue:
    """All known stores and runs.

    One thread discovers and reads; `run`, `open` and `overview` may be called from any thread and
    never wait for a read.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._lock = threading.Lock()
        """Held while the tables below change, never while a store is read."""
        self._candidates: dict[str, Candidate] = {}
        self._known: dict[str, tuple[Store, tuple[Run, ...]]] = {}
        """Candidate path → its store and runs; runs read whole stay complete."""
        self._stale: dict[str, None] = {}
        """Candidates to summarize, the most urgent first."""
        self._path_of: dict[str, str] = {}
        """Run key → candidate path."""
        self._completed_at: dict[str, int] = {}
        """Run key → when it was last read whole, UTC ms."""
        self._missing: tuple[str, ...] = ()
        self.notices: dict[str, None] = {}

    def discover(self) -> Discovery | None:
        """Search for stores again; drop those that vanished, mark new ones as stale.

        A missing PATH becomes a notice. None when no PATH exists.
        """
        missing: tuple[str, ...] = ()
        try:
            found = self._workspace.discover(all_paths=False)
        except MissingPath as error:
            found, missing = None, (str(error),)
        if found is not None:
            missing = tuple(str(MissingPath(path)) for path in self._workspace.missing)
        with self._lock:
            self._missing = missing
            self._update_candidates(dict(self._workspace.by_path))
        return found

    def _update_candidates(self, listed: dict[str, Candidate]) -> None:
        for path in [path for path in self._known if path not in listed]:
            self._forget(path)
        appeared = [path for path in listed if path not in self._candidates]
        self._candidates = listed
        self._stale = {path: None for path in self._stale if path in listed}
        for path in sorted(appeared, key=os.path.basename, reverse=True):
            self._stale[path] = None
        for path in self._known:
            reader = self._workspace.readers.get(path)
            if reader is not None and reader.outgrown():
                self._stale[path] = None

    def touched(self, paths: Iterable[str]) -> None:
        """Mark the stores of files or folders that were written as stale and most urgent."""
        with self._lock:
            urgent: dict[str, None] = {}
            for path in paths:
                for candidate in (path, os.path.dirname(path)):
                    if candidate in self._candidates:
                        urgent[candidate] = None
            self._stale = {**urgent, **self._stale}

    def read_again(self) -> None:
        """Mark all stores that were read as stale; most of them will not have changed."""
        with self._lock:
            self._stale = {**dict.fromkeys(self._known), **self._stale}

    def only_key(self, path: str) -> str | None:
        """Return the key of the only run of the store at a file or folder."""
        for candidate in (path, os.path.dirname(path)):
            _, runs = self._known.get(candidate, (None, ()))
            if len(runs) == 1:
                return runs[0].key
        return None

    def has_stale(self) -> bool:
        """Return whether some store is still to be read."""
        return bool(self._stale)

    def read_next(self) -> bool:
        """Summarize the most urgent store; False when there was none."""
        with self._lock:
            if not self._stale:
                return False
            path = next(iter(self._stale))
            del self._stale[path]
            candidate = self._candidates[path]
        summary = self._workspace.summary(candidate)
        with self._lock:
            before = {run.key: run for run in self._known.get(path, (None, ()))[1]}
            self._forget(path)
            if summary is not None:
                store, runs = summary
                merged = tuple(_merged(run, before.get(run.key)) for run in runs)
                self._known[path] = (store, merged)
                for run in merged:
                    self._path_of[run.key] = path
        return True

    def _forget(self, path: str) -> None:
        for run in self._known.pop(path, (None, ()))[1]:
            self._path_of.pop(run.key, None)
            self._completed_at.pop(run.key, None)

    def run(self, key: str) -> Run | None:
        """Return the newest known state of a run."""
        with self._lock:
            path = self._path_of.get(key)
            listed = () if path is None else self._known[path][1]
        return next((one for one in listed if one.key == key), None)

    def open(self, key: str) -> RunReader | None:
        """Return a new reader of a run; None if it is not listed. Raises StoreUnavailable."""
        run = self.run(key)
        return None if run is None else self._workspace.open(run)

    def incomplete(self, keys: Sequence[str], now: int) -> list[Run]:
        """Return those of these runs whose findings and counts are unknown or out of date."""
        found: list[Run] = []
        for key in keys:
            run = self.run(key)
            if run is None:
                continue
            read_at = self._completed_at.get(key)
            is_open = run.status in (Status.RUNNING, Status.WAITING)
            is_old = is_open and now - (read_at or 0) >= SILENCE_MS
            if not run.complete or read_at is None or is_old:
                found.append(run)
        return found

    def complete(self, run: Run, now: int) -> None:
        """Read a run whole, unless that takes long, and remember the result."""
        self.remember(self._workspace.read_whole(run, spare_long=True), now)

    def remember(self, run: Run, now: int) -> None:
        """Store a run that was read whole; ignored if it is no longer listed."""
        with self._lock:
            path = self._path_of.get(run.key)
            if path is None:
                return
            self._completed_at[run.key] = now
            _, runs = self._known[path]
            updated = tuple(run if one.key == run.key else one for one in runs)
            self._known[path] = (run.store, updated)

    def runs(self) -> list[Run]:
        """Return all known runs."""
        with self._lock:
            return [run for _, runs in self._known.values() for run in runs]

    def overview(self, now: int) -> Overview:
        """Return the whole list, newest first."""
        found = self._workspace.found
        looked = () if found is None else found.looked
        notices = [] if found is None else [notice.message for notice in found.notices]
        runs = tuple(sorted(self.runs(), key=newest_first))
        with self._lock:
            return Overview(
                stores=tuple(store for store, _ in self._known.values()),
                runs=runs,
                as_of=now,
                looked=tuple(Looked(one.shown, one.outcome) for one in looked),
                notices=(*self._missing, *notices, *self.notices),
                loading=len(self._stale),
            )

    def files(self) -> tuple[str, ...]:
        """Return the file of every store, for watching."""
        with self._lock:
            return tuple(store.path for store, _ in self._known.values())

    def active_files(self, now: int) -> tuple[str, ...]:
        """Return the files of stores that are being written."""
        return tuple(run.store.path for run in self.runs() if is_active(run, now))


_STATUS_FINDINGS = frozenset({"quiet", "looks_finished", "never_finished", "contradiction"})
"""Findings that hold only while a run has the status it had."""


def _merged(run: Run, before: Run | None) -> Run:
    """Return a new summary with the counts and findings of the last complete read."""
    if before is None or run.complete or before.steps.total is None:
        return run
    findings = before.findings
    if run.status is not before.status:
        findings = tuple(one for one in findings if one.code not in _STATUS_FINDINGS)
    store = replace(run.store, write_style=before.store.write_style)
    return replace(
        run,
        findings=findings,
        steps=before.steps,
        progress=before.progress,
        order_only=before.order_only,
        tokens=before.tokens,
        store=store,
    )
