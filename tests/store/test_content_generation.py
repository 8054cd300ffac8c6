"""A generation ends where rowids no longer mean the same rows, and not at a commit."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from inspector.store.read import StoreUnavailable, ZeroTouchReader
from tests.store.builders import count, database
from tests.store.writers import Writer

MODES = ["delete", "wal"]


def generation_after(reader: ZeroTouchReader) -> int:
    reader.read(count)
    return reader.generation


@pytest.mark.parametrize("mode", MODES)
def test_commits_keep_it(tmp_path: Path, mode: str) -> None:
    path = database(tmp_path / "state.db", 20, journal_mode=mode)
    with Writer(path) as writer, ZeroTouchReader(str(path)) as reader:
        assert reader.generation == 0
        assert reader.identity is None
        first = generation_after(reader)
        for statement in (
            "INSERT INTO t(v) VALUES('row')",
            "UPDATE t SET v = 'row' || id",
            "DELETE FROM t WHERE id < 10",
            "PRAGMA wal_checkpoint(TRUNCATE)",
            "DELETE FROM t",
            "INSERT INTO t(v) SELECT 'row' FROM sqlite_master",
        ):
            writer.sql(statement)
            assert generation_after(reader) == first
        writer.do("close")
        assert generation_after(reader) == first


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("vacuum", ["none", "full", "incremental"])
def test_vacuum_ends_it(tmp_path: Path, mode: str, vacuum: str) -> None:
    path = database(tmp_path / "state.db", 20)
    with Writer(path) as writer, ZeroTouchReader(str(path)) as reader:
        writer.sql(f"PRAGMA auto_vacuum={vacuum}", "VACUUM", f"PRAGMA journal_mode={mode}")
        first = generation_after(reader)
        writer.sql("DELETE FROM t WHERE id > 3")
        assert generation_after(reader) == first
        writer.sql("VACUUM")
        assert generation_after(reader) > first


@pytest.mark.parametrize("mode", MODES)
def test_another_file_ends_it(tmp_path: Path, mode: str) -> None:
    path = database(tmp_path / "state.db", 20, journal_mode=mode)
    with ZeroTouchReader(str(path)) as reader:
        first = generation_after(reader)
        database(tmp_path / "new.db", 20, journal_mode=mode).replace(path)
        assert generation_after(reader) > first
        assert reader.identity == (path.stat().st_dev, path.stat().st_ino)


def test_a_new_file_starts_a_generation(tmp_path: Path) -> None:
    path = database(tmp_path / "state.db", 20)
    with ZeroTouchReader(str(path)) as reader:
        first = generation_after(reader)
        path.unlink()
        with pytest.raises(StoreUnavailable):
            reader.read(count)
        # The same content, and often the same inode number.
        database(path, 20)
        assert generation_after(reader) > first


@pytest.mark.parametrize("rows", [10, 200])
def test_another_content_in_the_same_file_ends_it(tmp_path: Path, rows: int) -> None:
    path = database(tmp_path / "state.db", 20)
    with Writer(path) as writer:
        writer.sql("INSERT INTO t(v) VALUES('row')")
    with ZeroTouchReader(str(path)) as reader:
        first = generation_after(reader)
        shutil.copyfile(database(tmp_path / "other.db", rows), path)
        assert generation_after(reader) > first


def test_a_restored_backup_ends_it(tmp_path: Path) -> None:
    path = database(tmp_path / "state.db", 20)
    with ZeroTouchReader(str(path)) as reader:
        first = generation_after(reader)
        with (
            closing(sqlite3.connect(database(tmp_path / "backup.db", 40))) as backup,
            closing(sqlite3.connect(path)) as live,
        ):
            backup.backup(live)
        assert generation_after(reader) > first


def test_another_schema_ends_it(tmp_path: Path) -> None:
    path = database(tmp_path / "state.db", 20)
    with Writer(path) as writer, ZeroTouchReader(str(path)) as reader:
        first = generation_after(reader)
        writer.sql("ALTER TABLE t ADD COLUMN more")
        assert generation_after(reader) > first
