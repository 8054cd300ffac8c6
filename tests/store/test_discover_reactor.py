"""A reactor's state folder is proposed where it lies, by how it is laid out."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.query.discovery import discover
from inspector.store.discover import Candidate, PlaceKind


def state(folder: Path, *names: str) -> Path:
    """A folder with these files and folders; a name that ends with a slash is a folder."""
    folder.mkdir(parents=True)
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith("/"):
            path.mkdir()
        else:
            path.write_text("[]")
    return folder


def proposed(path: Path, cwd: Path) -> list[tuple[str, PlaceKind]]:
    found = discover([str(path)], home=None, cwd=str(cwd))
    return [(one.path, one.kind) for one in found.candidates]


LAID_OUT = [
    ("receipts.json", "compile/topology.json", "world-models/"),
    ("compile/topology.json",),
    ("receipts.json", "world-models/"),
]


@pytest.mark.parametrize("names", LAID_OUT)
def test_named_or_below_a_project(tmp_path: Path, names: tuple[str, ...]) -> None:
    folder = state(tmp_path / "project/examples/relay/replay", *names)
    expected = [(str(folder), PlaceKind.RUN_FOLDER)]
    assert proposed(folder, tmp_path) == expected
    assert proposed(tmp_path / "project", tmp_path) == expected
    found = discover([], home=None, cwd=str(folder))
    assert [one.path for one in found.candidates] == [str(folder)]


def test_its_receipts_lead_to_it(tmp_path: Path) -> None:
    folder = state(tmp_path / ".reactor", "receipts.json", "compile/topology.json")
    found = discover([str(folder / "receipts.json")], home=None, cwd=str(tmp_path))
    expected = Candidate(str(folder), PlaceKind.RUN_FOLDER, str(tmp_path), runtime="openprose")
    assert found.candidates == (expected,)
    assert str(folder) in found.watch_folders


@pytest.mark.parametrize("names", [("receipts.json",), ("compile/other.json",), ("world-models/",)])
def test_a_name_alone_is_too_common(tmp_path: Path, names: tuple[str, ...]) -> None:
    assert proposed(state(tmp_path / "state", *names), tmp_path) == []


def test_other_databases_there_are_still_found(tmp_path: Path) -> None:
    state(tmp_path / "p/.reactor", "receipts.json", "compile/topology.json", "world-models/ab/x.db")
    state(tmp_path / "p/runs/20260317-143052-a7b3c9", "vm.log.md")
    assert proposed(tmp_path / "p", tmp_path) == [
        (str(tmp_path / "p/.reactor"), PlaceKind.RUN_FOLDER),
        (str(tmp_path / "p/runs/20260317-143052-a7b3c9"), PlaceKind.RUN_FOLDER),
    ]
