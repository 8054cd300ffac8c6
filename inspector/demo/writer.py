"""The process that plays live runs: `python -m inspector.demo.writer ROOT`.

It writes in short transactions without a busy timeout, as the runtimes do, and ends when the
process that started it ends. It must be another process than the reader: closing a descriptor drops
all POSIX locks that a process has on that file.
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

from inspector.demo.player import Connections, LiveRun, begin, resume
from inspector.demo.recording import Schedule, schedules
from inspector.demo.workspace import remove_marked
from inspector.model.clock import Clock, system_clock
from inspector.process.child import Lifeline

MAX_ENDED_RUNS = 24
"""Ended runs of this process that keep their folders; older folders are removed."""
RETRY_S = 0.05
"""Seconds until a write that a lock has prevented is retried."""
MAX_RETRIES = 200
"""Retries of one write before the run is abandoned."""


@dataclass(order=True, slots=True)
class Turn:
    """When (monotonic seconds) a run is written to next."""

    due: float
    order: int
    run: LiveRun = field(compare=False)
    schedule: Schedule = field(compare=False)
    retries: int = field(default=0, compare=False)


class Stage:
    """All runs that are being written, and the ended ones that are still on disk.

    With `once`, each run of each cast is begun once; else the casts repeat for ever.
    """

    def __init__(
        self,
        root: str,
        clock: Clock,
        schedules: Sequence[Schedule],
        *,
        speed: float = 1.0,
        once: bool = False,
    ) -> None:
        self._root = root
        self._clock = clock
        self._schedules = schedules
        self._speed = speed
        self._once = once
        self._turns: list[Turn] = []
        self._order = 0
        self._begun: dict[str, int] = {}
        self._connections = {
            each.runtime: Connections(keep_open=each.keep_open) for each in schedules
        }
        self._ended: deque[str] = deque()
        self.locked_out = 0
        """Writes that a lock has prevented at the first try."""

    def start(self, created: int) -> None:
        """Schedules the planted runs that continue, and begins others beside them.

        `created` is the instant (UTC ms) that the workspace was planted with.
        """
        for schedule in self._schedules:
            continued = list(resume(schedule, self._root, created))
            for playback in continued:
                run = LiveRun(playback, self._connections[schedule.runtime])
                self._schedule(run, schedule, run.pause or 0.0)
            for _ in range(schedule.side_by_side - len(continued)):
                self._begin(schedule)

    def pause(self) -> float | None:
        """Seconds until the next write; None when nothing is left to do."""
        return max(0.0, self._turns[0].due - time.monotonic()) if self._turns else None

    def step(self) -> None:
        """Writes what is due next."""
        turn = heapq.heappop(self._turns)
        run, schedule = turn.run, turn.schedule
        try:
            run.write(self._clock())
        except (sqlite3.Error, OSError):
            self.locked_out += not turn.retries
            if turn.retries < MAX_RETRIES and os.path.isdir(run.folder):
                self._push(run, schedule, RETRY_S, turn.retries + 1)
            else:
                self._begin(schedule)
            return
        pause = run.pause
        if pause is not None:
            self._schedule(run, schedule, pause)
            return
        self._retire(run)
        self._begin(schedule)

    def close(self) -> None:
        """Closes all databases."""
        for connections in self._connections.values():
            connections.close()

    def _begin(self, schedule: Schedule) -> None:
        number = self._begun.get(schedule.runtime, 0)
        if self._once and number >= len(schedule.cast):
            return
        self._begun[schedule.runtime] = number + 1
        playback = begin(schedule, self._root, number, self._clock())
        run = LiveRun(playback, self._connections[schedule.runtime])
        rest = schedule.pause_s if number >= schedule.side_by_side else 0.0
        self._schedule(run, schedule, rest + (run.pause or 0.0))

    def _schedule(self, run: LiveRun, schedule: Schedule, seconds: float) -> None:
        self._push(run, schedule, seconds / self._speed)

    def _push(self, run: LiveRun, schedule: Schedule, seconds: float, retries: int = 0) -> None:
        self._order += 1
        turn = Turn(time.monotonic() + seconds, self._order, run, schedule, retries)
        heapq.heappush(self._turns, turn)

    def _retire(self, run: LiveRun) -> None:
        if run.own_folder is None:
            return
        self._ended.append(run.own_folder)
        if len(self._ended) > MAX_ENDED_RUNS:
            shutil.rmtree(self._ended.popleft(), ignore_errors=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Plays runs below ROOT until the process that started this one ends."""
    parser = argparse.ArgumentParser(prog="python -m inspector.demo.writer")
    parser.add_argument("root")
    parser.add_argument("--created", type=int, required=True, help="UTC ms of the planted runs")
    parser.add_argument("--speed", type=float, default=1.0)
    parser.add_argument("--once", action="store_true", help="begin every run of the cast once")
    parser.add_argument("--remove", action="store_true", help="remove ROOT at the end")
    options = parser.parse_args(arguments)
    lifeline = Lifeline()
    stage = Stage(options.root, system_clock(), schedules(), speed=options.speed, once=options.once)
    with closing(stage):
        stage.start(options.created)
        while (pause := stage.pause()) is not None and os.path.isdir(options.root):
            if lifeline.wait(pause):
                break
            stage.step()
    if stage.locked_out:
        print(f"Locks delayed {stage.locked_out} writes.", file=sys.stderr)
    if options.remove and lifeline.lost:
        remove_marked(options.root)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
