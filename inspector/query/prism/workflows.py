"""The steps of a workflow or saga, read from its checkpoint.

Source: Prism 0.3.0, workflow checkpoints. Prism stores only the latest state, without edges, kinds
or timestamps of nodes. A saga is a workflow with a special id; its steps are in the metadata.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from inspector.derive.steps import StepTable
from inspector.model.status import Status
from inspector.model.step import Attempt, StepKind
from inspector.query.prism.cells import (
    JsonObject,
    mapping,
    message_of,
    name_of,
    sequence,
    whole_number,
)
from inspector.query.prism.row_summaries import Checkpoint

SAGA_PREFIX = "__prism_saga__/"


LAST_STATE = "last state, no history"
"""Shown as the mode of workflow runs."""


NODE_STATUS = {
    "pending": Status.PENDING,
    "ready": Status.PENDING,
    "running": Status.RUNNING,
    "suspended": Status.WAITING,
    "succeeded": Status.COMPLETED,
    "failed": Status.FAILED,
    "denied": Status.FAILED,
    "skipped": Status.SKIPPED,
    "aborted": Status.INTERRUPTED,
}


TOOL_STATUS = {
    "started": Status.RUNNING,
    "finished": Status.COMPLETED,
    "error": Status.FAILED,
    "blocked": Status.SKIPPED,
}


_NODE_FIELDS = (
    ("session", "sessionId"),
    ("leaf", "leafId"),
    ("run", "runId"),
    ("state_version", "stateVersionBefore"),
)


_MOST_ATTEMPTS = 1000


_TOOL_PREFIX = "wf_"


@dataclass(frozen=True, slots=True)
class Workflow:
    """A workflow's checkpoint with its decoded names."""

    checkpoint: Checkpoint
    workflow_id: str
    run_id: str
    saga: JsonObject
    """The saga's state; empty for a plain workflow."""

    @property
    def title(self) -> str:
        """The name of the workflow or saga."""
        if self.is_saga:
            return name_of(self.saga.get("sagaId")) or self.workflow_id.rpartition("/")[0]
        return self.workflow_id

    @property
    def is_saga(self) -> bool:
        """Whether this is a saga."""
        return self.workflow_id.startswith(SAGA_PREFIX)

    @property
    def lease_key(self) -> str:
        """The key of the lease that a worker holds while it runs this workflow."""
        return self.workflow_id.removeprefix(SAGA_PREFIX) if self.is_saga else self.checkpoint.key

    @property
    def parent_run(self) -> str | None:
        """The id of the run that this workflow is a node of."""
        metadata = mapping(self.checkpoint.value.get("metadata"))
        return name_of(metadata.get("parentRunId"))

    @property
    def source_run(self) -> str | None:
        """The id of the run that this one replays from one of its nodes."""
        return name_of(mapping(self.checkpoint.value.get("lineage")).get("sourceRunId"))

    @property
    def suspension(self) -> JsonObject:
        """The pending suspension: node, reason, data."""
        return mapping(self.checkpoint.value.get("suspension"))


def decoded_key(key: str) -> list[str]:
    """Split a checkpoint key into its URI-decoded parts."""
    return [unquote(part) for part in key.split("/")]


def workflow_of(checkpoint: Checkpoint) -> Workflow:
    """Return a checkpoint as a workflow; names come from its value, else from its key."""
    value = checkpoint.value
    parts = decoded_key(checkpoint.key)
    workflow_id = name_of(value.get("workflowId")) or parts[0]
    run_id = name_of(value.get("runId")) or parts[-1]
    saga = mapping(mapping(value.get("metadata")).get("sagaState"))
    return Workflow(checkpoint, workflow_id, run_id, saga)


@dataclass(frozen=True, slots=True)
class ToolTrack:
    """One tool call joined from its rows. Instants in UTC ms."""

    call: str
    name: str
    status: str | None
    started_at: int | None
    finished_at: int | None
    error: str | None
    reason: str | None
    rows: int


