"""The status of runs and the findings about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from inspector.model.run import Run, RunKind
from inspector.model.status import Status
from inspector.query.prism.store_reader import PrismStore
from inspector.query.prism.workflows import LAST_STATE
from inspector.query.view import RunView
from tests.query.prism.builders import (
    Statement,
    Story,
    at,
    checkpoint,
    entry,
    lease,
    make,
    ms,
    run,
    session,
)
from tests.query.prism.test_fold import APPROVAL, suspended

MINUTE = 60_000


@contextmanager
def opened(tmp_path: Path, *statements: Statement, now: int = 0) -> Iterator[PrismStore]:
    path = make(tmp_path / "prism.db", *statements)
    with closing(PrismStore(str(path), lambda: ms(now))) as store:
        yield store


def listed(store: PrismStore) -> dict[str, Run]:
    return {one.run_id or "": one for one in store.summarize()[1]}


def whole(store: PrismStore, name: str) -> RunView:
    with closing(store.open(listed(store)[name])) as reader:
        return reader.refresh()


def codes(one: Run) -> list[str]:
    return [finding.code for finding in one.findings]


def said(one: Run, code: str) -> str:
    return next(finding.message for finding in one.findings if finding.code == code)


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        ("queued", Status.PENDING),
        ("running", Status.RUNNING),
        ("suspended", Status.WAITING),
        ("denied", Status.FAILED),
        ("succeeded", Status.COMPLETED),
        ("failed", Status.FAILED),
        ("aborted", Status.INTERRUPTED),
        ("Running", Status.UNKNOWN),
        (None, Status.UNKNOWN),
    ],
)
def test_every_status_word_is_mapped(tmp_path: Path, raw: str | None, status: Status) -> None:
    with opened(tmp_path, session(), run("r1", raw)) as store:
        one = listed(store)["r1"]
    assert (one.status, one.raw_status, one.kind) == (status, raw, RunKind.AGENT)
    assert ("unknown_status" in codes(one)) == (status is Status.UNKNOWN)


def approval(status: str = "suspended", **more: Any) -> Statement:
    value = {"status": status, "agentId": "helper", **APPROVAL, **more}
    return checkpoint("prism.agent-run", "r1", value, category="agent-run")


def test_a_suspended_run_waits_despite_its_end_time(tmp_path: Path) -> None:
    rows = (session(), run("r1", "suspended", finished_at=at(110)), *suspended().statements())
    with opened(tmp_path, *rows, approval(deadlineAt=at(2 * MINUTE)), now=MINUTE) as store:
        one = listed(store)["r1"]
        view = whole(store, "r1")
    assert one.status is Status.WAITING
    assert "approve within 1m 00s, before 12:02:00.000 UTC" in said(one, "approval_deadline")
    assert "The end time in its row is the time of suspension." in said(one, "approval_deadline")
    wait = next(view.describe(n) for n in range(len(view.steps)) if view.steps.kind[n] and
                view.describe(n).kind == "wait")  # fmt: skip
    assert wait.ref["deadline"] == at(2 * MINUTE)


def test_only_denial_works_after_the_deadline(tmp_path: Path) -> None:
    rows = (session(), run("r1", "suspended"), approval(deadlineAt=at(2 * MINUTE)))
    with opened(tmp_path, *rows, now=5 * MINUTE) as store:
        one = listed(store)["r1"]
    assert one.status is Status.WAITING
    assert "deadline passed at 12:02:00.000 UTC (3 m ago)" in said(one, "deadline_passed")


def test_a_suspended_run_without_a_checkpoint_cannot_be_resumed(tmp_path: Path) -> None:
    with opened(tmp_path, session(), run("r1", "suspended")) as store:
        assert "not_resumable" in codes(listed(store)["r1"])


@pytest.mark.parametrize("by", ["checkpoint", "events"])
def test_a_denied_run_failed_despite_its_row(tmp_path: Path, by: str) -> None:
    story = suspended().tell("agent_denied", **APPROVAL)
    told = [approval("denied")] if by == "checkpoint" else story.statements()
    with opened(tmp_path, session(), run("r1", "suspended"), *told) as store:
        one = listed(store)["r1"]
        view = whole(store, "r1")
    assert (one.status, one.raw_status) == (Status.FAILED, "suspended")
    assert view.run.status is Status.FAILED
    assert codes(view.run).count("denied") == 1


def test_a_turn_limit_is_reported_with_its_pending_calls(tmp_path: Path) -> None:
    story = Story().start().turn(1, "c1").tell("agent_finished", finishReason="turn_limit")
    rows = (session(), run("r1", "succeeded"), *story.statements())
    with opened(tmp_path, *rows) as store:
        one = whole(store, "r1").run
    assert one.status is Status.COMPLETED
    assert "says succeeded" in said(one, "turn_limit")
    assert "1 requested tool call was " in said(one, "turn_limit")


def test_a_killed_run_is_quiet_and_not_failed(tmp_path: Path) -> None:
    story = Story().start().turn(1, "c1").tool("c1", None)
    rows = (session(), run("r1"), *story.statements())
    with opened(tmp_path, *rows, now=45 * MINUTE) as store:
        one = listed(store)["r1"]
    assert one.status is Status.RUNNING
    assert "liveness unknown" in said(one, "quiet")


def test_last_activity_comes_from_events_and_entries(tmp_path: Path) -> None:
    rows = (
        session(updated_at=at(10 * MINUTE)),
        run("r1"),
        *Story().start().statements(),
        entry("e1", run_id="r1", timestamp=at(5000)),
    )
    with opened(tmp_path, *rows) as store:
        assert listed(store)["r1"].last_activity_at == ms(5000)
        assert whole(store, "r1").run.last_activity_at == ms(5000)


def test_a_dispatched_call_accepts_no_decision(tmp_path: Path) -> None:
    stuck = approval("running", pendingCalls=[{"status": "dispatched"}])
    with opened(tmp_path, session(), run("r1"), stuck) as store:
        assert "stuck_dispatched" in codes(listed(store)["r1"])


def workflow(status: str = "running", key: str = "flow/w1", **more: Any) -> Statement:
    name, run_id = key.split("/")
    value = {"workflowId": name, "runId": run_id, "status": status, "nodes": {}, **more}
    return checkpoint("prism.workflow", key, value, category=status)


@pytest.mark.parametrize(
    ("of", "code", "words"),
    [
        ([lease("flow/w1", 60 * MINUTE)], None, ""),
        ([lease("flow/w1", 30_000, 20_000)], "lease_expired", "lease of worker expired 44 m ago"),
        ([lease("flow/w1", 30_000, 30_000)], "lease_expired", "was released"),
        ([], "quiet", "liveness unknown"),
    ],
)
def test_the_lease_decides_whether_a_workflow_is_alive(
    tmp_path: Path, of: list[Statement], code: str | None, words: str
) -> None:
    with opened(tmp_path, workflow(), *of, now=45 * MINUTE) as store:
        one = listed(store)["w1"]
    assert one.status is Status.RUNNING
    assert codes(one) == ([] if code is None else [code])
    if code is not None:
        assert words in said(one, code)


def test_a_workflow_run_has_nodes_and_no_events(tmp_path: Path) -> None:
    nodes = {
        "a": {"nodeId": "a", "status": "succeeded", "attempt": 1, "output": 1},
        "b": {"nodeId": "b", "status": "failed", "attempt": 3, "error": {"message": "boom"}},
        "c": {"nodeId": "c", "status": "suspended", "attempt": 1},
        "d": {"nodeId": "d", "status": "ready"},
        "e": {"nodeId": "e", "status": "skipped"},
        "f": {"nodeId": "f", "status": "unheard of"},
    }
    waits = {"nodeId": "c", "reason": "human review"}
    rows = workflow("suspended", nodes=nodes, suspension=waits, readyNodeIds=["d"])
    with opened(tmp_path, rows) as store:
        view = whole(store, "w1")
        with closing(store.open(view.run)) as reader:
            named = {one.name: one.value for one in reader.values().values}
    steps = {one.label: one for one in map(view.describe, range(len(view.steps)))}
    assert {name: one.status for name, one in steps.items()} == {
        "a": Status.COMPLETED,
        "b": Status.FAILED,
        "c": Status.WAITING,
        "d": Status.PENDING,
        "e": Status.SKIPPED,
        "f": Status.UNKNOWN,
    }
    assert [a.status for a in steps["b"].attempts] == [
        Status.UNKNOWN,
        Status.UNKNOWN,
        Status.FAILED,
    ]
    assert steps["b"].error == "boom"
    assert (view.events, view.run.mode, view.run.order_only) == (0, LAST_STATE, True)
    assert "human review" in said(view.run, "approval")
    assert named["a"] == "1"


def test_tool_calls_of_a_node_are_its_children(tmp_path: Path) -> None:
    from tests.query.prism.builders import row

    call: Mapping[str, Any] = {
        "session_id": "workflow:flow",
        "run_id": "w1",
        "tool_call_id": "wf_my_node_0f0f",
        "name": "read",
        "arguments": {},
        "started_at": at(0),
        "redacted": 0,
    }
    rows = (
        workflow(nodes={"my_node": {"status": "succeeded"}}),
        session("workflow:flow"),
        row("prism_tool_calls", id="t1", status="started", **call),
        row("prism_tool_calls", id="t2", status="finished", finished_at=at(9), **call),
    )
    with opened(tmp_path, *rows) as store:
        view = whole(store, "w1")
    paths = [view.steps.path(n) for n in range(len(view.steps))]
    assert paths == ["my_node", "my_node/wf_my_node_0f0f"]
    tool = view.describe(1)
    assert (tool.status, tool.duration_ms) == (Status.COMPLETED, 9)


def test_the_own_status_of_a_saga_is_reported(tmp_path: Path) -> None:
    saga = {
        "sagaId": "invoice",
        "status": "compensated",
        "lastError": {"message": "rejected"},
        "stepIds": ["reserve", "notify"],
        "steps": {
            "notify": {"status": "pending", "error": {"message": "rejected"}},
            "reserve": {"status": "succeeded", "compensationStatus": "succeeded"},
        },
    }
    value = {
        "workflowId": "__prism_saga__/acme/invoice/saga-1",
        "runId": "saga-1",
        "status": "succeeded",
        "metadata": {"sagaState": saga},
    }
    key = "__prism_saga__%2Facme%2Finvoice%2Fsaga-1/saga-1"
    rows = (
        checkpoint("prism.workflow", key, value, category="succeeded"),
        lease("acme/invoice/saga-1", 10, 10, "prism.workflow.saga"),
    )
    with opened(tmp_path, *rows, now=MINUTE) as store:
        view = whole(store, "saga-1")
        with closing(store.open(view.run)) as reader:
            held = reader.record("leases")
    assert view.run.title == "saga invoice"
    assert (view.run.status, view.run.raw_status) == (Status.COMPLETED, "succeeded")
    assert "is compensated after 'rejected'" in said(view.run, "saga_status")
    assert [view.steps.path(n) for n in range(len(view.steps))] == [
        "reserve",
        "reserve/undo",
        "notify",
    ]
    assert [one["inspector"]["state"] for one in held] == ["released"]


def test_parent_runs_come_from_checkpoints(tmp_path: Path) -> None:
    rows = (
        session(),
        session("s2"),
        run("root", "suspended"),
        run("child", "suspended", "s2"),
        run("agent", "succeeded", "s2"),
        entry("leaf", of="s2", run_id="agent"),
        checkpoint("prism.agent-run", "root", {"nestedRuns": [{"runId": "child"}]}),
        workflow(key="outer/w1", nodes={"n": {"status": "succeeded", "leafId": "leaf"}}),
        workflow(key="inner/w1~n", metadata={"parentRunId": "w1"}),
    )
    with opened(tmp_path, *rows) as store:
        runs = listed(store)
    keys = {name: one.key for name, one in runs.items()}
    assert runs["child"].parent_key == keys["root"]
    assert runs["agent"].parent_key == keys["w1"]
    assert runs["w1~n"].parent_key == keys["w1"]
    assert runs["w1"].parent_key is None


def test_workflows_with_the_same_run_id_have_different_keys(tmp_path: Path) -> None:
    rows = (session(), run("w1"), workflow(key="a/w1"), workflow(key="b/w1"))
    with opened(tmp_path, *rows) as store:
        keys = [one.key.partition("#")[2] for one in store.summarize()[1]]
        assert sorted(keys) == ["a/w1", "b/w1", "w1"]
        for one in store.summarize()[1]:
            with closing(store.open(one)) as reader:
                assert reader.refresh().run.key == one.key


def test_events_without_a_run_row_are_an_orphan_run(tmp_path: Path) -> None:
    rows = (session(), *Story("lost").start().turn(1).statements())
    with opened(tmp_path, *rows) as store:
        one = listed(store)["lost"]
        view = whole(store, "lost")
    assert (one.status, codes(one)) == (Status.UNKNOWN, ["orphan"])
    assert view.total_events == 8
    assert view.run.session == "s1"


def test_an_unreadable_cell_does_not_hide_its_run(tmp_path: Path) -> None:
    rows = (
        session(metadata="{bad"),
        run("r1", "failed", error="{bad", model="{bad"),
        run("r2", "succeeded"),
        checkpoint("prism.workflow", "flow/w1", "{bad"),
    )
    with opened(tmp_path, *rows) as store:
        runs = listed(store)
    assert set(runs) == {"r1", "r2", "w1"}
    assert codes(runs["r1"]) == ["damaged", "damaged"]
    assert codes(runs["w1"]) == ["damaged"]
    assert runs["r2"].findings == ()


def test_the_title_is_the_prompt_else_the_session_title(tmp_path: Path) -> None:
    rows = (
        session(metadata={"title": "Tides"}),
        run("r1"),
        run("r2", started_at=at(1)),
        entry("How do\ntides work?", run_id="r1"),
    )
    with opened(tmp_path, *rows) as store:
        runs = listed(store)
    assert (runs["r1"].title, runs["r2"].title) == ("How do tides work?", "Tides")


def test_the_owner_comes_from_the_run_row(tmp_path: Path) -> None:
    rows = (session(), run("r1", tenant_id="acme", user_id="u1"), run("r2"))
    with opened(tmp_path, *rows) as store:
        runs = listed(store)
    assert runs["r1"].owner == {"tenant": "acme", "user": "u1"}
    assert runs["r2"].owner == {}
