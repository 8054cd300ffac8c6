"""The reader thread of one run: refresh, travel and questions, one at a time."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import replace
from typing import Any

from inspector.config.log import internal_error
from inspector.live.feed import Unavailable
from inspector.model.status import ENDED
from inspector.model.store import Health
from inspector.query.progress import Progress, ReadCancelled, no_progress
from inspector.query.run_reader import RunReader
from inspector.query.view import RunView
from inspector.store.read import StoreUnavailable

RECHECK_SECONDS = 0.5
"""How often a run is checked without any event; a check costs some ten microseconds."""
ENDED_RECHECK_SECONDS = 2.0
RETRY_SECONDS = (0.05, 0.1, 0.25, 0.5, 1.0)
"""Waits after reads that a writer blocked."""

IDLE_SECONDS = 10.0
"""How long a worker that only answers questions waits for the next one."""

PROGRESS_SECONDS = 0.2
"""How often the progress of a long read is reported."""

FAST_SECONDS = 0.1
SLOW_SECONDS = 0.25
"""Intervals of publishing on a local terminal and over SSH."""

Question = Callable[[RunReader], object]
Answer = Callable[[Any], None]

NOT_FOLLOWED = "the run is no longer followed"


class RateLimiter:
    """Spaces deliveries by an interval; the first one after a pause goes out at once."""

    def __init__(self, interval: float = FAST_SECONDS) -> None:
        self._interval = interval
        self._last = float("-inf")

    def wait(self, now: float) -> float:
        """Return the seconds until the next delivery may go out."""
        return max(0.0, self._last + self._interval - now)

    def sent(self, now: float) -> None:
        """Record a delivery."""
        self._last = now


class RunWorker:
    """Keeps one run's view fresh until it is stopped; without `publish` it only answers questions.

    Requests to refresh coalesce: however often it is woken during a read, it reads once more.
    Every question gets an answer, which may be the reason why there is none.
    """

    def __init__(
        self,
        open_reader: Callable[[], RunReader],
        publish: Callable[[RunView], None] | None,
        *,
        at: int | None = None,
        limiter: RateLimiter | None = None,
        idle: float = IDLE_SECONDS,
        on_progress: Progress = no_progress,
    ) -> None:
        self._open_reader = open_reader
        self._publish = publish
        self._limiter = limiter or RateLimiter()
        self._idle = idle
        self._on_progress = on_progress
        self._progress_at = 0.0
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._ended = False
        """True once the worker has stopped."""
        self._questions: deque[tuple[Question, Answer]] = deque()
        self._at = at
        self._wanted = False
        """Whether a view was requested although nothing changed."""
        self._shown_at: int | None = None
        self._last: RunView | None = None
        self._failures = 0
        self._thread = threading.Thread(target=self._run, name="run-reader", daemon=True)

    def start(self) -> None:
        """Start reading."""
        self._thread.start()

    def wake(self) -> None:
        """Check for changes now."""
        self._wake.set()

    def travel(self, at: int | None) -> None:
        """Publish the state after `at` events (None = the newest) from now on."""
        with self._lock:
            self._at = at
            self._wanted = True
        self._wake.set()

    @property
    def partial_view(self) -> RunView | None:
        """The view of the run's end, while nothing else has been read."""
        last = self._last
        return last if last is not None and last.partial else None

    @property
    def publishes_newest(self) -> bool:
        """Whether the newest state has been published and will be kept current."""
        return self._at is None and self._last is not None and not self._last.partial

    def ask(self, question: Question, answer: Answer) -> bool:
        """Run a question between two reads; `answer` is called from the reader thread.

        False, without an answer, when the worker has stopped.
        """
        with self._lock:
            if self._ended:
                return False
            self._questions.append((question, answer))
        self._wake.set()
        return True

    def stop(self) -> None:
        """Ask the thread to end; `join` waits for it."""
        self._stop.set()
        self._wake.set()

    def join(self, timeout: float | None = None) -> None:
        """Wait until the thread has removed its private files."""
        self._thread.join(timeout)

    def _run(self) -> None:
        try:
            while not self._stop.is_set():
                self._open_and_serve()
        finally:
            with self._lock:
                self._ended = True
            for _, answer in self._taken():
                answer(Unavailable(NOT_FOLLOWED))

    def _open_and_serve(self) -> None:
        try:
            reader = self._open_reader()
        except StoreUnavailable as trouble:
            self._refuse(trouble.reason)
            return
        with closing(reader), suppress(ReadCancelled):
            self._progress_at = time.monotonic()
            reader.on_progress(self._progress)
            self._serve(reader)

    def _progress(self, done: int, of: int) -> None:
        """Cancel the read when the worker was stopped, else report its progress.

        Only the first read is reported: during later ones the last view stays on screen.
        """
        if self._stop.is_set():
            raise ReadCancelled
        now = time.monotonic()
        is_first = self._last is None or self._last.partial
        if is_first and now - self._progress_at >= PROGRESS_SECONDS:
            self._progress_at = now
            self._on_progress(done, max(of, 1))

    def _serve(self, reader: RunReader) -> None:
        while not self._stop.is_set():
            self._wake.clear()
            if self._publish is None:
                _refresh(reader)
            self._answer_all(reader)
            if self._publish is not None:
                self._update(reader, self._publish)
                self._wake.wait(self._pause())
            elif not self._wake.wait(self._idle) and self._end_if_idle():
                return

    def _end_if_idle(self) -> bool:
        """End a worker without questions, unless one has just arrived."""
        with self._lock:
            if not self._questions:
                self._ended = True
                self._stop.set()
        return self._ended

    def _refuse(self, reason: str) -> None:
        """Answer all questions with the reason, and wait before the store is tried again."""
        self._wake.clear()
        for _, answer in self._taken():
            answer(Unavailable(reason))
        self._wake.wait(RETRY_SECONDS[-1])

    def _pause(self) -> float:
        if self._failures:
            return RETRY_SECONDS[min(self._failures, len(RETRY_SECONDS)) - 1]
        ended = self._last is not None and self._last.run.status in ENDED
        return ENDED_RECHECK_SECONDS if ended else RECHECK_SECONDS

    def _update(self, reader: RunReader, publish: Callable[[RunView], None]) -> None:
        with self._lock:
            at, wanted = self._at, self._wanted
            self._wanted = False
        moved = at != self._shown_at
        try:
            if self._last is None and at is None:
                self._publish_end(publish, reader)
            last = self._last
            if last is None or last.partial or self._failures or reader.changed():
                self._stop.wait(self._limiter.wait(time.monotonic()))
                self._publish_view(publish, reader, reader.refresh(), at)
            elif moved:
                self._publish_view(publish, reader, None, at)
            elif wanted:
                publish(last)
            self._failures = 0
        except StoreUnavailable as trouble:
            self._failures += 1
            self._publish_stale(publish, trouble)
        except ReadCancelled:
            raise
        except Exception as error:
            # An internal error must not end the thread: report it like any other and retry.
            self._failures += 1
            reason = internal_error("reading a run", error)
            self._publish_stale(publish, StoreUnavailable(Health.UNREADABLE, reason))

    def _publish_end(self, publish: Callable[[RunView], None], reader: RunReader) -> None:
        """Publish the end of a long run at once; the whole run follows."""
        view = reader.newest()
        if view is not None and not self._stop.is_set():
            self._last = view
            publish(view)

    def _publish_view(
        self,
        publish: Callable[[RunView], None],
        reader: RunReader,
        newest: RunView | None,
        at: int | None,
    ) -> None:
        view = newest if at is None and newest is not None else reader.at(_event(at))
        again, self._shown_at = at != self._shown_at, at
        if view is self._last and not again:
            return
        self._last = view
        self._limiter.sent(time.monotonic())
        publish(view)

    def _publish_stale(self, publish: Callable[[RunView], None], trouble: StoreUnavailable) -> None:
        if self._last is None or self._last.stale_reason == trouble.reason:
            return
        store = replace(self._last.run.store, health=trouble.health, reason=trouble.reason)
        run = replace(self._last.run, store=store)
        self._last = replace(self._last, run=run, stale_reason=trouble.reason)
        publish(self._last)

    def _taken(self) -> list[tuple[Question, Answer]]:
        with self._lock:
            taken = list(self._questions)
            self._questions.clear()
        return taken

    def _answer_all(self, reader: RunReader) -> None:
        for question, answer in self._taken():
            try:
                found = question(reader)
            except StoreUnavailable as trouble:
                found = Unavailable(trouble.reason)
            except ReadCancelled:
                answer(Unavailable(NOT_FOLLOWED))
                raise
            except Exception as error:
                # One failing question must not cost the others their answer.
                found = Unavailable(internal_error("answering about a run", error))
            answer(found)


def _refresh(reader: RunReader) -> None:
    """Read what was written since the last question; a failure shows with the next one."""
    if reader.changed():
        with suppress(StoreUnavailable):
            reader.refresh()


def _event(at: int | None) -> int:
    """The event number, or one beyond the end of any run."""
    return 2**62 if at is None else at
