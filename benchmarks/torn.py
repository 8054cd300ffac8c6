"""Torn, uncommitted, old or missed answers of the zero-touch reader under writers at full rate.

`python -m benchmarks.torn` plays every scenario for some seconds; `--short` plays the most telling
ones in about 15 s. Exits with 1 if a single answer was wrong. `--naive` reads the live file as it
stands, to show that wrong answers are noticed; `--tick` rounds modification times.
"""

import argparse
import os
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from benchmarks.torn_writers import PARTS, SCENARIOS, WRITERS, Board, Crowd, create
from inspector.store import connections, fingerprint, read
from inspector.store.read import StoreUnavailable, ZeroTouchReader

SHORT = (
    "delete",
    "truncate",
    "persist",
    "memory",
    "off",
    "wal often checkpointed",
    "wal checkpointer",
    "wal reopened",
    "wal killed",
)
SHORT_S = 1.2
LONG_S = 6.0
READ_ANYWAY = 50


class Seen(NamedTuple):
    """What one answer holds: the last transaction of each writer, and whether all of it fits."""

    numbers: tuple[int, ...]
    whole: bool


@dataclass(slots=True)
class Tally:
    """What came out of one scenario. `missed`: unchanged, it said, after a commit was done."""

    accepted: int = 0
    torn: int = 0
    stale: int = 0
    early: int = 0
    backward: int = 0
    unchanged: int = 0
    missed: int = 0
    errors: int = 0
    busy: int = 0
    commits: int = 0
    read_us: float = 0

    @property
    def wrong(self) -> int:
        return self.torn + self.stale + self.early + self.missed + self.errors


class Survey:
    """The query; every thirteenth time it checks the whole file."""

    def __init__(self) -> None:
        self._times = 0

    def __call__(self, connection: sqlite3.Connection) -> Seen:
        self._times += 1
        whole = True
        numbers = []
        for writer in range(WRITERS):
            n, entries = connection.execute(
                "SELECT n, entries FROM total WHERE writer = ?", (writer,)
            ).fetchone()
            parts = connection.execute(
                "SELECT min(n), max(n), count(*) FROM part WHERE writer = ?", (writer,)
            ).fetchone()
            by_index = connection.execute(
                "SELECT count(*), coalesce(max(n), 0) FROM entry WHERE writer = ?", (writer,)
            ).fetchone()
            by_table = connection.execute(
                "SELECT count(*) FROM entry NOT INDEXED WHERE writer = ?", (writer,)
            ).fetchone()
            whole &= parts == (n, n, PARTS) and by_index == (entries, n) and by_table == (entries,)
            numbers.append(n)
        if self._times % 13 == 0:
            whole &= connection.execute("PRAGMA integrity_check(1)").fetchone() == ("ok",)
        return Seen(tuple(numbers), whole)


class Naive:
    """The tempting way: an immutable connection to the live file, and no look at all."""

    def __init__(self, path: str) -> None:
        self._path = path

    def see(self, survey: Survey) -> Seen:
        with connections.reading(self._path) as connection:
            return survey(connection)

    def changed(self) -> bool:
        return True

    def close(self) -> None:
        return


class Careful:
    """The reader under test."""

    def __init__(self, path: str) -> None:
        self._reader = ZeroTouchReader(path)
        self.changed = self._reader.changed
        self.close = self._reader.close

    def see(self, survey: Survey) -> Seen:
        return self._reader.read(survey).value


Subject = Careful | Naive


def play(name: str, seconds: float, subject: Callable[[str], Subject], folder: Path) -> Tally:
    """Reads for some seconds while the writers of a scenario write."""
    path, board_path = folder / f"{name}.db", folder / f"{name}.board"
    create(path, SCENARIOS[name])
    board = Board(board_path)
    tally = Tally()
    reader = subject(str(path))
    with Crowd(name, path, board_path):
        while board.done(0) < 3:
            time.sleep(0.01)
        first = [board.done(writer) for writer in range(WRITERS)]
        _read_until(time.monotonic() + seconds, reader, board, tally)
        tally.commits = sum(board.done(writer) - first[writer] for writer in range(WRITERS))
    reader.close()
    return tally


def _read_until(end: float, reader: Subject, board: Board, tally: Tally) -> None:
    survey = Survey()
    last: tuple[int, ...] = ()
    spent = 0.0
    while (started := time.monotonic()) < end:
        done = tuple(board.done(writer) for writer in range(WRITERS))
        if last and not reader.changed():
            tally.unchanged += 1
            tally.missed += any(n < d for n, d in zip(last, done, strict=True))
            if tally.unchanged % READ_ANYWAY:
                continue
        try:
            seen = reader.see(survey)
        except StoreUnavailable as error:
            tally.busy += error.health == "busy"
            tally.errors += error.health != "busy"
            continue
        except sqlite3.Error:
            tally.errors += 1
            continue
        spent += time.monotonic() - started
        latest = tuple(board.started(writer) for writer in range(WRITERS))
        tally.accepted += 1
        tally.torn += not seen.whole
        tally.stale += any(n < d for n, d in zip(seen.numbers, done, strict=True))
        tally.early += any(n > s for n, s in zip(seen.numbers, latest, strict=True))
        tally.backward += bool(last) and any(map(int.__lt__, seen.numbers, last))
        last = seen.numbers
    tally.read_us = spent * 1e6 / max(1, tally.accepted)


def round_times(tick_ms: int) -> None:
    """Has files stamped as by a clock that ticks so rarely."""
    fine = fingerprint.mark_from
    tick = tick_ms * 1_000_000

    def coarse(status: os.stat_result) -> fingerprint.Mark:
        mark = fine(status)
        return mark._replace(mtime_ns=mark.mtime_ns - mark.mtime_ns % tick)

    fingerprint.every_write_shows = lambda dev: False
    fingerprint.mark_from = coarse
    read.mark_from = coarse  # type: ignore[attr-defined]


COLUMNS = ("accepted", "torn", "stale", "early", "backward", "missed", "unchanged", "errors")
MORE_COLUMNS = ("busy", "commits", "read_us")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.torn", description=__doc__)
    parser.add_argument("scenario", nargs="*", help=f"of: {', '.join(SCENARIOS)}")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--naive", action="store_true")
    parser.add_argument("--tick", type=int, default=0, metavar="MS")
    parser.add_argument("--folder", help="where the databases are written")
    options = parser.parse_args(arguments)
    names = options.scenario or (SHORT if options.short else tuple(SCENARIOS))
    seconds = options.seconds or (SHORT_S if options.short else LONG_S)
    if options.tick:
        round_times(options.tick)
    wrong = 0
    print(f"{'scenario':<26}", *(f"{name:>9}" for name in COLUMNS + MORE_COLUMNS))
    for name in names:
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            tally = play(name, seconds, Naive if options.naive else Careful, Path(folder))
        row = [getattr(tally, column) for column in COLUMNS + MORE_COLUMNS]
        print(f"{name:<26}", *(f"{value:>9.0f}" for value in row), flush=True)
        wrong += tally.wrong
        # A commit that was lost with its writer was seen once; else nothing goes back.
        wrong += 0 if SCENARIOS[name].helper == "keeper" else tally.backward
    print(f"wrong answers: {wrong}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
