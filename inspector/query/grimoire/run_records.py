"""The records of one run, by part: what `record RUN PART` and the tabs give."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inspector.model.step import Step
from inspector.query.comparison import Side
from inspector.query.grimoire import comparing, js, store_records
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
from inspector.query.reader_pool import ReaderLease


def _run(facts: Facts, asker: ReaderLease) -> Records:
    return [] if facts.rows.row is None else [run_record(facts.rows.row)]


def _tracks(facts: Facts, asker: ReaderLease) -> Records:
    return [track_record(one) for one in facts.rows.tracks]


def _handoffs(facts: Facts, asker: ReaderLease) -> Records:
    return [handoff_record(one) for one in facts.rows.handoffs]


def _steps(facts: Facts, asker: ReaderLease) -> Records:
    return [step_result_record(one) for one in facts.rows.step_results]


def _provenance(facts: Facts, asker: ReaderLease) -> Records:
    """As recorded, with what was stale marked and what changed since the run before it."""
    provenance = facts.parsed.get("provenance")
    if not isinstance(provenance, dict):
        return []
    shown = dict(provenance)
    sources = provenance.get("sources")
    if isinstance(sources, list):
        shown["sources"] = [_source(one, provenance) for one in sources]
    if facts.rows.before is not None:
        before = comparing.side_of(comparing.PROVENANCE, None, facts.rows.before)
        if before.why_not is None:
            now = Side(facts.place.run_id, provenance)
            shown["since_the_run_before"] = comparing.compare(
                comparing.PROVENANCE, before, now
            ).records
    return [shown]


def _source(source: Any, provenance: Mapping[str, Any]) -> Any:
    """A source with a mark where it was older than the run allowed."""
    return {**source, "stale": True} if comparing.is_stale(source, provenance) else source


def _state(facts: Facts, asker: ReaderLease) -> Records:
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


def _store(facts: Facts, asker: ReaderLease) -> Records:
    return store_records.of_store(asker, None)[1]


def _tables(facts: Facts, asker: ReaderLease) -> Records:
    """Every table and view, those of others included."""
    return asker.read(store_records.tables).value


PARTS: Mapping[str, Callable[[Facts, ReaderLease], Records]] = {
    "run": _run,
    "tracks": _tracks,
    "handoffs": _handoffs,
    "steps": _steps,
    "provenance": _provenance,
    "state": _state,
    "store": _store,
    "tables": _tables,
}
"""Parts that `record` knows."""


ABOUT: Mapping[str, str] = {
    "state": "Persistent state is kept from run to run, and saved when one is over; ephemeral state"
    " and bindings end with their run and are known from its ledger alone.",
    "provenance": "What a run went by: how it was run, its parameters, and the data that came with"
    " them; a source that was older than the run allowed is stale.",
    "tracks": "How the two sides of a cross-chain run stand now: these rows are kept up to date,"
    " the run's own summary and its ledger are not.",
    "handoffs": "What was sent from chain to chain; it is realised only when it is settled.",
    "steps": "What came of each planned action; a simulation calls its actions confirmed as well.",
}
"""A line about a part. Source: Grimoire's state persistence and cross-chain store."""


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
