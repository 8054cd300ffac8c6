"""Steps that are tried again: the attempts of a `try` and what follows them, and of any step.

Source: Grimoire's executor. A `try` makes its first attempt, then one for each `retry_attempted`;
behind the last come its catch and its finally, which a ledger does not tell apart.
"""

from __future__ import annotations

from dataclasses import replace

from inspector.derive.steps import instant
from inspector.model.status import Status
from inspector.model.step import Attempt, StepKind
from inspector.query.grimoire.events import Fact
from inspector.query.grimoire.state import Frame, State


def attempt_of(state: State, frame: Frame, fact: Fact) -> int:
    """The parent of a direct child of a `try`."""
    if frame.after:
        if frame.group >= 0 and state.steps.label[frame.group] == _AFTER:
            return frame.group
        _close_attempt(state, frame, fact, Status.FAILED)
        frame.group = _group(state, frame, fact, _AFTER, "after")
        return frame.group
    if frame.event in state.hints.retried and frame.group < 0:
        _open_attempt(state, frame, fact)
    return frame.group if frame.group >= 0 else frame.step


_AFTER = "catch or finally"


def _group(state: State, frame: Frame, fact: Fact, label: str, segment: str) -> int:
    return state.add(frame.step, StepKind.GROUP, label, fact, segment, None)


def _open_attempt(state: State, frame: Frame, fact: Fact) -> None:
    frame.attempts += 1
    name = f"attempt {frame.attempts}"
    frame.group = _group(state, frame, fact, name, name.replace(" ", "-"))
    state.steps.more(frame.step).attempts.append(
        Attempt(frame.attempts, Status.RUNNING, None, None, fact.n, fact.n, fact.at)
    )


def _close_attempt(
    state: State, frame: Frame, fact: Fact, status: Status, error: str | None = None
) -> None:
    attempts = state.steps.more(frame.step).attempts
    if attempts and attempts[-1].status is Status.RUNNING:
        attempts[-1] = replace(
            attempts[-1], status=status, error=error, last_event=fact.n, ended_at=fact.at
        )
    state.close_group(frame, fact, status)


def retry(state: State, frame: Frame, fact: Fact) -> None:
    """A further attempt begins."""
    frame.branches.clear()
    frame.failed, frame.after = None, False
    if frame.kind != "try":
        _retry_plain(state, frame, fact)
    elif frame.event not in state.hints.retried:
        state.found[frame.event] = 0
    else:
        if not frame.attempts:
            _open_attempt(state, frame, fact)
        _close_attempt(state, frame, fact, Status.FAILED)
        _open_attempt(state, frame, fact)


def _retry_plain(state: State, frame: Frame, fact: Fact) -> None:
    extra = state.steps.more(frame.step)
    if not extra.attempts:
        began = instant(state.steps.started[frame.step])
        extra.attempts.append(
            Attempt(1, Status.FAILED, None, None, frame.event, fact.n, began, fact.at)
        )
    else:
        extra.attempts[-1] = replace(
            extra.attempts[-1], status=Status.FAILED, last_event=fact.n, ended_at=fact.at
        )
    extra.attempts.append(
        Attempt(len(extra.attempts) + 1, Status.RUNNING, None, None, fact.n, fact.n, fact.at)
    )


def retries_over(state: State, frame: Frame, fact: Fact, succeeded: bool) -> None:
    """The last attempt is over; what follows is catch or finally."""
    if not succeeded and isinstance(fact.body.get("attempts"), int):
        state.steps.more(frame.step).max_attempts = fact.body["attempts"] + 1
    if frame.kind == "try":
        _close_attempt(state, frame, fact, Status.COMPLETED if succeeded else Status.FAILED)
        frame.branches.clear()
        frame.failed, frame.after = None, True


def caught(frame: Frame) -> None:
    """A `try` caught an error: unless a retry follows, what comes next is its catch."""
    frame.branches.clear()
    frame.failed = None
    frame.after = frame.kind == "try"


def finish_attempts(
    state: State, frame: Frame, fact: Fact, status: Status, error: str | None = None
) -> None:
    """The step is over, and with it an attempt that was under way."""
    extra = state.steps.extra.get(frame.step)
    if extra is None or not extra.attempts or extra.attempts[-1].status is not Status.RUNNING:
        return
    mine = state.steps.more(frame.step)
    mine.attempts[-1] = replace(
        mine.attempts[-1], status=status, error=error, last_event=fact.n, ended_at=fact.at
    )
