"""Rows of a Grimoire store as types, what a run's row says, and rows as the store answers them.

Source: Grimoire's state store (`getRunById`, `getRunTracks`, `getRunHandoffs`,
`getRunStepResults`): snake_case columns, camelCase answers without what is NULL.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple, TypeVar, get_type_hints

from inspector.model.status import Status
from inspector.query.grimoire import js
from inspector.query.grimoire.js import Unreadable


class RunRow(NamedTuple):
    """One row of `runs` without its JSON columns."""

    id: int
    spell: str
    run_id: str
    timestamp: object
    success: object
    error: str | None
    duration: object


class LedgerRow(NamedTuple):
    """One row of `ledger` without its text."""

    id: int
    spell: str
    run_id: str


class Track(NamedTuple):
    """One row of `run_tracks`."""

    run_id: str
    track_id: str
    role: str | None
    spell: str | None
    chain_id: object
    status: str | None
    last_step_id: str | None
    error: str | None
    updated_at: object


class Handoff(NamedTuple):
    """One row of `run_handoffs`; amounts are text in base units."""

    run_id: str
    handoff_id: str
    source_track_id: str | None
    destination_track_id: str | None
    source_step_id: str | None
    origin_chain_id: object
    destination_chain_id: object
    asset: str | None
    submitted_amount: str | None
    settled_amount: str | None
    status: str | None
    reference: str | None
    origin_tx_hash: str | None
    reason: str | None
    created_at: object
    updated_at: object
    expires_at: object


class StepResult(NamedTuple):
    """One row of `run_step_results`: the result of one planned action on one track."""

    run_id: str
    track_id: str
    step_id: str
    status: str | None
    idempotency_key: str | None
    reference: str | None
    error: str | None
    updated_at: object


class SavedState(NamedTuple):
    """One row of `spell_state` without the state."""

    spell: str
    updated_at: object


RUN_COLUMNS = ("id", "spell_id", "run_id", "timestamp", "success", "error", "duration")

JSON_COLUMNS = ("metrics", "provenance", "cross_chain", "final_state")

TRACK_COLUMNS = (
    "run_id", "track_id", "role", "spell_id", "chain_id", "status", "last_step_id", "error",
    "updated_at",
)  # fmt: skip

HANDOFF_COLUMNS = Handoff._fields

STEP_RESULT_COLUMNS = StepResult._fields

Row = TypeVar("Row", RunRow, Track, Handoff, StepResult, SavedState)


def typed_rows(kind: type[Row], rows: Sequence[Any]) -> Iterator[Row]:
    """Yield rows as `kind`; cells of its text fields become text, whatever the database holds."""
    is_text = [one in (str, str | None) for one in get_type_hints(kind).values()]
    for row in rows:
        cells = (text_of(cell) if text else cell for cell, text in zip(row, is_text, strict=True))
        yield kind._make(cells)


def text_of(value: object) -> str | None:
    """Return a cell as text; None stays None."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if value is None or isinstance(value, str) else str(value)


# What a row of `runs` says.


class Mode(StrEnum):
    """How a spell was run."""

    SIMULATE = "simulate"
    DRY_RUN = "dry run"
    EXECUTE = "execute"


_MODES: Mapping[str, Mode] = {
    "simulate": Mode.SIMULATE,
    "cast_dry_run": Mode.DRY_RUN,
    "dry-run": Mode.DRY_RUN,
    "cast_execute": Mode.EXECUTE,
    "execute": Mode.EXECUTE,
}

_CODE = re.compile(r"\[([A-Z][A-Z0-9_]*)\]\s*")

_ACTION = re.compile(r"Action step '([^']*)' failed:?\s*")

_RUN_ID = re.compile(r"(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})(\.\d{3})?Z?-", re.ASCII)


def manifest_of(provenance: object) -> Mapping[str, object]:
    """Return the manifest of a cross-chain cast from a run's provenance; empty if it has none."""
    manifest = provenance.get("cross_chain") if isinstance(provenance, dict) else None
    return manifest if isinstance(manifest, dict) else {}


def mode_of(provenance: object) -> Mode | str | None:
    """Return how the run was run, from its provenance; an unknown word as recorded."""
    if not isinstance(provenance, dict):
        return None
    word = provenance.get("runtime_mode")
    if word is None:
        word = manifest_of(provenance).get("mode")
    if not isinstance(word, str):
        return None
    return _MODES.get(word, word)


def known_mode(mode: Mode | str | None) -> Mode | None:
    """Return the mode unless it is an unknown word."""
    return mode if isinstance(mode, Mode) else None


def succeeded(success: object) -> bool:
    """Return whether `success` is 1, the only value that means success."""
    return isinstance(success, int | float) and success == 1


def status_of(success: object) -> tuple[Status, str]:
    """Return the status of a row, and its `success` as recorded."""
    status = Status.COMPLETED if succeeded(success) else Status.FAILED
    return status, f"success={success}"


def error_code(error: str | None) -> str | None:
    """Return the code in front of an error, such as `STEP_FAILED`."""
    match = _CODE.match(error or "")
    return match[1] if match else None


def error_text(error: str) -> str:
    """Return an error without its code."""
    match = _CODE.match(error)
    return error[match.end() :] if match else error


def failing_action(error: str | None) -> str | None:
    """Return the id of the action that a failed commit's error names."""
    match = _ACTION.search(error or "")
    return match[1] if match else None


def action_error(error: str) -> str:
    """Return what a failed commit's error says about its action."""
    match = _ACTION.search(error)
    return error[match.end() :] if match else error_text(error)


def started_from_id(run_id: str) -> str | None:
    """Return the start encoded in a run id as RFC 3339; most ids are precise to the second."""
    match = _RUN_ID.match(run_id)
    if match is None:
        return None
    year, month, day, hour, minute, second, fraction = match.groups()
    return f"{year}-{month}-{day}T{hour}:{minute}:{second}{fraction or ''}Z"


def parsed_columns(row: Mapping[str, object]) -> tuple[dict[str, object], dict[str, str]]:
    """Return the JSON columns of a run that are not NULL, and why others cannot be read."""
    parsed: dict[str, object] = {}
    broken: dict[str, str] = {}
    for name in JSON_COLUMNS:
        text = row.get(name)
        if text is None:
            continue
        try:
            parsed[name] = js.parse(text)
        except Unreadable as error:
            broken[name] = str(error)
    return parsed, broken


# The answers of the store.

Record = dict[str, object]

Records = Sequence[Mapping[str, Any]]


def run_record(row: Mapping[str, object]) -> Record:
    """Return a run as the store answers it; an unreadable JSON column as text, with the reason."""
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
    """Return a track as the store answers it."""
    return _record(track._asdict(), spell="spellId")


def handoff_record(handoff: Handoff) -> Record:
    """Return a handoff as the store answers it."""
    return _record(handoff._asdict())


def step_result_record(result: StepResult) -> Record:
    """Return a step's result as the store answers it."""
    return _record(result._asdict())


def _record(row: Mapping[str, object], **renamed: str) -> Record:
    return {
        renamed.get(name, camel(name)): value for name, value in row.items() if value is not None
    }


def camel(name: str) -> str:
    """Return the camelCase field of a snake_case column."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
