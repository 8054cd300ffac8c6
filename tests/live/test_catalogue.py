"""The list: which stores are read when, what is remembered of runs, and what is forgotten."""

from __future__ import annotations

from dataclasses import replace

from inspector.live.catalogue import SILENCE_MS, Catalogue
from inspector.model.run import Finding, Run, StepCounts
from inspector.model.status import Status
from inspector.model.store import WriteStyle
from tests.live.fakes import FakeStore, FakeWorkspace, run_of, whole

NOW = 1_768_593_600_000
A, B, C = "/w/runs/20260101-a", "/w/runs/20260102-b", "/w/runs/20260103-c"


def catalogue_of(workspace: FakeWorkspace) -> Catalogue:
    """A catalogue that has read everything once."""
    catalogue = Catalogue(workspace.as_workspace())
    catalogue.discover()
    while catalogue.read_next():
        pass
    return catalogue


def the(catalogue: Catalogue, path: str) -> Run:
    run = catalogue.run(run_of(path).key)
    assert run is not None
    return run


def test_the_newest_folders_are_read_first() -> None:
    workspace = FakeWorkspace(A, C, B)
    catalogue = Catalogue(workspace.as_workspace())
    catalogue.discover()
    read = []
    while catalogue.read_next():
        read.append(len(catalogue.runs()))
        newest = max(run.run_id or "" for run in catalogue.runs())
        assert newest == "20260103-c"
    assert read == [1, 2, 3]


def test_what_was_written_is_read_before_the_rest() -> None:
    workspace = FakeWorkspace(A, B, C)
    catalogue = Catalogue(workspace.as_workspace())
    catalogue.discover()
    catalogue.touched([f"{A}/state.db"])
    catalogue.read_next()
    assert [run.run_id for run in catalogue.runs()] == ["20260101-a"]


def test_a_store_is_read_again_only_when_it_was_written() -> None:
    workspace = FakeWorkspace(A, B)
    catalogue = catalogue_of(workspace)
    catalogue.touched(["/somewhere/else", B])
    catalogue.discover()
    assert catalogue.has_stale()
    while catalogue.read_next():
        pass
    assert (workspace.stores[A].summarized, workspace.stores[B].summarized) == (1, 2)


def test_what_vanished_is_dropped_and_what_appeared_is_read() -> None:
    workspace = FakeWorkspace(A, B)
    catalogue = catalogue_of(workspace)
    del workspace.stores[A]
    workspace.add(run_of(C))
    catalogue.discover()
    while catalogue.read_next():
        pass
    assert {run.run_id for run in catalogue.runs()} == {"20260102-b", "20260103-c"}
    assert catalogue.run(run_of(A).key) is None


def test_a_folder_that_got_its_database_is_read_anew() -> None:
    workspace = FakeWorkspace(A)
    catalogue = catalogue_of(workspace)
    catalogue.discover()
    assert not catalogue.has_stale()
    workspace.stores[A].grown = True
    catalogue.discover()
    assert catalogue.has_stale()


def test_a_store_that_became_none_is_dropped() -> None:
    workspace = FakeWorkspace(A, B)
    catalogue = catalogue_of(workspace)
    workspace.stores[A].broken = True
    catalogue.touched([A])
    assert catalogue.read_next()
    assert [run.run_id for run in catalogue.runs()] == ["20260102-b"]


def test_no_path_that_exists_is_said_and_forgets_everything() -> None:
    workspace = FakeWorkspace(A)
    catalogue = catalogue_of(workspace)
    workspace.none_exists = True
    assert catalogue.discover() is None
    overview = catalogue.overview(NOW)
    assert overview.runs == ()
    assert overview.notices == ("There is no file or folder /w. Check the spelling of the path.",)
    workspace.none_exists = False
    assert catalogue.discover() is not None
    assert catalogue.read_next()
    assert catalogue.overview(NOW).notices == ()


def test_a_missing_path_among_others_is_said() -> None:
    workspace = FakeWorkspace(A)
    workspace.missing = ("/gone",)
    catalogue = catalogue_of(workspace)
    assert "/gone" in catalogue.overview(NOW).notices[0]
    assert len(catalogue.overview(NOW).runs) == 1


class TestWholeReads:
    """Findings and counts come from reading a run whole, which is done for what is in view."""

    def test_only_runs_in_view_are_read_whole(self) -> None:
        workspace = FakeWorkspace(A, B)
        catalogue = catalogue_of(workspace)
        wanted = catalogue.incomplete([run_of(A).key, "no such run"], NOW)
        assert [run.run_id for run in wanted] == ["20260101-a"]
        catalogue.complete(wanted[0], NOW)
        assert the(catalogue, A).complete
        assert catalogue.incomplete([run_of(A).key], NOW) == []

    def test_a_written_run_is_read_whole_again(self) -> None:
        workspace = FakeWorkspace(A)
        catalogue = catalogue_of(workspace)
        catalogue.complete(the(catalogue, A), NOW)
        catalogue.touched([A])
        catalogue.read_next()
        assert [run.run_id for run in catalogue.incomplete([run_of(A).key], NOW)] == ["20260101-a"]

    def test_a_running_run_grows_silent(self) -> None:
        workspace = FakeWorkspace(A, B)
        workspace.stores[B].runs = [run_of(B, Status.COMPLETED)]
        catalogue = catalogue_of(workspace)
        for run in catalogue.runs():
            catalogue.complete(run, NOW)
        keys = [run_of(A).key, run_of(B).key]
        assert catalogue.incomplete(keys, NOW + SILENCE_MS - 1) == []
        (only,) = catalogue.incomplete(keys, NOW + SILENCE_MS)
        assert only.run_id == "20260101-a"

    def test_a_run_that_cannot_be_read_whole_is_not_tried_for_ever(self) -> None:
        workspace = FakeWorkspace(A)
        catalogue = catalogue_of(workspace)
        run = the(catalogue, A)
        workspace.whole[run.key] = replace(run, complete=True)
        catalogue.complete(run, NOW)
        assert catalogue.incomplete([run.key], NOW) == []

    def test_what_somebody_else_read_is_remembered(self) -> None:
        workspace = FakeWorkspace(A)
        catalogue = catalogue_of(workspace)
        catalogue.remember(whole(the(catalogue, A)), NOW)
        assert the(catalogue, A).steps.completed == 2
        assert workspace.completed == []

    def test_what_is_not_listed_any_more_is_not_remembered(self) -> None:
        catalogue = catalogue_of(FakeWorkspace(A))
        catalogue.remember(whole(run_of(B)), NOW)
        assert [run.run_id for run in catalogue.runs()] == ["20260101-a"]


