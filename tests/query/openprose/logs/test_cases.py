"""The log cases with known answers, read from our JSON as their description says."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector.cli.main import main
from tests.case_archives import Cases

ARCHIVE = "openprose-logs"
NAMES = (
    "40_simple",
    "41_ascii_arrows_program_notes",
    "42_ended_partial_then_resumed",
    "43_loops_blocks_no_end",
    "44_front_matter_and_prose",
    "45_half_written_line",
)
STATEMENT_KINDS = {"statement", "parallel", "loop", "block"}
KNOWN = {
    "run_dir", "run_id", "run_status_display", "raw_status", "events", "title", "root",
    "started_at", "ended_at", "statements", "parallels", "errors", "loops", "blocks", "findings",
    "note",
}  # fmt: skip
COMPARED: Counter[str] = Counter()

Steps = list[dict[str, Any]]


@pytest.fixture(scope="module", autouse=True)
def report() -> Iterator[None]:
    """Says how many facts were compared."""
    yield
    listed = ", ".join(f"{count} {name}" for name, count in sorted(COMPARED.items()))
    print(f"\nOpenProse log cases: {sum(COMPARED.values())} facts compared: {listed}")


def same(what: str, ours: object, theirs: object) -> None:
    COMPARED[what] += 1
    assert ours == theirs, what


@pytest.mark.parametrize("name", NAMES)
def test_every_asserted_fact(
    name: str, cases: Cases, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = cases.copy(ARCHIVE, name, tmp_path)
    expected = cases.expected(ARCHIVE)[name]
    assert expected.keys() <= KNOWN, "a fact that no check reads"

    def ask(*words: str) -> Any:
        assert main([*words, "--in", str(root), "--json", "--reveal"]) == 0
        return json.loads(capsys.readouterr().out)

    folder = str(tmp_path / expected["run_dir"])
    (listed,) = ask("runs")["runs"]
    shown = ask("show", folder)
    check_run(expected, listed, shown)
    if "root" in expected:
        same("root", ask("record", folder, "run")["records"][0]["root"], expected["root"])
    same("events listed", len(ask("events", folder)["events"]), expected["events"])
    check_steps(expected, shown["steps"])


def check_run(expected: dict[str, Any], listed: dict[str, Any], shown: dict[str, Any]) -> None:
    read = {
        "run_id": "run_id",
        "run_status_display": "status",
        "raw_status": "raw_status",
        "title": "title",
        "started_at": "started_at",
        "ended_at": "ended_at",
    }
    for theirs, ours in read.items():
        if theirs in expected:
            same(theirs, listed[ours], expected[theirs])
            same(theirs, shown["run"][ours], expected[theirs])
    same("events", shown["events"], expected["events"])
    if "findings" in expected:
        # How long ago a file was written depends on when the test runs.
        found = [one["code"] for one in shown["findings"] if one["code"] != "quiet"]
        same("findings", found, expected["findings"])


def check_steps(expected: dict[str, Any], steps: Steps) -> None:
    for index, word in expected.get("statements", {}).items():
        step = [s for s in steps if s["kind"] in STATEMENT_KINDS and at(s) == index][-1]
        same("statement", step["raw_status"] or step["status"], word)
        same("statement status", step["status"], word)
    for parallel in expected.get("parallels", []):
        check_parallel(parallel, steps)
    loops = [s for s in steps if s["kind"] == "loop"]
    if "loops" in expected:
        same("loops", len(loops), len(expected["loops"]))
    for ours, theirs in zip(loops, expected.get("loops", loops[:0]), strict=True):
        same("loop max", ours["of"], theirs["max"])
        same("loop exited", ours["ref"]["exited"], theirs["exited"])
        iterations = [s for s in steps if s["kind"] == "iteration" and s["parent"] == ours["id"]]
        same("iterations", len(iterations), theirs["iterations_seen"])
        same("iterations", ours["ref"]["iterations_seen"], theirs["iterations_seen"])
    blocks = [s for s in steps if s["kind"] == "block"]
    for ours, theirs in zip(blocks, expected.get("blocks", []), strict=True):
        same("block name", ours["ref"]["block"], theirs["name"])
        same("block id", ours["ref"]["block_id"], theirs["id"])
        same("block closed", ours["ref"]["closed"], theirs["closed"])
        same("block iteration", iteration_around(ours, steps), theirs["iteration"])
    for error in expected.get("errors", []):
        (step,) = [s for s in steps if s["error"] == error["message"]]
        if "branch" in error:
            same("error branch", step["ref"]["branch"], error["branch"])
        if "statement_index" in error:
            same("error index", step["ref"]["statement_index"], error["statement_index"])


def check_parallel(expected: dict[str, Any], steps: Steps) -> None:
    step = [
        s for s in steps if s["kind"] == "parallel" and at(s) == str(expected["statement_index"])
    ][-1]
    same("joined", step["ref"]["joined"], expected["joined"])
    branches = {
        s["ref"]["branch"]: branch_word(s, step["ref"]["joined"])
        for s in steps
        if s["kind"] == "branch" and s["parent"] == step["id"]
    }
    same("branches", branches, expected["branches"])
    if "iteration" in expected:
        same("parallel iteration", iteration_around(step, steps), expected["iteration"])


def branch_word(step: dict[str, Any], joined: bool) -> str:
    if step["raw_status"] is not None:
        return str(step["raw_status"])
    return "not_needed" if joined else "pending"


def iteration_around(step: dict[str, Any], steps: Steps) -> int | None:
    parents = {s["id"]: s for s in steps}
    found = parents[step["parent"]]["iteration"]
    assert found == step["ref"]["iteration"]
    return int(found)


def at(step: dict[str, Any]) -> str:
    return str(step["ref"]["statement_index"])
