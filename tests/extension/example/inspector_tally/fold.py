"""From marks to steps: pure, so that a test needs no database."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from inspector.derive.steps import StepTable
from inspector.model.status import Status
from inspector.model.step import StepKind

STATUSES = {
    "begun": Status.RUNNING,
    "ok": Status.COMPLETED,
    "bad": Status.FAILED,
    "held": Status.INTERRUPTED,
}
"""Tally's status words; any other word is unknown."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One row of `tally_marks`: an event of a job. `at_ms` is UTC ms."""

    seq: int
    step: str
    word: str
    at_ms: int | None
    note: str | None


def status_of(word: str | None) -> Status:
    """Return the status that a word of Tally means."""
    return STATUSES.get(word or "", Status.UNKNOWN)


def fold(marks: Iterable[Mark]) -> tuple[StepTable, list[int], list[int]]:
    """Return the steps, the step of each event, and the events that recorded a failure.

    The first mark of a step begins it; every later one changes its status.
    """
    steps, numbers = StepTable(), dict[str, int]()
    step_of_event, failures = list[int](), list[int]()
    for event, mark in enumerate(marks, 1):
        status = status_of(mark.word)
        number = numbers.get(mark.step)
        if number is None:
            number = numbers[mark.step] = steps.add(
                -1, StepKind.STATEMENT, mark.step, status, mark.word, event
            )
        else:
            steps.set_status(number, status, mark.word)
            steps.last[number] = event
            steps.touch(number, event)
        if mark.at_ms is not None:
            column = steps.started if mark.word == "begun" else steps.ended
            column[number] = mark.at_ms
            steps.stretch(number, mark.at_ms)
        if status is Status.FAILED:
            failures.append(event)
            steps.more(number).error = mark.note
        step_of_event.append(number)
    return steps, step_of_event, failures
