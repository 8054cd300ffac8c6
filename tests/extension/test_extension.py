"""A runtime from another distribution works everywhere, without a line changed in the package."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.waiting import wait_until

EXAMPLE = Path(__file__).parent / "example"
ROOT = Path(__file__).parents[2]
PATIENCE = 30.0
NOW = "2026-01-16T20:00:00Z"

TABLES = """
CREATE TABLE tally_jobs (id TEXT PRIMARY KEY, title TEXT, word TEXT);
CREATE TABLE tally_marks (job TEXT, seq INTEGER, step TEXT, word TEXT, at_ms INTEGER, note TEXT);
"""

Inspector = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which the example is installed, as a wheel made from its project."""
    folder = tmp_path_factory.mktemp("extension")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    made = subprocess.run(command, cwd=EXAMPLE, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    (wheel,) = folder.glob("*.whl")
    site = folder / "site"
    zipfile.ZipFile(wheel).extractall(site)
    return site


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "work" / "counts.db"
    path.parent.mkdir()
    write(
        path,
        TABLES
        + "INSERT INTO tally_jobs VALUES ('j1', 'count the sheep', 'held');"
        + "INSERT INTO tally_marks VALUES ('j1', 1, 'fetch', 'begun', 1768593000000, NULL);"
        + "INSERT INTO tally_marks VALUES ('j1', 2, 'fetch', 'ok', 1768593001000, NULL);"
        + "INSERT INTO tally_marks VALUES ('j1', 3, 'count', 'bad', NULL, 'lost one');",
    )
    return path


def write(path: Path, sql: str) -> None:
    """Writes in another process, as every writer of a watched database."""
    program = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.executescript(sys.argv[2])"
    subprocess.run([sys.executable, "-c", program, str(path), sql], check=True)


@pytest.fixture
def inspector(installed: Path, database: Path) -> Inspector:
    """Runs the command in an environment where the example is installed."""

    def run(*arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        found = subprocess.run(
            command(*arguments), env=environment(installed), cwd=database.parent,
            capture_output=True, text=True, check=False, timeout=PATIENCE,
        )  # fmt: skip
        assert found.returncode == code, found.stderr
        return found

    return run


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "inspector", *arguments]


def environment(installed: Path) -> dict[str, str]:
    path = os.pathsep.join((str(installed), str(ROOT)))
    return {**os.environ, "PYTHONPATH": path, "INSPECTOR_NOW": NOW}


def content(found: subprocess.CompletedProcess[str]) -> Any:
    return json.loads(found.stdout)


def test_its_runs_are_listed(inspector: Inspector) -> None:
    found = content(inspector("runs", "--json"))
    (store,) = found["stores"]
    (run,) = found["runs"]
    assert (store["runtime"], store["health"]) == ("tally", "ok")
    assert (run["title"], run["status"], run["raw_status"]) == (
        "count the sheep", "interrupted", "held",
    )  # fmt: skip
    assert "count the sheep" in inspector("runs", "--runtime", "tally").stdout


def test_a_run_is_shown_and_its_records_are_given(inspector: Inspector) -> None:
    shown = content(inspector("show", "j1", "--json"))
    assert [(one["label"], one["status"], one["error"]) for one in shown["steps"]] == [
        ("fetch", "completed", None),
        ("count", "failed", "lost one"),
    ]
    past = content(inspector("show", "j1", "--at", "1", "--json"))
    assert [one["status"] for one in past["steps"]] == ["running"]
    records = content(inspector("record", "j1", "marks", "--json"))["records"]
    assert [one["word"] for one in records] == ["begun", "ok", "bad"]
    assert "no part" in inspector("record", "j1", "sheep", code=2).stderr


def test_what_it_does_not_record_is_said(inspector: Inspector) -> None:
    assert "receipts" in inspector("receipts", "j1", code=2).stderr
    assert content(inspector("values", "j1", "--json"))["values"] == []
    assert content(inspector("usage", "--json"))["runs"] == []


def test_it_is_followed_to_its_end(inspector: Inspector, installed: Path, database: Path) -> None:
    write(database, "UPDATE tally_jobs SET word = 'begun'")
    follower = subprocess.Popen(
        command("events", "j1", "--follow", "--jsonl"),
        env={**environment(installed), "PYTHONUNBUFFERED": "1"},
        cwd=database.parent,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert follower.stdout is not None
        first = [json.loads(follower.stdout.readline()) for _ in range(3)]
        assert [one["n"] for one in first] == [1, 2, 3]
        write(
            database,
            "INSERT INTO tally_marks VALUES ('j1', 4, 'count', 'ok', NULL, NULL);"
            "UPDATE tally_jobs SET word = 'ok';",
        )
        assert json.loads(follower.stdout.readline())["raw_status"] == "ok"
        assert follower.wait(PATIENCE) == 0
    finally:
        follower.kill()
        follower.communicate()


def test_it_is_resumed_by_its_own_command(inspector: Inspector, database: Path) -> None:
    plan = content(inspector("resume", "j1", "--plan", "--json"))
    assert plan["resumable"] and plan["command"]["argv"][1:3] == ["-m", "inspector_tally.resume"]
    resumed = content(inspector("runs", "--json"))["runs"][0]["key"]
    inspector("resume", resumed, "--yes")
    wait_until(lambda: job_word(database) == "ok")
    again = inspector("resume", "j1", "--plan", code=1)
    assert "only a held job" in (again.stdout + again.stderr).lower()


def job_word(database: Path) -> str:
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        return str(connection.execute("SELECT word FROM tally_jobs").fetchone()[0])


def test_without_the_distribution_the_database_is_named_with_the_reason(database: Path) -> None:
    found = subprocess.run(
        command("doctor", "--json"), cwd=database.parent, capture_output=True, text=True,
        check=False, env={**os.environ, "PYTHONPATH": str(ROOT), "INSPECTOR_NOW": NOW},
    )  # fmt: skip
    assert "not those of a known runtime" in found.stdout


SCREEN = """
import asyncio, sys, time
from inspector.config.settings import Settings
from inspector.live.watched import WatchedWorkspace
from inspector.query.workspace import Workspace
from inspector.ui.app import InspectorApp

NOW = 1_768_593_600_000

async def until(app, pilot, text):
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        await pilot.pause()
        shown = app.export_screenshot().replace("&#160;", " ")
        if text in shown:
            return
        await asyncio.sleep(0.02)
    sys.exit(f"never showed {text!r}")

async def main(folder):
    feed = WatchedWorkspace(Workspace([folder], lambda: NOW, folder))
    app = InspectorApp(feed, Settings(theme="dark"), lambda: NOW, "work", environ={})
    async with app.run_test(size=(120, 36)) as pilot:
        await until(app, pilot, "count the sheep")
        await pilot.press("enter")
        await until(app, pilot, "lost one")
        await pilot.press("2")
        await until(app, pilot, "fetch")
        await until(app, pilot, "word")
    feed.stop()

asyncio.run(main(sys.argv[1]))
"""


def test_the_screen_shows_it_with_its_own_tab(installed: Path, database: Path) -> None:
    """Its tab has the columns that its presentation declares."""
    found = subprocess.run(
        [sys.executable, "-c", SCREEN, str(database.parent)],
        env=environment(installed), capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr[-2000:]