class TestFreshSummaries:
    """Counts and findings of the last whole read stay in sight until the next one."""

    def read_again(self, before: Run, now: Run) -> Run:
        workspace = FakeWorkspace(A)
        catalogue = catalogue_of(workspace)
        catalogue.remember(before, NOW)
        workspace.stores[A].runs = [now]
        catalogue.touched([A])
        catalogue.read_next()
        return the(catalogue, A)

    def test_counts_and_findings_stay(self) -> None:
        before = whole(run_of(A), findings=(Finding("orphan_binding", "x", "y"),))
        merged = self.read_again(before, run_of(A, last_activity_at=5))
        assert merged.steps == before.steps
        assert merged.findings == before.findings
        assert merged.last_activity_at == 5
        assert not merged.complete

    def test_also_of_a_run_without_steps(self) -> None:
        before = replace(
            whole(run_of(A), findings=(Finding("run_row_missing", "x"),)),
            steps=StepCounts(total=0),
        )
        assert [one.code for one in self.read_again(before, run_of(A)).findings] == [
            "run_row_missing"
        ]

    def test_what_only_held_for_another_status_goes(self) -> None:
        found = (Finding("quiet", "x"), Finding("looks_finished", "x"), Finding("superseded", "x"))
        before = whole(run_of(A), findings=found)
        merged = self.read_again(before, run_of(A, Status.COMPLETED))
        assert [one.code for one in merged.findings] == ["superseded"]
        assert [one.code for one in self.read_again(before, run_of(A)).findings] == [
            "quiet", "looks_finished", "superseded",
        ]  # fmt: skip

    def test_how_it_is_written_is_known_from_the_rows_only(self) -> None:
        run = run_of(A)
        before = whole(replace(run, store=replace(run.store, write_style=WriteStyle.APPEND)))
        assert self.read_again(before, run).store.write_style is WriteStyle.APPEND

    def test_another_schema_is_told_at_once(self) -> None:
        run = run_of(A)
        before = whole(replace(run, store=replace(run.store, variant="empty")))
        assert self.read_again(before, run).store.variant == "v5"

    def test_a_run_that_cannot_be_read_now_is_said_to_be_so(self) -> None:
        before = whole(run_of(A))
        now = run_of(A, Status.UNKNOWN, complete=True, findings=(Finding("unreadable", "x"),))
        merged = self.read_again(before, now)
        assert [one.code for one in merged.findings] == ["unreadable"]
        assert merged.steps.total is None


def test_the_list_is_newest_first_and_says_what_is_still_to_be_read() -> None:
    workspace = FakeWorkspace(A, B)
    workspace.stores[A].runs = [run_of(A, started_at=NOW)]
    catalogue = Catalogue(workspace.as_workspace())
    catalogue.discover()
    assert catalogue.overview(NOW).loading == 2
    while catalogue.read_next():
        pass
    overview = catalogue.overview(NOW)
    assert [run.run_id for run in overview.runs] == ["20260101-a", "20260102-b"]
    assert (overview.loading, overview.as_of) == (0, NOW)


def test_an_impossible_start_moves_a_run_to_neither_end() -> None:
    workspace = FakeWorkspace(A, B, C)
    workspace.stores[A].runs = [run_of(A, started_at=NOW)]
    workspace.stores[B].runs = [run_of(B, started_at=253_370_764_800_000, last_activity_at=5)]
    workspace.stores[C].runs = [run_of(C, started_at=NOW - 1)]
    overview = catalogue_of(workspace).overview(NOW)
    assert [run.run_id for run in overview.runs] == ["20260101-a", "20260103-c", "20260102-b"]


def test_active_is_who_wrote_less_than_a_minute_ago_and_runs() -> None:
    workspace = FakeWorkspace(A, B, C)
    workspace.stores[A].runs = [run_of(A, last_activity_at=NOW - 59_999)]
    workspace.stores[B].runs = [run_of(B, last_activity_at=NOW - 60_000)]
    workspace.stores[C].runs = [run_of(C, Status.COMPLETED, last_activity_at=NOW)]
    assert catalogue_of(workspace).active_files(NOW) == (f"{A}/state.db",)


def test_a_store_without_runs_is_a_store() -> None:
    workspace = FakeWorkspace()
    workspace.stores[A] = FakeStore(f"{A}/state.db", [])
    catalogue = catalogue_of(workspace)
    assert catalogue.files() == (f"{A}/state.db",)
    assert catalogue.runs() == []
