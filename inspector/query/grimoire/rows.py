"""Rows of a Grimoire store, by the columns that exist; a ledger's text only when asked for.

The rows of the small tables are read whole at every look; of `runs` and `ledger` only what a list
needs, since a ledger may hold many megabytes.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar, get_type_hints

from inspector.query.rows import Damage, collect, read_whole_rows
from inspector.query.tables import Table, Tables, quoted, read_tables


class RunRow(NamedTuple):
    """One row of `runs` without its JSON columns."""

    id: int
    spell: str
    run_id: str
    timestamp: Any
    success: Any
    error: str | None
    duration: Any


class LedgerRow(NamedTuple):
    """Where one row of `ledger` is."""

    id: int
    spell: str
    run_id: str


class Track(NamedTuple):
    """One row of `run_tracks`."""

    run_id: str
    track_id: str
    role: str | None
    spell: str | None
    chain_id: Any
    status: str | None
    last_step_id: str | None
    error: str | None
    updated_at: Any


class Handoff(NamedTuple):
    """One row of `run_handoffs`; amounts are text in base units."""

    run_id: str
    handoff_id: str
    source_track_id: str | None
    destination_track_id: str | None
    source_step_id: str | None
    origin_chain_id: Any
    destination_chain_id: Any
    asset: str | None
    submitted_amount: str | None
    settled_amount: str | None
    status: str | None
    reference: str | None
    origin_tx_hash: str | None
    reason: str | None
    created_at: Any
    updated_at: Any
    expires_at: Any


class StepResult(NamedTuple):
    """One row of `run_step_results`: what came of one planned action on one track."""

    run_id: str
    track_id: str
    step_id: str
    status: str | None
    idempotency_key: str | None
    reference: str | None
    error: str | None
    updated_at: Any


class SavedState(NamedTuple):
    """When one row of `spell_state` was written."""

    spell: str
    updated_at: Any


RUN_COLUMNS = ("id", "spell_id", "run_id", "timestamp", "success", "error", "duration")
JSON_COLUMNS = ("metrics", "provenance", "cross_chain", "final_state")
TRACK_COLUMNS = (
    "run_id", "track_id", "role", "spell_id", "chain_id", "status", "last_step_id", "error",
    "updated_at",
)  # fmt: skip
HANDOFF_COLUMNS = Handoff._fields
STEP_RESULT_COLUMNS = StepResult._fields


@dataclass(frozen=True, slots=True)
class Listing:
    """Everything that a store holds, without its large texts; rows in the order of writing."""

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

    def rows(self, name: str, columns: Sequence[str], where: str = "", *values: Any) -> list[Any]:
        """The rows of a table that exists; a missing column is None, a missing id the rowid."""
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
    """The rows of a table that may not exist, in the order of writing, as far as they are read."""
    return _Reader(connection, tables).rows(name, columns, where, *values)


def _column(table: Table, name: str) -> str:
    if name == "id" and not table.has("id"):
        return "rowid" if table.has_rowid else "NULL"
    return table.column(name)


def _order(table: Table) -> str:
    return quoted("id") if table.has("id") else table.order


def read_listing(connection: sqlite3.Connection) -> Listing:
    """The query behind the list of runs."""
    tables = read_tables(connection)
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    reader = _Reader(connection, tables)
    return Listing(
        tables,
        version,
        tuple(map(_named, made(RunRow, reader.rows("runs", RUN_COLUMNS)))),
        tuple(_ledger(row) for row in reader.rows("ledger", ("id", "spell_id", "run_id"))),
        tuple(made(SavedState, reader.rows("spell_state", _STATE_COLUMNS))),
        tuple(tracks_of(reader.rows("run_tracks", TRACK_COLUMNS))),
        tuple(made(Handoff, reader.rows("run_handoffs", HANDOFF_COLUMNS))),
        tuple(reader.damage),
    )


_STATE_COLUMNS = ("spell_id", "updated_at")


def _named(run: RunRow) -> RunRow:
    return run._replace(spell=run.spell or "", run_id=run.run_id or "")


def _ledger(row: Sequence[Any]) -> LedgerRow:
    return LedgerRow(row[0], text_of(row[1]) or "", text_of(row[2]) or "")


def tracks_of(rows: Sequence[Any]) -> Iterator[Track]:
    """Rows as tracks."""
    return made(Track, rows)


R = TypeVar("R", RunRow, Track, Handoff, StepResult, SavedState)


def made(kind: type[R], rows: Sequence[Any]) -> Iterator[R]:
    """Rows by their fields. What is declared as text is text, whatever stands in the database."""
    texts = [one in (str, str | None) for one in get_type_hints(kind).values()]
    for row in rows:
        cells = (text_of(cell) if text else cell for cell, text in zip(row, texts, strict=True))
        yield kind._make(cells)


def text_of(value: Any) -> str | None:
    """What stands in a column for text, as text."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if value is None or isinstance(value, str) else str(value)


@dataclass(frozen=True, slots=True)
class RunRows:
    """Everything that concerns one run but its ledger's text."""

    row: Mapping[str, Any] | None
    """Its row of `runs` with every column; None when it has none."""
    before: Mapping[str, Any] | None
    """The row of the spell's run before it."""
    state: Mapping[str, Any] | None
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
    """All rows of one run: of the spell under this run id, and of the cross-chain run."""
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
        tuple(tracks_of(reader.rows("run_tracks", TRACK_COLUMNS, *by_run))),
        tuple(made(Handoff, reader.rows("run_handoffs", HANDOFF_COLUMNS, *by_run))),
        tuple(made(StepResult, reader.rows("run_step_results", STEP_RESULT_COLUMNS, *by_run))),
        tuple(other for other in others if other != spell),
        newer,
        tables,
        version,
        tuple(reader.damage),
    )


def run_row(connection: sqlite3.Connection, spell: str, run_id: str) -> Mapping[str, Any] | None:
    """The row of a run with every column; None when it has none."""
    return _run_row(connection, read_tables(connection), spell, run_id)[0]


def _run_row(
    connection: sqlite3.Connection, tables: Tables, spell: str, run_id: str
) -> tuple[Mapping[str, Any] | None, Mapping[str, Any] | None, bool]:
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
    connection: sqlite3.Connection, tables: Tables, name: str, where: str, *values: Any
) -> Mapping[str, Any] | None:
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
) -> list[Mapping[str, Any]]:
    """Whole rows of a spell's newest runs, newest first; all of them for a limit below 1."""
    table = tables.get("runs")
    if table is None or not table.has("spell_id"):
        return []
    where = f"WHERE spell_id = ? ORDER BY {_order(table)} DESC LIMIT ?"
    return list(read_whole_rows(connection, table, where, (spell, limit if limit > 0 else -1)))
