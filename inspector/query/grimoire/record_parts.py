"""The parts that `record` answers: of a run, of a spell, of the whole store.

Source: Grimoire's state store (`load`, `getRuns`, `listSpells`), persistence and cross-chain store.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence

from inspector.model.step import Step
from inspector.query.comparison import Side
from inspector.query.grimoire import comparing, js
from inspector.query.grimoire.js import Unreadable
from inspector.query.grimoire.records import (
    Handoff,
    Record,
    Records,
    SavedState,
    StepResult,
    Track,
    handoff_record,
    run_record,
    step_result_record,
    track_record,
)
from inspector.query.grimoire.rows import (
    CORE,
    CROSS_CHAIN,
    Listing,
    missing_tables,
    read_listing,
    rows_of,
    spell_runs,
)
from inspector.query.grimoire.view import Facts
from inspector.query.raw_tables import table_records
from inspector.query.reader_pool import ReaderLease
from inspector.query.tables import Tables, quoted, read_tables

STATE, RUN, STORE, TABLES = "state", "run", "store", "tables"
_KNOWN_TABLES = (*CORE, *CROSS_CHAIN)

ABOUT: Mapping[str, str] = {
    "state": "Persistent state is kept from run to run and saved when a run ends. Ephemeral state"
    " and bindings end with their run; only its ledger shows them.",
    "provenance": "How the run was started: its mode, its parameters and their data sources. A"
    " source older than the run allowed is stale.",
    "tracks": "The current state of both sides of a cross-chain run. These rows are kept up to"
    " date; the run's summary and ledger are not.",
    "handoffs": "Transfers between chains. A transfer is realised only when it is settled.",
    "steps": "The result of each planned action. In a simulation, successful actions are called"
    " confirmed, too.",
}
"""A sentence or two about a part."""


# Parts of a run.


def _run(facts: Facts, lease: ReaderLease) -> Records:
    return [] if facts.rows.row is None else [run_record(facts.rows.row)]


def _tracks(facts: Facts, lease: ReaderLease) -> Records:
    return [track_record(one) for one in facts.rows.tracks]


def _handoffs(facts: Facts, lease: ReaderLease) -> Records:
    return [handoff_record(one) for one in facts.rows.handoffs]


def _steps(facts: Facts, lease: ReaderLease) -> Records:
    return [step_result_record(one) for one in facts.rows.step_results]


def _provenance(facts: Facts, lease: ReaderLease) -> Records:
    """Return the provenance with stale sources marked and the changes since the previous run."""
    provenance = facts.parsed.get("provenance")
    if not isinstance(provenance, dict):
        return []
    shown = dict(provenance)
    sources = provenance.get("sources")
    if isinstance(sources, list):
        shown["sources"] = [
            {**one, "stale": True} if comparing.is_stale(one, provenance) else one
            for one in sources
        ]
    if facts.rows.before is not None:
        before = comparing.side_of(comparing.PROVENANCE, None, facts.rows.before)
        if before.why_not is None:
            now = Side(facts.place.run_id, provenance)
            comparison = comparing.compare(comparing.PROVENANCE, before, now)
            shown["since_the_run_before"] = comparison.records
    return [shown]


def _state(facts: Facts, lease: ReaderLease) -> Records:
    """Return each name of the state: as saved now, after this run, and after the previous run."""
    columns = {
        "saved_now": _json(facts.rows.state, "state"),
        "after_this_run": _json(facts.rows.row, "final_state"),
        "after_the_run_before": _json(facts.rows.before, "final_state"),
    }
    names: dict[str, None] = {}
    for state in columns.values():
        if isinstance(state, dict):
            names.update(dict.fromkeys(state))
    return [_state_record(name, columns) for name in names]


def _state_record(name: str, columns: Mapping[str, object]) -> Record:
    record: Record = {"name": name}
    for column, state in columns.items():
        if isinstance(state, dict) and name in state:
            record[column] = state[name]
    before, after = record.get("after_the_run_before"), record.get("after_this_run")
    record["changed_by_this_run"] = after != before
    return record


def _json(row: Mapping[str, object] | None, column: str) -> object:
    return None if row is None else js.parse_or_none(row.get(column))


def _store_of_run(facts: Facts, lease: ReaderLease) -> Records:
    return store_records(lease, STORE)[1]


def _tables_of_run(facts: Facts, lease: ReaderLease) -> Records:
    return store_records(lease, TABLES)[1]


RUN_PARTS: Mapping[str, Callable[[Facts, ReaderLease], Records]] = {
    "run": _run,
    "tracks": _tracks,
    "handoffs": _handoffs,
    "steps": _steps,
    "provenance": _provenance,
    "state": _state,
    "store": _store_of_run,
    "tables": _tables_of_run,
}


def related_records(
    step: Step,
    tracks: Sequence[Track],
    handoffs: Sequence[Handoff],
    results: Sequence[StepResult],
) -> Mapping[str, tuple[Mapping[str, object], ...]]:
    """Return the records of the cross-chain tables that concern a step, by table."""
    step_id, ref = step.ref.get("step_id"), step.ref
    found: dict[str, Sequence[Record]] = {
        "run_step_results": [
            step_result_record(one)
            for one in results
            if step_id is not None and one.step_id == step_id
        ],
        "run_handoffs": [
            handoff_record(one)
            for one in handoffs
            if one.handoff_id == ref.get("handoff_id")
            or (step_id is not None and one.source_step_id == step_id)
        ],
        "run_tracks": [track_record(one) for one in tracks if one.track_id == ref.get("track_id")],
    }
    return {table: tuple(rows) for table, rows in found.items() if rows}


# Parts of a spell.


def spell_ids(listing: Listing) -> Collection[str]:
    """Return every spell with a state, a run, a ledger or a track, sorted."""
    named = {one.spell for one in listing.states}
    named |= {one.spell for one in listing.runs} | {one.spell for one in listing.ledgers}
    named |= {one.spell for one in listing.tracks if one.spell is not None}
    return sorted(str(name) for name in named)


def spell_records(lease: ReaderLease, spell: str, part: str | None) -> tuple[str, Records]:
    """Return a spell's saved state (`state`), or its runs, newest first (`run`)."""
    part = part or STATE
    if part == STATE:
        return part, lease.read(lambda connection: saved_state(connection, spell)).value
    if part == RUN:
        return part, lease.read(lambda connection: _runs(connection, spell)).value
    raise KeyError(part)


