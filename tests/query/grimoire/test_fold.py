"""The fold: what a ledger tells of nesting, rounds, attempts, branches and missing ends."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.model.status import Status
from inspector.model.step import Step
from inspector.query.grimoire.fold import fold
from inspector.query.grimoire.state import State
from tests.query.grimoire.building import Ledger, Tree, tree_of


def folded(ledger: Ledger) -> State:
    return fold(ledger.entries)


def inside(state: State) -> Tree:
    """The top-level steps of the preview."""
    return tree_of(state)[0][1]


def named(state: State, step_id: str, nth: int = 0) -> Step:
    """A step by its id."""
    steps = [state.step(number) for number in range(len(state.steps))]
    return [step for step in steps if step.ref.get("step_id") == step_id][nth]


def codes(state: State) -> list[str]:
    return [remark.code for remark in state.remarks]


def conditional(ledger: Ledger, step: str, *branch: str) -> Ledger:
    taken = "then" if branch else "none"
    return ledger.step(
        step, "conditional", condition=True, executedBranch=taken, branchSteps=list(branch)
    )


def test_a_branch_runs_after_its_conditional_has_closed() -> None:
    ledger = conditional(Ledger().begin(), "if", "a", "b").step("a").step("b").step("c").ready()
    assert inside(folded(ledger)) == [("if", [("a", []), ("b", [])]), ("c", [])]


def test_a_conditional_may_be_a_branch_of_a_conditional() -> None:
    ledger = conditional(Ledger().begin(), "outer", "inner", "last")
    conditional(ledger, "inner", "a").step("a").step("last").step("b").ready()
    assert inside(folded(ledger)) == [
        ("outer", [("inner", [("a", [])]), ("last", [])]),
        ("b", []),
    ]


def test_a_branch_that_was_not_taken_has_no_steps() -> None:
    ledger = conditional(Ledger().begin(), "if").step("a").ready()
    assert inside(folded(ledger)) == [("if", []), ("a", [])]


def test_a_failure_ends_the_branch() -> None:
    ledger = Ledger().begin().add("step_started", stepId="p", kind="parallel")
    conditional(ledger, "if", "a", "b").fail("a").step("b")
    ledger.add("step_completed", stepId="p", result={"branches": 2, "success": 1}).ready()
    assert inside(folded(ledger)) == [("p", [("if", [("a", [])]), ("b", [])])]


def test_a_skipped_failure_does_not_end_the_branch() -> None:
    ledger = conditional(Ledger().begin(), "if", "a", "b").fail("a")
    ledger.add("step_skipped", stepId="a", reason="onFailure").step("b").ready()
    state = folded(ledger)
    assert inside(state) == [("if", [("a", []), ("b", [])])]
    step = named(state, "a")
    assert (step.status, step.raw_status, step.error) == (Status.SKIPPED, "skipped", "boom")


def loop(ledger: Ledger, rounds: list[str], result: dict[str, Any] | None) -> Ledger:
    """A loop whose rounds are the letters of each word; without a result it fails."""
    ledger.add("step_started", stepId="loop", kind="loop")
    for one in rounds:
        for letter in one:
            ledger.step(letter)
    if result is None:
        return ledger.fail("x").add("step_failed", stepId="loop", error="x failed")
    return ledger.add("step_completed", stepId="loop", result=result)


@pytest.mark.parametrize(
    ("rounds", "result"),
    [
        (["ab", "ab", "ab"], {"iterations": 3, "resultsCount": 6}),
        (["aab", "aab"], {"iterations": 2, "resultsCount": 6}),
        (["aa", "aa"], {"iterations": 2, "resultsCount": 4}),
        (["aba"], {"iterations": 1, "resultsCount": 3}),
        (["abc", "a", "abcd"], {"iterations": 3, "resultsCount": 8}),
        ([], {"iterations": 0, "resultsCount": 0}),
        (["", ""], {"iterations": 2, "resultsCount": 0}),
    ],
)
def test_rounds(rounds: list[str], result: dict[str, Any]) -> None:
    """By what the loop counts; where that says nothing, by the first child that starts again."""
    state = folded(loop(Ledger().begin(), rounds, result).ready())
    expected: Tree = [
        (f"[{n}]", [(letter, []) for letter in one]) for n, one in enumerate(rounds, 1)
    ]
    assert inside(state) == [("loop", expected)]
    assert named(state, "loop").ref["iterations_completed"] == len(rounds)
    assert "rounds_differ" not in codes(state)


def test_rounds_of_a_loop_that_failed() -> None:
    state = folded(loop(Ledger().begin(), ["ab", "ab", "a"], None).ready("rejected"))
    assert inside(state) == [
        ("loop", [("[1]", [("a", []), ("b", [])]), ("[2]", [("a", []), ("b", [])]),
                  ("[3]", [("a", []), ("x", [])])])
    ]  # fmt: skip
    rounds = [state.steps.step(n) for n in range(len(state.steps))]
    assert [s.status.value for s in rounds if s.iteration] == ["completed", "completed", "failed"]


def test_rounds_that_cannot_be_counted_are_said() -> None:
    state = folded(loop(Ledger().begin(), ["ab", "ab"], {"iterations": 5, "resultsCount": 4}))
    assert codes(state) == ["rounds_differ"]


def test_branch_steps_that_run_again_as_body_steps() -> None:
    """The compiler flattens branches into the body of a loop."""
    ledger = Ledger().begin().add("step_started", stepId="loop", kind="loop")
    for _ in range(2):
        conditional(ledger, "if", "a").step("a").step("a").step("b")
    ledger.add("step_completed", stepId="loop", result={"iterations": 2, "resultsCount": 6})
    round_: Tree = [("if", [("a", [])]), ("a", []), ("b", [])]
    assert inside(folded(ledger.ready())) == [("loop", [("[1]", round_), ("[2]", round_)])]


def test_loops_within_loops() -> None:
    ledger = Ledger().begin().add("step_started", stepId="outer", kind="loop")
    for _ in range(2):
        loop(ledger, ["aa", "aa"], {"iterations": 2, "resultsCount": 4}).step("b")
    ledger.add("step_completed", stepId="outer", result={"iterations": 2, "resultsCount": 4})
    inner: tuple[str, Tree] = (
        "loop",
        [("[1]", [("a", []), ("a", [])]), ("[2]", [("a", []), ("a", [])])],
    )
    assert inside(folded(ledger.ready())) == [
        ("outer", [("[1]", [inner, ("b", [])]), ("[2]", [inner, ("b", [])])])
    ]


def attempts(ledger: Ledger, failing: int, succeeds: bool) -> Ledger:
    ledger.add("step_started", stepId="try", kind="try").step("a").fail("b")
    ledger.add("error_caught", stepId="try", errorType="unknown", handler="wildcard")
    for n in range(1, failing + 1):
        ledger.add("retry_attempted", stepId="try", attempt=n).step("a").fail("b")
    if succeeds:
        ledger.add("retry_attempted", stepId="try", attempt=failing + 1).step("a").step("b")
        return ledger.add("retry_succeeded", stepId="try", attempt=failing + 1)
    return ledger.add("retry_exhausted", stepId="try", attempts=failing)


@pytest.mark.parametrize("succeeds", [True, False])
def test_attempts_of_a_try_and_what_follows_them(succeeds: bool) -> None:
    ledger = attempts(Ledger().begin(), 2, succeeds).step("c")
    ledger.add("step_completed", stepId="try", result={}).step("d").ready()
    state = folded(ledger)
    count = 4 if succeeds else 3
    body: Tree = [("a", []), ("b", [])]
    tries: Tree = [(f"attempt {n}", body) for n in range(1, count + 1)]
    assert inside(state) == [("try", [*tries, ("catch or finally", [("c", [])])]), ("d", [])]
    step = named(state, "try")
    words = [one.status.value for one in step.attempts]
    assert words == ["failed"] * (count - 1) + ["completed" if succeeds else "failed"]
    assert [one.n for one in step.attempts] == list(range(1, count + 1))
    assert step.max_attempts == (None if succeeds else 3)
    assert all(one.first_event and one.last_event for one in step.attempts)


def test_a_caught_error_without_a_retry() -> None:
    ledger = Ledger().begin().add("step_started", stepId="try", kind="try").fail("a")
    ledger.add("error_caught", stepId="try", errorType="unknown", handler="wildcard").step("b")
    ledger.add("step_completed", stepId="try", result={"skipped": True}).ready()
    assert inside(folded(ledger)) == [("try", [("a", []), ("catch or finally", [("b", [])])])]


def test_a_step_that_is_retried_by_itself() -> None:
    ledger = Ledger().begin().add("step_started", stepId="a", kind="action")
    ledger.add("retry_attempted", stepId="a", attempt=1)
    ledger.add("step_completed", stepId="a").ready()
    step = named(folded(ledger), "a")
    assert [one.status.value for one in step.attempts] == ["failed", "completed"]


def test_a_halt_in_a_parallel_leaves_it_without_an_end() -> None:
    ledger = Ledger().begin().add("step_started", stepId="p", kind="parallel").step("a")
    ledger.step("h", "halt", halted=True, reason="enough").ready()
    state = folded(ledger)
    assert named(state, "p").status is Status.UNKNOWN
    assert [state.steps.label[step] for step in state.unclosed] == ["p"]
    assert codes(state) == ["halted"]


def test_a_halt_in_a_loop_does_not_end_it() -> None:
    ledger = Ledger().begin().add("step_started", stepId="loop", kind="loop")
    for _ in range(2):
        ledger.step("a").step("h", "halt", halted=True, reason="enough")
    ledger.add("step_completed", stepId="loop", result={"iterations": 2, "resultsCount": 4})
    state = folded(ledger.step("z").ready())
    rounds: Tree = [("[1]", [("a", []), ("h", [])]), ("[2]", [("a", []), ("h", [])])]
    assert inside(state) == [("loop", rounds), ("z", [])]


def test_a_pipeline_encloses_what_its_stages_run() -> None:
    ledger = Ledger().begin().add("step_started", stepId="pipe", kind="pipeline")
    ledger.step("a").step("a").step("b").add("step_completed", stepId="pipe", result={"count": 1})
    state = folded(ledger.ready())
    assert inside(state) == [("pipe", [("a", []), ("a", []), ("b", [])])]
    paths = [state.steps.path(n) for n in range(len(state.steps))]
    assert len(set(paths)) == len(paths)


def test_what_encloses_is_closed_by_its_end_even_if_something_inside_is_open() -> None:
    ledger = Ledger().begin().add("step_started", stepId="p", kind="parallel")
    ledger.add("step_started", stepId="a", kind="compute")
    ledger.add("step_completed", stepId="p", result={}).step("b").ready()
    state = folded(ledger)
    assert inside(state) == [("p", [("a", [])]), ("b", [])]
    assert (named(state, "a").status, named(state, "a").raw_status) == (Status.UNKNOWN, "started")


def test_an_end_without_a_start_is_said() -> None:
    state = folded(Ledger().begin().add("step_completed", stepId="a").ready())
    assert inside(state) == [("a", [])]
    assert codes(state) == ["start_missing"]


def test_a_ledger_from_before_previews_is_one_run() -> None:
    ledger = Ledger().add("run_started", trigger={"type": "manual"}).step("a")
    ledger.add("run_completed", success=False, metrics={})
    state = folded(ledger)
    assert tree_of(state) == [("run", [("a", [])])]
    assert state.steps.status_of(0) is Status.FAILED


def test_ids_are_told_by_place_not_by_name() -> None:
    ledger = Ledger().begin().action("a").ready()
    ledger.add("commit_started", "evt_000").add("commit_completed", "evt_001", success=True)
    assert [name for name, _ in tree_of(folded(ledger))] == ["preview", "commit"]
