"""From a PATH, or from where one is, all runs are found, wherever a runtime puts them."""

import os
from pathlib import Path

import pytest

from inspector.query.discovery import discover
from inspector.store.discover import Candidate, Discovery, MissingPath, PlaceKind
from tests.case_archives import Cases
from tests.store.trees import RUN, database, file, run


def look(*paths: Path, cwd: Path | None = None, home: Path | None = None) -> Discovery:
    return discover(
        [str(path) for path in paths], home=str(home) if home else None, cwd=str(cwd or Path.cwd())
    )


def found(discovery: Discovery, kind: PlaceKind = PlaceKind.RUN_FOLDER) -> list[str]:
    return [candidate.path for candidate in discovery.candidates if candidate.kind is kind]


def outcomes(discovery: Discovery) -> dict[str, str]:
    return {looked.shown: looked.outcome for looked in discovery.looked}


@pytest.mark.parametrize("root", ["", ".prose", ".agents/prose", "packages/a", "packages/a/.prose"])
def test_runs_of_every_generation_are_found(tmp_path: Path, root: str) -> None:
    folder = run(tmp_path / root)
    expected = Candidate(
        str(folder), PlaceKind.RUN_FOLDER, str(tmp_path / root), runtime="openprose"
    )
    assert look(tmp_path).candidates == (expected,)


@pytest.mark.parametrize(
    ("place", "root"),
    [
        ("state/agents.db", ""),
        (".prose/agents.db", ".prose"),
        (".agents/prose/agents.db", ".agents/prose"),
        (".agents/prose/state/agents.db", ".agents/prose"),
    ],
)
def test_agents_are_found_even_when_empty(tmp_path: Path, place: str, root: str) -> None:
    path = file(tmp_path / place, b"")
    expected = Candidate(str(path), PlaceKind.AGENTS, str(tmp_path / root), None)
    assert look(tmp_path).candidates == (expected,)


def test_imported_programs_name_the_run_that_imports_them(tmp_path: Path) -> None:
    outer = run(tmp_path)
    inner = database(outer / "imports/alice--research/state.db").parent
    innermost = database(inner / "imports/bob--write/state.db").parent
    file(outer / "imports/readme.md")
    (outer / "imports/notes").mkdir()
    parents = {each.path: each.parent for each in look(tmp_path).candidates}
    assert parents == {
        str(outer): None,
        str(inner): str(outer),
        str(innermost): str(inner),
    }
    assert {each.root for each in look(tmp_path).candidates} == {str(tmp_path)}


