"""World models in databases and files: versions, what is published, their bytes, differences."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.cli.main import main
from inspector.query.openprose.model_diff import answer, keep, lines_between
from inspector.query.openprose.model_files import model_files
from inspector.query.openprose.persistent_files import Budget, Shelf
from inspector.query.openprose.world_models import (
    Kept,
    ModelFile,
    address_of,
    decode,
    framed,
    namings,
    ordered,
)
from tests.query.openprose.databases import make
from tests.query.openprose.kept import Ask, asking, write
from tests.query.openprose.logs.receipts import chain

Files = Mapping[str, bytes]
ONE: Files = {"events.md": b"a\nb\nc\n", "same.md": b"="}
TWO: Files = {"events.md": b"a\nB\nc\n", "new.json": b'{"k":1}', "same.md": b"="}


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]) -> Ask:
    return asking(capsys)


def container(files: Files) -> bytes:
    ordered = sorted(files.items(), key=lambda item: item[0].encode())
    return framed([ModelFile(path, content) for path, content in ordered])


def name_of(files: Files) -> str:
    return address_of(container(files))


def file_of(files: Files) -> str:
    return name_of(files).replace(":", "_") + ".bin"


def at(path: Path, seconds: int) -> None:
    os.utime(path, (seconds, seconds))


def durable(root: Path, node: str, *versions: Files, published: Files | None = None) -> Path:
    """A node's folder in `state/world-model/`, its versions written one after the other."""
    folder = root / "state/world-model" / node
    for number, files in enumerate(versions):
        write(folder, {f"versions/{file_of(files)}": container(files)})
        at(folder / "versions" / file_of(files), 1_000 + number)
    write(folder, {f"published/{path}": content for path, content in (published or {}).items()})
    return folder


def models(ask: Ask, root: Path, which: str = "") -> list[dict[str, Any]]:
    part = f"world_models:{which}" if which else "world_models"
    return list(ask(root, "record", "latest", part)["records"])


def test_versions_that_outlive_runs_are_told_oldest_first(tmp_path: Path, ask: Ask) -> None:
    make(tmp_path)
    durable(tmp_path, "monitor", ONE, TWO, published=TWO)
    first, second = models(ask, tmp_path)
    assert (first["version"], second["version"]) == (name_of(ONE), name_of(TWO))
    assert (first["published"], second["published"]) == (False, True)
    assert {first["integrity"], second["integrity"]} == {"verified"}
    assert {one["scope"] for one in (first, second)} == {"project"}
    assert second["changes"] == [
        {"path": "events.md", "change": "changed"},
        {"path": "new.json", "change": "added"},
    ]


def test_a_version_may_be_a_folder_of_files(tmp_path: Path, ask: Ask) -> None:
    make(tmp_path)
    folder = tmp_path / "state/world-model/monitor/versions"
    write(folder / name_of(ONE), {path: content for path, content in ONE.items()})
    write(folder / name_of(TWO).replace(":", "-"), {"events.md": b"changed since"})
    by_version = {one["version"]: one for one in models(ask, tmp_path)}
    assert by_version[name_of(ONE)]["integrity"] == "verified"
    assert by_version[name_of(TWO)]["integrity"] == "tampered"


def test_bytes_that_were_changed_and_bytes_that_cannot_be_read(tmp_path: Path, ask: Ask) -> None:
    make(tmp_path)
    folder = durable(tmp_path, "monitor", ONE, TWO)
    with (folder / "versions" / file_of(TWO)).open("ab") as file:
        file.write(b"!")
    bad = f"sha256_{'1' * 64}.bin"
    os.symlink("/etc/passwd", folder / "versions" / bad)
    records = models(ask, tmp_path)
    assert [one["integrity"] for one in records if one["version"]] == ["verified", "tampered"]
    assert "follow its last file" in records[1]["unreadable"]
    assert f"{bad} is a link" in records[2]["unreadable"]
    assert not any("root:" in str(one) for one in records)


