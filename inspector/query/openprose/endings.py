"""What one reader saw of a run's ends: a run that went on after it had said that it was over."""

from __future__ import annotations

from inspector.model.clock import rfc3339
from inspector.model.run import Finding
from inspector.model.status import ENDED, Status


class Endings:
    """Remembers the last status of a run. A database keeps only the newest one."""

    def __init__(self) -> None:
        self._last: Status | None = None
        self._found: Finding | None = None

    def note(self, status: Status, at: int | None) -> None:
        """Takes in the status as it was read; `at` is when the file was written (UTC ms)."""
        last, self._last = self._last, status
        if last not in ENDED or status is last or status is Status.UNKNOWN:
            return
        when = rfc3339(at)
        since = f" at {when}" if when else ""
        self._found = Finding(
            "re_opened", f"The run had {_WORDS[last]} and was re-opened{since}.", "run"
        )

    @property
    def finding(self) -> Finding | None:
        """That the run was re-opened, once it was; the newest time counts."""
        return self._found


_WORDS = {
    Status.COMPLETED: "completed",
    Status.FAILED: "failed",
    Status.INTERRUPTED: "been interrupted",
}
