"""What a run holds under names: messages of an agent, state and outputs of a workflow."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from inspector.model.value import Value
from inspector.query.prism.cells import (
    instant_of,
    mapping,
    message_text,
    name_of,
    text_or_none,
)
from inspector.query.prism.load import Loaded
from inspector.query.prism.store_rows import Record, equals, iterate_records
from inspector.query.prism.workflows import Workflow
from inspector.query.view import ValueList

WHOLE_BYTES = 64 * 1024
"""Contents up to this size are given at once, larger ones only when asked for."""
PREVIEW = 1024
MOST_MESSAGES = 5_000
SESSION = "session"
CHECKPOINT = "checkpoint"


def agent_values(
    connection: sqlite3.Connection,
    loaded: Loaded,
    run: str,
    frame: str | None,
    *,
    full: bool,
) -> ValueList:
    """The messages of a run; Prism has no scopes, so every frame sees the same."""
    table = loaded.layout.tables.get("prism_session_entries")
    where = f"WHERE {equals(table, 'run_id')}"
    values: tuple[str, ...] = (run,)
    session = None if loaded.session is None else loaded.session.id
    if session is not None:
        # A clone of a session keeps the runs' ids: only the run's own session is meant.
        where, values = (
            f"WHERE {equals(table, 'session_id')} AND {equals(table, 'run_id')}",
            (
                session,
                run,
            ),
        )
    records = iterate_records(
        connection,
        loaded.layout.tables,
        "prism_session_entries",
        where=where,
        values=values,
        limit=MOST_MESSAGES,
    )
    found = [entry_value(n, record, full=full) for n, record in enumerate(records, 1)]
    return ValueList(frame, len(found), tuple(found))


def entry_value(n: int, record: Record, *, full: bool) -> Value:
    """An entry as a value: the words of a message, else what it holds as JSON.

    Its number comes first, as no message takes the place of another.
    """
    message = mapping(record.get("message"))
    text = message_text(message, 2**31) if message else None
    if text is None:
        kept = ("label", "summary", "data", "event", "model", "message")
        rest = {key: record[key] for key in kept if key in record}
        text = next(iter(rest.values())) if len(rest) == 1 else json.dumps(rest)
        text = text if isinstance(text, str) else json.dumps(text, ensure_ascii=False)
    return text_value(
        f"{n} {name_of(message.get('role')) or name_of(record.get('kind')) or 'entry'}",
        text,
        scope=SESSION,
        kind=name_of(record.get("kind")),
        source=text_or_none(record.get("id")),
        at=instant_of(record.get("timestamp")),
        full=full,
    )


def text_value(
    name: str | None,
    content: Any,
    *,
    scope: str,
    kind: str | None = None,
    source: str | None = None,
    at: int | None = None,
    full: bool = False,
) -> Value:
    """A value from text, or from anything else as its JSON."""
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    size = len(text.encode("utf-8", "replace"))
    return Value(
        name=name,
        scope=scope,
        kind=kind,
        type="text" if isinstance(content, str) else "json",
        size=size,
        value=text if full or size <= WHOLE_BYTES else None,
        preview=text[:PREVIEW],
        source_statement=source,
        updated_at=at,
    )


def workflow_values(workflow: Workflow, frame: str | None, *, full: bool) -> ValueList:
    """Input, state, what a suspension waits for, and the output of each node."""
    at = workflow.checkpoint.updated_at
    found = [
        text_value(name, content, scope=scope, kind=kind, source=source, at=at, full=full)
        for name, content, scope, kind, source in _workflow_contents(workflow)
        if frame in (None, scope)
    ]
    return ValueList(frame, len(found), tuple(found))


def _workflow_contents(
    workflow: Workflow,
) -> Iterator[tuple[str, Any, str, str, str | None]]:
    value = workflow.checkpoint.value
    for name, key in (("input", "workflowInput"), ("state", "state"), ("resume", "resume")):
        if value.get(key) is not None:
            yield name, value[key], CHECKPOINT, name, None
    if workflow.suspension:
        node = name_of(workflow.suspension.get("nodeId"))
        yield "suspension", dict(workflow.suspension), CHECKPOINT, "suspension", node
    steps = mapping(workflow.saga.get("steps")) or mapping(value.get("nodes"))
    for node, told in steps.items():
        if mapping(told).get("output") is not None:
            yield node, mapping(told)["output"], node, "output", node


def tool_values(rows: Iterable[Mapping[str, Any]], *, full: bool) -> list[Value]:
    """Arguments, progress and result of one tool call, from its latest row."""
    latest = list(rows)[-1:]
    found: list[Value] = []
    for row in latest:
        for name in ("arguments", "progress", "result"):
            if name in row:
                call = name_of(row.get("toolCallId"))
                found.append(
                    text_value(name, row[name], scope=call or "call", kind="tool", full=full)
                )
    return found
