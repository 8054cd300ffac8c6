"""A feed that is made while the screen is already there."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from inspector.live.feed import Feed, Message, Overview, Subscription, Unavailable
from inspector.query.run_reader import RunReader

T = TypeVar("T")

LEFT = "the screen was left"

_Question = tuple[str, Callable[[RunReader], Any], Callable[[Any], None]]


class FeedMadeLater:
    """Satisfies `Feed`: what is asked of it before the other one is made reaches that then.

    Making it, which may load much, begins with `start`, in a thread of its own.
    """

    def __init__(self, make: Callable[[], Feed]) -> None:
        self._make = make
        self._lock = threading.Lock()
        """Held while it is decided whether the other feed is there; never while that is called."""
        self._feed: Feed | None = None
        self._stopped = False
        self._followed: tuple[Subscription, ...] = ()
        self._in_view: tuple[str, ...] = ()
        self._questions: list[_Question] = []
        self._thread: threading.Thread | None = None

    def start(self, deliver: Callable[[Message], None]) -> None:
        """Begins to make the other feed, and starts it."""
        self._thread = threading.Thread(
            target=self._begin, args=(deliver,), name="feed", daemon=True
        )
        self._thread.start()

    def _begin(self, deliver: Callable[[Message], None]) -> None:
        try:
            feed = self._make()
        except Exception as error:
            reason = f"Inspector itself is at fault ({type(error).__name__}: {error})"
            self.stop(reason)
            deliver(Overview((), (), 0, notices=(f"{reason}.",)))
            return
        feed.start(deliver)
        with self._lock:
            stopped = self._stopped
            followed, in_view = self._followed, self._in_view
            questions, self._questions = self._questions, []
            if not stopped:
                if followed:
                    feed.follow(followed)
                if in_view:
                    feed.in_view(in_view)
                self._feed = feed
        if stopped:
            feed.stop()
        for key, question, answer in questions:
            feed.ask(key, question, answer)

    def follow(self, subscriptions: Sequence[Subscription]) -> None:
        """Follows exactly these runs."""
        with self._lock:
            self._followed, feed = tuple(subscriptions), self._feed
        if feed is not None:
            feed.follow(subscriptions)

    def in_view(self, keys: Sequence[str]) -> None:
        """Completes these runs first."""
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
        """Asks about a run, or remembers to."""
        with self._lock:
            feed = self._feed
            waits = feed is None and not self._stopped
            if waits:
                self._questions.append((key, question, answer))
        if feed is not None:
            feed.ask(key, question, answer)
        elif not waits:
            answer(Unavailable(LEFT))

    def stop(self, reason: str = LEFT) -> None:
        """Ends the other feed, or sees to it that it ends as soon as it is made."""
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
