"""The store's own answers, under the runtime's own field names; what is NULL is left out.

Source: Grimoire's state store (`getRunById`, `getRunTracks`, `getRunHandoffs`,
`getRunStepResults`): snake_case columns, camelCase answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inspector.query.grimoire import js
from inspector.query.grimoire.js import Unreadable
from inspector.query.grimoire.rows import JSON_COLUMNS, Handoff, StepResult, Track
from inspector.query.grimoire.verdicts import succeeded

Record = dict[str, Any]
Records = Sequence[Mapping[str, Any]]


def parsed_columns(row: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """The JSON columns of a run that are not NULL, and what is wrong with those that are none."""
    parsed: dict[str, Any] = {}
    broken: dict[str, str] = {}
    for name in JSON_COLUMNS:
        text = row.get(name)
        if text is None:
            continue
        try:
            parsed[name] = js.parse(text if isinstance(text, bytes) else str(text))
        except Unreadable as error:
            broken[name] = str(error)
    return parsed, broken


def run_record(row: Mapping[str, Any]) -> Record:
    """A run as the store gives it; a JSON column that is none is given as text and named."""
    parsed, broken = parsed_columns(row)
    record: Record = {
        "runId": row.get("run_id"),
        "timestamp": row.get("timestamp"),
        "success": succeeded(row.get("success")),
        "duration": row.get("duration"),
    }
    if row.get("error") is not None:
        record["error"] = row["error"]
    for name in JSON_COLUMNS:
        if name in parsed:
            record[camel(name)] = parsed[name]
        elif name in broken:
            record[camel(name)] = row[name]
    if broken:
        record["unreadable"] = {camel(name): why for name, why in broken.items()}
    return record


def track_record(track: Track) -> Record:
    """A track as the store gives it."""
    return _record(track._asdict(), spell="spellId")


def handoff_record(handoff: Handoff) -> Record:
    """A handoff as the store gives it."""
    return _record(handoff._asdict())


def step_result_record(result: StepResult) -> Record:
    """A step's result as the store gives it."""
    return _record(result._asdict())


def _record(row: Mapping[str, Any], **renamed: str) -> Record:
    return {
        renamed.get(name, camel(name)): value for name, value in row.items() if value is not None
    }


def camel(name: str) -> str:
    """A column's name as the runtime's field."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
