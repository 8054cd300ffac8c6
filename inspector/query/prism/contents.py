"""Contents of runs: events in words, messages, values, and the details of a step."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence

from inspector.model.run import Finding
from inspector.model.step import Event, Step, StepKind
from inspector.model.value import Value
from inspector.query.prism.cells import (
    JsonObject,
    instant_of,
    mapping,
    message_of,
    message_text,
    name_of,
    text_or_none,
    whole_number,
)
from inspector.query.prism.rows import (
    Record,
    equals,
    iterate_records,
    joined,
    read_records,
    tool_rows,
)
from inspector.query.prism.timeline import Loaded, read_event_records
from inspector.query.prism.workflows import Workflow
from inspector.query.tables import Tables
from inspector.query.view import RunView, StepContext, ValueList

WHOLE_BYTES = 64 * 1024
"""Maximum bytes of a value that are returned without `full`."""


PREVIEW = 1024


MOST_MESSAGES = 5_000


MOST_OWN_EVENTS = 200
"""For a step with more events, only the first and last ones are returned."""


SESSION = "session"


CHECKPOINT = "checkpoint"


REDACTION_MARKS = {
    "[REDACTED]": "Prism removed a secret of the host before it wrote the row",
    "[MaxDepth]": "Prism's redactor stopped here: nested too deeply",
    "[Circular]": "the value contains itself here",
}
"""Placeholders that Prism's redactor leaves in texts."""


# Events


def events(
    connection: sqlite3.Connection, tables: Tables, rowids: Sequence[int], numbers: Sequence[int]
) -> list[Event]:
    """Return the events in these rows under these numbers; a deleted one has no content."""
    found = read_event_records(connection, tables, rowids)
    return [_event(n, record) for n, record in zip(numbers, found, strict=True)]


def _event(n: int, record: JsonObject | None) -> Event:
    if record is None:
        return Event(n, None, "gone", None, None, None, "this event was deleted", {})
    payload = mapping(record.get("event"))
    at = record.get("timestamp")
    status = mapping(payload.get("metadata")).get("status")
    return Event(
        n=n,
        id=text_or_none(record.get("id")),
        kind=text_or_none(record.get("type")) or "",
        raw_status=name_of(status),
        at=instant_of(at),
        at_raw=text_or_none(at),
        text=event_text(payload),
        payload=record,
    )


def event_text(payload: JsonObject) -> str:
    """Summarize an event in words."""
    if "error" in payload:
        error = message_of(payload["error"]) or "error"
        return ": ".join(part for part in (_subject(payload), error) if part)
    if "message" in payload:
        return message_text(payload["message"])
    content = mapping(payload.get("content"))
    if content:
        text = content.get("text")
        return text if isinstance(text, str) else _subject(content)
    return _subject(payload)


def _subject(payload: JsonObject) -> str:
    """Name the tool, guardrail, limit, model or turn of an event."""
    for key, inner in (
        ("call", "name"),
        ("result", "name"),
        ("record", "guardrail"),
        ("breach", "limit"),
        ("interruption", "reason"),
    ):
        name = name_of(mapping(payload.get(key)).get(inner))
        if name is not None:
            return name
    model = name_of(mapping(mapping(payload.get("metadata")).get("model")).get("model"))
    named = model or name_of(payload.get("name")) or name_of(payload.get("finishReason"))
    if named is not None:
        return named
    turn = whole_number(payload.get("turn"))
    return "" if turn is None else f"turn {turn}"


def own_events(shown: RunView, step: int) -> list[int]:
    """Return the numbers of a step's own events, oldest first."""
    first, last = shown.steps.first[step], shown.steps.last[step]
    if not first:
        return []
    of_step = shown.step_of_event[first - 1 : last]
    numbers = [n for n, one in enumerate(of_step, first) if one == step]
    if len(numbers) <= MOST_OWN_EVENTS:
        return numbers
    half = MOST_OWN_EVENTS // 2
    return [*numbers[:half], *numbers[-half:]]


