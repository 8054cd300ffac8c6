"""Every kind of write at every point inside a read.

An accepted answer must be what some number of transactions left, not older than the read's start,
and the next read must be the present. `python -m tests.store.interleavings` runs them all.
"""

import itertools
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from inspector.store import files, fingerprint
from inspector.store.read import ReadBudget, StoreUnavailable, ZeroTouchReader
from tests.store.ledger import Seen, survey
from tests.store.writers import Writer

Steps = list[list[Any]]

WAL_STARTS: dict[str, Steps] = {
    "fresh log": [["commit", 3]],
    "checkpointed": [["commit", 3], ["checkpoint", "PASSIVE"]],
    "half checkpointed": [["grow"], ["commit", 2], ["partial_checkpoint"]],
    "after a reset, stale tail": [["commit", 9], ["checkpoint", "RESTART"], ["commit"]],
    "no log": [["grow"], ["commit"], ["checkpoint", "TRUNCATE"]],
    "rolled-back tail": [["commit", 2], ["begin_spilled"], ["roll_back"]],
}
WAL_ACTIONS: dict[str, Steps] = {
    "commit": [["commit"]],
    "three commits": [["commit", 3]],
    "many commits": [["commit", 12]],
    "rollback of spilled pages": [["begin_spilled"], ["roll_back"]],
    "rollback, commit": [["begin_spilled"], ["roll_back"], ["commit"]],
    "passive": [["checkpoint", "PASSIVE"]],
    "partial": [["partial_checkpoint"]],
    "commit, full": [["commit"], ["checkpoint", "FULL"]],
    "restart": [["checkpoint", "RESTART"]],
    "restart, commit": [["checkpoint", "RESTART"], ["commit"]],
    "restart, commit, full": [["checkpoint", "RESTART"], ["commit"], ["checkpoint", "FULL"]],
    "two generations": [["checkpoint", "RESTART"], ["commit"]] * 2,
    "truncate": [["checkpoint", "TRUNCATE"]],
    "truncate, commit": [["checkpoint", "TRUNCATE"], ["commit"]],
    "commit, truncate": [["commit"], ["checkpoint", "TRUNCATE"]],
    "reopen": [["reopen"]],
    "reopen, commit": [["reopen"], ["commit", 2]],
    "reopen, commit, reopen": [["reopen"], ["commit"], ["reopen"]],
    "vacuum": [["sql", "VACUUM"], ["checkpoint", "PASSIVE"]],
    "grow, full": [["grow"], ["commit"], ["checkpoint", "FULL"]],
    "shrink, full": [["shrink"], ["commit"], ["checkpoint", "FULL"]],
    "shrink, full, grow": [
        ["shrink"],
        ["commit"],
        ["checkpoint", "FULL"],
        ["grow"],
        ["commit"],
    ],
    "replace": [["replace"]],
    "switch modes": [["switch_modes"]],
}
WAL_POINTS = ["base", "base-part", "base-copied", "log", "log-part", "look-b", "query"]

ROLLBACK_MODES = ["delete", "truncate", "persist", "memory", "off"]
ROLLBACK_STARTS: dict[str, Steps] = {
    "at rest": [["commit", 2]],
    "open": [["commit"], ["sql", "BEGIN IMMEDIATE", "UPDATE counter SET n = -1"]],
    "spilled": [["commit", 2], ["begin_spilled"]],
}
ROLLBACK_ACTIONS: dict[str, Steps] = {
    "commit": [["settle"], ["commit"]],
    "spill": [["settle"], ["begin_spilled"]],
    "spill, commit": [["settle"], ["begin_spilled"], ["finish"]],
    "spill, undo": [["settle"], ["begin_spilled"]],
    "finish": [["finish_if_open"]],
    "finish, spill": [["finish_if_open"], ["begin_spilled"]],
    "replace": [["settle"], ["replace"]],
    "vacuum": [["settle"], ["sql", "VACUUM"]],
    "to a log": [["settle"], ["sql", "PRAGMA journal_mode=WAL"], ["commit"]],
}
AFTERWARDS: dict[str, Steps] = {"spill, undo": [["settle"]]}
"""A write at the end of the query, visible only in the modification time."""
ROLLBACK_POINTS = ["query", "inside the query", "copy-part", "look-b"]


class Case(NamedTuple):
    """One interleaving. `warm`: the reader has read before, and a commit came after that."""

    mode: str
    start: str
    action: str
    point: str
    warm: bool


@dataclass
class Tally:
    """What came out of many cases; `wrong` and `stale` name the cases."""

    reads: int = 0
    inside: int = 0
    busy: int = 0
    wrong: list[tuple[Case, Seen]] = field(default_factory=list)
    stale: list[tuple[Case, Seen]] = field(default_factory=list)
    errors: list[tuple[Case, str]] = field(default_factory=list)

    @property
    def bad(self) -> int:
        return len(self.wrong) + len(self.stale) + len(self.errors)


def wal_cases() -> list[Case]:
    product = itertools.product(WAL_STARTS, WAL_ACTIONS, WAL_POINTS, (False, True))
    return [Case("wal", *case) for case in product]


