"""What resuming a run would do, whatever its runtime."""

from __future__ import annotations

from inspector.model.preflight import PreFlight, refused
from inspector.model.run import Run
from inspector.query.backend import RunReader


def preflight_of(reader: RunReader, run: Run) -> PreFlight:
    """The pre-flight of a run; where nobody knows what resumes it, it says just that.

    May raise `StoreUnavailable`.
    """
    try:
        return reader.preflight()
    except KeyError:
        return refused(run.key, "nothing is known that resumes such a run", outcome=run.status)
