"""Launching a plan: lock, re-check, log, program, verdict.

The steps are separate functions so that a screen can query its reader between them: `claim` → read
the store → `check` → `Launching.begin` → the program → read the store → `Launching.end`. The log
has one line per start and one per end, with the same id.
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

from inspector.model.clock import Clock, rfc3339
from inspector.model.preflight import PreFlight
from inspector.model.status import Status
from inspector.process.background import ending
from inspector.resume.lock import AlreadyRunning, LaunchLock, acquire, holder_of
from inspector.resume.plan import Choices, Plan, make_plan

LOG_NAME = "resumes.jsonl"
_MAX_LOG_BYTES = 32 << 20
"""Bytes read from the end of the log; a prompt may have 50,000 characters."""


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch; `exit_code` is negative for a signal, None if unknown."""

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
    """From the store, not from the exit code."""
    changes: Sequence[str] = field(default_factory=tuple)


def log_start(folder: Path, launch: Launch) -> None:
    """Logs the start of a launch. Raises OSError: without a log there must be no launch."""
    _append(folder, asdict(launch))


def log_end(folder: Path, launch: Launch) -> None:
    """Logs the end of a launch. Raises OSError."""
    over = ("id", "run", "ended_at", "exit_code", "verdict", "changes")
    _append(folder, {name: value for name, value in asdict(launch).items() if name in over})


def _append(folder: Path, record: Mapping[str, object]) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    line = (json.dumps(record, ensure_ascii=True) + "\n").encode()
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
    descriptor = os.open(folder / LOG_NAME, flags, 0o600)
    try:
        # Released by closing.
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        size = os.fstat(descriptor).st_size
        if size and os.pread(descriptor, 1, size - 1) != b"\n":
            # The last writer was interrupted: start a new line.
            line = b"\n" + line
        while line:
            line = line[os.write(descriptor, line) :]
    finally:
        os.close(descriptor)


def read_log(folder: Path) -> list[dict[str, object]]:
    """Returns all launches, oldest first; invalid lines are skipped."""
    found: dict[str, dict[str, object]] = {}
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
    """Returns how many times a run was launched."""
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
    """Result of a launch."""

    COMPLETED = "completed"
    CONTINUED = "continued"
    """Something was recorded and the run has not ended."""
    WAITING = "waiting"
    """The run still waits for the same thing."""
    UNCHANGED = "unchanged"
    """Nothing was recorded."""
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    NOT_STARTED = "not_started"
    """The program did not start."""
    UNKNOWN = "unknown"
    """The store could not be read afterwards."""


