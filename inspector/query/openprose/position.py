"""Where an OpenProse run stands: the place from which it would be resumed. Pure.

Source: OpenProse state document, "Resuming": innermost open construct, else after the greatest
finished statement; a failed statement runs again; a parallel keeps its completed branches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from inspector.derive.steps import STATUS_CODE, Extra, StepTable
from inspector.model.preflight import Position
from inspector.model.status import Status
from inspector.model.step import Step, StepKind
from inspector.query.openprose.state import ROOT, State

_FINISHED = (Status.COMPLETED, Status.SKIPPED)
_CONSTRUCTS = (StepKind.PARALLEL, StepKind.LOOP, StepKind.BLOCK, StepKind.STATEMENT)
_NOTHING = Extra()


Describe = Callable[[int], Step]


def position_of(state: State, steps: StepTable, describe: Describe) -> Position:
    """Where a run that has not completed stands.

    `steps` has the unconfirmed branches marked; `describe` gives a step with its references.
    """
    innermost = _innermost_open(steps)
    container = _container_of(steps, innermost)
    failed = _failed_here(steps, state, container)
    if failed is not None:
        return _statement(state, steps, failed, describe)
    if innermost == ROOT:
        return _next(state, steps, ROOT)
    kind = steps.kind_of(innermost)
    if kind is StepKind.PARALLEL:
        return _parallel(state, steps, innermost, describe)
    if kind is StepKind.LOOP:
        return _loop(state, steps, innermost, describe)
    if kind is StepKind.BLOCK:
        return _block(state, steps, innermost, describe)
    return _statement(state, steps, innermost, describe)


def _innermost_open(steps: StepTable) -> int:
    """The construct that was opened last and is open; the run itself when there is none."""
    found = ROOT
    for step in _running(steps):
        if steps.kind_of(step) in _CONSTRUCTS and _opened(steps, step) >= _opened(steps, found):
            found = step
    return found


def _opened(steps: StepTable, step: int) -> int:
    return -1 if step == ROOT else steps.first[step]


def _running(steps: StepTable) -> Iterator[int]:
    running = STATUS_CODE[Status.RUNNING]
    at = steps.status.find(running)
    while at >= 0:
        yield at
        at = steps.status.find(running, at + 1)


def _container_of(steps: StepTable, step: int) -> int:
    """Where the statements after this point belong: the open round of a loop, a block, the run."""
    if step == ROOT or steps.kind_of(step) in (StepKind.BLOCK, StepKind.LOOP):
        return step
    return ROOT if step < 0 else steps.parent[step]


def _failed_here(steps: StepTable, state: State, container: int) -> int | None:
    """A failed statement after which nothing in its container completed (skipped ones aside)."""
    for event in range(state.events, max(0, state.events - 10_000), -1):
        step = state.event_step[event - 1]
        status = steps.status_of(step)
        if steps.kind_of(step) is not StepKind.STATEMENT or status is Status.SKIPPED:
            if status is not Status.SKIPPED:
                return None
            continue
        inside = container == ROOT or container in (step, *steps.ancestors(step))
        return step if status is Status.FAILED and inside else None
    return None


def _statement(state: State, steps: StepTable, step: int, describe: Describe) -> Position:
    extra = steps.extra.get(step, _NOTHING)
    tries = steps.attempts(step)
    return Position(
        kind="statement",
        action="re-run",
        statement_index=state.index[step],
        attempt=len(tries) or None,
        max_attempts=extra.max_attempts,
        step=steps.path(step),
        **_around(steps, step, describe),
    )


def _parallel(state: State, steps: StepTable, step: int, describe: Describe) -> Position:
    extra = steps.extra.get(step, _NOTHING)
    branches = state.branches.get(step, {})
    return Position(
        kind="parallel",
        statement_index=state.index[step],
        parallel_id=extra.ref.get("parallel_id"),
        instance=extra.instance,
        keep=_names(steps, branches, _FINISHED),
        rerun=_names(steps, branches, (Status.FAILED, Status.RUNNING, Status.PENDING,
                                       Status.UNKNOWN, Status.INTERRUPTED)),
        unconfirmed=_names(steps, branches, (Status.UNCONFIRMED,)),
        step=steps.path(step),
        **_around(steps, step, describe),
    )  # fmt: skip


def _names(
    steps: StepTable, branches: Mapping[str, int], statuses: tuple[Status, ...]
) -> tuple[str, ...]:
    return tuple(name for name, step in branches.items() if steps.status_of(step) in statuses)


def _loop(state: State, steps: StepTable, step: int, describe: Describe) -> Position:
    extra = steps.extra.get(step, _NOTHING)
    current = state.rounds.get(step, step)
    return Position(
        kind="loop",
        statement_index=state.index[step],
        after_statement_index=_greatest_finished(state, steps, current),
        step=steps.path(step),
        **{
            **_around(steps, step, describe),
            "loop_id": extra.ref.get("loop_id"),
            "iteration": extra.ref.get("current_iteration"),
        },
    )


def _block(state: State, steps: StepTable, step: int, describe: Describe) -> Position:
    return Position(
        kind="block",
        statement_index=state.index[step],
        after_statement_index=_greatest_finished(state, steps, step),
        step=steps.path(step),
        **_around(steps, step, describe),
    )


def _next(state: State, steps: StepTable, container: int) -> Position:
    after = _greatest_finished(state, steps, container)
    return Position(kind="next", after_statement_index=after)


def _greatest_finished(state: State, steps: StepTable, container: int) -> Any:
    """The statement of a container that finished and has the greatest index; None = none did."""
    found: Any = None
    for step in range(len(steps)):
        if steps.parent[step] == container and steps.status_of(step) in _FINISHED:
            index = state.index[step]
            if isinstance(index, int | float):
                numeric = isinstance(found, int | float)
                found = max(found, index) if numeric else index
            elif found is None:
                found = index
    return found


def _around(steps: StepTable, step: int, describe: Describe) -> dict[str, Any]:
    """The loop round and the frame that a step stands in."""
    ref = describe(step).ref
    around: dict[str, Any] = {"frame": ref.get("frame"), "depth": ref.get("depth") or None}
    for outer in steps.ancestors(step):
        if steps.kind_of(outer) is StepKind.LOOP:
            extra = steps.extra.get(outer, _NOTHING)
            around["loop_id"] = extra.ref.get("loop_id")
            around["iteration"] = extra.ref.get("current_iteration")
            break
    return around
