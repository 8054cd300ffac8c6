"""The nesting of steps: children, branches of conditionals, iterations, attempts.

Source: Grimoire's executor and its ledgers. Loops, tries, parallels and pipelines enclose their
children. A conditional ends before its branch runs. Iterations of a loop are not marked. A `try`
makes one attempt, then one for each `retry_attempted`; its catch and its finally follow the last
and look the same in a ledger.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from inspector.derive.steps import instant
from inspector.model.status import Status
from inspector.model.step import Attempt, StepKind
from inspector.query.grimoire.event_summary import result_words, value
from inspector.query.grimoire.events import Fact
from inspector.query.grimoire.state import Branch, Frame, State, preview_of

KINDS: Mapping[str, StepKind] = {
    "compute": StepKind.STATEMENT,
    "emit": StepKind.STATEMENT,
    "halt": StepKind.STATEMENT,
    "conditional": StepKind.CONDITIONAL,
    "loop": StepKind.LOOP,
    "wait": StepKind.WAIT,
    "action": StepKind.ACTION,
    "try": StepKind.TRY,
    "parallel": StepKind.PARALLEL,
    "pipeline": StepKind.BLOCK,
    "advisory": StepKind.ADVISORY,
}

PLAIN = frozenset({"compute", "emit", "halt", "conditional", "wait", "action", "advisory"})
"""Kinds that enclose no steps; an unknown kind is assumed to enclose."""

MOST_EMPTY_ITERATIONS = 1000
"""Iterations without steps that are listed one by one."""

_KEPT_RESULTS = frozenset(
    {
        "condition", "executedBranch", "iterations", "resultsCount", "waitedSeconds", "halted",
        "reason", "branches", "success", "count", "skipped",
    }
)  # fmt: skip
"""Fields of a result that are kept in the step; the rest is in its event."""

_AFTER = "catch or finally"


def start(state: State, fact: Fact) -> int:
    """Start a step inside the innermost open step that encloses others.

    An open step that encloses none is left without an end.
    """
    preview_of(state, fact)
    while state.frames and not state.frames[-1].encloses:
        leave(state, state.frames.pop(), fact)
    state.began = True
    step_id, kind = state.intern(fact.text("stepId") or "?"), fact.text("kind") or "?"
    step = _add(state, fact, step_id, KINDS.get(kind, StepKind.NODE), kind)
    state.frames.append(Frame(step, step_id, kind, kind not in PLAIN, fact.n))
    return step


def _add(state: State, fact: Fact, step_id: str, kind: StepKind, word: str | None = None) -> int:
    parent = _parent_in(state, enclosing(state), step_id, fact)
    step = state.add(parent, kind, step_id, fact, step_id, "started")
    state.set_kind_word(step, word)
    state.newest[step_id] = step
    return step


def adopt(state: State, fact: Fact, step_id: str, kind: StepKind) -> int:
    """Add a step whose start is not recorded; its status is unknown."""
    preview_of(state, fact)
    step = _add(state, fact, step_id, kind)
    state.steps.set_status(step, Status.UNKNOWN, None)
    state.remark("start_missing", step, fact.n, step_id)
    return step


def enclosing(state: State) -> Frame:
    """Return the frame of the innermost open step that encloses others, or of the preview."""
    return next((one for one in reversed(state.frames) if one.encloses), state.body)


def _parent_in(state: State, frame: Frame, step_id: str, fact: Fact) -> int:
    """Return the parent of a step that starts in a frame.

    A step that an open branch names belongs to that conditional; branches that do not name it are
    over. A failure ends every open branch of the frame, and the body of a `try`.
    """
    if frame.failed is not None:
        frame.failed, frame.after = None, frame.kind == "try"
        frame.branches.clear()
    while frame.branches:
        branch = frame.branches[-1]
        if step_id in branch.ids[branch.at :]:
            branch.at = branch.ids.index(step_id, branch.at) + 1
            return branch.step
        frame.branches.pop()
    frame.children += 1
    if frame.kind == "loop":
        return _iteration_of(state, frame, step_id, fact)
    return _attempt_of(state, frame, fact) if frame.kind == "try" else frame.step


def _iteration_of(state: State, frame: Frame, step_id: str, fact: Fact) -> int:
    """Return the iteration of a direct child: a new one when the first child's id starts again.

    A hint (children per iteration) replaces that rule where ids repeat within an iteration.
    """
    per_round = state.hints.per_round.get(frame.event)
    if per_round:
        is_next = (frame.children - 1) % per_round == 0
    else:
        is_next = frame.first is None or step_id == frame.first
    if frame.first is None:
        frame.first = step_id
    if is_next or frame.group < 0:
        state.close_group(frame, fact)
        frame.iterations += 1
        frame.group = state.add_iteration(frame.step, frame.iterations, fact)
        state.note(frame.step, current_iteration=frame.iterations)
    return frame.group


def complete(state: State, fact: Fact) -> int:
    """Complete a step. Only now does a conditional name the steps of its branch."""
    frame, step = _close_frame(state, fact)
    result = fact.body.get("result")
    fields = result if isinstance(result, dict) else {}
    state.end(step, fact, Status.COMPLETED, "completed")
    if frame is None:
        return step
    state.close_group(frame, fact)
    finish_attempts(state, frame, fact, Status.COMPLETED)
    _note_result(state, step, frame, result)
    if frame.kind == "conditional":
        _open_branch(state, step, fields)
    elif frame.kind == "loop":
        _close_loop(state, frame, fact, fields)
    elif frame.kind == "halt":
        state.halted = step
        state.remark("halted", step, fact.n, value(fields.get("reason") or ""))
    return step


def _close_frame(state: State, fact: Fact) -> tuple[Frame | None, int]:
    """Close and return the frame of the step that ends; steps open inside it have no end."""
    step_id = fact.text("stepId") or "?"
    frame = state.frame_of(step_id)
    if frame is None:
        return None, adopt(state, fact, step_id, StepKind.STATEMENT)
    while state.frames[-1] is not frame:
        leave(state, state.frames.pop(), fact)
    state.frames.pop()
    return frame, frame.step


def _note_result(state: State, step: int, frame: Frame, result: object) -> None:
    if frame.kind == "advisory":
        return
    if isinstance(result, dict):
        words = result_words(result)
        if words and frame.kind != "action":
            state.steps.label[step] = f"{frame.step_id}: {words}"
        kept = {name: item for name, item in result.items() if name in _KEPT_RESULTS}
        if kept:
            state.note(step, **kept)


def _open_branch(state: State, step: int, result: Mapping[str, object]) -> None:
    named = result.get("branchSteps")
    ids = [one for one in named if isinstance(one, str)] if isinstance(named, list) else []
    if ids:
        enclosing(state).branches.append(Branch(step, ids))


def _close_loop(state: State, frame: Frame, fact: Fact, result: Mapping[str, object]) -> None:
    """Compare the iterations found with those recorded.

    Without children, the recorded number of empty iterations is added. If the results are as many
    as the children and divide evenly, that is a hint for another fold; any other difference is
    remarked.
    """
    rounds, results = _count(result.get("iterations")), _count(result.get("resultsCount"))
    if rounds is None:
        return
    state.note(frame.step, iterations_completed=rounds)
    if frame.iterations == rounds:
        return
    if not frame.children and rounds <= MOST_EMPTY_ITERATIONS:
        for n in range(1, rounds + 1):
            state.steps.set_status(state.add_iteration(frame.step, n, fact), Status.COMPLETED, None)
        return
    fits = results is not None and rounds > 0 and results == frame.children
    if fits and frame.children % rounds == 0 and frame.event not in state.hints.per_round:
        state.found[frame.event] = frame.children // rounds
    else:
        state.remark("rounds_differ", frame.step, fact.n, f"{frame.iterations} {rounds}")


def _count(number: Any) -> int | None:
    is_one = isinstance(number, int) and not isinstance(number, bool) and number >= 0
    return number if is_one else None


def fail(state: State, fact: Fact) -> int:
    """Fail a step. The next step at its level starts outside any branch that was open there."""
    frame, step = _close_frame(state, fact)
    error = fact.text("error")
    state.steps.more(step).error = error
    state.end(step, fact, Status.FAILED, "failed")
    position = {name: fact.body[name] for name in ("line", "column") if name in fact.body}
    if position:
        state.note(step, **position)
    if frame is not None:
        state.close_group(frame, fact, Status.FAILED)
        finish_attempts(state, frame, fact, Status.FAILED, error)
    enclosing(state).failed = fact.text("stepId") or "?"
    return step


def skip(state: State, fact: Fact) -> int:
    """Skip a step that is open, that has just failed, or that never started."""
    step_id = fact.text("stepId") or "?"
    frame = state.frame_of(step_id)
    around = enclosing(state)
    if frame is not None:
        _, step = _close_frame(state, fact)
        state.close_group(frame, fact, Status.SKIPPED)
    elif around.failed == step_id and step_id in state.newest:
        step = state.newest[step_id]
        around.failed = None
    else:
        preview_of(state, fact)
        step = _add(state, fact, step_id, StepKind.STATEMENT)
    state.end(step, fact, Status.SKIPPED, "skipped")
    state.note(step, reason=fact.text("reason"))
    return step


def leave(state: State, frame: Frame, fact: Fact) -> None:
    """Give up on an open step: its status is unknown, its end not recorded."""
    state.close_group(frame, fact, Status.UNKNOWN)
    state.steps.set_status(frame.step, Status.UNKNOWN, "started")
    state.unclosed.append(frame.step)


def leave_all(state: State, fact: Fact) -> None:
    """Leave every open step: the preview is over."""
    while state.frames:
        leave(state, state.frames.pop(), fact)
    state.body.branches.clear()
    state.body.failed = None


# Attempts.


def retry(state: State, frame: Frame, fact: Fact) -> None:
    """Start another attempt. A `try` needs a hint to have its first attempt as a step as well."""
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
    """End the last attempt; children of a `try` are its catch or finally from now on."""
    if not succeeded and isinstance(fact.body.get("attempts"), int):
        state.steps.more(frame.step).max_attempts = fact.body["attempts"] + 1
    if frame.kind == "try":
        _close_attempt(state, frame, fact, Status.COMPLETED if succeeded else Status.FAILED)
        frame.branches.clear()
        frame.failed, frame.after = None, True


def caught(frame: Frame) -> None:
    """End the body of a `try`: its catch follows, unless a retry does."""
    frame.branches.clear()
    frame.failed = None
    frame.after = frame.kind == "try"


def finish_attempts(
    state: State, frame: Frame, fact: Fact, status: Status, error: str | None = None
) -> None:
    """End the attempt of a step that has ended, if one is running."""
    extra = state.steps.extra.get(frame.step)
    if extra is None or not extra.attempts or extra.attempts[-1].status is not Status.RUNNING:
        return
    mine = state.steps.more(frame.step)
    mine.attempts[-1] = replace(
        mine.attempts[-1], status=status, error=error, last_event=fact.n, ended_at=fact.at
    )


def _attempt_of(state: State, frame: Frame, fact: Fact) -> int:
    """Return the parent of a direct child of a `try`.

    After the body it is the group `catch or finally`, else the open attempt; a `try` with a single
    attempt is itself the parent.
    """
    if frame.after:
        if frame.group >= 0 and state.steps.label[frame.group] == _AFTER:
            return frame.group
        _close_attempt(state, frame, fact, Status.FAILED)
        frame.group = _group(state, frame, fact, _AFTER, "after")
        return frame.group
    if frame.event in state.hints.retried and frame.group < 0:
        _open_attempt(state, frame, fact)
    return frame.group if frame.group >= 0 else frame.step


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


def _group(state: State, frame: Frame, fact: Fact, label: str, segment: str) -> int:
    return state.add(frame.step, StepKind.GROUP, label, fact, segment, None)
