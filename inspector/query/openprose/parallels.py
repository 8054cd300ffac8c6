"""Parallels, their branches, and the join.

Source: OpenProse state document, "Parallel Execution". Appending writers add `started` with the
branch names, one row per branch and `joined`; updating writers change one `executing` row and give
every branch a row of its own statement. A named branch without a row is pending.
"""

from __future__ import annotations

from inspector.model.status import FINISHED
from inspector.query.openprose.events import (
    BRANCH,
    COMPLETED,
    NOT_NEEDED,
    PARALLEL,
    PENDING,
    RUNNING,
)
from inspector.query.openprose.frames import inside
from inspector.query.openprose.open_constructs import find_parallel, remember_construct, supersede
from inspector.query.openprose.state import Fact, State
from inspector.query.openprose.statements import begin, record

WORD = "parallel"
_PREFIX = "parallel:"
MOST_NAMED = 1000
"""Branches listed in the references of a parallel that did not name them; all are steps."""


def is_parallel_row(fact: Fact) -> bool:
    """Return whether a row is about a parallel or one of its branches."""
    meta = fact.meta
    if fact.raw == "joined" or fact.text.startswith(_PREFIX):
        return True
    if meta.parallel_id is None:
        return False
    return meta.branch is not None or meta.branches is not None or fact.text.startswith(WORD)


def apply_parallel(state: State, fact: Fact, frame: int) -> int:
    """Apply a row of a parallel; return the step that the row belongs to."""
    branch = branch_name(fact)
    if fact.raw != "joined" and (
        fact.meta.branches is not None or (branch is None and fact.status is RUNNING)
    ):
        return _start(state, fact, frame)
    instance = find_parallel(state, fact, frame)
    if instance is None:
        instance = _without_start(state, fact, frame)
    if branch is None:
        return _join(state, fact, instance)
    return _branch_row(state, fact, instance, branch)


def branch_name(fact: Fact) -> str | None:
    """Return the branch that a row names in its metadata or its text (`parallel:a`)."""
    if fact.meta.branch is not None:
        return fact.meta.branch
    name = fact.text.removeprefix(_PREFIX).strip()
    is_branch = fact.text.startswith(_PREFIX) and name and "\n" not in name
    return name if is_branch and fact.meta.branches is None else None


def branch_step(state: State, instance: int, name: str) -> int:
    """Return the step of a branch; add one that the parallel did not name."""
    known = state.branches.setdefault(instance, {})
    step = known.get(name)
    if step is None:
        step = known[name] = state.add_step(instance, BRANCH, None, "", name)
        if len(known) <= MOST_NAMED:
            ref = state.steps.more(instance).ref
            ref["branches"] = [*ref["branches"], name]
    return step


def _start(state: State, fact: Fact, frame: int) -> int:
    name = fact.meta.parallel_id or WORD
    container = _around(state, fact, frame)
    supersede(state, PARALLEL, name, container, fact)
    step = state.add_step(container, PARALLEL, fact, fact.text, name)
    remember_construct(state, PARALLEL, name, container, step)
    begin(state, step, fact)
    names = fact.meta.branches or ()
    extra = state.steps.more(step)
    extra.instance = state.named_parallels.add(name, step)
    extra.ref.update(_facts(fact), parallel_id=fact.meta.parallel_id, joined=False)
    extra.ref["branches"] = list(names)
    state.branches[step] = {name: state.add_step(step, BRANCH, None, "", name) for name in names}
    if fact.status in FINISHED:
        _close(state, step, fact)
    return step


def _around(state: State, fact: Fact, frame: int) -> int:
    """Return the container of a new parallel: a `branch` names one of the outer parallel."""
    if fact.meta.branch is not None:
        for outer in state.named_parallels.open.newest(state.steps):
            step = state.branches.get(outer, {}).get(fact.meta.branch)
            if step is not None and not state.is_deepest(step):
                return inside(state, step)
    return inside(state, frame)


def _facts(fact: Fact) -> dict[str, object]:
    known = ("strategy", "on_fail", "join", "count")
    return {key: fact.meta.whole[key] for key in known if key in fact.meta.whole}


def _without_start(state: State, fact: Fact, frame: int) -> int:
    name = fact.meta.parallel_id or WORD
    step = state.add_step(inside(state, frame), PARALLEL, None, WORD, name, status=RUNNING)
    state.index[step] = fact.statement
    extra = state.steps.more(step)
    extra.instance = state.named_parallels.add(name, step)
    extra.ref.update(parallel_id=fact.meta.parallel_id, joined=False, branches=[])
    state.remark("start_missing", step, (fact.row,))
    return step


def _join(state: State, fact: Fact, instance: int) -> int:
    record(state, instance, fact)
    if fact.status in FINISHED:
        _close(state, instance, fact)
    return instance


def _close(state: State, instance: int, fact: Fact) -> None:
    joined = fact.status is COMPLETED
    state.steps.more(instance).ref["joined"] = joined
    for step in state.branches.get(instance, {}).values():
        if joined and state.steps.status_of(step) is PENDING and not state.steps.raw[step]:
            state.steps.set_status(step, NOT_NEEDED, None)


def _branch_row(state: State, fact: Fact, instance: int, name: str) -> int:
    branch = branch_step(state, instance, name)
    _notice_index_as_parent(state, fact, instance)
    if fact.text.startswith(_PREFIX) or fact.statement == state.index[instance]:
        record(state, branch, fact)
        state.index[branch] = fact.statement
        return branch
    if not state.steps.first[branch]:
        state.steps.set_status(branch, fact.status, fact.raw)
        if fact.error is not None:
            state.steps.more(branch).error = fact.error
    return branch


def owns_row(state: State, step: int, fact: Fact) -> bool:
    """Return whether the row is the step's own, not that of a statement inside a branch."""
    return state.steps.last[step] == fact.n


def _notice_index_as_parent(state: State, fact: Fact, instance: int) -> None:
    row = fact.parent_row
    if row is None or state.parent_is_index:
        return
    if row == state.index[instance] and row != state.first_row(instance):
        state.parent_is_index = True
        state.remark("parent_is_index", instance, (fact.row,))
