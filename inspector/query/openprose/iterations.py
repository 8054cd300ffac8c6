"""What an `iteration` row says: that a round of its loop is over, or that one begins.

Source: OpenProse state document, "Loops": `iteration` is appended when a round is over. A VM is a
language model, and some append it when a round begins. Which of the two is told loop by loop, from
the first of these that says anything:

1. Something in the loop's body was recorded before the loop's first `iteration` row: rows end
   rounds.
2. The first `iteration` row has an instant of its end: rows end rounds. It has only that of a
   start: they begin them.
3. How an earlier loop of this run was written, as far as that was certain (by 1 or 2, or because
   something was recorded between its last `iteration` row and its exit): the VM goes on like that.
4. The first thing in the body follows the first `iteration` row: it seems that rows begin rounds.
   When the loop is then left straight after an `iteration` row, so that a last round would be
   empty, the document's reading holds after all: the rows ended rounds, and the first was empty.
5. Whatever leaves rounds empty either way, such as two `iteration` rows before anything in the
   body, or a body of which nothing was recorded: rows end rounds.

A loop whose start is not recorded tells nothing by 1 or 4. Where rows begin rounds, a second row
with the number of the round under way ends it.
"""

from __future__ import annotations

from collections.abc import Container
from itertools import pairwise

from inspector.derive.steps import KIND_CODE, NO_TIME
from inspector.query.openprose.events import COMPLETED, ITERATION, RUNNING
from inspector.query.openprose.state import Fact, RoundRow, State
from inspector.query.openprose.statements import begin, record

_ITERATION = KIND_CODE[ITERATION]
BEGIN = "begin a round"
"""What a loop's `iteration_rows` says where they do not end one."""


def round_of(state: State, loop: int) -> int:
    """The loop's round into which the next row of its body falls; it begins with that row."""
    current = state.rounds.get(loop)
    if current is not None:
        return current
    if loop not in state.round_rows:
        current = _first_in_body(state, loop)
    if current is None:
        done = state.steps.extra[loop].ref.get("iterations_completed") or 0
        current = state.add_step(loop, ITERATION, None, "", done + 1, status=RUNNING)
    state.rounds[loop] = current
    return current


def _first_in_body(state: State, loop: int) -> int | None:
    """Decides how the loop's rows are read; the round that its newest row began, if it did."""
    newest = state.empty_rounds.pop(loop, None)
    missing = not state.steps.first[loop]
    alone = state.steps.children_of[loop] == 1
    if newest is None or missing or not alone or state.rows_begin_rounds is False:
        state.round_rows[loop] = RoundRow.ENDS
        return None
    state.round_rows[loop] = RoundRow.SEEMS_TO_BEGIN
    _goes_on(state, loop, newest)
    return newest


def take_round(state: State, fact: Fact, loop: int) -> int:
    """Takes in an `iteration` row and returns the round that it speaks of."""
    reading = state.round_rows.get(loop) or _reading(state, fact, loop)
    current = state.rounds.pop(loop, None)
    if reading in (RoundRow.BEGINS, RoundRow.SEEMS_TO_BEGIN):
        found = _begin_round(state, fact, loop, current)
    else:
        if current is not None and state.steps.first[loop]:
            state.rows_begin_rounds = False
        found = _end_round(state, fact, loop, current)
        if reading is None:
            state.empty_rounds[loop] = found
    steps = state.steps
    steps.set_status(loop, RUNNING, fact.raw)
    steps.last[loop] = fact.n
    steps.touch(loop, fact.n)
    return found


def _reading(state: State, fact: Fact, loop: int) -> RoundRow | None:
    """What the first `iteration` row of a loop tells; None while it may be either."""
    if loop in state.empty_rounds:
        return None
    if fact.ended_at is not None:
        found, state.rows_begin_rounds = RoundRow.ENDS, False
    elif fact.started_at is not None:
        found, state.rows_begin_rounds = RoundRow.BEGINS, True
    elif state.rows_begin_rounds:
        found = RoundRow.BEGINS
    else:
        return None
    state.round_rows[loop] = found
    return found


