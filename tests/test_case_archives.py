"""Archives are found, replaced, unpacked once and copied as they are."""

import os
import stat
import tarfile
from pathlib import Path

import pytest

from tests.case_archives import OURS, VARIABLE, Cases, archive_folders, find_archive, unpack


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """An archive with a file of a certain age, a link and a FIFO."""
    case = tmp_path / "made" / "example" / "case"
    case.mkdir(parents=True)
    (case / "state.db").write_bytes(b"data")
    os.utime(case / "state.db", ns=(10**18, 10**18))
    (case / "link").symlink_to("state.db")
    os.mkfifo(case / "fifo")
    packed = tmp_path / "archives" / "example.tar.xz"
    packed.parent.mkdir()
    with tarfile.open(packed, "w:xz") as tar:
        tar.add(case.parent, "example")
    return packed


def test_every_archive_of_ours_can_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    for name in ("openprose", "openprose-logs", "grimoire", "prism", "faults", "postgres"):
        assert find_archive(name, archive_folders()) == OURS / f"{name}.tar.xz"


def test_an_archive_of_the_variable_replaces_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    (tmp_path / "prism.tar.xz").touch()
    assert find_archive("prism", archive_folders()) == tmp_path / "prism.tar.xz"
    assert find_archive("grimoire", archive_folders()) == OURS / "grimoire.tar.xz"
    assert find_archive("nothing", archive_folders()) is None


def test_a_copy_keeps_fifos_links_and_times(archive: Path, tmp_path: Path) -> None:
    cases = Cases((archive.parent,), tmp_path / "scratch")
    copy = cases.copy("example", "case", tmp_path / "copies")
    assert stat.S_ISFIFO(os.lstat(copy / "fifo").st_mode)
    assert os.readlink(copy / "link") == "state.db"
    assert (copy / "state.db").stat().st_mtime_ns == 10**18


def test_an_archive_is_unpacked_once_and_named_after_its_file(
    archive: Path, tmp_path: Path
) -> None:
    renamed = archive.rename(archive.with_name("other.tar.xz"))
    folder = unpack(renamed, tmp_path / "scratch")
    assert folder == tmp_path / "scratch" / "other"
    (folder / "mark").touch()
    assert (unpack(renamed, tmp_path / "scratch") / "mark").exists()


def test_a_test_without_its_archive_is_skipped(tmp_path: Path) -> None:
    with pytest.raises(pytest.skip.Exception, match=r"needs nothing\.tar\.xz"):
        Cases((tmp_path,), tmp_path / "scratch").folder("nothing")
