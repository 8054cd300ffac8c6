"""The database's own rows behind each tab, under the database's own names."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inspector.query.openprose.agents import run_agents
from inspector.query.openprose.events import text_of
from inspector.query.openprose.kept_files import AGENTS, WORLD_MODELS
from inspector.query.openprose.rows import read_run_rows, read_whole_rows
from inspector.query.openprose.schema import DOCUMENTED, missing_tables
from inspector.query.openprose.sources import source_files
from inspector.query.openprose.view import Facts, Place, pick_run_row
from inspector.query.raw_tables import table_records
from inspector.query.tables import Tables
from inspector.query.view import Tab

Record = Mapping[str, Any]
MOST_ROWS = 10_000


def tabs(facts: Facts, nodes: int = 0) -> tuple[Tab, ...]:
    """What this run can be asked about, with how much there is of each.

    `nodes` are those of the graph that it was compiled to.
    """
    shown = [Tab("timeline", "Timeline")]
    for part, title, table in _TABS:
        kept = facts.kept.get(_KEPT.get(part, ""), 0)
        if facts.tables.get(table) is None and kept == 0:
            continue
        mark = _chain_word(facts) if part == "receipts" else None
        count = facts.counts.get(table)
        if kept != 0:
            count = None if kept is None else (count or 0) + kept
        shown.append(Tab(part, title, count, mark))
    if facts.counts.get("imports"):
        shown.append(Tab("imports", "Imports", facts.counts["imports"]))
    tables = Tab("tables", "Tables", len(facts.tables.by_name))
    graph = (Tab("topology", "Graph", nodes),) if nodes else ()
    return (*shown, Tab("source", "Source"), *graph, Tab("raw", "Raw"), tables)


_TABS = (
    ("values", "Values", "bindings"),
    ("receipts", "Receipts", "receipt"),
    ("agents", "Agents", "agents"),
    ("world_models", "World model", "world_model_version"),
)
_KEPT = {"agents": AGENTS, "world_models": WORLD_MODELS}
"""Parts that may also lie in files, by the folder that holds them."""


def _chain_word(facts: Facts) -> str | None:
    ok = None if facts.ledger is None else facts.ledger.chain_ok
    return None if ok is None else ("ok" if ok else "broken")


def _run(connection: sqlite3.Connection, tables: Tables, place: Place) -> Sequence[Record]:
    return _rows(connection, tables, "run")


def _rows(connection: sqlite3.Connection, tables: Tables, name: str) -> Sequence[Record]:
    table = tables.get(name)
    if table is None:
        return ()
    where = f"ORDER BY {table.order} LIMIT {MOST_ROWS}"
    return tuple(read_whole_rows(connection, table, where, ()))


def _source(connection: sqlite3.Connection, tables: Tables, place: Place) -> Sequence[Record]:
    rows, _ = read_run_rows(connection, tables)
    row = pick_run_row(tuple(rows), place.name)
    recorded = row.root_path if row.root_path is not None else row.program_path
    return source_files(place.folder, None if recorded is None else text_of(recorded))


def _tables(connection: sqlite3.Connection, tables: Tables, place: Place) -> Sequence[Record]:
    """Every table and view: columns, those beyond the state document, and whether it belongs."""
    version = "v5" if tables.get("receipt") or tables.get("world_model_version") else "v1"
    return table_records(connection, tables, DOCUMENTED.get, missing_tables(tables, version))


Question = Callable[[sqlite3.Connection, Tables, Place], Sequence[Record]]

PARTS: Mapping[str, Question] = {
    "run": _run,
    "agents": lambda connection, tables, place: run_agents(connection, tables, place.store_path),
    "imports": lambda connection, tables, place: _rows(connection, tables, "imports"),
    "tables": _tables,
    "source": _source,
}
"""Parts that `record` knows."""


def question_for(part: str) -> Question:
    """The question behind a part; KeyError when there is no such part."""
    return PARTS[part]
