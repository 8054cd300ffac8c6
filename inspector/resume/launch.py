"""Launching a plan: the lock, another look under it, the log, the program, the verdict.

The steps are apart so that a screen can ask its reader between them:
`claim` → look at the store → `check` → `Launching.begin` → the program → look → `Launching.end`.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from inspector.model.clock import Clock, rfc3339
from inspector.model.preflight import PreFlight
from inspector.process.background import ending
from inspector.resume import journal
from inspector.resume.journal import Launch
from inspector.resume.lock import AlreadyRunning, LaunchLock, acquire, holder_of
from inspector.resume.outcome import Outcome, Verdict, judge
from inspector.resume.plan import Choices, Plan, make_plan

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
            journal.begin(self.folder, launch)
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
                journal.end(self.folder, over)
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
        launched = journal.count(folder, plan.run.key)
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


def behind(folder: Path, launch_id: str) -> Path:
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
    found = journal.read(folder)
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
