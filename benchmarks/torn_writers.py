"""The writers of the torn-read benchmark: other processes that commit as fast as they can.

Every transaction of writer w keeps, over three tables and an index: all parts of w carry the number
of the transaction, `total` counts the entries of w, and the newest entry is the transaction's.
`python -m benchmarks.torn_writers SCENARIO ROLE PATH BOARD NUMBER` is one of these processes.
"""

import mmap
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import NoReturn, Self

ROOT = Path(__file__).resolve().parents[1]
WRITERS = 2
PARTS = 25


@dataclass(frozen=True, slots=True)
class Scenario:
    """How the database is written. `pause_s` lies between two transactions."""

    mode: str = "wal"
    autocheckpoint: int = 1000
    writers: int = 1
    page_size: int = 4096
    auto_vacuum: str = "none"
    helper: str = ""
    """Another process: checkpointer, long_reader or keeper."""
    habit: str = ""
    """reopen, cli, killed, vacuum, incremental or switch."""
    pragma: str = ""
    filler: int = 0
    pause_s: float = 0.0


SCENARIOS: dict[str, Scenario] = {
    "delete": Scenario("delete", pause_s=0.003),
    "truncate": Scenario("truncate", pause_s=0.003),
    "persist": Scenario("persist", pause_s=0.003),
    "memory": Scenario("memory", pause_s=0.003),
    "off": Scenario("off", pause_s=0.003),
    "wal": Scenario(),
    "wal often checkpointed": Scenario(autocheckpoint=10),
    "wal checkpointer": Scenario(helper="checkpointer"),
    "wal checkpointer alone": Scenario(autocheckpoint=0, helper="checkpointer"),
    "wal command line": Scenario(habit="cli"),
    "wal reopened": Scenario(habit="reopen"),
    "wal two writers": Scenario(autocheckpoint=100, writers=2, helper="checkpointer"),
    "wal killed": Scenario(autocheckpoint=50, habit="killed"),
    "wal killed, index kept": Scenario(
        autocheckpoint=50, writers=2, habit="killed", helper="keeper"
    ),
    "wal vacuumed": Scenario(autocheckpoint=200, habit="vacuum"),
    "wal vacuumed bit by bit": Scenario(
        autocheckpoint=100, auto_vacuum="incremental", habit="incremental"
    ),
    "wal pages of 512": Scenario(autocheckpoint=400, page_size=512),
    "wal pages of 65536": Scenario(autocheckpoint=50, page_size=65536),
    "wal mapped": Scenario(autocheckpoint=300, pragma="mmap_size=268435456"),
    "wal exclusive": Scenario(autocheckpoint=100, pragma="locking_mode=exclusive"),
    "wal on and off": Scenario(autocheckpoint=30, habit="switch"),
    "wal long reader": Scenario(autocheckpoint=100, helper="long_reader"),
    "wal large": Scenario(filler=8000),
}


class Board:
    """Numbers that processes share: which transaction a writer has started, which is done."""

    def __init__(self, path: Path | str) -> None:
        if not os.path.exists(path):
            Path(path).write_bytes(bytes(mmap.PAGESIZE))
        with open(path, "r+b") as file:
            self._numbers = memoryview(mmap.mmap(file.fileno(), mmap.PAGESIZE)).cast("q")

    def started(self, writer: int) -> int:
        return self._numbers[writer]

    def done(self, writer: int) -> int:
        return self._numbers[writer + 16]

    def start(self, writer: int, number: int) -> None:
        self._numbers[writer] = number

    def finish(self, writer: int, number: int) -> None:
        self._numbers[writer + 16] = number


