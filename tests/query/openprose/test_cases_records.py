"""The cases' receipts, world models, agents and imports, read from our JSON."""

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
    "21_malformed_json",
    "23_null_everything",
    "29_receipts_masked_relay",
    "29c_receipts_failure_reason",
    "30_tamper_middle_cost",
    "30b_tamper_head_undetectable",
    "30d_deleted_middle",
    "30h_numbers_as_floats",
    "31_agents_three_scopes",
    "33_imports_and_nested_run",
]
COMPARED: Counter[str] = Counter()


@pytest.fixture(scope="module", autouse=True)
def report() -> Iterator[None]:
    """Says how many facts were compared."""
    yield
    listed = ", ".join(f"{count} {name}" for name, count in sorted(COMPARED.items()))
    print(f"\nOpenProse records: {sum(COMPARED.values())} facts compared: {listed}")


def same(what: str, ours: object, theirs: object) -> None:
    COMPARED[what] += 1
    assert ours == theirs, what


@pytest.mark.parametrize("name", NAMES)
def test_every_asserted_record(
    name: str,
    cases: Cases,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    root = cases.copy(ARCHIVE, name, tmp_path)
    monkeypatch.setenv("HOME", str(root / "home"))

    def ask(*words: str) -> tuple[int, Any]:
        code = main([*words, "--in", str(root), "--json", "--reveal"])
        return code, json.loads(capsys.readouterr().out)

    for expected in cases.expected(ARCHIVE)[name]:
        folder = str(tmp_path / expected["run_dir"])
        if "receipts" in expected:
            check_receipts(expected, *ask("receipts", folder))
        if "world_models" in expected:
            check_models(expected["world_models"], ask("record", folder, "world_models")[1])
        if "agents" in expected:
            check_agents(expected, ask("record", folder, "agents")[1]["records"])
        if "imports" in expected:
            records = ask("record", folder, "imports")[1]["records"]
            same("imports", [one["alias"] for one in records], expected["imports"])


def check_receipts(expected: dict[str, Any], code: int, found: dict[str, Any]) -> None:
    broken = {
        node["node"]: [{"receipt_id": b["receipt_id"], "why": b["why"]} for b in node["broken"]]
        for node in found["nodes"]
        if node["broken"]
    }
    unanchored = sorted(node["node"] for node in found["nodes"] if not node["head_anchored"])
    ours = {
        **found,
        "nodes": len(found["nodes"]),
        "receipts": len(found["receipts"]),
        "broken": broken,
        "unanchored_heads": unanchored,
    }
    for key, value in expected["receipts"].items():
        same(f"receipts {key}", ours[key], value)
    same("exit code", code, 0 if found["chain_ok"] else 1)
    if "failure_reasons" in expected:
        same("failure reasons", found["failure_reasons"], expected["failure_reasons"])


def check_models(expected: dict[str, Any], found: dict[str, Any]) -> None:
    records = found["records"]
    kept = [one for one in records if one["unreadable"] != "the published version is not kept"]
    dangling = [one["node"] for one in records if one not in kept]
    same("versions", len(kept), expected["versions"])
    same("published", sum(one["published"] for one in records), expected["published"])
    same("dangling", dangling, expected["published_dangling"])
    tampered = [one["version"] for one in kept if one["integrity"] == "tampered"]
    same("tampered", tampered, expected["tampered"])
    offloaded = [one["version"] for one in kept if one["attachment_path"]]
    same("offloaded", offloaded, expected["offloaded_to_attachment"])
    assert all(one["files"] for one in kept if one["integrity"] == "verified")


def check_agents(expected: dict[str, Any], records: list[dict[str, Any]]) -> None:
    for scope, agents in expected["agents"].items():
        for name, agent in agents.items():
            [ours] = [r for r in records if (r["scope"], r["name"]) == (scope, name)]
            numbers = [segment["segment_number"] for segment in ours["segments"]]
            same("segments", numbers, agent["segments"])
            same("gap", ours["gap"], agent.get("gap", []))
    orphans = [one["name"] for one in records if one.get("orphan")]
    same("orphan segments", orphans, expected.get("orphan_segments", orphans))