# Values


def agent_values(
    connection: sqlite3.Connection,
    loaded: Loaded,
    run: str,
    frame: str | None,
    *,
    full: bool,
) -> ValueList:
    """Return the messages of a run; Prism has no scopes, so every frame sees them all."""
    table = loaded.layout.tables.get("prism_session_entries")
    where = f"WHERE {equals(table, 'run_id')}"
    values: tuple[str, ...] = (run,)
    session = None if loaded.session is None else loaded.session.id
    if session is not None:
        # A cloned session keeps run ids, so select by the run's own session, too.
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
    """Return an entry as a value: the text of a message, else its content as JSON.

    The name starts with the entry's number, since messages do not supersede each other.
    """
    message = mapping(record.get("message"))
    if message:
        content: object = message_text(message, 2**31)
    else:
        kept = ("label", "summary", "data", "event", "model", "message")
        rest = {key: record[key] for key in kept if key in record}
        content = next(iter(rest.values())) if len(rest) == 1 else json.dumps(rest)
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
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
    content: object,
    *,
    scope: str,
    kind: str | None = None,
    source: str | None = None,
    at: int | None = None,
    full: bool = False,
) -> Value:
    """Return text, or anything else as JSON, as a value."""
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
    """Return input, state, suspension and the output of each node."""
    at = workflow.checkpoint.updated_at
    found = [
        text_value(name, content, scope=scope, kind=kind, source=source, at=at, full=full)
        for name, content, scope, kind, source in _workflow_contents(workflow)
        if frame in (None, scope)
    ]
    return ValueList(frame, len(found), tuple(found))


def _workflow_contents(
    workflow: Workflow,
) -> Iterator[tuple[str, object, str, str, str | None]]:
    value = workflow.checkpoint.value
    for name, key in (("input", "workflowInput"), ("state", "state"), ("resume", "resume")):
        if value.get(key) is not None:
            yield name, value[key], CHECKPOINT, name, None
    if workflow.suspension:
        node = name_of(workflow.suspension.get("nodeId"))
        yield "suspension", dict(workflow.suspension), CHECKPOINT, "suspension", node
    steps = mapping(workflow.saga.get("steps")) or mapping(value.get("nodes"))
    for node, payload in steps.items():
        if mapping(payload).get("output") is not None:
            yield node, mapping(payload)["output"], node, "output", node


def tool_values(rows: Iterable[JsonObject], *, full: bool) -> list[Value]:
    """Return arguments, progress and result of a tool call's latest row."""
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


# Step contexts


def agent_context(
    connection: sqlite3.Connection,
    loaded: Loaded,
    shown: RunView,
    step: Step,
    rows: Sequence[Event],
    run: str,
) -> StepContext:
    """Return the details of a step of an agent run."""
    related: dict[str, tuple[JsonObject, ...]] = {}
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


def concerns(finding: Finding, step: Step, numbers: Sequence[int]) -> bool:
    """Return whether a finding is about this step or one of its events."""
    if finding.ref == step.id:
        return True
    table, _, number = (finding.ref or "").partition(":")
    return table == "event" and number.isdigit() and int(number) in numbers


def _calls(
    connection: sqlite3.Connection, loaded: Loaded, step: Step, run: str
) -> Sequence[Record]:
    """Return the rows of a step's call: among those with its id, the one that started with it."""
    call = step.ref.get("tool_call_id")
    if not isinstance(call, str):
        return ()
    rows = tool_rows(connection, loaded.layout.tables, run=run, call=call, order=())
    groups = joined(rows)
    if len(groups) <= 1 or step.started_at is None:
        return groups[0] if groups else ()
    # Ids repeat in later turns; take the call that started last before the step's first event.
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


def _marks(rows: Sequence[Event]) -> list[JsonObject]:
    text = json.dumps([event.payload for event in rows], ensure_ascii=False, default=str)
    return [
        {"mark": mark, "means": means} for mark, means in REDACTION_MARKS.items() if mark in text
    ]
