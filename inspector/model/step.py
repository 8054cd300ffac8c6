"""A node of the timeline, its attempts, and one recorded event."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from inspector.model.status import Status
from inspector.model.trust import Own, Unnamed


class StepKind(StrEnum):
    """What a node of the timeline stands for."""

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
    """One try of a step. `first_event`/`last_event` are None for a try that left no row."""

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
    """One node of the timeline. Instants in UTC ms; None is not recorded."""

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
    """A loop's maximum."""
    instance: int | None = None
    error: str | None = None
    attempts: tuple[Attempt, ...] = ()
    max_attempts: int | None = None
    ref: Mapping[str, Any] = field(default_factory=dict)

    @property
    def duration_ms(self) -> int | None:
        """Recorded length in ms; None while it runs or when an instant is missing or backwards."""
        if self.started_at is None or self.ended_at is None or self.ended_at < self.started_at:
            return None
        return self.ended_at - self.started_at


@dataclass(frozen=True, slots=True)
class OpenConstruct:
    """Something that was begun and whose end is not recorded."""

    kind: StepKind
    id: Unnamed[str | None]
    instance: int | None
    statement_index: int | float | str | None
    step: Unnamed[str]


@dataclass(frozen=True, slots=True)
class Event:
    """One recorded fact: a row as it stands, numbered from 1 in the runtime's own order."""

    n: int
    id: Unnamed[int | str | None]
    kind: Own[str]
    raw_status: Unnamed[str | None]
    at: int | None
    at_raw: Unnamed[str | None]
    text: str
    payload: Mapping[str, Any]
