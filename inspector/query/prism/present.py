"""What the screen and the command line say about Prism's runs."""

from __future__ import annotations

from collections.abc import Callable

from inspector.model.status import Status
from inspector.model.store import Store
from inspector.query.presentation import Column, Format, Presentation, RecordTable, Tone
from inspector.query.prism import NAME
from inspector.query.prism.cells import (
    JsonObject,
    instant_of,
    mapping,
    message_of,
    message_text,
    name_of,
    sequence,
)
from inspector.query.prism.workflows import NODE_STATUS, TOOL_STATUS

Record = JsonObject
MAX_TEXT = 300
"""Characters of a text in a cell."""

LEASE_STATUS = {
    "active": Status.RUNNING,
    "expired": Status.INTERRUPTED,
    "released": Status.COMPLETED,
    "absent": Status.UNKNOWN,
}


def _store_label(store: Store, full: bool) -> str:
    return f"{NAME} schema {store.variant}" if store.variant else NAME


def _instant(field: str) -> Callable[[Record], int | None]:
    return lambda record: instant_of(record.get(field))


def _added(field: str) -> Callable[[Record], object]:
    """Return a field that Inspector adds to records."""
    return lambda record: mapping(record.get("inspector")).get(field)


def _used(field: str) -> Callable[[Record], object]:
    return lambda record: mapping(record.get("usage")).get(field)


def _named(word: str | Callable[[Record], object], field: str) -> Callable[[Record], str]:
    """Return a title from a word and an id: `read call-1`."""

    def title(record: Record) -> str:
        name = word(record) if callable(word) else record.get(word)
        return " ".join(str(part) for part in (name, record.get(field)) if part)

    return title


def _unreadable(record: Record) -> str | None:
    fields = sequence(record.get("unreadable"))
    return f"Not valid JSON: {', '.join(map(str, fields))}" if fields else None


# Entries


def _speaker(record: Record) -> object:
    return mapping(record.get("message")).get("role") or record.get("kind")


def _entry_text(record: Record) -> str:
    message = record.get("message")
    if message is not None:
        return message_text(message, MAX_TEXT)
    return name_of(record.get("summary")) or name_of(record.get("label")) or ""


ENTRIES = RecordTable(
    (
        Column("from", 9, _speaker),
        Column("text", 24, _entry_text, tone=Tone.TEXT, grows=True),
        Column("kind", 12, "kind", narrow=False),
        Column("time", 8, _instant("timestamp"), Format.CLOCK, right=True, narrow=False),
    ),
    title=_named(_speaker, "id"),
    problem=_unreadable,
)

# Tool calls


def _call_problem(record: Record) -> str | None:
    error = message_of(mapping(record.get("result")).get("error"))
    return error or name_of(record.get("reason")) or _unreadable(record)


def _call_duration(record: Record) -> int | None:
    started, finished = instant_of(record.get("startedAt")), instant_of(record.get("finishedAt"))
    return None if started is None or finished is None else finished - started


CALLS = RecordTable(
    (
        Column("tool", 16, "name", tone=Tone.TEXT, grows=True),
        Column("status", 8, "status", Format.STATUS),
        Column("took", 8, _call_duration, Format.DURATION, right=True),
        Column("progress", 8, _added("progress"), Format.COUNT, right=True, narrow=False),
        Column("started", 8, _instant("startedAt"), Format.CLOCK, right=True, narrow=False),
        Column("call", 9, "toolCallId", from_end=True, narrow=False),
    ),
    title=_named("name", "toolCallId"),
    problem=_call_problem,
    status="status",
    statuses=TOOL_STATUS,
)

# Usage


def _cost(record: Record) -> object:
    usage = mapping(record.get("usage"))
    cost = usage.get("cost")
    return None if cost is None else f"{cost} {usage.get('currency') or ''}".rstrip()


USAGE = RecordTable(
    (
        Column("scope", 13, "scope", tone=Tone.TEXT, grows=True),
        Column("turn", 4, "turn", Format.COUNT, right=True),
        Column("attempt", 7, "attempt", Format.COUNT, right=True, narrow=False),
        Column("input", 7, _used("inputTokens"), Format.TOKENS, right=True),
        Column("output", 7, _used("outputTokens"), Format.TOKENS, right=True),
        Column("cache read", 10, _used("cacheReadTokens"), Format.TOKENS, right=True, narrow=False),
        Column("cost", 12, _cost, right=True),
        Column("time", 8, _instant("recordedAt"), Format.CLOCK, right=True, narrow=False),
    ),
    title=_named("scope", "id"),
    problem=_unreadable,
)

# Feedback, checkpoints and leases

FEEDBACK = RecordTable(
    (
        Column("rating", 6, "rating", right=True),
        Column("comment", 24, "comment", tone=Tone.TEXT, grows=True),
        Column("by", 12, "createdBy", narrow=False),
        Column("time", 8, _instant("createdAt"), Format.CLOCK, right=True, narrow=False),
    ),
    title="id",
    problem=_unreadable,
)

CHECKPOINTS = RecordTable(
    (
        Column("of", 18, _added("of"), tone=Tone.TEXT, grows=True),
        Column("status", 10, _added("status"), Format.STATUS),
        Column("version", 7, "version", right=True),
        Column("updated", 8, _instant("updatedAt"), Format.CLOCK, right=True, narrow=False),
    ),
    title=_named(_added("of"), "key"),
    problem=_unreadable,
    status=_added("status"),
    statuses=NODE_STATUS,
)


def _lease_problem(record: Record) -> str | None:
    refused = mapping(record.get("inspector")).get("refused")
    return "Another worker has taken over; writes of this one are refused." if refused else None


LEASES = RecordTable(
    (
        Column("worker", 16, "ownerId", tone=Tone.TEXT, grows=True),
        Column("state", 8, _added("state"), Format.STATUS),
        Column("expires", 8, _instant("expiresAt"), Format.CLOCK, right=True),
        Column("fencing", 7, "fencingToken", right=True, narrow=False),
    ),
    title=lambda record: f"lease of {record.get('ownerId') or 'no worker'}",
    problem=_lease_problem,
    status=_added("state"),
    statuses=LEASE_STATUS,
)

PRESENTATION = Presentation(
    name=NAME,
    title="Prism",
    store_label=_store_label,
    tables={
        "entries": ENTRIES,
        "calls": CALLS,
        "usage": USAGE,
        "feedback": FEEDBACK,
        "checkpoints": CHECKPOINTS,
        "leases": LEASES,
    },
    event_table="event",
)
