"""The child's end of its tie to the process that started it."""

from __future__ import annotations

import os
import select
import threading

LOOK_EVERY = 0.5
"""Seconds between two looks at who our parent is."""


class Lifeline:
    """Tells when the process that started us is gone or has closed our standard input.

    The pipe says it at once. Another process may hold a copy of its other end, though (a fork of
    our parent), so who our parent is is looked at as well.
    """

    def __init__(self, descriptor: int = 0) -> None:
        self._descriptor = descriptor
        self._parent = os.getppid()
        self._lost = threading.Event()
        threading.Thread(target=self._watch, name="lifeline", daemon=True).start()

    @property
    def lost(self) -> bool:
        """Whether it is time to end."""
        return self._lost.is_set()

    def rest(self, seconds: float) -> bool:
        """Waits so long, less when it is time to end; gives whether it is."""
        return self._lost.wait(max(0.0, seconds))

    def _watch(self) -> None:
        while os.getppid() == self._parent:
            try:
                readable, _, _ = select.select([self._descriptor], [], [], LOOK_EVERY)
                if readable and not os.read(self._descriptor, 4096):
                    break
            except (OSError, ValueError):
                break
        self._lost.set()
