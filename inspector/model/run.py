"""A run, as the list and the head of its screen show it, and its findings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from inspector.model.status import Status
from inspector.model.store import Store
from inspector.model.trust import Own, Unnamed


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding: a code, a sentence, and its place."""

    code: Own[str]
    message: str
    ref: Unnamed[str | None] = None
    """Step id, row (`execution:12`) or value name; None for the run as a whole."""


class RunKind(StrEnum):
    """Kind of a run."""

    PROGRAM = "program"
    SPELL = "spell"
    AGENT = "agent"
    WORKFLOW = "workflow"


@dataclass(frozen=True, slots=True)
class StepCounts:
    """Leaf steps by status; None if the runtime does not record it."""

    total: int | None = None
    completed: int | None = None
    failed: int | None = None
    running: int | None = None
    pending: int | None = None
    skipped: int | None = None


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens as recorded; None = not recorded, which is not zero."""

    input: int | None = None
    output: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    total: int | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """Current progress: the innermost open parallel and loop."""

    parallel_done: int | None = None
    parallel_total: int | None = None
    unconfirmed: int = 0
    loop_now: int | None = None
    loop_max: int | None = None
    note: str | None = None
    """Text of the runtime, such as `handoff sent`."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run. Instants are UTC ms since 1970; None = not recorded."""

    key: Own[str]
    kind: RunKind
    store: Store
    run_id: Own[str | None]
    title: str
    status: Status
    raw_status: Unnamed[str | None]
    session: Own[str | None] = None
    parent_key: Own[str | None] = None
    findings: tuple[Finding, ...] = ()
    started_at: int | None = None
    ended_at: int | None = None
    last_activity_at: int | None = None
    """Last write to any file of the store."""
    order_only: bool = True
    """True if the rows have no instants: only the order of events is known."""
    clock_ms: int = 1
    """Resolution of the recorded instants, in ms."""
    mode: str | None = None
    steps: StepCounts = StepCounts()
    tokens: Tokens = Tokens()
    cost: Mapping[str, str] | None = None
    net: Mapping[str, str] | None = None
    """Net amounts by asset in base units, for runtimes that move money."""
    progress: Progress = Progress()
    owner: Mapping[str, str] = field(default_factory=dict)
    """Owner, if recorded: `tenant`, `account`, `user`."""
    complete: bool = True
    """False if only the summary was read: findings and structure are missing."""

    @property
    def runtime(self) -> str:
        """The runtime of the store."""
        return self.store.runtime

    @property
    def duration_ms(self) -> int | None:
        """Recorded length in ms; None while running, or if an instant is missing or reversed."""
        if self.started_at is None or self.ended_at is None or self.ended_at < self.started_at:
            return None
        return self.ended_at - self.started_at