def test_the_published_pointer_may_lead_nowhere(tmp_path: Path, ask: Ask) -> None:
    make(tmp_path)
    folder = durable(tmp_path, "monitor", ONE)
    write(folder, {"published.json": json.dumps({"version": name_of(TWO)})})
    first, missing = models(ask, tmp_path)
    assert not first["published"]
    assert (missing["version"], missing["published"]) == (name_of(TWO), True)
    assert missing["unreadable"] == "the published version is not kept"


def test_what_is_published_without_a_version_is_told_and_not_called_verified(
    tmp_path: Path, ask: Ask
) -> None:
    make(tmp_path)
    durable(tmp_path, "monitor", ONE, published=TWO)
    first, current = models(ask, tmp_path)
    assert not first["published"]
    assert (current["published"], current["integrity"]) == (True, "unverified")
    assert current["address"] == name_of(TWO)


def test_the_ledger_beside_the_versions_is_judged(tmp_path: Path, ask: Ask) -> None:
    make(tmp_path)
    folder = durable(tmp_path, "monitor", ONE)
    lines = [json.dumps(one) for one in chain("monitor", 3)]
    write(folder, {"receipts.jsonl": "\n".join(lines)})
    (only,) = models(ask, tmp_path)
    assert (only["receipts"], only["chain"]) == (3, "verified")


def test_models_of_the_run_the_project_and_the_user(tmp_path: Path, ask: Ask) -> None:
    run = make(tmp_path).parent
    write(run, {"world-model/a/x.md": "1", "world-model/a/.version": name_of({"x.md": b"1"})})
    durable(tmp_path, "b", ONE)
    durable(tmp_path / "home/.agents/prose", "c", TWO)
    found = {one["scope"]: (one["node"], one["integrity"]) for one in models(ask, tmp_path)}
    assert found == {
        "run": ("a", "verified"), "project": ("b", "verified"), "user": ("c", "verified"),
    }  # fmt: skip


def test_links_and_fifos_among_the_files_are_said_and_never_read(tmp_path: Path, ask: Ask) -> None:
    run = make(tmp_path).parent
    folder = run / "world-model/a"
    write(folder, {"ok.md": "fine", "deep/ok.md": "fine"})
    os.symlink("/etc/passwd", folder / "deep/secret.md")
    os.mkfifo(folder / "pipe")
    (only,) = models(ask, tmp_path)[:1]
    assert only["integrity"] == "unreadable"
    assert "deep: secret.md is a link" in only["unreadable"]
    assert "pipe is a link or no regular file" in only["unreadable"]
    assert "root:" not in str(only)


def test_a_folder_of_models_that_is_a_link_is_not_entered(tmp_path: Path, ask: Ask) -> None:
    durable(tmp_path / "elsewhere", "a", ONE)
    make(tmp_path / "p")
    (tmp_path / "p/state").mkdir()
    os.symlink(tmp_path / "elsewhere/state/world-model", tmp_path / "p/state/world-model")
    assert models(ask, tmp_path / "p") == []


def test_no_more_is_read_than_the_budget_has(tmp_path: Path) -> None:
    for number in range(4):
        durable(tmp_path, f"n{number}", {"a": bytes([number]) * 1000})
    shelf = Shelf(str(tmp_path), ("state", "world-model"), "project")
    budget = Budget(2_500)
    found = [one.record["integrity"] for one in model_files(shelf, budget)]
    assert found == ["verified", "verified", "unreadable", "unreadable"]
    assert budget.left >= 0


def test_two_versions_are_compared_file_by_file(tmp_path: Path, ask: Ask) -> None:
    make(tmp_path)
    durable(tmp_path, "monitor", ONE, TWO)
    asked = (f"{name_of(ONE)}..{name_of(TWO)}", f"{name_of(ONE)[7:15]}..{name_of(TWO)[-8:]}",
             f"..{name_of(TWO)}")  # fmt: skip
    for which in asked:
        changed, added = models(ask, tmp_path, which)
        assert (changed["path"], changed["change"]) == ("events.md", "changed")
        assert changed["lines"] == ["@@ -1,4 +1,4 @@", " a", "-b", "+B", " c", " "]
        assert (added["path"], added["change"], added["before_size"]) == ("new.json", "added", None)
        assert added["lines"][-1] == "+}"


