"""What else lies in a run's folder: what it was compiled to, its sources, columns of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inspector.query.openprose.run_reader import BEYOND
from tests.query.openprose.builders import done, rows
from tests.query.openprose.databases import Opened, make
from tests.query.openprose.kept import Ask, asking, write
from tests.query.openprose.logs.folders import build, reader

GRAPH = {
    "topology": {
        "nodes": [{"node": "inbox"}, {"node": "reader"}],
        "edges": [{"subscriber": "reader", "producer": "inbox", "facet": "@atomic"}],
        "entry_points": ["inbox"],
    }
}


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]) -> Ask:
    return asking(capsys)


@pytest.mark.parametrize("name", ["compiled-intent.json", "forme.manifest.json"])
def test_the_graph_that_a_run_was_compiled_to(
    tmp_path: Path, ask: Ask, opened: Opened, name: str
) -> None:
    path = make(tmp_path)
    write(path.parent, {name: json.dumps(GRAPH)})
    first, second = ask(tmp_path, "record", "latest", "topology")["records"]
    assert (first["node"], first["entry_point"]) == ("inbox", True)
    assert second["inputs"] == [{"producer": "inbox", "facet": "@atomic"}]
    tabs = {tab.part: tab.count for tab in opened(path).refresh().tabs}
    assert tabs["topology"] == 2


@pytest.mark.parametrize("content", ["", "{", "[]", '{"nodes": 3, "edges": []}', '"x"'])
def test_what_is_no_graph_gives_no_tab(tmp_path: Path, opened: Opened, content: str) -> None:
    path = make(tmp_path)
    write(path.parent, {"compiled-intent.json": content})
    run = opened(path)
    assert "topology" not in {tab.part for tab in run.refresh().tabs}
    assert list(run.record("topology")) == []


def test_a_log_has_its_graph_and_the_sources_of_its_nodes(tmp_path: Path) -> None:
    folder = build(tmp_path, "# run:x p\n\n1→ reader ✓ rendered\n2→ other ✓\n", {
        "compiled-intent.json": json.dumps(GRAPH), "services/reader.md": "# reader",
    })  # fmt: skip
    run = reader(folder)
    view = run.refresh()
    assert {tab.part: tab.count for tab in view.tabs}["topology"] == 2
    steps = {view.describe(step).label: step for step in range(len(view.steps))}
    assert run.context(steps["reader"]).step.ref["source"] == "services/reader.md"
    assert "source" not in run.context(steps["other"]).step.ref


def test_every_generation_of_snapshots_is_told(tmp_path: Path, ask: Ask) -> None:
    files = (
        "root.prose.md", "program.prose", "program.md", "compiled-intent.json",
        "forme.manifest.json", "manifest.run.md", "manifest.md", "sources/a.prose.md",
        "services/b.md",
    )  # fmt: skip
    write(make(tmp_path).parent, dict.fromkeys(files, "x"))
    found = ask(tmp_path, "record", "latest", "source")["records"]
    assert sorted(one["path"] for one in found) == sorted(files)


def test_the_line_of_a_statement_says_when_its_source_changed_since(
    tmp_path: Path, opened: Opened
) -> None:
    path = make(tmp_path, rows(done(1, 'let a = session "x"')),
                also=["UPDATE run SET root_path = 'src/p.prose.md'"])  # fmt: skip
    write(path.parent, {"root.prose.md": '# p\n\nlet a = session "x"\n'})
    write(tmp_path, {"src/p.prose.md": '# p\n\nlet a = session "x"\n'})
    ref = opened(path).context(0).step.ref
    assert (ref["source"], ref.get("since")) == ("root.prose.md:3", None)
    write(tmp_path, {"src/p.prose.md": "# another one\n"})
    ref = opened(path).context(0).step.ref
    assert (ref["source"], ref["since"]) == ("root.prose.md:3", "the source has changed")


def test_columns_of_the_row_that_the_document_does_not_have_stand_beside_the_step(
    tmp_path: Path, opened: Opened
) -> None:
    path = make(tmp_path, rows(done(1), done(2)), also=[
        "ALTER TABLE execution ADD COLUMN model TEXT",
        "UPDATE execution SET model = 'opus' WHERE id = 1",
    ])  # fmt: skip
    run = opened(path)
    run.refresh()
    assert run.context(0).related[BEYOND] == ({"model": "opus"},)
    assert BEYOND not in run.context(1).related
