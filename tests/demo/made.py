"""Helpers that read a planted workspace. No writer runs here."""

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from inspector.demo.workspace import DemoWorkspace
from inspector.query.openprose.events import COLUMNS, Row
from inspector.query.openprose.receipts.receipt import address_of

NOW = 1_768_573_927_000
"""2026-01-16T14:32:07Z."""


def folder_of(workspace: DemoWorkspace, suffix: str) -> Path:
    """The run folder whose id ends with `-suffix`."""
    (folder,) = (run for run in folders(workspace) if run.name.endswith(f"-{suffix}"))
    return folder


def folders(workspace: DemoWorkspace) -> list[Path]:
    """All run folders, without imported runs."""
    places = ("runs", ".prose/runs", ".agents/prose/runs")
    return [run for place in places for run in sorted(Path(workspace.root, place).iterdir())]


def query(folder: Path, sql: str) -> list[tuple[Any, ...]]:
    """Rows of a database without a writer."""
    with closing(sqlite3.connect(folder / "state.db")) as database:
        return database.execute(sql).fetchall()


def events_of(folder: Path) -> list[Row]:
    """The recorded events, as input of the fold."""
    rows: list[Row] = query(folder, f"SELECT {', '.join(COLUMNS)} FROM execution ORDER BY id")
    return rows


JSON_COLUMNS = ("wake", "input_fingerprints", "fingerprints", "semantic_diff", "cost", "sig")


def receipts_of(folder: Path) -> list[dict[str, Any]]:
    with closing(sqlite3.connect(folder / "state.db")) as database:
        database.row_factory = sqlite3.Row
        rows = [dict(row) for row in database.execute("SELECT * FROM receipt ORDER BY id")]
    for row in rows:
        row.update({name: json.loads(row[name]) for name in JSON_COLUMNS})
    return rows


def broken_chains(receipts: list[dict[str, Any]]) -> dict[str, list[int]]:
    heads: dict[str, str] = {}
    broken: dict[str, list[int]] = {}
    for row in receipts:
        number, node = row.pop("id"), row["node"]
        row.pop("created_at")
        if row["prev"] != heads.get(node):
            broken.setdefault(node, []).append(number)
        heads[node] = address_of(row)
    return broken


def content(root: str) -> dict[str, Any]:
    """Everything below a folder: times of all, bytes of files, statements of databases."""
    found: dict[str, Any] = {}
    for place, _, names in os.walk(root):
        for name in names:
            path = Path(place, name)
            key = str(path.relative_to(root))
            raw = path.read_bytes()
            if raw.startswith(b"SQLite format 3\0"):
                with closing(sqlite3.connect(path)) as database:
                    found[key] = list(database.iterdump())
            else:
                found[key] = raw
            if name != "demo.json":
                found[f"{key} at"] = path.stat().st_mtime_ns
    return found
