"""Statuses and kinds of steps by plain names.

Asking an enumeration for a member costs ten times as much as a name does, and the fold asks for
some with every row.
"""

from __future__ import annotations

from inspector.model.status import Status
from inspector.model.step import StepKind

COMPLETED = Status.COMPLETED
FAILED = Status.FAILED
INTERRUPTED = Status.INTERRUPTED
NOT_NEEDED = Status.NOT_NEEDED
PENDING = Status.PENDING
RUNNING = Status.RUNNING
UNKNOWN = Status.UNKNOWN

BLOCK = StepKind.BLOCK
BRANCH = StepKind.BRANCH
ITERATION = StepKind.ITERATION
LOOP = StepKind.LOOP
PARALLEL = StepKind.PARALLEL
STATEMENT = StepKind.STATEMENT
