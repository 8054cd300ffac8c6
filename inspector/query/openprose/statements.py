"""Applies rows to a step: attempts, statuses, times.

Source: OpenProse state document, status words and "Retry". A step remains one step over all
attempts; a `retry` row, a start after an end, and an end after an end each begin an attempt.
"""

from __future__ import annotations

from dataclasses import replace

from inspector.derive.steps import NO_TIME, StepTable
from inspector.model.status import FINISHED, Status
from inspector.model.step import Attempt
from inspector.query.openprose.events import INTERRUPTED, RUNNING, UNKNOWN
from inspector.query.openprose.state import EARLIEST, Fact, State

MOST_ATTEMPTS = 1000
"""Attempts kept per step, the first and the last ones; each has its number."""


def begin(state: State, step: int, fact: Fact) -> None:
    """Apply the first row of a step, whose columns already have its status."""
    meta = fact.meta
    _times(state, step, fact)
    if fact.error is not None:
        state.steps.more(step).error = fact.error
    if fact.raw == "retry" or (meta.update_style and meta.attempt is not None and meta.attempt > 1):
        _begin_late(state, step, fact)
    elif meta.max_attempts is not None and meta.attempt is not None:
        state.steps.more(step).max_attempts = meta.max_attempts


def _begin_late(state: State, step: int, fact: Fact) -> None:
    """Add the attempts before the first row, which left no rows of their own."""
    number = fact.meta.attempt or 2
    extra = state.steps.more(step)
    extra.max_attempts = fact.meta.max_attempts
    earlier = range(1, min(number, MOST_ATTEMPTS))
    extra.attempts = [Attempt(n, UNKNOWN) for n in earlier]
    extra.attempts.append(_attempt(number, fact))


def record(state: State, step: int, fact: Fact) -> None:
    """Apply a further row to a step."""
    steps = state.steps
    if not steps.first[step]:
        steps.first[step] = fact.n
        _settle(state, step, fact)
        begin(state, step, fact)
        return
    before = steps.status_of(step)
    opens = _opens_attempt(fact, steps.raw[step], before)
    if opens or (step in steps.extra and steps.extra[step].attempts):
        _record_attempt(state, step, fact, opens)
    _settle(state, step, fact)
    _times(state, step, fact)
    if fact.error is not None or step in steps.extra:
        steps.more(step).error = fact.error
    if fact.raw == "retry" and fact.meta.max_attempts is not None:
        steps.more(step).max_attempts = fact.meta.max_attempts


def _opens_attempt(fact: Fact, raw_before: str | None, before: Status) -> bool:
    if fact.raw == "retry":
        return True
    if fact.status is RUNNING:
        return before in FINISHED or (before is RUNNING and raw_before != "retry")
    return fact.status in FINISHED and before in FINISHED


def _record_attempt(state: State, step: int, fact: Fact, opens: bool) -> None:
    steps = state.steps
    tries = list(steps.attempts(step))
    extra = steps.more(step)
    if opens:
        last = tries[-1]
        if last.status is RUNNING:
            tries[-1] = replace(last, status=INTERRUPTED)
        tries.append(_attempt(max(fact.meta.attempt or 0, last.n + 1), fact))
    elif tries:
        last = tries[-1]
        tries[-1] = Attempt(
            last.n,
            fact.status,
            fact.raw,
            fact.error if fact.error is not None else last.error,
            last.first_event,
            fact.n,
            last.started_at if last.started_at is not None else fact.started_at,
            fact.ended_at if fact.ended_at is not None else last.ended_at,
        )
    if len(tries) > MOST_ATTEMPTS:
        del tries[MOST_ATTEMPTS // 2]
    extra.attempts = tries


def _attempt(number: int, fact: Fact) -> Attempt:
    return Attempt(
        number,
        fact.status,
        fact.raw,
        fact.error,
        fact.n,
        fact.n,
        fact.started_at,
        fact.ended_at,
    )


def _settle(state: State, step: int, fact: Fact) -> None:
    steps = state.steps
    steps.set_status(step, fact.status, fact.raw)
    steps.last[step] = fact.n
    steps.touch(step, fact.n)


def _times(state: State, step: int, fact: Fact) -> None:
    steps = state.steps
    started, ended = fact.started_at, fact.ended_at
    if started is None and ended is None:
        return
    if ended is None and fact.status is RUNNING:
        steps.ended[step] = NO_TIME
    record_times(state, step, fact.row, started, ended)


def record_times(state: State, step: int, row: int, started: int | None, ended: int | None) -> None:
    """Record the times of a row, and extend the step's span unless they are implausible."""
    steps = state.steps
    if started is not None and steps.started[step] == NO_TIME:
        steps.started[step] = started
    if ended is not None:
        steps.ended[step] = ended
    latest = state.latest
    good_start = started is not None and EARLIEST <= started <= latest
    good_end = ended is not None and EARLIEST <= ended <= latest
    if good_start != (started is not None) or good_end != (ended is not None):
        state.remark("implausible_time", step, (row,))
    if ended is not None and ended < steps.started[step] != NO_TIME:
        state.remark("clock_skew", step, (row,))
        return
    if started is not None and good_start:
        if steps.parent[step] >= 0 and _begins_before_parent(steps, step, started):
            state.remark("clock_skew", step, (row,), "before_parent")
        steps.stretch(step, started)
    if ended is not None and good_end:
        steps.stretch(step, ended)


def _begins_before_parent(steps: StepTable, step: int, started: int) -> bool:
    for around in steps.ancestors(step):
        if steps.started[around] != NO_TIME:
            return started < steps.started[around]
    return False
