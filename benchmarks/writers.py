"""Those who write: always other processes, without a busy timeout, as the runtimes do.

As a program (`python -m benchmarks.writers ROLE …`) it is one of these processes.
"""

import argparse
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from benchmarks.place import ROOT
from inspector.demo.recording import Statement, library

PATIENCE_S = 10.0

_BY_PYTHON = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None)
try:
    connection.execute(sys.argv[2])
except sqlite3.Error as error:
    sys.exit(f"Error: {error}")
"""


def text_of(number: int) -> str:
    """The statement of a row, like no other on a screen."""
    return f"w{number:06d}"


def row_sql(number: int) -> str:
    """One finished statement, as a VM appends it."""
    return (
        "INSERT INTO execution (statement_index, statement_text, status, metadata)"
        f" VALUES ({number}, '{text_of(number)}', 'completed', '{{}}')"
    )


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one call ended; `trouble` is empty when the row was committed."""

    trouble: str
    seconds: float


class OneRowPerCall:
    """The `sqlite3` command, started anew for every row; Python in its place where it is missing.

    This process never opens the database.
    """

    def __init__(self, *, prefer_python: bool = False) -> None:
        self._command = None if prefer_python else shutil.which("sqlite3")
        if self._command is None:
            self.name = f"Python's sqlite3 {sqlite3.sqlite_version} in a process per row"
        else:
            told = subprocess.run(
                [self._command, "--version"], capture_output=True, text=True, check=True
            )
            self.name = f"sqlite3 CLI {told.stdout.split()[0]}"

    def run(self, database: Path, sql: str) -> Outcome:
        """Executes one statement with busy timeout 0."""
        if self._command is None:
            command = [sys.executable, "-I", "-S", "-c", _BY_PYTHON, str(database), sql]
        else:
            command = [self._command, "-batch", "-bail", "-cmd", ".timeout 0", str(database), sql]
        began = time.monotonic()
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        trouble = done.stderr.strip() or (f"exit {done.returncode}" if done.returncode else "")
        return Outcome(trouble, time.monotonic() - began)


def make_run(folder: Path, journal: str, rows: int, status: str = "running") -> Path:
    """A run folder with a database at rest; gives the database."""
    folder.mkdir(parents=True)
    _role("make", folder / "state.db", journal, rows, status)
    return folder / "state.db"


def kill_in_transaction(database: Path, *, spilled: bool = True) -> None:
    """Has a process change and add rows, and kills it before it commits."""
    process = _start("die", database, "spill" if spilled else "hold")
    assert process.stdout is not None
    process.stdout.readline()
    process.kill()
    process.wait(PATIENCE_S)
    process.stdout.close()


@contextmanager
def exclusive(database: Path, *rows: int) -> Iterator[None]:
    """A process that commits rows and at once holds `BEGIN EXCLUSIVE`, until the end of the block.

    Nobody can read the rows before the block ends.
    """
    process = _start("hold", database, *rows)
    assert process.stdin is not None and process.stdout is not None
    try:
        if process.stdout.readline().strip() != "held":
            raise RuntimeError("the lock could not be had")
        yield
    finally:
        process.stdin.close()
        process.wait(PATIENCE_S)
        process.stdout.close()


