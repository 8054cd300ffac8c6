"""Steps that start and end: which is inside which, which branch, which round.

Source: Grimoire's executor as its ledgers show it. Loops, tries, parallels and pipelines enclose
their children; a conditional closes before its branch runs; rounds of a loop are not marked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspector.model.status import Status
from inspector.model.step import StepKind
from inspector.query.grimoire.attempts import attempt_of, finish_attempts
from inspector.query.grimoire.events import Fact
from inspector.query.grimoire.lines import result_words, value
from inspector.query.grimoire.parts import preview_of
from inspector.query.grimoire.state import Branch, Frame, State

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
"""Kinds that enclose no steps; what a later version adds is taken to enclose."""

MOST_EMPTY_ROUNDS = 1000


def start(state: State, fact: Fact) -> int:
    """A step starts, inside what has started and not ended."""
    preview_of(state, fact)
    while state.frames and not state.frames[-1].encloses:
        leave(state, state.frames.pop(), fact)
    state.began = True
    step_id, kind = state.name(fact.text("stepId") or "?"), fact.text("kind") or "?"
    step = _add(state, fact, step_id, KINDS.get(kind, StepKind.NODE), kind)
    state.frames.append(Frame(step, step_id, kind, kind not in PLAIN, fact.n))
    return step


def _add(state: State, fact: Fact, step_id: str, kind: StepKind, word: str | None = None) -> int:
    parent = _place(state, enclosing(state), step_id, fact)
    step = state.add(parent, kind, step_id, fact, step_id, "started")
    state.call(step, word)
    state.newest[step_id] = step
    return step


def enclosing(state: State) -> Frame:
    """The innermost open step that encloses others, or the preview itself."""
    return next((one for one in reversed(state.frames) if one.encloses), state.body)


def adopt(state: State, fact: Fact, step_id: str, kind: StepKind) -> int:
    """A step of which the first thing recorded is not its start."""
    preview_of(state, fact)
    step = _add(state, fact, step_id, kind)
    state.steps.set_status(step, Status.UNKNOWN, None)
    state.remark("start_missing", step, fact.n, step_id)
    return step


def _place(state: State, frame: Frame, step_id: str, fact: Fact) -> int:
    """The parent of a step that starts in a frame."""
    if frame.failed is not None:
        # A failure ends the branch that it happened in, and all around it up to the frame.
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
        return _round(state, frame, step_id, fact)
    return attempt_of(state, frame, fact) if frame.kind == "try" else frame.step


def _round(state: State, frame: Frame, step_id: str, fact: Fact) -> int:
    per_round = state.hints.per_round.get(frame.event)
    if per_round:
        is_next = (frame.children - 1) % per_round == 0
    else:
        is_next = frame.first is None or step_id == frame.first
    if frame.first is None:
        frame.first = step_id
    if is_next or frame.group < 0:
        state.close_group(frame, fact)
        frame.rounds += 1
        frame.group = state.add_round(frame.step, frame.rounds, fact)
        state.note(frame.step, current_iteration=frame.rounds)
    return frame.group


def complete(state: State, fact: Fact) -> int:
    """A step completed; a conditional only now says which steps its branch will run."""
    frame, step = _take_frame(state, fact)
    result = fact.body.get("result")
    told = result if isinstance(result, dict) else {}
    state.end(step, fact, Status.COMPLETED, "completed")
    if frame is None:
        return step
    state.close_group(frame, fact)
    finish_attempts(state, frame, fact, Status.COMPLETED)
    _tell(state, step, frame, result)
    if frame.kind == "conditional":
        _branch(state, step, told)
    elif frame.kind == "loop":
        _close_loop(state, frame, fact, told)
    elif frame.kind == "halt":
        state.halted = step
        state.remark("halted", step, fact.n, value(told.get("reason") or ""))
    return step


def _tell(state: State, step: int, frame: Frame, result: Any) -> None:
    if frame.kind == "advisory":
        return
    if isinstance(result, dict):
        words = result_words(result)
        if words and frame.kind != "action":
            state.steps.label[step] = f"{frame.step_id}: {words}"
        kept = {name: item for name, item in result.items() if name in _KEPT_RESULTS}
        if kept:
            state.note(step, **kept)


_KEPT_RESULTS = frozenset(
    {
        "condition", "executedBranch", "iterations", "resultsCount", "waitedSeconds", "halted",
        "reason", "branches", "success", "count", "skipped",
    }
)  # fmt: skip
"""Parts of a result that a step refers to; the rest is in its event."""


def _branch(state: State, step: int, result: Mapping[str, Any]) -> None:
    named = result.get("branchSteps")
    ids = [one for one in named if isinstance(one, str)] if isinstance(named, list) else []
    if ids:
        enclosing(state).branches.append(Branch(step, ids))


def _close_loop(state: State, frame: Frame, fact: Fact, result: Mapping[str, Any]) -> None:
    rounds, results = _count(result.get("iterations")), _count(result.get("resultsCount"))
    if rounds is None:
        return
    state.note(frame.step, iterations_completed=rounds)
    if frame.rounds == rounds:
        return
    if not frame.children and rounds <= MOST_EMPTY_ROUNDS:
        for n in range(1, rounds + 1):
            state.steps.set_status(state.add_round(frame.step, n, fact), Status.COMPLETED, None)
        return
    fits = results is not None and rounds > 0 and results == frame.children
    if fits and frame.children % rounds == 0 and frame.event not in state.hints.per_round:
        state.found[frame.event] = frame.children // rounds
    else:
        state.remark("rounds_differ", frame.step, fact.n, f"{frame.rounds} {rounds}")


def _count(number: Any) -> int | None:
    is_one = isinstance(number, int) and not isinstance(number, bool) and number >= 0
    return number if is_one else None


def fail(state: State, fact: Fact) -> int:
    """A step failed; what it left undone will not run."""
    frame, step = _take_frame(state, fact)
    error = fact.text("error")
    state.steps.more(step).error = error
    state.end(step, fact, Status.FAILED, "failed")
    where = {name: fact.body[name] for name in ("line", "column") if name in fact.body}
    if where:
        state.note(step, **where)
    if frame is not None:
        state.close_group(frame, fact, Status.FAILED)
        finish_attempts(state, frame, fact, Status.FAILED, error)
    enclosing(state).failed = fact.text("stepId") or "?"
    return step


def skip(state: State, fact: Fact) -> int:
    """A step was skipped: after it failed, or without ever starting."""
    step_id = fact.text("stepId") or "?"
    frame = state.frame_of(step_id)
    around = enclosing(state)
    if frame is not None:
        _, step = _take_frame(state, fact)
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


def _take_frame(state: State, fact: Fact) -> tuple[Frame | None, int]:
    """Closes the frame of the step that ends; what is still open inside it has no end."""
    step_id = fact.text("stepId") or "?"
    frame = state.frame_of(step_id)
    if frame is None:
        return None, adopt(state, fact, step_id, StepKind.STATEMENT)
    while state.frames[-1] is not frame:
        leave(state, state.frames.pop(), fact)
    state.frames.pop()
    return frame, frame.step


def leave(state: State, frame: Frame, fact: Fact) -> None:
    """A step of which no end is recorded."""
    state.close_group(frame, fact, Status.UNKNOWN)
    state.steps.set_status(frame.step, Status.UNKNOWN, "started")
    state.unclosed.append(frame.step)


def leave_all(state: State, fact: Fact) -> None:
    """The preview is over: whatever is open stays without an end."""
    while state.frames:
        leave(state, state.frames.pop(), fact)
    state.body.branches.clear()
    state.body.failed = None
