"""A reactor's state folder: its graph as a tree of nodes, its receipts as their events."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.query.openprose.backend import run_folder_reader
from inspector.query.openprose.logs.reactor_reader import ReactorRun
from inspector.query.openprose.logs.topology import Topology, read_topology, tree
from inspector.query.openprose.view import RunLocation
from inspector.store.unavailable import StoreUnavailable
from tests.query.openprose.logs.folders import Answers
from tests.query.openprose.logs.receipts import Receipt, chain, receipt

EDGES = [("ledger", "inbox"), ("scout", "ledger"), ("critic", "scout"), ("critic", "ledger")]
NODES = ["critic", "scout", "ledger", "inbox"]


def topology(*, nested: bool, nodes: Sequence[Any] = NODES) -> Any:
    flat = {
        "nodes": [{"node": node} for node in nodes],
        "edges": [{"subscriber": to, "producer": of, "facet": "@atomic"} for to, of in EDGES],
        "entry_points": ["inbox"],
        "acyclic": True,
    }
    return {"contract_fingerprints": {}, "topology": flat} if nested else flat


def state(folder: Path, receipts: Any, graph: Any = None) -> Path:
    (folder / "compile").mkdir(parents=True)
    (folder / "world-models").mkdir()
    if receipts is not None:
        (folder / "receipts.json").write_text(json.dumps(receipts))
    if graph is not None:
        (folder / "compile/topology.json").write_text(json.dumps(graph))
    return folder


def episode() -> list[Receipt]:
    """Four nodes: one rendered twice, one that failed, one that was never woken."""
    inbox = chain("inbox", 2, source="external")
    ledger = receipt("ledger", refs=(inbox[0]["content_hash"],))
    failed = receipt("scout", status="failed", reason="no key", refs=(ledger["content_hash"],))
    return [inbox[0], ledger, failed, inbox[1], receipt("ledger", ledger, status="skipped")]


@pytest.mark.parametrize("nested", [False, True])
def test_the_graph_as_a_tree_with_receipts_as_events(
    tmp_path: Path, nested: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = state(tmp_path / "relay/replay", episode(), topology(nested=nested))
    (folder / "compile/labels.json").write_text('{"scout": "The Scout", "x": 1}')
    run = Answers(folder, capsys)
    listed = run.ask("runs")
    (store,) = listed["stores"]
    assert (store["variant"], store["write_style"], store["health"]) == ("reactor", "append", "ok")
    shown = run.ask("show")
    assert (shown["run"]["kind"], shown["run"]["title"]) == ("program", "relay")
    assert (shown["run"]["status"], shown["run"]["raw_status"]) == ("unknown", None)
    steps = {one["id"]: one for one in shown["steps"]}
    assert {name: one["status"] for name, one in steps.items()} == {
        "inbox": "completed",
        "inbox/ledger": "skipped",
        "inbox/ledger/scout": "failed",
        "inbox/ledger/scout/critic": "pending",
    }
    assert {one["kind"] for one in shown["steps"]} == {"node"}
    scout = steps["inbox/ledger/scout"]
    assert (scout["error"], scout["label"]) == ("no key", "The Scout")
    assert steps["inbox"]["ref"]["entry_point"] and steps["inbox"]["ref"]["receipts"] == 2
    producers = [one["producer"] for one in steps["inbox/ledger/scout/critic"]["ref"]["inputs"]]
    assert producers == ["scout", "ledger"]
    assert shown["run"]["steps"] == {"total": 4, "completed": 1, "failed": 1, "running": 0,
                                     "pending": 1, "skipped": 1}  # fmt: skip

    events = run.ask("events")["events"]
    assert [(one["kind"], one["raw_status"]) for one in events] == [
        ("node", "rendered"), ("node", "rendered"), ("node", "failed"), ("node", "rendered"),
        ("node", "skipped"),
    ]  # fmt: skip
    assert events[2]["payload"]["semantic_diff"] == {"failure_reason": "no key"}
    then = run.ask("show", "--at", "1")
    assert [one["status"] for one in then["steps"]] == ["completed", *["pending"] * 3]


def test_the_ledger_is_the_same_as_everywhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = Answers(state(tmp_path / "s", episode(), topology(nested=True)), capsys)
    found = run.ask("receipts")
    assert found["chain_ok"] is True and run.code == 0
    assert found["dispositions"] == {"rendered": 3, "failed": 1, "skipped": 1}
    tampered = episode()
    tampered[0]["cost"]["tokens"]["fresh"] = 7
    broken = Answers(state(tmp_path / "t", tampered, topology(nested=True)), capsys)
    assert broken.ask("receipts")["chain_ok"] is False and broken.code == 1
    assert "chain_broken" in broken.codes()


def test_without_a_graph_the_nodes_are_those_of_the_receipts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = Answers(state(tmp_path / "s", episode()), capsys)
    assert [one["id"] for one in run.ask("show")["steps"]] == ["inbox", "ledger", "scout"]


def test_compiled_but_not_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = Answers(state(tmp_path / "s", None, topology(nested=False)), capsys)
    assert run.ask("runs")["stores"][0]["health"] == "empty"
    assert [one["status"] for one in run.ask("show")["steps"]] == ["pending"] * 4
    assert run.ask("receipts")["chain_ok"] is None and run.code == 1


@pytest.mark.parametrize(
    ("receipts", "graph"),
    [({"an": "object"}, None), ([1, 2, 3], None), (["contract"], {"nodes": 1, "edges": []})],
)
def test_what_is_merely_named_like_one_is_no_store(
    tmp_path: Path, receipts: Any, graph: Any
) -> None:
    folder = state(tmp_path / "s", receipts, graph)
    assert run_folder_reader(str(folder), lambda: 0) is None


def test_one_bad_receipt_costs_no_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    receipts: list[Any] = [*chain("a", 1), "text", {"node": 7}, None, *chain("b", 1)]
    run = Answers(state(tmp_path / "s", receipts), capsys)
    assert [one["n"] for one in run.ask("events")["events"]] == [1, 2, 3, 4, 5]
    verdicts = {one["node"]: one["verdict"] for one in run.ask("receipts")["nodes"]}
    assert verdicts["a"] == verdicts["b"] == "verified" and verdicts[""] == "unverifiable"


def test_receipts_that_are_added_are_folded_on(tmp_path: Path) -> None:
    receipts = episode()
    folder = state(tmp_path / "s", receipts[:2], topology(nested=True))
    path = folder / "receipts.json"
    run = ReactorRun(RunLocation(str(path), str(folder)), lambda: 0)
    first = run.refresh()
    assert first.events == 2 and not run.changed() and run.refresh() is first
    path.write_text(json.dumps(receipts))
    assert run.changed()
    grown = run.refresh()
    assert grown.events == 5
    assert list(grown.step_of_event)[:2] == list(first.step_of_event)
    path.write_text(json.dumps(receipts)[:100])
    with pytest.raises(StoreUnavailable, match="rewritten"):
        run.refresh()
    assert first.events == 2


def test_versions_of_world_models(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = state(tmp_path / "s", episode())
    data = b"OPWM1\x00\x00\x00\x00"
    digest = hashlib.sha256(data).hexdigest()
    versions = folder / "world-models" / b"inbox".hex() / "versions"
    versions.mkdir(parents=True)
    (versions / f"sha256_{digest}.bin").write_bytes(data)
    (versions / f"sha256_{'0' * 64}.bin").write_bytes(data + b"!")
    (versions.parent / "published.json").write_text(json.dumps({"version": f"sha256:{digest}"}))
    os.symlink("/etc", folder / "world-models/outside")
    run = Answers(folder, capsys)
    records = run.ask("record", "world_models")["records"]
    refused = next(one for one in records if one["version"] is None)
    assert "outside is a link" in refused["unreadable"]
    by_version = {one["version"]: one for one in records}
    good, bad = by_version[f"sha256:{digest}"], by_version["sha256:" + "0" * 64]
    assert (good["node"], good["published"], good["integrity"]) == ("inbox", True, "verified")
    assert (bad["published"], bad["integrity"], bad["files"]) == (False, "tampered", None)
    assert good["files"] == [] and good["version"] == f"sha256:{digest}"


def test_versions_stand_in_the_order_of_the_receipts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    contents = {f"sha256:{hashlib.sha256(data).hexdigest()}": data for data in (b"1", b"2", b"3")}
    told = sorted(contents, reverse=True)
    receipts = [receipt("inbox", fingerprints={"@atomic": one}) for one in told]
    folder = state(tmp_path / "s", receipts)
    versions = folder / "world-models" / b"inbox".hex() / "versions"
    versions.mkdir(parents=True)
    for name, data in contents.items():
        (versions / f"{name.replace(':', '_')}.bin").write_bytes(data)
        os.utime(versions / f"{name.replace(':', '_')}.bin", (1_000, 1_000))
    records = Answers(folder, capsys).ask("record", "world_models")["records"]
    assert [(one["version"], one["receipt"]) for one in records] == [
        (version, number) for number, version in enumerate(told, 1)
    ]
    reader = ReactorRun(RunLocation(str(folder / "receipts.json"), str(folder)), lambda: 0)
    reader.refresh()
    beside = reader.context(0).related["world-models"]
    assert [one["version"] for one in beside] == told
    assert all(len(one) < 8 for one in beside), "the detail of a node is no copy of the tab"
    assert {tab.part: tab.count for tab in reader.refresh().tabs}["world_models"] == 3


_NAME = st.sampled_from("abcdef")


@given(st.lists(_NAME, max_size=6), st.lists(st.tuples(_NAME, _NAME), max_size=12))
def test_any_graph_has_a_tree(nodes: list[str], edges: list[tuple[str, str]]) -> None:
    raw = {
        "nodes": [{"node": node} for node in nodes],
        "edges": [{"subscriber": to, "producer": of} for to, of in edges],
    }
    found = read_topology(json.dumps(raw).encode())
    assert found is not None
    order = tree(found)
    assert sorted(node for node, _ in order) == sorted(set(nodes))
    seen: set[str] = set()
    for node, above in order:
        assert above is None or (above in seen and (node, above) in edges)
        seen.add(node)


def test_a_long_line_of_nodes_is_cut(tmp_path: Path) -> None:
    names = [f"n{number}" for number in range(5000)]
    edges = [{"subscriber": to, "producer": of} for of, to in pairwise(names)]
    found = read_topology(json.dumps({"nodes": names, "edges": edges}).encode())
    assert isinstance(found, Topology)
    parents = dict(tree(found))
    depth, at = 0, parents[names[99]]
    while at is not None:
        depth, at = depth + 1, parents[at]
    assert depth < 100 and len(parents) == 5000


@given(st.binary(max_size=60))
def test_no_bytes_break_a_graph(data: bytes) -> None:
    read_topology(data, data)
