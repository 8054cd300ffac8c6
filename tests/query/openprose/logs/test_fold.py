"""Marker lines to steps, shape by shape."""

from __future__ import annotations

from tests.query.openprose.logs.folding import Steps
from tests.query.openprose.logs.shapes import DELEGATED, ELDER


def test_the_elder_log() -> None:
    steps = Steps(ELDER)
    assert steps.statuses() == {
        "1": "completed",
        "p2": "completed",
        "p2.a": "completed",
        "p2.b": "completed",
        "p2.c": "completed",
        "l3": "completed",
        "l3[1]": "completed",
        "l3[1]/3": "completed",
        "b43": "completed",
        "b43/4": "completed",
        "b43/b44": "completed",
        "b43/b44/4": "completed",
        "5": "completed",
        "end": "completed",
    }
    loop = steps["l3"]
    assert (loop.of, loop.ref["exited"], loop.ref["reason"]) == (5, True, "**complete**")
    assert (loop.ref["iterations_completed"], loop.ref["current_iteration"]) == (1, 2)
    inner = steps["b43/b44/4"]
    assert (inner.ref["frame"], inner.ref["depth"], inner.label) == (44, 2, "split")
    assert steps["b43"].ref["result"] == "BASE_CASE" and steps["b43"].ref["closed"]
    retried = steps["5"]
    assert [one.status.value for one in retried.attempts] == ["failed", "completed"]
    assert retried.attempts[0].error == "timeout" and retried.error is None
    assert retried.max_attempts == 3


def test_delegates_are_inside_the_node_that_called_them() -> None:
    steps = Steps(DELEGATED)
    server = steps["4"]
    assert server.status == "completed" and len(server.attempts) == 1
    assert server.ref["delegates"] == [
        {"delegate": "synthesizer", "id": "req-001", "answered": True}
    ]
    assert steps["4/synthesizer"].parent == "4"
    halfway = Steps(DELEGATED[: DELEGATED.index("4→   syn")])["4"]
    assert halfway.status == "waiting"
    assert halfway.ref["delegates"][0]["answered"] is False
    resumed = Steps(DELEGATED[: DELEGATED.index("4→ server ✓")])["4"]
    assert resumed.status == "running"


def test_an_assertion_ends_with_its_verdict() -> None:
    steps = Steps(DELEGATED)
    assert steps["5"].label == "[eval] answer ⇒ cites ✓ two sources"
    assert (steps["5#2"].status, steps["5#2"].ref["tag"]) == ("failed", "eval")
    assert (steps["test"].status, steps["test"].error) == ("failed", "1/2 assertions")


def test_a_number_may_stand_for_several_statements() -> None:
    steps = Steps(["1→ [input] a ✓", "1→ [input] b ✓", "1→ [input] a ✗ gone"])
    assert steps.statuses() == {"1": "failed", "1#2": "completed"}
    assert [one.status.value for one in steps["1"].attempts] == ["completed", "failed"]


def test_a_join_without_a_start_closes_what_the_letters_made() -> None:
    steps = Steps(["6a→ namer ✓ (17/20)", "6b→ sorter ✗ slow", "6→ ∥done (spent $1)"])
    assert steps.statuses() == {"p6": "completed", "p6.namer": "completed", "p6.sorter": "failed"}
    assert steps["p6"].ref["joined"] and steps["p6"].ref["note"] == "spent $1"
    assert not steps.state.remarks


def test_members_are_told_by_name_then_by_letter() -> None:
    steps = Steps(["3→ ∥start x,y,z", "3b→ y ✓", "3c→ critic ✓", "3c→ again ✓", "3→ z ✗ no"])
    assert steps["p3.y"].status == "completed"
    assert (steps["p3.z"].label, steps["p3.z"].error) == ("critic", "no")
    assert steps["p3.z/3"].label == "again"
    assert steps["p3.x"].status == "pending" and steps["p3.x"].raw_status is None


