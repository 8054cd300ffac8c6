"""The workspace: stores that are found, kept, and let go of."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.model.status import Status
from inspector.model.store import Health
from inspector.query.openprose.run_reader import ProseRun
from inspector.query.openprose.store_reader import ProseStore
from inspector.query.workspace import Workspace
from inspector.store.discover import MissingPath
from inspector.store.read import StoreUnavailable
from tests.query.openprose.builders import done, rows
from tests.query.openprose.databases import NOW, RUN_ID, make
from tests.store.writers import Writer

EMPTY = "20260117-000000-abcdef"


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """Of the test's own folder."""
    found = Workspace([str(tmp_path)], lambda: NOW, str(tmp_path))
    yield found
    found.close()


def statuses(workspace: Workspace) -> dict[str | None, Status]:
    return {run.run_id: run.status for _, runs in workspace.summaries() for run in runs}


def test_every_run_folder_gives_a_run(tmp_path: Path, workspace: Workspace) -> None:
    make(tmp_path, rows(done(1)))
    make(tmp_path, name="broken").write_bytes(b"nothing of the kind")
    (tmp_path / "runs" / EMPTY).mkdir()
    assert statuses(workspace) == {
        RUN_ID: Status.RUNNING, "broken": Status.UNKNOWN, EMPTY: Status.UNKNOWN,
    }  # fmt: skip


def test_a_summary_follows_the_file(tmp_path: Path, workspace: Workspace) -> None:
    path = make(tmp_path, rows(done(1)))
    assert statuses(workspace)[RUN_ID] is Status.RUNNING
    with Writer(path) as writer:
        writer.sql("UPDATE run SET status = 'failed'")
    assert statuses(workspace)[RUN_ID] is Status.FAILED


def test_a_busy_store_keeps_its_last_summary(tmp_path: Path, workspace: Workspace) -> None:
    path = make(tmp_path, rows(*(done(n, "x" * 900) for n in range(1, 200))))
    statuses(workspace)
    with Writer(path) as writer:
        writer.sql(
            "PRAGMA journal_mode=MEMORY",
            "PRAGMA cache_size=1",
            "BEGIN EXCLUSIVE",
            "UPDATE execution SET statement_text = replace(statement_text, 'x', 'y')",
        )
        ((store, runs),) = workspace.summaries()
    assert (store.health, runs[0].status) == (Health.BUSY, Status.RUNNING)
    assert runs[0].store.health is Health.BUSY


def test_readers_of_what_is_gone_are_closed(tmp_path: Path, workspace: Workspace) -> None:
    make(tmp_path, rows(done(1)))
    second = make(tmp_path, name="second", run_id="second")
    statuses(workspace)
    assert len(workspace.readers) == 2
    shutil.rmtree(second.parent)
    workspace.discover()
    assert list(workspace.readers) == [str(tmp_path / "runs" / RUN_ID)]


def test_a_run_is_opened_by_its_store(tmp_path: Path, workspace: Workspace) -> None:
    """Names that begin alike are not taken for each other."""
    for name in ("run-1", "run-10", "run-100"):
        make(tmp_path, rows(done(1, name)), name=name, run_id=name)
    runs = {run.run_id: run for _, found in workspace.summaries() for run in found}
    assert len(runs) == 3
    for run_id, run in runs.items():
        reader = workspace.open(run)
        assert reader.events(1, 1)[0].text == run_id
        reader.close()


def test_a_run_that_is_gone_cannot_be_opened(tmp_path: Path, workspace: Workspace) -> None:
    path = make(tmp_path, rows(done(1)))
    ((_, (run,)),) = workspace.summaries()
    shutil.rmtree(path.parent)
    workspace.discover()
    with pytest.raises(StoreUnavailable) as trouble:
        workspace.open(run)
    assert trouble.value.health is Health.GONE
    assert workspace.read_whole(run) is run


def test_opening_looks_at_the_store_that_is_meant_only(
    tmp_path: Path, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many runs there are."""
    for number in range(20):
        make(tmp_path, name=f"run-{number}", run_id=f"run-{number}")
    runs = [run for _, found in workspace.summaries() for run in found]
    asked: list[str] = []
    usual = Workspace.reader

    def counted(self: Workspace, candidate: object) -> object:
        asked.append(str(candidate))
        return usual(self, candidate)  # type: ignore[arg-type]

    monkeypatch.setattr(Workspace, "reader", counted)
    workspace.open(runs[0]).close()
    assert len(asked) == 1


class TestFaultsOfOurs:
    """Whatever we did wrong about one run costs no other, and is said."""

    def test_in_a_summary(
        self, tmp_path: Path, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        make(tmp_path, rows(done(1)))
        bad = make(tmp_path, name="bad", run_id="bad")
        usual = ProseStore.summarize

        def fail(store: ProseStore) -> object:
            if store.path == str(bad):
                raise RuntimeError("oh")
            return usual(store)

        monkeypatch.setattr(ProseStore, "summarize", fail)
        assert list(statuses(workspace)) == [RUN_ID]
        assert "RuntimeError: oh" in workspace.refused[str(bad.parent)].reason

    def test_in_reading_a_run_whole(
        self, tmp_path: Path, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        make(tmp_path, rows(done(1)))
        ((_, (run,)),) = workspace.summaries()

        def fail(reader: ProseRun) -> object:
            raise RecursionError("too deep")

        monkeypatch.setattr(ProseRun, "refresh", fail)
        whole = workspace.completed(run)
        assert whole.complete
        assert [one.code for one in whole.findings] == ["unreadable"]
        assert "RecursionError" in whole.findings[0].message


class TestMissingPaths:
    def test_one_is_too_many_for_a_command(self, tmp_path: Path) -> None:
        make(tmp_path, rows(done(1)))
        found = Workspace([str(tmp_path), "nowhere"], lambda: NOW, str(tmp_path))
        with pytest.raises(MissingPath):
            found.discover()
        assert found.candidates == found.candidates
        found.close()

    def test_one_of_several_is_set_aside_while_watching(self, tmp_path: Path) -> None:
        make(tmp_path, rows(done(1)))
        found = Workspace(["nowhere", str(tmp_path)], lambda: NOW, str(tmp_path))
        assert len(found.discover(all_paths=False).candidates) == 1
        assert found.missing == ("nowhere",)
        assert found.missing_roots() == (str(tmp_path / "nowhere"),)
        found.close()

    def test_none_that_exists_never_means_the_current_folder(self, tmp_path: Path) -> None:
        make(tmp_path, rows(done(1)))
        found = Workspace(["nowhere"], lambda: NOW, str(tmp_path))
        with pytest.raises(MissingPath):
            found.discover(all_paths=False)
        assert found.by_path == {}
        found.close()

    def test_a_path_that_vanishes_lets_go_of_everything(self, tmp_path: Path) -> None:
        root = tmp_path / "project"
        make(root, rows(done(1)))
        found = Workspace([str(root)], lambda: NOW, str(tmp_path))
        list(found.summaries())
        shutil.rmtree(root)
        with pytest.raises(MissingPath):
            found.discover()
        assert found.readers == {}
        make(root, rows(done(1)))
        assert len(found.discover().candidates) == 1
        found.close()
