"""The rules that the docstrings of the fold state, one test each."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.model.status import Status
from inspector.model.step import Step, StepKind
from inspector.query.grimoire.fold import fold
from inspector.query.grimoire.state import State
from tests.query.grimoire.building import Ledger


def folded(ledger: Ledger) -> State:
    return fold(ledger.entries)


def owner(state: State, event: int) -> Step:
    """Return the step of an event, counted from the end if negative."""
    return state.step(state.event_step[event if event < 0 else event - 1])


def named(state: State, path: str) -> Step:
    steps = (state.step(number) for number in range(len(state.steps)))
    return next(step for step in steps if step.id == path)


def codes(state: State) -> list[str]:
    return [remark.code for remark in state.remarks]


def committed() -> Ledger:
    ledger = Ledger().begin().action("swap").ready()
    ledger.add("commit_started", receiptId="r")
    return ledger.add("action_submitted", txHash="0x1", action=swap())


def swap(**fields: Any) -> dict[str, Any]:
    return {"type": "swap", "assetIn": "USDC", "assetOut": "ETH", "amount": "100", **fields}


def test_a_move_before_the_commit_belongs_to_the_previewed_step() -> None:
    assert owner(folded(Ledger().begin().action("swap")), -1).id == "preview/swap"


def test_a_move_in_the_commit_belongs_to_the_step_of_the_commit() -> None:
    state = folded(committed().move("USDC", "3", "loss:swap:slippage"))
    assert owner(state, -1).id == "commit/swap"


def test_a_move_in_the_commit_of_a_step_not_sent_belongs_to_its_preview() -> None:
    ledger = Ledger().begin().step("note").action("swap").ready()
    ledger.add("commit_started", receiptId="r").move("USDC", "3", "fee:note:rebate")
    assert owner(folded(ledger), -1).id == "preview/note"


def test_a_move_that_names_no_step_belongs_to_the_current_step() -> None:
    ledger = Ledger().begin().add("step_started", stepId="loop", kind="loop")
    assert owner(folded(ledger.move("USDC", "3", "other")), -1).id == "preview/loop"


@pytest.mark.parametrize("kind", ["handoff_lost", "track_lost", "odd"])
def test_a_lifecycle_entry_of_an_unknown_type_belongs_to_the_group(kind: str) -> None:
    ledger = Ledger().begin().ready().add(kind, "evt_cc_1", handoffId="h", trackId="t")
    assert owner(folded(ledger), -1).id == "lifecycle"


@pytest.mark.parametrize(
    ("kinds", "status"),
    [
        (("handoff_submitted", "track_failed"), Status.WAITING),
        (("handoff_expired", "track_resumed"), Status.FAILED),
        (("handoff_settled", "track_resumed"), Status.RUNNING),
        (("handoff_settled",), Status.COMPLETED),
    ],
)
def test_the_lifecycle_has_the_most_urgent_status_of_its_members(
    kinds: tuple[str, ...], status: Status
) -> None:
    ledger = Ledger().begin().ready()
    for number, kind in enumerate(kinds):
        name = "track_completed" if kind == "track_failed" else kind
        ledger.add(name, f"evt_cc_{number}", handoffId="h", trackId="t", success=False)
    assert named(folded(ledger), "lifecycle").status is status


def test_an_open_step_that_encloses_none_has_no_end_once_another_starts() -> None:
    ledger = Ledger().begin().add("step_started", stepId="a", kind="compute").step("b")
    state = folded(ledger)
    assert named(state, "preview/a").status is Status.UNKNOWN
    assert named(state, "preview/b").status is Status.COMPLETED
    assert [state.id_of(step) for step in state.unclosed] == ["a"]


def test_a_step_of_an_unknown_kind_encloses_what_starts_inside() -> None:
    ledger = Ledger().begin().add("step_started", stepId="new", kind="from_the_future").step("a")
    state = folded(ledger.add("step_completed", stepId="new"))
    assert named(state, "preview/new/a").status is Status.COMPLETED


def test_a_branch_is_over_at_the_first_step_that_it_does_not_name() -> None:
    ledger = Ledger().begin().step("if", "conditional", branchSteps=["a", "b"])
    state = folded(ledger.step("a").step("c").step("b"))
    for path in ("preview/if/a", "preview/c", "preview/b"):
        assert named(state, path).status is Status.COMPLETED


def test_empty_iterations_are_added_as_recorded() -> None:
    state = folded(Ledger().begin().step("loop", "loop", iterations=2, resultsCount=0))
    kinds = [state.steps.kind_of(number) for number in range(len(state.steps))]
    assert kinds.count(StepKind.ITERATION) == 2
    assert "rounds_differ" not in codes(state)


def test_a_single_attempt_is_the_try_itself() -> None:
    ledger = Ledger().begin().add("step_started", stepId="t", kind="try").step("a")
    state = folded(ledger.add("step_completed", stepId="t"))
    assert named(state, "preview/t/a").status is Status.COMPLETED


def test_the_maximum_of_attempts_is_one_more_than_the_retries() -> None:
    ledger = Ledger().begin().add("step_started", stepId="a", kind="action")
    ledger.add("retry_attempted", stepId="a", attempt=1)
    ledger.add("retry_exhausted", stepId="a", attempts=1).add("step_failed", stepId="a")
    step = named(folded(ledger), "preview/a")
    assert step.max_attempts == 2
    assert [one.status for one in step.attempts] == [Status.FAILED, Status.FAILED]


def test_a_skip_after_a_failure_belongs_to_the_failed_step() -> None:
    state = folded(Ledger().begin().fail("a").add("step_skipped", stepId="a", reason="optional"))
    step = named(state, "preview/a")
    assert (step.status, step.ref["reason"]) == (Status.SKIPPED, "optional")


def test_run_completed_keeps_the_failure_of_the_preview() -> None:
    ledger = Ledger().begin().add("run_failed", error="boom").add("run_completed", success=True)
    preview = named(folded(ledger), "preview")
    assert (preview.status, preview.error) == (Status.FAILED, "boom")


def test_a_failure_of_the_preview_is_not_counted_after_that_of_a_step() -> None:
    state = folded(Ledger().begin().fail("a").add("run_failed", error="boom"))
    assert list(state.failures) == [4]
    assert list(folded(Ledger().begin().add("run_failed", error="boom")).failures) == [3]


def test_an_advisory_without_a_step_ends_with_its_answer() -> None:
    ledger = Ledger().begin().add("advisory_started", stepId="g", advisor="r", prompt="?")
    assert named(folded(ledger), "preview/g").status is Status.RUNNING
    answered = folded(ledger.add("advisory_completed", stepId="g", advisor="r"))
    assert named(answered, "preview/g").status is Status.COMPLETED


def test_every_start_of_a_tool_call_adds_one() -> None:
    ledger = Ledger().begin().add("step_started", stepId="a", kind="advisory")
    for _ in range(2):
        tool = {"stepId": "a", "toolCallId": "t", "toolName": "web"}
        ledger.add("advisory_tool_execution_start", **tool)
        ledger.add("advisory_tool_execution_end", **tool)
    state = folded(ledger)
    calls = [n for n in range(len(state.steps)) if state.steps.kind_of(n) is StepKind.TOOL_CALL]
    assert [state.steps.status_of(number) for number in calls] == [Status.COMPLETED] * 2


def test_what_failed_in_the_preview_is_not_planned() -> None:
    ledger = Ledger().begin().add("step_started", stepId="a", kind="action")
    ledger.add("action_simulated", action=swap(), result={"success": False})
    ledger.add("step_failed", stepId="a", error="boom").action("b").ready()
    ledger.add("commit_started", receiptId="r").add("action_submitted", txHash="0x", action=swap())
    assert owner(folded(ledger), -1).id == "commit/b"


def test_a_sent_action_is_the_next_planned_one_that_equals_it() -> None:
    ledger = Ledger().begin().action("a").action("b", "7").ready()
    ledger.add("commit_started", receiptId="r")
    state = folded(ledger.add("action_submitted", txHash="0x", action=swap(amount="7")))
    assert owner(state, -1).id == "commit/b"
    assert codes(state) == []


def test_a_sent_action_that_equals_none_is_the_next_planned_one() -> None:
    ledger = Ledger().begin().action("a").ready().add("commit_started", receiptId="r")
    state = folded(ledger.add("action_submitted", txHash="0x", action=swap(amount="8")))
    assert owner(state, -1).id == "commit/a"
    assert codes(state) == ["action_differs"]


def test_an_action_skipped_in_the_commit_passes_over_those_planned_before() -> None:
    ledger = Ledger().begin().action("a").action("b").action("c").ready()
    ledger.add("commit_started", receiptId="r").add("step_skipped", stepId="b", reason="limit")
    state = folded(ledger.add("action_submitted", txHash="0x", action=swap()))
    assert named(state, "commit/b").status is Status.SKIPPED
    assert owner(state, -1).id == "commit/c"


def test_the_end_of_a_commit_tells_unsent_from_unconfirmed() -> None:
    ledger = Ledger().begin().action("a").action("b").ready().add("commit_started", receiptId="r")
    ledger.add("drift_check", field="price:b:x", passed=True)
    ledger.add("action_submitted", txHash="0x", action=swap())
    state = folded(ledger.add("commit_completed", success=False))
    assert named(state, "commit/b").status is Status.SKIPPED
    assert named(state, "commit/a").status is Status.UNCONFIRMED


def test_gas_of_several_confirmations_is_added_up() -> None:
    ledger = committed().add("action_confirmed", txHash="0x1", gasUsed="21")
    state = folded(ledger.add("action_confirmed", txHash="0x1", gasUsed="2"))
    assert named(state, "commit/swap").ref["gas_used"] == 23


@pytest.mark.parametrize("kind", ["action_confirmed", "action_reverted"])
def test_an_unknown_transaction_is_remarked(kind: str) -> None:
    state = folded(Ledger().begin().add(kind, txHash="0x9"))
    assert owner(state, -1).id == "preview"
    assert codes(state) == ["transaction_unknown"]
