"""A step and its rows: attempts, statuses, instants.

Source: OpenProse state document, status words and "Retry". A step stays one step however often
it is tried; a `retry` row, a start after an end, and an end after an end each begin an attempt.
"""

from __future__ import annotations

from dataclasses import replace

from inspector.derive.steps import NO_TIME, StepTable
from inspector.model.status import FINISHED, Status
from inspector.model.step import Attempt
from inspector.query.openprose.state import EARLIEST, Fact, State

MOST_ATTEMPTS = 1000
"""Tries that are kept one by one, the first and the last; each bears its number."""


def begin(state: State, step: int, fact: Fact) -> None:
    """The first row of a step: the columns already hold its status."""
    meta = fact.meta
    _times(state, step, fact)
    if fact.error is not None:
        state.steps.more(step).error = fact.error
    if fact.raw == "retry" or (meta.update_style and meta.attempt is not None and meta.attempt > 1):
        _begin_late(state, step, fact)
    elif meta.max_attempts is not None and meta.attempt is not None:
        state.steps.more(step).max_attempts = meta.max_attempts


def _begin_late(state: State, step: int, fact: Fact) -> None:
    """A step whose first row already speaks of a later attempt: the earlier ones left no row."""
    number = fact.meta.attempt or 2
    extra = state.steps.more(step)
    extra.max_attempts = fact.meta.max_attempts
    earlier = range(1, min(number, MOST_ATTEMPTS))
    extra.attempts = [Attempt(n, Status.UNKNOWN) for n in earlier]
    extra.attempts.append(_attempt(number, fact))


def record(state: State, step: int, fact: Fact) -> None:
    """One more row of a step that already exists."""
    steps = state.steps
    if not steps.first[step]:
        steps.first[step] = fact.n
        _settle(state, step, fact)
        begin(state, step, fact)
        return
    before = steps.status_of(step)
    opens = _opens_attempt(fact, steps.raw[step], before)
    if opens or step in steps.extra:
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
    if fact.status is Status.RUNNING:
        return before in FINISHED or (before is Status.RUNNING and raw_before != "retry")
    return fact.status in FINISHED and before in FINISHED


def _record_attempt(state: State, step: int, fact: Fact, opens: bool) -> None:
    steps = state.steps
    tries = list(steps.attempts(step))
    extra = steps.more(step)
    if opens:
        last = tries[-1]
        if last.status is Status.RUNNING:
            tries[-1] = replace(last, status=Status.INTERRUPTED)
        tries.append(_attempt(max(fact.meta.attempt or 0, last.n + 1), fact))
    elif tries:
        last = tries[-1]
        tries[-1] = replace(
            last,
            status=fact.status,
            raw_status=fact.raw,
            error=fact.error if fact.error is not None else last.error,
            last_event=fact.n,
            started_at=last.started_at if last.started_at is not None else fact.started_at,
            ended_at=fact.ended_at if fact.ended_at is not None else last.ended_at,
        )
    if len(tries) > MOST_ATTEMPTS:
        del tries[MOST_ATTEMPTS // 2]
    if extra.attempts or opens:
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
    if started is not None and steps.started[step] == NO_TIME:
        steps.started[step] = started
    if ended is not None:
        steps.ended[step] = ended
    elif fact.status is Status.RUNNING:
        steps.ended[step] = NO_TIME
    moments = [one for one in (started, ended) if one is not None]
    if any(not EARLIEST <= one <= state.latest for one in moments):
        state.remark("implausible_time", step, (fact.row,))
        moments = [one for one in moments if EARLIEST <= one <= state.latest]
    begun = steps.started[step]
    if ended is not None and begun != NO_TIME and ended < begun:
        state.remark("clock_skew", step, (fact.row,))
        return
    if started is not None and started in moments and _begins_before_parent(steps, step, started):
        state.remark("clock_skew", step, (fact.row,), "before_parent")
    for moment in moments:
        steps.stretch(step, moment)


def _begins_before_parent(steps: StepTable, step: int, started: int) -> bool:
    for around in steps.ancestors(step):
        if steps.started[around] != NO_TIME:
            return started < steps.started[around]
    return False
