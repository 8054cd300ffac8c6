"""What belongs beside a step: its rows in other tables, its values, and findings about it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from inspector.model.step import Event, Step, StepKind
from inspector.query.prism.history import concerns
from inspector.query.prism.load import Loaded
from inspector.query.prism.store_rows import Record, equals, read_records
from inspector.query.prism.tool_rows import joined, tool_rows
from inspector.query.prism.values import tool_values
from inspector.query.view import RunView, StepContext, ValueList

REDACTION_MARKS = {
    "[REDACTED]": "a secret of the host was here; Prism replaced it before it wrote the row",
    "[MaxDepth]": "more was nested here than Prism's redactor follows",
    "[Circular]": "the value contained itself here",
}
"""What Prism's redactor leaves in texts."""


def agent_context(
    connection: sqlite3.Connection,
    loaded: Loaded,
    shown: RunView,
    step: Step,
    rows: Sequence[Event],
    run: str,
) -> StepContext:
    """The detail of a step of an agent run."""
    related: dict[str, tuple[Mapping[str, Any], ...]] = {}
    values = ValueList(None, 0, ())
    if step.kind is StepKind.TOOL_CALL:
        calls = _calls(connection, loaded, step, run)
        related["prism_tool_calls"] = tuple(calls)
        listed = tool_values(calls, full=False)
        values = ValueList(None, len(listed), tuple(listed))
    elif step.kind in (StepKind.MODEL_CALL, StepKind.TURN):
        related["prism_usage"] = tuple(_usage(connection, loaded, step, run))
    related["redaction"] = tuple(_marks(rows))
    numbers = [event.n for event in rows]
    return StepContext(
        step,
        tuple(rows),
        values,
        {name: found for name, found in related.items() if found},
        tuple(one for one in shown.run.findings if concerns(one, step, numbers)),
    )


def _calls(
    connection: sqlite3.Connection, loaded: Loaded, step: Step, run: str
) -> Sequence[Record]:
    """The rows of the call that a step is: of those with its id the one that began with it."""
    call = step.ref.get("tool_call_id")
    if not isinstance(call, str):
        return ()
    rows = tool_rows(connection, loaded.layout.tables, run=run, call=call, order=())
    groups = joined(rows)
    if len(groups) <= 1 or step.started_at is None:
        return groups[0] if groups else ()
    # Ids repeat in later turns; of a run's calls the one that began last before the event is it.
    before = [one for one in groups if _began(one) <= step.started_at]
    return before[-1] if before else groups[0]


def _began(rows: Sequence[Record]) -> int:
    from inspector.query.prism.cells import instant_of

    moment = instant_of(rows[0].get("startedAt"))
    return 0 if moment is None else moment


def _usage(
    connection: sqlite3.Connection, loaded: Loaded, step: Step, run: str
) -> Sequence[Record]:
    tables = loaded.layout.tables
    table = tables.get("prism_usage")
    turn = step.ref.get("turn")
    if table is None or not table.has("turn") or turn is None:
        return ()
    where = f"WHERE {equals(table, 'run_id')} AND turn = ?"
    return read_records(
        connection, tables, "prism_usage", where=where, values=(run, turn), limit=50
    )


def _marks(rows: Sequence[Event]) -> list[Mapping[str, Any]]:
    text = json.dumps([event.payload for event in rows], ensure_ascii=False, default=str)
    return [
        {"mark": mark, "means": means} for mark, means in REDACTION_MARKS.items() if mark in text
    ]
