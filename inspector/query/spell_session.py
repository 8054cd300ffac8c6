"""The session that a run belongs to, for whoever holds a reader of the run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspector.model.clock import Clock
from inspector.model.run import Run
from inspector.query.progress import Progress, no_progress
from inspector.query.run_reader import RunReader


def session_of(
    reader: RunReader, run: Run, limit: int, clock: Clock, tell: Progress = no_progress
) -> Mapping[str, Any]:
    """The content of `inspector.pnl/1` for a run's session; a limit below 1 is no limit.

    Raises KeyError where the run's runtime adds up no money, and `StoreUnavailable`.
    """
    session = reader.session(limit, tell)
    if session is None:
        raise KeyError("session")
    return session
