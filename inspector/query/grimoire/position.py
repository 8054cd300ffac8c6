"""Where a resume of a cross-chain run would start. Pure.

Source: Grimoire's cross-chain orchestrator. A resume waits for the handoff and then runs the whole
destination; it skips no step, whatever its result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from inspector.model.preflight import Position

CONFIRMED, SETTLED = "confirmed", "settled"


class Result(NamedTuple):
    """The result of one planned action on one track."""

    track: str
    step: str
    status: str | None


def position_of(
    destination: str, handoff_status: str | None, results: Sequence[Result]
) -> Position:
    """Return the position at the destination's track.

    Its confirmed steps run again; those without a confirmation may have taken effect unseen.
    """
    steps = [one for one in results if one.track == destination]
    return Position(
        kind="track",
        action="run" if handoff_status == SETTLED else "await handoff",
        keep=tuple(f"{one.track}/{one.step}" for one in results if one.track != destination),
        rerun=tuple(one.step for one in steps if one.status == CONFIRMED),
        unconfirmed=tuple(one.step for one in steps if one.status != CONFIRMED),
        step=destination,
    )
