"""What the demonstration promises to hold, and that it touches nothing but its own folder."""

import os
import sqlite3
import stat
from pathlib import Path

import pytest

from inspector.demo.workspace import DemoWorkspace, create, remove_marked
from inspector.model.status import Status
from inspector.model.step import StepKind
from inspector.query.openprose.fold import fold
from inspector.query.openprose.state import State
from tests.demo.made import NOW, content, events_of, folder_of, folders, query

HOUR = 3_600

# Suffix of the run's id → its raw status and the number of its events.
PROMISED = {
    "a7b3c9": ("running", 38),
    "6a7e00": ("running", 3),
    "c0ffee": ("failed", 14),
    "77d0e1": ("interrupted", 42),
    "9d01aa": ("completed", 53),
    "b1b1b1": ("running", 12),
    "4a4a90": ("completed", 9),
    "0a71e5": ("completed", 47),
    "7ea1a7": ("completed", 5),
    "a4c41e": ("completed", 5000),
    "57a46e": ("failed", 21),
}


def branch(state: State, name: str) -> int:
    """The newest step of a branch with this name."""
    steps = state.steps
    return max(
        step
        for step in range(len(steps.label))
        if steps.kind_of(step) is StepKind.BRANCH and steps.segment[step] == name
    )


@pytest.mark.parametrize("suffix", PROMISED)
def test_every_promised_run_is_there(made: DemoWorkspace, suffix: str) -> None:
    folder = folder_of(made, suffix)
    status, events = PROMISED[suffix]
    assert query(folder, "SELECT id, status FROM run") == [(folder.name, status)]
    assert query(folder, "SELECT count(*) FROM execution") == [(events,)]


def test_the_live_run_stands_where_its_branch_failed_twice(made: DemoWorkspace) -> None:
    folder = folder_of(made, "a7b3c9")
    state = fold(events_of(folder))
    steps = state.steps
    checker, stylist = branch(state, "fact-checker"), branch(state, "stylist")
    assert steps.status_of(checker) is Status.FAILED
    assert [tried.error for tried in steps.attempts(checker)] == [
        "HTTP 503",
        "Connection timeout after 30s\ncalling search.fetch",
    ]
    assert [tried.last_event for tried in steps.attempts(checker)] == [30, 36]
    assert steps.status_of(branch(state, "critic")) is Status.COMPLETED
    assert steps.status_of(stylist) is Status.RUNNING
    above = [steps.kind_of(step) for step in steps.ancestors(checker)]
    assert above == [StepKind.PARALLEL, StepKind.ITERATION, StepKind.LOOP]
    loop = list(steps.ancestors(checker))[-1]
    assert steps.more(loop).of == 5
    assert steps.segment[list(steps.ancestors(checker))[1]] == 3
    assert not state.remarks
    assert query(folder, "SELECT count(*) FROM bindings") == [(14,)]
    assert (folder / "attachments/findings.md").stat().st_size == 847_000


def test_the_quiet_run_leaves_a_branch_unconfirmed(made: DemoWorkspace) -> None:
    folder = folder_of(made, "b1b1b1")
    state = fold(events_of(folder))
    status = {name: state.steps.status_of(branch(state, name)) for name in "abcd"}
    assert status == {
        "a": Status.COMPLETED,
        "b": Status.COMPLETED,
        "c": Status.PENDING,
        "d": Status.PENDING,
    }
    assert query(folder, "SELECT name FROM bindings WHERE name IN ('c', 'd')") == [("c",)]
    newest = max(file.stat().st_mtime for file in folder.rglob("*") if file.is_file())
    assert 11 * HOUR <= NOW / 1000 - newest < 12 * HOUR


@pytest.mark.parametrize("suffix", [name for name in PROMISED if name != "6a7e00"])
def test_rows_fold_without_a_remark(made: DemoWorkspace, suffix: str) -> None:
    assert not fold(events_of(folder_of(made, suffix))).remark_counts


