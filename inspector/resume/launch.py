"""Launching a plan: the lock, another look under it, the log, the program, the verdict.

The steps are apart so that a screen can ask its reader between them:
`claim` → look at the store → `check` → `Launching.begin` → the program → look → `Launching.end`.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from inspector.model.clock import Clock, rfc3339
from inspector.model.preflight import PreFlight
from inspector.model.status import Status
from inspector.process.background import ending
from inspector.resume.lock import AlreadyRunning, LaunchLock, acquire, holder_of
from inspector.resume.plan import Choices, Plan, make_plan

LOG_NAME = "resumes.jsonl"
_MAX_LOG_BYTES = 32 << 20
"""Of the end of the log are read; a prompt may be fifty thousand characters."""


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch. `exit_code` is negative for a signal and None when it is not known."""

    id: str
    at: str
    run: str
    argv: Sequence[str]
    cwd: str
    where: str
    """`terminal` or `background`."""
    ended_at: str | None = None
    exit_code: int | None = None
    verdict: str | None = None
    """Judged from the store."""
    changes: Sequence[str] = field(default_factory=tuple)


def log_start(folder: Path, launch: Launch) -> None:
    """Adds a launch. Raises OSError: what cannot be logged must not be started."""
    _append(folder, asdict(launch))


def log_end(folder: Path, launch: Launch) -> None:
    """Adds how a launch ended. Raises OSError."""
    over = ("id", "run", "ended_at", "exit_code", "verdict", "changes")
    _append(folder, {name: value for name, value in asdict(launch).items() if name in over})


def _append(folder: Path, record: Mapping[str, Any]) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    line = (json.dumps(record, ensure_ascii=True) + "\n").encode()
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
    descriptor = os.open(folder / LOG_NAME, flags, 0o600)
    try:
        # Closing lets go of it.
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        size = os.fstat(descriptor).st_size
        if size and os.pread(descriptor, 1, size - 1) != b"\n":
            # Whoever wrote last was cut off; its line must not swallow this one.
            line = b"\n" + line
        while line:
            line = line[os.write(descriptor, line) :]
    finally:
        os.close(descriptor)


def read_log(folder: Path) -> list[dict[str, Any]]:
    """Every launch, oldest first; a line that is no record is left out."""
    found: dict[str, dict[str, Any]] = {}
    for line in _lines(folder / LOG_NAME):
        try:
            record = json.loads(line)
        except ValueError:
            continue
        name = record.get("id") if isinstance(record, dict) else None
        if isinstance(name, str):
            found.setdefault(name, {}).update(record)
    return list(found.values())


def launch_count(folder: Path, run_key: str) -> int:
    """How often a run was launched."""
    return sum(1 for launch in read_log(folder) if launch.get("run") == run_key)


def _lines(path: Path) -> list[bytes]:
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            file.seek(max(0, size - _MAX_LOG_BYTES))
            content = file.read(_MAX_LOG_BYTES)
    except FileNotFoundError:
        return []
    lines = content.split(b"\n")
    return lines[1:] if size > _MAX_LOG_BYTES else lines


class Verdict(StrEnum):
    """How a launch went."""

    COMPLETED = "completed"
    CONTINUED = "continued"
    """Something was recorded, and it is not over."""
    WAITING = "waiting"
    """It still waits for the same thing: nothing was resumed."""
    UNCHANGED = "unchanged"
    """Nothing was recorded."""
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    NOT_STARTED = "not_started"
    """The program could not be started."""
    UNKNOWN = "unknown"
    """The store could not be read afterwards."""