class Crowd:
    """All processes of a scenario; ended when left."""

    def __init__(self, name: str, path: Path, board: Path) -> None:
        scenario = SCENARIOS[name]
        role = "killer" if scenario.habit == "killed" else "writer"
        roles = [(role, number) for number in range(scenario.writers)]
        if scenario.helper:
            roles.append((scenario.helper, 0))
        self._processes = [
            _start(name, role, path, board, number, leads=True) for role, number in roles
        ]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for process in self._processes:
            # With all that it has started itself.
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def create(path: Path, scenario: Scenario) -> None:
    """The database before the first transaction."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(f"PRAGMA page_size={scenario.page_size}")
    connection.execute(f"PRAGMA auto_vacuum={scenario.auto_vacuum}")
    connection.execute(f"PRAGMA journal_mode={scenario.mode}")
    connection.execute("BEGIN")
    connection.execute("CREATE TABLE part(id INTEGER PRIMARY KEY, writer, n, pad)")
    connection.execute("CREATE TABLE total(writer INTEGER PRIMARY KEY, n, entries)")
    connection.execute("CREATE TABLE entry(id INTEGER PRIMARY KEY, writer, n, pad)")
    connection.execute("CREATE INDEX entry_n ON entry(writer, n)")
    connection.execute("CREATE TABLE filler(pad)")
    for writer in range(WRITERS):
        connection.executemany(
            "INSERT INTO part(writer, n, pad) VALUES(?, 0, ?)", [(writer, "p" * 1500)] * PARTS
        )
        connection.execute("INSERT INTO total VALUES(?, 0, 0)", (writer,))
    connection.executemany("INSERT INTO filler VALUES(?)", [("f" * 4000,)] * scenario.filler)
    connection.execute("COMMIT")
    connection.close()


def changes(writer: int, n: int) -> list[str]:
    """The statements of one transaction."""
    return [
        f"UPDATE part SET n = {n} WHERE writer = {writer}",
        f"INSERT INTO entry(writer, n, pad) VALUES({writer}, {n}, '{'z' * (n * 37 % 2500)}')",
        f"DELETE FROM entry WHERE writer = {writer} AND n < {n} - 60",
        f"UPDATE total SET n = {n}, entries = (SELECT count(*) FROM entry WHERE writer = {writer})"
        f" WHERE writer = {writer}",
    ]


class Author:
    """One writer, inside its process."""

    def __init__(self, scenario: Scenario, path: str, board: Board, number: int) -> None:
        self._scenario = scenario
        self._path = path
        self._board = board
        self._number = number
        self._chance = random.Random(os.getpid())
        self._connection = self._open()

    def write(self) -> None:
        """Commits until it is killed."""
        n = self._last()
        self._board.finish(self._number, n)
        while True:
            self._board.start(self._number, n + 1)
            if self._transact(n + 1):
                n += 1
                self._board.finish(self._number, n)
                with suppress(sqlite3.OperationalError):
                    self._habit(n)
            if self._scenario.pause_s:
                time.sleep(self._scenario.pause_s)

    def _last(self) -> int:
        statement = "SELECT n FROM total WHERE writer = ?"
        return int(self._connection.execute(statement, (self._number,)).fetchone()[0])

    def _open(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, isolation_level=None, timeout=10)
        if self._scenario.pragma:
            connection.execute(f"PRAGMA {self._scenario.pragma}").fetchall()
        connection.execute(f"PRAGMA journal_mode={self._scenario.mode}")
        connection.execute("PRAGMA synchronous=OFF")
        connection.execute("PRAGMA cache_size=12")
        connection.execute(f"PRAGMA wal_autocheckpoint={self._scenario.autocheckpoint}")
        return connection

    def _transact(self, n: int) -> bool:
        if self._scenario.habit == "cli":
            return self._by_command_line(n)
        try:
            if self._scenario.habit == "reopen":
                self._connection.close()
                self._connection = self._open()
            if self._scenario.mode != "off" and self._chance.random() < 0.15:
                self._change_one_s_mind()
            self._run("BEGIN IMMEDIATE")
            if self._chance.random() < 0.1:
                # Written to the log more than once within one transaction.
                self._run(f"UPDATE part SET n = -7 WHERE writer = {self._number}")
                self._run(f"UPDATE part SET n = -8 WHERE writer = {self._number}")
            self._run(*changes(self._number, n), "COMMIT")
        except sqlite3.OperationalError:
            with suppress(sqlite3.OperationalError):
                self._run("ROLLBACK")
            return False
        return True

    def _change_one_s_mind(self) -> None:
        self._run(
            "BEGIN IMMEDIATE",
            "UPDATE part SET n = -1, pad = pad || ''",
            f"INSERT INTO entry(writer, n, pad) VALUES({self._number}, -1, '{'q' * 30000}')",
            "UPDATE part SET n = -2",
            "UPDATE total SET n = -5",
            "ROLLBACK",
        )

    def _by_command_line(self, n: int) -> bool:
        self._connection.close()
        script = ["PRAGMA busy_timeout=5000", "BEGIN IMMEDIATE", *changes(self._number, n)]
        done = subprocess.run(
            ["sqlite3", self._path],
            input=";".join([*script, "COMMIT;"]).encode(),
            capture_output=True,
            check=False,
        )
        return done.returncode == 0

    def _habit(self, n: int) -> None:
        habit = self._scenario.habit
        if habit == "vacuum" and n % 40 == 0:
            self._run("DELETE FROM filler", "VACUUM")
            self._run("INSERT INTO filler SELECT hex(randomblob(1500)) FROM part")
        elif habit == "incremental" and n % 10 == 0:
            self._run("DELETE FROM filler", "PRAGMA incremental_vacuum")
            self._run("INSERT INTO filler SELECT hex(randomblob(1500)) FROM part")
        elif habit == "switch" and n % 25 == 0:
            self._run("PRAGMA journal_mode=DELETE", "BEGIN IMMEDIATE", "ROLLBACK")
            self._run("PRAGMA journal_mode=WAL")

    def _run(self, *statements: str) -> None:
        for statement in statements:
            self._connection.execute(statement).fetchall()


def _checkpointer(path: str) -> NoReturn:
    chance = random.Random(os.getpid())
    connection = sqlite3.connect(path, isolation_level=None, timeout=0.05)
    while True:
        kind = chance.choice(["PASSIVE"] * 5 + ["FULL", "RESTART", "TRUNCATE"])
        with suppress(sqlite3.OperationalError):
            connection.execute(f"PRAGMA wal_checkpoint({kind})").fetchall()
        time.sleep(chance.expovariate(150))


def _long_reader(path: str) -> NoReturn:
    chance = random.Random(os.getpid())
    connection = sqlite3.connect(path, isolation_level=None, timeout=1)
    while True:
        with suppress(sqlite3.OperationalError):
            connection.execute("BEGIN")
            connection.execute("SELECT count(*) FROM part").fetchall()
            time.sleep(chance.uniform(0.01, 0.3))
            connection.execute("COMMIT")


def _keeper(path: str) -> NoReturn:
    connection = sqlite3.connect(path)
    connection.execute("SELECT count(*) FROM part").fetchall()
    while True:
        time.sleep(1)


def _killer(name: str, path: str, board: str, number: int) -> NoReturn:
    chance = random.Random(os.getpid())
    while True:
        before = Board(board).started(number)
        writer = _start(name, "writer", Path(path), Path(board), number)
        while Board(board).started(number) == before and writer.poll() is None:
            time.sleep(0.005)
        time.sleep(chance.choice((0.02, 0.05, 0.1, 0.2)) * chance.random())
        writer.kill()
        writer.wait()


def _start(
    name: str, role: str, path: Path, board: Path, number: int, leads: bool = False
) -> "subprocess.Popen[bytes]":
    """Starts a process; `leads`: of a group of its own."""
    command = [sys.executable, "-m", "benchmarks.torn_writers", name, role, path, board]
    return subprocess.Popen([*map(str, command), str(number)], cwd=ROOT, start_new_session=leads)


def main(name: str, role: str, path: str, board: str, number: str) -> None:
    if role == "writer":
        Author(SCENARIOS[name], path, Board(board), int(number)).write()
    roles: dict[str, Callable[[], NoReturn]] = {
        "checkpointer": lambda: _checkpointer(path),
        "long_reader": lambda: _long_reader(path),
        "keeper": lambda: _keeper(path),
        "killer": lambda: _killer(name, path, board, int(number)),
    }
    roles[role]()


if __name__ == "__main__":
    main(*sys.argv[1:])
