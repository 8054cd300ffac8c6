"""The interface between readers and whoever shows runs: messages, subscriptions and questions.

Messages are immutable and published from reader threads; a receiver that draws hands them to its
own thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from inspector.config.log import internal_error
from inspector.model.run import Run
from inspector.model.store import Store
from inspector.query.run_reader import RunReader
from inspector.query.view import RunView

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Looked:
    """A place that was searched for runs, and what was found there."""

    place: str
    outcome: str


@dataclass(frozen=True, slots=True)
class Overview:
    """The whole list: every store and run, each in its newest known state."""

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
    """A question that could not be answered, with the reason as a sentence."""

    reason: str


@dataclass(frozen=True, slots=True)
class Reading:
    """Progress of a long first read of a followed run."""

    key: str
    done: int
    of: int
    """At least 1, in a unit of the runtime."""


Message = Overview | RunView | Reading
"""Whatever is published."""

Publish = Callable[[Message], None]


@dataclass(frozen=True, slots=True)
class Subscription:
    """A run to follow, at its newest event (None) or after its first `at` events."""

    key: str
    at: int | None = None


class Feed(Protocol):
    """A watched workspace. Calls return at once; answers come from reader threads."""

    def start(self, publish: Publish) -> None:
        """Start to discover, read and watch.

        A later Overview, or RunView of the same run, replaces an earlier one; about ten messages a
        second at most.
        """

    def follow(self, subscriptions: Sequence[Subscription]) -> None:
        """Publish a RunView of exactly these runs now and after every change."""

    def in_view(self, keys: Sequence[str]) -> None:
        """Complete the findings and counts of these rows of the list first."""

    def ask(
        self,
        key: str,
        question: Callable[[RunReader], T],
        answer: Callable[[T | Unavailable], None],
    ) -> None:
        """Run a question on the run's reader thread; `answer` is called from there."""

    def stop(self) -> None:
        """End all threads and remove private files; returns when that is done."""


CLOSED = "the screen was closed"

_Question = tuple[str, Callable[[RunReader], object], Callable[[Any], None]]


class DeferredFeed:
    """A `Feed` whose real feed is created, in a thread of its own, after `start`.

    Creating it loads much code, which must not delay the first paint. Requests made before it
    exists are passed on once it does.
    """

    def __init__(self, create: Callable[[], Feed]) -> None:
        self._create = create
        self._lock = threading.Lock()
        """Guards the choice between queueing and calling; never held during a call."""
        self._feed: Feed | None = None
        self._stopped = False
        self._followed: tuple[Subscription, ...] = ()
        self._in_view: tuple[str, ...] = ()
        self._questions: list[_Question] = []
        self._thread: threading.Thread | None = None

    def start(self, publish: Publish) -> None:
        """Create and start the feed in the background."""
        self._thread = threading.Thread(
            target=self._start, args=(publish,), name="feed", daemon=True
        )
        self._thread.start()

    def _start(self, publish: Publish) -> None:
        try:
            feed = self._create()
        except Exception as error:
            reason = internal_error("opening the workspace", error)
            self.stop(reason)
            publish(Overview((), (), 0, notices=(f"{reason}.",)))
            return
        feed.start(publish)
        with self._lock:
            stopped = self._stopped
            questions, self._questions = self._questions, []
            if not stopped:
                if self._followed:
                    feed.follow(self._followed)
                if self._in_view:
                    feed.in_view(self._in_view)
                self._feed = feed
        if stopped:
            feed.stop()
        for key, question, answer in questions:
            feed.ask(key, question, answer)

    def follow(self, subscriptions: Sequence[Subscription]) -> None:
        """Follow exactly these runs."""
        with self._lock:
            self._followed, feed = tuple(subscriptions), self._feed
        if feed is not None:
            feed.follow(subscriptions)

    def in_view(self, keys: Sequence[str]) -> None:
        """Complete these rows first."""
        with self._lock:
            self._in_view, feed = tuple(keys), self._feed
        if feed is not None:
            feed.in_view(keys)

    def ask(
        self,
        key: str,
        question: Callable[[RunReader], T],
        answer: Callable[[T | Unavailable], None],
    ) -> None:
        """Ask about a run, or queue the question."""
        with self._lock:
            feed = self._feed
            queued = feed is None and not self._stopped
            if queued:
                self._questions.append((key, question, answer))
        if feed is not None:
            feed.ask(key, question, answer)
        elif not queued:
            answer(Unavailable(CLOSED))

    def stop(self, reason: str = CLOSED) -> None:
        """Stop the feed, or see to it that it stops as soon as it is created."""
        with self._lock:
            self._stopped, feed = True, self._feed
            questions, self._questions = self._questions, []
        for _, _, answer in questions:
            answer(Unavailable(reason))
        if feed is not None:
            feed.stop()
        elif self._thread not in (None, threading.current_thread()):
            assert self._thread is not None
            self._thread.join(2.0)
