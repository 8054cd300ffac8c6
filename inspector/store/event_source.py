"""Being told by the operating system that files change, through watchfiles.

`watchfiles` is imported when the first listener is made, never before. Reading a file is no
change: access events do not reach us.
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
"""What happened (ADDED, MODIFIED, DELETED) and to which path."""


class CannotListen(OSError):
    """The operating system does not let us watch any more folders."""


class StopSign(Protocol):
    """What tells a listener to stop waiting; a `threading.Event` is one."""

    def is_set(self) -> bool:
        """Whether to stop."""
        ...


class Listener(Protocol):
    """A set of folders under watch."""

    def wait(self, debounce_ms: int, step_ms: int, timeout_ms: int, stop: StopSign) -> RawEvents:
        """Waits for changes, gathers them, and returns them; empty at the time-out or stop."""
        ...

    def close(self) -> None:
        """Ends the watch; no other thread may be waiting."""
        ...


Listen = Callable[[Sequence[str], bool], Listener]
"""Watches folders, with all below them or not. FileNotFoundError, CannotListen."""


class _Watchfiles:
    """A listener of the watchfiles library."""

    def __init__(self, folders: Sequence[str], recursive: bool) -> None:
        from watchfiles._rust_notify import RustNotify, WatchfilesRustInternalError

        self._failure: type[Exception] = WatchfilesRustInternalError
        try:
            # A folder that cannot be read must not cost the others their watch.
            self._notify = RustNotify(list(folders), False, False, 300, recursive, True)
        except (OSError, WatchfilesRustInternalError) as error:
            raise CannotListen(str(error)) from error
        # Told to bear what cannot be read, the library says nothing of what is missing either.
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
    """Watches folders with watchfiles."""
    return _Watchfiles(folders, recursive)


Debounce = Callable[[bool], tuple[int, int]]
"""For a deep listener or a flat one: how long to gather changes, how often to look; ms."""


class EventSource:
    """A listener for whole trees and one for single folders, each waiting in its own thread."""

    def __init__(self, listener: Listen, pace: Debounce) -> None:
        self._listener = listener
        self._pace = pace
        self._inbox: queue.SimpleQueue[RawEvents | CannotListen | None] = queue.SimpleQueue()
        self._open: dict[bool, tuple[tuple[str, ...] | None, _ListenerThread]] = {}
        self._leaving: list[_ListenerThread] = []

    def tune(self, folders: tuple[str, ...], *, deep: bool) -> None:
        """Listens to these folders instead; nothing happens if they are the same.

        The old watch ends after the new one has begun, so nothing is missed in between. Raises
        FileNotFoundError when a folder has gone, CannotListen.
        """
        if deep in self._open and self._open[deep][0] == folders:
            return
        listener: Listener | None = None
        if folders:
            try:
                listener = self._listener(folders, deep)
            except CannotListen:
                # There may be room for one watch where there is none for two.
                self._shut(deep)
                listener = self._listener(folders, deep)
        self._leaving = [ear for ear in self._leaving if ear.is_alive()]
        if deep in self._open:
            ear = self._open.pop(deep)[1]
            ear.leave()
            self._leaving.append(ear)
        if listener is not None:
            self._open[deep] = (folders, _ListenerThread(listener, self._inbox, deep, self._pace))

    def renew(self, *, deep: bool) -> None:
        """Has the next `tune` begin a watch even for the same folders."""
        if deep in self._open:
            self._open[deep] = (None, self._open[deep][1])

    def heard(self, wait_s: float) -> RawEvents:
        """All that was announced, after waiting for the first of it. Raises CannotListen."""
        raw: RawEvents = set()
        try:
            said = self._inbox.get(timeout=wait_s)
            while True:
                if isinstance(said, CannotListen):
                    raise said
                raw |= said or set()
                said = self._inbox.get_nowait()
        except queue.Empty:
            return raw

    def wake(self) -> None:
        """Ends the waiting in `heard`, from any thread."""
        self._inbox.put(None)

    def close(self) -> None:
        """Ends all watches, within one step of their pace."""
        for ear in (*self._leaving, *(ear for _, ear in self._open.values())):
            ear.close()
        self._leaving.clear()
        self._open.clear()

    def _shut(self, deep: bool) -> None:
        if deep in self._open:
            self._open.pop(deep)[1].close()


class _ListenerThread:
    """A thread that passes on what one listener hears, and ends its watch."""

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
        self._leaves = False
        name = f"watch-{'deep' if deep else 'flat'}"
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def is_alive(self) -> bool:
        """Whether it still listens."""
        return self._thread.is_alive()

    def leave(self) -> None:
        """Has it end by itself, after it passed on what it has heard; takes up to a second."""
        self._leaves = True

    def close(self) -> None:
        """Ends it at once; what it has heard and not passed on is lost."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        try:
            while not self._stop.is_set():
                # The library forgets what it has heard when it is told to stop.
                leaves = self._leaves
                debounce_ms, step_ms = self._pace(self._deep)
                timeout_ms = step_ms if leaves else _TIMEOUT_MS
                raw = self._listener.wait(debounce_ms, step_ms, timeout_ms, self._stop)
                if raw:
                    self._inbox.put(raw)
                if leaves:
                    return
        except CannotListen as error:
            self._inbox.put(error)
        finally:
            self._listener.close()
