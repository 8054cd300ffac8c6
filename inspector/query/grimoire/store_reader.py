"""The reader of one Grimoire store: its runs, pruned ones included, and spells without a run."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from inspector.derive.spending import Spending
from inspector.model.clock import Clock
from inspector.model.run import Run
from inspector.model.status import Status
from inspector.model.store import Health, Store, WriteStyle
from inspector.query.grimoire import NAME, js
from inspector.query.grimoire.ledger_text import UNKNOWN, Edges, edges
from inspector.query.grimoire.record_parts import spell_ids, spell_records, store_records
from inspector.query.grimoire.records import (
    Handoff,
    LedgerRow,
    Mode,
    Records,
    RunRow,
    Track,
    manifest_of,
    mode_of,
)
from inspector.query.grimoire.rows import (
    Listing,
    newer_version_reason,
    read_listing,
    rows_of,
    variant_of,
)
from inspector.query.grimoire.run_head import RunSummary, head, late_state
from inspector.query.grimoire.run_reader import SpellRun
from inspector.query.grimoire.session import read_session
from inspector.query.pnl import DEFAULT_LIMIT, Session
from inspector.query.progress import Progress, no_progress
from inspector.query.reader_pool import ReaderPool
from inspector.query.run_reader import RunReader
from inspector.query.store_reader import StoreReader
from inspector.store.read import StoreUnavailable
from inspector.text.parse_time import parse_instant

_ROWS_PER_QUERY = 500
SILENCE_MS = 60_000
"""After this long waiting runs are summarized again, because they say how long they have waited."""


class JsonColumns(NamedTuple):
    """What a list needs of a run's JSON columns."""

    mode: Mode | str | None = None
    timeout_s: Any = None
    cross_chain: Any = None


@dataclass(slots=True)
class _Cache:
    """Contents of rows that never change after they are written."""

    generation: int = -1
    columns: dict[int, JsonColumns] = field(default_factory=dict)
    """By row of `runs`."""
    edges: dict[int, Edges] = field(default_factory=dict)
    """By row of `ledger`."""


NEVER_RECORDED = (
    "Grimoire writes a run only when it ends: its state, its row and its ledger, one after the"
    " other. Running spells are not visible.",
    "Runs that leave no record: with --no-state; killed, even a `cast --watch` that had sent its"
    " transaction; under Node without better-sqlite3; with a bigint in the final state; one that"
    " found the store locked by another; those that did not compile.",
    "Grimoire keeps the newest 100 rows of each spell. Ledgers and tracks of older runs remain and"
    " are listed as orphans.",
)
"""Source: the observed behaviour of Grimoire's CLI and state store."""

_Heads = dict[tuple[str, str | None], tuple[RunSummary, Run]]


class _Reading(NamedTuple):
    listing: Listing
    columns: Mapping[int, JsonColumns]
    edges: Mapping[int, Edges]


