"""Where a cross-chain run stands: what was handed over, what is still to run. Pure.

Source: Grimoire's cross-chain orchestrator: a resume waits for the handoff and then runs the
destination from its beginning; it skips no step, whatever its result says.
"""

from __future__ import annotations

from collections.abc import Sequence

from inspector.model.preflight import Position
from inspector.query.grimoire.rows import Handoff, StepResult, Track

SOURCE, DESTINATION = "source", "destination"
CONFIRMED = "confirmed"


def track_of(tracks: Sequence[Track], role: str) -> Track | None:
    """The track with a role."""
    return next((one for one in tracks if (one.role or one.track_id) == role), None)


def position_of(
    tracks: Sequence[Track], handoffs: Sequence[Handoff], results: Sequence[StepResult]
) -> Position:
    """The destination's track: its steps run again, those that are not confirmed unknowingly."""
    destination = track_of(tracks, DESTINATION)
    name = DESTINATION if destination is None else destination.track_id
    here = [one for one in results if one.track_id == name]
    waits = any(one.status != "settled" for one in handoffs)
    return Position(
        kind="track",
        action="await handoff" if waits else "run",
        keep=tuple(f"{one.track_id}/{one.step_id}" for one in results if one.track_id != name),
        rerun=tuple(one.step_id for one in here if one.status == CONFIRMED),
        unconfirmed=tuple(one.step_id for one in here if one.status != CONFIRMED),
        step=name,
    )
