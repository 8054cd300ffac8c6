"""The public Python interface, and the examples of docs/API.md."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import inspector
from tests.case_archives import Cases
from tests.query.openprose.builders import done, executing, failed, rows
from tests.query.openprose.databases import RUN_ID, make

ROOT = Path(__file__).parents[2]
EXAMPLES = re.findall(r"```python\n(.*?)```", (ROOT / "docs/API.md").read_text(), re.DOTALL)
NOW = 1_768_593_600_000
SECRET = "sk-ant-api03-" + "A1b2C3d4E5" * 8


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[inspector.Workspace]:
    recorded = rows(done(1, f"fetch with {SECRET}"), failed(2, "summarize"), executing(3, "write"))
    make(tmp_path, recorded)
    with inspector.open(tmp_path, now=NOW) as opened:
        yield opened


def test_importing_the_package_loads_nothing() -> None:
    program = "import inspector, sys; print([m for m in sys.modules if m.startswith('inspector.')])"
    command = [sys.executable, "-c", program]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_every_public_name_exists() -> None:
    assert [name for name in inspector.__all__ if not hasattr(inspector, name)] == []
    with pytest.raises(AttributeError, match="no attribute 'close'"):
        _ = inspector.close


def test_a_run_is_typed_all_through(workspace: inspector.Workspace) -> None:
    (summary,) = workspace.runs()
    run = workspace.run("latest")
    assert run.key == summary.key and run.summary().run_id == RUN_ID
    assert [step.status for step in run.steps()] == ["completed", "failed", "running"]
    assert [step.status for step in run.steps(at=1)] == ["completed"]
    assert [event.n for event in run.events(first=2)] == [2, 3]
    assert run.plan().run_key == run.key


def test_filters(workspace: inspector.Workspace) -> None:
    assert len(workspace.runs(status="running", runtime="openprose")) == 1
    assert len(workspace.runs(status="completed")) == 0
    assert len(workspace.runs(since=sys.maxsize)) == 0


def test_secrets_are_masked_unless_revealed(tmp_path: Path) -> None:
    make(tmp_path, rows(done(1, f"fetch with {SECRET}")))
    for reveal in (False, True):
        with inspector.open(tmp_path, reveal=reveal) as opened:
            run = opened.run("latest")
            shown = f"{run.steps()} {run.events().records()} {run.record('run').records()}"
            assert (SECRET in shown) is reveal


def test_records_have_the_names_of_the_command_line(workspace: inspector.Workspace) -> None:
    run = workspace.run("latest")
    assert {"id", "kind", "label", "duration_ms"} <= run.steps().records()[0].keys()
    assert {"key", "title", "tokens"} <= workspace.runs().records()[0].keys()
    assert workspace.stores().records()[0]["runtime"] == "openprose"


def test_what_is_not_recorded_is_said(workspace: inspector.Workspace) -> None:
    run = workspace.run("latest")
    with pytest.raises(inspector.NotRecorded):
        run.usage()
    with pytest.raises(KeyError):
        run.record("no such part")
    with pytest.raises(inspector.NoMatch):
        workspace.run("no such run")


def test_a_missing_path_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        inspector.open(tmp_path / "none")


def test_following_ends_with_the_run(tmp_path: Path) -> None:
    make(tmp_path, rows(done(1)), status="completed")
    with inspector.open(tmp_path) as opened:
        assert [one.status for one in opened.run("latest").follow()] == ["completed"]


@pytest.mark.parametrize(
    ("archive", "case"),
    [("grimoire", "treasury"), ("prism", "tools"), ("openprose-logs", "43_loops_blocks_no_end")],
)
def test_every_runtime_answers(cases: Cases, tmp_path: Path, archive: str, case: str) -> None:
    folder = cases.folder(archive)
    name = (
        case
        if (folder / case).exists()
        else next(p.name for p in sorted(folder.iterdir()) if p.is_dir())
    )
    with inspector.open(cases.copy(archive, name, tmp_path)) as opened:
        for summary in opened.runs()[:3]:
            run = opened.run(summary.key)
            assert run.summary().key == summary.key
            assert len(run.steps()) == len(run.steps().records())
            assert run.plan().run_key == summary.key
            run.values()


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_the_examples_of_the_documentation_run(
    number: int, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path, rows(done(1, "one"), failed(2, "two"), executing(3, "three")))
    monkeypatch.chdir(tmp_path)
    assert len(EXAMPLES[number].strip().splitlines()) <= 10
    exec(compile(EXAMPLES[number], "docs/API.md", "exec"), {})
    assert capsys.readouterr().out.strip()
