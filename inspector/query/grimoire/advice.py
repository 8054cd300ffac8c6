"""Advisories with their tool calls, and guards: what is asked and judged around the steps.

Source: Grimoire's core. An advisory is told by its step id; asked for by a guard it has the guard's
id and no step. Guards are judged before the steps and after them.
"""

from __future__ import annotations

from inspector.model.status import Status
from inspector.model.step import StepKind
from inspector.query.grimoire.events import Fact
from inspector.query.grimoire.lines import value
from inspector.query.grimoire.parts import preview_of
from inspector.query.grimoire.state import State

_SOFT = frozenset({"warn", "warning", "info", "advisory"})


def advise(state: State, fact: Fact) -> int:
    """One entry about an advisory or one of its tool calls."""
    advisory = _advisory(state, fact)
    kind = fact.type or ""
    if kind.startswith("advisory_tool_execution"):
        return _tool(state, fact, advisory)
    if kind == "advisory_started":
        asked = fact.text("prompt") or ""
        name = fact.text("advisor") or "?"
        state.steps.label[advisory] = f"{fact.text('stepId')}: {name}: {value(asked)}"
        state.note(advisory, advisor=name)
    elif kind == "advisory_model_used":
        state.note(advisory, model=f"{fact.text('provider')}/{fact.text('modelId')}")
    elif kind == "advisory_completed":
        clamped = {"clamped": True} if fact.body.get("clamped") is True else {}
        state.note(advisory, **clamped)
        _end_loose(state, fact, advisory, Status.COMPLETED)
    elif kind == "advisory_failed":
        state.steps.more(advisory).error = fact.text("error")
        if "fallback" in fact.body:
            state.note(advisory, fallback=True)
        _end_loose(state, fact, advisory, Status.FAILED)
    return advisory


def _advisory(state: State, fact: Fact) -> int:
    step_id = fact.text("stepId") or "?"
    frame = state.frame_of(step_id)
    if frame is not None:
        return frame.step
    known = state.newest.get(step_id)
    is_one = known is not None and state.steps.kind_of(known) is StepKind.ADVISORY
    if known is not None and is_one and fact.type != "advisory_started":
        return known
    inner = state.innermost()
    parent = preview_of(state, fact) if inner is None else inner
    step = state.add(parent, StepKind.ADVISORY, step_id, fact, step_id, "started")
    state.call(step, "advisory")
    state.newest[step_id] = step
    return step


def _end_loose(state: State, fact: Fact, advisory: int, status: Status) -> None:
    """An advisory without a step of its own ends with its answer."""
    if state.frame_of(fact.text("stepId") or "?") is None:
        state.end(advisory, fact, status, status.value)


def _tool(state: State, fact: Fact, advisory: int) -> int:
    call = fact.text("toolCallId") or "?"
    name = fact.text("toolName") or "?"
    step = state.tools.get((advisory, call))
    if step is None or fact.type == "advisory_tool_execution_start":
        step = state.add(advisory, StepKind.TOOL_CALL, name, fact, name, "started")
        state.note(step, tool_call_id=call)
        state.tools[advisory, call] = step
    if fact.type == "advisory_tool_execution_end":
        failed = fact.body.get("isError") is True
        state.end(
            step,
            fact,
            Status.FAILED if failed else Status.COMPLETED,
            "error" if failed else "finished",
        )
        if failed:
            state.steps.more(step).error = value(fact.body.get("result"))
    return step


def guard(state: State, fact: Fact) -> int:
    """A guard's verdict. One that only warns has done its work: its warning is a finding."""
    name = fact.text("guardId") or "?"
    step = state.add(
        preview_of(state, fact), StepKind.GUARD, f"guard {name}", fact, name, fact.type
    )
    state.note(step, guard_id=name, phase="after" if state.began else "before")
    if fact.type == "guard_passed":
        state.end(step, fact, Status.COMPLETED, "passed")
        return step
    severity = fact.text("severity") or "?"
    message = fact.text("message") or ""
    state.note(step, severity=severity)
    state.steps.more(step).error = message
    state.steps.label[step] = f"guard {name}: {value(message)}" if message else f"guard {name}"
    soft = severity in _SOFT
    state.end(step, fact, Status.COMPLETED if soft else Status.FAILED, f"failed ({severity})")
    if soft:
        state.remark("guard_warned", step, fact.n, f"{name}: {message}")
    return step
