"""The store's records behind each tab, under the store's own field names.

Inspector's additions are in the field `inspector`. Lease tokens are never read.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from inspector.model.clock import rfc3339
from inspector.query.prism import sessions, status_rules
from inspector.query.prism.cells import JsonObject, mapping, name_of, text_of, text_or_none
from inspector.query.prism.layout import documented_columns, missing_tables
from inspector.query.prism.row_summaries import (
    AGENT_RUN,
    RUN_LEASE,
    SAGA_LEASE,
    WORKFLOW,
    Checkpoint,
    read_checkpoints,
    read_leases,
)
from inspector.query.prism.rows import Record, call_record, equals, joined, read_records, tool_rows
from inspector.query.prism.verdict import checksum_known, judge
from inspector.query.prism.workflows import SAGA_PREFIX, decoded_key, workflow_of
from inspector.query.raw_tables import table_records
from inspector.query.tables import Tables, quoted, read_tables
from inspector.text.parse_time import parse_instant

Query = Callable[[sqlite3.Connection], Sequence[JsonObject]]
Answer = Sequence[JsonObject]


@dataclass(frozen=True, slots=True)
class Subject:
    """The selection: a session, a run or a workflow; all None selects the whole store."""

    session: str | None = None
    run: str | None = None
    checkpoint: str | None = None
    """The key of a workflow's checkpoint."""

    @property
    def is_store(self) -> bool:
        """Whether the whole store is selected."""
        return self.session is None and self.run is None and self.checkpoint is None


def query(part: str, subject: Subject, now: int) -> Query:
    """Return the query for a part's records. Raises KeyError for an unknown part."""
    read = PARTS[part]
    return lambda connection: read(connection, read_tables(connection), subject, now)


def _of_run(table: str, order: tuple[str, ...]) -> _Reader:
    """Select rows of a table by run, else by session, else all."""

    def read(connection: sqlite3.Connection, tables: Tables, subject: Subject, now: int) -> Answer:
        known = tables.get(table)
        values: tuple[str, ...] = ()
        where = ""
        if subject.run is not None:
            where, values = f"WHERE {equals(known, 'run_id')}", (subject.run,)
        elif subject.session is not None:
            where, values = f"WHERE {equals(known, 'session_id')}", (subject.session,)
        return read_records(connection, tables, table, where=where, values=values, order=order)

    return read


def _whole(table: str, *order: str) -> _Reader:
    """Select all rows of a table."""
    return lambda connection, tables, subject, now: read_records(
        connection, tables, table, order=order
    )


def _run(connection: sqlite3.Connection, tables: Tables, subject: Subject, now: int) -> Answer:
    if subject.checkpoint is not None:
        return _checkpoints(connection, tables, subject, now)
    known = tables.get("prism_runs")
    values: tuple[str, ...] = ()
    where = ""
    if subject.run is not None:
        where, values = f"WHERE {equals(known, 'id')}", (subject.run,)
    elif subject.session is not None:
        where, values = f"WHERE {equals(known, 'session_id')}", (subject.session,)
    order = ("started_at", "id")
    return read_records(connection, tables, "prism_runs", where=where, values=values, order=order)


def _session(connection: sqlite3.Connection, tables: Tables, subject: Subject, now: int) -> Answer:
    if subject.session is None and not subject.is_store:
        return ()
    return sessions.session_records(connection, tables, subject.session)


def _entries(connection: sqlite3.Connection, tables: Tables, subject: Subject, now: int) -> Answer:
    if subject.session is None and not subject.is_store:
        return ()
    return sessions.entry_records(connection, tables, subject.session)


def _branches(connection: sqlite3.Connection, tables: Tables, subject: Subject, now: int) -> Answer:
    if subject.session is not None:
        names = [subject.session]
    elif subject.is_store:
        records = read_records(connection, tables, "prism_sessions", order=("created_at", "id"))
        names = [text_of(one.get("id")) for one in records]
    else:
        return ()
    table = tables.get("prism_branches")
    where = "" if subject.is_store else f"WHERE {equals(table, 'session_id')}"
    values = () if subject.is_store else (subject.session,)
    named = read_records(connection, tables, "prism_branches", where=where, values=values)
    return [*named, *sessions.branch_records(connection, tables, names)]


