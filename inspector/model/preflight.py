"""The pre-flight of a resume: what it would do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from inspector.model.status import Status
from inspector.model.trust import Own


@dataclass(frozen=True, slots=True)
class Position:
    """Where a run stopped; fields that do not apply are None or empty."""

    kind: str
    """parallel, loop, statement, block, next, or the runtime's own word."""
    action: str | None = None
    statement_index: int | float | str | None = None
    after_statement_index: int | float | str | None = None
    parallel_id: str | None = None
    instance: int | None = None
    loop_id: str | None = None
    iteration: int | None = None
    frame: int | None = None
    depth: int | None = None
    scope: tuple[int, ...] = ()
    """Frames from the innermost outwards."""
    attempt: int | None = None
    max_attempts: int | None = None
    keep: tuple[str, ...] = ()
    rerun: tuple[str, ...] = ()
    unconfirmed: tuple[str, ...] = ()
    step: str | None = None
    """Id of the step where the run stopped."""


@dataclass(frozen=True, slots=True)
class Caution:
    """A warning before resuming: a code and a sentence."""

    code: Own[str]
    message: str


@dataclass(frozen=True, slots=True)
class Command:
    """A program to start: arguments, folder, and variables to add to our environment."""

    argv: tuple[str, ...]
    cwd: str
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision that a waiting run accepts; `why_not` says why it is not possible."""

    word: str
    why_not: str | None = None
    request: str | None = None
    """HTTP request for a server of the runtime, as text to copy."""


@dataclass(frozen=True, slots=True)
class PreFlight:
    """The pre-flight of a run; `reason` says why it is not resumable."""

    run_key: Own[str]
    resumable: bool
    reason: str | None
    position: Position | None
    stands: str | None = None
    """Where the run stopped, in a few words."""
    done: tuple[str, ...] = ()
    will_run: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    warnings: tuple[Caution, ...] = ()
    needs: tuple[str, ...] = ()
    command: Command | None = None
    """The runtime's own command; else the plan makes one from `prompt` or `fills`."""
    prompt: str | None = None
    """Prompt for a host that resumes the run."""
    fills: Mapping[str, str] = field(default_factory=dict)
    """Values of the placeholders in the user's command template."""
    folder: str | None = None
    """Working directory of the command."""
    liveness: str | None = None
    """A sentence about whether the run may still be running."""
    confirm: str | None = None
    """Text to type before launching; None = a plain confirmation is enough."""
    decisions: tuple[Decision, ...] = ()
    """Decisions that a waiting run accepts; empty if it waits for none."""
    request: str | None = None
    """HTTP request for a server of the runtime, if no decision is needed."""
    deadline: int | None = None
    """Latest instant of an approval, UTC ms."""
    judged: str | None = None
    """How to judge the outcome if the exit code of the command is not reliable."""
    record: Mapping[str, str] = field(default_factory=dict)
    """Current values, by name, of what a resume would change in the store."""
    outcome: Status | None = None
    """Recorded status of what would be resumed."""


def refused(
    run_key: str,
    reason: str,
    *,
    record: Mapping[str, str] | None = None,
    outcome: Status | None = None,
    liveness: str | None = None,
    warnings: tuple[Caution, ...] = (),
) -> PreFlight:
    """Returns the pre-flight of a run that cannot be resumed."""
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
