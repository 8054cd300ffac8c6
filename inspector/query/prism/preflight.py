"""The plan for resuming a Prism run. Pure.

Source: Prism 0.3.0. No Prism command resumes a stored run: the code of its agent or workflow lives
in a host. So a command exists only if the user's settings provide one, or as a request to a server
that the host may have mounted (`POST {base}/agents/{id}/runs/{runId}/resume`).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

from inspector.model.clock import rfc3339
from inspector.model.preflight import Caution, Decision, PreFlight, refused
from inspector.model.run import Run
from inspector.model.status import Status
from inspector.query.prism.cells import JsonObject, mapping, name_of
from inspector.query.prism.position import (
    agent_position,
    approval_ids,
    is_dispatched,
    workflow_position,
)
from inspector.query.prism.row_summaries import Checkpoint, Lease, RunSummary
from inspector.query.prism.workflows import Workflow
from inspector.text.numbers import age
from inspector.text.parse_time import parse_instant

APPROVE, DENY = "approve", "deny"
BATCH_OUTCOMES = {APPROVE: "allow_once", DENY: "reject_once"}
"""Decision → outcome of each of several approvals."""
MOST_NAMED = 12
_TYPEABLE = re.compile(r"[!-~]{1,80}")
_JUDGED = "Check the checkpoint and the run's row afterwards; the host's exit code is not reliable."


@dataclass(frozen=True, slots=True)
class AgentInput:
    """What the plan of an agent run is built from."""

    run: Run
    summary: RunSummary | None
    checkpoint: Checkpoint | None
    now: int


@dataclass(frozen=True, slots=True)
class WorkflowInput:
    """What the plan of a workflow is built from."""

    run: Run
    workflow: Workflow
    lease: Lease | None
    now: int


def agent_preflight(given: AgentInput) -> PreFlight:
    """Return the plan of an agent run."""
    run, summary, checkpoint = given.run, given.summary, given.checkpoint
    record = dict(_agent_record(summary, checkpoint))
    liveness = _silence_text(run, given.now) + "; agent runs hold no lease"
    reason = _agent_refusal(run, summary, checkpoint)
    if reason is not None or checkpoint is None:
        reason = reason or "no checkpoint"
        return refused(run.key, reason, record=record, outcome=run.status, liveness=liveness)
    position, value = agent_position(checkpoint.value), checkpoint.value
    deadline = parse_instant(value.get("deadlineAt"))
    approvals = approval_ids(value)
    agent = name_of(value.get("agentId"))
    fills = {
        "run_id": run.run_id or "",
        "session_id": (summary.session if summary is not None else None) or "",
        "expected_version": "" if checkpoint.version is None else str(checkpoint.version),
        "approval_id": approvals[0] if len(approvals) == 1 else "",
    }
    several = len(approvals) > 1
    return PreFlight(
        run_key=run.key,
        resumable=True,
        reason=None,
        position=position,
        stands=f"a decision on {_list_names(position.rerun) or 'the run'},"
        f" checkpoint version {checkpoint.version}",
        done=tuple(f"{name}: decided" for name in position.keep),
        will_run=(f"on approval: {_list_names(position.rerun) or 'the rest of the run'}",),
        warnings=tuple(_agent_warnings(run, value, several, deadline, given.now)),
        needs=(f"a host with the unchanged agent {agent or '?'}",),
        fills=fills,
        folder=_folder(run.store.path),
        liveness=liveness,
        decisions=tuple(_agent_decisions(run, checkpoint, approvals, agent, deadline, given.now)),
        deadline=deadline,
        judged=_JUDGED,
        record=record,
        outcome=run.status,
    )


def _agent_record(
    summary: RunSummary | None, checkpoint: Checkpoint | None
) -> Iterator[tuple[str, str]]:
    yield "run", (summary.status if summary is not None else None) or "not recorded"
    if checkpoint is None:
        yield "checkpoint", "none"
    else:
        yield "checkpoint", f"{checkpoint.status or 'unreadable'}, version {checkpoint.version}"


def _agent_refusal(
    run: Run, summary: RunSummary | None, checkpoint: Checkpoint | None
) -> str | None:
    if run.status is Status.COMPLETED:
        return "the run succeeded; nothing to resume"
    if checkpoint is None:
        said = None if summary is None else summary.status
        if said in ("running", "queued"):
            return (
                "no checkpoint: an agent's state is kept only while it waits, so a killed run"
                " cannot be resumed; start a new run in its session"
            )
        return "no checkpoint, so there is no state to resume from"
    if not checkpoint.readable:
        return "the checkpoint is not readable"
    word = checkpoint.status
    if word == "running":
        if is_dispatched(checkpoint.value):
            return (
                "a call was dispatched after its approval and never ended, so neither approve nor"
                " deny is accepted; resolve it on the host"
            )
        return "the checkpoint says running; no decision is accepted until it waits"
    if word != "suspended":
        return f"the checkpoint says {word or 'nothing'}; the run is over"
    if is_dispatched(checkpoint.value):
        return "a call is already dispatched; no decision is accepted"
    return None


def _agent_warnings(
    run: Run, value: JsonObject, several: bool, deadline: int | None, now: int
) -> Iterator[Caution]:
    if deadline is not None and deadline <= now:
        yield Caution(
            "deadline_passed",
            f"The deadline passed {age(now - deadline)} ago: approving now fails the run"
            " permanently; denying still works.",
        )
    elif deadline is not None:
        yield Caution(
            "deadline",
            f"Approve before {rfc3339(deadline)}; approving late fails the run permanently.",
        )
    if several:
        yield Caution("several", "Several calls are pending; the decision applies to all of them.")
    yield Caution("arguments", "Check the arguments of the calls before you approve them.")
    revision = name_of(value.get("definitionRevision"))
    yield Caution(
        "fingerprint",
        f"Needs the same agent revision ({revision or '?'}).",
    )
    yield from _store_warnings(run)


def _agent_decisions(
    run: Run,
    checkpoint: Checkpoint,
    approvals: list[str],
    agent: str | None,
    deadline: int | None,
    now: int,
) -> Iterator[Decision]:
    for word in (APPROVE, DENY):
        why = None
        if word == APPROVE and deadline is not None and deadline <= now:
            why = "the deadline has passed; approving fails the run permanently"
        body: dict[str, object] = {"decision": word}
        if len(approvals) > 1:
            body = {
                "decisions": [
                    {"approvalId": one, "outcome": BATCH_OUTCOMES[word]} for one in approvals
                ]
            }
        body["expectedVersion"] = checkpoint.version
        yield Decision(word, why, _request("agents", agent, run.run_id, body))


def workflow_preflight(given: WorkflowInput) -> PreFlight:
    """Return the plan of a workflow or saga."""
    run, workflow, lease, now = given.run, given.workflow, given.lease, given.now
    checkpoint = workflow.checkpoint
    record = {
        "checkpoint": f"{checkpoint.status or checkpoint.category or 'unreadable'},"
        f" version {checkpoint.version}"
    }
    own = name_of(workflow.saga.get("status"))
    if own is not None:
        record["saga"] = own
    liveness = _lease_text(lease, run, now)
    reason = _workflow_refusal(run, workflow, lease, now)
    if reason is not None:
        return refused(run.key, reason, record=record, outcome=run.status, liveness=liveness)
    nodes = workflow.saga.get("steps") if workflow.saga else checkpoint.value.get("nodes")
    position = workflow_position(mapping(nodes), name_of(workflow.suspension.get("nodeId")))
    waits = run.status is Status.WAITING
    version = "" if checkpoint.version is None else str(checkpoint.version)
    return PreFlight(
        run_key=run.key,
        resumable=True,
        reason=None,
        position=position,
        stands=_workflow_position_text(workflow, position.step),
        done=(f"nodes {_list_names(position.keep)}",) if position.keep else (),
        will_run=tuple(_nodes_to_run(position.step, position.rerun)),
        warnings=tuple(_workflow_warnings(run, workflow, waits)),
        needs=("a host with the same workflow definition",),
        fills={
            "run_id": workflow.run_id,
            "workflow_id": workflow.workflow_id,
            "expected_version": version,
        },
        folder=_folder(run.store.path),
        liveness=liveness,
        confirm=_confirmation(run) if run.status is Status.RUNNING and lease is None else None,
        decisions=tuple(_workflow_decisions(workflow)) if waits else (),
        judged=_JUDGED,
        record=record,
        outcome=run.status,
    )


def _workflow_refusal(run: Run, workflow: Workflow, lease: Lease | None, now: int) -> str | None:
    if lease is not None and lease.state(now) == "active":
        until = rfc3339(lease.expires_at)
        return f"{lease.owner or 'a worker'} holds the lease until {until} and is running it"
    if not workflow.checkpoint.readable:
        return "the checkpoint is not readable"
    word = workflow.checkpoint.status or workflow.checkpoint.category
    if word == "succeeded":
        return "the run succeeded; nothing to resume"
    if word == "denied":
        return "the run was denied and is over"
    if word == "queued":
        return "the run is queued; a coordinator will start it"
    if word not in ("suspended", "running", "failed", "aborted"):
        return f"the checkpoint has an unknown status: {word or 'none'}"
    return None


def _workflow_position_text(workflow: Workflow, waits: str | None) -> str:
    version = f"checkpoint version {workflow.checkpoint.version}"
    if waits is not None:
        reason = name_of(workflow.suspension.get("reason"))
        return f"a decision at node {waits}{f': {reason}' if reason else ''}, {version}"
    return f"{workflow.checkpoint.status or workflow.checkpoint.category}, {version}"


def _nodes_to_run(waits: str | None, others: tuple[str, ...]) -> Iterator[str]:
    if waits is not None:
        yield f"node {waits} with the decision"
    if others:
        yield f"{'then ' if waits is not None else ''}nodes {_list_names(others)}"
    yield "then the rest of the workflow"


def _workflow_warnings(run: Run, workflow: Workflow, waits: bool) -> Iterator[Caution]:
    if not waits:
        yield Caution(
            "may_repeat",
            "Nodes that were running, failed or aborted run again, including their side effects.",
        )
    if run.parent_key is not None or workflow.parent_run is not None:
        yield Caution(
            "part_of",
            "This is a node of another run. Resume that run; it resumes this one.",
        )
    yield Caution("definition", "The host refuses if the hash of its definition differs.")
    yield Caution(
        "lease_unchecked",
        "A host that resumes it directly does not check leases: make sure that no worker starts it"
        " at the same time.",
    )
    yield from _store_warnings(run)


def _workflow_decisions(workflow: Workflow) -> Iterator[Decision]:
    for word in (APPROVE, DENY):
        body = {"decision": word, "expectedVersion": workflow.checkpoint.version}
        yield Decision(
            word, None, _request("workflows", workflow.workflow_id, workflow.run_id, body)
        )


def _lease_text(lease: Lease | None, run: Run, now: int) -> str:
    if lease is None:
        return f"{_silence_text(run, now)}; no lease recorded"
    state = lease.state(now)
    if state == "active":
        return f"alive, {lease.owner or 'a worker'} holds its lease"
    since = "" if lease.expires_at is None else f" {age(now - lease.expires_at)} ago"
    how = "was released" if state == "released" else "expired"
    return f"no worker; the lease of {lease.owner or 'its worker'} {how}{since}"


def _silence_text(run: Run, now: int) -> str:
    if run.last_activity_at is None:
        return "unknown, write time unknown"
    return f"unknown, nothing written for {age(now - run.last_activity_at)}"


def _store_warnings(run: Run) -> Iterator[Caution]:
    """Warn about databases that Prism refuses to open."""
    if run.store.verdict not in (None, "verified_current", "verified_older"):
        note = f" {run.store.verdict_note}" if run.store.verdict_note else ""
        yield Caution("store", f"The database is {run.store.verdict}.{note}".replace("_", " "))


def _request(kind: str, name: str | None, run_id: str | None, body: JsonObject) -> str:
    """Format a request; names are percent-encoded."""
    place = f"{kind}/{_encoded(name)}/runs/{_encoded(run_id)}/resume"
    content = json.dumps(body, ensure_ascii=True)
    return f"POST {{base}}/{place}\nContent-Type: application/json\n\n{content}"


def _encoded(name: str | None) -> str:
    return quote(name or "", safe="", errors="replace")


def _folder(path: str) -> str:
    """Return the project folder of the database, where a configured command starts."""
    folder = os.path.dirname(path)
    return os.path.dirname(folder) if os.path.basename(folder) == ".prism" else folder


def _confirmation(run: Run) -> str:
    return run.run_id if run.run_id and _TYPEABLE.fullmatch(run.run_id) else "resume"


def _list_names(names: tuple[str, ...]) -> str:
    more = len(names) - MOST_NAMED
    shown = ", ".join(names[:MOST_NAMED])
    return f"{shown} and {more} more" if more > 0 else shown