def _tool_calls(
    connection: sqlite3.Connection, tables: Tables, subject: Subject, now: int
) -> Answer:
    session = None if subject.run is not None else subject.session
    return tool_rows(connection, tables, run=subject.run, session=session)


def _calls(connection: sqlite3.Connection, tables: Tables, subject: Subject, now: int) -> Answer:
    session = None if subject.run is not None else subject.session
    rows = tool_rows(connection, tables, run=subject.run, session=session, order=())
    return [call_record(of_call) for of_call in joined(rows)]


def _checkpoints(
    connection: sqlite3.Connection, tables: Tables, subject: Subject, now: int
) -> Answer:
    table = tables.get("prism_checkpoints")
    values: tuple[str, ...] = ()
    where = ""
    if subject.checkpoint is not None:
        where, values = f"WHERE {equals(table, 'key')}", (subject.checkpoint,)
    elif subject.run is not None:
        where, values = f"WHERE {equals(table, 'key')}", (subject.run,)
    found = read_records(
        connection,
        tables,
        "prism_checkpoints",
        where=where,
        values=values,
        order=("-updated_at", "key"),
    )
    if subject.run is None and subject.checkpoint is None and subject.session is not None:
        found = [one for one in found if _session_of(one) == subject.session]
    for one in found:
        one["inspector"] = _decoded(one, now)
    return found


def _session_of(record: JsonObject) -> str | None:
    return name_of(mapping(record.get("value")).get("sessionId"))


def _decoded(record: Record, now: int) -> JsonObject:
    """Return a checkpoint's kind, decoded key, status and approval deadline."""
    namespace, value = text_of(record.get("namespace")), mapping(record.get("value"))
    parts = decoded_key(text_of(record.get("key")))
    found: dict[str, object] = {
        "of": NAMESPACES.get(namespace, "unknown"),
        "key": parts,
        "status": name_of(value.get("status")),
    }
    saga = mapping(mapping(value.get("metadata")).get("sagaState"))
    if saga:
        found["saga_status"] = name_of(saga.get("status"))
    deadline = parse_instant(value.get("deadlineAt"))
    if deadline is not None and value.get("status") == "suspended":
        found["deadline"] = rfc3339(deadline)
        found["deadline_in_ms"] = deadline - now
    return found


NAMESPACES = {
    AGENT_RUN: "agent run",
    WORKFLOW: "workflow or saga",
    "prism.workflow.cancel": "request to cancel a workflow",
    "prism.workflow.schedule": "schedule",
    "prism.workflow.schedule.capability": "what a scheduler can do",
    "prism.supervisor-delegation": "delegation to a child run",
    "prism.artifact": "artifact",
    "prism.coding-agent.process.v1": "process of a coding agent",
    "prism.coding-agent.workspace.v1": "workspace of a coding agent",
    "prism.coding-agent.cancel.v1": "request to cancel a coding agent",
    "prism.coding-agent.read-path-set": "paths that a coding agent has read",
}
"""Checkpoint namespace → what it stores."""


def _leases(connection: sqlite3.Connection, tables: Tables, subject: Subject, now: int) -> Answer:
    keys = None if subject.is_store else _lease_keys(subject)
    checkpoints = {
        workflow_of(one).lease_key: one
        for one in read_checkpoints(connection, tables, "WHERE namespace = ?", (WORKFLOW,))
    }
    running = {key for key, one in checkpoints.items() if one.status == "running"}
    states = {(one.namespace, one.key): one.state(now) for one in read_leases(connection, tables)}
    found: list[Record] = []
    for record in read_records(connection, tables, "prism_leases", order=("namespace", "key")):
        place = (text_of(record.get("namespace")), text_of(record.get("key")))
        if keys is None or place in keys:
            state = states.get(place, "expired")
            means = status_rules.explain_lease(state, place[1] in running)
            ours = {"state": state, "means": means, **_fence(record, checkpoints.get(place[1]))}
            found.append({**record, "inspector": ours})
    if not found and subject.checkpoint is not None:
        means = status_rules.explain_lease("absent", subject.checkpoint in running)
        found.append({"inspector": {"state": "absent", "means": means}})
    return found


