"""Records of a spell and of the whole store.

Source: Grimoire's state store (`load`, `getRuns`, `listSpells`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from typing import Any

from inspector.query.grimoire import js
from inspector.query.grimoire.js import Unreadable
from inspector.query.grimoire.records import Record, Records, run_record
from inspector.query.grimoire.rows import Listing, read_listing, rows_of, spell_runs
from inspector.query.grimoire.schema import CORE, CROSS_CHAIN, missing_tables
from inspector.query.raw_tables import table_records
from inspector.query.reader_pool import ReaderLease
from inspector.query.tables import Tables, quoted, read_tables

STATE, RUN, STORE, TABLES = "state", "run", "store", "tables"


def spell_ids(listing: Listing) -> Collection[str]:
    """Every spell of which a state, a run, a ledger or a track is recorded, sorted."""
    named = {one.spell for one in listing.states}
    named |= {one.spell for one in listing.runs} | {one.spell for one in listing.ledgers}
    named |= {one.spell for one in listing.tracks if one.spell is not None}
    return sorted(str(name) for name in named)


def of_spell(asker: ReaderLease, spell: str, part: str | None) -> tuple[str, Records]:
    """A spell's saved state, or its runs, newest first."""
    part = part or STATE
    if part == STATE:
        return part, asker.read(lambda connection: state_records(connection, spell)).value
    if part == RUN:
        return part, asker.read(lambda connection: _runs(connection, spell)).value
    raise KeyError(part)


def state_records(connection: sqlite3.Connection, spell: str) -> list[Record]:
    """The saved state as the runtime loads it; nothing when there is none."""
    tables = read_tables(connection)
    rows = rows_of(connection, tables, "spell_state", ("state",), "WHERE spell_id = ?", spell)
    return [_state(text) for (text,) in rows]


def _state(text: Any) -> Record:
    try:
        state = js.parse(text if isinstance(text, bytes) else str(text))
    except Unreadable as error:
        return {"unreadable": str(error), "text": text}
    return state if isinstance(state, dict) else {"state": state}


def _runs(connection: sqlite3.Connection, spell: str) -> list[Record]:
    return [run_record(row) for row in spell_runs(connection, read_tables(connection), spell, 0)]


def of_store(asker: ReaderLease, part: str | None) -> tuple[str, Records]:
    """What the store holds, by count and by name."""
    part = part or STORE
    if part == TABLES:
        return part, asker.read(tables).value
    if part != STORE:
        raise KeyError(part)
    return part, [asker.read(_store).value]


def _store(connection: sqlite3.Connection) -> Record:
    listing = read_listing(connection)
    rows = {(one.spell, one.run_id) for one in listing.runs}
    orphans = [one for one in listing.ledgers if (one.spell, one.run_id) not in rows]
    runs = listing.tables.get("runs")
    return {
        "user_version": listing.version,
        "runs_columns": [] if runs is None else list(runs.columns),
        "counts": {name: _count(connection, listing.tables, name) for name in _TABLES},
        "spells": [str(one.spell) for one in _by_name(listing)],
        "all_spell_ids": list(spell_ids(listing)),
        "orphan_ledgers": len(orphans),
        "missing_tables": [name for name in _TABLES if listing.tables.get(name) is None],
        "orphans": [{"spellId": one.spell, "runId": one.run_id} for one in orphans],
        "states": [
            {"spellId": one.spell, "updatedAt": one.updated_at} for one in _by_name(listing)
        ],
    }


_TABLES = (*CORE, *CROSS_CHAIN)


def tables(connection: sqlite3.Connection) -> Records:
    """Every table and view of the store; those that it should have and has not are marked."""
    listing = read_listing(connection)
    missing = missing_tables(listing.tables, listing.version)
    return table_records(
        connection, listing.tables, lambda name: () if name in _TABLES else None, missing
    )


def _by_name(listing: Listing) -> list[Any]:
    return sorted(listing.states, key=lambda one: str(one.spell))


def _count(connection: sqlite3.Connection, tables: Tables, name: str) -> int:
    """Rows of a table; 0 for one that is not there."""
    if tables.get(name) is None:
        return 0
    count: int = connection.execute(f"SELECT count(*) FROM {quoted(name)}").fetchone()[0]
    return count