def test_members_before_their_start() -> None:
    steps = Steps(["3a→ x ✓", "3→ ∥start x,y", "3b→ y ✓", "3→ ∥done"])
    assert steps.statuses() == {"p3": "completed", "p3.x": "completed", "p3.y": "completed"}
    assert steps["p3"].label == "∥start x,y"


def test_the_elder_join_names_its_members() -> None:
    steps = Steps(["∥ [a b c] done"])
    assert set(steps.statuses().values()) == {"completed"}
    assert [step.ref["branch"] for step in steps.by_id.values() if step.kind == "branch"] == [
        "a", "b", "c",
    ]  # fmt: skip


def test_a_parallel_that_begins_again_is_another_instance() -> None:
    steps = Steps(["3→ ∥start a", "3a→ a ✓", "3→ ∥done", "3→ ∥start a", "3a→ a ✗ no"])
    assert (steps["p3"].instance, steps["p3#2"].instance) == (1, 2)
    assert (steps["p3.a"].status, steps["p3#2.a"].status) == ("completed", "failed")
    unended = Steps(["3→ ∥start a", "3→ ∥start a"])
    assert unended["p3"].status == "interrupted"
    assert [one.code for one in unended.state.remarks] == ["superseded"]


def test_a_line_that_is_being_written_supersedes_nothing() -> None:
    steps = Steps("3→ ∥start a,b\n3a→ a ✓\n3→ ∥d")
    assert steps.statuses() == {"p3": "running", "p3.a": "completed", "p3.b": "pending"}
    again = Steps("4→ w ✓\n4→ w")
    assert (again["4"].status, again["4"].last_event) == ("completed", 2)
    assert Steps("4→ wri")["4"].status == "pending"
    assert Steps("4→ wri\n")["4"].status == "unknown"


def test_a_loop_goes_on_though_its_number_advances() -> None:
    steps = Steps(["5→ loop:1/50", "5→ a ✓", "6→ loop:2/50", "6→ a ✓", "7→ loop:3/50 exit(done)",
                   "8→ b ✓"])  # fmt: skip
    assert [name for name in steps.by_id if name != "8"] == [
        "l5", "l5[1]", "l5[1]/5", "l5[2]", "l5[2]/6",
    ]  # fmt: skip
    assert steps["l5"].status == "completed" and steps["8"].parent is None
    assert steps["l5"].ref["iterations_seen"] == 2


def test_loops_inside_one_another() -> None:
    lines = ["3→ loop:1/5", "4→ loop:1/2", "4→ x ✓", "4→ loop:2/2", "3→ loop:2/5", "3→ y ✓"]
    steps = Steps(lines)
    assert steps["l3[1]/l4[2]"].status == "unknown", "its end is not recorded"
    assert steps["l3[1]/l4"].status == "unknown" and steps["l3"].status == "running"
    assert steps["l3[2]/3"].label == "y"


def test_one_loop_after_another() -> None:
    steps = Steps(["3→ loop:1/2", "3→ loop:2/2", "4→ loop:1/2", "4→ x ✓"])
    assert steps["l4"].parent is None and steps["l3"].status == "unknown"
    assert steps["l4[1]/4"].label == "x"


def test_a_loop_that_begins_again() -> None:
    steps = Steps(["3→ loop:1/5", "3→ loop:2/5", "3→ loop:1/5", "3→ x ✓"])
    assert (steps["l3"].status, steps["l3#2"].status) == ("interrupted", "running")
    assert steps["l3#2[1]/3"].label == "x"


def test_an_exit_is_all_that_is_recorded() -> None:
    steps = Steps(["loop:2/5 exit"])
    (loop,) = steps.by_id.values()
    assert (loop.kind, loop.status, loop.of) == ("loop", "completed", 5)
    assert loop.ref["iterations_completed"] == 2


def test_a_loop_in_a_branch() -> None:
    steps = Steps(["3→ ∥start a,b", "3a→ loop:1/3", "3a→ x ✓", "3b→ b ✓", "3a→ loop:1/3 exit",
                   "3a→ a ✓", "3→ ∥done"])  # fmt: skip
    assert steps["p3.a/l3"].status == "completed"
    assert steps["p3.b"].status == "completed" and steps["p3"].ref["joined"]


