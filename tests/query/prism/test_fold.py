"""Folding the events of an agent run, and properties of any sequence of events."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.model.status import Status
from inspector.model.step import StepKind
from inspector.query.prism.events import DELTA, Row
from inspector.query.prism.fold import _HANDLERS, State, apply, fold
from tests.query.prism.builders import Story, at, ms


def told(story: Story) -> State:
    state = fold(story.rows())
    state.flush_deltas()
    return state


def tree(state: State) -> list[str]:
    """Every step as its path and status."""
    steps = state.steps
    return [f"{steps.path(n)} {steps.status_of(n)}" for n in range(len(steps))]


def step(state: State, path: str) -> Any:
    numbers = [n for n in range(len(state.steps)) if state.steps.path(n) == path]
    assert len(numbers) == 1, (path, tree(state))
    return state.steps.step(numbers[0])


def test_a_run_is_segments_turns_model_calls_and_tools() -> None:
    story = Story().start().turn(1, "c1").tool("c1").turn(2).tell("agent_finished")
    assert tree(told(story)) == [
        "s1 completed",
        "s1/t1 completed",
        "s1/t1/model completed",
        "s1/t1/c1 completed",
        "s1/t2 completed",
        "s1/t2/model completed",
    ]


def test_tools_run_after_the_end_of_their_turn_and_belong_to_it() -> None:
    story = Story().start().turn(1, "c1").tool("c1", None)
    state = told(story)
    assert step(state, "s1/t1").status is Status.COMPLETED
    assert step(state, "s1/t1/c1").status is Status.RUNNING
    assert step(state, "s1/t1/c1").parent == "s1/t1"


def test_the_same_id_in_another_turn_is_another_call() -> None:
    story = Story().start().turn(1, "c1").tool("c1").turn(2, "c1").tool("c1", "error")
    state = told(story)
    assert step(state, "s1/t1/c1").status is Status.COMPLETED
    assert step(state, "s1/t2/c1").status is Status.FAILED
    assert step(state, "s1/t2/c1").error == "it broke"


def test_the_same_id_twice_in_a_turn_has_two_names() -> None:
    state = told(Story().start().turn(1, "c1").tool("c1").tool("c1"))
    assert [line for line in tree(state) if "c1" in line] == [
        "s1/t1/c1 completed",
        "s1/t1/c1#2 completed",
    ]


def test_overlapping_tool_calls_are_marked_parallel() -> None:
    story = Story().start().turn(1, "a", "b", "c")
    story.tool("a", None).tool("b", None).tool_end("b").tool_end("a").tool("c")
    state = told(story)
    assert step(state, "s1/t1/a").ref["parallel"]
    assert step(state, "s1/t1/b").ref["parallel"]
    assert "parallel" not in step(state, "s1/t1/c").ref


def test_a_blocked_call_has_no_start_and_is_skipped() -> None:
    story = Story().start().turn(1, "c1")
    story.tell(
        "tool_execution_blocked",
        toolCallId="c1",
        name="write",
        reason="permission_denied",
        error={"message": "write denied by policy"},
    )
    blocked = step(told(story), "s1/t1/c1")
    assert (blocked.status, blocked.raw_status) == (Status.SKIPPED, "blocked")
    assert blocked.ref["reason"] == "permission_denied"
    assert blocked.error == "write denied by policy"


def test_progress_counts_even_after_the_end() -> None:
    progress = {"toolCallId": "c1", "name": "read", "progress": {"pct": 50}}
    story = Story().start().turn(1, "c1").tool("c1", None)
    story.tell("tool_execution_progress", **progress).tool_end("c1")
    story.tell("tool_execution_progress", **progress)
    call = step(told(story), "s1/t1/c1")
    assert call.ref["progress"] == 2
    assert call.status is Status.COMPLETED


def test_retries_are_attempts_of_one_model_call() -> None:
    story = Story().start().tell("turn_started", turn=1)
    story.model(1, error="rate limited")
    story.tell("retry_scheduled", attempt=1, delayMs=4, error={"message": "rate limited"})
    story.model(1, attempt=2, inputTokens=7)
    call = step(told(story), "s1/t1/model")
    assert [(a.n, a.status, a.error) for a in call.attempts] == [
        (1, Status.FAILED, "rate limited"),
        (2, Status.COMPLETED, None),
    ]
    assert call.status is Status.COMPLETED
    assert call.error is None
    assert call.ref["usage"] == {"inputTokens": 7}


def test_a_model_call_is_running_between_attempts() -> None:
    story = Story().start().tell("turn_started", turn=1).model(1, error="rate limited")
    story.tell("retry_scheduled", attempt=1, delayMs=4)
    call = step(told(story), "s1/t1/model")
    assert (call.status, call.raw_status) == (Status.RUNNING, "retry_scheduled")
    assert call.ended_at is None


def test_an_error_ends_the_segment_and_interrupts_open_steps() -> None:
    story = Story().start().tell("turn_started", turn=1).model(1, error="network down")
    story.tell("error", error={"message": "network down"})
    state = told(story)
    assert tree(state) == ["s1 failed", "s1/t1 interrupted", "s1/t1/model failed"]
    assert step(state, "s1").error == "network down"
    assert list(state.failures) == [4, 5]


def test_an_error_without_a_start_gets_its_own_segment() -> None:
    state = told(Story().tell("error", error={"message": "Unknown provider: mock"}))
    assert tree(state) == ["s0 failed"]


APPROVAL = {
    "version": 1,
    "interruption": {
        "kind": "tool_approval",
        "reason": "needs a decision",
        "toolCallId": "w1",
        "pendingDecisions": [
            {"approvalId": "a1", "toolCallId": "w1", "scope": {"toolName": "write"}}
        ],
    },
}


def suspended() -> Story:
    story = Story().start().turn(1, "w1").tell("turn_started", turn=2)
    return story.tell("agent_suspended", **APPROVAL)


def test_a_suspended_run_waits_in_its_segment() -> None:
    state = told(suspended())
    assert tree(state)[-2:] == ["s1/t2 waiting", "s1/approval waiting"]
    wait = step(state, "s1/approval")
    assert wait.kind is StepKind.WAIT
    assert wait.label == "needs a decision"
    assert wait.ref["approvals"] == [
        {"approval_id": "a1", "tool_call_id": "w1", "tool": "write", "reason": None}
    ]


def test_a_repeated_suspension_updates_the_same_approval() -> None:
    fewer = {"version": 2, "interruption": {"reason": "1 left", "pendingDecisions": []}}
    state = told(suspended().tell("agent_suspended", **fewer))
    assert [line for line in tree(state) if "approval" in line] == ["s1/approval waiting"]
    wait = step(state, "s1/approval")
    assert (wait.label, wait.ref["version"], wait.ref["approvals"]) == ("1 left", 2, [])


def test_turn_numbers_restart_after_a_resume() -> None:
    story = suspended().start().tell("agent_resumed", version=2).tool("w1").turn(1)
    state = told(story.tell("agent_finished"))
    assert tree(state) == [
        "s1 completed",
        "s1/t1 completed",
        "s1/t1/model completed",
        "s1/t2 interrupted",
        "s1/approval completed",
        "s2 completed",
        "s2/w1 completed",
        "s2/t1 completed",
        "s2/t1/model completed",
    ]


def test_a_denial_fails_the_run() -> None:
    state = told(suspended().tell("agent_denied", **APPROVAL))
    assert tree(state)[0] == "s1 failed"
    assert tree(state)[-2:] == ["s1/t2 interrupted", "s1/approval failed"]
    assert state.outcome == "denied"


def test_a_start_after_a_crash_interrupts_what_was_running() -> None:
    state = told(Story().start().turn(1, "c1").tool("c1", None).start())
    assert step(state, "s1").status is Status.INTERRUPTED
    assert step(state, "s1/t1/c1").status is Status.INTERRUPTED
    assert step(state, "s2").status is Status.RUNNING


def test_artifact_attempts_are_iterations_of_a_loop() -> None:
    story = Story().start().turn(1)
    story.tell("artifact_validation_started", turn=1, attempt=1)
    bad = {"valid": False, "reason": "no title"}
    story.tell("artifact_validation_finished", turn=1, attempt=1, result=bad)
    story.tell("artifact_revision_started", turn=1, attempt=2).turn(2)
    story.tell("artifact_validation_started", turn=2, attempt=2)
    story.tell("artifact_validation_finished", turn=2, attempt=2, result={"valid": True})
    story.tell("artifact_finished", turn=2, attempt=2)
    state = told(story)
    loop = step(state, "s1/artifact")
    assert (loop.kind, loop.status) == (StepKind.LOOP, Status.COMPLETED)
    assert (loop.ref["iterations_completed"], loop.ref["exited"]) == (2, True)
    rounds = [step(state, "s1/artifact[1]"), step(state, "s1/artifact[2]")]
    assert [one.iteration for one in rounds] == [1, 2]
    assert [one.status for one in rounds] == [Status.FAILED, Status.COMPLETED]
    assert rounds[0].error == "no title"


def test_guardrails_and_compaction_are_steps() -> None:
    story = Story().start().tell("compaction_started").tell("compaction_finished", summary="…")
    record = {"guardrail": "no-x", "action": "block", "stage": "input", "reason": "blocked word"}
    state = told(story.tell("guardrail_decision", record=record))
    assert step(state, "s1/compaction").status is Status.COMPLETED
    guard = step(state, "s1/guard no-x")
    assert (guard.kind, guard.status, guard.error) == (
        StepKind.GUARD,
        Status.FAILED,
        "blocked word",
    )


def test_message_deltas_add_no_steps_but_are_counted() -> None:
    state = told(Story().start().turn(1, deltas=500))
    call = step(state, "s1/t1/model")
    assert len(state.steps) == 3
    assert call.ref["deltas"] == 500
    # The last row of the model call is the message, after all its pieces.
    assert call.last_event == state.events - 1


def test_times_and_tokens_come_from_the_events() -> None:
    state = told(Story().start().tell("turn_started", turn=1).model(1, inputTokens=3))
    call = step(state, "s1/t1/model")
    assert (call.started_at, call.ended_at, call.duration_ms) == (ms(30), ms(40), 10)
    assert call.ref["model"] == "m1"


@pytest.mark.parametrize("cell", ["{not json", "[1]", "null", "", b"\xff\xfe", 7, '{"a":' * 300])
def test_an_unreadable_event_does_not_affect_others(cell: Any) -> None:
    rows: list[Row] = [*Story().start().turn(1).rows()]
    rows.append((99, 99, "tool_execution_started", at(0), cell))
    state = fold(rows)
    assert state.events == len(rows)
    assert tree(state)[0] == "s1 running"


KINDS = (*_HANDLERS, "queue_updated", "something_new", "")
NUMBERS = st.integers(-1, 4)


@st.composite
def stories(draw: st.DrawFn) -> list[Row]:
    """Events in any order, with anything in them."""
    rows: list[Row] = []
    for n in range(1, draw(st.integers(0, 40)) + 1):
        kind = draw(st.sampled_from(KINDS))
        payload: dict[str, Any] = {
            "turn": draw(NUMBERS),
            "attempt": draw(NUMBERS),
            "metadata": draw(st.sampled_from([{}, {"attempt": 2}, None, 3])),
            "call": {"id": draw(st.sampled_from(["a", "b", None]))},
            "result": {"toolCallId": draw(st.sampled_from(["a", "b", 1]))},
            "toolCallId": draw(st.sampled_from(["a", "b", None])),
            "record": {"action": draw(st.sampled_from(["block", "allow", None]))},
        }
        if draw(st.booleans()):
            payload["error"] = {"message": "x"}
        rows.append((n, n, kind, at(n), None if kind == DELTA else json.dumps(payload)))
    return rows


@given(stories(), st.integers(0, 40))
@settings(deadline=None, max_examples=80)
def test_incremental_folding_equals_folding_at_once(rows: list[Row], cut: int) -> None:
    state = State()
    steps_of = [apply(state, row) for row in rows]
    state.flush_deltas()
    assert state.events == len(rows) == len(steps_of)
    assert all(0 <= one < len(state.steps) for one in steps_of)
    paths = [state.steps.path(n) for n in range(len(state.steps))]
    assert len(set(paths)) == len(paths)
    first = fold(rows[:cut])
    kept = first.copy()
    again = fold(rows[cut:], kept)
    again.flush_deltas()
    assert tree(again) == tree(state)
    described = [state.steps.step(n) for n in range(len(state.steps))]
    assert [again.steps.step(n) for n in range(len(again.steps))] == described
    first.flush_deltas()
    prefix = fold(rows[:cut])
    prefix.flush_deltas()
    assert tree(first) == tree(prefix)


@given(stories(), st.integers(0, 40))
@settings(deadline=None, max_examples=30)
def test_step_ids_are_stable_while_events_are_added(rows: list[Row], cut: int) -> None:
    before, after = fold(rows[:cut]), fold(rows)
    for number in range(len(before.steps)):
        assert before.steps.path(number) == after.steps.path(number)
