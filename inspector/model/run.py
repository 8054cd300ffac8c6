"""One execution, as the list and the head of its screen show it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from inspector.model.status import Status
from inspector.model.store import Store
from inspector.model.trust import Own, Unnamed


@dataclass(frozen=True, slots=True)
class Finding:
    """A code for programs, a sentence for people, and where to look."""

    code: Own[str]
    message: str
    ref: Unnamed[str | None] = None
    """Step id, row (`execution:12`) or value name; None for the run as a whole."""


class RunKind(StrEnum):
    """What sort of thing ran."""

    PROGRAM = "program"
    SPELL = "spell"
    AGENT = "agent"
    WORKFLOW = "workflow"


@dataclass(frozen=True, slots=True)
class StepCounts:
    """Steps without children, by status; None where a runtime does not say."""

    total: int | None = None
    completed: int | None = None
    failed: int | None = None
    running: int | None = None
    pending: int | None = None
    skipped: int | None = None


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens as recorded; None is not recorded, which is not zero."""

    input: int | None = None
    output: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    total: int | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """What is going on now, in signs: the innermost open parallel and loop."""

    parallel_done: int | None = None
    parallel_total: int | None = None
    unconfirmed: int = 0
    loop_now: int | None = None
    loop_max: int | None = None
    note: str | None = None
    """Other runtimes' own words, such as `handoff sent`."""


@dataclass(frozen=True, slots=True)
class Run:
    """One execution. Instants are UTC milliseconds since 1970; None is not recorded."""

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
    """Newest write to any file of the store."""
    order_only: bool = True
    """True when the rows carry no instants: the axis is the order of events."""
    clock_ms: int = 1
    """How fine the recorded instants are, in ms: a shorter length than this is not zero."""
    mode: str | None = None
    steps: StepCounts = StepCounts()
    tokens: Tokens = Tokens()
    cost: Mapping[str, str] | None = None
    net: Mapping[str, str] | None = None
    """Net amounts by asset in base units; only runtimes that move money have it."""
    progress: Progress = Progress()
    owner: Mapping[str, str] = field(default_factory=dict)
    """Whom it belongs to, where a runtime says so: `tenant`, `account`, `user`."""
    complete: bool = True
    """False while only the cheap summary was read: findings and structure are still to come."""

    @property
    def runtime(self) -> str:
        """The runtime of the store."""
        return self.store.runtime

    @property
    def duration_ms(self) -> int | None:
        """Recorded length in ms, None while it runs or when an instant is missing or backwards."""
        if self.started_at is None or self.ended_at is None or self.ended_at < self.started_at:
            return None
        return self.ended_at - self.started_at
