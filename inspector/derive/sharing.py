"""Two steps in one row: which may share it, and whose status the row tells.

A round has often nothing in it but a parallel, and a branch nothing but a statement; a row for each
would say everything twice. Such a row has one status, never one for either.
"""

from __future__ import annotations

from inspector.derive.steps import KIND_CODE, STATUS_CODE, StepTable
from inspector.model.status import Status
from inspector.model.step import StepKind

_BRANCH = KIND_CODE[StepKind.BRANCH]
_ITERATION = KIND_CODE[StepKind.ITERATION]
_SHARING = frozenset((_BRANCH, _ITERATION))
_PARALLEL = KIND_CODE[StepKind.PARALLEL]
_STATEMENT = KIND_CODE[StepKind.STATEMENT]

_LOUDEST = (
    Status.FAILED,
    Status.INTERRUPTED,
    Status.WAITING,
    Status.RUNNING,
    Status.UNCONFIRMED,
    Status.UNKNOWN,
)
_LOUDNESS = {STATUS_CODE[status]: place for place, status in enumerate(_LOUDEST)}


def may_share(table: StepTable, step: int) -> bool:
    """Whether a step is of the kind that may share its row with what is inside: one step only."""
    kind = table.kind[step]
    return kind in _SHARING and table.children_of[step] == 1


def shares_row(table: StepTable, step: int, child: int) -> bool:
    """Whether the only step inside of one that may share its row really does."""
    kind = table.kind[child]
    if table.kind[step] == _ITERATION and kind == _PARALLEL:
        return True
    if kind != _STATEMENT or table.children_of[child]:
        return False
    if table.kind[step] == _ITERATION or not table.first[step]:
        return True
    return table.first[step] == table.first[child] and table.last[step] == table.last[child]


def speaker(table: StepTable, step: int, inner: int) -> int:
    """Which of two steps that share a row it speaks of: whose status it tells.

    The inner one where the outer has no row of its own, so that nothing is recorded of it. Else
    the one that a person must not miss: what failed before what goes on before what is over. Of
    two that are alike the one that can be looked into.
    """
    if inner == step:
        return step
    if not table.first[step] and table.first[inner]:
        return inner
    other = len(_LOUDEST)
    outer_loud = _LOUDNESS.get(table.status[step], other)
    inner_loud = _LOUDNESS.get(table.status[inner], other)
    if outer_loud != inner_loud:
        return step if outer_loud < inner_loud else inner
    return step if table.children_of[inner] else inner
