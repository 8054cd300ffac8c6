"""Runs for tests: rows of `execution` in a small language, and what a fold makes of them.

`rows(loop("l1", 2), done(3), round_("l1", 1))` are numbered rows as an appending writer leaves
them; `told(...)` is the tree that they tell of, as step id → status word.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from inspector.query.openprose.events import Row
from inspector.query.openprose.fold import fold
from inspector.query.openprose.state import State

LOOP_INDEX = 10
PARALLEL_INDEX = 20


class Cells(NamedTuple):
    """One row without its id."""

    statement_index: Any
    text: Any
    status: Any
    started_at: Any = None
    completed_at: Any = None
    error: Any = None
    parent: Any = None
    metadata: Any = None


def cells(
    index: Any,
    status: Any,
    text: Any = None,
    *,
    started: Any = None,
    ended: Any = None,
    error: Any = None,
    parent: Any = None,
    **meta: Any,
) -> Cells:
    """Any row; what is left over is its metadata."""
    shown = f"session {index}" if text is None else text
    return Cells(
        index, shown, status, started, ended, error, parent, json.dumps(meta) if meta else None
    )


def done(index: Any, text: Any = None, **more: Any) -> Cells:
    """A statement that completed."""
    return cells(index, "completed", text, **more)


def executing(index: Any, text: Any = None, **more: Any) -> Cells:
    """A statement that began."""
    return cells(index, "executing", text, **more)


def failed(index: Any, error: str = "it broke", text: Any = None, **more: Any) -> Cells:
    """A statement that failed."""
    return cells(index, "failed", text, error=error, **more)


def retry(index: Any, attempt: int, most: int, **more: Any) -> Cells:
    """A further attempt begins."""
    return cells(index, "retry", attempt=attempt, max=most, **more)


def parallel(name: str, branches: str, index: Any = PARALLEL_INDEX, **more: Any) -> Cells:
    """A parallel begins, with its branches."""
    names = branches.split()
    return cells(index, "started", "parallel:", parallel_id=name, branches=names, **more)


def branch(
    name: str, which: str, status: str = "completed", index: Any = PARALLEL_INDEX, **more: Any
) -> Cells:
    """A branch ended."""
    return cells(index, status, f"parallel:{which}", parallel_id=name, branch=which, **more)


def joined(name: str, index: Any = PARALLEL_INDEX, **more: Any) -> Cells:
    """A parallel was joined."""
    return cells(index, "joined", "parallel:", parallel_id=name, **more)


def loop(name: str, most: int | None = None, index: Any = LOOP_INDEX, **more: Any) -> Cells:
    """A loop begins."""
    return cells(index, "started", "loop", loop_id=name, max=most, **more)


def round_(name: str, number: int, index: Any = LOOP_INDEX, **more: Any) -> Cells:
    """A round of a loop is over."""
    return cells(index, "iteration", "loop", loop_id=name, iteration=number, **more)


def exited(name: str, reason: str = "condition_satisfied", index: Any = LOOP_INDEX) -> Cells:
    """A loop is over."""
    return cells(index, "exited", "loop", loop_id=name, reason=reason)


def rows(*described: Cells) -> list[Row]:
    """The rows with ids 1, 2, 3 …"""
    return numbered(described)


def numbered(described: Iterable[Cells], first: int = 1) -> list[Row]:
    """The rows with ascending ids."""
    return [(number, *one) for number, one in enumerate(described, first)]


def folded(*described: Cells) -> State:
    """The state after these rows."""
    return fold(rows(*described))


def tree(state: State) -> dict[str, str]:
    """Step id → raw word, or `(status)` where no word is recorded."""
    steps = state.steps
    return {
        steps.path(step): steps.raw[step] or f"({steps.status_of(step)})"
        for step in range(len(steps))
    }


def told(*described: Cells) -> dict[str, str]:
    """The tree that these rows tell of."""
    return tree(folded(*described))


def number_of(state: State, path: str) -> int:
    """The step with this id."""
    return next(step for step in range(len(state.steps)) if state.steps.path(step) == path)


def remarks(state: State) -> list[tuple[str, tuple[int, ...]]]:
    """What the fold met, as (code, rows)."""
    return [(remark.code, remark.rows) for remark in state.remarks]