def workflow_steps(workflow: Workflow, tools: Iterable[ToolTrack]) -> StepTable:
    """Return the steps: nodes with their tool calls, or saga steps with their compensations."""
    steps = StepTable()
    if workflow.saga:
        _saga_steps(steps, workflow.saga)
    else:
        nodes = _node_steps(steps, workflow)
        _tool_steps(steps, nodes, tools)
    return steps


def _node_steps(steps: StepTable, workflow: Workflow) -> dict[str, int]:
    found: dict[str, int] = {}
    value = workflow.checkpoint.value
    ready = {name for name in map(name_of, sequence(value.get("readyNodeIds")))}
    for name, node in mapping(value.get("nodes")).items():
        fields = mapping(node)
        number = _node(steps, name, fields, name_of(fields.get("status")))
        found[name] = number
        ref = steps.more(number).ref
        for key, field in _NODE_FIELDS:
            if fields.get(field) is not None:
                ref[key] = fields[field]
        if name in ready:
            ref["ready"] = True
        if workflow.suspension.get("nodeId") == name:
            ref["reason"] = name_of(workflow.suspension.get("reason"))
    return found


def _node(steps: StepTable, name: str, fields: JsonObject, raw: str | None) -> int:
    status = NODE_STATUS.get(raw, Status.UNKNOWN) if raw is not None else Status.UNKNOWN
    number = steps.add(-1, StepKind.NODE, name, status, raw, 0)
    steps.segment[number] = name
    extra = steps.more(number)
    extra.ref["node"] = name
    extra.error = message_of(fields.get("error"))
    attempt = whole_number(fields.get("attempt") or fields.get("attempts"))
    if attempt is not None:
        extra.ref["attempt"] = attempt
        before = range(1, min(attempt, _MOST_ATTEMPTS))
        # Only the number of earlier attempts is recorded.
        extra.attempts = [
            *(Attempt(n, Status.UNKNOWN) for n in before),
            Attempt(attempt, status, raw, extra.error),
        ]
    return number


def _tool_steps(steps: StepTable, nodes: Mapping[str, int], tools: Iterable[ToolTrack]) -> None:
    used: dict[tuple[int, str], int] = {}
    for track in tools:
        parent = nodes.get(_node_of(track.call), -1)
        status = TOOL_STATUS.get(track.status or "", Status.UNKNOWN)
        number = steps.add(parent, StepKind.TOOL_CALL, track.name, status, track.status, 0)
        steps.segment[number] = track.call
        again = used[parent, track.call] = used.get((parent, track.call), 0) + 1
        if again > 1:
            steps.repeats[number] = f"#{again}"
        for column, moment in ((steps.started, track.started_at), (steps.ended, track.finished_at)):
            if moment is not None:
                column[number] = moment
                steps.stretch(number, moment)
        extra = steps.more(number)
        extra.error = track.error
        extra.ref.update(tool_call_id=track.call, reason=track.reason)


def _node_of(call: str) -> str:
    """Return the node of a workflow's tool call, whose id is `wf_<node>_<uuid>`."""
    if not call.startswith(_TOOL_PREFIX):
        return ""
    return call.removeprefix(_TOOL_PREFIX).rpartition("_")[0]


def _saga_steps(steps: StepTable, saga: JsonObject) -> None:
    listed = mapping(saga.get("steps"))
    order = [name for name in map(name_of, sequence(saga.get("stepIds"))) if name in listed]
    names = [name for name in order if name is not None]
    for name in [*names, *(other for other in listed if other not in order)]:
        fields = mapping(listed[name])
        number = _node(steps, name, fields, name_of(fields.get("status")))
        undone = name_of(fields.get("compensationStatus"))
        if undone is None:
            continue
        status = NODE_STATUS.get(undone, Status.UNKNOWN)
        undoing = steps.add(number, StepKind.NODE, f"undo {name}", status, undone, 0)
        steps.segment[undoing] = "undo"
        steps.more(undoing).ref.update(
            node=name, compensation=True, attempt=whole_number(fields.get("compensationAttempts"))
        )
