"""What a resume would do, before anyone does it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


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

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Command:
    """A program to start: words, never a shell's line; folder; environment beside our own."""

    argv: tuple[str, ...]
    cwd: str
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PreFlight:
    """The whole answer. `reason` says why not, when it is not resumable."""

    run_key: str
    resumable: bool
    reason: str | None
    position: Position | None
    done: tuple[str, ...] = ()
    will_run: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    warnings: tuple[Caution, ...] = ()
    needs: tuple[str, ...] = ()
    command: Command | None = None
    prompt: str | None = None
    liveness: str | None = None
    """What is known of who may be running it now, in a sentence."""
    confirm: str | None = None
    """What has to be typed before it is launched; None = the ordinary confirmation is enough."""
