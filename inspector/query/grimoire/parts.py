"""The three parts of a run: its preview, its commit, and what a cross-chain run adds."""

from __future__ import annotations

from inspector.model.status import Status
from inspector.model.step import StepKind
from inspector.query.grimoire.events import Fact
from inspector.query.grimoire.state import State

PREVIEW, COMMIT, LIFECYCLE = "preview", "commit", "lifecycle"
_LABELS = {PREVIEW: "preview", COMMIT: "commit", LIFECYCLE: "cross-chain"}


def part_of(state: State, name: str, fact: Fact) -> int:
    """The step of a part, begun with this entry when there is none yet."""
    known = state.parts.get(name)
    if known is not None:
        return known
    step = state.parts[name] = state.add(-1, StepKind.GROUP, _LABELS[name], fact, name, None)
    state.note(step, part=name)
    return step


def preview_of(state: State, fact: Fact) -> int:
    """The step of the preview; a ledger from before there were previews has just a run."""
    known = state.parts.get(PREVIEW)
    if known is not None:
        return known
    step = part_of(state, PREVIEW, fact)
    state.body.step = step
    if fact.type != "preview_started":
        state.steps.label[step] = "run"
    return step


def current_part(state: State, fact: Fact) -> int:
    """The part that an entry belongs to when nothing in it says more."""
    return part_of(state, COMMIT, fact) if state.committing else preview_of(state, fact)


def here(state: State, fact: Fact) -> int:
    """The innermost open step, or else the current part."""
    inner = None if state.committing else state.innermost()
    return current_part(state, fact) if inner is None else inner


def judge(state: State, step: int, fact: Fact, status: Status, raw: str | None) -> None:
    """Says how a part ended; a failure that a step already told is not told twice."""
    told = len(state.failures)
    state.end(step, fact, status, raw)
    if status is Status.FAILED and told:
        state.failures.pop()
