"""File events from the operating system, through watchfiles.

watchfiles is imported when the first listener is created. Reads are not reported. Its public
`watch()` does not fit: it does not report when the watch is established, its step is fixed, and a
stop drops collected events. Hence `_rust_notify`, pinned in pyproject.toml and covered by a test.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable, Sequence
from typing import Protocol

ADDED = 1
MODIFIED = 2
DELETED = 3

_TIMEOUT_MS = 1000

RawEvents = set[tuple[int, str]]
"""Event kinds (ADDED, MODIFIED, DELETED) with their paths."""


class CannotListen(OSError):
    """The operating system refuses to watch more folders."""


class StopSign(Protocol):
    """Ends a wait; a `threading.Event` is one."""

    def is_set(self) -> bool:
        """Returns True to stop."""
        ...


class Listener(Protocol):
    """An open watch on a set of folders."""

    def wait(self, debounce_ms: int, step_ms: int, timeout_ms: int, stop: StopSign) -> RawEvents:
        """Waits for events, collects and returns them; empty on timeout or stop."""
        ...

    def close(self) -> None:
        """Ends the watch; no other thread may be waiting."""
        ...


Listen = Callable[[Sequence[str], bool], Listener]
"""Opens a watch on folders, recursive or not. Raises FileNotFoundError, CannotListen."""


class _Watchfiles:
    """A listener of the watchfiles library."""

    def __init__(self, folders: Sequence[str], recursive: bool) -> None:
        from watchfiles._rust_notify import RustNotify, WatchfilesRustInternalError

        self._failure: type[Exception] = WatchfilesRustInternalError
        try:
            # An unreadable folder must not prevent watching the others.
            self._notify = RustNotify(list(folders), False, False, 300, recursive, True)
        except (OSError, WatchfilesRustInternalError) as error:
            raise CannotListen(str(error)) from error
        # With that flag the library ignores missing folders, too.
        for folder in folders:
            if not os.path.isdir(folder):
                self._notify.close()
                raise FileNotFoundError(folder)

    def wait(self, debounce_ms: int, step_ms: int, timeout_ms: int, stop: StopSign) -> RawEvents:
        try:
            raw = self._notify.watch(debounce_ms, step_ms, timeout_ms, stop)
        except (OSError, self._failure) as error:
            raise CannotListen(str(error)) from error
        return raw if isinstance(raw, set) else set()

    def close(self) -> None:
        self._notify.close()


def listen(folders: Sequence[str], recursive: bool) -> Listener:
    """Opens a watch with watchfiles."""
    return _Watchfiles(folders, recursive)


Debounce = Callable[[bool], tuple[int, int]]
"""For the recursive or the flat listener: time to collect events, and step, in ms."""


class EventSource:
    """A recursive listener and a flat one, each waiting in its own thread."""

    def __init__(self, listener: Listen, pace: Debounce) -> None:
        self._listener = listener
        self._pace = pace
        self._inbox: queue.SimpleQueue[RawEvents | CannotListen | None] = queue.SimpleQueue()
        self._open: dict[bool, tuple[tuple[str, ...] | None, _ListenerThread]] = {}
        self._draining_threads: list[_ListenerThread] = []

    def watch_folders(self, folders: tuple[str, ...], *, deep: bool) -> None:
        """Watches these folders; does nothing if they are the same as before.

        The new watch starts before the old one ends, so no event is lost. Raises FileNotFoundError
        if a folder is gone, CannotListen.
        """
        if deep in self._open and self._open[deep][0] == folders:
            return
        listener: Listener | None = None
        if folders:
            try:
                listener = self._listener(folders, deep)
            except CannotListen:
                # There may be room for one watch but not for two.
                self._shut(deep)
                listener = self._listener(folders, deep)
        self._draining_threads = [thread for thread in self._draining_threads if thread.is_alive()]
        if deep in self._open:
            thread = self._open.pop(deep)[1]
            thread.drain()
            self._draining_threads.append(thread)
        if listener is not None:
            self._open[deep] = (folders, _ListenerThread(listener, self._inbox, deep, self._pace))

    def invalidate(self, *, deep: bool) -> None:
        """Makes the next `watch_folders` start a new watch even on the same folders."""
        if deep in self._open:
            self._open[deep] = (None, self._open[deep][1])

    def events(self, wait_s: float) -> RawEvents:
        """Waits for events and returns all that are queued. Raises CannotListen."""
        events: RawEvents = set()
        try:
            event = self._inbox.get(timeout=wait_s)
            while True:
                if isinstance(event, CannotListen):
                    raise event
                events |= event or set()
                event = self._inbox.get_nowait()
        except queue.Empty:
            return events

    def wake(self) -> None:
        """Ends a wait in `events`, from any thread."""
        self._inbox.put(None)

    def close(self) -> None:
        """Ends all watches within one step."""
        for thread in (*self._draining_threads, *(thread for _, thread in self._open.values())):
            thread.close()
        self._draining_threads.clear()
        self._open.clear()

    def _shut(self, deep: bool) -> None:
        if deep in self._open:
            self._open.pop(deep)[1].close()


class _ListenerThread:
    """A thread that forwards the events of one listener and closes it."""

    def __init__(
        self,
        listener: Listener,
        inbox: queue.SimpleQueue[RawEvents | CannotListen | None],
        deep: bool,
        pace: Debounce,
    ) -> None:
        self._listener = listener
        self._inbox = inbox
        self._deep = deep
        self._pace = pace
        self._stop = threading.Event()
        self._draining = False
        name = f"watch-{'deep' if deep else 'flat'}"
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def is_alive(self) -> bool:
        """True while the thread runs."""
        return self._thread.is_alive()

    def drain(self) -> None:
        """Lets the thread end after forwarding pending events, within a second."""
        self._draining = True

    def close(self) -> None:
        """Ends the thread at once; pending events are lost."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        try:
            while not self._stop.is_set():
                # On stop, the library drops the events it has collected.
                draining = self._draining
                debounce_ms, step_ms = self._pace(self._deep)
                timeout_ms = step_ms if draining else _TIMEOUT_MS
                raw = self._listener.wait(debounce_ms, step_ms, timeout_ms, self._stop)
                if raw:
                    self._inbox.put(raw)
                if draining:
                    return
        except CannotListen as error:
            self._inbox.put(error)
        finally:
            self._listener.close()
