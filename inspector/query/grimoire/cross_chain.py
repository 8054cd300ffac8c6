"""Cross-chain runs: the steps of their tracks and handoffs, and what they are waiting for.

Source: Grimoire's cross-chain orchestrator and store. A source's ledger gets its lifecycle entries
when the run is saved, and `runs.cross_chain` is written with it. `resume` updates only `run_tracks`
and `run_handoffs`, so these tables win over the ledger and over the summary.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from inspector.derive.steps import StepTable
from inspector.model.status import Status
from inspector.model.step import StepKind
from inspector.query.grimoire.event_summary import money, value
from inspector.query.grimoire.events import LIFECYCLE as LIFECYCLE_EVENTS
from inspector.query.grimoire.events import Fact
from inspector.query.grimoire.records import (
    Handoff,
    StepResult,
    Track,
    action_error,
    failing_action,
)
from inspector.query.grimoire.state import COMMIT, LIFECYCLE, PREVIEW, State, part_of
from inspector.text.numbers import age, clock_time
from inspector.text.parse_time import parse_instant

SOURCE, DESTINATION = "source", "destination"

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
RESULT_STATUS: Mapping[str, Status] = {
    "pending": Status.PENDING,
    "submitted": Status.WAITING,
    "confirmed": Status.COMPLETED,
    "failed": Status.FAILED,
}

_EVENT_STATUS: Mapping[str, str] = {
    "handoff_submitted": "submitted",
    "handoff_settled": "settled",
    "handoff_expired": "expired",
    "track_waiting": "waiting",
    "track_resumed": "running",
}
"""Event type → the status word that the tables use for the same fact."""

_WORST_FIRST = (Status.WAITING, Status.FAILED, Status.RUNNING, Status.PENDING, Status.UNKNOWN)


# The fold of lifecycle entries.


def apply_lifecycle(state: State, fact: Fact) -> int:
    """Fold an entry about a track or a handoff; an entry of an unknown type belongs to the group.

    The group is waiting while anything in it waits, then failed, running or pending, and completed
    only when everything in it is.
    """
    group = part_of(state, LIFECYCLE, fact)
    kind = fact.type or ""
    if kind not in LIFECYCLE_EVENTS:
        return group
    if kind.startswith("handoff_"):
        step = _fold_handoff(state, fact, group)
        status = HANDOFF_STATUS[_EVENT_STATUS[kind]]
    else:
        step = _fold_track(state, fact, group)
        ended = Status.COMPLETED if fact.body.get("success") is True else Status.FAILED
        status = TRACK_STATUS[_EVENT_STATUS[kind]] if kind in _EVENT_STATUS else ended
    raw = _EVENT_STATUS.get(kind, status.value)
    if status in (Status.COMPLETED, Status.FAILED):
        state.end(step, fact, status, raw)
    else:
        state.steps.set_status(step, status, raw)
    reason = fact.text("reason")
    if status is Status.FAILED and reason is not None:
        state.steps.more(step).error = reason
    members = {state.steps.status_of(one) for one in state.lifecycle.values()}
    state.steps.set_status(group, _overall(members), None)
    return step


def _overall(members: set[Status]) -> Status:
    return next((one for one in _WORST_FIRST if one in members), Status.COMPLETED)


def _fold_handoff(state: State, fact: Fact, group: int) -> int:
    name = fact.text("handoffId") or "?"
    step = _lifecycle_step(state, fact, group, name, StepKind.NODE)
    ref = state.steps.more(step).ref
    for key, field in _HANDOFF_FIELDS.items():
        if field in fact.body:
            ref[key] = fact.body[field]
    route = f"chain {value(ref.get('origin_chain_id'))} → {value(ref.get('destination_chain_id'))}"
    state.steps.label[step] = f"{name}: {route}"
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


def _fold_track(state: State, fact: Fact, group: int) -> int:
    name = fact.text("trackId") or "?"
    step = _lifecycle_step(state, fact, group, name, StepKind.TRACK)
    state.note(step, track_id=name, chain_id=fact.body.get("chainId"))
    state.steps.label[step] = f"{name}: chain {value(fact.body.get('chainId'))}"
    return step


def _lifecycle_step(state: State, fact: Fact, group: int, name: str, kind: StepKind) -> int:
    key = f"{kind}:{name}"
    step = state.lifecycle.get(key)
    if step is None:
        step = state.lifecycle[key] = state.add(group, kind, name, fact, name, None)
        state.note(step, **({"handoff_id": name} if kind is StepKind.NODE else {"track_id": name}))
    return step


# The tables, laid over a copy of the folded steps.

RunKeyOf = Callable[[str | None], str | None]
"""Spell → the key of its run under the same run id; None if it has none."""


def overlay_tables(
    steps: StepTable,
    state: State,
    spell: str,
    error: object,
    tracks: Sequence[Track],
    handoffs: Sequence[Handoff],
    results: Sequence[StepResult],
    run_key_of: RunKeyOf,
) -> None:
    """Change `steps`, a private copy, to what the tables record now.

    `error` is that of the run's row, the only place that explains a failed commit.
    """
    _place_error(steps, state, error)
    own_tracks = {track.track_id for track in tracks if track.spell == spell}
    for result in results:
        if result.track_id in own_tracks:
            _overlay_result(steps, state, result)
    if tracks or handoffs:
        _overlay_lifecycle(steps, state, tracks, handoffs, run_key_of)


def _place_error(steps: StepTable, state: State, error: object) -> None:
    if not isinstance(error, str) or not error:
        return
    commit = state.parts.get(COMMIT)
    part = state.parts.get(PREVIEW) if commit is None else commit
    if part is not None and steps.status_of(part) is Status.FAILED:
        steps.more(part).error = error
    action = state.commits.get(failing_action(error) or "")
    if action is not None and steps.status_of(action) is not Status.COMPLETED:
        steps.set_status(action, Status.FAILED, "failed")
        steps.more(action).error = action_error(error)


def _overlay_result(steps: StepTable, state: State, result: StepResult) -> None:
    step = state.commits.get(result.step_id, state.newest.get(result.step_id))
    if step is None:
        return
    ref = steps.more(step).ref
    ref["result"] = result.status
    if result.reference is not None:
        ref.setdefault("tx_hash", result.reference)
    if result.status == "failed" and steps.status_of(step) is not Status.FAILED:
        steps.set_status(step, Status.FAILED, result.status)
    if result.error is not None and steps.more(step).error is None:
        steps.more(step).error = result.error


def _overlay_lifecycle(
    steps: StepTable,
    state: State,
    tracks: Sequence[Track],
    handoffs: Sequence[Handoff],
    run_key_of: RunKeyOf,
) -> None:
    group = state.parts.get(LIFECYCLE)
    if group is None:
        group = _add(steps, -1, StepKind.GROUP, "cross-chain", LIFECYCLE)
        steps.more(group).ref["part"] = LIFECYCLE
    members = {_overlay_track(steps, state, group, track, run_key_of) for track in tracks}
    members |= {_overlay_handoff(steps, state, group, handoff) for handoff in handoffs}
    steps.set_status(group, _overall(members), None)


def _overlay_track(
    steps: StepTable, state: State, group: int, track: Track, run_key_of: RunKeyOf
) -> Status:
    step = _known_or_added(steps, state, group, StepKind.TRACK, track.track_id)
    steps.label[step] = f"{track.track_id}: {track.spell} on chain {track.chain_id}"
    status = TRACK_STATUS.get(track.status or "", Status.UNKNOWN)
    steps.set_status(step, status, track.status)
    steps.more(step).error = track.error
    _add_references(steps, step, track._asdict())
    other_run = run_key_of(track.spell)
    if other_run is not None:
        steps.more(step).ref["run_key"] = other_run
    _set_end(steps, step, status, track.updated_at)
    return status


def _overlay_handoff(steps: StepTable, state: State, group: int, handoff: Handoff) -> Status:
    step = _known_or_added(steps, state, group, StepKind.NODE, handoff.handoff_id)
    sent = money(handoff.submitted_amount, handoff.asset)
    route = f"chain {handoff.origin_chain_id} → {handoff.destination_chain_id}"
    settled = handoff.settled_amount
    arrived = "" if settled is None else f", {money(settled, None)} arrived"
    steps.label[step] = f"{handoff.handoff_id}: {sent} from {route}{arrived}"
    status = HANDOFF_STATUS.get(handoff.status or "", Status.UNKNOWN)
    steps.set_status(step, status, handoff.status)
    steps.more(step).error = handoff.reason
    _add_references(steps, step, handoff._asdict())
    created = parse_instant(handoff.created_at)
    if created is not None:
        steps.started[step] = created
        steps.stretch(step, created)
    _set_end(steps, step, status, handoff.updated_at)
    return status


def _set_end(steps: StepTable, step: int, status: Status, updated_at: object) -> None:
    at = parse_instant(updated_at)
    if at is not None and status in (Status.COMPLETED, Status.FAILED):
        steps.ended[step] = at
        steps.stretch(step, at)


def _add_references(steps: StepTable, step: int, row: dict[str, object]) -> None:
    kept = {name: cell for name, cell in row.items() if cell is not None and name != "error"}
    steps.more(step).ref.update(kept)


def _known_or_added(steps: StepTable, state: State, group: int, kind: StepKind, name: str) -> int:
    known = state.lifecycle.get(f"{kind}:{name}")
    return _add(steps, group, kind, name, name) if known is None else known


def _add(steps: StepTable, parent: int, kind: StepKind, label: str, segment: str) -> int:
    step = steps.add(parent, kind, label, Status.UNKNOWN, None, 0)
    steps.segment[step] = segment
    return step


# The state of a run by its tables.


def is_waiting(tracks: Sequence[Track], handoffs: Sequence[Handoff]) -> bool:
    """Return whether a handoff is under way or a track is waiting to be resumed."""
    return any(track.status == "waiting" for track in tracks) or any(
        handoff.status == "submitted" for handoff in handoffs
    )


def track_of(tracks: Sequence[Track], role: str) -> Track | None:
    """Return the track with a role; a track without one is known by its id."""
    return next((one for one in tracks if (one.role or one.track_id) == role), None)


def spell_of(tracks: Sequence[Track], role: str) -> str | None:
    """Return the spell that runs on the track with a role."""
    found = track_of(tracks, role)
    return None if found is None else found.spell


def is_resumed_from(spell: str, tracks: Sequence[Track]) -> bool:
    """Return whether a resume starts from this spell's run: the source, or any without a source."""
    source = spell_of(tracks, SOURCE)
    return source is None or source == spell


