"""The reader thread of one followed run: refresh, travel, questions, one at a time."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import replace
from typing import Any

from inspector.live.feed import Unavailable
from inspector.live.pacing import Pacing
from inspector.model.status import ENDED
from inspector.model.store import Health
from inspector.query.progress import Progress, ReadCancelled, no_progress
from inspector.query.run_reader import RunReader
from inspector.query.view import RunView
from inspector.query.workspace import FAULT
from inspector.store.read import StoreUnavailable

RECHECK_SECONDS = 0.5
"""How often a run is looked at although nothing was announced; some ten microseconds each."""
ENDED_RECHECK_SECONDS = 2.0
RETRY_SECONDS = (0.05, 0.1, 0.25, 0.5, 1.0)
"""Waits after reads that a writer did not let through."""

IDLE_SECONDS = 10.0
"""How long a reader that only answers questions is kept for the next one."""

TELL_SECONDS = 0.2
"""How often it is told how far a long read is."""

Question = Callable[[RunReader], Any]
Answer = Callable[[Any], None]

LEFT = "the run is not followed any more"


class RunWorker:
    """Keeps one run's view fresh until it is stopped; without `deliver` it answers questions only.

    Requests to refresh coalesce: however often it is woken while it reads, it reads once more.
    Every question is answered, if only with the reason why it cannot be.
    """

    def __init__(
        self,
        open_reader: Callable[[], RunReader],
        deliver: Callable[[RunView], None] | None,
        *,
        at: int | None = None,
        pacing: Pacing | None = None,
        idle: float = IDLE_SECONDS,
        tell_reading: Progress = no_progress,
    ) -> None:
        self._open_reader = open_reader
        self._deliver = deliver
        self._pacing = pacing or Pacing()
        self._idle = idle
        self._tell_reading = tell_reading
        self._told_reading_at = 0.0
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._over = False
        """Whether a further question would not be answered."""
        self._questions: deque[tuple[Question, Answer]] = deque()
        self._at = at
        self._wanted = False
        """Whether somebody waits for a view although nothing changed."""
        self._shown_at: int | None = None
        self._last: RunView | None = None
        self._failures = 0
        self._thread = threading.Thread(target=self._run, name="run-reader", daemon=True)

    def start(self) -> None:
        """Begins reading."""
        self._thread.start()

    def wake(self) -> None:
        """Something may have been written."""
        self._wake.set()

    def travel(self, at: int | None) -> None:
        """Shows the state after `at` events from now on (None = the newest), beginning at once."""
        with self._lock:
            self._at = at
            self._wanted = True
        self._wake.set()

    @property
    def part(self) -> RunView | None:
        """The end of the run, while nothing but that was read."""
        last = self._last
        return last if last is not None and last.partial else None

    @property
    def tells_newest(self) -> bool:
        """Whether it has told, and keeps telling, how the run stands now."""
        return self._at is None and self._last is not None and not self._last.partial

    def ask(self, question: Question, answer: Answer) -> bool:
        """Runs a question between two reads; the answer is called from the reader thread.

        False, and nothing is asked, when the worker has ended.
        """
        with self._lock:
            if self._over:
                return False
            self._questions.append((question, answer))
        self._wake.set()
        return True

    def stop(self) -> None:
        """Asks the thread to end; `join` waits for it."""
        self._stop.set()
        self._wake.set()

    def join(self, timeout: float | None = None) -> None:
        """Waits until the thread has let go of its private files."""
        self._thread.join(timeout)

    def _run(self) -> None:
        try:
            while not self._stop.is_set():
                self._open_and_keep()
        finally:
            with self._lock:
                self._over = True
            for _, answer in self._taken():
                answer(Unavailable(LEFT))

    def _open_and_keep(self) -> None:
        try:
            reader = self._open_reader()
        except StoreUnavailable as trouble:
            self._refuse(trouble.reason)
            return
        with closing(reader), suppress(ReadCancelled):
            self._told_reading_at = time.monotonic()
            reader.on_progress(self._while_reading)
            self._keep(reader)

    def _while_reading(self, done: int, of: int) -> None:
        """Between two parts of a read: ends it when nobody waits, else tells how far it is.

        Only the first read is told of: what is shown stands while a later one goes on.
        """
        if self._stop.is_set():
            raise ReadCancelled
        now = time.monotonic()
        waited_for = self._last is None or self._last.partial
        if waited_for and now - self._told_reading_at >= TELL_SECONDS:
            self._told_reading_at = now
            self._tell_reading(done, max(of, 1))

    def _keep(self, reader: RunReader) -> None:
        while not self._stop.is_set():
            self._wake.clear()
            if self._deliver is None:
                _bring_up_to_date(reader)
            self._answer_all(reader)
            if self._deliver is not None:
                self._turn(reader, self._deliver)
                self._wake.wait(self._pause())
            elif not self._wake.wait(self._idle) and self._ends_unasked():
                return

    def _ends_unasked(self) -> bool:
        """Ends a worker that nobody asks anything, unless somebody just did."""
        with self._lock:
            if not self._questions:
                self._over = True
                self._stop.set()
        return self._over

    def _refuse(self, reason: str) -> None:
        """Answers what was asked, and waits a while before the store is tried again."""
        self._wake.clear()
        for _, answer in self._taken():
            answer(Unavailable(reason))
        self._wake.wait(RETRY_SECONDS[-1])

    def _pause(self) -> float:
        if self._failures:
            return RETRY_SECONDS[min(self._failures, len(RETRY_SECONDS)) - 1]
        ended = self._last is not None and self._last.run.status in ENDED
        return ENDED_RECHECK_SECONDS if ended else RECHECK_SECONDS

    def _turn(self, reader: RunReader, deliver: Callable[[RunView], None]) -> None:
        with self._lock:
            at, wanted = self._at, self._wanted
            self._wanted = False
        moved = at != self._shown_at
        try:
            if self._last is None and at is None:
                self._show_newest(deliver, reader)
            last = self._last
            if last is None or last.partial or self._failures or reader.changed():
                self._stop.wait(self._pacing.wait(time.monotonic()))
                self._show(deliver, reader, reader.refresh(), at)
            elif moved:
                self._show(deliver, reader, None, at)
            elif wanted:
                deliver(last)
            self._failures = 0
        except StoreUnavailable as trouble:
            self._failures += 1
            self._say_stale(deliver, trouble)
        except ReadCancelled:
            raise
        except Exception as error:
            # A fault of ours: said like any other trouble, and the run is tried again.
            self._failures += 1
            reason = f"{FAULT} ({type(error).__name__}: {error})"
            self._say_stale(deliver, StoreUnavailable(Health.UNREADABLE, reason))

    def _show_newest(self, deliver: Callable[[RunView], None], reader: RunReader) -> None:
        """Shows the end of a long run at once; the whole follows."""
        view = reader.newest()
        if view is not None and not self._stop.is_set():
            self._last = view
            deliver(view)

    def _show(
        self,
        deliver: Callable[[RunView], None],
        reader: RunReader,
        newest: RunView | None,
        at: int | None,
    ) -> None:
        view = newest if at is None and newest is not None else reader.at(_place(at))
        again, self._shown_at = at != self._shown_at, at
        if view is self._last and not again:
            return
        self._last = view
        self._pacing.sent(time.monotonic())
        deliver(view)

    def _say_stale(self, deliver: Callable[[RunView], None], trouble: StoreUnavailable) -> None:
        if self._last is None or self._last.stale_reason == trouble.reason:
            return
        store = replace(self._last.run.store, health=trouble.health, reason=trouble.reason)
        run = replace(self._last.run, store=store)
        self._last = replace(self._last, run=run, stale_reason=trouble.reason)
        deliver(self._last)

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
                answer(Unavailable(LEFT))
                raise
            except Exception as error:
                # A question that goes wrong is its asker's trouble; the others are answered.
                found = Unavailable(f"it cannot be answered ({type(error).__name__}: {error})")
            answer(found)


def _bring_up_to_date(reader: RunReader) -> None:
    """Reads what was written since the last question; whether it worked shows with the next."""
    if reader.changed():
        with suppress(StoreUnavailable):
            reader.refresh()


def _place(at: int | None) -> int:
    """An event number that every run ends before, when none is given."""
    return 2**62 if at is None else at
