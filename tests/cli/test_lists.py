"""`runs` and `doctor`: every run is there, whatever is wrong with its store."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.asking import Inspector
from tests.query.openprose.builders import done, executing, failed, rows
from tests.query.openprose.databases import RUN_ID, make
from tests.store.writers import Writer

RUNS = 50


def damaged(path: Path) -> None:
    """Breaks the page that the table of events begins on."""
    content = bytearray(path.read_bytes())
    content[4096:8192] = b"\xff" * 4096
    path.write_bytes(content)


def test_fifty_runs_of_which_four_cannot_be_read(inspector: Inspector, tmp_path: Path) -> None:
    paths = [
        make(tmp_path, rows(done(1)), name=f"run-{number:02}", run_id=f"run-{number:02}")
        for number in range(RUNS)
    ]
    paths[3].write_bytes(b"")
    paths[4].write_bytes(b"this is no database\n" * 100)
    damaged(paths[5])
    paths[6].unlink()
    many = rows(*(done(n, "x" * 900) for n in range(1, 200)))
    big = make(tmp_path, many, name="run-06", run_id="run-06")
    with Writer(big) as writer:
        writer.sql(
            "PRAGMA journal_mode=MEMORY",
            "PRAGMA cache_size=1",
            "BEGIN EXCLUSIVE",
            "UPDATE execution SET statement_text = replace(statement_text, 'x', 'y')",
        )
        found = inspector("runs", "--json")
    assert found.code == 0
    listed = {
        run["key"].rpartition("/runs/")[2].partition("/")[0]: run for run in found.json["runs"]
    }
    assert len(listed) == RUNS
    stores = {store["path"]: store for store in found.json["stores"]}
    health = {name: stores[run["store"]]["health"] for name, run in listed.items()}
    odd = {name: word for name, word in health.items() if word != "ok"}
    assert odd == {
        "run-03": "empty", "run-04": "unreadable", "run-05": odd["run-05"], "run-06": "busy",
    }  # fmt: skip
    assert odd["run-05"] in ("partial", "unreadable")
    assert all(stores[listed[name]["store"]]["reason"] for name in odd)
    readable = [run for name, run in listed.items() if name not in odd]
    assert {run["status"] for run in readable} == {"running"}
    assert {run["steps"]["completed"] for run in readable} == {1}


def test_the_table_says_what_is_wrong(inspector: Inspector, tmp_path: Path) -> None:
    make(tmp_path, rows(done(1)))
    broken = make(tmp_path, name="broken", run_id="broken")
    broken.write_bytes(b"no database")
    answer = inspector("runs")
    assert answer.code == 0
    assert "unreadable" in next(line for line in answer.out.splitlines() if "broken" in line)


def test_an_empty_folder_says_where_it_looked(inspector: Inspector) -> None:
    answer = inspector("runs")
    assert answer.code == 0
    assert "No runs found" in answer.out
    assert "inspector demo" in answer.out


def test_filters(inspector: Inspector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECTOR_NOW", "2026-01-16T20:00:00Z")
    hour, now = 3600, 1_768_593_600
    for name, status, hours in (
        ("first", "completed", 30), ("second", "failed", 20), ("third", "running", 2),
    ):  # fmt: skip
        path = make(tmp_path, name=name, run_id=name, status=status)
        os.utime(path, (now - hours * hour, now - hours * hour))

    def names(*words: str) -> list[str]:
        return [run["run_id"] for run in inspector("runs", "--json", *words).json["runs"]]

    assert set(names()) == {"first", "second", "third"}
    assert names("--status", "failed") == ["second"]
    assert names("--match", "SEC") == ["second"]
    assert set(names("--since", "1d")) == {"second", "third"}
    assert names("--since", "2026-01-16T12:00:00Z") == ["third"]
    assert names("--runtime", "prism") == []
    assert len(names("--limit", "2")) == 2
    assert names("--limit", "0") == []
    assert inspector("runs", "--match", "nothing").out == "No runs match.\n"


def test_rows_come_one_a_line(inspector: Inspector, tmp_path: Path) -> None:
    for name in ("a", "b"):
        make(tmp_path, rows(done(1)), name=name, run_id=name)
    answer = inspector("runs", "--jsonl")
    assert [row["run_id"] for row in answer.rows] == ["a", "b"]
    assert all(row["complete"] for row in answer.rows)


def test_a_document_has_its_schema_and_every_field(inspector: Inspector, tmp_path: Path) -> None:
    make(tmp_path, rows(done(1), failed(2), executing(3)), status="failed")
    document = inspector("runs", "--json").json
    assert document["schema"] == "inspector.runs/1"
    (store,), (run,) = document["stores"], document["runs"]
    assert {"path", "runtime", "variant", "write_style", "health", "reason", "verdict"} <= set(
        store
    )
    assert {
        "key", "kind", "runtime", "store", "run_id", "session", "parent_key", "title", "status",
        "raw_status", "findings", "started_at", "ended_at", "last_activity_at", "duration_ms",
        "order_only", "mode", "steps", "tokens", "cost",
    } <= set(run)  # fmt: skip
    assert run["key"] == f"openprose:{store['path']}#{RUN_ID}"
    assert run["steps"] == {
        "total": 3, "completed": 1, "failed": 1, "running": 1, "pending": 0, "skipped": 0,
    }  # fmt: skip
    assert run["started_at"] == "2026-01-16T19:00:00.000Z"
    assert [one["code"] for one in run["findings"]] == ["never_finished"]


def test_keys_hold_the_real_path(inspector: Inspector, tmp_path: Path) -> None:
    real = make(tmp_path / "real", rows(done(1)))
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (run,) = inspector("runs", "--json", "--in", str(tmp_path / "link"), here=False).json["runs"]
    assert run["key"] == f"openprose:{real}#{RUN_ID}"


def test_doctor_says_what_came_of_every_store(inspector: Inspector, tmp_path: Path) -> None:
    make(tmp_path, rows(done(1)))
    make(tmp_path, name="empty").write_bytes(b"")
    (tmp_path / "notes.db").write_bytes(b"SQLite format 3\0")
    answer = inspector("doctor")
    assert answer.code == 0
    assert "Stores: 1 read, 1 with problems" in answer.out
    document = inspector("doctor", "--json").json
    assert document["runs"] == 2
    assert {one["health"] for one in document["stores"]} == {"ok", "empty"}
    assert json.dumps(document["looked"])


@pytest.mark.parametrize(
    "text",
    [RUN_ID, RUN_ID[:10], RUN_ID[-6:], "latest", "runs/" + RUN_ID, f"./runs/{RUN_ID}/state.db"],
)
def test_a_run_may_be_named_in_many_ways(
    inspector: Inspector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.chdir(tmp_path)
    make(tmp_path, rows(done(1)))
    assert inspector("show", text, "--json").json["run"]["run_id"] == RUN_ID


def test_the_folder_of_all_runs_names_none_of_them(
    inspector: Inspector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run folder without a record is its own store: what lies around it is not meant."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs" / RUN_ID).mkdir(parents=True)
    assert inspector("show", "./runs").code == 3
