"""The stores that the demonstration makes: what each must offer, and which there are.

Another runtime joins with one module that offers this and one line in `STORES`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from inspector.demo.grimoire.store import GRIMOIRE
from inspector.demo.openprose import OPENPROSE
from inspector.demo.prism.store import PRISM


class LiveRun(Protocol):
    """A run that is being written."""

    @property
    def paths(self) -> Sequence[str]:
        """Files and folders that go when the run is old and others take its place."""

    @property
    def home(self) -> str:
        """The folder without which there is no use in trying again."""

    @property
    def pause(self) -> float | None:
        """Seconds of work before the next write at ordinary speed; None when it has ended."""

    def write(self, at: int) -> None:
        """Writes what comes next, at the instant `at` (UTC ms), in one short transaction.

        Raises sqlite3.OperationalError when someone holds a lock: the same may be tried again.
        """


class DemoStore(Protocol):
    """The runs of one runtime in the demonstration."""

    @property
    def runtime(self) -> str:
        """The runtime's name."""

    @property
    def side_by_side(self) -> int:
        """How many of its runs are written at the same time."""

    def plant(self, root: str, now: int) -> None:
        """Writes the runs of the past below `root`, as seen from the instant `now` (UTC ms)."""

    def take_up(self, root: str, now: int) -> Sequence[LiveRun]:
        """The planted runs that go on, for the `now` that they were planted with."""

    def begin(self, root: str, number: int, at: int) -> LiveRun:
        """The `number`-th new run, counted from 0."""

    def close(self) -> None:
        """Lets go of what is held between two writes."""


STORES: tuple[DemoStore, ...] = (OPENPROSE, GRIMOIRE, PRISM)
"""Every runtime that the demonstration shows."""
