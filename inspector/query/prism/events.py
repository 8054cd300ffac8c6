"""Parse rows of `prism_agent_events` into small facts. Pure.

Source: Prism 0.3.0, the `AgentEvent` types. A fact keeps only what the timeline needs; contents
stay in the database.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from inspector.query.prism.cells import (
    JsonObject,
    Malformed,
    instant_of,
    json_of,
    mapping,
    message_of,
    name_of,
    sequence,
    text_of,
    whole_number,
)

Row = tuple[int, object, object, object, object]
"""rowid, sequence, type, timestamp and event; event is None where its content is not needed."""

DELTA = "message_delta"
"""The event type that occurs by the thousand; its content is not needed here."""

BARE = ("agent_started", "agent_resumed", "message_started", "turn_finished")
"""Event types of which only the occurrence matters."""

MOST_APPROVALS = 50
LONGEST = 500
"""Maximum characters of a text in a fact."""

USAGE_FIELDS = frozenset(
    {
        "inputTokens",
        "outputTokens",
        "totalTokens",
        "cacheReadTokens",
        "cacheWriteTokens",
        "cost",
        "currency",
    }
)


@dataclass(slots=True)
class Fact:
    """One parsed event. Absent fields are None."""

    kind: str
    at: int | None
    turn: int | None = None
    attempt: int | None = None
    call: str | None = None
    """The id of a tool call."""
    name: str | None = None
    """Name of a tool, guardrail or model."""
    error: str | None = None
    reason: str | None = None
    malformed: bool = False
    detail: dict[str, Any] = field(default_factory=dict)
    """Goes into the step's `ref`."""


def read_fact(row: Row) -> Fact:
    """Parse one row. Undocumented content is ignored; never raises."""
    _, _, kind, timestamp, event = row
    fact = Fact(kind if type(kind) is str else text_of(kind), instant_of(timestamp))
    if event is None:
        return fact
    try:
        payload = mapping(json_of(event))
    except Malformed:
        fact.malformed = True
        return fact
    if "error" in payload:
        fact.error = _short(message_of(payload["error"]))
    read = _READERS.get(fact.kind)
    if read is not None:
        read(fact, payload)
    return fact


def _short(text: str | None) -> str | None:
    return text if text is None or len(text) <= LONGEST else text[:LONGEST] + "…"


def _turn(fact: Fact, payload: JsonObject) -> None:
    fact.turn = whole_number(payload.get("turn"))


def _provider_turn(fact: Fact, payload: JsonObject) -> None:
    metadata = mapping(payload.get("metadata"))
    model = mapping(metadata.get("model"))
    fact.attempt = whole_number(metadata.get("attempt"))
    fact.name = name_of(model.get("model"))
    detail = fact.detail
    provider = name_of(metadata.get("providerId")) or name_of(model.get("provider"))
    if provider is not None:
        detail["provider"] = provider
    if fact.name is not None:
        detail["model"] = fact.name


def _provider_turn_end(fact: Fact, payload: JsonObject) -> None:
    _provider_turn(fact, payload)
    metadata, detail = mapping(payload.get("metadata")), fact.detail
    for name, field_ in (("latency_ms", "latencyMs"), ("http_status", "httpStatus")):
        number = whole_number(metadata.get(field_))
        if number is not None:
            detail[name] = number
    request = name_of(metadata.get("requestId"))
    if request is not None:
        detail["request_id"] = _short(request)
    usage = usage_of(payload.get("usage"))
    if usage:
        detail["usage"] = usage


def usage_of(value: object) -> dict[str, object]:
    """Return the documented fields of a usage object that are numbers or strings."""
    return {
        name: one
        for name, one in mapping(value).items()
        if name in USAGE_FIELDS
        and isinstance(one, int | float | str)
        and one is not True
        and one is not False
    }


def _tool_call(fact: Fact, payload: JsonObject) -> None:
    call = mapping(payload.get("call"))
    fact.call, fact.name = name_of(call.get("id")), name_of(call.get("name"))
    _duration(fact, payload)


def _tool_result(fact: Fact, payload: JsonObject) -> None:
    result = mapping(payload.get("result"))
    fact.call, fact.name = name_of(result.get("toolCallId")), name_of(result.get("name"))
    if "error" in result:
        fact.error = _short(message_of(result["error"]))
    child = name_of(mapping(payload.get("metadata")).get("childRunId"))
    if child is not None:
        fact.detail["child_run"] = child
    _duration(fact, payload)


