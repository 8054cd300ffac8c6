"""The status words that every runtime is translated to, always shown beside the raw word."""

from enum import StrEnum


class Status(StrEnum):
    """What a run or a step is said to be."""

    RUNNING = "running"
    WAITING = "waiting"
    COMPLETED = "completed"
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    SKIPPED = "skipped"
    PENDING = "pending"
    NOT_NEEDED = "not_needed"
    UNCONFIRMED = "unconfirmed"
    UNKNOWN = "unknown"


FINISHED = frozenset({Status.COMPLETED, Status.FAILED, Status.SKIPPED})
"""Statuses of a step that will not move any more by itself."""

ENDED = frozenset({Status.COMPLETED, Status.FAILED, Status.INTERRUPTED})
"""Statuses of a run that says it is over."""
