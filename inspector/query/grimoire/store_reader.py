"""One Grimoire store: its runs, with those whose row was pruned, and spells that have no run."""

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
from inspector.query.grimoire import NAME, js, schema, store_records
from inspector.query.grimoire.heads import Known, head, late_state
from inspector.query.grimoire.js import Unreadable
from inspector.query.grimoire.records import Records
from inspector.query.grimoire.rows import (
    Handoff,
    LedgerRow,
    Listing,
    RunRow,
    Track,
    read_listing,
    rows_of,
)
from inspector.query.grimoire.run_reader import SpellRun
from inspector.query.grimoire.session import DEFAULT_LIMIT, Session, read_session
from inspector.query.grimoire.texts import UNKNOWN, Edges, edges
from inspector.query.grimoire.verdicts import Mode, mode_of
from inspector.query.progress import Progress, no_progress
from inspector.query.reader_pool import ReaderPool
from inspector.query.run_reader import RunReader
from inspector.query.store_reader import StoreReader
from inspector.store.read import StoreUnavailable
from inspector.text.parse_time import parse_instant

_AT_ONCE = 500
SILENCE_MS = 60_000
"""How often runs that wait are told anew: their age grows."""


class Provenance(NamedTuple):
    """What a list needs of a run's JSON columns."""

    mode: Mode | str | None = None
    timeout_s: Any = None
    summary: Any = None


@dataclass(slots=True)
class _Memory:
    """What rows said that are never changed once they are written."""

    generation: int = -1
    provenance: dict[int, Provenance] = field(default_factory=dict)
    """Row of `runs` → its mode, timeout and summary."""
    edges: dict[int, Edges] = field(default_factory=dict)
    """Row of `ledger` → its ends."""


NEVER_RECORDED = (
    "Grimoire writes a run only when it is over: its state, its row and its ledger, one after the"
    " other. A run that goes on cannot be seen.",
    "These runs leave no trace: with --no-state; killed ones, also a `cast --watch` that had sent"
    " its transaction; under Node without better-sqlite3; with a bigint in their final state; of"
    " two that write at once, the one that found the store locked; what did not compile.",
    "Of each spell the newest 100 rows are kept. The ledgers and tracks of older runs stay, and"
    " are listed here as orphans.",
)
"""Source: Grimoire's CLI and state store, as they were seen to behave."""

_Heads = dict[tuple[str, str | None], tuple[Known, Run]]


class _Look(NamedTuple):
    listing: Listing
    provenance: Mapping[int, Provenance]
    edges: Mapping[int, Edges]


