"""Where a resumed run continues: the pending approval, or the nodes still to run. Pure.

Source: Prism 0.3.0, durable agent runs and workflow checkpoints.
"""

from __future__ import annotations

from inspector.model.preflight import Position
from inspector.query.prism.cells import JsonObject, mapping, name_of, sequence
from inspector.query.prism.events import approvals_of

DISPATCHED = "dispatched"
OVER = ("succeeded", "skipped")
"""Nodes that do not run again. `completedNodeIds` also lists failed nodes, so it is not used."""


def agent_position(value: JsonObject) -> Position:
    """Return the approval that an agent run waits for, given its checkpoint's value."""
    calls = [mapping(one) for one in sequence(value.get("pendingCalls"))]
    decided = [call for call in calls if mapping(call.get("decision"))]
    return Position(
        kind="approval",
        action="decide",
        keep=tuple(map(call_name, decided)),
        rerun=tuple(call_name(call) for call in calls if not mapping(call.get("decision"))),
    )


def call_name(call: JsonObject) -> str:
    """Return a pending call as its tool name and id."""
    fields = mapping(call.get("call"))
    return f"{name_of(fields.get('name')) or 'a tool'} {name_of(fields.get('id')) or ''}".rstrip()


def is_dispatched(value: JsonObject) -> bool:
    """Return whether a call was dispatched and no end was recorded."""
    calls = map(mapping, sequence(value.get("pendingCalls")))
    return any(one.get("status") == DISPATCHED for one in calls)


def approval_ids(value: JsonObject) -> list[str]:
    """Return the ids of the requested approvals."""
    asked = approvals_of(mapping(value.get("interruption")))
    return [one["approval_id"] for one in asked if one["approval_id"]]


def workflow_position(nodes: JsonObject, waits: str | None) -> Position:
    """Return which nodes (or saga steps) are kept and which run, possibly again.

    `waits` is the node that waits for a decision.
    """
    statuses = {name: name_of(mapping(node).get("status")) for name, node in nodes.items()}
    return Position(
        kind="approval" if waits is not None else "nodes",
        action="decide" if waits is not None else "continue",
        keep=tuple(name for name, word in statuses.items() if word in OVER),
        rerun=tuple(name for name, word in statuses.items() if word not in OVER and name != waits),
        step=waits,
    )
