"""Reads one OpenProse run folder with a database: the store and a summary of its run."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from inspector.model.clock import Clock
from inspector.model.run import Finding, Run, RunKind
from inspector.model.status import Status
from inspector.model.store import Health, Store, WriteStyle
from inspector.query.openprose import NAME, schema, view
from inspector.query.openprose.gates import Gate, pending_gates
from inspector.query.openprose.rows import Damage, RunRow, read_run_rows
from inspector.query.openprose.view import AgentStore, RunHistory
from inspector.query.run_reader import RunReader
from inspector.query.store_reader import StoreReader
from inspector.query.tables import Tables, read_tables, remember
from inspector.store.read import StoreUnavailable, Token, ZeroTouchReader


class ProseStore(StoreReader):
    """Reads one `state.db`. Used by one thread at a time."""

    def __init__(
        self,
        path: str,
        clock: Clock,
        *,
        parent_key: str | None = None,
        agents: tuple[AgentStore, ...] = (),
    ) -> None:
        self.path = path
        self._clock = clock
        self._place = view.RunLocation(path, os.path.dirname(path), parent_key, agents)
        self._source = ZeroTouchReader(path, clock=clock)
        self._history = RunHistory()
        self._facts: view.Facts | None = None
        self._signs = schema.StyleSigns()
        """Those that the last summary is based on."""
        self._token: Token | None = None
        self._last: tuple[Store, tuple[Run, ...]] | None = None

    def summarize(self) -> tuple[Store, Sequence[Run]]:
        """Return the store and the run's own row; an unreadable store still has its run."""
        try:
            if self._last is not None and self._facts is not None and self._is_current():
                return self._last if self._signs == self._history.signs else self._show(self._facts)
            reading = self._source.read(_read_head)
        except StoreUnavailable as trouble:
            return self._unavailable(trouble)
        except sqlite3.DatabaseError as error:
            return self._unavailable(StoreUnavailable(Health.UNREADABLE, f"SQLite says: {error}"))
        head = reading.value
        remember(head.tables)
        facts = view.Facts(
            head.tables,
            tuple(head.run_rows),
            () if head.damage is None else (head.damage,),
            reading.token.last_write_ms,
            gates=tuple(head.gates),
        )
        self._history.note_status(view.status_of(facts, self._place), facts.last_activity_at)
        self._token = reading.token
        return self._show(facts)

    def _is_current(self) -> bool:
        return not self._source.changed() or self._source.content_token() == self._token

    def _show(self, facts: view.Facts) -> tuple[Store, tuple[Run, ...]]:
        self._facts, self._signs = facts, self._history.signs
        store = view.store_of(self._place, facts, self._signs)
        self._last = (store, (view.head_of(self._place, facts, store),))
        return self._last

    def changed(self) -> bool:
        """Return whether the last summary may be out of date."""
        return self._last is None or self._source.changed()

    def open(self, run: Run) -> RunReader:
        """Return a reader of the run."""
        # Imported late: a list of runs needs no fold.
        from inspector.query.openprose.run_reader import ProseRun

        return ProseRun(self._place, self._clock, self._history)

    def close(self) -> None:
        """Remove private copies."""
        self._source.close()

    def _unavailable(self, trouble: StoreUnavailable) -> tuple[Store, tuple[Run, ...]]:
        """Return the last good answer with the reason, or a run of unknown status."""
        if self._last is not None and trouble.health is Health.BUSY:
            store, runs = self._last
            store = replace(store, health=trouble.health, reason=trouble.reason)
            return store, tuple(replace(run, store=store) for run in runs)
        return unknown_run(self._place, trouble.health, trouble.reason)


def unknown_run(
    place: view.RunLocation, health: Health, reason: str, variant: str | None = None
) -> tuple[Store, tuple[Run, ...]]:
    """Return the store and run of a folder whose store cannot be read."""
    if health is Health.EMPTY:
        variant = "empty"
    store = Store(place.store_path, NAME, variant, WriteStyle.NONE, health, reason)
    run = Run(
        key=view.run_key(place.store_path, place.name),
        kind=RunKind.PROGRAM,
        store=store,
        run_id=place.name,
        title=place.name,
        status=Status.UNKNOWN,
        raw_status=None,
        parent_key=place.parent_key,
        findings=(Finding("unreadable", f"Cannot be read now: {reason}."),),
        complete=True,
    )
    return store, (run,)


class _Head(NamedTuple):
    """What a summary is made of."""

    tables: Tables
    run_rows: Sequence[RunRow]
    damage: Damage | None
    gates: Sequence[Gate]


def _read_head(connection: sqlite3.Connection) -> _Head:
    tables = read_tables(connection)
    rows, damage = read_run_rows(connection, tables)
    return _Head(tables, rows, damage, pending_gates(connection, tables))