class GrimoireStore(StoreReader):
    """Satisfies `StoreReader` and all of `keeper`. Used by one thread at a time."""

    has_records = True

    def __init__(self, path: str, clock: Clock) -> None:
        self.path = path
        self._clock = clock
        self._source = ReaderPool(path, clock)
        self._asker = self._source.lease()
        self._memory = _Memory()
        self._look: _Look | None = None
        self._last: tuple[Store, tuple[Run, ...]] | None = None
        self._heads: _Heads = {}
        self._told_at = 0

    def summarize(self) -> tuple[Store, Sequence[Run]]:
        """The store and its runs, newest rows first, then those without a row."""
        now = self._clock()
        try:
            if self._look is None or self._asker.changed():
                self._look = self._read()
            elif self._last is not None and now - self._told_at < SILENCE_MS:
                return self._last
        except StoreUnavailable as trouble:
            return self._unavailable(trouble)
        store = store_of(self.path, self._look.listing)
        is_same = self._last is not None and self._last[0] == store
        kept: _Heads = self._heads if is_same else {}
        heads: _Heads = {}
        for known in _known(self._look):
            run = _again(kept, known) or head(store, known, now)
            heads[known.spell, known.run_id] = known, run
        self._heads, self._told_at = heads, now
        self._last = (store, tuple(run for _, run in heads.values()))
        return self._last

    def _read(self) -> _Look:
        look = self._asker.read(self._question(self._memory)).value
        if self._memory.generation != self._asker.generation:
            fresh = _Memory()
            if self._memory.generation >= 0:
                look = self._asker.read(self._question(fresh)).value
            self._memory = fresh
            self._memory.generation = self._asker.generation
        self._memory.provenance = dict(look.provenance)
        self._memory.edges = dict(look.edges)
        return look

    @staticmethod
    def _question(memory: _Memory) -> Callable[[sqlite3.Connection], _Look]:
        def ask(connection: sqlite3.Connection) -> _Look:
            listing = read_listing(connection)
            return _Look(
                listing,
                _provenance(connection, listing, memory.provenance),
                _edges(connection, listing, memory.edges),
            )

        return ask

    def changed(self) -> bool:
        """Whether the last summary may be out of date."""
        return self._last is None or self._asker.changed()

    def open(self, run: Run) -> RunReader:
        """A reader of the run."""
        return SpellRun(self.path, run.session or "", run.run_id, self._source, self._clock)

    def close(self) -> None:
        """Removes private copies once no reader of a run is left."""
        self._asker.close()

    def spells(self) -> Collection[str]:
        """Every spell of which anything is recorded, as of the last summary."""
        if self._look is None:
            self.summarize()
        return () if self._look is None else store_records.spell_ids(self._look.listing)

    def subjects(self) -> Collection[str]:
        """Spells, whose records can be asked for."""
        return self.spells()

    def record_of(self, subject: str | None, part: str | None) -> tuple[str, Records]:
        """Records of a spell (`state run`) or of the store (`store`)."""
        if subject is None:
            return store_records.of_store(self._asker, part)
        return store_records.of_spell(self._asker, subject, part)

    def usage(self) -> Sequence[Spending]:
        """Grimoire records no tokens and no cost: there is nothing to read ledgers for."""
        return ()

    def usage_method(self, source: str) -> str:
        """Never asked: there are no sums."""
        raise KeyError(source)

    def never_recorded(self) -> Sequence[str]:
        """Runs that leave no trace, and when there is one to see."""
        return NEVER_RECORDED

    def session(
        self,
        spell: str,
        limit: int = DEFAULT_LIMIT,
        tell: Progress = no_progress,
    ) -> Session:
        """A spell's session views and what became of its money."""
        return read_session(self._asker, spell, limit, tell)

    def _unavailable(self, trouble: StoreUnavailable) -> tuple[Store, tuple[Run, ...]]:
        """The last good answer with the reason, or a store of which nothing is known."""
        if self._last is not None and trouble.health is Health.BUSY:
            store, runs = self._last
            store = replace(store, health=trouble.health, reason=trouble.reason)
            return store, tuple(replace(run, store=store) for run in runs)
        store = Store(self.path, NAME, None, WriteStyle.NONE, trouble.health, trouble.reason)
        return store, ()


def _again(kept: _Heads, known: Known) -> Run | None:
    """The run as it was told before, unless it says how long something has lasted."""
    before = kept.get((known.spell, known.run_id))
    if before is None or before[0] != known or before[1].status is Status.WAITING:
        return None
    return None if any(one.code == "arriving" for one in before[1].findings) else before[1]


def store_of(path: str, listing: Listing) -> Store:
    """The store as it can be read now."""
    health, reason = Health.OK, schema.newer(listing.version)
    if reason is not None:
        health = Health.PARTIAL
    if listing.damage:
        health, reason = Health.PARTIAL, "; ".join(one.sentence for one in listing.damage)
    style = WriteStyle.APPEND if listing.runs or listing.ledgers else WriteStyle.NONE
    variant = schema.variant_of(listing.tables, listing.version)
    return Store(path, NAME, variant, style, health, reason)


def _provenance(
    connection: sqlite3.Connection, listing: Listing, known: Mapping[int, Provenance]
) -> Mapping[int, Provenance]:
    """Of each run how it was run; only of rows that were not read before."""
    missing = [run.id for run in listing.runs if run.id not in known]
    found = {run.id: known[run.id] for run in listing.runs if run.id in known}
    for start in range(0, len(missing), _AT_ONCE):
        ids = missing[start : start + _AT_ONCE]
        marks = ", ".join("?" * len(ids))
        rows = rows_of(
            connection,
            listing.tables,
            "runs",
            ("id", "provenance", "cross_chain"),
            f"WHERE id IN ({marks})",
            *ids,
        )
        found.update((row, _read_provenance(text, summary)) for row, text, summary in rows)
    return found


