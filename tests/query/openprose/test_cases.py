"""The cases with known answers, read from our JSON as their description says."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector.cli.main import main
from tests.case_archives import Cases

ARCHIVE = "openprose"
NAMES = [
    "01_simple_completed",
    "02_completed_with_stale_executing",
    "03_live_running",
    "04_parallel_3_one_failed",
    "05_parallel_continue_joined",
    "06_nested_parallel_in_loop",
    "07_loop_to_max",
    "08_retries",
    "09_interrupted_mid_parallel",
    "10_recursion_depth_5",
    "11_scope_edges",
    "12_attachments",
    "13_custom_tables_and_columns",
    "14_partial_schema_after_pk_error",
    "16_v1_update_style_kind_name_pk",
    "17_v2_update_style_execution_id",
    "19_v4_binding_root_path_no_receipts",
    "20_bindings_duplicates_no_pk",
    "21_malformed_json",
    "22_non_utf8_and_blobs",
    "23_null_everything",
    "24_unicode_ansi_markup",
    "25_empty_0_byte",
    "25b_not_a_database",
    "25d_corrupt_pages",
    "25f_state_db_is_directory",
    "25h_state_db_is_fifo",
    "26_wal_uncheckpointed",
    "26b_hot_journal",
    "27_locked_exclusive",
    "28_200k_events",
    "29_receipts_masked_relay",
    "29c_receipts_failure_reason",
    "30_tamper_middle_cost",
    "30b_tamper_head_undetectable",
    "30d_deleted_middle",
    "30h_numbers_as_floats",
    "31_agents_three_scopes",
    "32_failed_with_skipped",
    "32d_odd_status_completed",
    "32g_running_but_stale",
    "32h_mixed_timestamp_formats",
    "33_imports_and_nested_run",
    "34_filesystem_run_no_db",
    "35_no_runs",
]
STATEMENT_KINDS = {"statement", "parallel", "loop", "block"}
COMPARED: Counter[str] = Counter()


@pytest.fixture(scope="module", autouse=True)
def report() -> Iterator[None]:
    """Says how many facts were compared."""
    yield
    listed = ", ".join(f"{count} {name}" for name, count in sorted(COMPARED.items()))
    print(f"\nOpenProse cases: {sum(COMPARED.values())} facts compared: {listed}")


def same(what: str, ours: object, theirs: object) -> None:
    COMPARED[what] += 1
    assert ours == theirs, what


class Answers:
    """Our JSON about one run of a case."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.root, self.capsys = root, capsys

    def ask(self, *words: str) -> Any:
        command = [*words, "--in", str(self.root), "--json", "--reveal"]
        assert main(command) == 0, self.capsys.readouterr().err
        return json.loads(self.capsys.readouterr().out)


