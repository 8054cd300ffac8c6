"""Spells that are made up and run: the ledger that the runtime would write, and its true tree.

The rules are those of Grimoire's compiler and executor: a conditional closes before its branch
runs, branches inside of a loop are run once more as a part of its body, rounds are not marked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

from hypothesis import strategies as st

from tests.query.grimoire.building import Ledger, Tree


@dataclass
class Statement:
    """One statement; which fields count depends on its kind."""

    kind: str
    then: list[Statement] = field(default_factory=list)
    otherwise: list[Statement] = field(default_factory=list)
    taken: str = "then"
    times: int = 1
    """Rounds of a loop, or attempts of a `try`."""
    succeeds: bool = True
    """Whether the last attempt of a `try` does."""
    name: str = ""


def statements(depth: int = 3) -> st.SearchStrategy[list[Statement]]:
    """Lists of statements within statements."""
    plain = st.builds(Statement, st.sampled_from(["compute", "action", "emit"]))
    if depth == 0:
        return st.lists(plain, max_size=3)
    body = statements(depth - 1)
    filled = body.filter(bool)
    taken = st.sampled_from(["then", "else", "none"])
    conditional = st.builds(Statement, st.just("conditional"), body, body, taken)
    loop = st.builds(Statement, st.just("loop"), filled, times=st.integers(0, 3))
    attempt = st.builds(
        Statement, st.just("try"), filled, body, times=st.integers(1, 3), succeeds=st.booleans()
    )
    parallel = st.builds(Statement, st.sampled_from(["parallel", "pipeline"]), body)
    return st.lists(st.one_of(plain, conditional, loop, attempt, parallel), max_size=4)


def name_all(program: list[Statement], numbers: Iterator[int] | None = None) -> None:
    """Gives every statement an id of its own, as the compiler does."""
    numbers = count(1) if numbers is None else numbers
    for one in program:
        one.name = f"{one.kind}_{next(numbers)}"
        name_all(one.then, numbers)
        name_all(one.otherwise, numbers)


def run(program: list[Statement]) -> tuple[Ledger, Tree]:
    """The ledger of a preview of the program, and the steps that it tells of."""
    name_all(program)
    ledger = Ledger().begin()
    tree = _run_all(program, ledger)
    ledger.ready()
    return ledger, tree


def _run_all(program: list[Statement], ledger: Ledger) -> Tree:
    return [_RUN.get(one.kind, _plain)(one, ledger) for one in program]


def _plain(one: Statement, ledger: Ledger) -> tuple[str, Tree]:
    ledger.add("step_started", stepId=one.name, kind=one.kind)
    if one.kind == "compute":
        ledger.add("binding_set", name=one.name, value=len(ledger.entries))
    ledger.add("step_completed", stepId=one.name, result={})
    return one.name, []


def _conditional(one: Statement, ledger: Ledger) -> tuple[str, Tree]:
    branch = {"then": one.then, "else": one.otherwise, "none": []}[one.taken]
    ledger.step(
        one.name, one.kind, executedBranch=one.taken, branchSteps=[step.name for step in branch]
    )
    return one.name, _run_all(branch, ledger)


def _flattened(body: list[Statement]) -> Iterator[Statement]:
    for one in body:
        yield one
        if one.kind == "conditional":
            yield from _flattened(one.then)
            yield from _flattened(one.otherwise)


def _loop(one: Statement, ledger: Ledger) -> tuple[str, Tree]:
    body = list(_flattened(one.then))
    ledger.add("step_started", stepId=one.name, kind=one.kind)
    rounds: Tree = [(f"[{n}]", _run_all(body, ledger)) for n in range(1, one.times + 1)]
    result = {"iterations": one.times, "resultsCount": one.times * len(body)}
    ledger.add("step_completed", stepId=one.name, result=result)
    return one.name, rounds


def _try(one: Statement, ledger: Ledger) -> tuple[str, Tree]:
    ledger.add("step_started", stepId=one.name, kind=one.kind)
    tries: list[Tree] = []
    for n in range(1, one.times + 1):
        if n > 1:
            ledger.add("retry_attempted", stepId=one.name, attempt=n - 1)
        body = _run_all(one.then, ledger)
        if n < one.times or not one.succeeds:
            ledger.fail(f"{one.name}_fails")
            body.append((f"{one.name}_fails", []))
            if n == 1:
                ledger.add("error_caught", stepId=one.name, errorType="unknown")
        tries.append(body)
    if one.times > 1:
        word = "retry_succeeded" if one.succeeds else "retry_exhausted"
        ledger.add(word, stepId=one.name, attempt=one.times - 1, attempts=one.times - 1)
    after = _run_all(one.otherwise, ledger)
    ledger.add("step_completed", stepId=one.name, result={})
    if one.times > 1:
        groups: Tree = [(f"attempt {n}", body) for n, body in enumerate(tries, 1)]
    else:
        groups = tries[0]
    if after and (one.times > 1 or not one.succeeds):
        return one.name, [*groups, ("catch or finally", after)]
    # Without an error nothing tells where the body ends and its finally begins.
    return one.name, [*groups, *after]


def _enclosing(one: Statement, ledger: Ledger) -> tuple[str, Tree]:
    ledger.add("step_started", stepId=one.name, kind=one.kind)
    inside = _run_all(one.then, ledger)
    ledger.add("step_completed", stepId=one.name, result={})
    return one.name, inside


_RUN = {
    "conditional": _conditional,
    "loop": _loop,
    "try": _try,
    "parallel": _enclosing,
    "pipeline": _enclosing,
}
