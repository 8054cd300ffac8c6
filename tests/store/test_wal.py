"""A log's frames are applied as SQLite would apply them, however they come."""

import sqlite3
import struct
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.store import connections, files
from inspector.store.fingerprint import WAL_HEAD_SIZE
from inspector.store.read import StoreUnavailable, ZeroTouchReader
from inspector.store.wal import commits, frames, parse_header
from tests.store.builders import untouched
from tests.store.ledger import survey
from tests.store.writers import Writer


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "watched" / "ledger.db"


@pytest.fixture
def writer(path: Path) -> Iterator[Writer]:
    path.parent.mkdir()
    with Writer(path) as writer:
        writer.do("fresh", "wal")
        yield writer


def steps_of(reader: ZeroTouchReader) -> list[str]:
    """Notes what a reader does from now on."""
    steps: list[str] = []
    reader.trace = steps.append
    return steps


def test_a_few_frames_are_applied_and_many_are_left_to_sqlite(path: Path, writer: Writer) -> None:
    with ZeroTouchReader(str(path)) as reader, ZeroTouchReader(str(path)) as other:
        reader.read(survey)
        steps = steps_of(reader)
        for large, by_sqlite in [(False, False), (True, True), (False, False)]:
            if large:
                writer.do("commit", 9)
            else:
                writer.sql("UPDATE counter SET n = n")
            steps.clear()
            with untouched(path.parent):
                reading = reader.read(survey)
            assert reading.route == "wal"
            assert reading.value.whole
            assert reading.value.n == writer.do("committed")
            assert ("replay" in steps) == by_sqlite
            assert other.content_token() == reading.token


def test_the_base_is_copied_once_per_generation(path: Path, writer: Writer) -> None:
    with ZeroTouchReader(str(path)) as reader:
        steps = steps_of(reader)
        for _ in range(5):
            writer.do("commit")
            writer.do("checkpoint", "PASSIVE")
            assert reader.read(survey).value.whole
        # After a complete checkpoint the writer restarts the log.
        assert 1 <= steps.count("base") <= 5
        steps.clear()
        writer.do("grow")
        for _ in range(5):
            writer.do("commit")
            reader.read(survey)
        assert steps.count("base") <= 1


@pytest.mark.parametrize("pages", [512, 1024, 4096, 65536])
def test_any_page_size(path: Path, pages: int) -> None:
    path.parent.mkdir()
    with Writer(path) as writer, ZeroTouchReader(str(path)) as reader:
        writer.sql(
            f"PRAGMA page_size={pages}",
            "PRAGMA journal_mode=WAL",
            "PRAGMA wal_autocheckpoint=0",
            "CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT)",
        )
        for rows in range(1, 5):
            writer.sql("INSERT INTO t(v) VALUES(printf('%.*c', 3000, 'x'))")
            found = reader.read(
                lambda c: c.execute("SELECT count(*), sum(length(v)) FROM t").fetchone()
            )
            assert found.value == (rows, rows * 3000)
            assert found.route == "wal"


@pytest.mark.parametrize(("rows", "after"), [(1, 1), (40, 1), (40, 3), (1, 0)])
def test_a_commit_lost_with_its_writer(path: Path, writer: Writer, rows: int, after: int) -> None:
    writer.do("commit", 3)
    writer.do("keep_second")
    with ZeroTouchReader(str(path)) as reader:
        reader.read(survey)
        index = Path(f"{path}-shm").read_bytes().hex()
        writer.sql("BEGIN IMMEDIATE", f"UPDATE cell SET n = 99 WHERE id < {rows}", "COMMIT")
        cells = "SELECT n FROM cell ORDER BY id"
        lost = reader.read(lambda c: c.execute(cells).fetchall()).value
        assert lost[0] == (99,)
        writer.do("unpublish", index)
        for number in range(after):
            writer.sql("BEGIN IMMEDIATE", f"UPDATE counter SET n = {500 + number}", "COMMIT")
        if after:
            assert reader.changed()
            present = [tuple(row) for row in writer.sql(cells)]
            assert reader.read(lambda c: c.execute(cells).fetchall()).value == present != lost


