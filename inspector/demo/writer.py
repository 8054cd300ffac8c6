"""The process that plays live runs: `python -m inspector.demo.writer ROOT`.

It writes as the runtimes do, in short transactions without a busy timeout, and ends when the
process that started it ends.
"""

from __future__ import annotations

import argparse
import heapq
import os
import shutil
import sqlite3
import sys
import time
from collections import deque
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field

from inspector.demo.stores import STORES, DemoStore, LiveRun
from inspector.demo.workspace import remove_marked
from inspector.model.clock import Clock, system_clock
from inspector.process.child import Lifeline

KEPT = 24
"""Runs that this process began and that have ended; older ones are removed."""
AGAIN = 0.05
"""Seconds until a write is tried again that a lock has kept from happening."""
TRIES = 200
"""Tries of one write before the run is given up."""
ONCE = 10
"""Runs of each runtime that are begun by a writer that ends by itself: all of the cast."""
BETWEEN = 4.0
"""Seconds from the end of a run to the next one, at ordinary speed."""


@dataclass(order=True, slots=True)
class Turn:
    """When (monotonic seconds) a run is written to next."""

    due: float
    order: int
    run: LiveRun = field(compare=False)
    store: DemoStore = field(compare=False)
    tries: int = field(default=0, compare=False)


class Stage:
    """All runs that are being written, and the old ones that are still to be seen."""

    def __init__(
        self,
        root: str,
        clock: Clock,
        *,
        speed: float = 1.0,
        most: int | None = None,
        stores: Sequence[DemoStore] = STORES,
    ) -> None:
        self._root = root
        self._stores = stores
        self._clock = clock
        self._speed = speed
        self._most = most
        self._turns: list[Turn] = []
        self._turn = 0
        self._begun: dict[str, int] = {}
        self._old: deque[Sequence[str]] = deque()
        self.refused = 0
        """Writes that a lock has kept from happening at the first try."""

    def set_up(self, created: int) -> None:
        """Takes up the planted runs that go on, and begins others beside them."""
        for store in self._stores:
            runs = [*store.take_up(self._root, created)]
            for run in runs:
                self._schedule(run, store, self._seconds(run.pause))
            for _ in range(store.side_by_side - len(runs)):
                self._begin(store)

    def pause(self) -> float | None:
        """Seconds until the next write; None when nothing is left to do."""
        return max(0.0, self._turns[0].due - time.monotonic()) if self._turns else None

    def step(self) -> None:
        """Writes what is due next."""
        turn = heapq.heappop(self._turns)
        run, store = turn.run, turn.store
        try:
            run.write(self._clock())
        except (sqlite3.Error, OSError):
            self.refused += not turn.tries
            if turn.tries < TRIES and os.path.isdir(run.home):
                self._schedule(run, store, AGAIN, turn.tries + 1)
            else:
                self._begin(store)
            return
        pause = run.pause
        if pause is not None:
            self._schedule(run, store, self._seconds(pause))
            return
        self._retire(run)
        self._begin(store)

    def close(self) -> None:
        """Lets go of everything."""
        for store in self._stores:
            store.close()

    def _begin(self, store: DemoStore) -> None:
        number = self._begun.get(store.runtime, 0)
        if self._most is not None and number >= self._most:
            return
        self._begun[store.runtime] = number + 1
        run = store.begin(self._root, number, self._clock())
        rest = BETWEEN if number >= store.side_by_side else 0.0
        self._schedule(run, store, self._seconds(rest + (run.pause or 0.0)))

    def _schedule(self, run: LiveRun, store: DemoStore, seconds: float, tries: int = 0) -> None:
        self._turn += 1
        turn = Turn(time.monotonic() + seconds, self._turn, run, store, tries)
        heapq.heappush(self._turns, turn)

    def _seconds(self, pause: float | None) -> float:
        return (pause or 0.0) / self._speed

    def _retire(self, run: LiveRun) -> None:
        self._old.append(run.paths)
        if len(self._old) > KEPT:
            for path in self._old.popleft():
                shutil.rmtree(path, ignore_errors=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Plays runs below ROOT until the process that started this one ends."""
    parser = argparse.ArgumentParser(prog="python -m inspector.demo.writer")
    parser.add_argument("root")
    parser.add_argument("--created", type=int, required=True, help="UTC ms of the planted runs")
    parser.add_argument("--speed", type=float, default=1.0)
    parser.add_argument(
        "--once", action="store_true", help=f"begin {ONCE} runs of each runtime, then end"
    )
    parser.add_argument("--remove", action="store_true", help="remove ROOT at the end")
    options = parser.parse_args(arguments)
    lifeline = Lifeline()
    stage = Stage(
        options.root,
        system_clock(),
        speed=options.speed,
        most=ONCE if options.once else None,
    )
    with closing(stage):
        stage.set_up(options.created)
        while (pause := stage.pause()) is not None and os.path.isdir(options.root):
            if lifeline.rest(pause):
                break
            stage.step()
    if stage.refused:
        print(f"A lock kept {stage.refused} writes from happening at once.", file=sys.stderr)
    if options.remove and lifeline.lost:
        remove_marked(options.root)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
