"""Private copies are private, gone afterwards, and swept where a killed process left them."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.model.store import Health
from inspector.store import private
from inspector.store.read import StoreUnavailable, ZeroTouchReader
from tests.store.builders import ROWS, count, database
from tests.store.writers import ROOT, Writer

KILLED = """
import os, signal, sys
from inspector.store.private import private_folder
print(private_folder(0, sys.argv[1]).path, flush=True)
signal.pause()
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    place = tmp_path / "private"
    place.mkdir()
    return place


def everything_in(place: Path) -> list[Path]:
    return list(place.rglob("*"))


def test_private_and_gone_when_closed(tmp_path: Path, place: Path) -> None:
    path = database(tmp_path / "state.db", journal_mode="wal")
    with Writer(path) as writer:
        writer.sql("INSERT INTO t(v) VALUES('row')")
        with ZeroTouchReader(str(path), private_root=str(place)) as reader:
            reader.read(count)
            (folder,) = place.iterdir()
            assert str(os.getpid()) in folder.name
            for entry in (folder, *everything_in(folder)):
                expected = 0o700 if entry.is_dir() else 0o600
                assert stat.S_IMODE(entry.stat().st_mode) == expected
            assert any(entry.name == "image" for entry in everything_in(folder))
        assert everything_in(place) == []
        assert reader.read(count).value == ROWS + 1
        reader.close()
        reader.close()
        assert everything_in(place) == []


def test_readers_do_not_share(place: Path) -> None:
    first, second = (private.private_folder(0, str(place)) for _ in range(2))
    assert first.path != second.path
    first.close()
    assert os.path.isdir(second.path)
    second.close()
    assert everything_in(place) == []


def test_folders_of_killed_processes_are_removed(place: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(place)], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert process.stdout is not None
    with process.stdout as output:
        left = Path(output.readline().strip())
    assert private.sweep(str(place)) == 0, "it lives"
    assert left.is_dir()
    process.kill()
    process.wait()
    stranger = place / "inspector-notes"
    stranger.mkdir()
    link = place / "inspector-1-link"
    link.symlink_to(stranger)
    folder = private.private_folder(0, str(place))
    assert not left.exists()
    assert stranger.exists() and link.is_symlink()
    folder.close()


def test_a_normal_end_leaves_nothing(place: Path) -> None:
    code = KILLED.replace("signal.pause()", "")
    subprocess.run([sys.executable, "-c", code, str(place)], check=True, cwd=ROOT)
    assert everything_in(place) == []


def test_the_first_place_with_room_is_used(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = tmp_path / "small"
    small.mkdir()
    real = os.statvfs

    def played(path: str) -> os.statvfs_result:
        room = list(real(path))
        room[1], room[4] = 1, 1000 if path == str(small) else 1600
        return os.statvfs_result(room)

    monkeypatch.setattr(os, "statvfs", played)
    places = [str(tmp_path / "missing"), str(small), str(place)]
    monkeypatch.setattr(private, "_places", lambda: iter(places))
    for size, taken in [(600, small), (1000, place)]:
        folder = private.private_folder(size)
        assert Path(folder.path).parents[1] == taken
        folder.close()
    with pytest.raises(StoreUnavailable) as caught:
        private.private_folder(2_000_000)
    assert caught.value.health is Health.UNREADABLE
    assert "needs 3.0 MB" in caught.value.reason


def test_where_copies_go(hermetic: Path) -> None:
    assert list(private._places()) == [
        "/dev/shm",
        str(hermetic / "run"),
        str(hermetic / "home" / ".cache" / "inspector"),
    ]


def test_without_room_only_reads_that_need_a_copy_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(private, "_has_room", lambda place, size: False)
    assert ZeroTouchReader(str(database(tmp_path / "plain.db"))).read(count).value == ROWS
    path = database(tmp_path / "state.db", journal_mode="wal")
    with Writer(path) as writer:
        writer.sql("INSERT INTO t(v) VALUES('row')")
        with pytest.raises(StoreUnavailable, match="MB for a private copy"):
            ZeroTouchReader(str(path)).read(count)
