"""Rules for the status of runs, and the findings about them.

Source: Prism 0.3.0. The row of a denied run keeps saying `suspended`; a suspended run has an end
time; a run that hit its turn limit says `succeeded`; a killed run says `running`, like a live one.
Only workflow workers hold leases: whether a plain run is alive is unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC

from inspector.model.run import Finding
from inspector.model.status import Status
from inspector.query.prism.cells import JsonObject, mapping, message_of, name_of, sequence
from inspector.query.prism.events import approvals_of
from inspector.query.prism.row_summaries import Checkpoint, Lease, RunSummary
from inspector.query.prism.workflows import Workflow
from inspector.text.numbers import age, duration, instant
from inspector.text.parse_time import parse_instant

RUN_STATUS = {
    "queued": Status.PENDING,
    "running": Status.RUNNING,
    "suspended": Status.WAITING,
    "denied": Status.FAILED,
    "succeeded": Status.COMPLETED,
    "failed": Status.FAILED,
    "aborted": Status.INTERRUPTED,
}
QUIET_MS = 15 * 60_000
"""Model calls may take minutes, so shorter silences are not reported."""


def run_status(summary: RunSummary, checkpoint: Checkpoint | None, denied: bool) -> Status:
    """Return the status of an agent run; `denied` if its events report a denial."""
    said = summary.status
    if said == "suspended" and (denied or _is_denied(checkpoint)):
        return Status.FAILED
    return RUN_STATUS.get(said, Status.UNKNOWN) if said is not None else Status.UNKNOWN


def _is_denied(checkpoint: Checkpoint | None) -> bool:
    return checkpoint is not None and checkpoint.status == "denied"


def run_findings(
    summary: RunSummary,
    status: Status,
    checkpoint: Checkpoint | None,
    last_activity_at: int | None,
    now: int,
) -> Iterator[Finding]:
    """Yield findings from the rows of an agent run, without its events."""
    if status is Status.UNKNOWN:
        word = "no status" if summary.status is None else f"the unknown status {summary.status!r}"
        yield Finding("unknown_status", f"The run has {word}.", "run")
    if summary.status == "suspended" and status is Status.FAILED:
        yield Finding(
            "denied",
            "The row says suspended, but the run was denied; Prism does not update the row.",
            "run",
        )
    elif status is Status.WAITING:
        yield from _approval_findings(checkpoint, now)
    if (summary.abort_reason or "").startswith("RunLimitError"):
        yield Finding("limit_exceeded", f"{_sentence(summary.abort_reason or '')}", "run")
    if checkpoint is not None:
        yield from _stuck_finding(checkpoint)
    yield from quiet_finding(status, last_activity_at, now)
    for column in summary.unreadable:
        yield Finding("damaged", f"The run's {column} is not valid JSON.", "run")


def _sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."


def _approval_findings(checkpoint: Checkpoint | None, now: int) -> Iterator[Finding]:
    """Report the pending approval and its deadline."""
    if checkpoint is None:
        yield Finding(
            "not_resumable",
            "The run waits but has no checkpoint, so it cannot be resumed.",
            "run",
        )
        return
    wanted = _pending_tools(mapping(checkpoint.value.get("interruption")))
    note = "The end time in its row is the time of suspension."
    deadline = parse_instant(checkpoint.value.get("deadlineAt"))
    if deadline is None:
        yield Finding("approval", f"Waiting for a decision on {wanted}. {note}", "run")
        return
    moment = instant(deadline, UTC)
    if deadline > now:
        left = duration(deadline - now).strip()
        yield Finding(
            "approval_deadline",
            f"Waiting for a decision on {wanted}: approve within {left}, before {moment} UTC;"
            f" approving late fails the run permanently. {note}",
            "run",
        )
    else:
        yield Finding(
            "deadline_passed",
            f"Waiting for a decision on {wanted}, but the deadline passed at {moment} UTC"
            f" ({age(now - deadline)} ago): approving now fails the run permanently, denying still"
            f" works. {note}",
            "run",
        )


def _pending_tools(interruption: JsonObject) -> str:
    tools = [one["tool"] or "a tool" for one in approvals_of(interruption)]
    if not tools:
        return name_of(interruption.get("toolName")) or name_of(interruption.get("kind")) or "it"
    return ", ".join(tools[:5]) + (f" and {len(tools) - 5} more" if len(tools) > 5 else "")


def _stuck_finding(checkpoint: Checkpoint) -> Iterator[Finding]:
    """Report a call dispatched after approval without an end: no decision is accepted any more."""
    calls = map(mapping, sequence(checkpoint.value.get("pendingCalls")))
    if checkpoint.status == "running" and any(one.get("status") == "dispatched" for one in calls):
        yield Finding(
            "stuck_dispatched",
            "A call was dispatched after its approval and never ended; unless it is still running,"
            " neither approve nor deny is accepted.",
            "run",
        )


def quiet_finding(status: Status, last_activity_at: int | None, now: int) -> Iterator[Finding]:
    """Report a run that says running and has written nothing for QUIET_MS."""
    if status is not Status.RUNNING or last_activity_at is None:
        return
    silent = now - last_activity_at
    if silent >= QUIET_MS:
        yield Finding("quiet", f"Nothing written for {age(silent)}; liveness unknown.")


def workflow_status(workflow: Workflow) -> tuple[Status, str | None]:
    """Return status and raw word of a workflow: its checkpoint's status, else its category."""
    raw = workflow.checkpoint.status or workflow.checkpoint.category
    return (RUN_STATUS.get(raw, Status.UNKNOWN) if raw is not None else Status.UNKNOWN), raw


