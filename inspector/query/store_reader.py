"""The base class of every runtime's store readers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from inspector.derive.spending import Spending
from inspector.model.run import Run
from inspector.model.store import Store
from inspector.query.progress import Progress, no_progress
from inspector.query.run_reader import Record, RunReader

if TYPE_CHECKING:
    from inspector.query.pnl import Session
    from inspector.query.search import Hit

Records = Sequence[Record]


class StoreReader(ABC):
    """Reads one store of a runtime, however many runs it holds.

    Used by one thread at a time, except for `open`, which may be called during `summarize`.

    Optional methods return None, or nothing, where the runtime has no such thing.
    """

    path: str
    """The database or log, as `Store.path` names it."""
    has_records: bool = False
    """Whether the store itself, and the `subjects` in it, have records."""

    @abstractmethod
    def summarize(self) -> tuple[Store, Sequence[Run]]:
        """Return the store and its runs from cheap reads; never raises for the store's content."""

    @abstractmethod
    def changed(self) -> bool:
        """Return whether the last summary may be out of date."""

    @abstractmethod
    def open(self, run: Run) -> RunReader:
        """Return a reader of one of the runs that `summarize` listed."""

    @abstractmethod
    def close(self) -> None:
        """Release private copies."""

    def outgrown(self) -> bool:
        """Return whether another reader fits by now, as when a folder has got a database."""
        return False

    def subjects(self) -> Collection[str]:
        """Return the names, besides runs, that have records: sessions or spells."""
        return ()

    def record_of(self, subject: str | None, part: str | None) -> tuple[str, Records] | None:
        """Return a part's name and its records, for a subject or (None) for the whole store.

        Without a part, the subject's main one. Raises KeyError for an unknown part.
        """
        return None

    def usage(self) -> Sequence[Spending] | None:
        """Return every row of usage, those without a run last; None where use is not recorded.

        As of the last summary.
        """
        return None

    def usage_method(self, source: str) -> str:
        """Return how a total with this source was computed, in words."""
        return source

    def search(self, text: str, limit: int) -> Sequence[Hit] | None:
        """Return records that contain all words of a text, newest first, at most `limit`."""
        return None

    def never_recorded(self) -> Sequence[str]:
        """Return sentences on what this runtime does not record but people look for."""
        return ()

    def sessions(self) -> Collection[str]:
        """Return the names of the sessions that have a profit and loss account."""
        return ()

    def session(self, name: str, limit: int, progress: Progress = no_progress) -> Session | None:
        """Return the profit and loss of a session's newest `limit` runs; all for a limit below 1.

        Progress is in bytes.
        """
        return None
