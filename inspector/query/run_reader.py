"""The base class of every runtime's run readers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from inspector.query.progress import Progress, no_progress
from inspector.query.view import NO_CAPABILITIES, Capabilities, RunView, StepContext, ValueList

if TYPE_CHECKING:
    from inspector.model.preflight import PreFlight
    from inspector.model.run import Run
    from inspector.model.step import Event
    from inspector.model.value import Attachment
    from inspector.query.comparison import Comparison, Side
    from inspector.query.pnl import Session
    from inspector.query.receipts import ReceiptLedger


FIRST_BYTES = 65_536
"""Bytes of an attachment that are read unless the caller asks for more."""

Record = Mapping[str, Any]
"""A row or file of the runtime, under the runtime's own field names."""


class RunReader(ABC):
    """Answers questions about one run.

    Used by one thread at a time; every answer is immutable. Any method may raise
    `StoreUnavailable` while the store cannot be read. Optional methods return None where the
    runtime has no such thing; `capabilities` says so in advance.
    """

    capabilities: Capabilities = NO_CAPABILITIES

    _view: RunView | None = None
    """The state of the last read."""

    @abstractmethod
    def refresh(self) -> RunView:
        """Return the newest state; folds only what was added or changed since the last call."""

    def current(self) -> RunView:
        """Return the state of the last read, reading it now if there was none."""
        return self._view or self.refresh()

    def at(self, event: int) -> RunView:
        """Return the state after the first `event` events, clamped to the events there are."""
        newest = self.current()
        event = max(0, min(event, newest.total_events))
        return newest if event == newest.total_events else self._at(event)

    @abstractmethod
    def _at(self, event: int) -> RunView:
        """Return the state after fewer events than there are."""

    @abstractmethod
    def events(self, first: int, count: int) -> Sequence[Event]:
        """Return up to `count` recorded facts from number `first` on."""

    @abstractmethod
    def values(self, frame: str | None = None, *, full: bool = False) -> ValueList:
        """Return the values of every scope, or those that a frame (`root` or its number) resolves.

        With `full`, contents are complete however large. Raises KeyError for an unknown frame.
        """

    @abstractmethod
    def context(self, step: int) -> StepContext:
        """Return the details of a step, given its number in the newest view."""

    @abstractmethod
    def record(self, part: str) -> Sequence[Record]:
        """Return the runtime's own records of one part. Raises KeyError for an unknown part."""

    @abstractmethod
    def changed(self) -> bool:
        """Return whether anything may have been written since the last answer; True if unsure."""

    @abstractmethod
    def close(self) -> None:
        """Release private copies."""

    def on_progress(self, progress: Progress) -> None:  # noqa: B027 - optional, not abstract
        """Report the progress of every later read; an exception from `progress` ends the read."""

    def newest(self) -> RunView | None:
        """Return a partial view of the end of a long run that has not been read whole yet.

        None where reading the whole run is quick or has been done.
        """
        return None

    def versions(self, name: str) -> ValueList | None:
        """Return every row written under a name, in every scope, oldest first."""
        return None

    def values_at(
        self, event: int, frame: str | None = None, *, full: bool = False
    ) -> ValueList | None:
        """Return the values after the first `event` events; `Value.then` marks what is unknown."""
        return None

    def attachment(self, path: str, limit: int = FIRST_BYTES) -> tuple[Attachment, bytes] | None:
        """Return the verdict on a recorded path and up to `limit` bytes of the file."""
        return None

    def content(self, row: int, limit: int) -> tuple[bytes, int] | None:
        """Return up to `limit` bytes of a value's row and its full size in bytes.

        None where the row has gone or contents cannot be read one by one. Text is UTF-8 unless its
        writer broke it.
        """
        return None

    def receipts(self) -> ReceiptLedger | None:
        """Return the run's receipts with the verdicts on their chains."""
        return None

    def session(self, limit: int, progress: Progress = no_progress) -> Session | None:
        """Return the profit and loss of the run's session over its newest `limit` runs.

        A limit below 1 means all. Progress is in bytes of ledgers.
        """
        return None

    def preflight(self) -> PreFlight | None:
        """Return what resuming the run would do; settings are not considered."""
        return None

    def side(self, part: str, run_id: str | None = None) -> Side | None:
        """Return what this run, or another of its session (or PREVIOUS), records under a part."""
        return None

    def compare(self, part: str, before: Side, *, whole: bool = False) -> Comparison | None:
        """Return the changes of a part since `before`; with `whole`, unchanged names as well."""
        return None

    def about(self, part: str) -> str | None:
        """Return a sentence that explains a part, where its records need one."""
        return None


def preflight_of(reader: RunReader, run: Run) -> PreFlight:
    """Return the plan of a run; a refusal where its runtime has no way to resume it.

    May raise `StoreUnavailable`.
    """
    from inspector.model.preflight import refused

    plan = reader.preflight()
    if plan is None:
        return refused(run.key, "nothing can resume a run of this kind", outcome=run.status)
    return plan
