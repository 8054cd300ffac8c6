"""The records of one run, by part: what `record RUN PART` and the tabs give."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from inspector.model.step import Step
from inspector.query.grimoire import js, store_records
from inspector.query.grimoire.js import Unreadable
from inspector.query.grimoire.records import (
    Record,
    Records,
    handoff_record,
    run_record,
    step_result_record,
    track_record,
)
from inspector.query.grimoire.view import Facts
from inspector.query.shared import Asker


def _run(facts: Facts, asker: Asker) -> Records:
    return [] if facts.rows.row is None else [run_record(facts.rows.row)]


def _tracks(facts: Facts, asker: Asker) -> Records:
    return [track_record(one) for one in facts.rows.tracks]


def _handoffs(facts: Facts, asker: Asker) -> Records:
    return [handoff_record(one) for one in facts.rows.handoffs]


def _steps(facts: Facts, asker: Asker) -> Records:
    return [step_result_record(one) for one in facts.rows.step_results]


def _provenance(facts: Facts, asker: Asker) -> Records:
    """As recorded, with what was stale marked and what changed since the run before it."""
    provenance = facts.parsed.get("provenance")
    if not isinstance(provenance, dict):
        return []
    shown = dict(provenance)
    sources = provenance.get("sources")
    if isinstance(sources, list):
        shown["sources"] = [_source(one, provenance) for one in sources]
    before = _json(facts.rows.before, "provenance")
    if isinstance(before, dict):
        shown["since_the_run_before"] = list(_changes(before, provenance))
    return [shown]


def _source(source: Any, provenance: Mapping[str, Any]) -> Any:
    """A source with a mark where it was older than the run allowed."""
    if not isinstance(source, dict):
        return source
    age, most = source.get("age_sec"), provenance.get("data_max_age_sec")
    is_old = isinstance(age, int | float) and isinstance(most, int | float) and age > most
    return {**source, "stale": True} if is_old else source


_ALWAYS_DIFFERENT = frozenset({"generated_at"})


def _changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Record]:
    names = dict.fromkeys((*before, *after))
    for name in names:
        old, new = before.get(name), after.get(name)
        if old != new and name not in _ALWAYS_DIFFERENT:
            yield {"name": name, "before": old, "after": new}


def _state(facts: Facts, asker: Asker) -> Records:
    """Each name of the state: as saved now, as this run left it, as the run before it did."""
    saved, final = _json(facts.rows.state, "state"), _json(facts.rows.row, "final_state")
    before = _json(facts.rows.before, "final_state")
    columns = {"saved_now": saved, "after_this_run": final, "after_the_run_before": before}
    names: dict[str, None] = {}
    for state in columns.values():
        if isinstance(state, dict):
            names.update(dict.fromkeys(state))
    return [_state_row(name, columns) for name in names]


def _state_row(name: str, columns: Mapping[str, Any]) -> Record:
    row: Record = {"name": name}
    for column, state in columns.items():
        if isinstance(state, dict) and name in state:
            row[column] = state[name]
    row["changed_by_this_run"] = row.get("after_this_run") != row.get("after_the_run_before")
    return row


def _json(row: Mapping[str, Any] | None, column: str) -> Any:
    text = None if row is None else row.get(column)
    if text is None:
        return None
    try:
        return js.parse(text if isinstance(text, bytes) else str(text))
    except Unreadable:
        return None


def _store(facts: Facts, asker: Asker) -> Records:
    return store_records.of_store(asker, None)[1]


PARTS: Mapping[str, Callable[[Facts, Asker], Records]] = {
    "run": _run,
    "tracks": _tracks,
    "handoffs": _handoffs,
    "steps": _steps,
    "provenance": _provenance,
    "state": _state,
    "store": _store,
}
"""Parts that `record` knows."""


def related(step: Step, facts_rows: Any) -> Mapping[str, tuple[Mapping[str, Any], ...]]:
    """Rows of the cross-chain tables that are about a step."""
    step_id, ref = step.ref.get("step_id"), step.ref
    found: dict[str, Sequence[Record]] = {
        "run_step_results": [
            step_result_record(one)
            for one in facts_rows.step_results
            if step_id is not None and one.step_id == step_id
        ],
        "run_handoffs": [
            handoff_record(one)
            for one in facts_rows.handoffs
            if one.handoff_id == ref.get("handoff_id")
            or (step_id is not None and one.source_step_id == step_id)
        ],
        "run_tracks": [
            track_record(one) for one in facts_rows.tracks if one.track_id == ref.get("track_id")
        ],
    }
    return {table: tuple(rows) for table, rows in found.items() if rows}
