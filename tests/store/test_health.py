"""What cannot be read is named by a health and a sentence, and nothing is opened that may hang."""

import os
import socket
import sqlite3
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from inspector.model.store import Health
from inspector.store.read import ReadBudget, StoreUnavailable, ZeroTouchReader
from tests.store.builders import ROWS, count, database, untouched
from tests.store.test_static import SPILL
from tests.store.writers import Writer

QUICK = ReadBudget(total_ms=30)


def refusal(path: Path) -> StoreUnavailable:
    with ZeroTouchReader(str(path), budget=QUICK) as reader, untouched(path.parent):
        with pytest.raises(StoreUnavailable) as caught:
            reader.read(count)
        assert reader.changed()
        with pytest.raises(StoreUnavailable) as again:
            reader.read(count)
    assert again.value.since == caught.value.since
    return caught.value


def test_missing(tmp_path: Path) -> None:
    error = refusal(tmp_path / "state.db")
    assert (error.health, error.reason) == (Health.GONE, "the database file is not there")


def test_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable) as caught:
        ZeroTouchReader(str(tmp_path / "no" / "state.db")).content_token()
    assert caught.value.health is Health.GONE


def test_a_file_where_a_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("no folder")
    with pytest.raises(StoreUnavailable) as caught:
        ZeroTouchReader(str(tmp_path / "run" / "state.db")).read(count)
    assert caught.value.health is Health.GONE


def test_nothing_in_it(tmp_path: Path) -> None:
    (tmp_path / "state.db").touch()
    error = refusal(tmp_path / "state.db")
    assert error.health is Health.EMPTY
    assert error.reason == "the database is empty: nothing has been committed to it"


