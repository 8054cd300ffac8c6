"""Databases without writers, and checks that a folder is untouched."""

import hashlib
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from inspector.store.read import ReadBudget

ROWS = 500
PATIENT = ReadBudget(reread_small_bytes=0)
"""Waits until a file's time can be trusted, where it might otherwise be read twice."""


class Print(NamedTuple):
    """What would show that a file was touched."""

    ino: int
    size: int
    mode: int
    mtime_ns: int
    sha256: str


def database(path: Path, rows: int = ROWS, *, journal_mode: str = "delete") -> Path:
    """Creates a database with a table `t` of `rows` rows."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA journal_mode={journal_mode}")
        connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT)")
        connection.execute("BEGIN")
        connection.executemany(
            "INSERT INTO t(v) VALUES(?)", ((f"row {n} " + "y" * 200,) for n in range(rows))
        )
        connection.execute("COMMIT")
    return path


def prints(folder: Path) -> dict[str, Print]:
    """Returns the state of every entry of a folder; only regular files have a digest."""
    return {entry.name: _print(entry) for entry in os.scandir(folder)}


@contextmanager
def untouched(folder: Path) -> Iterator[None]:
    """Fails when a file in the folder was made, removed or changed inside the block."""
    before, folder_before = prints(folder), folder.stat().st_mtime_ns
    yield
    assert prints(folder) == before
    assert folder.stat().st_mtime_ns == folder_before


def count(connection: sqlite3.Connection) -> int:
    """The number of rows of `t`, by way of every row."""
    rows = connection.execute("SELECT v FROM t").fetchall()
    assert all(value.startswith(("row", "more")) for (value,) in rows)
    return len(rows)


def _print(entry: os.DirEntry[str]) -> Print:
    status = entry.stat(follow_symlinks=False)
    digest = ""
    if entry.is_file(follow_symlinks=False):
        digest = hashlib.sha256(Path(entry.path).read_bytes()).hexdigest()
    return Print(status.st_ino, status.st_size, status.st_mode, status.st_mtime_ns, digest)
