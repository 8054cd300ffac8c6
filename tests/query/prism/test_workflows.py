"""The steps of workflows and sagas, from their checkpoints."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.derive.steps import StepTable
from inspector.model.status import Status
from inspector.model.step import StepKind
from inspector.query.prism.row_summaries import Checkpoint, Owner
from inspector.query.prism.workflows import (
    SAGA_PREFIX,
    ToolTrack,
    Workflow,
    workflow_of,
    workflow_steps,
)


def workflow(value: dict[str, Any], key: str = "flow/w1") -> Workflow:
    return workflow_of(Checkpoint("prism.workflow", key, 3, None, "running", Owner(), 1, 2, value))


def nodes(*listed: tuple[str, dict[str, Any]], **value: Any) -> Workflow:
    return workflow({"nodes": dict(listed), **value})


def track(call: str, status: str | None = "finished", **more: Any) -> ToolTrack:
    given: dict[str, Any] = {"started_at": 10, "finished_at": 20, "error": None, "reason": None}
    return ToolTrack(call, "search", status, **{**given, **more}, rows=2)


def lines(steps: StepTable) -> list[str]:
    return [f"{steps.path(n)} {steps.status_of(n)}" for n in range(len(steps))]


@pytest.mark.parametrize(
    ("word", "status"),
    [
        ("pending", Status.PENDING),
        ("ready", Status.PENDING),
        ("running", Status.RUNNING),
        ("suspended", Status.WAITING),
        ("succeeded", Status.COMPLETED),
        ("failed", Status.FAILED),
        ("denied", Status.FAILED),
        ("skipped", Status.SKIPPED),
        ("aborted", Status.INTERRUPTED),
        ("odd", Status.UNKNOWN),
        (None, Status.UNKNOWN),
    ],
)
def test_each_word_of_a_node_has_its_status(word: str | None, status: Status) -> None:
    steps = workflow_steps(nodes(("a", {"status": word})), ())
    assert (steps.status_of(0), steps.raw[0], steps.kind_of(0)) == (status, word, StepKind.NODE)


def test_nodes_are_steps_in_the_order_of_the_checkpoint() -> None:
    steps = workflow_steps(nodes(("b", {"status": "running"}), ("a", {})), ())
    assert lines(steps) == ["b running", "a unknown"]


def test_a_node_tells_where_it_ran_and_what_is_next() -> None:
    node = {"sessionId": "s", "leafId": "l", "runId": "r", "stateVersionBefore": 4, "attempt": 1}
    suspension = {"nodeId": "a", "reason": "review"}
    one = nodes(("a", node), ("b", {}), readyNodeIds=["b"], suspension=suspension)
    steps = workflow_steps(one, ())
    assert steps.step(0).ref == {
        "node": "a", "session": "s", "leaf": "l", "run": "r", "state_version": 4, "attempt": 1,
        "reason": "review",
    }  # fmt: skip
    assert steps.step(1).ref == {"node": "b", "ready": True}


def test_only_the_number_of_earlier_attempts_is_known() -> None:
    node = {"status": "failed", "attempts": 3, "error": {"message": "down"}}
    step = workflow_steps(nodes(("a", node)), ()).step(0)
    assert [(one.n, one.status, one.error) for one in step.attempts] == [
        (1, Status.UNKNOWN, None),
        (2, Status.UNKNOWN, None),
        (3, Status.FAILED, "down"),
    ]
    assert step.error == "down"


@pytest.mark.parametrize(
    ("word", "status"),
    [
        ("started", Status.RUNNING),
        ("finished", Status.COMPLETED),
        ("error", Status.FAILED),
        ("blocked", Status.SKIPPED),
        (None, Status.UNKNOWN),
        ("odd", Status.UNKNOWN),
    ],
)
def test_each_word_of_a_tool_call_has_its_status(word: str | None, status: Status) -> None:
    steps = workflow_steps(nodes(("a", {})), [track("wf_a_1", word)])
    assert (steps.status_of(1), steps.raw[1]) == (status, word)


def test_a_tool_call_belongs_to_the_node_in_its_id() -> None:
    tools = [track("wf_my_node_77aa"), track("wf_other_1"), track("call-9")]
    steps = workflow_steps(nodes(("my_node", {"status": "running"})), tools)
    assert lines(steps) == [
        "my_node running",
        "my_node/wf_my_node_77aa completed",
        "wf_other_1 completed",
        "call-9 completed",
    ]


def test_a_repeated_id_of_a_tool_call_is_numbered() -> None:
    steps = workflow_steps(nodes(("a", {})), [track("wf_a_1"), track("wf_a_1", "error")])
    assert lines(steps)[1:] == ["a/wf_a_1 completed", "a/wf_a_1#2 failed"]


def test_a_tool_call_has_the_times_that_are_recorded() -> None:
    tools = [track("wf_a_1", error="down", reason="late"), track("wf_a_2", finished_at=None)]
    steps = workflow_steps(nodes(("a", {})), tools)
    ended, running = steps.step(1), steps.step(2)
    assert (ended.started_at, ended.ended_at, ended.error) == (10, 20, "down")
    assert ended.ref == {"tool_call_id": "wf_a_1", "reason": "late"}
    assert (running.started_at, running.ended_at) == (10, None)


def saga(state: dict[str, Any], **value: Any) -> Workflow:
    metadata = {"sagaState": state}
    return workflow({"workflowId": f"{SAGA_PREFIX}t/order/r1", "metadata": metadata, **value})


def test_a_saga_has_its_steps_in_their_order_with_their_compensations() -> None:
    state = {
        "sagaId": "order",
        "stepIds": ["pay", "ship", "gone"],
        "steps": {
            "extra": {"status": "pending"},
            "ship": {"status": "failed"},
            "pay": {
                "status": "succeeded",
                "compensationStatus": "succeeded",
                "compensationAttempts": 2,
            },
        },
    }
    steps = workflow_steps(saga(state, nodes={"ignored": {}}), [track("wf_ignored_1")])
    assert lines(steps) == [
        "pay completed",
        "pay/undo completed",
        "ship failed",
        "extra pending",
    ]
    assert steps.step(1).ref == {"node": "pay", "compensation": True, "attempt": 2}
    assert steps.step(1).label == "undo pay"


def test_names_come_from_the_value_else_from_the_decoded_key() -> None:
    named = workflow({"workflowId": "review", "runId": "w9"}, "other/w1")
    assert (named.workflow_id, named.run_id, named.title) == ("review", "w9", "review")
    keyed = workflow({}, "my%20flow%2Fv1/w%2F1")
    assert (keyed.workflow_id, keyed.run_id) == ("my flow/v1", "w/1")


def test_a_saga_is_called_by_its_id_and_leased_without_the_prefix() -> None:
    one = saga({"sagaId": "order"})
    assert (one.is_saga, one.title, one.lease_key) == (True, "order", "t/order/r1")
    assert saga({}).title == f"{SAGA_PREFIX}t/order"
    plain = workflow({}, "flow/w1")
    assert (plain.is_saga, plain.lease_key) == (False, "flow/w1")


def test_a_workflow_names_the_run_it_is_part_of_and_the_one_it_replays() -> None:
    one = workflow({"metadata": {"parentRunId": "p"}, "lineage": {"sourceRunId": "s"}})
    assert (one.parent_run, one.source_run) == ("p", "s")
    assert (workflow({}).parent_run, workflow({}).source_run) == (None, None)


def test_malformed_parts_of_a_checkpoint_are_ignored() -> None:
    one = workflow({"nodes": {"a": 7, "b": None}, "readyNodeIds": 3, "suspension": "x"})
    assert lines(workflow_steps(one, ())) == ["a unknown", "b unknown"]