def _tool_named(fact: Fact, payload: JsonObject) -> None:
    fact.call, fact.name = name_of(payload.get("toolCallId")), name_of(payload.get("name"))
    fact.reason = _short(name_of(payload.get("reason")))
    _duration(fact, payload)


def _duration(fact: Fact, payload: JsonObject) -> None:
    duration = whole_number(mapping(payload.get("metadata")).get("durationMs"))
    if duration is not None:
        fact.detail["duration_ms"] = duration


def _interruption(fact: Fact, payload: JsonObject) -> None:
    interruption = mapping(payload.get("interruption"))
    fact.reason = _short(name_of(interruption.get("reason")))
    fact.call, fact.name = (
        name_of(interruption.get("toolCallId")),
        name_of(interruption.get("toolName")),
    )
    fact.detail = {
        "version": whole_number(payload.get("version")),
        "waits_for": name_of(interruption.get("kind")),
        "approvals": approvals_of(interruption),
    }


def approvals_of(interruption: JsonObject) -> list[dict[str, str | None]]:
    """Return the pending decisions: approval id, tool call, tool and reason."""
    found = []
    for one in map(mapping, sequence(interruption.get("pendingDecisions"))[:MOST_APPROVALS]):
        found.append(
            {
                "approval_id": name_of(one.get("approvalId")),
                "tool_call_id": name_of(one.get("toolCallId")),
                "tool": name_of(mapping(one.get("scope")).get("toolName")),
                "reason": _short(name_of(one.get("reason"))),
            }
        )
    return found


def _guardrail(fact: Fact, payload: JsonObject) -> None:
    record = mapping(payload.get("record"))
    fact.name = name_of(record.get("guardrail"))
    fact.reason = _short(name_of(record.get("reason")))
    fact.detail = {
        "action": name_of(record.get("action")),
        "stage": name_of(record.get("stage")),
    }


def _breach(fact: Fact, payload: JsonObject) -> None:
    breach = mapping(payload.get("breach"))
    fact.name = name_of(breach.get("limit"))
    fact.detail = {
        "limit": fact.name,
        "maximum": whole_number(breach.get("maximum")),
        "observed": whole_number(breach.get("observed")),
    }


def _agent_finished(fact: Fact, payload: JsonObject) -> None:
    fact.reason = _short(name_of(payload.get("finishReason")))


def _retry(fact: Fact, payload: JsonObject) -> None:
    delay = whole_number(payload.get("delayMs"))
    if delay is not None:
        fact.detail["retry_delay_ms"] = delay


def _artifact(fact: Fact, payload: JsonObject) -> None:
    fact.turn = whole_number(payload.get("turn"))
    fact.attempt = whole_number(payload.get("attempt"))
    result = mapping(payload.get("result"))
    valid = next(
        (result[key] for key in ("valid", "ok", "success") if isinstance(result.get(key), bool)),
        None,
    )
    fact.detail["valid"] = valid
    if "error" in result:
        fact.error = _short(message_of(result["error"]))
    fact.reason = _short(name_of(result.get("reason")) or name_of(result.get("feedback")))


def _message(fact: Fact, payload: JsonObject) -> None:
    message = mapping(payload.get("message"))
    fact.name = name_of(message.get("role"))
    blocks = map(mapping, sequence(message.get("content"))[:MOST_APPROVALS])
    calls = [name_of(one.get("id")) for one in blocks if one.get("type") == "tool_call"]
    fact.detail["calls"] = [call for call in calls if call is not None]


_Reader = Callable[[Fact, JsonObject], None]

_READERS: dict[str, _Reader] = {
    "provider_turn_started": _provider_turn,
    "provider_turn_finished": _provider_turn_end,
    "turn_started": _turn,
    "tool_execution_started": _tool_call,
    "tool_execution_error": _tool_call,
    "tool_execution_finished": _tool_result,
    "tool_execution_progress": _tool_named,
    "tool_execution_blocked": _tool_named,
    "delegated_agent_step": _tool_named,
    "agent_suspended": _interruption,
    "agent_denied": _interruption,
    "agent_finished": _agent_finished,
    "guardrail_decision": _guardrail,
    "run_limit_exceeded": _breach,
    "retry_scheduled": _retry,
    "artifact_validation_started": _artifact,
    "artifact_validation_finished": _artifact,
    "artifact_revision_started": _artifact,
    "artifact_finished": _artifact,
    "artifact_failed": _artifact,
    "message_finished": _message,
}