def rollback_cases() -> list[Case]:
    product = itertools.product(
        ROLLBACK_MODES, ROLLBACK_STARTS, ROLLBACK_ACTIONS, ROLLBACK_POINTS, (False, True)
    )
    return [Case(*case) for case in product]


class Trap:
    """Runs each action once, when the reader comes to its point."""

    def __init__(self, actions: dict[str, Callable[[], None]] | None = None) -> None:
        self._actions = dict(actions or {})
        self.sprung = False

    def reached(self, point: str) -> None:
        if action := self._actions.pop(point, None):
            self.sprung = True
            action()


Reader = type[ZeroTouchReader]
BUDGET = ReadBudget(total_ms=25, journal_waits=2)
IN_PLACE = replace(BUDGET, reread_small_bytes=0)
"""Waits until a file is old enough to be read in place."""


def run(cases: Iterable[Case], reader: Reader, folder: Path, budget: ReadBudget = BUDGET) -> Tally:
    """Plays the cases with a kind of reader."""
    tally = Tally()
    path = folder / "ledger.db"
    with Writer(path) as writer:
        for case in cases:
            _play(case, reader(str(path), budget=budget), writer, tally)
    return tally


def _play(case: Case, reader: ZeroTouchReader, writer: Writer, tally: Tally) -> None:
    starts = WAL_STARTS if case.mode == "wal" else ROLLBACK_STARTS
    actions = WAL_ACTIONS if case.mode == "wal" else ROLLBACK_ACTIONS
    writer.do("fresh", case.mode)
    trap = Trap()
    reader.trace = lambda step: trap.reached(step)
    with reader, _Parts(lambda point: trap.reached(point)):
        if case.warm:
            writer.do("commit", 2)
            reader.read(survey)
        writer.do("steps", *starts[case.start])
        before = writer.do("committed")
        planned = {case.point: lambda: writer.do("steps", *actions[case.action])}
        if afterwards := AFTERWARDS.get(case.action):
            planned["end of the query"] = lambda: writer.do("steps", *afterwards)
        trap = Trap(planned)

        def query(connection: sqlite3.Connection) -> Seen:
            connection.execute("SELECT sum(n) FROM band").fetchone()
            trap.reached("inside the query")
            seen = survey(connection)
            trap.reached("end of the query")
            return seen

        _judge(case, reader, query, before, tally)
        tally.inside += trap.sprung
        trap = Trap()
        _judge(case, reader, survey, writer.do("committed"), tally, present=True)


def _judge(
    case: Case,
    reader: ZeroTouchReader,
    query: Callable[[sqlite3.Connection], Seen],
    committed: int,
    tally: Tally,
    present: bool = False,
) -> None:
    try:
        seen = reader.read(query).value
    except StoreUnavailable as error:
        if error.health == "busy":
            tally.busy += 1
        else:
            tally.errors.append((case, error.reason))
        return
    except sqlite3.Error as error:
        tally.errors.append((case, str(error)))
        return
    tally.reads += 1
    if not seen.whole:
        tally.wrong.append((case, seen))
    elif seen.n < committed or (present and seen.n != committed):
        tally.stale.append((case, seen))


class _Parts:
    """Has the reader copy and read in small parts, so that something can happen between them."""

    def __init__(self, reached: Callable[[str], None]) -> None:
        self._reached = reached
        self._read_at, self._copy_out, self._chunk = files.read_at, files.copy_out, files.CHUNK

    def __enter__(self) -> None:
        files.read_at, files.copy_out, files.CHUNK = self._in_two, self._in_parts, 40_000 + 777

    def __exit__(self, *_: object) -> None:
        files.read_at, files.copy_out, files.CHUNK = self._read_at, self._copy_out, self._chunk

    def _in_two(self, fd: int, size: int, offset: int) -> bytes:
        # The first read of whole frames: what comes after may be of another moment.
        first = 24 + 1000
        if size <= first:
            return self._read_at(fd, size, offset)
        start = self._read_at(fd, first, offset)
        self._reached("log-part")
        return start + self._read_at(fd, size - len(start), offset + len(start))

    def _in_parts(
        self, source: int, target: str, *, between: Callable[[], None] = lambda: None
    ) -> int:
        def both() -> None:
            self._reached("copy-part")
            between()

        return self._copy_out(source, target, between=both)


def _report(name: str, tally: Tally) -> None:
    print(
        f"{name}: {tally.reads} reads, {tally.inside} actions inside, {len(tally.wrong)} wrong, "
        f"{len(tally.stale)} stale, {len(tally.errors)} errors, {tally.busy} busy"
    )
    for case, what in (*tally.wrong[:5], *tally.stale[:5], *tally.errors[:5]):
        print("   ", *case, what)


def _folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp())
    yield folder
    shutil.rmtree(folder)


def main() -> None:
    for place in _folder():
        _report("log", run(wal_cases(), ZeroTouchReader, place))
        _report("journal", run(rollback_cases(), ZeroTouchReader, place))
        fingerprint.every_write_shows = lambda dev: False
        _report("journal, read twice", run(rollback_cases(), ZeroTouchReader, place))
        _report("journal, waiting", run(rollback_cases(), ZeroTouchReader, place, IN_PLACE))


if __name__ == "__main__":
    main()
