"""The rows that decide whether a cross-chain run can be resumed, and the folder it belongs to."""

from __future__ import annotations

import os
import sqlite3
from dataclasses import dataclass
from typing import Any

from inspector.query.grimoire import STATE_FOLDER, js
from inspector.query.grimoire.js import Unreadable
from inspector.query.grimoire.rows import (
    HANDOFF_COLUMNS,
    STEP_RESULT_COLUMNS,
    TRACK_COLUMNS,
    Handoff,
    StepResult,
    Track,
    rows_of,
    tracks_of,
)
from inspector.query.tables import read_tables


@dataclass(frozen=True, slots=True)
class CrossingRows:
    """Everything under one run id, whichever spell it is of."""

    spells: tuple[str, ...]
    """Spells with a row of this run in `runs`, in the order of writing."""
    provenance: Any
    """Of the newest of them, parsed; None where it has none that can be read."""
    tracks: tuple[Track, ...]
    handoffs: tuple[Handoff, ...]
    results: tuple[StepResult, ...]
    saved_at: str | None
    """When the destination's state was saved last, as it stands."""


def read_crossing(connection: sqlite3.Connection, run_id: str) -> CrossingRows:
    """Reads what `grimoire resume` would go by."""
    tables = read_tables(connection)
    mine = ("WHERE run_id = ?", run_id)
    runs = rows_of(connection, tables, "runs", ("id", "spell_id", "provenance"), *mine)
    tracks = tuple(tracks_of(rows_of(connection, tables, "run_tracks", TRACK_COLUMNS, *mine)))
    handoffs = rows_of(connection, tables, "run_handoffs", HANDOFF_COLUMNS, *mine)
    results = rows_of(connection, tables, "run_step_results", STEP_RESULT_COLUMNS, *mine)
    destination = next((one.spell for one in tracks if one.role == "destination"), None)
    where = ("WHERE spell_id = ?", destination)
    states = rows_of(connection, tables, "spell_state", ("updated_at",), *where)
    return CrossingRows(
        tuple(str(row[1]) for row in runs),
        _parsed(runs[-1][2]) if runs else None,
        tracks,
        tuple(map(Handoff._make, handoffs)),
        tuple(map(StepResult._make, results)),
        str(states[-1][0]) if states else None,
    )


def _parsed(text: Any) -> Any:
    if text is None:
        return None
    try:
        return js.parse(text if isinstance(text, bytes) else str(text))
    except Unreadable:
        return None


def project_of(database: str, relative: str | None) -> str:
    """The folder that a spell was started in, by where its store lies.

    A state folder that was named otherwise tells nothing: then that of the two nearest folders in
    which the spell's file lies, as it was typed, else the state folder itself.
    """
    folder = os.path.dirname(database)
    if os.path.basename(folder) == STATE_FOLDER:
        return os.path.dirname(folder)
    near = (folder, os.path.dirname(folder))
    if relative is not None and not os.path.isabs(relative):
        return next((one for one in near if is_file(one, relative)), folder)
    return folder


def is_file(project: str, path: str | None) -> bool:
    """Whether the spell's file is there; it is not opened."""
    return path is not None and os.path.isfile(os.path.join(project, path))
