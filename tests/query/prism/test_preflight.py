"""Plans for resuming Prism runs: decisions, deadlines, leases, requests."""

from __future__ import annotations

import json
from typing import Any

import pytest

from inspector.model.preflight import PreFlight
from inspector.model.run import Run, RunKind
from inspector.model.status import Status
from inspector.model.store import Health, Store, WriteStyle
from inspector.query.prism.preflight import (
    AgentInput,
    WorkflowInput,
    agent_preflight,
    workflow_preflight,
)
from inspector.query.prism.row_summaries import Checkpoint, Lease, Owner, RunSummary
from inspector.query.prism.workflows import workflow_of

NOW = 1_795_982_700_000
LATER, EARLIER = "2026-11-29T20:06:13.787Z", "2026-11-29T20:00:00.000Z"
STORE = Store("/p/.prism/sessions.db", "prism", "8", WriteStyle.UPDATE, Health.OK, None,
              "verified_current")  # fmt: skip


def run_of(run_id: str, status: Status, **given: Any) -> Run:
    kind = given.pop("kind", RunKind.AGENT)
    return Run("k", kind, STORE, run_id, "t", status, None, last_activity_at=NOW - 60_000, **given)


def call(name: str, status: str = "ready", decided: bool = False) -> dict[str, Any]:
    told: dict[str, Any] = {"call": {"id": f"{name}1", "name": name}, "status": status}
    return {**told, "decision": {"outcome": "allow_once"}} if decided else told


def checkpoint(value: dict[str, Any], version: int | None = 3, key: str = "r") -> Checkpoint:
    return Checkpoint("prism.agent-run", key, version, None, None, Owner(), NOW, NOW, value)


def suspended(*calls: dict[str, Any], deadline: str | None = LATER, **more: Any) -> Checkpoint:
    asked = [{"approvalId": f"a{n}"} for n, one in enumerate(calls) if "decision" not in one]
    return checkpoint(
        {
            "status": "suspended",
            "agentId": "support/v1",
            "definitionRevision": "1",
            "deadlineAt": deadline,
            "pendingCalls": list(calls),
            "interruption": {"pendingDecisions": asked},
            **more,
        }
    )


def agent(
    found: Checkpoint | None, status: Status = Status.WAITING, said: str = "suspended"
) -> PreFlight:
    summary = RunSummary("r", "s-1", said, None, None, None, None, None, None, None, None, Owner())
    return agent_preflight(AgentInput(run_of("r", status), summary, found, NOW))


def bodies(flight: PreFlight) -> dict[str, Any]:
    return {
        one.word: json.loads((one.request or "").rpartition("\n")[2]) for one in flight.decisions
    }


def test_a_waiting_run_needs_a_decision_before_its_deadline() -> None:
    flight = agent(suspended(call("write")))
    assert flight.resumable
    assert flight.stands == "a decision on write write1, checkpoint version 3"
    assert flight.deadline == 1_795_982_773_787
    assert [one.why_not for one in flight.decisions] == [None, None]
    assert dict(flight.fills) == {
        "run_id": "r", "session_id": "s-1", "expected_version": "3", "approval_id": "a0",
    }  # fmt: skip
    assert flight.folder == "/p" and flight.confirm is None
    assert bodies(flight) == {
        "approve": {"decision": "approve", "expectedVersion": 3},
        "deny": {"decision": "deny", "expectedVersion": 3},
    }
    request = flight.decisions[0].request or ""
    assert request.startswith("POST {base}/agents/support%2Fv1/runs/r/resume\n")


def test_only_denying_is_possible_after_the_deadline() -> None:
    flight = agent(suspended(call("write"), deadline=EARLIER))
    approve, deny = flight.decisions
    assert approve.why_not is not None and "fails the run permanently" in approve.why_not
    assert deny.why_not is None and "deadline_passed" in {one.code for one in flight.warnings}


def test_a_decision_applies_to_all_approvals() -> None:
    flight = agent(suspended(call("a"), call("b", decided=True), call("c")))
    assert flight.done == ("b b1: decided",) and flight.fills["approval_id"] == ""
    assert bodies(flight)["deny"]["decisions"] == [
        {"approvalId": "a0", "outcome": "reject_once"},
        {"approvalId": "a2", "outcome": "reject_once"},
    ]
    assert "several" in {one.code for one in flight.warnings}


@pytest.mark.parametrize(
    ("found", "status", "said", "why"),
    [
        (None, Status.RUNNING, "running", "kept only while it waits"),
        (None, Status.FAILED, "failed", "no checkpoint"),
        (None, Status.COMPLETED, "succeeded", "the run succeeded"),
        (checkpoint({"status": "denied"}), Status.FAILED, "suspended", "denied; the run is over"),
        (checkpoint({"status": "running", "pendingCalls": [call("w", "dispatched")]}),
         Status.RUNNING, "running", "neither approve nor deny"),
        (checkpoint({"status": "running"}), Status.RUNNING, "running", "says running"),
        (suspended(call("w", "dispatched")), Status.WAITING, "suspended", "already dispatched"),
        (checkpoint({}), Status.WAITING, "suspended", "says nothing"),
    ],
)  # fmt: skip
def test_agent_runs_that_cannot_be_resumed(
    found: Checkpoint | None, status: Status, said: str, why: str
) -> None:
    flight = agent(found, status, said)
    assert not flight.resumable and flight.reason is not None and why in flight.reason
    assert flight.decisions == () and flight.prompt is None