def test_leftovers_of_a_rolled_back_transaction_do_not_count(path: Path, writer: Writer) -> None:
    with ZeroTouchReader(str(path)) as reader:
        writer.do("steps", ["begin_spilled"], ["roll_back"], ["commit"])
        assert reader.read(survey).value == reader.read(survey).value
        assert reader.read(survey).value.n == writer.do("committed")
        assert reader.changed(), "frames of this generation lie where the next commit will be"
        writer.do("commit")
        assert reader.read(survey).value.n == writer.do("committed")


def test_a_log_with_a_broken_header_is_empty(path: Path, writer: Writer) -> None:
    writer.do("checkpoint", "TRUNCATE")
    n = writer.do("committed")
    writer.do("commit")
    writer.kill()
    with open(f"{path}-wal", "r+b") as log:
        log.seek(25)
        log.write(b"\xee")
    with ZeroTouchReader(str(path)) as reader, untouched(path.parent):
        assert reader.read(survey).value.n == n


def test_a_log_of_a_later_version_is_not_guessed_at(path: Path, writer: Writer) -> None:
    writer.do("commit")
    writer.kill()
    with open(f"{path}-wal", "r+b") as log:
        header = bytearray(log.read(24))
        header[4:8] = struct.pack(">I", 3007001)
        first = second = 0
        for low, high in struct.iter_unpack("<2I" if not header[3] & 1 else ">2I", header):
            first = (first + low + second) & 0xFFFFFFFF
            second = (second + high + first) & 0xFFFFFFFF
        log.seek(0)
        log.write(header + struct.pack(">2I", first, second))
    with ZeroTouchReader(str(path)) as reader, pytest.raises(StoreUnavailable, match="not known"):
        reader.read(survey)


def test_private_copies_that_vanish_are_made_again(path: Path, writer: Writer) -> None:
    with ZeroTouchReader(str(path)) as reader:
        assert reader.read(survey).value.n == 1
        Path(reader._wal.path).unlink()
        assert reader.read(survey).value.n == 1
        Path(reader._wal.path).unlink()
        Path(reader._wal.path).parent.rmdir()
        writer.do("commit")
        assert reader.read(survey).value.n == 2


Change = tuple[int, int]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 255))), max_size=12))
def test_frames_are_applied_as_sqlite_does(
    tmp_path_factory: pytest.TempPathFactory, transactions: list[list[Change]]
) -> None:
    """A log without a writer, applied by us to one copy and by SQLite to another."""
    folder = tmp_path_factory.mktemp("log")
    ours, theirs = folder / "ours", folder / "theirs"
    with closing(sqlite3.connect(folder / "db", isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA wal_autocheckpoint=0")
        connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, v BLOB)")
        for changes in transactions:
            connection.execute("BEGIN")
            for row, byte in changes:
                content = bytes([byte]) * (byte * 20)
                connection.execute("INSERT OR REPLACE INTO t VALUES(?, ?)", (row, content))
            connection.execute("COMMIT")
        base = (folder / "db").read_bytes()
        log = (folder / "db-wal").read_bytes()
    ours.write_bytes(base)
    theirs.write_bytes(base)
    Path(f"{theirs}-wal").write_bytes(log)
    count = connections.recover(str(theirs))
    (folder / "log").write_bytes(log)
    fd = files.open_regular(str(folder / "log"))
    assert fd is not None
    wal = parse_header(log[:WAL_HEAD_SIZE])
    found = list(commits(frames(fd, wal, WAL_HEAD_SIZE), wal, WAL_HEAD_SIZE, wal.checksum))
    assert sum(len(commit.heads) for commit in found) == count * 24
    with ours.open("r+b") as file:
        for commit in found:
            for number, page in commit.pages.items():
                file.seek((number - 1) * wal.page_size)
                file.write(page)
            file.truncate(commit.page_count * wal.page_size)
    assert ours.read_bytes() == theirs.read_bytes()
