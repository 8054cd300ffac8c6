"""What a resume would do, before anyone does it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from inspector.model.status import Status
from inspector.model.trust import Own


@dataclass(frozen=True, slots=True)
class Position:
    """Where a run stands. Fields that do not apply are None or empty."""

    kind: str
    """parallel, loop, statement, block, next, or another runtime's own word."""
    action: str | None = None
    statement_index: Any = None
    after_statement_index: Any = None
    parallel_id: str | None = None
    instance: int | None = None
    loop_id: str | None = None
    iteration: int | None = None
    frame: int | None = None
    depth: int | None = None
    scope: tuple[int, ...] = ()
    """Frames from the one where it stands outwards."""
    attempt: int | None = None
    max_attempts: int | None = None
    keep: tuple[str, ...] = ()
    rerun: tuple[str, ...] = ()
    unconfirmed: tuple[str, ...] = ()
    step: str | None = None
    """Id of the step where it stands."""


@dataclass(frozen=True, slots=True)
class Caution:
    """What somebody should know before resuming: a code and a sentence."""

    code: Own[str]
    message: str


@dataclass(frozen=True, slots=True)
class Command:
    """A program to start: words, never a shell's line; folder; environment beside our own."""

    argv: tuple[str, ...]
    cwd: str
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Decision:
    """An answer that a waiting run can be given; `why_not` says why it should not be."""

    word: str
    why_not: str | None = None
    request: str | None = None
    """What to send to a server of the runtime, as text to copy."""


@dataclass(frozen=True, slots=True)
class PreFlight:
    """The whole answer. `reason` says why not, when it is not resumable."""

    run_key: Own[str]
    resumable: bool
    reason: str | None
    position: Position | None
    stands: str | None = None
    """Where it stands, in a few words."""
    done: tuple[str, ...] = ()
    will_run: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    warnings: tuple[Caution, ...] = ()
    needs: tuple[str, ...] = ()
    command: Command | None = None
    """Where the runtime has a command of its own; else one is made of `prompt` or `fills`."""
    prompt: str | None = None
    """The words for a host that is asked to go on."""
    fills: Mapping[str, str] = field(default_factory=dict)
    """What stands for the names in braces of a command template of the user's own."""
    folder: str | None = None
    """Where a program has to be started."""
    liveness: str | None = None
    """What is known of who may be running it now, in a sentence."""
    confirm: str | None = None
    """What has to be typed before it is launched; None = the ordinary confirmation is enough."""
    decisions: tuple[Decision, ...] = ()
    """What a waiting run can be answered; empty where nothing is asked."""
    request: str | None = None
    """What to send to a server of the runtime where no decision is asked for."""
    deadline: int | None = None
    """The last moment at which it can be approved, UTC ms."""
    judged: str | None = None
    """What the command is known to get wrong, and by what its outcome is judged instead."""
    record: Mapping[str, str] = field(default_factory=dict)
    """What the store says now of whatever a resume would change, by name."""
    outcome: Status | None = None
    """How that which would be resumed stands, by the store."""


def refused(
    run_key: str,
    reason: str,
    *,
    record: Mapping[str, str] | None = None,
    outcome: Status | None = None,
    liveness: str | None = None,
    warnings: tuple[Caution, ...] = (),
) -> PreFlight:
    """The pre-flight of a run that cannot be resumed, and why."""
    return PreFlight(
        run_key,
        False,
        reason,
        None,
        warnings=warnings,
        liveness=liveness,
        record=record or {},
        outcome=outcome,
    )