def title_of(spell: str, tracks: Sequence[Track]) -> str:
    """Return the spell's name; that of a source with its destination."""
    source, destination = spell_of(tracks, SOURCE), spell_of(tracks, DESTINATION)
    if source == spell and destination not in (None, spell):
        return f"{spell} → {destination}"
    return spell


def waiting_words(tracks: Sequence[Track], handoffs: Sequence[Handoff]) -> str:
    """Return the recorded status words that make a run waiting."""
    words = [f"track {one.track_id}={one.status}" for one in tracks if one.status == "waiting"]
    words += [f"handoff={one.status}" for one in handoffs]
    return "; ".join(words)


def progress_note(handoffs: Sequence[Handoff]) -> str:
    """Return the progress of a waiting run in one or two words."""
    statuses = {one.status for one in handoffs}
    if "submitted" in statuses:
        return "handoff sent"
    return "handoff arrived" if "settled" in statuses else "waiting"


def waiting_sentence(handoffs: Sequence[Handoff], timeout_s: object, now: int) -> str:
    """Return what a run is waiting for, since when, and until when; `now` in UTC ms."""
    sent = next((one for one in handoffs if one.status == "submitted"), None)
    if sent is None:
        arrived = any(one.status == "settled" for one in handoffs)
        return (
            "The handoff has arrived; the destination is waiting to be resumed."
            if arrived
            else "The destination is waiting, but no handoff is recorded."
        )
    moved = money(sent.submitted_amount, sent.asset)
    route = f"from chain {sent.origin_chain_id} to chain {sent.destination_chain_id}"
    since = parse_instant(sent.created_at)
    ago = "" if since is None else f", sent {age(now - since)} ago"
    return f"Waiting for {moved} {route}{ago}; {_expiry(sent, timeout_s, now)}."