def _read_provenance(text: Any, summary: Any) -> Provenance:
    provenance, told = _parsed(text), _parsed(summary)
    manifest = provenance.get("cross_chain") if isinstance(provenance, dict) else None
    timeout = manifest.get("handoff_timeout_sec") if isinstance(manifest, dict) else None
    return Provenance(mode_of(provenance), timeout, told)


def _parsed(text: Any) -> Any:
    if text is None:
        return None
    try:
        return js.parse(text if isinstance(text, bytes) else str(text))
    except Unreadable:
        return None


def _edges(
    connection: sqlite3.Connection, listing: Listing, known: Mapping[int, Edges]
) -> Mapping[int, Edges]:
    missing = [one.id for one in listing.ledgers if one.id not in known]
    found = {one.id: known[one.id] for one in listing.ledgers if one.id in known}
    found.update(edges(connection, listing.tables, missing))
    return found


Key = tuple[str, str]


def _known(look: _Look) -> Iterator[Known]:
    """Every run: by row, newest first; then by ledger alone, by tracks alone, by state alone."""
    listing = look.listing
    ledgers = {(one.spell, one.run_id): one for one in listing.ledgers}
    tracks = _by_run(listing.tracks)
    handoffs = _by_run(listing.handoffs)
    saved = {state.spell: state.updated_at for state in listing.states}
    newest = {run.spell: run.id for run in listing.runs}
    rows = {(run.spell, run.run_id): run for run in listing.runs}
    for key, run in reversed(rows.items()):
        known = _of_row(run, look, ledgers.get(key), tracks, handoffs)
        yield late_state(known, saved.get(run.spell), newest=newest[run.spell] == run.id)
    listed = set(rows)
    for key, ledger in reversed(ledgers.items()):
        if key not in listed:
            listed.add(key)
            yield _of_ledger(ledger, look, tracks, handoffs)
    by_id = {run_id for _, run_id in listed}
    for track in reversed(listing.tracks):
        key = (track.spell or "", track.run_id)
        if track.run_id not in by_id and key not in listed:
            listed.add(key)
            yield Known(*key, tracks=tracks[track.run_id], handoffs=handoffs.get(track.run_id, ()))
    spells = {spell for spell, _ in listed}
    for state in listing.states:
        if state.spell not in spells:
            yield Known(state.spell, None, state_at=parse_instant(state.updated_at))


def _by_run(rows: Sequence[Any]) -> dict[str, Any]:
    found: dict[str, list[Any]] = {}
    for row in rows:
        found.setdefault(row.run_id, []).append(row)
    return {run_id: tuple(of_run) for run_id, of_run in found.items()}


def _of_row(
    run: RunRow,
    look: _Look,
    ledger: LedgerRow | None,
    tracks: Mapping[str, tuple[Track, ...]],
    handoffs: Mapping[str, tuple[Handoff, ...]],
) -> Known:
    told = look.provenance.get(run.id, Provenance())
    ends = UNKNOWN if ledger is None else look.edges.get(ledger.id, UNKNOWN)
    return Known(
        run.spell,
        run.run_id,
        has_row=True,
        has_ledger=ledger is not None,
        timestamp=run.timestamp,
        success=run.success,
        error=run.error,
        duration=run.duration,
        mode=told.mode,
        timeout_s=told.timeout_s,
        summary=told.summary,
        first_at=ends.first_at,
        last_at=ends.last_at,
        size=ends.size,
        tracks=tracks.get(run.run_id, ()),
        handoffs=handoffs.get(run.run_id, ()),
    )


def _of_ledger(
    ledger: LedgerRow,
    look: _Look,
    tracks: Mapping[str, tuple[Track, ...]],
    handoffs: Mapping[str, tuple[Handoff, ...]],
) -> Known:
    ends = look.edges.get(ledger.id, UNKNOWN)
    return Known(
        ledger.spell,
        ledger.run_id,
        has_ledger=True,
        first_at=ends.first_at,
        last_at=ends.last_at,
        size=ends.size,
        tracks=tracks.get(ledger.run_id, ()),
        handoffs=handoffs.get(ledger.run_id, ()),
    )