def test_a_retry_of_a_named_statement_and_of_a_branch() -> None:
    steps = Steps(["4→ node ✗ late", "4→ retry:2/3", "4→ ✓"])
    assert list(steps.by_id) == ["4"] and steps["4"].status == "completed"
    assert [one.n for one in steps["4"].attempts] == [1, 2]
    waiting = Steps(["4→ node ✗ late", "4→ retry:2/3"])
    assert waiting["4"].raw_status == "retry" and waiting["4"].attempts[-1].status == "running"
    named_late = Steps(["4→ ✗ late", "4→ retry:2/3", "4→ node ✓", "4→ other ✓"])
    assert {name: step.label for name, step in named_late.by_id.items()} == {
        "4": "node", "4#2": "other",
    }  # fmt: skip
    assert len(named_late["4"].attempts) == 2 and named_late["4"].status == "completed"
    branch = Steps(["3→ ∥start a,b", "3a→ a ✗ late", "3a→ retry:2/2", "3a→ a ✓"])
    assert len(branch["p3.a"].attempts) == 2 and branch["p3.a"].status == "completed"
    alone = Steps(["5→ retry:2/3", "5→ ✓"])
    assert [one.status.value for one in alone["5"].attempts] == ["unknown", "completed"]


def test_blocks_that_were_never_begun() -> None:
    steps = Steps(["4→ #7 x ✓", "4→ #7 done"])
    assert steps["b7"].status == "completed" and steps["b7/4"].parent == "b7"


def test_what_comes_after_the_end_opens_the_run_again() -> None:
    lines = ["1→ a ⊘ deferred (x)", "---end 2026-01-01T00:00:00Z (partial: a)",
             "---resume 2026-01-02T00:00:00Z (rebuilt)", "1→ a ✓"]  # fmt: skip
    open_again = Steps(lines)
    assert open_again.state.ended is None
    (remark,) = open_again.state.remarks
    assert (remark.code, remark.line, remark.detail) == ("re_opened", 3, "2\nrebuilt")
    ended = Steps([*lines, "---end 2026-01-03T00:00:00Z"])
    assert ended.state.ended is not None and ended.state.ended.at == "2026-01-03T00:00:00Z"
    assert [one.status.value for one in ended["1"].attempts] == ["skipped", "completed"]
    assert len(ended.state.remarks) == 1
    tested = Steps(["1→ a ✓", "---end", "---test PASS", "", "all good"])
    assert tested.state.ended is not None and not tested.state.remarks


def test_failures_point_at_the_step_that_failed() -> None:
    steps = Steps(["1→ a ✗ x", "2→ b ✓", "---error 2026-01-01T00:00:00Z a.x"])
    assert list(steps.state.failures) == [1]
    assert list(Steps(["1→ a ✓", "---error boom"]).state.failures) == [2]


def test_a_value_confirms_a_branch_only_once() -> None:
    lines = ["3→ ∥start a,b", "3a→ a ✓"]
    assert Steps(lines, names=["a", "b"])["p3.b"].status == "unconfirmed"
    assert Steps(lines, names=["a"])["p3.b"].status == "pending"
    assert Steps([*lines, "3→ ∥done"], names=["b"])["p3.b"].status == "not_needed"
    twice = ["3→ ∥start b", "3a→ b ✓", "3→ ∥done", "3→ ∥start b"]
    assert Steps(twice, names=["b"])["p3#2.b"].status == "pending"


def test_events_belong_to_steps() -> None:
    steps = Steps(ELDER)
    assert [steps.of_event(n) for n in range(1, steps.state.events + 1)] == [
        "1", "p2", "p2.a", "p2.b", "p2.c", "p2", "l3[1]", "l3[1]/3", "l3", "b43", "b43/4",
        "b43/b44", "b43/b44/4", "b43/b44", "b43", "5", "5", "5", "end",
    ]  # fmt: skip