class Meddler:
    """A process that reads every database below a folder as readers usually do: `mode=ro`."""

    def __init__(self, folder: Path) -> None:
        self._process = _start("meddle", folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.communicate()


def texts_of(database: Path, scratch: Path) -> list[str]:
    """The committed statements in order, asked of a copy by another process."""
    copy = scratch / "copy.db"
    for suffix in ("", "-wal", "-journal"):
        if Path(f"{database}{suffix}").exists():
            shutil.copy(f"{database}{suffix}", f"{copy}{suffix}")
    process = _start("texts", copy)
    told, _ = process.communicate(timeout=60)
    return told.split()


class Stamping:
    """A process that commits rows at some pace, and notes the instant after each commit."""

    def __init__(
        self, database: Path, first: int, count: int, pause_ms: tuple[int, int], *, keep: bool
    ) -> None:
        self.numbers = range(first, first + count)
        self._process = _start("stamp", database, first, count, *pause_ms, int(keep))
        self.longest_s = count * (pause_ms[1] / 1000 + 0.2) + PATIENCE_S

    def committed(self) -> dict[int, int]:
        """Row → `time.monotonic_ns()` right after its commit. Waits for the end."""
        told, _ = self._process.communicate(timeout=self.longest_s)
        if self._process.returncode:
            raise RuntimeError("a write failed; see above")
        pairs = (line.split() for line in told.splitlines())
        return {int(number): int(instant) for number, instant in pairs}

    def stop(self) -> None:
        """Ends the process if it still runs."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.communicate()


def _start(role: str, *arguments: object) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "benchmarks.writers", role, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )


def _role(role: str, *arguments: object) -> None:
    process = _start(role, *arguments)
    process.communicate(timeout=60)
    if process.returncode:
        raise RuntimeError(f"the process that should {role} failed; see above")


# What runs inside the processes.


def _open(database: str) -> sqlite3.Connection:
    return sqlite3.connect(database, isolation_level=None, timeout=0)


def _make(database: str, journal: str, rows: str, status: str) -> None:
    connection = _open(database)
    connection.execute(f"PRAGMA journal_mode={journal}")
    connection.execute("BEGIN")
    # A run whose `bindings` have a unique index.
    for change in library("openprose")["ticket-triage"].commits[0].changes:
        if isinstance(change, Statement) and change.sql.startswith("CREATE "):
            connection.execute(change.sql)
    name = Path(database).parent.name
    began = datetime.strptime(name[:15], "%Y%m%d-%H%M%S").isoformat(" ")
    connection.execute(
        "INSERT INTO run (id, root_path, root_source, started_at, updated_at, status)"
        " VALUES (?, ?, '', ?, ?, ?)",
        (name, f"{name[16:]}.prose.md", began, began, status),
    )
    for number in range(1, int(rows) + 1):
        connection.execute(row_sql(number))
    connection.execute("COMMIT")
    connection.close()


def _die(database: str, how: str) -> None:
    connection = _open(database)
    connection.execute("PRAGMA cache_size=5")
    connection.execute("PRAGMA wal_autocheckpoint=0")
    if connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
        # What is committed and only in the log.
        connection.execute(row_sql(900_001))
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("UPDATE execution SET statement_text = 'uncommitted', status = 'failed'")
    if how == "spill":
        filler = "INSERT INTO execution (statement_text, status) VALUES ('uncommitted' || ?, ?)"
        connection.executemany(filler, [("." * 3000, "failed")] * 60)
    print("dying", flush=True)
    signal.pause()


def _meddle(folder: str) -> None:
    databases = sorted(Path(folder).rglob("*.db"))
    while True:
        for path in databases:
            with suppress(sqlite3.Error):
                connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=0)
                connection.execute("BEGIN")
                connection.execute("SELECT sum(length(statement_text)) FROM execution").fetchall()
                time.sleep(0.005)
                connection.close()


def _texts(database: str) -> None:
    connection = _open(database)
    (verdict,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if verdict != "ok":
        raise RuntimeError(verdict)
    for (text,) in connection.execute("SELECT statement_text FROM execution ORDER BY id"):
        print(text)


def _hold(database: str, *rows: str) -> None:
    connection = _open(database)
    if rows:
        connection.execute("BEGIN EXCLUSIVE")
        for number in rows:
            connection.execute(row_sql(int(number)))
        connection.execute("COMMIT")
    connection.execute("BEGIN EXCLUSIVE")
    print("held", flush=True)
    sys.stdin.read()
    connection.execute("ROLLBACK")
    connection.close()


def _stamp(database: str, first: str, count: str, least: str, most: str, keep: str) -> None:
    paces = random.Random(int(first))
    connection = _open(database) if int(keep) else None
    told: IO[str] = sys.stdout
    for number in range(int(first), int(first) + int(count)):
        time.sleep(paces.uniform(int(least), int(most)) / 1000)
        hand = connection or _open(database)
        hand.execute(row_sql(number))
        told.write(f"{number} {time.monotonic_ns()}\n")
        if connection is None:
            hand.close()
    if connection is not None:
        connection.close()


_ROLES: Mapping[str, Callable[..., None]] = {
    "make": _make,
    "texts": _texts,
    "stamp": _stamp,
    "die": _die,
    "hold": _hold,
    "meddle": _meddle,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.writers")
    parser.add_argument("role", choices=sorted(_ROLES))
    parser.add_argument("arguments", nargs="*")
    options = parser.parse_args()
    _ROLES[options.role](*options.arguments)
    return os.EX_OK


if __name__ == "__main__":
    raise SystemExit(main())
