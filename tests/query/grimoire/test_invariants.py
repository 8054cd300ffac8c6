"""What holds for any ledger: every event has one step, rounds add up, nothing is negative."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.derive.steps import NO_TIME
from inspector.model.step import StepKind
from inspector.query.grimoire import ledger_text
from inspector.query.grimoire.events import KNOWN
from inspector.query.grimoire.fold import apply, fold
from inspector.query.grimoire.js import Unreadable
from inspector.query.grimoire.state import State
from tests.case_archives import Cases
from tests.query.grimoire.building import Tree, tree_of
from tests.query.grimoire.programs import Statement, run, statements

REAL = [
    "all_spells",
    "treasury",
    "nested",
    "failing",
    "cross_chain",
    "all_events",
    "advisory",
    "cli_counter",
]
LIFECYCLE_ONLY = {"unknown_event"}


def check(state: State, count: int) -> None:
    """The invariants of every fold."""
    steps = state.steps
    assert state.events == len(state.event_step) == count
    assert all(0 <= step < len(steps) for step in state.event_step)
    paths = [steps.path(number) for number in range(len(steps))]
    assert len(set(paths)) == len(paths)
    for number in range(len(steps)):
        assert -1 <= steps.parent[number] < number
        assert 1 <= steps.first[number] <= steps.last[number] <= steps.span_last[number] <= count
        check_inside(state, number)
    owned = [step for step in range(len(steps)) if step in set(state.event_step)]
    for step in owned:
        own = [n for n, owner in enumerate(state.event_step, 1) if owner == step]
        assert own[-1] == steps.last[step]
    assert sum(steps.leaf_counts) == sum(
        not children for children in steps.children_of[: len(steps)]
    )
    check_rounds(state)


def check_inside(state: State, number: int) -> None:
    """A step lies within the step around it, and takes no negative time."""
    steps = state.steps
    parent = steps.parent[number]
    if parent >= 0:
        assert steps.first[parent] <= steps.first[number]
        assert steps.span_last[number] <= steps.span_last[parent]
    begun, ended = steps.started[number], steps.ended[number]
    if NO_TIME not in (begun, ended) and "clock_skew" not in state.remark_counts:
        assert ended >= begun


def check_rounds(state: State) -> None:
    """A loop that says how many rounds it had has as many."""
    steps = state.steps
    if state.remark_counts["rounds_differ"] or state.found:
        return
    for number in range(len(steps)):
        extra = steps.extra.get(number)
        if steps.kind_of(number) is StepKind.LOOP and extra and "iterations" in extra.ref:
            rounds = [n for n in range(len(steps)) if steps.parent[n] == number]
            assert [steps.iteration(n) for n in rounds] == list(
                range(1, extra.ref["iterations"] + 1)
            )
            assert all(steps.kind_of(n) is StepKind.ITERATION for n in rounds)


@settings(max_examples=80, deadline=None)
@given(statements())
def test_any_program_is_rebuilt_as_it_ran(program: list[Statement]) -> None:
    ledger, tree = run(program)
    state = fold(ledger.entries)
    expected: Tree = [("preview", tree)]
    assert tree_of(state) == expected
    assert not state.remarks
    assert not state.unclosed
    check(state, len(ledger.entries))


@settings(max_examples=40, deadline=None)
@given(statements(), st.data())
def test_the_past_is_the_beginning_of_what_is_known(
    program: list[Statement], data: st.DataObject
) -> None:
    """After its first N events a run has the steps that those events are of, under the same ids."""
    ledger, _ = run(program)
    whole = fold(ledger.entries)
    event = data.draw(st.integers(0, len(ledger.entries)))
    past = State(hints=whole.hints)
    for entry in ledger.entries[:event]:
        apply(past, entry)
    assert past.event_step == whole.event_step[:event]
    paths = [past.steps.path(number) for number in range(len(past.steps))]
    assert paths == [whole.steps.path(number) for number in range(len(past.steps))]


EVENTS = st.fixed_dictionaries(
    {"type": st.sampled_from([*sorted(KNOWN), "future"])},
    optional={
        "stepId": st.sampled_from(["a", "b", "c", None, 5]),
        "kind": st.sampled_from(["compute", "loop", "try", "conditional", "parallel", "new"]),
        "result": st.sampled_from(
            [
                None, {}, {"iterations": 2, "resultsCount": 2}, {"iterations": 1e9},
                {"branchSteps": ["a", "b"]}, {"branchSteps": 5}, {"halted": True}, [],
            ]
        ),
        "txHash": st.sampled_from(["0x1", "0x2", None]),
        "field": st.sampled_from(["quote:a:X", "gas:a", "", ":", None]),
        "status": st.sampled_from(["ready", "rejected", None, 3]),
        "success": st.sampled_from([True, False, None]),
        "action": st.sampled_from([{"type": "swap"}, None, "x", {"amount": 1}]),
        "delta": st.sampled_from([{"asset": "A", "amount": "1", "reason": "action:a:input"}, 5]),
        "gasUsed": st.sampled_from(["1", "x", None, 2**70]),
    },
)  # fmt: skip
STAMPS = st.none() | st.integers(0, 10**13)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(EVENTS, STAMPS), max_size=40))
def test_nothing_that_a_ledger_may_hold_breaks_the_fold(
    told: list[tuple[dict[str, Any], int | None]],
) -> None:
    ledger = [
        {"id": f"evt_{n}", "timestamp": at, "event": event} for n, (event, at) in enumerate(told)
    ]
    state = State()
    for entry in ledger:
        apply(state, entry)
    check(state, len(ledger))
    check(fold(ledger), len(ledger))


def test_real_ledgers_leave_nothing_unexplained(cases: Cases) -> None:
    """Every ledger of the real spells and of the mock-venue runs."""
    from tests.query.grimoire.reading import ledgers_of

    counted = 0
    for name in REAL:
        for spell, text in ledgers_of(cases.folder("grimoire") / name / "grimoire.db"):
            try:
                found = [value for _, value in ledger_text.entries(text)]
            except Unreadable:
                continue
            state = fold(found)
            check(state, len(found))
            unknown = [remark for remark in state.remarks if remark.code == "unknown_event"]
            assert len(unknown) == (spell == "AllEvents")
            assert not state.remark_counts["malformed_entry"]
            assert not state.remark_counts["rounds_differ"]
            counted += 1
    print(f"\nGrimoire ledgers rebuilt without an unexplained event: {counted}")
    assert counted > 150
