"""Loops and their iterations.

Source: OpenProse state document, "Loops". An appending writer adds `started`, one `iteration` row
per iteration, and `exited`; rows in between belong to the current iteration (see `iterations`). An
updating writer keeps one row and changes `current_iteration`.
"""

from __future__ import annotations

import re

from inspector.query.openprose.events import BRANCH, COMPLETED, LOOP, NOTHING, PENDING, RUNNING
from inspector.query.openprose.frames import inside
from inspector.query.openprose.iterations import apply_iteration, leave
from inspector.query.openprose.open_constructs import (
    MOST_SEARCHED,
    find_loop,
    find_parallel,
    remember_construct,
    supersede,
)
from inspector.query.openprose.parallels import branch_step
from inspector.query.openprose.state import Fact, OpenSteps, State
from inspector.query.openprose.statements import begin, record

_WORDS = re.compile(r"(loop|repeat|for|while|until)\b")


def is_loop_row(fact: Fact) -> bool:
    """Return whether a row is about a loop itself rather than a statement in its body."""
    meta, raw = fact.meta, fact.raw
    if raw == "iteration" or raw == "exited":
        return True
    if meta is NOTHING and raw != "started":
        return False
    if meta.block is not None or meta.branches is not None:
        return False
    reads_as_loop = _WORDS.match(fact.text) is not None
    if meta.loop_id is not None:
        return reads_as_loop or raw == "started" or meta.current_iteration is not None
    return meta.parallel_id is None and reads_as_loop and raw == "started"


def apply_loop(state: State, fact: Fact, frame: int) -> int:
    """Apply a row of a loop; return the step that the row belongs to."""
    if fact.raw == "started":
        return _start(state, fact, frame)
    loop = find_loop(state, fact, frame)
    if fact.raw == "iteration":
        loop = _without_start(state, fact, frame) if loop is None else loop
        return apply_iteration(state, fact, loop)
    if loop is None or fact.status in (RUNNING, PENDING):
        if fact.raw == "exited":
            loop = _without_start(state, fact, frame)
        else:
            return _start(state, fact, frame)
    return _exit(state, fact, loop)


def _start(state: State, fact: Fact, frame: int) -> int:
    name = _name(fact)
    container = _around(state, fact, frame, name)
    supersede(state, LOOP, name, container, fact)
    step = state.add_step(container, LOOP, fact, fact.text, name)
    remember_construct(state, LOOP, name, container, step)
    state.named_loops.add(name, step)
    begin(state, step, fact)
    by_order = fact.raw == "started" and not state.is_deepest(step)
    _describe(state, step, fact, done=0 if by_order else None)
    in_order = [loop for loop in state.loops.get(container, ()) if _is_open(state, loop)]
    if by_order:
        in_order.append(step)
        if container >= 0 and state.steps.kind_of(container) is BRANCH:
            outer = state.steps.parent[state.steps.parent[container]]
            state.branch_loops.setdefault(outer, OpenSteps()).add(step)
    state.loops[container] = in_order
    return step


def _name(fact: Fact) -> str:
    return fact.meta.loop_id or f"s{fact.statement}"


def _around(state: State, fact: Fact, frame: int, name: str) -> int:
    """Return the container of a new loop: never the loop itself if it restarts before its end."""
    if fact.meta.branch is not None:
        parallel = find_parallel(state, fact, frame)
        if parallel is not None and not state.is_deepest(parallel):
            return inside(state, branch_step(state, parallel, fact.meta.branch))
    container = inside(state, frame)
    for around in state.named_loops.named(name).open.newest(state.steps)[:MOST_SEARCHED]:
        if state.index[around] == fact.statement:
            lies_in = container == around or around in state.steps.ancestors(container)
            return state.steps.parent[around] if lies_in else container
    return container


def _is_open(state: State, loop: int) -> bool:
    return state.steps.status_of(loop) is RUNNING


def _describe(state: State, step: int, fact: Fact, done: int | None) -> None:
    meta = fact.meta
    extra = state.steps.more(step)
    extra.of = meta.maximum
    now = meta.current_iteration if meta.current_iteration is not None else (done or 0) + 1
    exited = fact.status is COMPLETED
    extra.ref.update(
        loop_id=meta.loop_id,
        condition=meta.condition,
        exited=exited,
        reason=meta.reason,
        iterations_completed=done,
        current_iteration=now,
    )


def _without_start(state: State, fact: Fact, frame: int) -> int:
    name = _name(fact)
    container = inside(state, frame)
    step = state.add_step(container, LOOP, None, fact.text or "loop", name, status=RUNNING)
    state.index[step] = fact.statement
    state.named_loops.add(name, step)
    state.loops.setdefault(container, []).append(step)
    _describe(state, step, fact, done=0)
    state.steps.more(step).ref["exited"] = False
    state.remark("start_missing", step, (fact.row,))
    return step


def _exit(state: State, fact: Fact, loop: int) -> int:
    record(state, loop, fact)
    extra = state.steps.more(loop)
    extra.ref["exited"] = fact.status is COMPLETED
    extra.ref["reason"] = fact.meta.reason
    if fact.meta.current_iteration is not None:
        extra.ref["current_iteration"] = fact.meta.current_iteration
    leave(state, fact, loop)
    container = state.steps.parent[loop]
    still_open = [other for other in state.loops.get(container, ()) if other != loop]
    state.loops[container] = still_open
    return loop
