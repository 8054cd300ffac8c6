"""Agents in all three scopes, in databases and in files, as one run is told of them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.query.openprose.agents import gaps
from inspector.query.openprose.persistent_files import is_users, root_above, shelves
from tests.query.openprose.databases import Opened, make
from tests.query.openprose.kept import Ask, asking, write

SEGMENT = (
    '# Segment 001\n\ntimestamp: 2026-01-15T14:32:15Z\nprompt: "Review"\n\n## Summary\n\n- ok\n'
)


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]) -> Ask:
    return asking(capsys)


def by_place(records: list[dict[str, Any]]) -> dict[tuple[str, str], dict[str, Any]]:
    return {(one["scope"], one["name"]): one for one in records}


def test_a_run_with_a_database_has_agents_in_files_as_well(tmp_path: Path, ask: Ask) -> None:
    kept = "('captain', 'execution', 'in the database')"
    path = make(tmp_path, also=[f"INSERT INTO agents (name, scope, memory) VALUES {kept}"])
    home = tmp_path / "home/.agents/prose"
    write(path.parent, {"agents/scout/memory.md": "run", "agents/scout/scout-002.md": SEGMENT})
    write(tmp_path, {"state/agents/captain/memory.md": "project"})
    write(home, {"state/agents/advisor/memory.md": "user"})
    write(home, {"state/agents/advisor/advisor-001.md": "x"})
    found = by_place(ask(tmp_path, "record", "latest", "agents")["records"])
    assert {place: one["memory"] for place, one in found.items()} == {
        ("run", "captain"): "in the database",
        ("run", "scout"): "run",
        ("project", "captain"): "project",
        ("user", "advisor"): "user",
    }
    scout = found["run", "scout"]
    assert scout["gap"] == [1]
    assert scout["segments"][0]["prompt"] == "Review"
    assert scout["segments"][0]["summary"] == "- ok"


def test_the_users_own_root_is_looked_at_without_a_path(
    tmp_path: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, home = tmp_path / "project", tmp_path / "somebody"
    make(project)
    write(home / ".agents/prose", {"state/agents/advisor/memory.md": "mine"})
    write(home / ".prose", {"agents/old/memory.md": "older"})
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(project)
    found = by_place(ask(None, "record", "latest", "agents")["records"])
    assert {place: one["memory"] for place, one in found.items()} == {
        ("user", "advisor"): "mine",
        ("user", "old"): "older",
    }
    hermetic = ask(project, "record", "latest", "agents")["records"]
    assert hermetic == []


def test_an_older_root_keeps_agents_beside_its_runs(tmp_path: Path, ask: Ask) -> None:
    make(tmp_path / ".prose")
    write(tmp_path / ".prose", {"agents/captain/memory.md": "older project"})
    write(tmp_path, {"agents/not-prose/memory.md": "of another program"})
    (only,) = ask(tmp_path, "record", "latest", "agents")["records"]
    assert (only["scope"], only["name"], only["memory"]) == ("project", "captain", "older project")


def test_agents_of_other_projects_are_not_told(tmp_path: Path, ask: Ask) -> None:
    make(tmp_path / "one")
    write(tmp_path / "two", {"state/agents/stranger/memory.md": "x"})
    assert ask(tmp_path, "record", "latest", "agents")["records"] == []


def test_a_folder_of_another_kind_is_no_agent(tmp_path: Path, ask: Ask) -> None:
    make(tmp_path)
    write(tmp_path, {"state/agents/src/index.ts": "code", "state/agents/real/memory.md": "m"})
    (only,) = ask(tmp_path, "record", "latest", "agents")["records"]
    assert only["name"] == "real"


def test_nothing_is_followed_out_of_the_folder_and_it_is_said(tmp_path: Path, ask: Ask) -> None:
    secret = tmp_path / "secret"
    write(secret, {"memory.md": "SECRET", "x.md": "SECRET"})
    folder = make(tmp_path / "p").parent
    write(folder, {"agents/spy/spy-001.md": "ok"})
    os.symlink(secret, folder / "agents/linked")
    os.symlink(secret / "memory.md", folder / "agents/spy/memory.md")
    os.symlink(secret / "x.md", folder / "agents/spy/spy-002.md")
    os.mkfifo(folder / "agents/spy/spy-003.md")
    records = ask(tmp_path / "p", "record", "latest", "agents")["records"]
    assert "SECRET" not in str(records)
    spy, refused = records
    assert [one["segment_number"] for one in spy["segments"]] == [1]
    assert spy["orphan"] and "memory.md is a link" in spy["unreadable"]
    assert "linked is a link" in refused["unreadable"]


def test_a_folder_of_agents_that_is_a_link_is_not_entered(tmp_path: Path, ask: Ask) -> None:
    write(tmp_path / "elsewhere", {"captain/memory.md": "SECRET"})
    folder = make(tmp_path / "p").parent
    os.symlink(tmp_path / "elsewhere", folder / "agents")
    assert ask(tmp_path / "p", "record", "latest", "agents")["records"] == []


def test_a_long_memory_is_cut_and_says_so(tmp_path: Path, ask: Ask) -> None:
    folder = make(tmp_path).parent
    write(folder, {"agents/big/memory.md": "x" * (1 << 20) + "END"})
    (big,) = ask(tmp_path, "record", "latest", "agents")["records"]
    assert big["memory"] == "x" * (1 << 20)
    assert "too large" in big["unreadable"]


def test_the_tab_is_there_although_the_database_has_no_such_table(
    tmp_path: Path, opened: Opened
) -> None:
    path = make(tmp_path, also=["DROP TABLE agents"])
    write(path.parent, {"agents/captain/memory.md": "m"})
    write(tmp_path, {"state/agents/other/memory.md": "m"})
    tabs = {tab.part: tab.count for tab in opened(path).refresh().tabs}
    assert tabs["agents"] == 2
    assert "world_models" in tabs


@pytest.mark.parametrize(
    ("root", "users"),
    [
        ("/home/me/.agents/prose", True),
        ("/Users/me/.prose", True),
        ("/x/home/.agents/prose", True),
        ("/home/me/work/.agents/prose", False),
        ("/home/me/work", False),
        ("/srv/.prose", False),
    ],
)
def test_a_root_is_the_users_by_its_place(root: str, users: bool) -> None:
    assert is_users(root) is users


def test_an_imported_run_has_the_project_of_the_one_that_imports_it() -> None:
    nested = "/p/runs/a/imports/x--y/imports/z--w"
    assert root_above(nested) == "/p"
    assert [one.path for one in shelves(nested, "agents")] == [
        f"{nested}/agents",
        "/p/state/agents",
    ]


@given(st.sets(st.integers(1, 60)))
def test_a_gap_is_every_number_before_the_last_that_is_not_there(numbers: set[int]) -> None:
    found = gaps(sorted(numbers))
    assert sorted({*found, *numbers}) == list(range(1, max(numbers, default=0) + 1))
    assert not numbers & set(found)
