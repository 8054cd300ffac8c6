"""Which containers stand open unasked: what is new or went wrong; the rest is out of the way."""

from __future__ import annotations

from inspector.derive.steps import KIND_CODE, STATUS_CODE, StepTable
from inspector.model.status import Status
from inspector.model.step import StepKind

WIDE = 50
"""Branches beyond which a parallel is one row until a person unfolds it."""

DEEP = 12
"""Levels beyond which a container stays folded."""

_ITERATION = KIND_CODE[StepKind.ITERATION]
_PARALLEL = KIND_CODE[StepKind.PARALLEL]
_FAILED = STATUS_CODE[Status.FAILED]


class Folding:
    """The rules for one step table, with the containers in which something failed."""

    __slots__ = ("_seen", "_troubled", "table")

    def __init__(self, table: StepTable) -> None:
        self.table = table
        self._troubled: set[int] = set()
        self._seen = (0, -1)

    def update(self, table: StepTable) -> None:
        """Looks again for failures when their number or the last of them changed."""
        self.table = table
        seen = (table.status.count(_FAILED), table.status.rfind(_FAILED))
        if seen != self._seen:
            self._seen = seen
            self._troubled = _around_failures(table)

    def opens(self, step: int, inner: int, depth: int, newest: bool) -> bool:
        """Whether a row stands open; `inner` shares its row, `newest` = no later sibling."""
        if depth >= DEEP:
            return False
        table = self.table
        if table.kind[step] == _ITERATION and not newest and step not in self._troubled:
            return False
        return table.kind[inner] != _PARALLEL or table.children_of[inner] <= WIDE


def _around_failures(table: StepTable) -> set[int]:
    troubled: set[int] = set()
    status, parent = table.status, table.parent
    at = status.find(_FAILED)
    while at >= 0:
        step = parent[at]
        while step >= 0 and step not in troubled:
            troubled.add(step)
            step = parent[step]
        at = status.find(_FAILED, at + 1)
    return troubled
