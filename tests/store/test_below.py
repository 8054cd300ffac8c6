"""Folders below a run folder: listed with a limit, and never through a link."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from inspector.store.files import safe_listdir, safe_walk
from tests.store.builders import untouched


def test_names_kinds_and_sizes(tmp_path: Path) -> None:
    folder = tmp_path / "bindings"
    (folder / "deep").mkdir(parents=True)
    (folder / "b.md").write_bytes(b"12345")
    (folder / "a.md").write_bytes(b"")
    os.mkfifo(folder / "pipe")
    (folder / "link").symlink_to("/etc/passwd")
    with untouched(folder):
        found = safe_listdir(str(tmp_path), ("bindings",))
    assert [entry.name for entry in found.entries] == ["a.md", "b.md", "deep", "link", "pipe"]
    assert [(one.name, one.size) for one in found.files()] == [("a.md", 0), ("b.md", 5)]
    assert [one.name for one in found.folders()] == ["deep"]
    assert not found.cut and not found.denied
    assert found.mtime_ns == folder.stat().st_mtime_ns


def test_a_link_on_the_way_leads_nowhere(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (outside / "inner").mkdir(parents=True)
    (outside / "secret.md").write_text("x")
    run = tmp_path / "run"
    run.mkdir()
    (run / "workspace").symlink_to(outside)
    (run / "bindings").mkdir()
    (run / "bindings/inner").symlink_to(outside / "inner")
    assert safe_listdir(str(run), ("workspace",)).entries == ()
    assert safe_listdir(str(run), ("workspace", "inner")).entries == ()
    assert safe_listdir(str(run), ("bindings", "inner")).entries == ()


@pytest.mark.parametrize("part", ["..", ".", "", "a/b", "/etc", "\0", "missing"])
def test_only_names_are_followed(tmp_path: Path, part: str) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    assert safe_listdir(str(tmp_path), (part,)).entries == ()


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "bindings").write_text("x")
    assert safe_listdir(str(tmp_path), ("bindings",)).entries == ()


def test_files_in_folders_inside_one_another(tmp_path: Path) -> None:
    for name in ("w/b/c/d/e/f.md", "w/b/a.md", "w/z.md", "other/x.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "w/up").symlink_to(tmp_path)
    found, more = safe_walk(str(tmp_path), "w")
    assert [path for path, _ in found] == ["w/b/a.md", "w/z.md"] and more
    found, more = safe_walk(str(tmp_path), "w", deepest=9)
    assert [path for path, _ in found] == ["w/b/a.md", "w/b/c/d/e/f.md", "w/z.md"] and not more
    found, more = safe_walk(str(tmp_path), "w", limit=1, deepest=9)
    assert len(found) == 1 and more
    (tmp_path / "sources").symlink_to(tmp_path / "w")
    assert safe_walk(str(tmp_path), "sources") == ([], False)


def test_no_more_than_the_limit(tmp_path: Path) -> None:
    for number in range(10):
        (tmp_path / str(number)).touch()
    assert safe_listdir(str(tmp_path), limit=4).cut
    assert len(safe_listdir(str(tmp_path), limit=4).entries) == 4
    assert not safe_listdir(str(tmp_path), limit=10).cut
