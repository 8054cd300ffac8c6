"""Looking ends, opens no more than it must, and says what it could not see."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from inspector.query.discovery import discover
from inspector.store.discover import Discovery, Limits, PlaceKind
from inspector.store.places import SKIPPED
from tests.store.trees import database, file, run


def look(path: Path, limits: Limits | None = None) -> Discovery:
    return discover([str(path)], home=None, cwd=str(path), limits=limits or Limits())


def databases(discovery: Discovery) -> list[str]:
    return [each.path for each in discovery.candidates if each.kind is PlaceKind.DATABASE]


def codes(discovery: Discovery) -> list[tuple[str, str | None]]:
    return [(notice.code, notice.path) for notice in discovery.notices]


@pytest.mark.parametrize("name", ["a.db", "b.sqlite", "c.sqlite3", "D.DB", ".prism/sessions.db"])
def test_databases_are_known_by_name_and_first_bytes(tmp_path: Path, name: str) -> None:
    path = database(tmp_path / "data" / name)
    file(tmp_path / "data/notes.db", b"plain text, long enough to be a header")
    file(tmp_path / "data/empty.db", b"")
    database(tmp_path / "data/picture.png")
    assert databases(look(tmp_path)) == [str(path)]


@pytest.mark.parametrize("name", ["prism.db", ".grimoire/grimoire.db"])
def test_a_runtimes_own_name_is_enough(tmp_path: Path, name: str) -> None:
    path = file(tmp_path / "deep" / name, b"")
    assert databases(look(tmp_path)) == [str(path)]


def test_five_folders_deep_and_no_deeper(tmp_path: Path) -> None:
    deep = database(tmp_path / "1/2/3/4/5/found.db")
    database(tmp_path / "1/2/3/4/5/6/lost.db")
    assert databases(look(tmp_path)) == [str(deep)]


@pytest.mark.parametrize("folder", sorted(SKIPPED))
def test_dependencies_and_build_output_are_skipped(tmp_path: Path, folder: str) -> None:
    database(tmp_path / folder / "x.db")
    assert databases(look(tmp_path)) == []


@pytest.mark.parametrize("mark", ["pyvenv.cfg", "CACHEDIR.TAG"])
def test_a_folder_that_says_so_itself_is_not_entered(tmp_path: Path, mark: str) -> None:
    database(tmp_path / "env/x.db")
    file(tmp_path / "env" / mark)
    assert databases(look(tmp_path)) == []


def test_too_many_names_end_the_search_with_a_notice(tmp_path: Path) -> None:
    near = database(tmp_path / "a.db")
    for number in range(30):
        file(tmp_path / "many" / f"{number}.txt")
    folder = run(tmp_path)
    discovery = look(tmp_path, Limits(entries=20))
    assert databases(discovery) == [str(near)]
    assert str(folder) in [each.path for each in discovery.candidates]
    assert codes(discovery) == [("limit", str(tmp_path))]
    assert codes(look(tmp_path, Limits(entries=40))) == []


def test_runs_do_not_count_as_names_on_the_way(tmp_path: Path) -> None:
    for number in range(30):
        run(tmp_path, f"20260101-000000-{number:06}")
    late = database(tmp_path / "z/late.db")
    discovery = look(tmp_path, Limits(entries=20))
    assert len(discovery.candidates) == 31
    assert databases(discovery) == [str(late)]
    assert codes(discovery) == []


def test_a_folder_of_too_many_runs_says_so(tmp_path: Path) -> None:
    for number in range(5):
        run(tmp_path, f"20260101-000000-{number:06}")
    discovery = look(tmp_path, Limits(runs=3))
    assert len(discovery.candidates) == 3
    assert codes(discovery) == [("limit", str(tmp_path / "runs"))]


def test_links_are_followed_once(tmp_path: Path) -> None:
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    folder = run(project)
    archived = database(elsewhere / "20250101-000000-archiv/state.db").parent
    stray = database(elsewhere / "data/stray.db")
    (project / "runs/latest").symlink_to(folder.name)
    (project / "runs/archived").symlink_to(archived)
    (project / "data").symlink_to(elsewhere / "data")
    (project / "data-again").symlink_to(elsewhere / "data")
    (project / "alias.db").symlink_to(stray)
    (project / "broken.db").symlink_to("nowhere")
    discovery = look(project)
    paths = [each.path for each in discovery.candidates]
    assert paths == sorted(map(str, [folder, archived, stray]))
    assert codes(discovery) == []


def test_loops_are_cut(tmp_path: Path) -> None:
    folder = run(tmp_path)
    (folder / "imports").mkdir()
    (folder / "imports/me--again").symlink_to("../..")
    (tmp_path / "up").symlink_to(tmp_path)
    (tmp_path / "self").symlink_to("self")
    discovery = look(tmp_path)
    assert [each.path for each in discovery.candidates] == [str(folder)]
    assert codes(discovery) == [
        ("link_loop", str(folder / "imports/me--again")),
        ("link_loop", str(tmp_path / "self")),
        ("link_loop", str(tmp_path / "up")),
    ]


def test_links_that_lead_to_each_other_are_followed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = run(tmp_path, "20260101-000000-000001"), run(tmp_path, "20260101-000000-000002")
    for folder, other in ((one, two), (two, one)):
        (folder / "imports").mkdir()
        (folder / "imports/the--other").symlink_to(other)
    for name, target in (("a", "b"), ("b", "a")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "link").symlink_to(tmp_path / target)
    entered: list[str] = []
    scandir = os.scandir

    def recording(path: str) -> Any:
        entered.append(path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", recording)
    discovery = look(tmp_path)
    assert [each.path for each in discovery.candidates] == [str(one), str(two)]
    assert codes(discovery) == []
    there = [path for path in entered if os.path.isdir(path)]
    assert str(tmp_path / "a") in there
    assert sorted(set(there)) == sorted(there)


def test_imports_within_imports_end(tmp_path: Path) -> None:
    folder = run(tmp_path)
    for _ in range(5):
        folder = database(folder / "imports/a--b/state.db").parent
    discovery = look(tmp_path, Limits(imports=3))
    assert len(discovery.candidates) == 4
    assert [code for code, _ in codes(discovery)] == ["limit"]


@contextmanager
def opening() -> Iterator[list[str]]:
    """The paths that are opened meanwhile."""
    opened: list[str] = []
    real = os.open

    def recorder(path: Any, flags: int, *rest: Any, **named: Any) -> int:
        opened.append(str(path))
        return real(path, flags, *rest, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "open", recorder)
        yield opened


def test_only_files_named_like_a_database_are_opened(tmp_path: Path) -> None:
    run(tmp_path)
    pipe = tmp_path / "pipe.db"
    os.mkfifo(pipe)
    file(tmp_path / "secret.txt")
    path = database(tmp_path / "a.db")
    with opening() as opened:
        discovery = look(tmp_path)
    assert opened == [str(path)]
    assert codes(discovery) == [("refused", str(pipe))]


def test_a_pipe_that_is_named_is_refused(tmp_path: Path) -> None:
    pipe = tmp_path / "a.db"
    os.mkfifo(pipe)
    with opening() as opened:
        discovery = look(pipe)
    assert opened == []
    assert discovery.candidates == ()
    assert codes(discovery) == [("refused", str(pipe))]


def test_an_unreadable_folder_is_one_notice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = run(tmp_path)
    closed = tmp_path / "closed"
    closed.mkdir()
    scandir = os.scandir

    def refusing(path: str) -> Any:
        if path == str(closed):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    discovery = look(tmp_path)
    assert [each.path for each in discovery.candidates] == [str(folder)]
    assert codes(discovery) == [("unreadable", str(closed))]
    assert discovery.notices[0].message == f"{closed} cannot be read: Permission denied."


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize("mode", [0o000, 0o400])
def test_each_unreadable_folder_has_one_notice(tmp_path: Path, mode: int) -> None:
    readable = run(tmp_path, "20260101-000000-aaaaaa")
    closed_run = run(tmp_path, "20260101-000000-bbbbbb")
    closed_project = tmp_path / "closed"
    run(closed_project)
    for folder in (closed_run, closed_project):
        folder.chmod(mode)
    try:
        discovery = look(tmp_path)
        named = look(closed_project)
    finally:
        for folder in (closed_run, closed_project):
            folder.chmod(0o700)
    assert [each.path for each in discovery.candidates] == [str(readable), str(closed_run)]
    assert codes(discovery) == [
        ("unreadable", str(closed_project)),
        ("unreadable", str(closed_run)),
    ]
    assert codes(named) == [("unreadable", str(closed_project))]


def test_discovery_is_deterministic(tmp_path: Path) -> None:
    for number in (3, 1, 2):
        run(tmp_path / f"p{number}", f"20260101-000000-00000{number}")
        database(tmp_path / f"{number}.db")
    discovery = look(tmp_path)
    paths = [each.path for each in discovery.candidates]
    assert paths == sorted(paths)
    assert look(tmp_path) == discovery


def test_a_run_costs_one_question_and_is_not_entered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = 200
    for number in range(runs):
        run(tmp_path, f"20260101-000000-{number:06}")
    asked = {"lstat": 0, "stat": 0, "scandir": 0, "open": 0}
    for name in asked:
        real = getattr(os, name)

        def counting(*given: Any, real: Any = real, name: str = name, **named: Any) -> Any:
            asked[name] += 1
            return real(*given, **named)

        monkeypatch.setattr(os, name, counting)
    assert len(look(tmp_path / "runs").candidates) == runs
    few = 60
    assert asked["lstat"] <= runs + few
    assert asked["stat"] + asked["scandir"] + asked["open"] <= few
