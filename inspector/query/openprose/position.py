"""The position from which an OpenProse run would be resumed. Pure.

Source: OpenProse state document, "Resuming": the innermost open construct, else after the greatest
finished statement; a failed statement runs again; a parallel keeps its completed branches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspector.derive.steps import STATUS_CODE, Extra, StepTable
from inspector.model.preflight import Position
from inspector.model.status import Status
from inspector.model.step import Step, StepKind
from inspector.query.openprose.state import ROOT, State

_FINISHED = (Status.COMPLETED, Status.SKIPPED)
_CONSTRUCTS = (StepKind.PARALLEL, StepKind.LOOP, StepKind.BLOCK, StepKind.STATEMENT)
_UNDECIDED = (
    Status.FAILED, Status.RUNNING, Status.WAITING, Status.PENDING, Status.UNKNOWN,
    Status.INTERRUPTED,
)  # fmt: skip
_NOTHING = Extra()
_LOOKED_BACK = 10_000
"""Events searched backwards, past skipped rows, for a failure."""
_DEEPEST = 100
"""Nested frames that are listed; the language allows no more."""

Describe = Callable[[int], Step]


@dataclass(frozen=True, slots=True)
class Written:
    """The folded record of a run, from rows or from log lines."""

    steps: StepTable
    """With the unconfirmed branches marked."""
    index: Sequence[Any]
    branches: Mapping[int, Mapping[str, int]]
    """Parallel → name → branch."""
    iterations: Mapping[int, int]
    """Loop → its current iteration."""
    event_step: Sequence[int]
    """The step of each event; event n is at n - 1."""


def position_of(state: State, steps: StepTable, describe: Describe) -> Position:
    """Return the position of a run with a database; `steps` has the unconfirmed branches marked."""
    written = Written(steps, state.index, state.branches, state.iterations, state.event_step)
    return position_in(written, describe)


def position_in(written: Written, describe: Describe) -> Position:
    """Return the position of a run that has not completed; `describe` adds references to a step."""
    steps = written.steps
    innermost = _innermost_open(steps)
    container = _container_of(steps, innermost)
    failed = _failed_here(written, container)
    if failed is not None:
        return _statement(written, failed, describe)
    if innermost == ROOT:
        return Position(kind="next", after_statement_index=_greatest_finished(written, ROOT))
    kind = steps.kind_of(innermost)
    if kind is StepKind.PARALLEL:
        return _parallel(written, innermost, describe)
    if kind is StepKind.LOOP:
        return _loop(written, innermost, describe)
    if kind is StepKind.BLOCK:
        return _block(written, innermost, describe)
    return _statement(written, innermost, describe)


def _innermost_open(steps: StepTable) -> int:
    """Return the open construct that began last; ROOT if none is open."""
    found = ROOT
    for status in (Status.RUNNING, Status.WAITING):
        for step in _with(steps, status):
            if steps.kind_of(step) in _CONSTRUCTS and _opened(steps, step) >= _opened(steps, found):
                found = step
    return found


def _opened(steps: StepTable, step: int) -> int:
    return -1 if step == ROOT else steps.first[step]


def _with(steps: StepTable, status: Status) -> Iterator[int]:
    code = STATUS_CODE[status]
    at = steps.status.find(code)
    while at >= 0:
        yield at
        at = steps.status.find(code, at + 1)


def _container_of(steps: StepTable, step: int) -> int:
    """Return the container of the statements that follow: an iteration, a block or the run."""
    if step == ROOT or steps.kind_of(step) in (StepKind.BLOCK, StepKind.LOOP):
        return step
    return steps.parent[step]


def _failed_here(written: Written, container: int) -> int | None:
    """Return a failed statement after which its container completed nothing but skipped ones."""
    steps, last = written.steps, len(written.event_step)
    for event in range(last, max(0, last - _LOOKED_BACK), -1):
        step = written.event_step[event - 1]
        if step < 0 or steps.kind_of(step) is StepKind.SEGMENT:
            # A line that says how the run ended is not a statement.
            continue
        status = steps.status_of(step)
        if status is Status.SKIPPED:
            continue
        if steps.kind_of(step) is not StepKind.STATEMENT or status is not Status.FAILED:
            return None
        inside = container == ROOT or container in (step, *steps.ancestors(step))
        return step if inside else None
    return None


def _statement(written: Written, step: int, describe: Describe) -> Position:
    steps = written.steps
    extra = steps.extra.get(step, _NOTHING)
    waits = steps.status_of(step) is Status.WAITING
    return Position(
        kind="statement",
        action="continue" if waits else "re-run",
        statement_index=written.index[step],
        attempt=len(steps.attempts(step)) or None,
        max_attempts=extra.max_attempts,
        step=steps.path(step),
        **_around(steps, step, describe),
    )


def _parallel(written: Written, step: int, describe: Describe) -> Position:
    steps = written.steps
    extra = steps.extra.get(step, _NOTHING)
    branches = written.branches.get(step, {})
    return Position(
        kind="parallel",
        statement_index=written.index[step],
        parallel_id=extra.ref.get("parallel_id"),
        instance=extra.instance,
        keep=_names(steps, branches, _FINISHED),
        rerun=_names(steps, branches, _UNDECIDED),
        unconfirmed=_names(steps, branches, (Status.UNCONFIRMED,)),
        step=steps.path(step),
        **_around(steps, step, describe),
    )


def _names(
    steps: StepTable, branches: Mapping[str, int], statuses: tuple[Status, ...]
) -> tuple[str, ...]:
    return tuple(name for name, step in branches.items() if steps.status_of(step) in statuses)


def _loop(written: Written, step: int, describe: Describe) -> Position:
    steps = written.steps
    extra = steps.extra.get(step, _NOTHING)
    return Position(
        kind="loop",
        statement_index=written.index[step],
        after_statement_index=_greatest_finished(written, written.iterations.get(step, step)),
        step=steps.path(step),
        **{
            **_around(steps, step, describe),
            "loop_id": extra.ref.get("loop_id"),
            "iteration": extra.ref.get("current_iteration"),
        },
    )


def _block(written: Written, step: int, describe: Describe) -> Position:
    return Position(
        kind="block",
        statement_index=written.index[step],
        after_statement_index=_greatest_finished(written, step),
        step=written.steps.path(step),
        **_around(written.steps, step, describe),
    )


def _greatest_finished(written: Written, container: int) -> Any:
    """Return the greatest index of a finished statement in a container; None if none finished."""
    steps, found = written.steps, None
    finished = {STATUS_CODE[status] for status in _FINISHED}
    for step, parent in enumerate(steps.parent):
        if parent == container and steps.status[step] in finished:
            index = written.index[step]
            if isinstance(index, int | float):
                found = max(found, index) if isinstance(found, int | float) else index
            elif found is None:
                found = index
    return found


def _around(steps: StepTable, step: int, describe: Describe) -> dict[str, Any]:
    """Return the iteration and the frame around a step."""
    ref = describe(step).ref
    around: dict[str, object] = {"frame": ref.get("frame"), "depth": ref.get("depth") or None}
    lineage = [step, *steps.ancestors(step)]
    for outer in lineage[1:]:
        if steps.kind_of(outer) is StepKind.LOOP:
            extra = steps.extra.get(outer, _NOTHING)
            around["loop_id"] = extra.ref.get("loop_id")
            around["iteration"] = extra.ref.get("current_iteration")
            break
    blocks = [one for one in lineage if steps.kind_of(one) is StepKind.BLOCK][:_DEEPEST]
    frames = [describe(block).ref.get("frame") for block in blocks]
    around["scope"] = tuple(frame for frame in frames if isinstance(frame, int))
    return around
