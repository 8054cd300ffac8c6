"""One read of a run's database: its head, and the rows that may have changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from inspector.query.openprose import values
from inspector.query.openprose.events import Row
from inspector.query.openprose.gates import Gate, pending_gates
from inspector.query.openprose.rows import (
    Damage,
    RunRow,
    read_execution,
    read_run_rows,
    read_some,
)
from inspector.query.rows import CancelCheck, no_check
from inspector.query.tables import Tables, quoted, read_tables

if TYPE_CHECKING:
    from inspector.query.openprose.receipts.ledger import Ledger

COUNTED = ("bindings", "agents", "receipt", "world_model_version", "imports")
MOST_JUDGED = 5_000
"""Maximum receipts judged on every change; more are judged when they are asked for."""
MOST_DIGESTED = 5_000


class LedgerMark(NamedTuple):
    """The state of a receipt table; differs after any insertion or change."""

    receipts: int = 0
    newest: int | None = None
    digest: int = 0
    """Hash of every cell; 0 for more than `MOST_DIGESTED` receipts."""


def ledger_mark(connection: sqlite3.Connection, tables: Tables) -> LedgerMark:
    """Return the state of the receipt table; an empty one without a readable table."""
    table = tables.get("receipt")
    if table is None:
        return LedgerMark()
    newest = f"max({table.column('id')})"
    try:
        count, last = connection.execute(f"SELECT count(*), {newest} FROM receipt").fetchone()
        digest = 0
        if 0 < count <= MOST_DIGESTED:
            digest = hash(tuple(connection.execute("SELECT * FROM receipt")))
    except sqlite3.DatabaseError:
        return LedgerMark()
    return LedgerMark(count, last if isinstance(last, int) else None, digest)


@dataclass(frozen=True, slots=True)
class Loaded:
    """The result of one read. `changed` are rows that were read again."""

    tables: Tables
    schema_version: int
    run_rows: tuple[RunRow, ...]
    rows: Sequence[Row]
    changed: Sequence[Row]
    damage: tuple[Damage, ...]
    names: frozenset[str]
    has_output: bool
    orphans: tuple[tuple[str, int | str], ...]
    counts: Mapping[str, int]
    """Rows of the tables behind tabs."""
    ledger_mark: LedgerMark
    gates: tuple[Gate, ...]
    ledger: Ledger | None
    """The receipts; None if unchanged or too many to judge every time."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is already known, so that only the rest is read."""

    after: int | None = None
    """Newest known row id; None = read every row."""
    again: Sequence[int] = ()
    """Ids of rows whose steps had not ended."""
    tables: Tables | None = None
    schema_version: int | None = None
    ledger_mark: LedgerMark | None = None
    pause: CancelCheck = no_check
    """Called while rows are read."""


def loader(wanted: Wanted) -> Callable[[sqlite3.Connection], Loaded]:
    """Return the query for a zero-touch read."""

    def load(connection: sqlite3.Connection) -> Loaded:
        version = connection.execute("PRAGMA schema_version").fetchone()[0]
        known = wanted.tables if version == wanted.schema_version else None
        tables = known if known is not None else read_tables(connection)
        run_rows, run_damage = read_run_rows(connection, tables)
        rows, damage = read_execution(connection, tables, wanted.after, wanted.pause)
        changed = read_some(connection, tables, wanted.again) if not damage else ()
        extras, extra_damage = _bindings(connection, tables)
        counts = _counts(connection, tables)
        mark = ledger_mark(connection, tables)
        anew = mark != wanted.ledger_mark and 0 < mark.receipts <= MOST_JUDGED
        ledger, ledger_damage = _ledger(connection, tables) if anew else (None, None)
        damages = (run_damage, damage, extra_damage, ledger_damage)
        return Loaded(
            tables,
            version,
            tuple(run_rows),
            rows,
            changed,
            tuple(one for one in damages if one is not None),
            *extras,
            counts,
            mark,
            tuple(pending_gates(connection, tables)),
            ledger,
        )

    return load


def _ledger(connection: sqlite3.Connection, tables: Tables) -> tuple[Ledger | None, Damage | None]:
    from inspector.query.openprose.receipts.ledger import read_ledger

    try:
        return read_ledger(connection, tables), None
    except sqlite3.DatabaseError as error:
        return None, Damage("receipt", 0, str(error))


def _counts(connection: sqlite3.Connection, tables: Tables) -> Mapping[str, int]:
    counts: dict[str, int] = {}
    for name in COUNTED:
        table = tables.get(name)
        if table is None:
            continue
        rows = quoted(name)
        if name == "bindings":
            # One value per name and scope, however often it was written.
            keys = f"{table.column('name')}, {table.column('execution_id')}"
            rows = f"(SELECT DISTINCT {keys} FROM bindings)"
        with suppress(sqlite3.DatabaseError):
            counts[name] = connection.execute(f"SELECT count(*) FROM {rows}").fetchone()[0]
    for name, beside in _BESIDE.items():
        with suppress(sqlite3.DatabaseError):
            counts[name] = counts.get(name, 0) + _only_beside(connection, tables, name, *beside)
    return counts


_BESIDE = {
    "agents": ("name", "agent_segments", "agent_name", "DISTINCT "),
    "world_model_version": ("version", "world_model_published", "version", ""),
}
"""Tables whose tab also lists what another table refers to and they lack: segments without an
agent, published versions that are not stored."""


def _only_beside(
    connection: sqlite3.Connection,
    tables: Tables,
    name: str,
    key: str,
    other: str,
    column: str,
    distinct: str,
) -> int:
    table, beside = tables.get(name), tables.get(other)
    if beside is None or not beside.has(column):
        return 0
    known = "SELECT NULL WHERE 0"
    if table is not None:
        known = f"SELECT coalesce({table.column(key)}, '') FROM {quoted(name)}"
    # Rows without a name are listed once.
    rows = f"SELECT {distinct}coalesce({quoted(column)}, '') AS named FROM {quoted(other)}"
    sql = f"SELECT count(*) FROM ({rows}) WHERE named NOT IN ({known})"
    return int(connection.execute(sql).fetchone()[0])


_Extras = tuple[frozenset[str], bool, tuple[tuple[str, int | str], ...]]


def _bindings(connection: sqlite3.Connection, tables: Tables) -> tuple[_Extras, Damage | None]:
    try:
        names = values.binding_names(connection, tables)
        output = values.has_output(connection, tables)
        orphans = tuple(values.orphans(connection, tables))
    except sqlite3.DatabaseError as error:
        return (frozenset(), False, ()), Damage("bindings", 0, str(error))
    return (names, output, orphans), None