WENT_WELL = (Verdict.COMPLETED, Verdict.CONTINUED)
_ENDED = {
    Status.COMPLETED: Verdict.COMPLETED,
    Status.FAILED: Verdict.FAILED,
    Status.INTERRUPTED: Verdict.INTERRUPTED,
}
_WORDS = {
    Verdict.COMPLETED: "it completed",
    Verdict.CONTINUED: "it went on, and is not over",
    Verdict.WAITING: "it still waits: nothing was resumed",
    Verdict.UNCHANGED: "nothing was recorded: nothing was resumed",
    Verdict.FAILED: "it failed",
    Verdict.INTERRUPTED: "it was interrupted",
    Verdict.NOT_STARTED: "it was not started",
    Verdict.UNKNOWN: "the store cannot be read, so what came of it is not known",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """The verdict, and what changed in the store, each as `name: before → after`."""

    verdict: Verdict
    changes: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """The verdict in words."""
        return _WORDS[self.verdict]

    @property
    def went_well(self) -> bool:
        """Whether something was resumed and did not fail."""
        return self.verdict in WENT_WELL


def judge(before: PreFlight, after: PreFlight | None) -> Outcome:
    """What came of a launch between two looks at the store; None: it could not be read."""
    if after is None:
        return Outcome(Verdict.UNKNOWN)
    changes = tuple(_changes(before.record, after.record))
    if not changes:
        waits = after.outcome is Status.WAITING
        return Outcome(Verdict.WAITING if waits else Verdict.UNCHANGED)
    ended = None if after.outcome is None else _ENDED.get(after.outcome)
    return Outcome(ended or Verdict.CONTINUED, changes)


def _changes(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    names = [*before, *(name for name in after if name not in before)]
    return [
        f"{name}: {before.get(name, 'nothing')} → {after.get(name, 'nothing')}"
        for name in names
        if before.get(name) != after.get(name)
    ]


def exit_words(exit_code: int | None) -> str:
    """How the program ended, in words."""
    if exit_code is None:
        return "how the program ended is not known"
    if exit_code < 0:
        return f"the program was ended by signal {-exit_code}"
    return f"the program ended with exit code {exit_code}"


LOCKS = "locks"
BEHIND = "launches"
TERMINAL, BACKGROUND = "terminal", "background"
MOST_KEPT = 50
"""Launches in the background whose output is kept."""


class Refused(Exception):
    """Nothing was launched: why, in a sentence."""


@dataclass(slots=True)
class Launching:
    """A launch under way, from the lock to the verdict."""

    folder: Path
    """Where locks and log are kept."""
    plan: Plan
    lock: LaunchLock
    clock: Clock
    launch: Launch | None = None

    def begin(self, where: str) -> Launch:
        """Logs that it begins. Raises Refused when it cannot be logged."""
        command = self.plan.command
        if command is None:
            raise Refused(self.plan.problem or "There is no command.")
        launch = Launch(
            secrets.token_hex(8),
            _now(self.clock),
            self.plan.run.key,
            command.argv,
            command.cwd,
            where,
        )
        try:
            log_start(self.folder, launch)
        except OSError as error:
            raise Refused(f"The launch cannot be logged, so it was not begun: {error}.") from None
        self.launch = launch
        return launch

    def end(
        self, exit_code: int | None, after: PreFlight | None, *, started: bool = True
    ) -> Outcome:
        """Judges what came of it, logs that, and lets go of the lock."""
        outcome = judge(self.plan.preflight, after)
        if not started:
            outcome = replace(outcome, verdict=Verdict.NOT_STARTED)
        if self.launch is not None:
            over = replace(
                self.launch,
                ended_at=_now(self.clock),
                exit_code=exit_code,
                verdict=outcome.verdict,
                changes=outcome.changes,
            )
            # That it began is in the log; its end is told to whoever launched it.
            with suppress(OSError):
                log_end(self.folder, over)
        self.release()
        return outcome

    def release(self) -> None:
        """Lets go of the lock without a verdict; a program that lives keeps it."""
        self.lock.release()


def claim(folder: Path, plan: Plan, clock: Clock) -> Launching:
    """Takes the lock for a plan. Raises Refused, AlreadyRunning, NoLock."""
    if not plan.can_launch or plan.command is None:
        raise Refused(plan.problem or "There is no command.")
    lock = acquire(folder / LOCKS, plan.run.key, _now(clock))
    try:
        launched = launch_count(folder, plan.run.key)
    except OSError as error:
        lock.release()
        raise Refused(f"The log of launches cannot be read: {error}.") from None
    if launched > plan.launches:
        lock.release()
        raise Refused("This run was launched by somebody else since you looked; look again.")
    return Launching(folder, plan, lock, clock)


def held_by(folder: Path, run_key: str) -> str | None:
    """Who launched the run and has not ended, in a sentence; None when nobody did."""
    holder = holder_of(folder / LOCKS, run_key)
    return None if holder is None else f"{AlreadyRunning(holder)}"


def check(plan: Plan, fresh: PreFlight, choices: Choices) -> None:
    """Whether the store still says what the plan was made from. Raises Refused."""
    before = plan.preflight
    if not fresh.resumable:
        raise Refused(f"It cannot be resumed any more: {fresh.reason}.")
    moved = [
        f"{name} {before.record.get(name, 'nothing')} → {value}"
        for name, value in fresh.record.items()
        if before.record.get(name) != value
    ]
    if moved or fresh.position != before.position:
        raise Refused(f"It moved since you looked ({', '.join(moved) or 'position'}); look again.")
    again = make_plan(plan.run, fresh, choices, plan.launches)
    if again.problem is not None:
        raise Refused(again.problem)
    if again.command != plan.command:
        raise Refused("The command is not the one that you saw any more; look again.")


def environment(plan: Plan, ours: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of the program: ours, with what the plan adds."""
    added = {} if plan.command is None else plan.command.env
    return {**(os.environ if ours is None else ours), **added}


def output_folder(folder: Path, launch_id: str) -> Path:
    """Where a launch in the background is told of; makes room for it.

    What is told of older ones is removed, as far as they are over.
    """
    kept = folder / BEHIND
    with suppress(OSError):
        older = sorted(kept.iterdir(), key=lambda one: one.stat().st_mtime, reverse=True)
        for one in older[MOST_KEPT - 1 :]:
            if ending(one):
                shutil.rmtree(one, ignore_errors=True)
    return kept / launch_id


def launches(folder: Path) -> list[dict[str, Any]]:
    """The log, oldest first, with what is known of launches whose end nobody waited for."""
    found = read_log(folder)
    for launch in found:
        launch["state"] = "ended" if launch.get("ended_at") else _state_of(folder, launch)
    return found


def _state_of(folder: Path, launch: dict[str, Any]) -> str:
    name, run = str(launch.get("id")), str(launch.get("run"))
    over = ending(folder / BEHIND / name) if name.isalnum() else {}
    if over:
        launch["exit_code"] = over.get("exit_code")
        return "ended"
    return "running" if holder_of(folder / LOCKS, run) is not None else "unknown"


def _now(clock: Clock) -> str:
    return rfc3339(clock()) or ""
