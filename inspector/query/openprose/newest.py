"""A partial view of the end of a long run, shown while the whole run is being read.

The newest rows are folded alone, below the rows they name as parents. Containers that follow from
order alone (an open loop, a parallel) are unknown until the whole run is folded.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, replace

from inspector.model.step import Step
from inspector.query.openprose import view
from inspector.query.openprose.events import Row
from inspector.query.openprose.rows import (
    Damage,
    RunRow,
    execution_select,
    key_column,
    read_run_rows,
    read_some,
)
from inspector.query.openprose.timeline import Timeline
from inspector.query.tables import Table, Tables, read_tables
from inspector.query.view import RunView

LONG = 20_000
"""Events up to which a run is read whole in a moment."""
NEWEST = 1_000
"""Events shown first of a longer run."""
LEVELS = 32
"""Ancestors that are looked up."""


@dataclass(frozen=True, slots=True)
class NewestRows:
    """What one read found of the end of a long run."""

    tables: Tables
    run_rows: tuple[RunRow, ...]
    damage: tuple[Damage, ...]
    rows: tuple[Row, ...]
    """In the order they were written: parents first, then the newest."""


def read_newest(connection: sqlite3.Connection) -> NewestRows | None:
    """Return the end of a run; None if it is not long or its rows have no key to select by.

    A query for a zero-touch read.
    """
    tables = read_tables(connection)
    table = tables.get("execution")
    key = None if table is None else key_column(table)
    if table is None or key is None or not _is_long(connection, key):
        return None
    run_rows, damage = read_run_rows(connection, tables)
    after = connection.execute(
        f"SELECT {key} FROM execution ORDER BY {key} DESC LIMIT 1 OFFSET {NEWEST}"
    ).fetchone()[0]
    rows = connection.execute(execution_select(table, f"WHERE {key} > ?"), (after,)).fetchall()
    above = _parents(connection, tables, table, rows)
    damages = () if damage is None else (damage,)
    return NewestRows(tables, tuple(run_rows), damages, (*above, *rows))


def _is_long(connection: sqlite3.Connection, key: str) -> bool:
    sql = f"SELECT {key} FROM execution ORDER BY {key} DESC LIMIT 1 OFFSET {LONG}"
    return connection.execute(sql).fetchone() is not None


def _parents(
    connection: sqlite3.Connection, tables: Tables, table: Table, rows: Iterable[Row]
) -> list[Row]:
    """Return the rows named as parents, and their ancestors, that precede these rows."""
    if not table.has("parent_id"):
        return []
    found: dict[int, Row] = {}
    known = {row[0] for row in rows}
    wanted = _named_by(rows) - known
    for _ in range(LEVELS):
        if not wanted:
            break
        level = read_some(connection, tables, sorted(wanted))
        found.update((row[0], row) for row in level)
        wanted = _named_by(level) - known - found.keys()
    first = min(known, default=0)
    return [found[key] for key in sorted(found) if key < first]


def _named_by(rows: Iterable[Row]) -> set[int]:
    return {row[7] for row in rows if type(row[7]) is int}


def newest_view(
    found: NewestRows, place: view.RunLocation, written_at: int | None, now: int, latest: int
) -> RunView:
    """Return the end of the run, headed by the run's row; times are UTC ms.

    Times after `latest` are implausible.
    """
    end = Timeline()
    end.replace(found.rows, 0, latest)
    state = end.state
    facts = view.Facts(found.tables, found.run_rows, found.damage, written_at)
    store = view.store_of(place, facts, view.signs_of(state))
    shown = view.show(state, frozenset(), newest=False)
    head = view.head_of(place, facts, store)
    return RunView(
        run=replace(head, order_only=not state.instants),
        events=len(end),
        total_events=len(end),
        steps=shown.steps,
        step_of_event=state.event_step,
        failures=state.failures,
        open=shown.open,
        describe=lambda step: _unnumbered(shown.describe(step)),
        as_of=now,
        partial=True,
    )


def _unnumbered(step: Step) -> Step:
    """Remove event numbers, which count within the newest rows only."""
    attempts = tuple(replace(one, first_event=None, last_event=None) for one in step.attempts)
    return replace(step, first_event=None, last_event=None, attempts=attempts)
