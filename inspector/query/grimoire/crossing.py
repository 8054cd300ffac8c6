"""What a cross-chain run adds to its source's ledger: handoffs, and tracks that wait and go on.

Source: Grimoire's cross-chain orchestrator. The entries are all written when the run is saved; what
came later stands in `run_tracks` and `run_handoffs` alone.
"""

from __future__ import annotations

from collections.abc import Mapping

from inspector.model.status import Status
from inspector.model.step import StepKind
from inspector.query.grimoire.events import Fact
from inspector.query.grimoire.lines import value
from inspector.query.grimoire.parts import LIFECYCLE, part_of
from inspector.query.grimoire.state import State

TRACK_STATUS: Mapping[str, Status] = {
    "pending": Status.PENDING,
    "running": Status.RUNNING,
    "waiting": Status.WAITING,
    "completed": Status.COMPLETED,
    "failed": Status.FAILED,
}
HANDOFF_STATUS: Mapping[str, Status] = {
    "planned": Status.PENDING,
    "submitted": Status.WAITING,
    "settled": Status.COMPLETED,
    "expired": Status.FAILED,
    "failed": Status.FAILED,
}

_SAID: Mapping[str, str] = {
    "handoff_submitted": "submitted",
    "handoff_settled": "settled",
    "handoff_expired": "expired",
    "track_waiting": "waiting",
    "track_resumed": "running",
}


def cross(state: State, fact: Fact) -> int:
    """One entry about a track or a handoff, or what else was added with them."""
    group = part_of(state, LIFECYCLE, fact)
    kind = fact.type or ""
    if kind.startswith("handoff_"):
        step = _handoff(state, fact, group)
        status = HANDOFF_STATUS[_SAID[kind]]
    elif kind.startswith("track_"):
        step = _track(state, fact, group)
        done = Status.COMPLETED if fact.body.get("success") is True else Status.FAILED
        status = TRACK_STATUS[_SAID[kind]] if kind in _SAID else done
    else:
        return group
    raw = _SAID.get(kind, status.value)
    if status in (Status.COMPLETED, Status.FAILED):
        state.end(step, fact, status, raw)
    else:
        state.steps.set_status(step, status, raw)
    reason = fact.text("reason")
    if status is Status.FAILED and reason is not None:
        state.steps.more(step).error = reason
    state.steps.set_status(group, overall(state, group), None)
    return step


def overall(state: State, group: int) -> Status:
    """How the lifecycle as a whole stands: what waits comes first."""
    stands = {state.steps.status_of(step) for step in state.lanes.values()}
    for status in (Status.WAITING, Status.FAILED, Status.RUNNING, Status.PENDING):
        if status in stands:
            return status
    return Status.COMPLETED


def _handoff(state: State, fact: Fact, group: int) -> int:
    name = fact.text("handoffId") or "?"
    step = _lane(state, fact, group, name, StepKind.NODE)
    ref = state.steps.more(step).ref
    for key, field in _HANDOFF_FIELDS.items():
        if field in fact.body:
            ref[key] = fact.body[field]
    way = f"chain {value(ref.get('origin_chain_id'))} → {value(ref.get('destination_chain_id'))}"
    state.steps.label[step] = f"{name}: {way}"
    return step


_HANDOFF_FIELDS = {
    "step_id": "stepId",
    "origin_chain_id": "originChainId",
    "destination_chain_id": "destinationChainId",
    "asset": "asset",
    "submitted_amount": "submittedAmount",
    "settled_amount": "settledAmount",
    "reference": "reference",
    "tx_hash": "txHash",
}


def _track(state: State, fact: Fact, group: int) -> int:
    name = fact.text("trackId") or "?"
    step = _lane(state, fact, group, name, StepKind.TRACK)
    state.note(step, track_id=name, chain_id=fact.body.get("chainId"))
    state.steps.label[step] = f"{name}: chain {value(fact.body.get('chainId'))}"
    return step


def _lane(state: State, fact: Fact, group: int, name: str, kind: StepKind) -> int:
    key = f"{kind}:{name}"
    step = state.lanes.get(key)
    if step is None:
        step = state.lanes[key] = state.add(group, kind, name, fact, name, None)
        state.note(step, **({"handoff_id": name} if kind is StepKind.NODE else {"track_id": name}))
    return step