class GrimoireStore(StoreReader):
    """Reads one `grimoire.db`."""

    has_records = True

    def __init__(self, path: str, clock: Clock) -> None:
        self.path = path
        self._clock = clock
        self._pool = ReaderPool(path, clock)
        self._lease = self._pool.lease()
        self._cache = _Cache()
        self._reading: _Reading | None = None
        self._last: tuple[Store, tuple[Run, ...]] | None = None
        self._heads: _Heads = {}
        self._summarized_at = 0

    def summarize(self) -> tuple[Store, Sequence[Run]]:
        """Return the store and its runs: by row, newest first, then those without a row."""
        now = self._clock()
        try:
            if self._reading is None or self._lease.changed():
                self._reading = self._read()
            elif self._last is not None and now - self._summarized_at < SILENCE_MS:
                return self._last
        except StoreUnavailable as trouble:
            return self._unavailable(trouble)
        store = store_of(self.path, self._reading.listing)
        is_same = self._last is not None and self._last[0] == store
        kept: _Heads = self._heads if is_same else {}
        heads: _Heads = {}
        for known in _summaries(self._reading):
            run = _unchanged(kept, known) or head(store, known, now)
            heads[known.spell, known.run_id] = known, run
        self._heads, self._summarized_at = heads, now
        self._last = (store, tuple(run for _, run in heads.values()))
        return self._last

    def _read(self) -> _Reading:
        reading = self._lease.read(self._query(self._cache)).value
        if self._cache.generation != self._lease.generation:
            # Another database under this path: row ids may have another content.
            fresh = _Cache()
            if self._cache.generation >= 0:
                reading = self._lease.read(self._query(fresh)).value
            self._cache = fresh
            self._cache.generation = self._lease.generation
        self._cache.columns = dict(reading.columns)
        self._cache.edges = dict(reading.edges)
        return reading

    @staticmethod
    def _query(cache: _Cache) -> Callable[[sqlite3.Connection], _Reading]:
        def query(connection: sqlite3.Connection) -> _Reading:
            listing = read_listing(connection)
            return _Reading(
                listing,
                _json_columns(connection, listing, cache.columns),
                _edges(connection, listing, cache.edges),
            )

        return query

    def changed(self) -> bool:
        """Return whether the last summary may be out of date."""
        return self._last is None or self._lease.changed()

    def open(self, run: Run) -> RunReader:
        """Return a reader of the run."""
        return SpellRun(self.path, run.session or "", run.run_id, self._pool, self._clock)

    def close(self) -> None:
        """Remove private copies once no reader of a run is left."""
        self._lease.close()

    def subjects(self) -> Collection[str]:
        """Return every recorded spell, as of the last summary."""
        if self._reading is None:
            self.summarize()
        return () if self._reading is None else spell_ids(self._reading.listing)

    def record_of(self, subject: str | None, part: str | None) -> tuple[str, Records]:
        """Return records of a spell (`state run`) or of the store (`store tables`)."""
        if subject is None:
            return store_records(self._lease, part)
        return spell_records(self._lease, subject, part)

    def usage(self) -> Sequence[Spending]:
        """Return nothing: Grimoire records no tokens and no cost."""
        return ()

    def never_recorded(self) -> Sequence[str]:
        """Return which runs are not recorded."""
        return NEVER_RECORDED

    def sessions(self) -> Collection[str]:
        """Return every recorded spell."""
        return self.subjects()

    def session(
        self, name: str, limit: int = DEFAULT_LIMIT, progress: Progress = no_progress
    ) -> Session:
        """Return the profit and loss of a spell's newest runs; all for a limit below 1."""
        return read_session(self._lease, name, limit, progress)

    def _unavailable(self, trouble: StoreUnavailable) -> tuple[Store, tuple[Run, ...]]:
        """Return the last good answer with the reason, or a store without runs."""
        if self._last is not None and trouble.health is Health.BUSY:
            store, runs = self._last
            store = replace(store, health=trouble.health, reason=trouble.reason)
            return store, tuple(replace(run, store=store) for run in runs)
        store = Store(self.path, NAME, None, WriteStyle.NONE, trouble.health, trouble.reason)
        return store, ()


def _unchanged(kept: _Heads, known: RunSummary) -> Run | None:
    """Return the run as summarized before, unless it changed or says how long something lasts."""
    before = kept.get((known.spell, known.run_id))
    if before is None or before[0] != known or before[1].status is Status.WAITING:
        return None
    return None if any(one.code == "arriving" for one in before[1].findings) else before[1]


def store_of(path: str, listing: Listing) -> Store:
    """Return the store as read."""
    health, reason = Health.OK, newer_version_reason(listing.version)
    if reason is not None:
        health = Health.PARTIAL
    if listing.damage:
        health, reason = Health.PARTIAL, "; ".join(one.sentence for one in listing.damage)
    style = WriteStyle.APPEND if listing.runs or listing.ledgers else WriteStyle.NONE
    variant = variant_of(listing.tables, listing.version)
    return Store(path, NAME, variant, style, health, reason)


def _json_columns(
    connection: sqlite3.Connection, listing: Listing, known: Mapping[int, JsonColumns]
) -> Mapping[int, JsonColumns]:
    """Return the JSON columns of each run, reading only rows that are not known."""
    missing = [run.id for run in listing.runs if run.id not in known]
    found = {run.id: known[run.id] for run in listing.runs if run.id in known}
    for start in range(0, len(missing), _ROWS_PER_QUERY):
        ids = missing[start : start + _ROWS_PER_QUERY]
        marks = ", ".join("?" * len(ids))
        rows = rows_of(
            connection,
            listing.tables,
            "runs",
            ("id", "provenance", "cross_chain"),
            f"WHERE id IN ({marks})",
            *ids,
        )
        for row, provenance_text, cross_chain in rows:
            provenance = js.parse_or_none(provenance_text)
            timeout_s = manifest_of(provenance).get("handoff_timeout_sec")
            summary = js.parse_or_none(cross_chain)
            found[row] = JsonColumns(mode_of(provenance), timeout_s, summary)
    return found


