"""What resuming a run would do, whatever its runtime."""

from __future__ import annotations

from inspector.model.preflight import PreFlight, refused
from inspector.model.run import Run
from inspector.query.run_reader import RunReader


def preflight_of(reader: RunReader, run: Run) -> PreFlight:
    """The pre-flight of a run; where nobody knows what resumes it, it says just that.

    May raise `StoreUnavailable`.
    """
    plan = reader.preflight()
    if plan is None:
        return refused(run.key, "nothing is known that resumes such a run", outcome=run.status)
    return plan
