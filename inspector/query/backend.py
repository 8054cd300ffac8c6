"""What a runtime must offer so that everything above works on it without knowing it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from inspector.model.clock import Clock
from inspector.model.run import Run
from inspector.model.step import Event
from inspector.model.store import Runtime, Store
from inspector.model.value import Attachment
from inspector.query.reading import Tell, tell_nobody
from inspector.query.view import RunView, StepContext, ValueList

if TYPE_CHECKING:
    # What only a plan needs is loaded with it.
    from inspector.model.preflight import PreFlight

FIRST_BYTES = 65_536
"""Bytes of a file that are read unless more are asked for."""


class RunReader(Protocol):
    """Answers about one run. Used by one thread at a time; every answer is immutable.

    Each call may raise `StoreUnavailable` when the store cannot be read now.
    """

    def refresh(self) -> RunView:
        """The newest state; folds only what was added or changed since the last call."""

    def at(self, event: int) -> RunView:
        """The state after the first `event` events (0 to all)."""

    def events(self, first: int, count: int) -> Sequence[Event]:
        """Recorded facts number `first` to `first + count - 1`, as far as there are any."""

    def values(self, frame: str | None = None, *, full: bool = False) -> ValueList:
        """Values of every scope (None) or as a frame (`root` or its number) resolves them.

        `full` gives whole contents however large they are. Raises KeyError for a frame that is
        neither.
        """

    def context(self, step: int) -> StepContext:
        """Everything that the detail of a step shows, for a step number of the newest view."""

    def record(self, part: str) -> Sequence[Mapping[str, Any]]:
        """The runtime's own records of one part, under the runtime's own field names.

        Raises KeyError for a part that the runtime does not have.
        """

    def receipts(self) -> Mapping[str, Any]:
        """The content of `inspector.receipts/1`. Raises KeyError where a runtime has none."""

    def preflight(self) -> PreFlight:
        """What resuming the run would do, by its newest state; knows nothing of settings.

        Raises KeyError where nothing is known that resumes such a run.
        """

    def changed(self) -> bool:
        """Whether anything may have been written since the last answer; cheap, True if unsure."""

    def close(self) -> None:
        """Lets go of private files."""


@runtime_checkable
class KeepsVersions(Protocol):
    """A reader that keeps older values of a name, in a runtime that writes them again."""

    def versions(self, name: str) -> ValueList:
        """Every row that was written under a name, in every scope, oldest first."""


@runtime_checkable
class TellsThen(Protocol):
    """A reader whose record tells which values there were at an event."""

    def values_at(self, event: int, frame: str | None = None, *, full: bool = False) -> ValueList:
        """As `values`, after the first `event` events; what nothing tells of is marked so."""


@runtime_checkable
class ReadsAttachments(Protocol):
    """A reader whose values may be kept in files of their own."""

    def attachment(self, path: str, most: int = FIRST_BYTES) -> tuple[Attachment, bytes]:
        """What came of a recorded path, and the file's first `most` bytes where it may be read."""


@runtime_checkable
class ReadsContents(Protocol):
    """A reader that gives what a value holds without reading all the others."""

    def content(self, row: int, most: int) -> tuple[bytes, int] | None:
        """The first `most` bytes that the row of a value holds, and how many there are.

        None where the row is gone. Text is in UTF-8 unless its writer broke it.
        """


@runtime_checkable
class TellsSession(Protocol):
    """A reader of a run that belongs to a session whose money is added up."""

    def session(self, limit: int, tell: Tell = tell_nobody) -> Mapping[str, Any]:
        """The content of `inspector.pnl/1` over the newest `limit` runs; below 1 = all.

        `tell` is told how many bytes of ledgers were read; what it raises ends the reading.
        """


@runtime_checkable
class TellsReading(Protocol):
    """A reader whose reads may take long."""

    def watch_reading(self, tell: Tell) -> None:
        """`tell` is called between the parts of every read from now on."""


@runtime_checkable
class ShowsNewestFirst(Protocol):
    """A reader that can show the end of a run before it has read the whole."""

    def newest(self) -> RunView | None:
        """What the newest events tell by themselves, `partial`; None where reading the whole is
        quick, or it was read."""


class StoreReader(Protocol):
    """One store of a runtime, however many runs it holds. Used by one thread at a time."""

    path: str
    """The database or log, as `Store.path` names it."""

    def summarize(self) -> tuple[Store, Sequence[Run]]:
        """The store and its runs from cheap reads; never raises for what is in the store."""

    def changed(self) -> bool:
        """Whether the last summary may be out of date."""

    def outgrown(self) -> bool:
        """Whether another reader is right by now, as when a folder got its database."""

    def open(self, run: Run) -> RunReader:
        """A reader for one of the runs that `summarize` listed."""

    def close(self) -> None:
        """Lets go of private files."""


class Backend(Protocol):
    """A runtime: how its stores are told from others and read."""

    runtime: Runtime

    def recognise(self, tables: Mapping[str, Sequence[str]]) -> bool:
        """Whether a database with these tables (name → columns) is a store of this runtime."""

    def reader(self, path: str, clock: Clock) -> StoreReader:
        """A reader of a recognised database."""
