"""State databases as writers leave them: every version of the schema, and what goes wrong in them.

A database is made and closed before anybody reads it. Who writes while it is read is another
process (`tests.store.writers.Writer`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from inspector.query.openprose import view
from inspector.query.openprose.events import Row
from inspector.query.openprose.run_reader import ProseRun
from inspector.query.view import RunView
from tests.query.openprose.builders import Cells, numbered
from tests.store.writers import Writer

Opened = Callable[[Path], ProseRun]
"""A fixture: opens a reader that is closed after the test."""

RUN_ID = "20260116-143052-a7b3c9"
NOW = 1_768_593_600_000
"""2026-01-16T20:00:00Z."""

_COLUMNS = (
    "statement_index INTEGER, statement_text TEXT, status TEXT, started_at TEXT,"
    " completed_at TEXT, error_message TEXT, parent_id INTEGER, metadata TEXT"
)
EXECUTION = f"CREATE TABLE execution (id INTEGER PRIMARY KEY AUTOINCREMENT, {_COLUMNS})"
OTHER_EXECUTIONS = {
    "text ids": f"CREATE TABLE execution (id TEXT PRIMARY KEY, {_COLUMNS})",
    "without rowid": f"CREATE TABLE execution (id INTEGER PRIMARY KEY, {_COLUMNS}) WITHOUT ROWID",
    "text ids without rowid": f"CREATE TABLE execution (id TEXT PRIMARY KEY, {_COLUMNS})"
    " WITHOUT ROWID",
    "not the rowid": f"CREATE TABLE execution (id INT PRIMARY KEY, {_COLUMNS})",
    "no key": f"CREATE TABLE execution (id INTEGER, {_COLUMNS})",
    "a column called rowid": f"CREATE TABLE execution (id INTEGER, {_COLUMNS}, rowid TEXT, oid)",
    "extra columns": f"CREATE TABLE execution (x_cost REAL, {_COLUMNS}, id INTEGER PRIMARY KEY,"
    ' "x ""odd"" name" TEXT)',
}
"""The table `execution` as writers make it who do not follow the document."""


def schema(variant: str) -> list[str]:
    """The statements that make an empty database of `v1` to `v5`."""
    path, source = (
        ("program_path", "program_source") if variant < "v4" else ("root_path", "root_source")
    )
    kind = "kind" if variant < "v4" else "binding"
    frame = "" if variant == "v1" else "execution_id INTEGER, "
    statements = [
        f"CREATE TABLE run (id TEXT PRIMARY KEY, {path} TEXT, {source} TEXT,"
        " started_at TEXT, updated_at TEXT, status TEXT DEFAULT 'running', state_mode TEXT)",
        EXECUTION,
        f"CREATE TABLE bindings (name TEXT, {frame}{kind} TEXT, value TEXT,"
        " source_statement TEXT, created_at TEXT, updated_at TEXT, attachment_path TEXT)",
        "CREATE TABLE agents (name TEXT PRIMARY KEY, scope TEXT, memory TEXT, created_at TEXT,"
        " updated_at TEXT)",
        "CREATE TABLE agent_segments (id INTEGER PRIMARY KEY, agent_name TEXT,"
        " segment_number INTEGER, timestamp TEXT, prompt TEXT, summary TEXT)",
        "CREATE TABLE imports (alias TEXT PRIMARY KEY, source_url TEXT)"
        if variant < "v4"
        else "CREATE TABLE imports (alias TEXT PRIMARY KEY, source_ref TEXT)",
    ]
    if variant == "v5":
        statements += [
            "CREATE TABLE world_model_version (version TEXT PRIMARY KEY, node TEXT, artifact BLOB)",
            "CREATE TABLE world_model_published (node TEXT PRIMARY KEY, version TEXT)",
            "CREATE TABLE receipt (id INTEGER PRIMARY KEY, node TEXT, contract_fingerprint TEXT,"
            " wake TEXT, input_fingerprints TEXT, fingerprints TEXT, semantic_diff TEXT,"
            " prev TEXT, status TEXT, cost TEXT, sig TEXT, created_at TEXT)",
        ]
    return statements


GATES = (
    "CREATE TABLE gates (id TEXT PRIMARY KEY, run_id TEXT, execution_id INTEGER, prompt TEXT,"
    " allow TEXT, timeout TEXT, timeout_at TEXT, on_reject TEXT, status TEXT DEFAULT 'pending',"
    " created_at TEXT, resolved_at TEXT, resolved_by TEXT)"
)


def make(
    root: Path,
    rows: Sequence[Row] = (),
    *,
    status: Any = "running",
    variant: str = "v5",
    run_id: Any = RUN_ID,
    name: str = RUN_ID,
    started: Any = "2026-01-16 19:00:00",
    updated: Any = None,
    bindings: Sequence[tuple[Any, ...]] = (),
    execution: str | None = None,
    also: Sequence[str] = (),
    wal: bool = False,
) -> Path:
    """A run folder `root/runs/name` with its database; gives the database's path.

    `bindings` are (name, execution_id, kind, value); `also` are statements at the end.
    """
    folder = root / "runs" / name
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "state.db"
    statements = [execution if execution and one is EXECUTION else one for one in schema(variant)]
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        if wal:
            connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("BEGIN")
        for statement in statements:
            connection.execute(statement)
        if run_id is not ...:
            connection.execute(
                "INSERT INTO run (id, started_at, updated_at, status) VALUES (?, ?, ?, ?)",
                (run_id, started, updated, status),
            )
        if rows:
            connection.executemany(INSERT, rows)
        kind = "kind" if variant < "v4" else "binding"
        for bound, frame, which, value in bindings:
            connection.execute(
                f"INSERT INTO bindings (name, execution_id, {kind}, value) VALUES (?, ?, ?, ?)",
                (bound, frame, which, value),
            )
        for statement in also:
            connection.execute(statement)
        connection.execute("COMMIT")
    return path


INSERT = (
    "INSERT INTO execution (id, statement_index, statement_text, status, started_at,"
    " completed_at, error_message, parent_id, metadata) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


def reader(path: Path, *, now: int = NOW, monotonic: Any = None) -> ProseRun:
    """A reader of a run whose clock stands still."""
    place = view.RunLocation(str(path), str(path.parent))
    ticks = monotonic or (lambda: 0.0)
    return ProseRun(place, lambda: now, monotonic=ticks)


def add(writer: Writer, *described: Cells, first: int) -> None:
    """Has another process add rows."""
    writer.do("many", INSERT, [list(row) for row in numbered(described, first)])


def words(view: RunView) -> dict[str, str]:
    """Step id → raw word, or `(status)` where no word is recorded."""
    steps = view.steps
    return {
        steps.path(step): steps.raw[step] or f"({steps.status_of(step)})"
        for step in range(len(steps))
    }


def labels(view: RunView) -> list[str]:
    """The label of the step of each event."""
    return [view.steps.label[step] for step in view.step_of_event]
