"""The writer process: it writes as the runtimes do, and ends with the process that started it."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from inspector.demo.recording import Cue, Library, Schedule, schedules
from inspector.demo.workspace import DemoWorkspace, create, start_writers
from inspector.demo.writer import MAX_ENDED_RUNS, Stage
from inspector.query.workspace import Workspace
from tests.demo.made import NOW, broken_chains, folder_of, folders, query, receipts_of
from tests.process.gone import gone_within, is_gone
from tests.waiting import wait_until

ROOT = Path(__file__).parents[2]
QUICK = 300.0


@pytest.fixture
def workspace(tmp_path: Path, set_now: Callable[[str], None]) -> DemoWorkspace:
    set_now(str(NOW))
    return create(str(tmp_path / "demo"), clock=lambda: NOW)


def status_in_another_process(folder: Path) -> str:
    """Nothing of ours may open a database that the writer has open."""
    program = (
        "import sqlite3, sys\n"
        "print(*sqlite3.connect(sys.argv[1], timeout=5).execute('SELECT status FROM run'))"
    )
    command = [sys.executable, "-c", program, str(folder / "state.db")]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_the_live_run_goes_on_to_its_end(workspace: DemoWorkspace) -> None:
    folder = folder_of(workspace, "a7b3c9")
    others = set(folders(workspace))
    with start_writers(workspace, speed=QUICK) as writers:
        wait_until(lambda: "completed" in status_in_another_process(folder))
        wait_until(lambda: len(set(folders(workspace)) - others) >= 3)
        assert writers.running
    assert not writers.running
    assert [row[0] for row in query(folder, "SELECT id FROM execution")] == list(range(1, 54))
    sql = "SELECT count(*), count(DISTINCT prev) FROM receipt WHERE node = 'draft'"
    assert query(folder, sql) == [(8, 7)]
    assert not list(Path(workspace.root).rglob("*-journal"))
    new = set(folders(workspace)) - others
    for run in new:
        assert query(run, "SELECT id FROM run") == [(run.name,)]
    assert {row for run in new for row in query(run, "PRAGMA integrity_check")} == {("ok",)}


def asked_in_another_process(path: Path, sql: str) -> list[str]:
    """One row's cells; empty while a writer is at it."""
    program = (
        "import sqlite3, sys\n"
        "database = sqlite3.connect(f'file:{sys.argv[1]}?mode=ro', uri=True, timeout=5)\n"
        "print(*database.execute(sys.argv[2]).fetchone())"
    )
    command = [sys.executable, "-c", program, str(path), sql]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def test_prism_stays_open_and_casts_end_one_after_the_other(workspace: DemoWorkspace) -> None:
    prism, grimoire = (Path(workspace.root, name) for name in ("prism.db", ".grimoire/grimoire.db"))
    live = "SELECT status FROM prism_runs WHERE id = 'r-7f2c'"
    planted = int(asked_in_another_process(grimoire, "SELECT count(*) FROM runs")[0])
    with start_writers(workspace, speed=QUICK) as writers:
        wait_until(lambda: asked_in_another_process(prism, live) == ["succeeded"])
        wait_until(
            lambda: (
                int(asked_in_another_process(grimoire, "SELECT count(*) FROM ledger")[0])
                > planted + 1
            )
        )
        assert writers.running
        assert Path(f"{prism}-wal").stat().st_size
    assert not Path(f"{prism}-wal").exists()
    sql = "SELECT count(*), max(sequence) FROM prism_agent_events WHERE run_id = 'r-7f2c'"
    count, newest = asked_in_another_process(prism, sql)
    assert count == newest
    for path in (prism, grimoire):
        assert asked_in_another_process(path, "PRAGMA integrity_check") == ["ok"]


