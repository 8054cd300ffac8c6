"""What the screen, `--follow`, `watch` and notifications are told, and how they ask.

Everything here is immutable and delivered from reader threads; a receiver that draws must hand it
to its own thread.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from inspector.model.run import Run
from inspector.model.store import Store
from inspector.query.run_reader import RunReader
from inspector.query.view import RunView

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Looked:
    """A place that was searched for runs, as it is shown, and what was found there."""

    place: str
    outcome: str


@dataclass(frozen=True, slots=True)
class Overview:
    """The whole list: every store and run that was found, newest knowledge of each."""

    stores: tuple[Store, ...]
    runs: tuple[Run, ...]
    as_of: int
    """UTC ms of the newest read."""
    looked: tuple[Looked, ...] = ()
    notices: tuple[str, ...] = ()
    """Sentences about what could not be searched, watched or read."""
    loading: int = 0
    """Stores that are still to be read for the first time."""


@dataclass(frozen=True, slots=True)
class Unavailable:
    """An answer that could not be given: a sentence for a person."""

    reason: str


@dataclass(frozen=True, slots=True)
class Reading:
    """How far the first read of a followed run is, where that takes long."""

    key: str
    done: int
    of: int
    """In one unit of the runtime's own; at least 1."""


Message = Overview | RunView | Reading
"""What is delivered without being asked for each time."""


@dataclass(frozen=True, slots=True)
class Subscription:
    """Which run is followed, and where in it."""

    key: str
    at: int | None = field(default=None)
    """Event to travel to; None = follow the newest."""


class Feed(Protocol):
    """A watched workspace. Calls return at once; answers come from reader threads."""

    def start(self, deliver: Callable[[Message], None]) -> None:
        """Begins discovering, reading and watching. A later Overview or RunView of the same run
        replaces an earlier one; at most ten deliveries a second."""

    def follow(self, subscriptions: Sequence[Subscription]) -> None:
        """Says which runs are shown in full: each is delivered as a RunView now and whenever it
        changes, until it is left out of a later call."""

    def in_view(self, keys: Sequence[str]) -> None:
        """Says which rows of the list are visible: their findings and structure are completed
        first and delivered with the next Overview."""

    def ask(
        self,
        key: str,
        question: Callable[[RunReader], T],
        answer: Callable[[T | Unavailable], None],
    ) -> None:
        """Runs a question on the run's reader thread; `answer` is called from there."""

    def stop(self) -> None:
        """Ends every thread and removes private files; returns when that is done."""
