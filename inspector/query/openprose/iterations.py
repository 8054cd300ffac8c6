"""Whether an `iteration` row ends an iteration of its loop or begins one.

Source: OpenProse state document, "Loops": `iteration` is appended when an iteration is over. A VM
is a language model, and some append it when an iteration begins. The first of these rules that
applies decides, loop by loop:

(1) A row of the loop's body precedes the loop's first `iteration` row: rows end iterations.

(2) The first `iteration` row has an end time: rows end iterations. It has only a start time: rows
begin them.

(3) An earlier loop of this run was decided with certainty (by 1 or 2, or because rows of its body
came between its last `iteration` row and its exit): as that one.

(4) The first row of the body follows the first `iteration` row: rows seem to begin iterations. If
the loop is then left directly after an `iteration` row, so that the last iteration would be empty,
the document's reading holds after all: the rows ended iterations, and the first one was empty.

(5) Iterations are empty either way, because two `iteration` rows precede the body or it has no
rows: rows end iterations.

Rules 1 and 4 do not apply to a loop whose start is not recorded. Where rows begin iterations, a
second row with the number of the current one ends it.
"""

from __future__ import annotations

from collections.abc import Container
from itertools import pairwise

from inspector.derive.steps import KIND_CODE, NO_TIME
from inspector.query.openprose.events import COMPLETED, ITERATION, RUNNING
from inspector.query.openprose.state import Fact, IterationRow, State
from inspector.query.openprose.statements import begin, record

_ITERATION = KIND_CODE[ITERATION]
BEGIN = "begin a round"
"""Value of `iteration_rows` in a loop's references where rows begin iterations."""


def current_iteration(state: State, loop: int) -> int:
    """Return the iteration of the next row of the loop's body; begin it if necessary."""
    current = state.iterations.get(loop)
    if current is not None:
        return current
    if loop not in state.iteration_rows:
        current = _first_in_body(state, loop)
    if current is None:
        done = state.steps.extra[loop].ref.get("iterations_completed") or 0
        current = state.add_step(loop, ITERATION, None, "", done + 1, status=RUNNING)
    state.iterations[loop] = current
    return current


def _first_in_body(state: State, loop: int) -> int | None:
    """Decide how the loop's rows are read; return the iteration that its newest row began."""
    newest = state.empty_iterations.pop(loop, None)
    missing = not state.steps.first[loop]
    alone = state.steps.children_of[loop] == 1
    if newest is None or missing or not alone or state.rows_begin_iterations is False:
        state.iteration_rows[loop] = IterationRow.ENDS
        return None
    state.iteration_rows[loop] = IterationRow.SEEMS_TO_BEGIN
    _mark_current(state, loop, newest)
    return newest


def apply_iteration(state: State, fact: Fact, loop: int) -> int:
    """Apply an `iteration` row; return the iteration that it belongs to."""
    reading = state.iteration_rows.get(loop) or _reading(state, fact, loop)
    current = state.iterations.pop(loop, None)
    if reading in (IterationRow.BEGINS, IterationRow.SEEMS_TO_BEGIN):
        found = _begin_iteration(state, fact, loop, current)
    else:
        if current is not None and state.steps.first[loop]:
            state.rows_begin_iterations = False
        found = _end_iteration(state, fact, loop, current)
        if reading is None:
            state.empty_iterations[loop] = found
    steps = state.steps
    steps.set_status(loop, RUNNING, fact.raw)
    steps.last[loop] = fact.n
    steps.touch(loop, fact.n)
    return found


def _reading(state: State, fact: Fact, loop: int) -> IterationRow | None:
    """Return what the loop's first `iteration` row decides; None while it may be either."""
    if loop in state.empty_iterations:
        return None
    if fact.ended_at is not None:
        found, state.rows_begin_iterations = IterationRow.ENDS, False
    elif fact.started_at is not None:
        found, state.rows_begin_iterations = IterationRow.BEGINS, True
    elif state.rows_begin_iterations:
        found = IterationRow.BEGINS
    else:
        return None
    state.iteration_rows[loop] = found
    return found


def _begin_iteration(state: State, fact: Fact, loop: int, current: int | None) -> int:
    steps = state.steps
    number = fact.meta.iteration
    if current is not None and number == steps.segment[current] and steps.children_of[current]:
        return _end_iteration(state, fact, loop, current)
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
    state.iterations[loop] = found
    _mark_current(state, loop, found)
    return found


def _mark_current(state: State, loop: int, current: int) -> None:
    """Mark the iteration that a row began as the current one."""
    steps = state.steps
    number = steps.segment[current]
    steps.set_status(current, RUNNING, steps.raw[current])
    steps.more(loop).ref.update(
        iterations_completed=number - 1, current_iteration=number, iteration_rows=BEGIN
    )


def _end_iteration(state: State, fact: Fact, loop: int, current: int | None) -> int:
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
    """End the loop's current iteration because the loop ended."""
    reading = state.iteration_rows.pop(loop, None)
    state.empty_iterations.pop(loop, None)
    current = state.iterations.pop(loop, None)
    if current is None:
        return
    steps = state.steps
    begun = reading in (IterationRow.BEGINS, IterationRow.SEEMS_TO_BEGIN)
    if reading is IterationRow.SEEMS_TO_BEGIN:
        if fact.raw == "exited" and not steps.children_of[current]:
            _shift_bodies(state, loop)
            return
        state.rows_begin_iterations = True
    steps.set_status(current, fact.status, steps.raw[current] if begun else None)
    state.drop_indexes(current)
    number = steps.segment[current]
    if (begun and fact.status is COMPLETED) or fact.meta.iteration == number:
        steps.more(loop).ref["iterations_completed"] = number


def _shift_bodies(state: State, loop: int) -> None:
    """Correct rule 4: the rows ended iterations, so each body moves to the following iteration."""
    steps = state.steps
    iterations = [
        step for step in _inside(state, loop + 1, {loop}) if steps.kind[step] == _ITERATION
    ]
    after = dict(pairwise(iterations))
    moved = _inside(state, loop + 1, after)
    if len(moved) < sum(steps.children_of[one] for one in iterations):
        # A step whose parent was recorded later precedes the loop.
        moved = _inside(state, 0, after)
    for one in iterations:
        steps.set_status(one, COMPLETED, steps.raw[one])
        state.drop_indexes(one)
        steps.span_last[one] = steps.last[one]
        if steps.started[one] == steps.ended[one] == NO_TIME:
            steps.span_start[one] = steps.span_stop[one] = NO_TIME
    for step in reversed(moved):
        steps.move(step, after[steps.parent[step]])
    state.here = None
    steps.more(loop).ref.pop("iteration_rows", None)
    _is_over(state, loop, steps.segment[iterations[-1]])


def _inside(state: State, first: int, containers: Container[int]) -> list[int]:
    parent = state.steps.parent
    return [step for step in range(first, len(state.steps)) if parent[step] in containers]
