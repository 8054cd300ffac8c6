"""Reads the rows of a Grimoire store, by the columns that exist, without the text of ledgers.

Source: the state store of Grimoire, from 2026-01-30 (`user_version` 0, without provenance) to
2026-02-14 and later (version 2). Columns that a migration added come last, so columns are read by
name. The small tables are read whole; of `runs` and `ledger` a list reads only what it shows, since
a ledger may have many megabytes.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from inspector.query.grimoire import js
from inspector.query.grimoire.records import (
    HANDOFF_COLUMNS,
    RUN_COLUMNS,
    STEP_RESULT_COLUMNS,
    TRACK_COLUMNS,
    Handoff,
    LedgerRow,
    RunRow,
    SavedState,
    StepResult,
    Track,
    text_of,
    typed_rows,
)
from inspector.query.rows import Damage, collect, read_whole_rows
from inspector.query.tables import Table, Tables, quoted, read_tables

NEWEST = 2
"""The newest supported `user_version`."""

CORE = ("spell_state", "runs", "ledger")
"""Tables of every version."""
CROSS_CHAIN = ("run_tracks", "run_handoffs", "run_step_results")
"""Tables from version 2 on."""


def missing_tables(tables: Tables, version: int) -> tuple[str, ...]:
    """Return the tables that a store of this version should have but does not."""
    expected = (*CORE, *CROSS_CHAIN) if version >= NEWEST else CORE
    return tuple(name for name in expected if tables.get(name) is None)


def variant_of(tables: Tables, version: int) -> str:
    """Return the `user_version`, with `-partial` if a table is missing."""
    return f"{version}-partial" if missing_tables(tables, version) else str(version)


def newer_version_reason(version: int) -> str | None:
    """Return why a store of a later Grimoire is shown only in part; None for a known version."""
    if version <= NEWEST:
        return None
    return (
        f"its schema version {version} is newer than {NEWEST}, the newest supported;"
        " only known columns are shown"
    )


@dataclass(frozen=True, slots=True)
class Listing:
    """The rows of a store without their large texts, in the order of writing."""

    tables: Tables
    version: int
    """`user_version`."""
    runs: tuple[RunRow, ...] = ()
    ledgers: tuple[LedgerRow, ...] = ()
    states: tuple[SavedState, ...] = ()
    tracks: tuple[Track, ...] = ()
    handoffs: tuple[Handoff, ...] = ()
    damage: tuple[Damage, ...] = ()


@dataclass(slots=True)
class _Reader:
    connection: sqlite3.Connection
    tables: Tables
    damage: list[Damage] = field(default_factory=list)

    def rows(
        self, name: str, columns: Sequence[str], where: str = "", *values: object
    ) -> list[Any]:
        """Return rows; a missing column is None, a missing id the rowid, a missing table empty."""
        table = self.tables.get(name)
        if table is None:
            return []
        listed = ", ".join(_column(table, column) for column in columns)
        sql = f"SELECT {listed} FROM {quoted(name)} {where} ORDER BY {_order(table)}"
        found, harm = collect(self.connection, name, sql, values)
        if harm is not None:
            self.damage.append(harm)
        return found


def rows_of(
    connection: sqlite3.Connection,
    tables: Tables,
    name: str,
    columns: Sequence[str],
    where: str = "",
    *values: Any,
) -> list[Any]:
    """Return the readable rows of a table, in the order of writing; none if it does not exist."""
    return _Reader(connection, tables).rows(name, columns, where, *values)


def _column(table: Table, name: str) -> str:
    if name == "id" and not table.has("id"):
        return "rowid" if table.has_rowid else "NULL"
    return table.column(name)


def _order(table: Table) -> str:
    return quoted("id") if table.has("id") else table.order


def read_listing(connection: sqlite3.Connection) -> Listing:
    """Read what the list of runs shows."""
    tables = read_tables(connection)
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    reader = _Reader(connection, tables)
    return Listing(
        tables,
        version,
        tuple(map(_named, typed_rows(RunRow, reader.rows("runs", RUN_COLUMNS)))),
        tuple(_ledger(row) for row in reader.rows("ledger", ("id", "spell_id", "run_id"))),
        tuple(typed_rows(SavedState, reader.rows("spell_state", _STATE_COLUMNS))),
        tuple(typed_rows(Track, reader.rows("run_tracks", TRACK_COLUMNS))),
        tuple(typed_rows(Handoff, reader.rows("run_handoffs", HANDOFF_COLUMNS))),
        tuple(reader.damage),
    )


_STATE_COLUMNS = ("spell_id", "updated_at")


def _named(run: RunRow) -> RunRow:
    return run._replace(spell=run.spell or "", run_id=run.run_id or "")


def _ledger(row: Sequence[Any]) -> LedgerRow:
    return LedgerRow(row[0], text_of(row[1]) or "", text_of(row[2]) or "")


@dataclass(frozen=True, slots=True)
class RunRows:
    """The rows of one run without its ledger's text."""

    row: Mapping[str, object] | None
    """Its row of `runs` with every column; None if it has none."""
    before: Mapping[str, object] | None
    """The row of the spell's run before it."""
    state: Mapping[str, object] | None
    """The spell's row of `spell_state`."""
    ledger: LedgerRow | None
    tracks: tuple[Track, ...]
    handoffs: tuple[Handoff, ...]
    step_results: tuple[StepResult, ...]
    siblings: tuple[str, ...]
    """Other spells with a run or a ledger of the same run id."""
    newer_runs: bool
    """Whether the spell has later runs."""
    tables: Tables
    version: int
    damage: tuple[Damage, ...]