def workflow_findings(
    workflow: Workflow, status: Status, lease: Lease | None, now: int
) -> Iterator[Finding]:
    """Yield findings from a checkpoint and its lease."""
    checkpoint = workflow.checkpoint
    if not checkpoint.readable:
        yield Finding("damaged", "The checkpoint's value is not valid JSON.", "checkpoint")
    elif status is Status.UNKNOWN:
        yield Finding("unknown_status", "The checkpoint has no known status.", "checkpoint")
    inner = checkpoint.status
    if inner is not None and checkpoint.category is not None and inner != checkpoint.category:
        yield Finding(
            "contradiction",
            f"The checkpoint's category is {checkpoint.category}, but its status is {inner}.",
            "checkpoint",
        )
    yield from _saga_finding(workflow, inner)
    if status is Status.WAITING:
        reason = name_of(workflow.suspension.get("reason")) or "a decision"
        node = name_of(workflow.suspension.get("nodeId"))
        where = f" at node {node}" if node else ""
        yield Finding("approval", f"Waiting{where}: {reason}.", node)
    yield from _lease_finding(status, lease, checkpoint, now)


def _saga_finding(workflow: Workflow, inner: str | None) -> Iterator[Finding]:
    own = name_of(workflow.saga.get("status"))
    if own is None or own == inner:
        return
    why = message_of(workflow.saga.get("lastError"))
    because = f" after {why!r}" if why else ""
    yield Finding(
        "saga_status",
        f"The saga is {own}{because}, but its checkpoint says {inner}.",
        "checkpoint",
    )


def _lease_finding(
    status: Status, lease: Lease | None, checkpoint: Checkpoint, now: int
) -> Iterator[Finding]:
    if status is not Status.RUNNING:
        return
    if lease is None:
        yield from quiet_finding(status, checkpoint.updated_at, now)
        return
    state = lease.state(now)
    if state == "active":
        return
    since = now - (lease.expires_at or now)
    worker = lease.owner or "its worker"
    how = "was released" if state == "released" else "expired"
    yield Finding(
        "lease_expired",
        f"The checkpoint says running, but the lease of {worker} {how} {age(since)} ago: no worker"
        " runs it, and any coordinator may take over.",
        "lease",
    )


def explain_lease(state: str, running: bool) -> str:
    """Explain the state of a lease: `active`, `expired`, `released` or `absent`."""
    if state == "active":
        return "Held and renewed by a worker: the run is alive."
    if state == "absent":
        return "Never held by a worker: liveness unknown."
    if running:
        return "Not held: any coordinator may take over the run."
    return "Not held, and no longer needed."


def _calls(count: int) -> str:
    if count == 1:
        return "1 requested tool call was"
    return f"{count} requested tool calls were"


def event_findings(
    summary: RunSummary | None,
    *,
    outcome: str | None,
    finish_reason: str | None,
    requested: Sequence[str],
    breaches: Sequence[JsonObject],
    last_step: str | None,
    settled: bool,
) -> Iterator[Finding]:
    """Yield findings from the events of an agent run; `settled` if none came for a while."""
    if finish_reason is not None and finish_reason.endswith("_limit"):
        left = f"; {_calls(len(requested))} never run" if requested else ""
        said = (
            ""
            if summary is None or summary.status is None
            else f"The row says {summary.status}, but "
        )
        yield Finding(
            "turn_limit",
            f"{said}the run stopped at its turn limit ({finish_reason}){left}.",
            last_step,
        )
    for breach in breaches[:10]:
        yield Finding(
            "limit_exceeded",
            f"{breach.get('limit')} exceeded: {breach.get('observed')} of at most"
            f" {breach.get('maximum')}.",
            f"event:{breach['event']}",
        )
    if summary is None or not settled:
        return
    if summary.status == "running" and outcome in ("finished", "denied", "error"):
        yield Finding(
            "contradiction",
            f"The row says running, but the last event says {outcome}.",
            last_step,
        )
