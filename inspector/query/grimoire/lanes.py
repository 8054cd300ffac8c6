"""What is no entry of the ledger, laid over a copy of its steps: tracks, handoffs, results, errors.

A ledger tells of tracks and handoffs as they stood when the run was saved. The tables tell how they
stand now; that is what is shown.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inspector.derive.steps import StepTable
from inspector.model.status import Status
from inspector.model.step import StepKind
from inspector.query.grimoire import verdicts
from inspector.query.grimoire.crossing import HANDOFF_STATUS, TRACK_STATUS
from inspector.query.grimoire.lines import money
from inspector.query.grimoire.rows import Handoff, RunRows, StepResult, Track
from inspector.query.grimoire.state import State
from inspector.text.parse_time import parse_instant

KeyOf = Callable[[str | None], str | None]
"""A spell → the key of its run under the same run id; None when there is none."""

_OVER = (Status.COMPLETED, Status.FAILED)


def lay_over(steps: StepTable, state: State, rows: RunRows, spell: str, key_of: KeyOf) -> None:
    """Changes the steps, which nobody else may be using, to what the tables say."""
    _tell_errors(steps, state, rows)
    for result in rows.step_results:
        if any(t.track_id == result.track_id and t.spell == spell for t in rows.tracks):
            _result(steps, state, result)
    if rows.tracks or rows.handoffs:
        _cross(steps, state, rows, key_of)


def _tell_errors(steps: StepTable, state: State, rows: RunRows) -> None:
    """The row's error, where it happened: a failed commit is told nowhere else."""
    error = None if rows.row is None else rows.row.get("error")
    if not isinstance(error, str) or not error:
        return
    commit = state.parts.get("commit")
    part = state.parts.get("preview") if commit is None else commit
    if part is not None and steps.status_of(part) is Status.FAILED:
        steps.more(part).error = error
    action = state.commits.get(verdicts.failing_action(error) or "")
    if action is not None and steps.status_of(action) is not Status.COMPLETED:
        _set(steps, action, Status.FAILED, "failed")
        steps.more(action).error = verdicts.action_error(error)


def _result(steps: StepTable, state: State, result: StepResult) -> None:
    step = state.commits.get(result.step_id, state.newest.get(result.step_id))
    if step is None:
        return
    ref = steps.more(step).ref
    ref["result"] = result.status
    if result.reference is not None:
        ref.setdefault("tx_hash", result.reference)
    if result.status == "failed" and steps.status_of(step) is not Status.FAILED:
        _set(steps, step, Status.FAILED, result.status)
    if result.error is not None and steps.more(step).error is None:
        steps.more(step).error = result.error


def _cross(steps: StepTable, state: State, rows: RunRows, key_of: KeyOf) -> None:
    group = state.parts.get("lifecycle")
    if group is None:
        group = _add(steps, -1, StepKind.GROUP, "cross-chain", "lifecycle")
        steps.more(group).ref["part"] = "lifecycle"
    stands: set[Status] = set()
    for track in rows.tracks:
        stands.add(_track(steps, state, group, track, key_of))
    for handoff in rows.handoffs:
        stands.add(_handoff(steps, state, group, handoff))
    order = (Status.WAITING, Status.FAILED, Status.RUNNING, Status.PENDING, Status.UNKNOWN)
    _set(steps, group, next((one for one in order if one in stands), Status.COMPLETED), None)


def _track(steps: StepTable, state: State, group: int, track: Track, key_of: KeyOf) -> Status:
    name = f"{track.track_id}: {track.spell} on chain {track.chain_id}"
    step = _lane(steps, state, group, StepKind.TRACK, track.track_id)
    steps.label[step] = name
    status = TRACK_STATUS.get(track.status or "", Status.UNKNOWN)
    _set(steps, step, status, track.status)
    steps.more(step).error = track.error
    _refer(steps, step, track._asdict())
    other = key_of(track.spell)
    if other is not None:
        steps.more(step).ref["run_key"] = other
    _end(steps, step, status, track.updated_at)
    return status


def _handoff(steps: StepTable, state: State, group: int, handoff: Handoff) -> Status:
    step = _lane(steps, state, group, StepKind.NODE, handoff.handoff_id)
    moved = money(handoff.submitted_amount, handoff.asset)
    way = f"chain {handoff.origin_chain_id} → {handoff.destination_chain_id}"
    arrived = handoff.settled_amount
    came = "" if arrived is None else f", {money(arrived, None)} arrived"
    steps.label[step] = f"{handoff.handoff_id}: {moved} from {way}{came}"
    status = HANDOFF_STATUS.get(handoff.status or "", Status.UNKNOWN)
    _set(steps, step, status, handoff.status)
    steps.more(step).error = handoff.reason
    _refer(steps, step, handoff._asdict())
    began = parse_instant(handoff.created_at)
    if began is not None:
        steps.started[step] = began
        steps.stretch(step, began)
    _end(steps, step, status, handoff.updated_at)
    return status


def _end(steps: StepTable, step: int, status: Status, raw: Any) -> None:
    at = parse_instant(raw)
    if at is not None and status in _OVER:
        steps.ended[step] = at
        steps.stretch(step, at)


def _refer(steps: StepTable, step: int, row: dict[str, Any]) -> None:
    kept = {name: value for name, value in row.items() if value is not None and name != "error"}
    steps.more(step).ref.update(kept)


def _lane(steps: StepTable, state: State, group: int, kind: StepKind, name: str) -> int:
    known = state.lanes.get(f"{kind}:{name}")
    return _add(steps, group, kind, name, name) if known is None else known


def _add(steps: StepTable, parent: int, kind: StepKind, label: str, segment: str) -> int:
    step = steps.add(parent, kind, label, Status.UNKNOWN, None, 0)
    steps.segment[step] = segment
    return step


def _set(steps: StepTable, step: int, status: Status, raw: str | None) -> None:
    steps.set_status(step, status, raw)
