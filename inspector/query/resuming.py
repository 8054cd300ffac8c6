"""What resuming a run would do, whatever its runtime."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from inspector.model.preflight import PreFlight, refused
from inspector.model.run import Run
from inspector.query.backend import RunReader


@runtime_checkable
class Resumable(Protocol):
    """A reader of a run that knows how such a run is resumed."""

    def preflight(self) -> PreFlight:
        """The answer from the newest state. May raise `StoreUnavailable`."""


def preflight_of(reader: RunReader, run: Run) -> PreFlight:
    """The pre-flight of a run; of what nobody resumes it says just that."""
    if isinstance(reader, Resumable):
        return reader.preflight()
    return refused(run.key, "nothing is known that resumes such a run", outcome=run.status)