_SUCCESS = (Verdict.COMPLETED, Verdict.CONTINUED)
_ENDED = {
    Status.COMPLETED: Verdict.COMPLETED,
    Status.FAILED: Verdict.FAILED,
    Status.INTERRUPTED: Verdict.INTERRUPTED,
}
_WORDS = {
    Verdict.COMPLETED: "completed",
    Verdict.CONTINUED: "resumed; not finished yet",
    Verdict.WAITING: "still waiting; not resumed",
    Verdict.UNCHANGED: "not resumed: nothing new was recorded",
    Verdict.FAILED: "failed",
    Verdict.INTERRUPTED: "interrupted",
    Verdict.NOT_STARTED: "not started",
    Verdict.UNKNOWN: "outcome unknown: the store cannot be read",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """The verdict, and what changed in the store, each as `name: before → after`."""

    verdict: Verdict
    changes: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """The verdict as a phrase."""
        return _WORDS[self.verdict]

    @property
    def went_well(self) -> bool:
        """True if the run was resumed and did not fail."""
        return self.verdict in _SUCCESS


def judge(before: PreFlight, after: PreFlight | None) -> Outcome:
    """Compares the store before and after a launch; `after` None = it could not be read."""
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
    """Describes the end of the program."""
    if exit_code is None:
        return "the exit code of the program is unknown"
    if exit_code < 0:
        return f"the program was ended by signal {-exit_code}"
    return f"the program ended with exit code {exit_code}"


LOCKS = "locks"
OUTPUTS = "launches"
TERMINAL, BACKGROUND = "terminal", "background"
MAX_OUTPUTS = 50
"""Background launches whose output is kept."""


class Refused(Exception):
    """Nothing was launched; the text is a sentence with the reason."""


@dataclass(slots=True)
class Launching:
    """A launch in progress, from the lock to the verdict."""

    folder: Path
    """Folder of the locks and the log."""
    plan: Plan
    lock: LaunchLock
    clock: Clock
    launch: Launch | None = None

    def begin(self, where: str) -> Launch:
        """Logs the start. Raises Refused if that fails."""
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
            raise Refused(f"Not launched: the launch cannot be logged ({error}).") from None
        self.launch = launch
        return launch

    def end(
        self, exit_code: int | None, after: PreFlight | None, *, started: bool = True
    ) -> Outcome:
        """Judges and logs the result, and releases the lock."""
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
            # The start is logged, and the caller shows the end.
            with suppress(OSError):
                log_end(self.folder, over)
        self.release()
        return outcome

    def release(self) -> None:
        """Releases the lock without a verdict; a running program keeps holding it."""
        self.lock.release()


def claim(folder: Path, plan: Plan, clock: Clock) -> Launching:
    """Acquires the lock for a plan. Raises Refused, AlreadyRunning, NoLock."""
    if not plan.can_launch or plan.command is None:
        raise Refused(plan.problem or "There is no command.")
    lock = acquire(folder / LOCKS, plan.run.key, _now(clock))
    try:
        launched = launch_count(folder, plan.run.key)
    except OSError as error:
        lock.release()
        raise Refused(f"The launch log cannot be read: {error}.") from None
    if launched > plan.launches:
        lock.release()
        raise Refused("The run was launched by someone else meanwhile. Reload the plan.")
    return Launching(folder, plan, lock, clock)


def held_by(folder: Path, run_key: str) -> str | None:
    """Returns a sentence about the launch that has not ended; None if there is none."""
    holder = holder_of(folder / LOCKS, run_key)
    return None if holder is None else f"{AlreadyRunning(holder)}"


def check(plan: Plan, fresh: PreFlight, choices: Choices) -> None:
    """Raises Refused if the store or the command changed since the plan was made."""
    before = plan.preflight
    if not fresh.resumable:
        raise Refused(f"No longer resumable: {fresh.reason}.")
    changed = [
        f"{name} {before.record.get(name, 'nothing')} → {value}"
        for name, value in fresh.record.items()
        if before.record.get(name) != value
    ]
    if changed or fresh.position != before.position:
        raise Refused(
            f"The run changed meanwhile ({', '.join(changed) or 'position'}). Reload the plan."
        )
    again = make_plan(plan.run, fresh, choices, plan.launches)
    if again.problem is not None:
        raise Refused(again.problem)
    if again.command != plan.command:
        raise Refused("The command changed meanwhile. Reload the plan.")


def environment(plan: Plan, ours: Mapping[str, str] | None = None) -> dict[str, str]:
    """Returns the environment of the program: ours plus the variables of the plan."""
    added = {} if plan.command is None else plan.command.env
    return {**(os.environ if ours is None else ours), **added}


def output_folder(folder: Path, launch_id: str) -> Path:
    """Returns the output folder of a background launch; removes folders of old, ended ones."""
    outputs = folder / OUTPUTS
    with suppress(OSError):
        older = sorted(outputs.iterdir(), key=lambda one: one.stat().st_mtime, reverse=True)
        for one in older[MAX_OUTPUTS - 1 :]:
            if ending(one):
                shutil.rmtree(one, ignore_errors=True)
    return outputs / launch_id


def launches(folder: Path) -> list[dict[str, object]]:
    """Returns the log, oldest first, with a `state` for launches whose end is not logged."""
    found = read_log(folder)
    for launch in found:
        launch["state"] = "ended" if launch.get("ended_at") else _state_of(folder, launch)
    return found


def _state_of(folder: Path, launch: dict[str, object]) -> str:
    name, run = str(launch.get("id")), str(launch.get("run"))
    over = ending(folder / OUTPUTS / name) if name.isalnum() else {}
    if over:
        launch["exit_code"] = over.get("exit_code")
        return "ended"
    return "running" if holder_of(folder / LOCKS, run) is not None else "unknown"


def _now(clock: Clock) -> str:
    return rfc3339(clock()) or ""
