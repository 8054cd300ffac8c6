"""The reader of a Prism database."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import replace

from inspector.derive.spending import Spending
from inspector.model.clock import Clock
from inspector.model.run import Run, RunKind
from inspector.model.store import Health, Store
from inspector.query.prism import records, view
from inspector.query.prism.catalog import AGE_MS, Catalog, changes_query
from inspector.query.prism.cells import JsonObject
from inspector.query.prism.run_reader import AgentRun, WorkflowRun
from inspector.query.prism.search import search
from inspector.query.prism.usage import HOW
from inspector.query.reader_pool import ReaderPool
from inspector.query.run_reader import RunReader
from inspector.query.search import Hit
from inspector.query.store_reader import StoreReader
from inspector.query.tables import read_tables, remember
from inspector.store.read import StoreUnavailable


class PrismStore(StoreReader):
    """Reads one Prism database. Used by one thread at a time."""

    has_records = True

    def __init__(self, path: str, clock: Clock) -> None:
        self.path = path
        self._clock = clock
        self._shared = ReaderPool(path, clock)
        self._source = self._shared.lease()
        self._generation = 0
        self._catalog = Catalog(path)
        self._last: tuple[Store, tuple[Run, ...]] | None = None
        self._made_at = 0

    def summarize(self) -> tuple[Store, Sequence[Run]]:
        """Return the store and its runs; while the store is busy, as last read."""
        try:
            if self._last is None or self._source.changed():
                self._read()
            elif self._clock() - self._made_at < AGE_MS:
                return self._last
        except StoreUnavailable as trouble:
            return self._unavailable(trouble)
        layout, now = self._catalog.layout, self._clock()
        store = view.store_of(self.path, layout.tables, layout.verdict)
        self._last = (store, tuple(self._catalog.runs(store, now)))
        self._made_at = now
        return self._last

    def _read(self) -> None:
        changes = self._source.read(changes_query(self._catalog.known())).value
        if self._source.generation != self._generation and not changes.whole:
            self._catalog = Catalog(self.path)
            changes = self._source.read(changes_query(self._catalog.known())).value
        self._generation = self._source.generation
        remember(changes.layout.tables)
        self._catalog.merge(changes)

    def _unavailable(self, trouble: StoreUnavailable) -> tuple[Store, tuple[Run, ...]]:
        if self._last is None:
            return view.unreadable_store(self.path, trouble.health, trouble.reason), ()
        store, runs = self._last
        store = replace(store, health=trouble.health, reason=trouble.reason)
        kept = runs if trouble.health is Health.BUSY else ()
        return store, tuple(replace(run, store=store) for run in kept)

    def changed(self) -> bool:
        """Return whether the last summary may be out of date."""
        return self._last is None or self._source.changed()

    def open(self, run: Run) -> RunReader:
        """Return a reader of a run that shares this store's private copy."""
        name = run.key.removeprefix(view.run_key(self.path, ""))
        lease = self._shared.lease()
        if run.kind is RunKind.WORKFLOW:
            workflow = run.run_id or name
            return WorkflowRun(self.path, name, workflow, lease, self._clock, run.parent_key)
        return AgentRun(
            self.path,
            name,
            lease,
            self._clock,
            parent_key=run.parent_key,
            layout=self._catalog.known_layout,
            session=run.session,
        )

    def subjects(self) -> Collection[str]:
        """Return the session ids."""
        return self._catalog.sessions.keys()

    def record_of(self, subject: str | None, part: str | None) -> tuple[str, Sequence[JsonObject]]:
        """Return the records of a session or of the whole store."""
        wanted = part or ("store" if subject is None else "session")
        query = records.query(wanted, records.Subject(session=subject), self._clock())
        return wanted, self._source.read(query).value

    def search(self, text: str, limit: int) -> Sequence[Hit]:
        """Return entries that contain all words of a text."""

        def read(connection: sqlite3.Connection) -> Sequence[Hit]:
            return search(connection, read_tables(connection), text, limit)[0]

        return self._source.read(read).value

    def usage(self) -> Sequence[Spending]:
        """Return every usage row of the last summary."""
        return self._catalog.spending()

    def usage_method(self, source: str) -> str:
        """Explain how a total was computed."""
        return HOW.get(source, source)

    def close(self) -> None:
        """Release the shared private copy."""
        self._source.close()
