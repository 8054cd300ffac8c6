"""What a killed or a writing process left half done is undone in a private copy, never in place."""

import os
import shutil
import sqlite3
import struct
import sys
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
def test_a_super_journal_is_read_but_not_removed(
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


def test_a_hot_journal_and_a_log(path: Path, tmp_path: Path) -> None:
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
    monkeypatch.setattr(fingerprint, "every_write_shows", lambda dev: False)
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


def test_a_young_time_is_waited_out(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fingerprint, "every_write_shows", lambda dev: False)
    waited = ReadBudget(tick_ms=0, reread_bytes=0, total_ms=200)
    with Writer(path) as writer, ZeroTouchReader(str(path), budget=waited) as reader:
        writer.sql("INSERT INTO t(v) VALUES('row')")
        reading = reader.read(count)
        assert (reading.value, reading.route) == (ROWS + 1, "immutable")
        assert reader._last is not None
        assert reader._last.seen.racy_for_ns == 0


@pytest.mark.parametrize(
    ("fine", "mtime", "now", "racy"),
    [
        (False, 5_000_000_001, 5_019_999_999, 2),
        (False, 5_000_000_001, 5_020_000_001, 0),
        (False, 5_000_000_001, 4_990_000_000, 30_000_001),
        (False, 65_000_000_001, 5_000_000_000, 0),
        (False, 5_000_000_000, 6_000_000_000, 1_000_000_000),
        (True, 5_000_000_001, 5_000_000_001, 0),
        (True, 5_000_000_000, 6_000_000_000, 1_000_000_000),
    ],
)
def test_how_young_is_too_young(
    path: Path, monkeypatch: pytest.MonkeyPatch, fine: bool, mtime: int, now: int, racy: int
) -> None:
    monkeypatch.setattr(fingerprint, "every_write_shows", lambda dev: fine)
    seen = fingerprint.file_state(str(path), now)
    assert seen is not None
    assert seen._replace(db=seen.db._replace(mtime_ns=mtime)).racy_for_ns == racy


def test_which_systems_stamp_every_write() -> None:
    table = (
        "25 24 0:23 / /dev/shm rw - tmpfs tmpfs rw\n"
        "27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n"
        "31 27 0:41 / /home/odd\\040name rw - nfs4 server:/ rw\n"
    )
    assert fingerprint.kind_of(os.makedev(254, 0), table) == "ext4"
    assert fingerprint.kind_of(os.makedev(0, 41), table) == "nfs4"
    assert fingerprint.kind_of(os.makedev(9, 9), table) == ""
    assert (
        fingerprint._kernel("6.13.0-rc1")
        >= fingerprint._FINE_SINCE
        > fingerprint._kernel("6.8.0-45-generic")
    )


@pytest.mark.skipif(sys.platform != "linux", reason="what is claimed of Linux")
def test_every_write_shows_where_we_say_so(path: Path) -> None:
    if not fingerprint.every_write_shows(path.stat().st_dev):
        pytest.skip("not claimed of this system")
    times = set()
    for number in range(300):
        path.write_bytes(bytes([number % 256]))
        times.add(path.stat().st_mtime_ns)
    assert len(times) == 300


def test_a_long_query_is_given_a_copy(path: Path) -> None:
    """A query too slow to finish in place while a writer is busy."""
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
