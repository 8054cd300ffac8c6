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
from inspector.store.discover import Candidate, Discovery

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
        self._completed_at: dict[str, int] = {}
        self.notices: dict[str, None] = {}

    def discover(self) -> Discovery:
        """Looks for stores anew; what vanished is dropped, what appeared is to be read."""
        found = self._workspace.discover()
        listed = {one.path: one for one in self._workspace.candidates()}
        for path in [path for path in self._known if path not in listed]:
            del self._known[path]
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
        reader = self._workspace.reader(self._candidates[path])
        if reader is None:
            self._known.pop(path, None)
            return True
        store, runs = reader.summarize()
        before = {run.key: run for run in self._known.get(path, (None, ()))[1]}
        merged = tuple(_merged(run, before.get(run.key)) for run in runs)
        self._known[path] = (store, merged)
        for run in merged:
            self._completed_at.pop(run.key, None)
        return True

    def incomplete(self, keys: Sequence[str], now: int) -> list[Run]:
        """Of these runs the ones whose findings and counts are not known or out of date."""
        runs = {run.key: run for run in self.runs()}
        found: list[Run] = []
        for key in keys:
            run = runs.get(key)
            if run is None:
                continue
            read_at = self._completed_at.get(key)
            grew_old = run.status is Status.RUNNING and now - (read_at or 0) >= SILENCE_MS
            if not run.complete or read_at is None or grew_old:
                found.append(run)
        return found

    def complete(self, run: Run, now: int) -> None:
        """Reads a run whole and remembers it."""
        self.remember(self._workspace.read_whole(run), now)

    def remember(self, run: Run, now: int) -> None:
        """A run that somebody read whole."""
        self._completed_at[run.key] = now
        for path, (store, runs) in self._known.items():
            if store.path == run.store.path:
                new = tuple(run if one.key == run.key else one for one in runs)
                self._known[path] = (run.store, new)
                return

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
            notices=(*notices, *self.notices),
            loading=len(self._stale),
        )

    def files(self) -> tuple[str, ...]:
        """Every store's file, for watching."""
        return tuple(store.path for store, _ in self._known.values())

    def active_files(self, now: int) -> tuple[str, ...]:
        """Stores that are being written."""
        return tuple(run.store.path for run in self.runs() if is_active(run, now))


def _merged(run: Run, before: Run | None) -> Run:
    """A fresh summary with the counts and findings of the last whole read, until the next one."""
    if before is None or run.complete or not before.steps.total:
        return run
    return replace(
        run,
        findings=before.findings,
        steps=before.steps,
        progress=before.progress,
        order_only=before.order_only,
        tokens=before.tokens,
        store=replace(run.store, write_style=before.store.write_style),
    )
