"""What is known of all stores and runs, and which of them have to be looked at again."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace

from inspector.live.feed import Looked, Overview
from inspector.model.run import Run
from inspector.model.status import Status
from inspector.model.store import Store
from inspector.query.workspace import Workspace, is_active, newest_first
from inspector.store.discover import Candidate, Discovery, MissingPath

SILENCE_MS = 60_000
"""A running run's findings are made anew this often: its silence grows."""


class Catalogue:
    """The list behind the Overview. Used by one thread at a time."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._candidates: dict[str, Candidate] = {}
        self._known: dict[str, tuple[Store, tuple[Run, ...]]] = {}
        """Candidate path → its store and runs; runs are whole where they have been read whole."""
        self._stale: dict[str, None] = {}
        """Candidates to be summarised, the most wanted first."""
        self._path_of: dict[str, str] = {}
        """Run key → candidate path."""
        self._completed_at: dict[str, int] = {}
        self._missing: tuple[str, ...] = ()
        self.notices: dict[str, None] = {}

    def discover(self) -> Discovery | None:
        """Looks for stores anew; what vanished is dropped, what appeared is to be read.

        A PATH that is missing is said and costs no other; None when there is none that exists.
        """
        self._missing = ()
        try:
            found = self._workspace.discover(all_paths=False)
        except MissingPath as error:
            found, self._missing = None, (str(error),)
        if found is not None:
            self._missing = tuple(str(MissingPath(path)) for path in self._workspace.missing)
        listed = dict(self._workspace.by_path)
        for path in [path for path in self._known if path not in listed]:
            self._forget(path)
        appeared = [path for path in listed if path not in self._candidates]
        outgrown = [path for path in listed if path in self._known]
        self._candidates = listed
        self._stale = {path: None for path in self._stale if path in listed}
        for path in sorted(appeared, key=os.path.basename, reverse=True):
            self._stale[path] = None
        for path in outgrown:
            reader = self._workspace.readers.get(path)
            if reader is not None and reader.outgrown():
                self._stale[path] = None
        return found

    def touched(self, paths: Iterable[str]) -> None:
        """Files or folders that were written: their stores are to be read again, first."""
        wanted: dict[str, None] = {}
        for path in paths:
            for candidate in (path, os.path.dirname(path)):
                if candidate in self._candidates:
                    wanted[candidate] = None
        self._stale = {**wanted, **self._stale}

    def read_again(self) -> None:
        """All stores that were read are to be looked at again, first; most will not have moved."""
        self._stale = {**dict.fromkeys(self._known), **self._stale}

    def only_key(self, path: str) -> str | None:
        """The key of the one run of the store at this file or folder; None if there are more."""
        for candidate in (path, os.path.dirname(path)):
            _, runs = self._known.get(candidate, (None, ()))
            if len(runs) == 1:
                return runs[0].key
        return None

    def has_stale(self) -> bool:
        """Whether some store is still to be read."""
        return bool(self._stale)

    def read_next(self) -> bool:
        """Summarises the most wanted store; False when there was none."""
        if not self._stale:
            return False
        path = next(iter(self._stale))
        del self._stale[path]
        summary = self._workspace.summary(self._candidates[path])
        if summary is None:
            self._forget(path)
            return True
        store, runs = summary
        before = {run.key: run for run in self._known.get(path, (None, ()))[1]}
        merged = tuple(_merged(run, before.get(run.key)) for run in runs)
        self._forget(path)
        self._known[path] = (store, merged)
        for run in merged:
            self._path_of[run.key] = path
        return True

    def _forget(self, path: str) -> None:
        for run in self._known.pop(path, (None, ()))[1]:
            self._path_of.pop(run.key, None)
            self._completed_at.pop(run.key, None)

    def run(self, key: str) -> Run | None:
        """The run with this key, as far as it is known."""
        path = self._path_of.get(key)
        listed = () if path is None else self._known[path][1]
        return next((one for one in listed if one.key == key), None)

    def incomplete(self, keys: Sequence[str], now: int) -> list[Run]:
        """Of these runs the ones whose findings and counts are not known or out of date."""
        found: list[Run] = []
        for key in keys:
            run = self.run(key)
            if run is None:
                continue
            read_at = self._completed_at.get(key)
            lives = run.status in (Status.RUNNING, Status.WAITING)
            grew_old = lives and now - (read_at or 0) >= SILENCE_MS
            if not run.complete or read_at is None or grew_old:
                found.append(run)
        return found

    def complete(self, run: Run, now: int) -> None:
        """Reads a run whole, unless that takes long, and remembers it."""
        self.remember(self._workspace.read_whole(run, spare_long=True), now)

    def remember(self, run: Run, now: int) -> None:
        """A run that somebody read whole; one that is not listed any more stays unlisted."""
        path = self._path_of.get(run.key)
        if path is None:
            return
        self._completed_at[run.key] = now
        _, runs = self._known[path]
        self._known[path] = (run.store, tuple(run if one.key == run.key else one for one in runs))

    def runs(self) -> list[Run]:
        """All runs as far as they are known."""
        return [run for _, runs in self._known.values() for run in runs]

    def overview(self, now: int) -> Overview:
        """The whole list, newest first."""
        found = self._workspace.found
        looked = () if found is None else found.looked
        notices = [] if found is None else [notice.message for notice in found.notices]
        return Overview(
            stores=tuple(store for store, _ in self._known.values()),
            runs=tuple(sorted(self.runs(), key=newest_first)),
            as_of=now,
            looked=tuple(Looked(one.shown, one.outcome) for one in looked),
            notices=(*self._missing, *notices, *self.notices),
            loading=len(self._stale),
        )

    def files(self) -> tuple[str, ...]:
        """Every store's file, for watching."""
        return tuple(store.path for store, _ in self._known.values())

    def active_files(self, now: int) -> tuple[str, ...]:
        """Stores that are being written."""
        return tuple(run.store.path for run in self.runs() if is_active(run, now))


_OF_THEIR_TIME = frozenset({"quiet", "looks_finished", "never_finished", "contradiction"})
"""Findings that hold for one status of a run only."""


def _merged(run: Run, before: Run | None) -> Run:
    """A fresh summary with the counts and findings of the last whole read, until the next one."""
    if before is None or run.complete or before.steps.total is None:
        return run
    kept = before.findings
    if run.status is not before.status:
        kept = tuple(one for one in kept if one.code not in _OF_THEIR_TIME)
    store = replace(run.store, write_style=before.store.write_style)
    if store.variant is not None and store.variant.replace("v2", "v3") == before.store.variant:
        # The two have one schema; only the rows tell them apart.
        store = replace(store, variant=before.store.variant)
    return replace(
        run,
        findings=kept,
        steps=before.steps,
        progress=before.progress,
        order_only=before.order_only,
        tokens=before.tokens,
        store=store,
    )
