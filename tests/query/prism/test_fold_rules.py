"""One test per rule in the docstrings of the fold: events and their steps."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.model.status import Status
from inspector.query.prism.fold import MOST_MALFORMED, State, apply, fold
from tests.query.prism.builders import Story, at, ms
from tests.query.prism.test_fold import APPROVAL, step, suspended, told, tree

BAD = {"message": "it broke"}


def owner_of_last(story: Story) -> str:
    """The path of the step that the last event belongs to."""
    *rows, last = story.rows()
    state = fold(rows)
    return state.steps.path(apply(state, last))


# Segments


def test_each_resume_starts_another_segment() -> None:
    assert tree(told(suspended().start().start())) == [
        "s1 completed",
        "s1/t1 completed",
        "s1/t1/model completed",
        "s1/t2 interrupted",
        "s1/approval waiting",
        "s2 interrupted",
        "s3 running",
    ]


def test_a_start_interrupts_everything_that_was_running() -> None:
    story = Story().start().tell("turn_started", turn=1)
    story.tell("provider_turn_started", turn=1, metadata={"attempt": 1}).tool("a", None).start()
    assert tree(told(story)) == [
        "s1 interrupted",
        "s1/t1 interrupted",
        "s1/t1/model interrupted",
        "s1/t1/a interrupted",
        "s2 running",
    ]


def test_a_start_forgets_the_turn_and_the_tools_of_the_segment_before() -> None:
    state = told(Story().start().turn(1, "a").tool("a").start().tool("a"))
    assert tree(state)[-2:] == ["s2 running", "s2/a completed"]
    assert (state.turn, state.call, state.loop, state.iteration, state.compaction) == (-1,) * 5


def test_messages_after_a_start_belong_to_the_new_segment() -> None:
    assert owner_of_last(Story().start().turn(1).start().tell("message_started")) == "s2"


def test_a_call_of_the_segment_before_does_not_end_in_the_next_one() -> None:
    state = told(Story().start().turn(1, "a").tool("a", None).start().tool_end("a"))
    assert tree(state)[-3:] == ["s1/t1/a interrupted", "s2 running", "s2/a completed"]


def test_progress_after_a_start_does_not_reach_the_call_of_the_segment_before() -> None:
    story = Story().start().turn(1, "a").tool("a").start()
    assert owner_of_last(story.tell("tool_execution_progress", toolCallId="a")) == "s2"


def test_the_end_of_an_agent_keeps_its_reason() -> None:
    state = told(Story().start().tell("agent_finished", finishReason="turn_limit"))
    assert (state.finish_reason, state.outcome, state.outcome_event) == (
        "turn_limit",
        "finished",
        2,
    )
    assert step(state, "s1").ref["finish_reason"] == "turn_limit"
    assert step(state, "s1").raw_status == "finished"


@pytest.mark.parametrize(
    ("kind", "outcome"),
    [
        ("agent_finished", "finished"),
        ("agent_suspended", "suspended"),
        ("agent_denied", "denied"),
        ("error", "error"),
    ],
)
def test_the_outcome_is_the_last_end_and_none_while_a_segment_runs(kind: str, outcome: str) -> None:
    story = Story().start().tell(kind)
    assert (told(story).outcome, told(story).outcome_event) == (outcome, 2)
    assert told(story.start()).outcome is None


@pytest.mark.parametrize(
    "kind",
    ["turn_started", "tool_execution_started", "agent_suspended", "agent_denied", "error",
     "agent_finished", "artifact_validation_started", "guardrail_decision", "compaction_started",
     "compaction_finished", "provider_turn_started", "message_started", "message_delta",
     "queue_updated"],
)  # fmt: skip
def test_an_event_without_a_start_adds_a_segment(kind: str) -> None:
    state = told(Story().tell(kind))
    assert state.steps.path(0) == "s0"
    assert state.segments == 0


def test_an_error_interrupts_all_open_steps() -> None:
    story = Story().start().turn(1).tell("agent_suspended").tell("turn_started", turn=2)
    story.tell("artifact_validation_started", attempt=1).tell("compaction_started")
    story.tell("provider_turn_started", turn=2).tool("a", None).tell("error", error=BAD)
    state = told(story)
    assert tree(state) == [
        "s1 failed",
        "s1/t1 completed",
        "s1/t1/model completed",
        "s1/approval interrupted",
        "s1/t2 interrupted",
        "s1/artifact interrupted",
        "s1/artifact[1] interrupted",
        "s1/compaction interrupted",
        "s1/t2/model interrupted",
        "s1/t2/a interrupted",
    ]
    assert list(state.failures) == [state.events]


def test_an_event_without_a_step_belongs_to_the_open_turn_else_to_the_segment() -> None:
    story = Story().start().tell("turn_started", turn=1).tell("steer_rejected")
    assert owner_of_last(story) == "s1/t1"
    assert step(told(story), "s1/t1").last_event == 3
    story.tell("turn_finished", turn=1).tell("steer_rejected")
    assert owner_of_last(story) == "s1"


# Turns and model calls


def test_a_turn_number_used_before_in_a_segment_gets_another_name() -> None:
    state = told(Story().start().turn(1).turn(1))
    assert [line for line in tree(state) if "model" not in line] == [
        "s1 running",
        "s1/t1 completed",
        "s1/t1%403 completed",
    ]
    assert state.highest_turn == 1


def test_a_turn_number_below_the_highest_gets_another_name() -> None:
    state = told(Story().start().tell("turn_started", turn=3).tell("turn_started", turn=2))
    assert tree(state)[-1] == "s1/t2%402 running"


def test_a_turn_without_a_number_is_the_next_one() -> None:
    state = told(Story().start().turn(4).tell("turn_started"))
    assert (tree(state)[-1], state.turns) == ("s1/t5 running", 5)


def test_the_end_of_a_turn_without_one_belongs_to_the_segment() -> None:
    assert owner_of_last(Story().start().tell("turn_finished", turn=1)) == "s1"


def test_an_attempt_that_never_ended_is_interrupted_when_the_next_starts() -> None:
    story = Story().start().tell("turn_started", turn=1)
    for attempt in (1, 2):
        story.tell("provider_turn_started", turn=1, metadata={"attempt": attempt})
    call = step(told(story), "s1/t1/model")
    assert [(one.n, one.status) for one in call.attempts] == [
        (1, Status.INTERRUPTED),
        (2, Status.RUNNING),
    ]
    assert call.status is Status.RUNNING


def test_an_attempt_that_ended_keeps_its_status_when_the_next_starts() -> None:
    story = Story().start().tell("turn_started", turn=1).model(1).model(1, attempt=2)
    call = step(told(story), "s1/t1/model")
    assert [(one.n, one.status) for one in call.attempts] == [
        (1, Status.COMPLETED),
        (2, Status.COMPLETED),
    ]
    assert [(one.first_event, one.last_event) for one in call.attempts] == [(3, 4), (5, 6)]
    assert [(one.started_at, one.ended_at) for one in call.attempts] == [
        (ms(30), ms(40)),
        (ms(50), ms(60)),
    ]


def test_a_next_attempt_clears_the_end_and_the_error_of_the_call() -> None:
    story = Story().start().tell("turn_started", turn=1).model(1, error="down")
    story.tell("provider_turn_started", turn=1, metadata={"attempt": 2})
    call = step(told(story), "s1/t1/model")
    assert (call.status, call.error, call.ended_at) == (Status.RUNNING, None, None)


def test_attempts_before_the_first_one_recorded_are_unknown() -> None:
    story = Story().start().tell("turn_started", turn=1).model(1, attempt=3)
    call = step(told(story), "s1/t1/model")
    assert [(one.n, one.status) for one in call.attempts] == [
        (1, Status.UNKNOWN),
        (2, Status.UNKNOWN),
        (3, Status.COMPLETED),
    ]


def test_attempt_one_after_another_call_is_a_call_of_its_own() -> None:
    story = Story().start().tell("turn_started", turn=1).model(1).model(1)
    assert tree(told(story))[2:] == ["s1/t1/model completed", "s1/t1/model#2 completed"]


def test_a_model_call_outside_a_turn_belongs_to_the_segment() -> None:
    assert tree(told(Story().start().model(1))) == ["s1 running", "s1/model completed"]


def test_the_end_of_a_model_call_without_its_start_adds_the_call() -> None:
    story = Story().start().tell("turn_started", turn=1)
    story.tell("provider_turn_finished", turn=1, error=BAD, metadata={"latencyMs": 7})
    state = told(story)
    call = step(state, "s1/t1/model")
    assert (call.status, call.raw_status, call.error) == (Status.FAILED, "error", "it broke")
    assert call.ref["latency_ms"] == 7
    assert list(state.failures) == [3]


def test_a_turn_forgets_the_model_call_of_the_one_before() -> None:
    story = Story().start().turn(1).tell("turn_started", turn=2)
    story.tell("provider_turn_started", turn=2, metadata={"attempt": 2})
    assert tree(told(story))[-1] == "s1/t2/model running"


def test_a_retry_keeps_the_failed_attempt_and_continues_the_call() -> None:
    story = Story().start().tell("turn_started", turn=1).model(1).model(1, attempt=2, error="down")
    story.tell("retry_scheduled", attempt=2, delayMs=40)
    call = step(told(story), "s1/t1/model")
    assert [one.status for one in call.attempts] == [Status.COMPLETED, Status.FAILED]
    assert (call.status, call.ref["retry_delay_ms"]) == (Status.RUNNING, 40)


def test_a_retry_without_a_model_call_belongs_to_the_turn() -> None:
    story = Story().start().tell("turn_started", turn=1).tell("retry_scheduled")
    assert owner_of_last(story) == "s1/t1"


# Messages


def test_messages_belong_to_the_model_call_also_after_the_end_of_the_turn() -> None:
    story = Story().start().tell("turn_started", turn=1)
    assert owner_of_last(story.tell("message_started")) == "s1/t1"
    assert owner_of_last(story.model(1).tell("message_started")) == "s1/t1/model"
    story.tell("turn_finished", turn=1)
    assert owner_of_last(story.tell("message_started")) == "s1/t1/model"


def test_messages_after_a_turn_without_a_model_call_belong_to_the_turn() -> None:
    story = Story().start().tell("turn_started", turn=1).tell("turn_finished", turn=1)
    assert owner_of_last(story.tell("message_started")) == "s1/t1"


def test_messages_before_the_first_turn_belong_to_the_segment() -> None:
    assert owner_of_last(Story().start().tell("message_started")) == "s1"


def test_requested_calls_are_those_of_the_last_message_not_started_yet() -> None:
    story = Story().start().turn(1, "a", "b", "c", "d")
    assert told(story).requested == ("a", "b", "c", "d")
    story.tool("b", None)
    assert told(story).requested == ("a", "c", "d")
    story.tell("tool_execution_blocked", toolCallId="c")
    assert told(story).requested == ("a", "d")
    assert told(story.tell("turn_started", turn=2)).requested == ()


def test_a_message_without_calls_replaces_the_requested_ones() -> None:
    story = Story().start().turn(1, "a")
    assert told(story.tell("message_finished", message={"content": []})).requested == ()


def test_deltas_extend_the_step_of_the_message_and_its_time() -> None:
    story = Story().start().tell("turn_started", turn=1)
    for _ in range(3):
        story.tell("message_delta")
    state = told(story)
    turn = step(state, "s1/t1")
    assert (turn.ref["deltas"], turn.last_event) == (3, 5)
    assert state.last_at == ms(50)
    assert state.instants == state.events == 5
    assert step(told(story.tell("turn_finished", turn=1)), "s1/t1").ref["deltas"] == 3


def test_the_latest_timestamp_is_kept_whatever_the_order() -> None:
    rows = Story().start().tell("turn_started", turn=1).rows()
    state = fold([(1, 1, "agent_started", at(90), "{}"), (2, 2, "turn_started", None, rows[1][4])])
    assert (state.last_at, state.instants) == (ms(90), 1)
    assert fold([*[(1, 1, "agent_started", at(90), "{}")], *rows]).last_at == ms(90)


# Times and extents


def span(state: State, path: str) -> tuple[int, int]:
    """The first and last instant of a step and everything in it."""
    number = next(n for n in range(len(state.steps)) if state.steps.path(n) == path)
    return state.steps.span_start[number], state.steps.span_stop[number]


def test_a_step_spans_the_instants_of_its_events_and_of_its_children() -> None:
    story = Story().start().tell("turn_started", turn=1).model(1).tell("turn_finished", turn=1)
    state = told(story)
    assert span(state, "s1") == (ms(10), ms(50))
    assert span(state, "s1/t1") == (ms(20), ms(50))
    assert span(state, "s1/t1/model") == (ms(30), ms(40))


def test_a_started_step_spans_its_start_at_once() -> None:
    assert span(told(Story().start()), "s1") == (ms(10), ms(10))


def test_deltas_widen_the_span_of_their_step() -> None:
    story = Story().start().tell("turn_started", turn=1)
    state = told(story.tell("message_delta").tell("message_delta"))
    assert span(state, "s1/t1") == (ms(20), ms(40))
    assert (step(state, "s1/t1").last_event, state.steps.last[1]) == (4, 4)


def test_an_event_without_an_instant_widens_no_span() -> None:
    rows = [(1, 1, "agent_started", at(10), "{}"), (2, 2, "turn_started", None, "{}"),
            (3, 3, "turn_finished", None, "{}")]  # fmt: skip
    state = fold(rows)
    assert span(state, "s1") == (ms(10), ms(10))
    turn = step(state, "s1/t1")
    assert (turn.started_at, turn.ended_at, turn.last_event) == (None, None, 3)


def test_a_retry_extends_the_call_that_had_ended() -> None:
    story = Story().start().tell("turn_started", turn=1).model(1, error="down")
    story.tell("retry_scheduled", attempt=1, delayMs=4)
    state = told(story)
    assert step(state, "s1/t1/model").last_event == 5
    assert span(state, "s1/t1/model") == (ms(30), ms(50))


# Tool calls


def test_calls_without_a_turn_belong_to_the_segment() -> None:
    assert tree(told(Story().start().tool("a"))) == ["s1 running", "s1/a completed"]


def test_the_end_of_a_call_without_its_start_adds_the_call() -> None:
    state = told(Story().start().turn(1, "a").tool_end("a"))
    call = step(state, "s1/t1/a")
    assert (call.status, call.ref["start_missing"]) == (Status.COMPLETED, True)
    assert call.ref["duration_ms"] == 5


def test_a_second_end_of_a_call_is_the_same_call() -> None:
    story = Story().start().turn(1, "a").tool("a").tool_end("a", "error")
    assert [line for line in tree(told(story)) if "/a" in line] == ["s1/t1/a failed"]


def test_the_end_of_a_call_of_an_earlier_turn_is_another_call() -> None:
    story = Story().start().turn(1, "a").tool("a").turn(2).tool_end("a")
    assert [line for line in tree(told(story)) if "/a" in line] == [
        "s1/t1/a completed",
        "s1/t2/a completed",
    ]


def test_a_call_that_is_still_open_ends_in_a_later_turn() -> None:
    story = Story().start().turn(1, "a").tool("a", None).turn(2).tool_end("a")
    assert [line for line in tree(told(story)) if "/a" in line] == ["s1/t1/a completed"]


def test_an_ended_call_is_open_no_more() -> None:
    state = told(Story().start().turn(1, "a", "b").tool("a").tool("b", None))
    assert list(state.tools) == ["b"]
    assert "parallel" not in step(state, "s1/t1/b").ref


def test_a_failed_call_is_a_failure_and_a_blocked_one_is_not() -> None:
    story = Story().start().turn(1, "a", "b").tool("a", "error")
    failures = list(told(story).failures)
    assert failures == [told(story).events]
    assert list(told(story.tell("tool_execution_blocked", toolCallId="b")).failures) == failures


def test_a_call_blocked_after_its_start_is_skipped_and_stays_one() -> None:
    story = Story().start().turn(1, "a").tool("a", None)
    story.tell("tool_execution_blocked", toolCallId="a", reason="tool_denied")
    state = told(story)
    assert [line for line in tree(state) if "/a" in line] == ["s1/t1/a skipped"]
    assert step(state, "s1/t1/a").ref["reason"] == "tool_denied"
    assert not state.tools


def test_progress_belongs_to_its_call_else_to_the_turn() -> None:
    story = Story().start().turn(1, "a").tool("a", None)
    assert owner_of_last(story.tell("tool_execution_progress", toolCallId="a")) == "s1/t1/a"
    assert owner_of_last(story.tell("tool_execution_progress", toolCallId="b")) == "s1/t1"
    assert owner_of_last(story.tell("delegated_agent_step", toolCallId="a")) == "s1/t1/a"
    assert owner_of_last(story.tell("tool_execution_progress")) == "s1/t1"
    assert step(told(story), "s1/t1/a").ref["progress"] == 2


def test_a_result_names_the_run_of_a_child() -> None:
    story = Story().start().turn(1, "a").tool("a", None)
    result = {"toolCallId": "a", "name": "delegate"}
    story.tell("tool_execution_finished", result=result, metadata={"childRunId": "r9"})
    assert step(told(story), "s1/t1/a").ref["child_run"] == "r9"


def test_a_result_with_an_error_keeps_the_error() -> None:
    story = Story().start().turn(1, "a").tool("a", None)
    story.tell("tool_execution_finished", result={"toolCallId": "a", "error": BAD})
    call = step(told(story), "s1/t1/a")
    assert (call.status, call.error) == (Status.COMPLETED, "it broke")


# Approvals


def test_a_suspension_waits_with_its_open_turn_and_names_its_call() -> None:
    state = told(suspended())
    assert tree(state)[0] == "s1 waiting"
    assert step(state, "s1").raw_status == "suspended"
    assert step(state, "s1/t2").raw_status == "started"
    assert step(state, "s1/approval").ref["tool_call_id"] == "w1"
    assert step(state, "s1/approval").ref["waits_for"] == "tool_approval"


def test_a_suspension_leaves_an_ended_turn_completed() -> None:
    state = told(Story().start().turn(1).tell("agent_suspended", **APPROVAL))
    assert step(state, "s1/t1").status is Status.COMPLETED


def test_a_suspension_without_a_reason_is_called_an_approval() -> None:
    assert step(told(Story().start().tell("agent_suspended")), "s1/approval").label == "approval"


def test_a_suspension_after_a_resume_is_another_approval() -> None:
    story = suspended().start().tell("agent_resumed").tell("agent_suspended", **APPROVAL)
    assert [line for line in tree(told(story)) if "approval" in line] == [
        "s1/approval completed",
        "s2/approval waiting",
    ]


def test_a_suspension_after_a_denial_is_another_approval() -> None:
    story = suspended().tell("agent_denied").tell("agent_suspended")
    assert [line for line in tree(told(story)) if "approval" in line] == [
        "s1/approval failed",
        "s1/approval#2 waiting",
    ]


def test_a_resume_ends_the_approval_with_its_event() -> None:
    wait = step(told(suspended().start().tell("agent_resumed")), "s1/approval")
    assert (wait.status, wait.raw_status) == (Status.COMPLETED, "resumed")
    assert wait.last_event == len(suspended().told) + 2
    assert wait.ended_at == ms(10 * wait.last_event)


def test_a_resume_without_an_approval_belongs_to_the_segment() -> None:
    story = Story().start().tell("agent_resumed")
    assert owner_of_last(story) == "s1"
    assert tree(told(story)) == ["s1 running"]


def test_a_denial_is_a_failure_of_the_segment() -> None:
    state = told(suspended().tell("agent_denied"))
    assert (step(state, "s1").error, step(state, "s1").raw_status) == ("denied", "denied")
    assert list(state.failures) == [state.events]


def test_a_denial_without_an_approval_fails_the_segment() -> None:
    story = Story().start().turn(1).tell("agent_denied")
    assert owner_of_last(story) == "s1"
    assert tree(told(story))[0] == "s1 failed"


# Artifacts, guardrails and compaction


def test_the_attempt_of_an_artifact_event_is_its_iteration() -> None:
    story = Story().start().tell("artifact_validation_started", turn=4, attempt=2)
    state = told(story.tell("artifact_revision_started", attempt=2))
    assert tree(state)[1:] == ["s1/artifact running", "s1/artifact[2] running"]
    assert (step(state, "s1/artifact[2]").ref["turn"], step(state, "s1/artifact").iteration) == (
        4,
        None,
    )
    assert step(state, "s1/artifact").ref["current_iteration"] == 2


def test_an_artifact_event_without_an_attempt_belongs_to_the_current_iteration() -> None:
    story = Story().start().tell("artifact_validation_started")
    assert tree(told(story))[-1] == "s1/artifact[1] running"
    story.tell("artifact_revision_started", attempt=3)
    assert owner_of_last(story.tell("artifact_validation_started")) == "s1/artifact[3]"


def test_the_next_iteration_interrupts_an_open_one() -> None:
    story = Story().start()
    story.tell("artifact_validation_started", attempt=1)
    story.tell("artifact_validation_started", attempt=2)
    assert tree(told(story))[2:] == ["s1/artifact[1] interrupted", "s1/artifact[2] running"]


@pytest.mark.parametrize(
    ("ending", "status", "error"),
    [
        ({"result": {"valid": True}}, Status.COMPLETED, None),
        ({"result": {"ok": False, "reason": "no title"}}, Status.FAILED, "no title"),
        ({"result": {"valid": True}, "error": BAD}, Status.FAILED, "it broke"),
        ({}, Status.COMPLETED, None),
    ],
)
def test_a_validation_fails_by_its_verdict_or_its_error(
    ending: dict[str, Any], status: Status, error: str | None
) -> None:
    story = Story().start().tell("artifact_validation_started", attempt=1)
    state = told(story.tell("artifact_validation_finished", attempt=1, **ending))
    iteration = step(state, "s1/artifact[1]")
    assert (iteration.status, iteration.error) == (status, error)
    assert list(state.failures) == ([3] if status is Status.FAILED else [])


@pytest.mark.parametrize(
    ("kind", "status", "raw"),
    [
        ("artifact_finished", Status.COMPLETED, "finished"),
        ("artifact_failed", Status.FAILED, "failed"),
    ],
)
def test_the_end_of_an_artifact_ends_the_loop_and_its_open_iteration(
    kind: str, status: Status, raw: str
) -> None:
    story = Story().start().tell("artifact_validation_started", attempt=1)
    state = told(story.tell(kind, error=BAD) if raw == "failed" else story.tell(kind))
    loop = step(state, "s1/artifact")
    assert tree(state)[1:] == [f"s1/artifact {status}", f"s1/artifact[1] {status}"]
    assert (loop.raw_status, loop.ref["exited"], loop.ref["iterations_completed"]) == (raw, True, 1)
    assert (loop.error, list(state.failures)) == (
        (None, []) if raw == "finished" else ("it broke", [3])
    )


def test_an_artifact_after_the_end_of_another_is_a_loop_of_its_own() -> None:
    story = Story().start()
    for _ in range(2):
        story.tell("artifact_validation_started", attempt=1).tell("artifact_finished")
    assert tree(told(story))[1:] == [
        "s1/artifact completed",
        "s1/artifact[1] completed",
        "s1/artifact#2 completed",
        "s1/artifact#2[1] completed",
    ]


def test_only_blocking_guardrails_are_failures() -> None:
    story = Story().start()
    for action in ("allow", "block"):
        record = {"guardrail": action, "action": action, "stage": "input", "reason": "words"}
        story.tell("guardrail_decision", record=record)
    state = told(story)
    allowed, blocked = step(state, "s1/guard allow"), step(state, "s1/guard block")
    assert (allowed.status, allowed.error, allowed.ref["reason"]) == (
        Status.COMPLETED,
        None,
        "words",
    )
    assert (blocked.status, blocked.error) == (Status.FAILED, "words")
    assert (blocked.ref["stage"], blocked.raw_status) == ("input", "block")
    assert blocked.ended_at == ms(30)
    assert list(state.failures) == [3]


def test_a_guardrail_belongs_to_the_open_turn() -> None:
    story = Story().start().tell("turn_started", turn=1).tell("guardrail_decision")
    assert owner_of_last(story) == "s1/t1/guard"
    story.tell("turn_finished", turn=1).tell("guardrail_decision")
    assert owner_of_last(story) == "s1/guard"


def test_the_end_of_a_compaction_without_its_start_adds_one() -> None:
    story = Story().start().tell("compaction_started").tell("compaction_finished")
    story.tell("compaction_finished", error=BAD)
    state = told(story)
    assert tree(state)[1:] == ["s1/compaction completed", "s1/compaction#2 failed"]
    assert step(state, "s1/compaction#2").error == "it broke"
    assert list(state.failures) == [4]


# Limits and damage


def test_an_exceeded_limit_is_a_failure_with_its_event() -> None:
    breach = {"limit": "maxTokens", "maximum": 10, "observed": 12}
    story = Story().start().turn(1).tell("run_limit_exceeded", breach=breach)
    state = told(story)
    assert owner_of_last(story) == "s1"
    assert state.breaches == [{**breach, "event": state.events}]
    assert list(state.failures) == [state.events]


def test_invalid_events_are_counted_and_only_the_first_are_listed() -> None:
    rows = [(n, n, "tool_execution_started", at(n), "{") for n in range(1, MOST_MALFORMED + 6)]
    state = fold(rows)
    assert state.malformed == list(range(1, MOST_MALFORMED + 1))
    assert state.malformed_count == MOST_MALFORMED + 5