def _fence(record: Record, checkpoint: Checkpoint | None) -> JsonObject:
    """Compare fencing tokens: a lease holder is refused once another worker took over."""
    if checkpoint is None or checkpoint.fencing is None:
        return {}
    own = record.get("fencingToken")
    refused = isinstance(own, int) and own < checkpoint.fencing
    return {"checkpoint_fencing": checkpoint.fencing, "refused": refused}


def _lease_keys(subject: Subject) -> set[tuple[str, str]]:
    key = subject.checkpoint
    if key is None:
        return set()
    workflow = decoded_key(key)[0]
    if workflow.startswith(SAGA_PREFIX):
        return {(SAGA_LEASE, workflow.removeprefix(SAGA_PREFIX))}
    return {(RUN_LEASE, key)}


def _store(connection: sqlite3.Connection, tables: Tables, subject: Subject, now: int) -> Answer:
    verdict = judge(connection, tables)
    counts = {
        name: connection.execute(f"SELECT count(*) FROM {quoted(name)}").fetchone()[0]
        for name, table in tables.by_name.items()
        if name.startswith("prism_") and "_fts" not in name and not table.is_view
    }
    drift = [
        {"table": one.table, "what": one.what, "message": one.message, "says": one.says}
        for one in verdict.drift
    ]
    return [
        {
            "verdict": verdict.word,
            "version": verdict.version,
            "steps": verdict.steps,
            "opens": verdict.opens,
            "says": verdict.says,
            "reason": verdict.reason,
            "advice": verdict.advice,
            "drift": drift,
            "missing_tables": list(missing_tables(tables)),
            "rows": counts,
        }
    ]


def _tables(connection: sqlite3.Connection, tables: Tables, subject: Subject, now: int) -> Answer:
    """Return every table and view, including those of extensions."""
    return table_records(connection, tables, documented_columns, missing_tables(tables))


def _migrations(
    connection: sqlite3.Connection, tables: Tables, subject: Subject, now: int
) -> Answer:
    found = read_records(connection, tables, "prism_migrations", order=("applied_at",))
    for place, one in enumerate(found):
        one["inspector"] = {"checksum": checksum_known(place, text_or_none(one.get("checksum")))}
    return found


def _migrated(table: str, read: _Reader) -> _Reader:
    """Add the values that Prism's own migration would add to rows of an older database."""

    def complete(
        connection: sqlite3.Connection, tables: Tables, subject: Subject, now: int
    ) -> Answer:
        found = read(connection, tables, subject, now)
        missing = {
            name: value
            for column, name, value in ADDED_VALUES.get(table, ())
            if (known := tables.get(table)) is not None and not known.has(column)
        }
        if not missing or judge(connection, tables).word != "verified_older":
            return found
        return [
            {
                **one,
                **missing,
                "inspector": {**mapping(one.get("inspector")), "migrated": list(missing)},
            }
            for one in found
        ]

    return complete


ADDED_VALUES = {
    "prism_sessions": (("version", "version", 1),),
    "prism_usage": (("scope", "scope", "run_total"),),
}
"""Table → column, field and the value that migration gives to existing rows."""

_Reader = Callable[[sqlite3.Connection, Tables, Subject, int], Answer]

PARTS: Mapping[str, _Reader] = {
    "run": _run,
    "runs": _run,
    "session": _migrated("prism_sessions", _session),
    "sessions": _migrated("prism_sessions", _session),
    "entries": _entries,
    "branches": _branches,
    "events": _of_run("prism_agent_events", ("timestamp", "id")),
    "tool_calls": _tool_calls,
    "calls": _calls,
    "usage": _migrated("prism_usage", _of_run("prism_usage", ("recorded_at", "id"))),
    "checkpoints": _checkpoints,
    "leases": _leases,
    "feedback": _of_run("prism_run_feedback", ("created_at", "id")),
    "migrations": _migrations,
    "store": _store,
    "tables": _tables,
    "legal_holds": _whole("prism_legal_holds", "created_at", "id"),
    "quotas": _whole("prism_tenant_quotas"),
    "retention_policies": _whole("prism_retention_policies", "created_at", "id"),
    "agent_definitions": _whole("prism_agent_definitions", "created_at", "id"),
    "tenants": _whole("prism_tenants"),
    "accounts": _whole("prism_accounts"),
    "users": _whole("prism_users"),
}
"""Every part that `record` accepts."""