def test_arguments_do_not_appear_in_a_plan() -> None:
    secret = {"call": {"id": "w1", "name": "write", "arguments": {"password": "hunter2"}}}
    flight = agent(suspended({**secret, "status": "ready"}))
    assert "hunter2" not in repr(flight)


NODES = {"nodes": {"a": {"status": "succeeded"}, "b": {"status": "running"}, "c": {}}}


def workflow(
    value: dict[str, Any],
    status: Status,
    lease: Lease | None = None,
    *,
    key: str = "review/w-1",
    **given: Any,
) -> PreFlight:
    row = Checkpoint("prism.workflow", key, 6, 1, None, Owner(), NOW, NOW, value)
    run = run_of("w-1", status, kind=RunKind.WORKFLOW, **given)
    return workflow_preflight(WorkflowInput(run, workflow_of(row), lease, NOW))


def lease(expires: int, updated: int) -> Lease:
    return Lease("prism.workflow.run", "review/w-1", "worker-1", 1, NOW, expires, updated)


def test_a_held_workflow_cannot_be_resumed() -> None:
    held = lease(NOW + 1, NOW - 10_000)
    flight = workflow({**NODES, "status": "running"}, Status.RUNNING, held)
    assert not flight.resumable and "worker-1 holds the lease" in (flight.reason or "")
    assert flight.liveness == "alive, worker-1 holds its lease"


def test_expired_released_and_absent_leases_are_distinguished() -> None:
    value = {**NODES, "status": "running"}
    ran_out = workflow(value, Status.RUNNING, lease(NOW - 60_000, NOW - 90_000))
    given_back = workflow(value, Status.RUNNING, lease(NOW - 60_000, NOW - 60_000))
    none = workflow(value, Status.RUNNING)
    assert ran_out.resumable and "expired 1 m ago" in (ran_out.liveness or "")
    assert given_back.resumable and "was released" in (given_back.liveness or "")
    assert none.resumable and "no lease recorded" in (none.liveness or "")
    assert (ran_out.confirm, given_back.confirm, none.confirm) == (None, None, "w-1")


def test_a_plan_names_the_nodes_that_run_again() -> None:
    flight = workflow({**NODES, "status": "failed"}, Status.FAILED)
    assert flight.done == ("nodes a",) and flight.will_run[0] == "nodes b, c"
    assert flight.decisions == () and flight.request is None
    assert "may_repeat" in {one.code for one in flight.warnings}
    assert dict(flight.fills) == {
        "run_id": "w-1", "workflow_id": "review", "expected_version": "6",
    }  # fmt: skip


def test_a_suspended_workflow_needs_a_decision() -> None:
    value = {**NODES, "status": "suspended", "suspension": {"nodeId": "c", "reason": "review"}}
    flight = workflow(value, Status.WAITING)
    assert flight.stands == "a decision at node c: review, checkpoint version 6"
    assert flight.will_run == (
        "node c with the decision",
        "then nodes b",
        "then the rest of the workflow",
    )
    assert bodies(flight)["approve"] == {"decision": "approve", "expectedVersion": 6}
    assert "part_of" not in {one.code for one in flight.warnings}
    nested = workflow(value, Status.WAITING, parent_key="prism:x#parent")
    assert "part_of" in {one.code for one in nested.warnings}


@pytest.mark.parametrize(
    ("word", "status", "why"),
    [
        ("succeeded", Status.COMPLETED, "the run succeeded"),
        ("denied", Status.FAILED, "the run was denied"),
        ("queued", Status.PENDING, "will start it"),
        ("odd", Status.UNKNOWN, "unknown status: odd"),
    ],
)
def test_workflows_that_cannot_be_resumed(word: str, status: Status, why: str) -> None:
    flight = workflow({**NODES, "status": word}, status)
    assert not flight.resumable and why in (flight.reason or "")


def test_a_plan_warns_of_a_database_that_prism_refuses() -> None:
    old = Store("/p/a.db", "prism", "4", WriteStyle.UPDATE, Health.OK, None,
                "legacy_genuine", "Prism says no.")  # fmt: skip
    run = Run("k", RunKind.AGENT, old, "r", "t", Status.WAITING, None)
    flight = agent_preflight(AgentInput(run, None, suspended(call("w")), NOW))
    told = {one.code: one.message for one in flight.warnings}
    assert told["store"] == "The database is legacy genuine. Prism says no."
    assert flight.folder == "/p"


def test_names_in_a_request_are_encoded() -> None:
    found = suspended(call("w"), agentId="../../x?y#z\n")
    request = agent(found).decisions[0].request or ""
    assert request.splitlines()[0] == ("POST {base}/agents/..%2F..%2Fx%3Fy%23z%0A/runs/r/resume")
