"""What a tab says there is, is what it lists: for every way in which runs are kept."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from inspector.query.run_reader import RunReader
from inspector.query.workspace import Workspace
from inspector.store.read import StoreUnavailable
from tests.case_archives import Cases
from tests.query.openprose.builders import done, rows
from tests.query.openprose.databases import NOW, make
from tests.query.openprose.kept import write
from tests.query.openprose.logs.receipts import chain
from tests.query.openprose.test_cases import ARCHIVE, NAMES
from tests.query.openprose.test_kept_models import (
    ONE,
    THREE,
    TWO,
    container,
    durable,
    file_of,
    in_rows,
    name_of,
)

LARGE = ("27_locked_exclusive", "28_200k_events")


def listed(run: RunReader, part: str) -> int:
    """Rows of a tab, without tables that are not there."""
    if part == "values":
        return len(run.values().values)
    if part == "receipts":
        receipts = run.receipts()
        assert receipts is not None
        return len(receipts.receipts)
    return sum(1 for one in run.record(part) if not one.get("missing"))


def differing(root: Path) -> tuple[list[tuple[str, str, int | None, int]], int]:
    """Tabs whose number is not that of their rows, and how many numbers were compared."""
    found: list[tuple[str, str, int | None, int]] = []
    compared = 0
    workspace = Workspace([str(root)], lambda: NOW, str(root), None)
    try:
        workspace.discover()
        for _, runs in workspace.summaries():
            for run in runs:
                if run.runtime != "openprose":
                    continue
                opened = workspace.open(run)
                try:
                    for tab in opened.refresh().tabs:
                        if tab.count is not None:
                            compared += 1
                            there = listed(opened, tab.part)
                            if there != tab.count:
                                found.append((run.run_id or "", tab.part, tab.count, there))
                except StoreUnavailable:
                    pass
                finally:
                    opened.close()
    finally:
        workspace.close()
    return found, compared


@pytest.mark.parametrize("name", [one for one in NAMES if one not in LARGE])
def test_of_every_case(cases: Cases, tmp_path: Path, name: str) -> None:
    found, _ = differing(cases.copy(ARCHIVE, name, tmp_path))
    assert found == []


def count_of(root: Path, part: str) -> int | None:
    workspace = Workspace([str(root)], lambda: NOW, str(root), None)
    try:
        workspace.discover()
        (run,) = [run for _, runs in workspace.summaries() for run in runs]
        opened = workspace.open(run)
        tabs = {tab.part: tab for tab in opened.refresh().tabs}
        opened.close()
        return tabs[part].count
    finally:
        workspace.close()


AGENT = "INSERT INTO agents (name, scope) VALUES (%s, 'execution')"
SEGMENT = "INSERT INTO agent_segments (agent_name, segment_number) VALUES (%s, 1)"


def agents_everywhere(root: Path) -> None:
    named = [AGENT % "'a'", AGENT % "NULL", SEGMENT % "'a'", SEGMENT % "'ghost'", SEGMENT % "NULL"]
    run = make(root, rows(done(1)), also=named)
    write(run.parent, {"agents/b/memory.md": "x", "agents/empty/other.md": "x"})
    write(root / "state/agents", {"c/memory.md": "x", "d/d-001.md": "x", "no-agent/x.md": "x"})


def models_everywhere(root: Path) -> None:
    published = "INSERT INTO world_model_published (node, version) VALUES ('%s', '%s')"
    run = make(root, also=[*in_rows(ONE, TWO), published % ("n", name_of(ONE)),
                           published % ("x", "gone"), published % ("y", "gone")])  # fmt: skip
    write(run.parent, {"world-model/a/x.md": "1", "world-model/a/.version": "v"})
    folder = durable(root, "kept", ONE, TWO)
    write(folder, {"published.json": json.dumps({"version": name_of(THREE)})})


def reactor(root: Path) -> None:
    write(root, {"receipts.json": json.dumps(chain("inbox", 2))})
    node = root / "world-models" / b"inbox".hex()
    write(node, {f"versions/{file_of(one)}": container(one) for one in (ONE, TWO)})
    write(node, {"published.json": json.dumps({"version": name_of(TWO)})})
    os.symlink("/etc", root / "world-models/outside")


def log_alone(root: Path) -> None:
    write(root / "runs/20260116-143052-a7b3c9", {
        "vm.log.md": "# run:20260116-143052-a7b3c9 x\n1→ a ✓\n",
        "bindings/a.md": "x", "world-model/a/x.md": "1", "world-model/a/.version": "v",
        "workspace/a/note.md": "n", "agents/b/memory.md": "m",
    })  # fmt: skip


@pytest.mark.parametrize(
    ("build", "parts"),
    [
        (agents_everywhere, {"agents": 7}),
        (models_everywhere, {"world_models": 8}),
        (reactor, {"world_models": 3, "receipts": 2}),
        (log_alone, {"values": 3, "agents": 1, "world_models": 1}),
    ],
)
def test_of_every_way_to_keep_them(tmp_path: Path, build: object, parts: dict[str, int]) -> None:
    assert callable(build)
    build(tmp_path)
    assert differing(tmp_path)[0] == []
    assert {part: count_of(tmp_path, part) for part in parts} == parts


def test_what_only_bytes_would_tell_has_no_number(tmp_path: Path) -> None:
    make(tmp_path)
    durable(tmp_path, "kept", ONE, TWO, published=TWO)
    assert count_of(tmp_path, "world_models") is None