def test_the_files_of_one_version(tmp_path: Path, ask: Ask) -> None:
    make(tmp_path)
    durable(tmp_path, "monitor", ONE)
    found = models(ask, tmp_path, name_of(ONE))
    assert [(one["path"], one["text"]) for one in found] == [
        ("events.md", "a\nb\nc\n"), ("same.md", "="),
    ]  # fmt: skip


@pytest.mark.parametrize("which", ["ffff", "ffff..eeee", "ab", ".."])
def test_a_version_that_is_not_there_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], which: str
) -> None:
    make(tmp_path)
    durable(tmp_path, "monitor", ONE)
    assert main(["record", "latest", f"world_models:{which}", "--in", str(tmp_path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_version_that_was_changed_elsewhere_does_not_stand_in_the_way(
    tmp_path: Path, ask: Ask
) -> None:
    make(tmp_path)
    durable(tmp_path, "monitor", ONE, TWO)
    other = durable(tmp_path, "other", TWO)
    with (other / "versions" / file_of(TWO)).open("ab") as file:
        file.write(b"!")
    changed, _ = models(ask, tmp_path, f"..{name_of(TWO)}")
    assert "+B" in changed["lines"]


def test_versions_in_the_database_are_compared_as_well(tmp_path: Path, ask: Ask) -> None:
    insert = "INSERT INTO world_model_version (version, node, artifact) VALUES ('%s', 'n', x'%s')"
    make(tmp_path, also=[insert % (name_of(one), container(one).hex()) for one in (ONE, TWO)])
    changed, _ = models(ask, tmp_path, f"..{name_of(TWO)}")
    assert changed["lines"][2:4] == ["-b", "+B"]


_FILES = st.dictionaries(st.sampled_from(["a", "b", "c/d"]), st.binary(max_size=6), max_size=3)


@given(st.lists(_FILES, min_size=1, max_size=5, unique_by=lambda one: str(sorted(one.items()))))
def test_only_what_is_asked_for_is_kept_in_memory(versions: list[dict[str, bytes]]) -> None:
    every = [Kept({"version": name_of(one), "node": "n"}, decode(container(one)))
             for one in versions]  # fmt: skip
    assert all(one.files is None for one in keep(every, ""))
    newest = name_of(versions[-1])
    kept = keep(every, f"..{newest}")
    assert sum(one.files is not None for one in kept) <= 2
    found = answer(kept, f"..{newest}")
    before = versions[-2] if len(versions) > 1 else {}
    paths = {*before, *versions[-1]}
    assert {one["path"] for one in found} == {
        path for path in paths if before.get(path) != versions[-1].get(path)
    }


@given(st.lists(st.sampled_from("abc"), max_size=8), st.lists(st.sampled_from("abc"), max_size=8))
def test_the_lines_between_two_texts_lead_from_one_to_the_other(
    old: list[str], new: list[str]
) -> None:
    lines = lines_between("\n".join(old).encode(), "\n".join(new).encode())
    assert lines is not None
    removed = [line[1:] for line in lines if line.startswith("-")]
    added = [line[1:] for line in lines if line.startswith("+")]
    left, right = ("\n".join(each).split("\n") if each and "\n".join(each) else []
                   for each in (old, new))  # fmt: skip
    for line in removed:
        left.remove(line)
    for line in added:
        right.remove(line)
    assert sorted(left) == sorted(right)


def test_what_is_no_text_is_not_compared_line_by_line() -> None:
    assert lines_between(b"\xff\x00", b"a") is None
    assert lines_between(b"a\n" * 6_000, b"b\n" * 6_000) is None


def test_what_differs_reads_as_lines_in_a_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make(tmp_path)
    durable(tmp_path, "monitor", ONE, TWO)
    part = f"world_models:..{name_of(TWO)}"
    assert main(["record", "latest", part, "--in", str(tmp_path)]) == 0
    printed = capsys.readouterr().out.split("\n")
    assert printed.index("-b") + 1 == printed.index("+B")


# The order of versions

THREE: Files = {"events.md": b"a\nb\nc\nd\n"}
UNTOLD: Files = {"events.md": b"?"}
VERSION = "INSERT INTO world_model_version (version, node, artifact) VALUES ('%s', 'n', x'%s')"
NAMED = (
    "INSERT INTO receipt (id, node, fingerprints, status) VALUES (%d, 'n', '{\"@atomic\": \"%s\"}',"
    " 'rendered')"
)


def in_rows(*versions: Files) -> list[str]:
    return [VERSION % (name_of(one), container(one).hex()) for one in versions]


def in_receipts(*versions: Files) -> list[str]:
    return [NAMED % (number, name_of(one)) for number, one in enumerate(versions, 1)]


def test_versions_stand_in_the_order_of_the_receipts_that_name_them(
    tmp_path: Path, ask: Ask
) -> None:
    rows = in_rows(UNTOLD, THREE, ONE, TWO)
    make(tmp_path, also=[*rows, *in_receipts(ONE, ONE, TWO, THREE, ONE)])
    records = models(ask, tmp_path)
    assert [one["version"] for one in records] == [name_of(v) for v in (ONE, TWO, THREE, UNTOLD)]
    assert [one["receipt"] for one in records] == [1, 3, 4, None]
    assert [one["receipt_again"] for one in records] == [5, None, None, None]
    assert [one["order"] for one in records] == ["receipts"] * 3 + ["rows"]
    assert records[2]["version_before"] == name_of(TWO)
    changed = models(ask, tmp_path, f"..{name_of(THREE)}")[0]
    assert "-B" in changed["lines"], "compared with what receipts name before it"


def test_without_receipts_that_tell_the_order_is_said_to_be_that_of_the_rows(
    tmp_path: Path, ask: Ask
) -> None:
    make(
        tmp_path, also=[*in_rows(TWO, ONE), NAMED % (1, "t"), "UPDATE receipt SET fingerprints=''"]
    )
    records = models(ask, tmp_path)
    assert [one["version"] for one in records] == [name_of(TWO), name_of(ONE)]
    assert {one["order"] for one in records} == {"rows"}


def test_versions_in_files_stand_in_the_order_of_the_ledger_beside_them(
    tmp_path: Path, ask: Ask
) -> None:
    make(tmp_path)
    folder = durable(tmp_path, "monitor", TWO, ONE, THREE)
    receipts = chain("monitor", 1, fingerprints={"@atomic": name_of(ONE)})
    receipts += chain("monitor", 1, fingerprints={"@atomic": name_of(TWO)})
    write(folder, {"receipts.jsonl": "\n".join(json.dumps(one) for one in receipts)})
    records = models(ask, tmp_path)
    assert [one["version"] for one in records] == [name_of(v) for v in (ONE, TWO, THREE)]
    assert [(one["receipt"], one["order"]) for one in records] == [
        (1, "receipts"), (2, "receipts"), (None, "files"),
    ]  # fmt: skip


@given(st.lists(st.sampled_from("abcd"), max_size=12), st.permutations("abcde"))
def test_a_version_stands_after_the_one_that_its_first_receipt_follows(
    told: list[str], rows: list[str]
) -> None:
    named = namings((at, "n", {"@atomic": one}) for at, one in enumerate(told)).get("n", {})
    listed = ordered(rows, named, lambda one: one)
    assert sorted(listed) == sorted(rows)
    for version, naming in named.items():
        assert told[naming.receipt] == version and version not in told[: naming.receipt]
        if naming.before is not None:
            assert listed.index(naming.before) < listed.index(version)
    assert listed[len(named) :] == [one for one in rows if one not in named]