def read_run(connection: sqlite3.Connection, spell: str, run_id: str) -> RunRows:
    """Read the rows of a spell's run, and those of the cross-chain run with the same id."""
    tables = read_tables(connection)
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    reader = _Reader(connection, tables)
    row, before, newer = _run_row(connection, tables, spell, run_id)
    ledgers = reader.rows("ledger", ("id", "spell_id", "run_id"), "WHERE run_id = ?", run_id)
    same_id = [*reader.rows("runs", ("spell_id",), "WHERE run_id = ?", run_id)]
    others = dict.fromkeys(text_of(one[-1]) or "" for one in same_id)
    others.update(dict.fromkeys(text_of(one[1]) or "" for one in ledgers))
    by_run = ("WHERE run_id = ?", run_id)
    own = [_ledger(one) for one in ledgers if text_of(one[1]) == spell]
    return RunRows(
        row,
        before,
        _first(connection, tables, "spell_state", "WHERE spell_id = ?", spell),
        own[-1] if own else None,
        tuple(typed_rows(Track, reader.rows("run_tracks", TRACK_COLUMNS, *by_run))),
        tuple(typed_rows(Handoff, reader.rows("run_handoffs", HANDOFF_COLUMNS, *by_run))),
        tuple(
            typed_rows(StepResult, reader.rows("run_step_results", STEP_RESULT_COLUMNS, *by_run))
        ),
        tuple(other for other in others if other != spell),
        newer,
        tables,
        version,
        tuple(reader.damage),
    )


def run_row(connection: sqlite3.Connection, spell: str, run_id: str) -> Mapping[str, object] | None:
    """Return the row of a run with every column; None if it has none."""
    return _run_row(connection, read_tables(connection), spell, run_id)[0]


def _run_row(
    connection: sqlite3.Connection, tables: Tables, spell: str, run_id: str
) -> tuple[Mapping[str, object] | None, Mapping[str, object] | None, bool]:
    table = tables.get("runs")
    if table is None:
        return None, None, False
    order = _order(table)
    where = f"WHERE spell_id = ? AND run_id = ? ORDER BY {order} DESC LIMIT 1"
    row = _first(connection, tables, "runs", where, spell, run_id)
    if row is None or not table.has("id"):
        return row, None, False
    mine = row["id"]
    before = f"WHERE spell_id = ? AND {order} < ? ORDER BY {order} DESC LIMIT 1"
    later = connection.execute(
        f"SELECT 1 FROM runs WHERE spell_id = ? AND {order} > ? LIMIT 1", (spell, mine)
    ).fetchone()
    return row, _first(connection, tables, "runs", before, spell, mine), later is not None


def _first(
    connection: sqlite3.Connection, tables: Tables, name: str, where: str, *values: object
) -> Mapping[str, object] | None:
    table = tables.get(name)
    if table is None:
        return None
    try:
        return next(read_whole_rows(connection, table, where, values), None)
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError) and "no such" in str(error):
            return None
        raise


def spell_runs(
    connection: sqlite3.Connection, tables: Tables, spell: str, limit: int
) -> list[Mapping[str, object]]:
    """Return whole rows of a spell's newest runs, newest first; all of them for a limit below 1."""
    table = tables.get("runs")
    if table is None or not table.has("spell_id"):
        return []
    where = f"WHERE spell_id = ? ORDER BY {_order(table)} DESC LIMIT ?"
    return list(read_whole_rows(connection, table, where, (spell, limit if limit > 0 else -1)))


@dataclass(frozen=True, slots=True)
class CrossChainRows:
    """All rows under one run id, of every spell: what `grimoire resume` acts on."""

    spells: tuple[str, ...]
    """Spells with a row of this run in `runs`, in the order of writing."""
    provenance: object
    """The parsed provenance of the newest of these rows; None if it cannot be read."""
    tracks: tuple[Track, ...]
    handoffs: tuple[Handoff, ...]
    results: tuple[StepResult, ...]
    saved_at: str | None
    """When the destination's state was last saved, as recorded."""


def read_cross_chain(connection: sqlite3.Connection, run_id: str) -> CrossChainRows:
    """Read the rows of a cross-chain run."""
    tables = read_tables(connection)
    by_run = ("WHERE run_id = ?", run_id)
    runs = rows_of(connection, tables, "runs", ("id", "spell_id", "provenance"), *by_run)
    tracks = rows_of(connection, tables, "run_tracks", TRACK_COLUMNS, *by_run)
    handoffs = rows_of(connection, tables, "run_handoffs", HANDOFF_COLUMNS, *by_run)
    results = rows_of(connection, tables, "run_step_results", STEP_RESULT_COLUMNS, *by_run)
    typed_tracks = tuple(typed_rows(Track, tracks))
    destination = next((one.spell for one in typed_tracks if one.role == "destination"), None)
    where = ("WHERE spell_id = ?", destination)
    states = rows_of(connection, tables, "spell_state", ("updated_at",), *where)
    return CrossChainRows(
        tuple(str(row[1]) for row in runs),
        js.parse_or_none(runs[-1][2]) if runs else None,
        typed_tracks,
        tuple(typed_rows(Handoff, handoffs)),
        tuple(typed_rows(StepResult, results)),
        str(states[-1][0]) if states else None,
    )