def _begin_round(state: State, fact: Fact, loop: int, current: int | None) -> int:
    steps = state.steps
    number = fact.meta.iteration
    if current is not None and number == steps.segment[current] and steps.children_of[current]:
        return _end_round(state, fact, loop, current)
    done = steps.more(loop).ref["iterations_completed"] or 0
    if current is not None:
        done = max(done, steps.segment[current])
        steps.set_status(current, COMPLETED, steps.raw[current])
        state.drop_indexes(current)
    segment = done + 1 if number is None or number <= done else number
    found = state.add_step(loop, ITERATION, fact, "", segment)
    begin(state, found, fact)
    _note_number(state, found, number)
    _note_maximum(state, loop, fact)
    state.rounds[loop] = found
    _goes_on(state, loop, found)
    return found


def _goes_on(state: State, loop: int, current: int) -> None:
    """The round that a row began is under way."""
    steps = state.steps
    number = steps.segment[current]
    steps.set_status(current, RUNNING, steps.raw[current])
    steps.more(loop).ref.update(
        iterations_completed=number - 1, current_iteration=number, iteration_rows=BEGIN
    )


def _end_round(state: State, fact: Fact, loop: int, current: int | None) -> int:
    steps = state.steps
    done = (steps.more(loop).ref["iterations_completed"] or 0) + 1
    number = fact.meta.iteration
    if number is not None and number > done:
        done = number
    if current is None:
        current = state.add_step(loop, ITERATION, fact, "", done)
        begin(state, current, fact)
    else:
        steps.segment[current] = done
        record(state, current, fact)
    state.drop_indexes(current)
    _note_number(state, current, number)
    _note_maximum(state, loop, fact)
    _is_over(state, loop, done)
    return current


def _is_over(state: State, loop: int, done: int) -> None:
    extra = state.steps.more(loop)
    is_last = extra.of is not None and done >= extra.of
    extra.ref.update(iterations_completed=done, current_iteration=done if is_last else done + 1)


def _note_number(state: State, step: int, number: int | None) -> None:
    if number is not None and number != state.steps.segment[step]:
        state.steps.more(step).ref["recorded_iteration"] = number


def _note_maximum(state: State, loop: int, fact: Fact) -> None:
    extra = state.steps.more(loop)
    if extra.of is None:
        extra.of = fact.meta.maximum


def leave(state: State, fact: Fact, loop: int) -> None:
    """The loop is over, and with it the round that is under way."""
    reading = state.round_rows.pop(loop, None)
    state.empty_rounds.pop(loop, None)
    current = state.rounds.pop(loop, None)
    if current is None:
        return
    steps = state.steps
    begun = reading in (RoundRow.BEGINS, RoundRow.SEEMS_TO_BEGIN)
    if reading is RoundRow.SEEMS_TO_BEGIN:
        if fact.raw == "exited" and not steps.children_of[current]:
            _ended_after_all(state, loop)
            return
        state.rows_begin_rounds = True
    steps.set_status(current, fact.status, steps.raw[current] if begun else None)
    state.drop_indexes(current)
    number = steps.segment[current]
    if (begun and fact.status is COMPLETED) or fact.meta.iteration == number:
        steps.more(loop).ref["iterations_completed"] = number


def _ended_after_all(state: State, loop: int) -> None:
    """The rows ended their rounds: what follows one belongs to the next, and the first is empty."""
    steps = state.steps
    rounds = [step for step in _inside(state, loop + 1, {loop}) if steps.kind[step] == _ITERATION]
    after = dict(pairwise(rounds))
    moved = _inside(state, loop + 1, after)
    if len(moved) < sum(steps.children_of[one] for one in rounds):
        # A step whose parent came later stands before the loop.
        moved = _inside(state, 0, after)
    for one in rounds:
        steps.set_status(one, COMPLETED, steps.raw[one])
        state.drop_indexes(one)
        steps.span_last[one] = steps.last[one]
        if steps.started[one] == steps.ended[one] == NO_TIME:
            steps.span_start[one] = steps.span_stop[one] = NO_TIME
    for step in reversed(moved):
        steps.move(step, after[steps.parent[step]])
    state.here = None
    steps.more(loop).ref.pop("iteration_rows", None)
    _is_over(state, loop, steps.segment[rounds[-1]])


def _inside(state: State, first: int, containers: Container[int]) -> list[int]:
    parent = state.steps.parent
    return [step for step in range(first, len(state.steps)) if parent[step] in containers]
