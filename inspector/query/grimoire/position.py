"""Where a cross-chain run stands: what was handed over, what is still to run. Pure.

Source: Grimoire's cross-chain orchestrator: a resume waits for the handoff and then runs the
destination from its beginning; it skips no step, whatever its result says.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from inspector.model.preflight import Position

CONFIRMED, SETTLED = "confirmed", "settled"


class Result(NamedTuple):
    """What came of one planned action on one track."""

    track: str
    step: str
    status: str | None


def position_of(
    destination: str, handoff_status: str | None, results: Sequence[Result]
) -> Position:
    """The destination's track: its steps run again, those that are not confirmed unknowingly."""
    here = [one for one in results if one.track == destination]
    return Position(
        kind="track",
        action="run" if handoff_status == SETTLED else "await handoff",
        keep=tuple(f"{one.track}/{one.step}" for one in results if one.track != destination),
        rerun=tuple(one.step for one in here if one.status == CONFIRMED),
        unconfirmed=tuple(one.step for one in here if one.status != CONFIRMED),
        step=destination,
    )
