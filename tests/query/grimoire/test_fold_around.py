"""The fold of what happens around steps: guards, advisories, commits, handoffs, what is unknown."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.model.status import Status
from inspector.model.step import Step, StepKind
from inspector.query.grimoire.event_summary import SUMMARIZED, summary_of
from inspector.query.grimoire.events import KNOWN, fact_of
from inspector.query.grimoire.fold import fold
from inspector.query.grimoire.state import State
from tests.query.grimoire.building import START, Ledger, tree_of


def steps_of(state: State) -> list[Step]:
    return [state.step(number) for number in range(len(state.steps))]


def of_kind(state: State, kind: StepKind) -> list[Step]:
    return [step for step in steps_of(state) if step.kind is kind]


def codes(state: State) -> list[str]:
    return [remark.code for remark in state.remarks]


def test_guards_are_judged_before_and_after() -> None:
    ledger = Ledger().begin().add("guard_passed", guardId="g").step("a")
    ledger.add("guard_failed", guardId="g", severity="halt", message="too small")
    first, last = of_kind(fold(ledger.ready("rejected").entries), StepKind.GUARD)
    assert (first.status, first.ref["phase"]) == (Status.COMPLETED, "before")
    assert (last.status, last.ref["phase"], last.error) == (Status.FAILED, "after", "too small")


def test_a_guard_that_warns_is_a_finding_and_no_failure() -> None:
    ledger = Ledger().begin().add("guard_failed", guardId="g", severity="warn", message="large")
    state = fold(ledger.ready().entries)
    (guard,) = of_kind(state, StepKind.GUARD)
    assert (guard.status, guard.raw_status) == (Status.COMPLETED, "failed (warn)")
    assert codes(state) == ["guard_warned"]
    assert list(state.failures) == []


def test_an_advisory_with_its_tool_calls() -> None:
    ledger = Ledger().begin().add("step_started", stepId="a", kind="advisory")
    ledger.add("advisory_started", stepId="a", advisor="r", prompt="what now")
    ledger.add("advisory_model_used", stepId="a", provider="p", modelId="m")
    for call, failed in (("t1", False), ("t2", True)):
        tool = {"stepId": "a", "toolCallId": call, "toolName": "web"}
        ledger.add("advisory_tool_execution_start", **tool, args={})
        ledger.add("advisory_tool_execution_update", **tool, partial="…")
        ledger.add("advisory_tool_execution_end", **tool, result="r", isError=failed)
    ledger.add("advisory_completed", stepId="a", advisor="r", output="hold")
    ledger.add("step_completed", stepId="a", result="hold").ready()
    state = fold(ledger.entries)
    (advisory,) = of_kind(state, StepKind.ADVISORY)
    assert (advisory.label, advisory.ref["model"]) == ("a: r: what now", "p/m")
    tools = of_kind(state, StepKind.TOOL_CALL)
    assert [tool.status for tool in tools] == [Status.COMPLETED, Status.FAILED]
    assert {tool.parent for tool in tools} == {advisory.id}


def test_an_advisory_that_a_guard_asks_for_has_no_step() -> None:
    ledger = Ledger().begin().add("advisory_started", stepId="g", advisor="r", prompt="ok?")
    ledger.add("advisory_failed", stepId="g", advisor="r", error="busy", fallback=True)
    ledger.add("advisory_completed", stepId="g", advisor="r", output=True)
    ledger.add("guard_passed", guardId="g").ready()
    state = fold(ledger.entries)
    (advisory,) = of_kind(state, StepKind.ADVISORY)
    assert (advisory.status, advisory.error) == (Status.COMPLETED, "busy")
    assert not state.unclosed


def test_transactions_are_matched_in_the_order_of_top_level_actions() -> None:
    ledger = Ledger().begin().action("a", "1").action("b", "2")
    ledger.add("step_started", stepId="loop", kind="loop").action("nested", "9")
    ledger.add("step_completed", stepId="loop", result={"iterations": 1, "resultsCount": 1})
    ledger.action("c", "3").ready().add("commit_started")
    sent = [("a", "1"), ("b", "2"), ("c", "3")]
    for n, (_, amount) in enumerate(sent):
        action = {"amount": amount, "type": "swap", "assetOut": "ETH", "assetIn": "USDC"}
        ledger.add("action_submitted", action=action, txHash=f"0x{n}")
        ledger.add("action_confirmed", txHash=f"0x{n}", gasUsed=str(100 + n))
    state = fold(ledger.add("commit_completed", success=True).entries)
    commit = [s for s in of_kind(state, StepKind.ACTION) if s.id.startswith("commit/")]
    assert [(s.ref["step_id"], s.ref["tx_hash"], s.ref["gas_used"]) for s in commit] == [
        ("a", "0x0", 100), ("b", "0x1", 101), ("c", "0x2", 102),
    ]  # fmt: skip
    assert not codes(state)
    nested = [s for s in of_kind(state, StepKind.ACTION) if s.ref["step_id"] == "nested"]
    assert [s.ref["nested"] for s in nested] == [True]


def test_a_nested_action_is_not_taken_for_the_one_that_was_sent() -> None:
    ledger = Ledger().begin().add("step_started", stepId="p", kind="parallel").action("nested")
    ledger.add("step_completed", stepId="p", result={}).action("top").ready().commit("top")
    state = fold(ledger.entries)
    sent = [s for s in of_kind(state, StepKind.ACTION) if s.id.startswith("commit/")]
    assert [(s.ref["step_id"], s.ref["tx_hash"]) for s in sent] == [("top", "0x0")]


def test_gas_beyond_any_number_is_added_up() -> None:
    ledger = Ledger().begin().action("a").ready().add("commit_started")
    action = {"type": "swap", "assetIn": "USDC", "assetOut": "ETH", "amount": "100"}
    ledger.add("action_submitted", action=action, txHash="0x0")
    for _ in range(2):
        ledger.add("action_confirmed", txHash="0x0", gasUsed=str(2**300))
    state = fold(ledger.entries)
    assert of_kind(state, StepKind.ACTION)[-1].ref["gas_used"] == 2**301


def test_what_the_commit_did_not_reach_was_not_sent() -> None:
    ledger = Ledger().begin().action("a").action("b").action("c").ready()
    ledger.add("commit_started")
    for step in "abc":
        ledger.add("drift_check", field=f"quote:{step}:ETH", passed=True, previewValue="1",
                   commitValue="1")  # fmt: skip
    action = {"type": "swap", "assetIn": "USDC", "assetOut": "ETH", "amount": "100"}
    ledger.add("action_submitted", action=action, txHash="order-1")
    state = fold(ledger.add("commit_completed", success=False).entries)
    commit = [s for s in of_kind(state, StepKind.ACTION) if s.id.startswith("commit/")]
    assert [s.raw_status for s in commit] == ["submitted", "not sent", "not sent"]
    assert commit[0].status is Status.UNCONFIRMED
    assert codes(state) == ["never_confirmed"]


def test_drift_is_preview_against_commit() -> None:
    ledger = Ledger().begin().action("a").ready().add("commit_started")
    ledger.add("drift_check", field="quote:a:ETH", passed=False, previewValue="1000",
               commitValue="900")  # fmt: skip
    state = fold(ledger.add("commit_completed", success=False).entries)
    (check,) = [s for s in of_kind(state, StepKind.NODE)]
    assert (check.label, check.status) == ("quote ETH: 1,000 → 900", Status.FAILED)
    assert (check.ref["preview_value"], check.ref["commit_value"]) == ("1000", "900")
    assert codes(state) == ["drifted"]


def test_a_transaction_that_was_not_planned_is_said() -> None:
    ledger = Ledger().begin().ready().add("commit_started")
    ledger.add("action_submitted", action={"type": "swap"}, txHash="0x1")
    ledger.add("action_confirmed", txHash="0x2", gasUsed="1")
    state = fold(ledger.entries)
    assert codes(state) == ["action_unplanned", "transaction_unknown"]


def test_what_the_chain_undid_failed() -> None:
    ledger = Ledger().begin().action("a").ready().add("commit_started")
    action = {"type": "swap", "assetIn": "USDC", "assetOut": "ETH", "amount": "100"}
    ledger.add("action_submitted", action=action, txHash="0x1")
    ledger.add("action_reverted", txHash="0x1", reason="out of gas")
    state = fold(ledger.add("commit_completed", success=False).entries)
    step = of_kind(state, StepKind.ACTION)[-1]
    assert (step.status, step.raw_status, step.error) == (Status.FAILED, "reverted", "out of gas")


def test_what_a_cross_chain_run_adds_stands_apart() -> None:
    ledger = Ledger().begin().action("b").ready()
    ledger.add(
        "handoff_submitted",
        "evt_cc_9",
        handoffId="handoff:b",
        trackId="source",
        asset="USDC",
        submittedAmount="5",
        originChainId=1,
        destinationChainId=2,
    )
    ledger.add("track_waiting", "evt_cc_10", trackId="destination", chainId=2)  # fmt: skip
    state = fold(ledger.entries)
    assert tree_of(state)[1] == (
        "cross-chain", [("handoff:b: chain 1 → 2", []), ("destination: chain 2", [])]
    )  # fmt: skip
    group = steps_of(state)[-3]
    assert group.status is Status.WAITING
    ledger.add("handoff_settled", "evt_cc_11", handoffId="handoff:b", settledAmount="5")
    ledger.add("track_resumed", "evt_cc_12", trackId="destination")
    ledger.add("track_completed", "evt_cc_13", trackId="destination", success=True)
    state = fold(ledger.entries)
    assert [step.status for step in steps_of(state)[-3:]] == [Status.COMPLETED] * 3


def test_a_type_that_is_not_known_is_shown_as_it_stands() -> None:
    ledger = Ledger().begin().add("future_type", anything=[1, "2"]).ready()
    state = fold(ledger.entries)
    (node,) = of_kind(state, StepKind.NODE)
    assert node.label == 'future_type: {"anything": [1, "2"]}'
    assert (node.status, node.raw_status) == (Status.UNKNOWN, "future_type")


@pytest.mark.parametrize(
    "entry",
    [None, 7, "x", [], {}, {"event": None}, {"event": {}}, {"event": {"type": 5}}, {"event": []}],
)
def test_entries_without_an_event_cost_nobody_else(entry: Any) -> None:
    ledger = Ledger().begin().step("a").ready()
    state = fold([*ledger.entries, entry])
    assert state.events == len(ledger.entries) + 1
    assert codes(state) == ["malformed_entry"]
    assert summary_of(fact_of(1, entry)).startswith("an entry without an event")


def test_an_event_of_any_type_may_lack_everything() -> None:
    for kind in sorted(KNOWN):
        state = fold([{"event": {"type": kind}}, {"event": {"type": kind, "stepId": 4}}])
        assert len(state.event_step) == 2
        assert summary_of(fact_of(1, {"event": {"type": kind}}))


def test_every_known_type_has_words_of_its_own() -> None:
    assert KNOWN == SUMMARIZED
    assert len(KNOWN) == 48


def test_lines_keep_every_digit() -> None:
    ledger = Ledger().move("USDC", str(2**300), "credit")
    text = summary_of(fact_of(1, ledger.entries[0]))
    assert str(2**300) in text.replace(",", "")


@pytest.mark.parametrize("stamp", [None, "x", True, float("inf"), 1e300, 10**30, [], {}])
def test_an_instant_that_is_none_is_no_instant(stamp: Any) -> None:
    entry = {"timestamp": stamp, "event": {"type": "run_started"}}
    assert fact_of(1, entry).at is None
    assert fold([entry]).instants == 0


def test_clocks_that_go_backwards_are_said() -> None:
    ledger = Ledger().begin()
    ledger.at = START - 5000
    assert "clock_skew" in codes(fold(ledger.step("a").entries))
