"""Steps of a timeline, their attempts, and recorded events."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from inspector.model.status import Status
from inspector.model.trust import Own, Unnamed


class StepKind(StrEnum):
    """Kind of a step."""

    STATEMENT = "statement"
    PARALLEL = "parallel"
    BRANCH = "branch"
    LOOP = "loop"
    ITERATION = "iteration"
    BLOCK = "block"
    SEGMENT = "segment"
    TURN = "turn"
    MODEL_CALL = "model_call"
    TOOL_CALL = "tool_call"
    ACTION = "action"
    ADVISORY = "advisory"
    GUARD = "guard"
    CONDITIONAL = "conditional"
    TRY = "try"
    WAIT = "wait"
    NODE = "node"
    TRACK = "track"
    GROUP = "group"


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt of a step; its events are None if it left no row."""

    n: int
    status: Status
    raw_status: Unnamed[str | None] = None
    error: str | None = None
    first_event: int | None = None
    last_event: int | None = None
    started_at: int | None = None
    ended_at: int | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the timeline. Instants in UTC ms; None = not recorded."""

    id: Unnamed[str]
    """Path such as `l1[2]/p1.b/l2[1]`; stable while events are only added."""
    parent: Unnamed[str | None]
    kind: StepKind
    label: str
    status: Status
    raw_status: Unnamed[str | None]
    started_at: int | None = None
    ended_at: int | None = None
    first_event: int | None = None
    last_event: int | None = None
    iteration: int | None = None
    of: int | None = None
    """Maximum iterations of a loop."""
    instance: int | None = None
    error: str | None = None
    attempts: tuple[Attempt, ...] = ()
    max_attempts: int | None = None
    ref: Mapping[str, Any] = field(default_factory=dict)

    @property
    def duration_ms(self) -> int | None:
        """Recorded length in ms; None while running, or if an instant is missing or reversed."""
        if self.started_at is None or self.ended_at is None or self.ended_at < self.started_at:
            return None
        return self.ended_at - self.started_at


@dataclass(frozen=True, slots=True)
class OpenConstruct:
    """A construct without a recorded end."""

    kind: StepKind
    id: Unnamed[str | None]
    instance: int | None
    statement_index: int | float | str | None
    step: Unnamed[str]


@dataclass(frozen=True, slots=True)
class Event:
    """One recorded row, numbered from 1 in the runtime's order."""

    n: int
    id: Unnamed[int | str | None]
    kind: Own[str]
    raw_status: Unnamed[str | None]
    at: int | None
    at_raw: Unnamed[str | None]
    text: str
    payload: Mapping[str, Any]
