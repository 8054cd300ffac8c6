"""What a killed or a writing process left half done is undone in a private copy, never in place."""

import os
import shutil
import sqlite3
import struct
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from inspector.store import fingerprint, read
from inspector.store.fingerprint import Mark
from inspector.store.read import ReadBudget, ZeroTouchReader
from tests.store.builders import PATIENT, ROWS, count, database, untouched
from tests.store.test_static import SPILL
from tests.store.writers import Writer

JOURNALS = ["delete", "truncate", "persist"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return database(tmp_path / "watched" / "state.db")


@pytest.fixture
def reader(path: Path) -> Iterator[ZeroTouchReader]:
    with ZeroTouchReader(str(path)) as reader:
        yield reader


@pytest.mark.parametrize("mode", JOURNALS)
def test_a_killed_transaction_is_undone(path: Path, reader: ZeroTouchReader, mode: str) -> None:
    with Writer(path) as writer:
        writer.sql(f"PRAGMA journal_mode={mode}", *SPILL)
    with untouched(path.parent):
        reading = reader.read(count)
        assert (reading.value, reading.route) == (ROWS, "image")
        assert not reader.changed()
        assert reader.content_token() == reading.token


@pytest.mark.parametrize("mode", JOURNALS)
def test_an_open_transaction_is_not_seen_until_it_ends(
    path: Path, reader: ZeroTouchReader, mode: str
) -> None:
    with Writer(path) as writer:
        writer.sql(f"PRAGMA journal_mode={mode}", "PRAGMA synchronous=OFF", *SPILL)
        with untouched(path.parent):
            assert reader.read(count).value == ROWS
        writer.sql("UPDATE t SET v = 'row'")
        assert reader.read(count).value == ROWS
        writer.sql("COMMIT")
        assert reader.changed()
        assert reader.read(count).value == 2 * ROWS


def complete_with_journal(path: Path) -> None:
    """A transaction that doubled the rows, all in place, with its journal still there."""
    with Writer(path) as writer:
        writer.sql("PRAGMA synchronous=OFF", *SPILL, "UPDATE t SET v = 'row'")
        journal = Path(f"{path}-journal").read_bytes()
        writer.sql("COMMIT")
    Path(f"{path}-journal").write_bytes(journal)


def test_a_commit_that_only_removes_the_journal_is_noticed(
    path: Path, reader: ZeroTouchReader
) -> None:
    complete_with_journal(path)
    reading = reader.read(count)
    assert reading.value == ROWS
    Path(f"{path}-journal").unlink()
    assert reader.changed()
    assert reader.content_token() != reading.token
    assert reader.read(count).value == 2 * ROWS


def with_super_journal(path: Path, name: Path) -> None:
    """Has the journal beside a database name a super-journal, as one of several databases."""
    encoded = bytes(name)
    checksum = sum(byte - 256 if byte > 127 else byte for byte in encoded) & 0xFFFFFFFF
    with open(f"{path}-journal", "ab") as journal:
        journal.write(struct.pack(">I", 0x40000000 // 4096 + 1) + encoded)
        journal.write(struct.pack(">II", len(encoded), checksum))
        journal.write(bytes.fromhex("d9d505f920a163d7"))


@pytest.mark.parametrize("name", ["state.db-mj0123", "ärger-mj0"])
def test_a_super_journal_is_looked_up_and_left_alone(
    path: Path, reader: ZeroTouchReader, name: str
) -> None:
    with Writer(path) as writer:
        writer.sql(*SPILL)
    super_journal = path.parent / name
    # It names journals that are gone: SQLite, playing back, would remove it.
    super_journal.write_bytes(b"/gone/other.db-journal\0")
    with_super_journal(path, super_journal)
    with untouched(path.parent):
        assert reader.read(count).value == ROWS


def test_without_its_super_journal_a_transaction_is_complete(
    path: Path, reader: ZeroTouchReader
) -> None:
    complete_with_journal(path)
    with_super_journal(path, path.parent / "gone")
    with untouched(path.parent):
        assert reader.read(count).value == 2 * ROWS


def test_a_hot_journal_beside_a_log(path: Path, tmp_path: Path) -> None:
    """First the journal is played back, then the log: as SQLite does, on a copy."""
    logged = tmp_path / "logged.db"
    shutil.copyfile(path, logged)
    with Writer(logged) as writer:
        writer.sql("PRAGMA journal_mode=WAL", "INSERT INTO t(v) SELECT 'more' FROM t LIMIT 9")
        log = Path(f"{logged}-wal").read_bytes()
    with Writer(path) as writer:
        writer.sql(*SPILL)
    Path(f"{path}-wal").write_bytes(log)
    copies = [path, Path(f"{path}-journal"), Path(f"{path}-wal")]
    for copy in copies:
        shutil.copyfile(copy, tmp_path / copy.name)
    with closing(sqlite3.connect(tmp_path / path.name)) as connection:
        expected = count(connection)
    assert expected == ROWS + 9
    with ZeroTouchReader(str(path)) as reader, untouched(path.parent):
        reading = reader.read(count)
        assert (reading.value, reading.route) == (expected, "image")


@pytest.mark.parametrize("tick_ms", [10, 1000])
def test_a_coarse_clock_hides_no_write(
    path: Path, monkeypatch: pytest.MonkeyPatch, tick_ms: int
) -> None:
    """Two commits in one tick leave the same time; a young time is waited out or not trusted."""

    def coarse(status: os.stat_result) -> Mark:
        mark = fine(status)
        return mark._replace(mtime_ns=mark.mtime_ns - mark.mtime_ns % (tick_ms * 1_000_000))

    fine = fingerprint.mark_from
    monkeypatch.setattr(fingerprint, "mark_from", coarse)
    monkeypatch.setattr(read, "mark_from", coarse)
    with Writer(path) as writer, ZeroTouchReader(str(path)) as reader:
        for number in range(20):
            writer.sql("INSERT INTO t(v) VALUES('row')")
            reading = reader.read(count)
            assert reading.value == ROWS + number + 1
            writer.sql(f"UPDATE t SET v = 'more {number}' WHERE id = 1")
            assert reader.changed()
            assert reader.content_token() != reading.token


def test_a_young_time_is_waited_out(path: Path) -> None:
    waited = ReadBudget(racy_ms=0, read_twice_bytes=0, total_ms=200)
    with Writer(path) as writer, ZeroTouchReader(str(path), budget=waited) as reader:
        writer.sql("INSERT INTO t(v) VALUES('row')")
        reading = reader.read(count)
        assert (reading.value, reading.route) == (ROWS + 1, "immutable")
        seen = fingerprint.look(str(path), 0)
        assert seen is not None
        assert seen._replace(at_ns=seen.db.mtime_ns + 19_999_999).racy_for_ns == 1
        assert seen._replace(at_ns=seen.db.mtime_ns + 20_000_000).racy_for_ns == 0
        assert seen._replace(at_ns=seen.db.mtime_ns - 60 * 10**9).racy_for_ns == 0
        whole = seen._replace(db=seen.db._replace(mtime_ns=5 * 10**9))
        assert whole._replace(at_ns=6 * 10**9).racy_for_ns == 10**9


def test_a_long_query_is_given_a_copy(path: Path) -> None:
    """A query that a busy writer would never let finish in place."""
    with Writer(path) as writer, ZeroTouchReader(str(path), budget=PATIENT) as reader:
        tries = 0

        def query(connection: object) -> int:
            nonlocal tries
            tries += 1
            # Written while we read, by one who takes longer than copying the file.
            writer.sql("PRAGMA synchronous=FULL", *["INSERT INTO t(v) VALUES('row')"] * 20)
            return tries

        reading = reader.read(query)
        assert (reading.value, reading.route) == (2, "image")