def saved_state(connection: sqlite3.Connection, spell: str) -> list[Record]:
    """Return the saved state as Grimoire loads it; nothing if there is none."""
    tables = read_tables(connection)
    rows = rows_of(connection, tables, "spell_state", ("state",), "WHERE spell_id = ?", spell)
    return [_saved_state(cell) for (cell,) in rows]


def _saved_state(cell: object) -> Record:
    try:
        state = js.parse(cell)
    except Unreadable as error:
        return {"unreadable": str(error), "text": cell}
    return state if isinstance(state, dict) else {"state": state}


def _runs(connection: sqlite3.Connection, spell: str) -> list[Record]:
    return [run_record(row) for row in spell_runs(connection, read_tables(connection), spell, 0)]


# Parts of the store.


def store_records(lease: ReaderLease, part: str | None) -> tuple[str, Records]:
    """Return what the store has, by count and name (`store`), or all its tables (`tables`)."""
    part = part or STORE
    if part == TABLES:
        return part, lease.read(_tables).value
    if part != STORE:
        raise KeyError(part)
    return part, [lease.read(_store).value]


def _store(connection: sqlite3.Connection) -> Record:
    listing = read_listing(connection)
    rows = {(one.spell, one.run_id) for one in listing.runs}
    orphans = [one for one in listing.ledgers if (one.spell, one.run_id) not in rows]
    runs = listing.tables.get("runs")
    states: list[SavedState] = sorted(listing.states, key=lambda one: str(one.spell))
    return {
        "user_version": listing.version,
        "runs_columns": [] if runs is None else list(runs.columns),
        "counts": {name: _count(connection, listing.tables, name) for name in _KNOWN_TABLES},
        "spells": [str(one.spell) for one in states],
        "all_spell_ids": list(spell_ids(listing)),
        "orphan_ledgers": len(orphans),
        "missing_tables": [name for name in _KNOWN_TABLES if listing.tables.get(name) is None],
        "orphans": [{"spellId": one.spell, "runId": one.run_id} for one in orphans],
        "states": [{"spellId": one.spell, "updatedAt": one.updated_at} for one in states],
    }


def _tables(connection: sqlite3.Connection) -> Records:
    """Return every table and view, and the tables that the store should have but does not."""
    listing = read_listing(connection)
    missing = missing_tables(listing.tables, listing.version)
    return table_records(
        connection, listing.tables, lambda name: () if name in _KNOWN_TABLES else None, missing
    )


def _count(connection: sqlite3.Connection, tables: Tables, name: str) -> int:
    if tables.get(name) is None:
        return 0
    count: int = connection.execute(f"SELECT count(*) FROM {quoted(name)}").fetchone()[0]
    return count
