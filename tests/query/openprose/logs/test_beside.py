"""What lies beside the log: values, errors, delegates, receipts, world models, agents, sources."""

from __future__ import annotations

import hashlib
import json
import os
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.query.openprose.logs.bindings import read_head
from tests.query.openprose.logs.folders import Answers, answers, build, reader, settle
from tests.query.openprose.logs.receipts import chain, receipt
from tests.query.openprose.logs.shapes import ELDER

__all__ = ["answers"]
Make = Callable[..., Answers]

BINDING = """# {name}

kind: {kind}

source:
```prose
let {name} = session "do"
---
```

---

{value}
"""


def binding(name: str, value: str, kind: str = "let") -> str:
    return BINDING.format(name=name, kind=kind, value=value)


def values(run: Answers, *words: str) -> dict[str, Any]:
    found = run.ask("values", *words)["values"]
    return {f"{one['name']}@{one['scope']}": one for one in found}


def test_bindings_with_and_without_a_head(answers: Make) -> None:
    run = answers(ELDER, {
        "bindings/research.md": binding("research", "Three areas.\n---\nmore"),
        "bindings/plain.md": "only text\n---\nkind: no head here",
        "bindings/auditor/report.json": '{"kind": "x"}',
        "bindings/anon_001.md": binding("anon_001", ""),
        "bindings/raw.bin": b"\x00\x01\x02",
        "bindings/latin.md": b"\xe9t\xe9",
    })  # fmt: skip
    found = values(run)
    research = found["research@root"]
    assert (research["kind"], research["value"]) == ("let", "Three areas.\n---\nmore\n")
    assert research["size"] == len(research["value"].encode())
    assert research["source_statement"] == 'let research = session "do"\n---'
    assert research["attachment"]["path"] == "bindings/research.md"
    assert found["plain@root"]["value"] == "only text\n---\nkind: no head here"
    assert found["auditor.report.json@root"]["value"] == '{"kind": "x"}'
    raw = found["raw.bin@root"]
    assert (raw["type"], raw["value"], raw["preview"]) == ("blob", None, "00 01 02")
    assert found["latin@root"]["value"] == "�t�"
    assert found["latin@root"]["attachment"]["verdict"] == "ok_replacement_chars"


def test_a_frame_resolves_to_the_nearest_value(answers: Make) -> None:
    run = answers(ELDER, {
        "bindings/data.md": binding("data", "root", "input"),
        "bindings/result.md": binding("result", "root"),
        "bindings/result__43.md": binding("result", "outer"),
        "bindings/result__44.md": binding("result", "inner"),
        "bindings/other__99.md": binding("other", "nowhere"),
    })  # fmt: skip
    assert {name for name in values(run)} == {
        "data@root", "result@root", "result@43", "result@44", "other@99",
    }  # fmt: skip

    def resolved(frame: str) -> dict[str, str]:
        found = run.ask("values", "--frame", frame)
        assert found["rows"] == 5
        return {one["name"]: one["value"].strip() for one in found["values"]}

    assert resolved("root") == {"data": "root", "result": "root"}
    assert resolved("43") == {"data": "root", "result": "outer"}
    assert resolved("44") == {"data": "root", "result": "inner"}
    assert resolved("99") == {"data": "root", "result": "root", "other": "nowhere"}


def test_published_and_private_files(answers: Make) -> None:
    run = answers("1→ researcher ✓\n", {
        "world-model/caller/question.md": "# question\n\nbinding: input\n\n---\n\nWhy?",
        "world-model/researcher/findings.md": "# Findings",
        "world-model/researcher/.version": "sha256:" + "0" * 64,
        "workspace/researcher/notes.md": "scratch",
    })  # fmt: skip
    found = values(run)
    assert found["question@root"]["kind"] == "input" and found["question@root"]["value"] == "Why?"
    assert found["researcher/findings.md@root"]["kind"] == "world_model"
    assert found["researcher/notes.md@root"]["kind"] == "workspace"
    assert len(found) == 3
    (row,) = run.ask("record", "workspace")["records"]
    assert (row["node"], row["path"]) == ("researcher", "workspace/researcher/notes.md")


