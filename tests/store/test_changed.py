"""`changed()` never misses a commit; equal tokens mean equal content."""

import sqlite3
from pathlib import Path

import pytest

from inspector.store import fingerprint
from inspector.store.read import StoreUnavailable, ZeroTouchReader
from tests.store.builders import PATIENT, count, database, untouched
from tests.store.interleavings import ROLLBACK_MODES, WAL_ACTIONS, WAL_STARTS
from tests.store.ledger import survey
from tests.store.writers import Writer


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.db"


@pytest.mark.parametrize("start", WAL_STARTS)
def test_with_a_log(path: Path, start: str) -> None:
    with Writer(path) as writer, ZeroTouchReader(str(path)) as reader:
        for steps in WAL_ACTIONS.values():
            writer.do("fresh", "wal")
            writer.do("steps", *WAL_STARTS[start])
            reader.read(survey)
            before = content(writer)
            writer.do("steps", *steps)
            assert reader.changed() or content(writer) == before


@pytest.mark.parametrize("mode", ROLLBACK_MODES)
def test_with_a_journal(path: Path, mode: str) -> None:
    with Writer(path) as writer, ZeroTouchReader(str(path), budget=PATIENT) as reader:
        writer.do("fresh", mode)
        for _ in range(5):
            reader.read(survey)
            assert not reader.changed()
            writer.do("commit")
            assert reader.changed()
            assert reader.read(survey).value.n == writer.do("committed")
        with untouched(path.parent):
            reader.read(survey)
        writer.do("replace")
        assert reader.changed()


def test_unsure_before_the_first_read_and_after_a_failed_one(path: Path) -> None:
    with ZeroTouchReader(str(path), budget=PATIENT) as reader:
        assert reader.changed()
        database(path)
        reader.read(count)
        assert not reader.changed()
        path.unlink()
        assert reader.changed()
        with pytest.raises(StoreUnavailable):
            reader.read(count)
        assert reader.changed()


@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_unsure_after_an_answer_that_was_not_given(path: Path, mode: str) -> None:
    def unlucky(connection: sqlite3.Connection) -> None:
        survey(connection)
        raise LookupError

    with Writer(path) as writer, ZeroTouchReader(str(path), budget=PATIENT) as reader:
        writer.do("fresh", mode)
        reader.read(survey)
        assert not reader.changed()
        writer.do("commit")
        with pytest.raises(LookupError):
            reader.read(unlucky)
        assert reader.changed()
        assert reader.read(survey).value.n == 2
        assert not reader.changed()


@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_tokens(path: Path, mode: str) -> None:
    seen: dict[object, int] = {}
    with Writer(path) as writer, ZeroTouchReader(str(path), budget=PATIENT) as reader:
        writer.do("fresh", mode)
        for _ in range(12):
            reading = reader.read(survey)
            assert seen.setdefault(reading.token, reading.value.n) == reading.value.n
            assert reader.content_token() == reading.token
            with ZeroTouchReader(str(path), budget=PATIENT) as stranger:
                assert stranger.content_token() == reading.token
                assert stranger.read(survey).token == reading.token
            writer.do("commit")
            assert reader.content_token() != reading.token
    assert len(seen) == 12


def test_the_last_write_is_the_newest_of_all_files(path: Path) -> None:
    with Writer(path) as writer, ZeroTouchReader(str(path), budget=PATIENT) as reader:
        writer.do("fresh", "wal")
        log = Path(f"{path}-wal").stat().st_mtime_ns
        assert log > path.stat().st_mtime_ns
        assert reader.read(survey).token.last_write_ms == log // 1_000_000
        assert reader.content_token().last_write_ms == log // 1_000_000


def content(writer: Writer) -> list[object]:
    found: list[object] = writer.sql("SELECT n FROM counter")
    return found


def test_unsure_while_a_file_is_too_young(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write in the same tick of the clock would show nowhere."""
    monkeypatch.setattr(fingerprint, "every_write_shows", lambda dev: False)
    with Writer(path) as writer, ZeroTouchReader(str(path)) as reader:
        writer.do("fresh", "delete")
        reading = reader.read(survey)
        assert reading.route == "image"
        assert reader.changed()
        assert reader.content_token() != reading.token


def test_nothing_is_held_between_reads(path: Path) -> None:
    """A kept connection would miss a replaced file and keep a deleted one."""
    database(path, 4)
    with ZeroTouchReader(str(path), budget=PATIENT) as reader:
        assert reader.read(count).value == 4
        kept: list[sqlite3.Connection] = []
        reader.read(kept.append)
        with pytest.raises(sqlite3.ProgrammingError):
            kept[0].execute("SELECT 1")
        database(path.with_name("new.db"), 6).replace(path)
        assert reader.read(count).value == 6