def _expiry(sent: Handoff, timeout_s: object, now: int) -> str:
    expires = parse_instant(sent.expires_at)
    if expires is not None:
        word = "expired" if expires <= now else "expires"
        return f"{word} {clock_time(expires, now, None).strip()}"
    if isinstance(timeout_s, int | float) and not isinstance(timeout_s, bool):
        return f"no expiry recorded; a resume times out {timeout_s} s after it starts"
    return "no expiry recorded"


def failed_tracks(tracks: Sequence[Track]) -> Sequence[Track]:
    """Return the tracks that failed."""
    return [one for one in tracks if one.status == "failed"]


def outdated(summary: object, tracks: Sequence[Track], handoffs: Sequence[Handoff]) -> list[str]:
    """Return `name old → new` for each status of the row's summary that the tables contradict."""
    if not isinstance(summary, dict):
        return []
    then = _summarized(summary, "tracks", "trackId") | _summarized(summary, "handoffs", "handoffId")
    now = {one.track_id: one.status for one in tracks}
    now |= {one.handoff_id: one.status for one in handoffs}
    return [
        f"{name} {then[name]} → {word}"
        for name, word in now.items()
        if name in then and then[name] != word
    ]


def _summarized(summary: dict[str, object], part: str, name: str) -> dict[str, object]:
    listed = summary.get(part)
    rows = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    return {one[name]: one.get("status") for one in rows if isinstance(one.get(name), str)}