def test_large_contents_only_when_asked_for(answers: Make) -> None:
    big = "x" * 200_000
    run = answers("1→ a ✓\n", {"bindings/big.md": binding("big", big)})
    short, whole = values(run)["big@root"], values(run, "--full")["big@root"]
    assert short["value"] is None and short["size"] == 200_001 and len(short["preview"]) == 1024
    assert whole["value"] == big + "\n"


@given(st.binary(max_size=300))
def test_no_content_breaks_a_head(data: bytes) -> None:
    head = read_head(b"# x\nkind: let\n" + data)
    assert 0 <= head.size <= len(data) + 14


def test_nothing_outside_the_run_folder_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = tmp_path / "outside/secret.md"
    secret.parent.mkdir()
    secret.write_text("SECRET")
    folder = build(tmp_path, "1→ a ✗\n", {"bindings/ok.md": "fine", "workspace/a/x.md": "fine"})
    for name in ("bindings/link.md", "workspace/a/__error.md", "receipts/a.jsonl",
                 "agents/spy/memory.md", "program.prose", "sources/a.prose.md"):  # fmt: skip
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(secret)
    (folder / "world-model").symlink_to(secret.parent)
    (folder / "imports").symlink_to(secret.parent.parent)
    (folder / "sources").rename(tmp_path / "sources")
    (folder / "sources").symlink_to(tmp_path / "sources")
    os.mkfifo(folder / "bindings/pipe.md")
    settle(folder)
    run = Answers(folder, capsys)
    everything = [
        run.ask("show"), run.ask("values", "--full"), run.ask("receipts"),
        *(run.ask("record", part) for part in (
            "run", "agents", "world_models", "imports", "tables", "source", "lines", "workspace")),
    ]  # fmt: skip
    assert "SECRET" not in json.dumps(everything)
    assert {one["name"] for one in run.ask("values")["values"]} == {"ok", "a/x.md"}
    assert run.ask("record", "imports")["records"] == []


def test_errors_of_nodes(answers: Make) -> None:
    run = answers("1→ ∥start a,b\n1a→ a ✗\n2→ c ✗ known\n3→ d ✓\n", {
        "workspace/a/__error.md": "# Error: no-results\n\nNothing found.",
        "workspace/b/__error.md": "# Error: broke",
        "workspace/c/__error.md": "# Error: other",
        "workspace/d/__error.md": "# Error: at first",
        "workspace/e/__error.md": "gone",
    })  # fmt: skip
    shown = run.ask("show")
    errors = {one["id"]: one["error"] for one in shown["steps"]}
    assert errors == {"p1": None, "p1.a": "no-results", "p1.b": None, "2": "known", "3": None}
    found = [(one["ref"], one["message"]) for one in shown["findings"]]
    assert [ref for ref, _ in found] == ["p1.b", None]
    assert "broke" in found[0][1] and "gone" in found[1][1]
    (one,) = [s for s in shown["steps"] if s["id"] == "2"]
    assert one["ref"]["error_file"] == "workspace/c/__error.md"


def test_delegates_in_files(answers: Make) -> None:
    run = answers("1→ server\n2→ other ✓\n", {
        "workspace/server/__delegate/synth/req-1.md": "please",
        "workspace/server/__delegate/synth/req-1-response.md": "done",
        "workspace/server/__delegate/critic/req-2.md": "please",
        "workspace/other/__delegate/synth/req-3.md": "please",
    })  # fmt: skip
    steps = {one["id"]: one for one in run.ask("show")["steps"]}
    assert steps["1"]["status"] == "waiting" and steps["2"]["status"] == "completed"
    assert steps["1"]["ref"]["delegates"] == [
        {"delegate": "critic", "id": "req-2", "answered": False},
        {"delegate": "synth", "id": "req-1", "answered": True},
    ]