def test_a_run_folder_counts_even_if_empty(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    empty = runs / "20260101-000000-abcdef"
    empty.mkdir(parents=True)
    pipe = runs / "pipe"
    pipe.mkdir()
    os.mkfifo(pipe / "state.db")
    folder = runs / "folder"
    (folder / "state.db").mkdir(parents=True)
    broken = runs / "broken"
    broken.mkdir()
    (broken / "state.db").symlink_to("nowhere")
    zero = file(runs / "zero/state.db", b"").parent
    log = file(runs / "log/vm.log.md").parent
    older_log = file(runs / "older/state.md").parent
    (runs / "not-a-run").mkdir()
    file(runs / "20260101-000000-a-file")
    expected = sorted(map(str, [empty, pipe, folder, broken, zero, log, older_log]))
    assert found(look(tmp_path)) == expected
    assert outcomes(look(tmp_path))[str(runs)] == "7 runs"


def test_without_a_path_the_current_folder_and_the_home_are_searched(tmp_path: Path) -> None:
    home, here = tmp_path / "home", tmp_path / "here"
    mine = run(here)
    users = [run(home / ".prose"), run(home / ".agents/prose")]
    agents = database(home / ".agents/prose/state/agents.db")
    database(home / "stray.db")
    discovery = look(cwd=here, home=home)
    assert found(discovery) == sorted(map(str, [mine, *users]))
    assert found(discovery, PlaceKind.AGENTS) == [str(agents)]
    assert found(discovery, PlaceKind.DATABASE) == []
    assert outcomes(discovery)["~/.prose"] == "1 run"
    assert outcomes(discovery)["./runs"] == "1 run"


def test_with_a_path_the_user_is_left_out(tmp_path: Path) -> None:
    home, here = tmp_path / "home", tmp_path / "here"
    run(home / ".prose")
    mine = run(here)
    discovery = look(here, cwd=tmp_path, home=home)
    assert found(discovery) == [str(mine)]
    assert not any(str(home) in root for root in discovery.watch_roots)


def test_an_empty_result_lists_the_searched_places(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (tmp_path / "here/.grimoire").mkdir(parents=True)
    (tmp_path / "here/runs").mkdir()
    discovery = look(cwd=tmp_path / "here", home=home)
    assert discovery.candidates == ()
    assert outcomes(discovery) == {
        "./runs": "empty",
        "./.prose/runs": "no such folder",
        "./.agents/prose/runs": "no such folder",
        "./.grimoire": "no database",
        "./*.db": "nothing more",
        "~/.agents/prose": "no such folder",
        "~/.prose": "no such folder",
    }


def test_places_that_are_not_there_yet_are_watched(tmp_path: Path) -> None:
    roots = look(cwd=tmp_path, home=tmp_path / "home").watch_roots
    for place in ("runs", ".prose/runs", ".grimoire", "home/.agents/prose/runs"):
        assert str(tmp_path / place) in roots


def test_a_path_may_be_a_runs_folder_a_run_a_database_or_one_of_its_files(tmp_path: Path) -> None:
    project = tmp_path / "project"
    folder, other = run(project), run(project, "20260401-000000-ffffff")
    agents = database(project / "state/agents.db")
    grimoire = database(project / ".grimoire/grimoire.db")
    file(Path(f"{grimoire}-wal"))
    assert found(look(project / "runs")) == [str(folder), str(other)]
    assert found(look(project / "runs"), PlaceKind.AGENTS) == [str(agents)]
    assert found(look(folder)) == [str(folder)]
    assert found(look(folder), PlaceKind.AGENTS) == [str(agents)]
    assert found(look(folder / "state.db")) == [str(folder)]
    assert found(look(folder, other)) == [str(folder), str(other)]
    for path in (grimoire, Path(f"{grimoire}-wal")):
        discovery = look(path)
        assert discovery.candidates == (
            Candidate(str(grimoire), PlaceKind.DATABASE, str(project), None),
        )


def test_a_run_copied_elsewhere_is_a_run(tmp_path: Path) -> None:
    copy = file(tmp_path / "copy/vm.log.md").parent
    older = file(tmp_path / "older/state.md").parent
    file(older / "program.prose")
    assert found(look(copy)) == [str(copy)]
    assert found(look(older)) == [str(older)]


def test_a_state_md_of_a_project_is_no_run(tmp_path: Path) -> None:
    file(tmp_path / "state.md")
    assert found(look(tmp_path)) == []
    assert found(look(cwd=tmp_path)) == []


def test_a_folder_of_run_folders_need_not_be_called_runs(tmp_path: Path) -> None:
    one = database(tmp_path / RUN / "state.db").parent
    two = file(tmp_path / "named-by-hand/state.db", b"").parent
    assert found(look(tmp_path)) == [str(one), str(two)]


def test_an_imported_program_given_alone_keeps_its_parent(tmp_path: Path) -> None:
    outer = run(tmp_path)
    inner = database(outer / "imports/alice--research/state.db").parent
    assert look(inner).candidates == (
        Candidate(str(inner), PlaceKind.RUN_FOLDER, str(tmp_path), str(outer), "openprose"),
    )


def test_a_named_file_is_proposed_under_any_name(tmp_path: Path) -> None:
    path = file(tmp_path / "sessions", b"not a database")
    assert found(look(path), PlaceKind.DATABASE) == [str(path)]


def test_a_missing_path_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(MissingPath, match=r"^There is no file or folder nowhere\. ") as caught:
        discover(["nowhere"], home=None, cwd=str(tmp_path))
    assert caught.value.filename == "nowhere"
    assert isinstance(caught.value, FileNotFoundError)


def test_relative_paths_start_at_the_current_folder(tmp_path: Path) -> None:
    folder = run(tmp_path / "project")
    assert found(discover(["project"], home=None, cwd=str(tmp_path))) == [str(folder)]


def test_every_case_yields_its_run(cases: Cases) -> None:
    expected = cases.expected("openprose")
    discovery = look(cases.folder("openprose"))
    runs = found(discovery)
    missing = [
        name
        for name in expected
        if name != "35_no_runs" and not any(f"/{name}/" in path for path in runs)
    ]
    assert missing == []
    assert not any("35_no_runs" in path for path in runs)
    logs = cases.folder("openprose-logs")
    assert len(found(look(logs))) == len(cases.expected("openprose-logs"))
