"""What a query is given: a connection that cannot write, decodes anything and bounds everything."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.store import fingerprint
from inspector.store.read import ZeroTouchReader
from tests.store.builders import ROWS, count, database, untouched
from tests.store.writers import Writer


@pytest.fixture(params=["delete", "wal"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return database(tmp_path / "state.db", journal_mode=request.param)


def test_text_that_is_no_text_and_blobs(path: Path) -> None:
    with Writer(path) as writer, ZeroTouchReader(str(path)) as reader:
        writer.sql(
            "CREATE TABLE odd(v)",
            "INSERT INTO odd VALUES(CAST(x'61ff62' AS TEXT)), (x'61ff62'), (CAST(x'00' AS TEXT))",
            "INSERT INTO odd VALUES('ü'), (7), (NULL)",
        )
        values = reader.read(lambda c: [v for (v,) in c.execute("SELECT v FROM odd")]).value
        assert values == ["a\N{REPLACEMENT CHARACTER}b", b"a\xffb", "\0", "ü", 7, None]


@pytest.mark.parametrize(
    "statement", ["DELETE FROM t", "CREATE TABLE x(y)", "VACUUM", "ATTACH '/tmp/x.db' AS x"]
)
def test_it_cannot_write(path: Path, statement: str) -> None:
    with (
        Writer(path) as writer,
        ZeroTouchReader(str(path)) as reader,
    ):
        writer.sql("INSERT INTO t(v) VALUES('row')")
        with untouched(path.parent), pytest.raises(sqlite3.OperationalError):
            reader.read(lambda connection: connection.execute(statement))
        assert reader.read(count).value == ROWS + 1


@pytest.mark.parametrize(
    ("pragma", "value"), [("query_only", 1), ("trusted_schema", 0), ("mmap_size", 0)]
)
def test_settings(path: Path, pragma: str, value: int) -> None:
    reader = ZeroTouchReader(str(path))
    found = reader.read(lambda c: c.execute(f"PRAGMA {pragma}").fetchone() or (0,))
    assert found.value == (value,)


def test_no_extension_no_transaction(path: Path) -> None:
    def query(connection: sqlite3.Connection) -> str | None:
        with pytest.raises(sqlite3.OperationalError, match="not authorized"):
            connection.execute("SELECT load_extension('x')")
        return connection.isolation_level

    assert ZeroTouchReader(str(path)).read(query).value is None


def test_a_writer_without_patience_commits_while_we_read(path: Path) -> None:
    """Its busy timeout is 0: any lock of ours would fail it."""
    rows = ROWS
    with Writer(path) as writer, ZeroTouchReader(str(path)) as reader:

        def query(connection: sqlite3.Connection) -> int:
            nonlocal rows
            cursor = connection.execute("SELECT v FROM t")
            cursor.fetchone()
            if rows < ROWS + 3:
                writer.sql("INSERT INTO t(v) VALUES('row')")
                rows += 1
            return len(cursor.fetchall()) + 1

        for _ in range(4):
            assert ROWS <= reader.read(query).value <= rows
        assert reader.read(count).value == rows == ROWS + 3


@pytest.mark.skipif(sys.platform != "linux", reason="/proc/locks is Linux's")
def test_no_lock_is_taken(path: Path) -> None:
    def locked(connection: sqlite3.Connection) -> bool:
        connection.execute("SELECT v FROM t").fetchone()
        inodes = {os.stat(f).st_ino for f in path.parent.iterdir()}
        with open("/proc/locks") as held:
            lines = [line.split() for line in held if f" {os.getpid()} " in line]
        return any(int(line[-3].rsplit(":", 1)[1]) in inodes for line in lines if len(line) > 5)

    with Writer(path) as writer, ZeroTouchReader(str(path)) as reader:
        writer.sql("INSERT INTO t(v) VALUES('row')")
        assert not reader.read(locked).value


@pytest.mark.skipif(not fingerprint.KNOWN, reason="this system cannot be asked about locks")
def test_a_writers_lock_is_seen(tmp_path: Path) -> None:
    path = database(tmp_path / "state.db")
    fd = os.open(path, os.O_RDONLY)
    try:
        with Writer(path) as writer:
            assert fingerprint.being_written(fd) is False
            writer.sql("BEGIN IMMEDIATE")
            assert fingerprint.being_written(fd) is False, "a reserved lock changes no page"
            writer.sql("COMMIT", "BEGIN EXCLUSIVE")
            assert fingerprint.being_written(fd) is True
            writer.sql("COMMIT")
            assert fingerprint.being_written(fd) is False
    finally:
        os.close(fd)


GATHERS = """
import sqlite3, sys
from inspector.store.read import ZeroTouchReader
sqlite3.connect(":memory:").execute("PRAGMA hard_heap_limit=30000000")
asked = (
    "WITH RECURSIVE c(x) AS (SELECT randomblob(1000000) UNION SELECT randomblob(1000000) FROM c) "
    "SELECT count(*) FROM c"
)
try:
    ZeroTouchReader(sys.argv[1]).read(lambda c: c.execute(asked).fetchall())
except sqlite3.OperationalError as error:
    print(error)
"""


def test_an_endless_query_is_stopped(path: Path) -> None:
    """By a limit of this process, which in the test is a lower one."""
    reader = ZeroTouchReader(str(path))
    limit = reader.read(lambda c: c.execute("PRAGMA hard_heap_limit").fetchone()[0]).value
    assert 0 < limit <= 1 << 30
    told = subprocess.run(
        [sys.executable, "-c", GATHERS, str(path)], capture_output=True, text=True, check=True
    )
    assert told.stdout == "out of memory\n"