def test_first_transaction_killed(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with Writer(path) as writer:
        writer.sql("PRAGMA cache_size=5", "BEGIN", "CREATE TABLE t(v)")
        writer.do("many", "INSERT INTO t VALUES(?)", [["x" * 3000]] * 50)
    assert path.stat().st_size
    assert refusal(path).health is Health.EMPTY


@pytest.mark.parametrize("content", [b"something else " * 9, b"SQLite format 3\0"])
def test_not_a_database(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "state.db").write_bytes(content)
    error = refusal(tmp_path / "state.db")
    assert error.health is Health.UNREADABLE
    assert error.reason == "this file is not a database that SQLite wrote"


def test_a_later_file_format(tmp_path: Path) -> None:
    path = database(tmp_path / "state.db")
    with path.open("r+b") as file:
        file.seek(18)
        file.write(b"\3\3")
    error = refusal(path)
    assert error.health is Health.UNSUPPORTED
    assert error.reason == "the database has file format 3; only 1 and 2 are known"


@pytest.mark.parametrize(
    ("place", "kind"),
    [
        (lambda path: path.mkdir(), "a folder"),
        (lambda path: os.mkfifo(path), "a pipe"),
        (lambda path: path.symlink_to("/dev/zero"), "a device"),
        (lambda path: socket.socket(socket.AF_UNIX).bind(path.name), "a socket"),
        (lambda path: path.symlink_to(path), "a link"),
    ],
    ids=["folder", "pipe", "device", "socket", "loop"],
)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_only_regular_files_are_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: Callable[[Path], None], kind: str
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "state.db"
    place(path)
    opened: list[str] = []
    system_open = os.open

    def noting_open(path: str, *rest: int) -> int:
        opened.append(path)
        return system_open(path, *rest)

    monkeypatch.setattr(os, "open", noting_open)
    with pytest.raises(StoreUnavailable) as caught:
        ZeroTouchReader(str(path), budget=QUICK).read(count)
    assert caught.value.health is Health.UNREADABLE
    if kind != "a link":
        assert caught.value.reason == f"this is {kind}, not a database file"
    assert not opened


@pytest.mark.parametrize("journal_mode", ["delete", "wal"])
@pytest.mark.parametrize("suffix", ["", "-wal", "-journal"])
def test_a_file_that_becomes_a_pipe_while_it_is_read(
    tmp_path: Path, journal_mode: str, suffix: str
) -> None:
    path = database(tmp_path / "state.db", journal_mode=journal_mode)
    swapped = Path(f"{path}{suffix}")

    def query(connection: sqlite3.Connection) -> int:
        rows = count(connection)
        swapped.unlink(missing_ok=True)
        os.mkfifo(swapped)
        return rows

    with Writer(path) as writer, ZeroTouchReader(str(path), budget=QUICK) as reader:
        writer.sql("INSERT INTO t(v) VALUES('row')")
        if reader.read(count).route == "wal":
            # The answer comes from a private image.
            assert reader.read(query).value == ROWS + 1
        with pytest.raises(StoreUnavailable) as caught:
            reader.read(query)
        assert caught.value.health is Health.UNREADABLE
        assert "is a pipe, not a" in caught.value.reason


@pytest.mark.parametrize(
    ("suffix", "name"),
    [("-wal", "the database's write-ahead log"), ("-journal", "the database's journal")],
)
def test_companions_must_be_regular_files(tmp_path: Path, suffix: str, name: str) -> None:
    path = database(tmp_path / "state.db")
    os.mkfifo(f"{path}{suffix}")
    error = refusal(path)
    assert error.health is Health.UNREADABLE
    assert error.reason == f"{name} is a pipe, not a file"


@pytest.mark.parametrize(
    ("suffix", "name"),
    [
        ("", "the database"),
        ("-wal", "the database's write-ahead log"),
        ("-journal", "the database's journal"),
    ],
)
def test_no_permission(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, name: str
) -> None:
    path = database(tmp_path / "state.db")
    secret = f"{path}{suffix}"
    Path(secret).touch()
    system_open = os.open

    def refusing_open(name: str, *rest: int) -> int:
        # Root may read everything, so the system's refusal is played.
        if name == secret:
            raise PermissionError(13, "Permission denied", name)
        return system_open(name, *rest)

    monkeypatch.setattr(os, "open", refusing_open)
    with pytest.raises(StoreUnavailable) as caught:
        ZeroTouchReader(str(path)).read(count)
    assert caught.value.health is Health.DENIED
    assert caught.value.reason == f"this user may not read {name}"


def test_a_path_that_is_none() -> None:
    with pytest.raises(StoreUnavailable) as caught:
        ZeroTouchReader("/tmp/\0/state.db").read(count)
    assert caught.value.health is Health.UNREADABLE


@pytest.mark.parametrize("journal_mode", ["delete", "wal"])
def test_damage_counts_only_where_it_is_met(tmp_path: Path, journal_mode: str) -> None:
    path = database(tmp_path / "state.db")
    with Writer(path) as writer:
        writer.sql("CREATE TABLE fine(v)", "INSERT INTO fine VALUES(7)")
        writer.do("close")
        with path.open("r+b") as file:
            file.seek(5 * 4096)
            file.write(b"\xaa" * 4096 * 20)
        if journal_mode == "wal":
            writer.sql("PRAGMA journal_mode=WAL", "INSERT INTO fine VALUES(7)")

        def careful(connection: sqlite3.Connection) -> str:
            try:
                return str(count(connection))
            except sqlite3.DatabaseError as error:
                return str(error)

        with ZeroTouchReader(str(path)) as reader:
            assert reader.read(careful).value == "database disk image is malformed"
            assert reader.read(lambda c: c.execute("SELECT v FROM fine").fetchone()).value == (7,)
            with pytest.raises(StoreUnavailable) as caught:
                reader.read(count)
    assert caught.value.health is Health.UNREADABLE
    assert caught.value.reason == "SQLite says: database disk image is malformed"


@pytest.mark.parametrize("journal_mode", ["delete", "wal"])
def test_a_missing_table_is_the_callers_to_know(tmp_path: Path, journal_mode: str) -> None:
    path = database(tmp_path / "state.db", journal_mode=journal_mode)
    with (
        Writer(path) as writer,
        ZeroTouchReader(str(path)) as reader,
    ):
        writer.sql("INSERT INTO t VALUES(NULL, 'row')")
        with pytest.raises(sqlite3.OperationalError, match="no such table: other"):
            reader.read(lambda connection: connection.execute("SELECT * FROM other"))


def test_errors_of_a_query_reach_the_caller(tmp_path: Path) -> None:
    def query(connection: sqlite3.Connection) -> None:
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        ZeroTouchReader(str(database(tmp_path / "state.db"))).read(query)


class SettableClock:
    """A clock that is set by hand (UTC ms)."""

    def __init__(self) -> None:
        self.now = 1_000_000

    def __call__(self) -> int:
        return self.now


@pytest.mark.parametrize("mode", ["delete", "memory", "off"])
def test_held_by_a_writer_until_it_ends(tmp_path: Path, mode: str) -> None:
    path = database(tmp_path / "state.db")
    clock = SettableClock()
    with (
        Writer(path) as writer,
        ZeroTouchReader(str(path), budget=QUICK, clock=clock) as reader,
    ):
        assert reader.read(count).value == ROWS
        writer.sql(f"PRAGMA journal_mode={mode}", "BEGIN EXCLUSIVE")
        with pytest.raises(StoreUnavailable) as caught:
            reader.read(count)
        assert caught.value.health is Health.BUSY
        clock.now += 12_400
        with pytest.raises(StoreUnavailable) as later:
            reader.read(count)
        assert later.value.reason == "a writer has held the database for 12 s"
        assert later.value.since == 1_000_000
        writer.sql("INSERT INTO t(v) VALUES('row')", "COMMIT")
        assert reader.read(count).value == ROWS + 1
        writer.sql("BEGIN EXCLUSIVE")
        with pytest.raises(StoreUnavailable) as anew:
            reader.read(count)
        assert anew.value.since == clock.now


@pytest.mark.parametrize("mode", ["memory", "off"])
def test_half_written_without_a_journal(tmp_path: Path, mode: str) -> None:
    path = database(tmp_path / "state.db")
    with Writer(path) as writer, ZeroTouchReader(str(path), budget=QUICK) as reader:
        writer.sql(f"PRAGMA journal_mode={mode}", *SPILL)
        with pytest.raises(StoreUnavailable) as caught:
            reader.read(count)
        assert caught.value.health is Health.BUSY
        writer.sql("UPDATE t SET v = 'row'", "COMMIT")
        assert reader.read(count).value == 2 * ROWS


def test_a_leftover_journal_does_not_hide_a_writer_without_one(tmp_path: Path) -> None:
    path = database(tmp_path / "state.db")
    with Writer(path) as first, Writer(path) as second:
        first.sql("PRAGMA journal_mode=PERSIST", "INSERT INTO t(v) VALUES('row')")
        assert Path(f"{path}-journal").stat().st_size
        second.sql("PRAGMA journal_mode=MEMORY", *SPILL)
        with pytest.raises(StoreUnavailable) as caught:
            ZeroTouchReader(str(path), budget=QUICK).read(count)
        assert caught.value.health is Health.BUSY


def test_a_link_is_followed_wherever_it_leads(tmp_path: Path) -> None:
    first = database(tmp_path / "first" / "state.db", 3, journal_mode="wal")
    second = database(tmp_path / "second" / "state.db", 5)
    (tmp_path / "latest").symlink_to("first")
    path = tmp_path / "latest" / "state.db"
    with Writer(first) as writer, ZeroTouchReader(str(path)) as reader:
        writer.sql("INSERT INTO t(v) VALUES('row')")
        assert reader.read(count).value == 4
        assert not reader.changed()
        (tmp_path / "latest").unlink()
        (tmp_path / "latest").symlink_to("second")
        assert reader.changed()
        assert reader.read(count).value == 5
        assert reader.identity == (second.stat().st_dev, second.stat().st_ino)
        (tmp_path / "latest").unlink()
        with pytest.raises(StoreUnavailable) as caught:
            reader.read(count)
        assert caught.value.health is Health.GONE


@pytest.mark.parametrize("name", ["a?b#c%d e.db", "a&b=c.db", "ü‹.db", "'\".db"])
def test_any_name_is_only_a_name(tmp_path: Path, name: str) -> None:
    with ZeroTouchReader(str(database(tmp_path / name, 5))) as reader, untouched(tmp_path):
        assert reader.read(count).value == 5


def test_a_name_that_is_no_text(tmp_path: Path) -> None:
    path = os.fsencode(database(tmp_path / "state.db", 5)) + b"\xff"
    try:
        os.rename(path[:-1], path)
    except OSError:
        pytest.skip("this file system keeps names as text")
    assert ZeroTouchReader(os.fsdecode(path)).read(count).value == 5
    assert stat.S_ISREG(os.stat(path).st_mode)