def test_variants_and_write_styles(made: DemoWorkspace) -> None:
    older = folder_of(made, "4a4a90")
    assert older.parent == Path(made.root, ".prose/runs")
    assert (older / "program.prose").is_file()
    assert query(older, "SELECT kind FROM bindings LIMIT 1") == [("input",)]
    assert query(older, "SELECT count(*) FROM execution WHERE completed_at IS NULL") == [(0,)]
    assert query(older, "SELECT count(*) FROM execution WHERE started_at > completed_at") == [(0,)]
    middle = folder_of(made, "7ea1a7")
    assert middle.parent == Path(made.root, ".agents/prose/runs")
    assert query(middle, "SELECT binding FROM bindings LIMIT 1") == [("input",)]
    assert not query(middle, "SELECT 1 FROM sqlite_master WHERE name = 'receipt'")
    newest = folder_of(made, "a7b3c9")
    assert query(newest, "SELECT DISTINCT started_at, completed_at FROM execution") == [
        (None, None)
    ]
    for name in ("root.prose.md", "compiled-intent.json", "sources/deep-research.prose.md"):
        assert (newest / name).is_file()
    assert (Path(made.root) / "state/agents.db").is_file()
    assert (folder_of(made, "0a71e5") / "imports/demo--titles/state.db").is_file()


def test_names_are_bound_in_the_frames_of_calls(made: DemoWorkspace) -> None:
    folder = folder_of(made, "0a71e5")
    (depth,) = query(
        folder,
        "WITH RECURSIVE up(id, n) AS (SELECT id, 1 FROM execution WHERE parent_id IS NULL "
        "UNION SELECT e.id, n + 1 FROM execution e JOIN up ON e.parent_id = up.id "
        "WHERE e.status = 'started') SELECT max(n) FROM up",
    )
    assert depth == (4,)
    scopes = query(folder, "SELECT count(DISTINCT execution_id) FROM bindings WHERE name='title'")
    assert scopes == [(15,)]


def test_the_waiting_run_has_a_gate_with_a_deadline_ahead(made: DemoWorkspace) -> None:
    folder = folder_of(made, "6a7e00")
    sql = "SELECT status, timeout_at > '2026-01-16 14:32:07', execution_id FROM gates"
    assert query(folder, sql) == [("pending", 1, 3)]


def test_one_store_cannot_be_read_and_one_run_has_a_log_instead(made: DemoWorkspace) -> None:
    with pytest.raises(sqlite3.DatabaseError, match="not a database"):
        query(folder_of(made, "0ddba1"), "SELECT * FROM run")
    assert (folder_of(made, "10a6ed") / "vm.log.md").read_text().startswith("# run:")


def test_runs_are_as_old_as_they_pretend(made: DemoWorkspace) -> None:
    for folder in folders(made):
        begun = folder.stat().st_mtime
        assert begun <= NOW / 1000
        newest = max(file.stat().st_mtime for file in folder.rglob("*"))
        assert newest == begun
    live = folder_of(made, "a7b3c9") / "state.db"
    assert live.stat().st_mtime == NOW / 1000
    assert len({folder.name[:8] for folder in folders(made)}) >= 6


def test_the_same_clock_makes_the_same_runs(made: DemoWorkspace, tmp_path: Path) -> None:
    again = create(str(tmp_path / "new"), clock=lambda: NOW)
    assert content(again.root) == content(made.root)


def test_ids_follow_the_clock(made: DemoWorkspace, tmp_path: Path) -> None:
    later = create(str(tmp_path / "new"), clock=lambda: NOW + 1000)
    assert folder_of(later, "a7b3c9").name == "20260116-142957-a7b3c9"
    assert folder_of(made, "a7b3c9").name == "20260116-142956-a7b3c9"


def test_its_own_folder_is_private_and_goes_with_it(hermetic: Path) -> None:
    before = sorted(hermetic.rglob("*"))
    workspace = create(clock=lambda: NOW)
    try:
        assert workspace.owned
        assert stat.S_IMODE(os.stat(workspace.root).st_mode) == 0o700
        assert os.path.realpath(workspace.root) == workspace.root
        assert sorted(hermetic.rglob("*")) == before
    finally:
        workspace.remove()
    assert not os.path.exists(workspace.root)


def test_a_folder_of_ones_own_stays(tmp_path: Path) -> None:
    workspace = create(str(tmp_path / "mine"), clock=lambda: NOW)
    workspace.remove()
    remove_marked(workspace.root)
    assert folders(workspace)


def test_a_folder_that_holds_something_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(FileExistsError, match="not empty"):
        create(str(tmp_path), clock=lambda: NOW)
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.txt"]