def test_a_lock_delays_a_row_and_loses_none(workspace: DemoWorkspace) -> None:
    folder = folder_of(workspace, "a7b3c9")
    program = (
        "import sqlite3, sys, time\n"
        "database = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "database.execute('BEGIN EXCLUSIVE')\n"
        "print('locked', flush=True)\n"
        "sys.stdin.read()\n"
    )
    with (
        subprocess.Popen(
            [sys.executable, "-c", program, str(folder / "state.db")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as holder,
        start_writers(workspace, speed=QUICK) as writers,
    ):
        assert holder.stdout is not None and holder.stdin is not None
        assert holder.stdout.readline() == b"locked\n"
        others = set(folders(workspace))
        wait_until(lambda: len(set(folders(workspace)) - others) >= 2)
        holder.stdin.close()
        holder.wait()
        wait_until(lambda: "completed" in status_in_another_process(folder))
        assert writers.running
    assert query(folder, "SELECT count(*), max(id) FROM execution") == [(53, 53)]


@pytest.mark.slow
def test_a_finished_play_passes_every_verdict(workspace: DemoWorkspace) -> None:
    planted = set(folders(workspace))
    with start_writers(workspace, speed=QUICK, forever=False) as writers:
        assert writers.wait(120) == 0, writers.errors()
    (openprose,) = (each for each in schedules() if each.runtime == "openprose")
    new = [folder for folder in folders(workspace) if folder not in planted]
    assert len(new) == len(openprose.cast)
    # Older generations of the tables have no receipts.
    receipts = {
        run.name: receipts_of(run)
        for run in new
        if run.parent.name == "runs" and run.parents[1] == Path(workspace.root)
    }
    assert any(receipts.values())
    assert not any(broken_chains(rows) for rows in receipts.values())
    read = Workspace([workspace.root], lambda: NOW, workspace.root)
    stores = [store for store, _ in read.summaries()]
    read.close()
    verdicts = {store.verdict for store in stores if store.runtime == "prism"}
    assert verdicts == {"verified_current"}
    assert [Path(store.path).parent.name for store in stores if store.health != "ok"] == [
        folder_of(workspace, "0ddba1").name
    ]


def test_stop_removes_a_folder_that_was_made_for_it() -> None:
    workspace = create(clock=lambda: NOW)
    with start_writers(workspace, speed=QUICK) as writers:
        assert os.path.isdir(workspace.root)
    assert is_gone(writers.pid)
    assert not os.path.exists(workspace.root)
    writers.stop()


def test_a_killed_parent_leaves_neither_writer_nor_folder() -> None:
    program = (
        "import time\n"
        "from inspector.demo.workspace import create, start_writers\n"
        f"workspace = create(clock=lambda: {NOW})\n"
        "writers = start_writers(workspace, speed=5)\n"
        "print(writers.pid, workspace.root, flush=True)\n"
        "time.sleep(60)\n"
    )
    command = [sys.executable, "-c", program]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as parent:
        assert parent.stdout is not None
        pid, root = parent.stdout.readline().split()
        wait_until(lambda: len(os.listdir(f"{root}/runs")) > 13)
        parent.kill()
        parent.wait()
        assert gone_within(int(pid), 2)
    assert not os.path.exists(root)


@pytest.mark.parametrize("speed", [0.0, -1.0, float("nan")])
def test_a_speed_that_is_none_is_refused(made: DemoWorkspace, speed: float) -> None:
    with pytest.raises(ValueError, match="speed"):
        start_writers(made, speed=speed)


COUNTED = """\
{"recording": "counted", "run": "${token}", "folder": "${run}", "database": "state.db"}
{"at": 0, "do": [{"write": "lap", "text": "${lap:0:1}"}]}
{"at": 1, "do": [{"write": "second", "text": ""}]}
{"recording": "fails", "run": "${token}", "folder": "${run}", "database": "nowhere/state.db"}
{"at": 0, "do": [{"sql": "CREATE TABLE t (a)"}]}"""


def stage_of(root: Path, *, once: bool) -> tuple[Stage, Schedule]:
    """A stage for two short recordings, of which the second cannot be written."""
    cast = (*[Cue("counted")] * 4, Cue("fails"))
    schedule = Schedule("counting", Library(COUNTED), (), cast, side_by_side=2)
    stage = Stage(str(root), lambda: NOW, (schedule,), speed=1e9, once=once)
    stage.start(NOW)
    return stage, schedule


def test_old_runs_make_room_for_others_and_the_cast_repeats(tmp_path: Path) -> None:
    stage, schedule = stage_of(tmp_path, once=False)
    laps: set[str] = set()
    while "9" not in laps:
        stage.step()
        assert len(list(tmp_path.iterdir())) <= MAX_ENDED_RUNS + schedule.side_by_side
        laps |= {lap.read_text() for lap in tmp_path.glob("*/lap")}
    assert laps == {str(lap) for lap in range(10)}
    assert len(list(tmp_path.iterdir())) >= MAX_ENDED_RUNS


def test_a_cast_that_plays_once_ends(tmp_path: Path) -> None:
    stage, _ = stage_of(tmp_path, once=True)
    while stage.pause() is not None:
        stage.step()
    assert [lap.read_text() for lap in tmp_path.glob("*/lap")] == ["0"] * 4