def test_a_branch_with_a_value_is_unconfirmed(answers: Make) -> None:
    run = answers("3→ ∥start a,b,c\n3a→ a ✓\n", {"bindings/b.md": "B", "bindings/c/out.md": "C"})
    shown = run.ask("show")
    assert {one["id"]: one["status"] for one in shown["steps"]} == {
        "p3": "running", "p3.a": "completed", "p3.b": "unconfirmed", "p3.c": "unconfirmed",
    }  # fmt: skip
    assert [(one["code"], one["ref"]) for one in shown["findings"]] == [
        ("unconfirmed", "p3.b"), ("unconfirmed", "p3.c"),
    ]  # fmt: skip


def test_a_run_that_looks_finished(answers: Make, tmp_path: Path) -> None:
    files = {"bindings/report.md": binding("report", "done", "output")}
    assert answers("1→ a ✓\n", files).codes() == ["looks_finished"]
    for number, log in enumerate(("1→ a ✓\n---end\n", "1→ a ✓\n2→ ∥start x\n", "1→ a ✗\n", "")):
        other = reader(build(tmp_path / str(number), log, files)).refresh()
        assert "looks_finished" not in [one.code for one in other.run.findings]


def jsonl(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_receipts_line_by_line(answers: Make) -> None:
    run = answers("1→ a ✓ rendered\n", {
        "receipts/a.jsonl": jsonl(chain("a", 3)),
        "receipts/b.jsonl": jsonl([receipt("b", status="failed", reason="no key")]),
        "receipts/c.jsonl": jsonl(chain("c", 2, status="skipped", source="self")) + '{"nod',
        "receipts/notes.txt": "not a receipt",
    })  # fmt: skip
    found = run.ask("receipts")
    assert found["chain_ok"] is True and run.code == 0
    assert {one["node"]: (one["verdict"], one["receipts"]) for one in found["nodes"]} == {
        "a": ("verified", 3), "b": ("verified", 1), "c": ("verified", 2),
    }  # fmt: skip
    assert found["dispositions"] == {"rendered": 3, "failed": 1, "skipped": 2}
    assert found["failure_reasons"] == ["no key"]
    assert found["tokens_total"] == {"fresh": 400, "reused": 240}
    shown = run.ask("show")["run"]
    assert (shown["tokens"]["total"], shown["tokens"]["cache_read"]) == (640, 240)


def test_a_tampered_receipt_is_named(answers: Make) -> None:
    rows = chain("a", 3)
    rows[1]["cost"]["tokens"]["fresh"] = 1
    run = answers(
        "1→ a ✓\n", {"receipts/a.jsonl": jsonl(rows) + "no json\n" + jsonl(chain("z", 1))}
    )
    found = run.ask("receipts")
    assert run.code == 1 and found["chain_ok"] is False
    broken = {one["receipt_id"]: one["why_code"] for one in found["nodes"][0]["broken"]}
    assert broken[2] == "content_hash_mismatch" and broken[3] == "prev_mismatch"
    assert "chain_broken" in run.codes()


def test_no_receipt_is_never_green(answers: Make) -> None:
    run = answers("1→ a ✓\n")
    assert run.ask("receipts")["chain_ok"] is None and run.code == 1


def test_receipts_that_come_are_seen(tmp_path: Path) -> None:
    folder = build(tmp_path, "1→ a ✓\n", {"receipts/a.jsonl": jsonl(chain("a", 1))})
    run = reader(folder)
    run.refresh()
    assert len(run.receipts().receipts) == 1 and not run.changed()
    with (folder / "receipts/a.jsonl").open("a") as file:
        file.write(jsonl(chain("a", 2)[1:]))
    assert run.changed()
    tab = next(one for one in run.refresh().tabs if one.part == "receipts")
    assert (tab.count, tab.mark) == (2, "ok")


def framed(files: dict[str, bytes]) -> str:
    """The address of a container of these files."""
    data = b"OPWM1" + struct.pack("<I", len(files))
    for name in sorted(files):
        for part in (name.encode(), files[name]):
            data += struct.pack("<I", len(part)) + part
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def test_world_models_of_a_run(answers: Make) -> None:
    content = {"findings.md": b"# F", "published/x/y.md": b"y"}
    run = answers("1→ a ✓\n", {
        **{f"world-model/a/{name}": data for name, data in content.items()},
        "world-model/a/.version": framed(content) + "\n",
        "world-model/b/report.md": "r",
        "world-model/b/.version": "sha256:" + "1" * 64,
    })  # fmt: skip
    first, second = run.ask("record", "world_models")["records"]
    assert (first["node"], first["integrity"], first["version"]) == (
        "a",
        "verified",
        framed(content),
    )
    assert [one["path"] for one in first["files"]] == ["findings.md", "published/x/y.md"]
    assert (second["node"], second["integrity"]) == ("b", "unverified")


def test_agents_with_memories_segments_and_gaps(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    segment = (
        '# Segment 001\n\ntimestamp: 2026-01-15T14:32:15Z\nprompt: "Review"\n\n## Summary\n\n- ok\n'
    )
    folder = build(tmp_path, "1→ a ✓\n", {
        "agents/captain/memory.md": "# Agent Memory: captain",
        "agents/captain/captain-001.md": segment,
        "agents/captain/captain-004.md": "free text",
        "agents/captain/other-002.md": "not a segment",
        "agents/ghost/ghost-002.md": "x",
    })  # fmt: skip
    durable = tmp_path / "state/agents/captain"
    durable.mkdir(parents=True)
    (durable / "memory.md").write_text("project memory")
    found = Answers(folder, capsys).ask("record", "agents")["records"]
    own, ghost, shared = found
    assert (own["name"], own["scope"], own["gap"], own["orphan"]) == (
        "captain",
        "run",
        [2, 3],
        False,
    )
    first, last = own["segments"]
    assert (first["segment_number"], first["timestamp"]) == (1, "2026-01-15T14:32:15Z")
    assert (first["prompt"], first["summary"]) == ("Review", "- ok")
    assert (last["segment_number"], last["summary"]) == (4, "free text")
    assert ghost["orphan"] and ghost["memory"] is None and ghost["gap"] == [1]
    assert (shared["scope"], shared["memory"]) == ("project", "project memory")


def test_sources_imports_and_names(answers: Make) -> None:
    run = answers("# run:x p\nprogram: p.prose\n\n1→ a ✓\n", {
        "program.prose": "session 'x'",
        "sources/researcher.prose.md": "# researcher",
        "imports/alice--research/vm.log.md": "1→ x ✓\n",
        "odd.txt": "?",
    })  # fmt: skip
    assert [one["path"] for one in run.ask("record", "source")["records"]] == [
        "program.prose", "sources/researcher.prose.md",
    ]  # fmt: skip
    (imported,) = run.ask("record", "imports")["records"]
    assert (imported["handle"], imported["slug"], imported["log"]) == (
        "alice",
        "research",
        "vm.log.md",
    )
    names = {one["name"]: one["documented"] for one in run.ask("record", "tables")["records"]}
    assert names == {"imports": True, "odd.txt": False, "program.prose": True, "sources": True,
                     "vm.log.md": True}  # fmt: skip
    runs = run.ask("runs")["runs"]
    parents = {one["run_id"]: one["parent_key"] for one in runs}
    assert parents["alice--research"] is not None and parents["x"] is None


def test_the_detail_of_a_step(tmp_path: Path) -> None:
    folder = build(tmp_path, "1→ [input] q ✓\n2→ researcher ✗ late\nwhy it was late\n", {
        "bindings/q.md": "Q",
        "bindings/researcher/out.md": "O",
        "workspace/researcher/notes.md": "N",
        "receipts/researcher.jsonl": jsonl([receipt("researcher", status="failed", reason="late")]),
    })  # fmt: skip
    run = reader(folder)
    view = run.refresh()
    detail = run.context(1)
    assert (detail.step.label, detail.step.error) == ("researcher", "late")
    (event,) = detail.events
    assert event.payload["notes"] == ["why it was late"] and event.id == 2
    assert {one.name for one in detail.values.values} >= {"q", "researcher.out"}
    assert [one["path"] for one in detail.related["workspace"]] == ["workspace/researcher/notes.md"]
    assert detail.related["receipts"][0]["failure_reason"] == "late"
    assert [one.part for one in view.tabs] == ["timeline", "values", "receipts", "source", "raw"]
    with pytest.raises(KeyError):
        run.record("nothing")
