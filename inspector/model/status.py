"""Common status words; shown together with the runtime's own word."""

from enum import StrEnum


class Status(StrEnum):
    """Status of a run or a step."""

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
"""Final statuses of a step."""

ENDED = frozenset({Status.COMPLETED, Status.FAILED, Status.INTERRUPTED})
"""Final statuses of a run."""