@pytest.mark.parametrize("name", NAMES)
def test_every_asserted_fact(
    name: str, cases: Cases, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = cases.copy(ARCHIVE, name, tmp_path)
    answers = Answers(root, capsys)
    for expected in cases.expected(ARCHIVE)[name]:
        if expected["run_dir"] is None:
            assert answers.ask("runs")["runs"] == []
            continue
        folder = tmp_path / expected["run_dir"]
        check_store(expected, folder, answers)
        if expected.get("events") is not None:
            check_run(expected, folder, answers)
            check_values(expected, folder, answers)
            check_record(expected, folder, answers)


def check_store(expected: dict[str, Any], folder: Path, answers: Answers) -> None:
    listed = answers.ask("runs")
    path = str(folder.resolve() / "state.db") if expected["db"] else str(folder.resolve())
    stores = {store["path"]: store for store in listed["stores"]}
    runs = {run["store"]: run for run in listed["runs"]}
    store = stores.get(path) or next(s for p, s in stores.items() if p.startswith(path))
    run = runs[store["path"]]
    if "run_id" in expected:
        same("run_id", run["run_id"], expected["run_id"])
    if "schema" in expected:
        same("schema", store["variant"], expected["schema"])
    if "write_style" in expected:
        same("write_style", store["write_style"], expected["write_style"])
    if "run_status" in expected:
        same("run_status", run["raw_status"], expected["run_status"])
    if "run_status_display" in expected:
        same("run_status_display", run["status"], "unknown")
    if "openable" in expected:
        readable = store["health"] in ("ok", "partial", "empty")
        same("openable", readable, expected["openable"])
    if "error_contains" in expected:
        same("error_contains", expected["error_contains"] in store["reason"], True)
    if expected.get("known_status") is False:
        same("known_status", "unknown_status" in codes(run), True)
    if expected.get("stale"):
        same("stale", "quiet" in codes(run), True)


def codes(run: dict[str, Any]) -> set[str]:
    return {finding["code"] for finding in run["findings"]}


def check_run(expected: dict[str, Any], folder: Path, answers: Answers) -> None:
    shown = answers.ask("show", str(folder))
    same("events", shown["events"], expected["events"])
    steps = shown["steps"]
    for index, word in expected.get("statements", {}).items():
        step = [s for s in steps if s["kind"] in STATEMENT_KINDS and at(s) == index][-1]
        same("statement", step["raw_status"] or step["status"], word)
    for parallel in expected.get("parallels", []):
        check_parallel(parallel, steps)
    for loop in expected.get("loops", []):
        check_loop(loop, steps)
    for index, retry in expected.get("retries", {}).items():
        check_retry([s for s in steps if s["kind"] == "statement" and at(s) == index][-1], retry)
    if "open_constructs" in expected:
        same("open_constructs", len(shown["open"]), len(expected["open_constructs"]))
        for ours, theirs in zip(shown["open"], expected["open_constructs"], strict=True):
            same("open construct", {key: ours[key] for key in theirs}, theirs)
    check_frames(expected, shown)
    if "utc_seconds" in expected:
        check_instants(expected["utc_seconds"], answers.ask("events", str(folder))["events"])


def at(step: dict[str, Any]) -> str:
    return str(step["ref"]["statement_index"])


def check_parallel(expected: dict[str, Any], steps: list[dict[str, Any]]) -> None:
    found = [
        s
        for s in steps
        if s["kind"] == "parallel"
        and s["ref"]["parallel_id"] == expected["parallel_id"]
        and s["instance"] == expected.get("instance", s["instance"])
    ]
    step = found[-1]
    same("joined", step["ref"]["joined"], expected["joined"])
    if "statement_index" in expected:
        same("parallel index", step["ref"]["statement_index"], expected["statement_index"])
    branches = {
        s["ref"]["branch"]: branch_word(s, step["ref"]["joined"])
        for s in steps
        if s["kind"] == "branch" and s["parent"] == step["id"]
    }
    same("branches", branches, expected["branches"])


def branch_word(step: dict[str, Any], joined: bool) -> str:
    if step["raw_status"] is not None:
        return str(step["raw_status"])
    return "not_needed" if joined else "pending"


def check_loop(expected: dict[str, Any], steps: list[dict[str, Any]]) -> None:
    step = [s for s in steps if s["kind"] == "loop" and s["ref"]["loop_id"] == expected["loop_id"]][
        -1
    ]
    ours = {**step["ref"], "max": step["of"]}
    for key, value in expected.items():
        same(f"loop {key}", ours[key], value)


def check_retry(step: dict[str, Any], expected: dict[str, Any]) -> None:
    same("attempts", len(step["attempts"]), expected["attempts"])
    same("max attempts", step["max_attempts"], expected["max"])
    running = step["attempts"][-1]["status"] == "running"
    same("outcome", "in_flight" if running else step["raw_status"], expected["outcome"])
    if "errors" in expected:
        errors = [a["error"] for a in step["attempts"] if a["error"] is not None]
        same("attempt errors", errors, expected["errors"])


def check_frames(expected: dict[str, Any], shown: dict[str, Any]) -> None:
    frames = {s["ref"]["frame"] for s in shown["steps"]} - {None}
    if "frames" in expected:
        same("frames", sorted(frames), expected["frames"])
    if "max_depth" in expected:
        same("max_depth", max(s["ref"]["depth"] for s in shown["steps"]), expected["max_depth"])
    found = [f for f in shown["findings"]]
    refs: dict[str, list[list[int]]] = {}
    for finding in found:
        table, _, rows = (finding["ref"] or "").partition(":")
        if table == "execution":
            listed = [int(row) for row in rows.split(",")]
            refs.setdefault(finding["code"], []).append(listed)
    if "cycles" in expected:
        same("cycles", refs.get("parent_cycle", []), expected["cycles"])
    if "dangling_parents" in expected:
        rows = [row for listed in refs.get("parent_missing", []) for row in listed]
        same("dangling parents", rows, expected["dangling_parents"])
    for orphan in expected.get("orphan_bindings", []):
        named = [f["ref"] for f in found if f["code"] == "orphan_binding"]
        same("orphan binding", orphan["name"] in named, True)
    for error in expected.get("errors", []):
        failed = [s for s in shown["steps"] if s["error"] == error["message"]]
        same("error", [s["ref"]["statement_index"] for s in failed], [error["statement_index"]])
        same("error branch", [s["ref"].get("branch") for s in failed], [error["branch"]])


def check_instants(expected: list[Any], events: list[dict[str, Any]]) -> None:
    for second, event in zip(expected, events, strict=True):
        if isinstance(second, int | float):
            same("instant", event["at"][17:23], f"{int(second * 1000) / 1000:06.3f}")
        else:
            same("no instant", event["at"], None)


def check_values(expected: dict[str, Any], folder: Path, answers: Answers) -> None:
    if not any(
        key in expected
        for key in (
            "bindings_root", "bindings_rows", "bindings_scoped", "superseded", "scope",
            "attachments",
        )
    ):  # fmt: skip
        return
    listed = answers.ask("values", str(folder), "--full")
    if "bindings_rows" in expected:
        same("bindings_rows", listed["rows"], expected["bindings_rows"])
    by_scope = {(v["name"], v["scope"]): v for v in listed["values"]}
    for name, value in expected.get("bindings_root", {}).items():
        same("root binding", by_scope[name, "root"]["value"], value)
    for frame, names in expected.get("bindings_scoped", {}).items():
        for name, value in names.items():
            same("scoped binding", by_scope[name, frame]["value"], value)
    for where, count in expected.get("superseded", {}).items():
        name, _, frame = where.rpartition("@")
        same("superseded", by_scope[name, frame]["superseded"], count)
    for name, attachment in expected.get("attachments", {}).items():
        ours = by_scope[name, "root"]["attachment"]
        same("attachment path", ours["path"], attachment["path"])
        same("attachment verdict", ours["verdict"], attachment["verdict"])
    for name, frames in expected.get("scope", {}).items():
        for frame, value in frames.items():
            found = answers.ask("values", str(folder), "--frame", frame)["values"]
            resolved = next((v["value"] for v in found if v["name"] == name), None)
            same("scope", resolved, value)


def check_record(expected: dict[str, Any], folder: Path, answers: Answers) -> None:
    if "missing_tables" not in expected and "extension_tables" not in expected:
        return
    tables = answers.ask("record", str(folder), "tables")["records"]
    if "missing_tables" in expected:
        missing = [t["name"] for t in tables if t["missing"]]
        same("missing tables", missing, expected["missing_tables"])
    if "extension_tables" in expected:
        beyond = [t["name"] for t in tables if not t["documented"] and t["type"] == "table"]
        same("extension tables", sorted(beyond), expected["extension_tables"])
    if "extra_columns" in expected:
        extra = {t["name"]: t["extra_columns"] for t in tables if t["extra_columns"]}
        same("extra columns", extra, expected["extra_columns"])
    if "views" in expected:
        views = [t["name"] for t in tables if t["type"] == "view"]
        same("views", sorted(views), expected["views"])