def _edges(
    connection: sqlite3.Connection, listing: Listing, known: Mapping[int, Edges]
) -> Mapping[int, Edges]:
    missing = [one.id for one in listing.ledgers if one.id not in known]
    found = {one.id: known[one.id] for one in listing.ledgers if one.id in known}
    found.update(edges(connection, listing.tables, missing))
    return found


Key = tuple[str, str]


def _summaries(reading: _Reading) -> Iterator[RunSummary]:
    """Yield every run: by row, newest first; then those with only a ledger, tracks or a state."""
    listing = reading.listing
    ledgers = {(one.spell, one.run_id): one for one in listing.ledgers}
    tracks = _by_run(listing.tracks)
    handoffs = _by_run(listing.handoffs)
    saved = {state.spell: state.updated_at for state in listing.states}
    newest = {run.spell: run.id for run in listing.runs}
    rows = {(run.spell, run.run_id): run for run in listing.runs}
    for key, run in reversed(rows.items()):
        known = _of_row(run, reading, ledgers.get(key), tracks, handoffs)
        yield late_state(known, saved.get(run.spell), newest=newest[run.spell] == run.id)
    listed = set(rows)
    for key, ledger in reversed(ledgers.items()):
        if key not in listed:
            listed.add(key)
            yield _of_ledger(ledger, reading, tracks, handoffs)
    by_id = {run_id for _, run_id in listed}
    for track in reversed(listing.tracks):
        key = (track.spell or "", track.run_id)
        if track.run_id not in by_id and key not in listed:
            listed.add(key)
            yield RunSummary(
                *key, tracks=tracks[track.run_id], handoffs=handoffs.get(track.run_id, ())
            )
    spells = {spell for spell, _ in listed}
    for state in listing.states:
        if state.spell not in spells:
            yield RunSummary(state.spell, None, state_at=parse_instant(state.updated_at))


def _by_run(rows: Sequence[Any]) -> dict[str, Any]:
    found: dict[str, list[object]] = {}
    for row in rows:
        found.setdefault(row.run_id, []).append(row)
    return {run_id: tuple(of_run) for run_id, of_run in found.items()}


def _of_row(
    run: RunRow,
    reading: _Reading,
    ledger: LedgerRow | None,
    tracks: Mapping[str, tuple[Track, ...]],
    handoffs: Mapping[str, tuple[Handoff, ...]],
) -> RunSummary:
    columns = reading.columns.get(run.id, JsonColumns())
    ends = UNKNOWN if ledger is None else reading.edges.get(ledger.id, UNKNOWN)
    return RunSummary(
        run.spell,
        run.run_id,
        has_row=True,
        has_ledger=ledger is not None,
        timestamp=run.timestamp,
        success=run.success,
        error=run.error,
        duration=run.duration,
        mode=columns.mode,
        timeout_s=columns.timeout_s,
        cross_chain=columns.cross_chain,
        first_at=ends.first_at,
        last_at=ends.last_at,
        size=ends.size,
        tracks=tracks.get(run.run_id, ()),
        handoffs=handoffs.get(run.run_id, ()),
    )


def _of_ledger(
    ledger: LedgerRow,
    reading: _Reading,
    tracks: Mapping[str, tuple[Track, ...]],
    handoffs: Mapping[str, tuple[Handoff, ...]],
) -> RunSummary:
    ends = reading.edges.get(ledger.id, UNKNOWN)
    return RunSummary(
        ledger.spell,
        ledger.run_id,
        has_ledger=True,
        first_at=ends.first_at,
        last_at=ends.last_at,
        size=ends.size,
        tracks=tracks.get(ledger.run_id, ()),
        handoffs=handoffs.get(ledger.run_id, ()),
    )
