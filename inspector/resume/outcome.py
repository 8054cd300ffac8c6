"""What came of a launch, by what the store says before and after: an exit code proves nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from inspector.model.preflight import PreFlight
from inspector.model.status import Status


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
