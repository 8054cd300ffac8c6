"""What is pointed out about a run, and what is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.model.run import Finding
from inspector.model.status import Status
from inspector.query.openprose import view as views
from inspector.query.openprose.run_reader import ProseRun
from inspector.query.openprose.store_reader import ProseStore
from inspector.query.view import RunView
from tests.query.openprose.builders import (
    branch,
    cells,
    done,
    executing,
    exited,
    failed,
    joined,
    loop,
    parallel,
    retry,
    round_,
    rows,
)
from tests.query.openprose.databases import NOW, RUN_ID, Opened, make, reader
from tests.store.writers import Writer

MINUTE = 60_000
HOUR = 60 * MINUTE
DAY = 24 * HOUR
OUTPUT = [("report", None, "output", "all is well")]


def codes(view: RunView) -> list[str]:
    """The findings' codes in their order, the liveness aside: files are as old as the test."""
    return [one.code for one in view.run.findings if one.code != "quiet"]


def the(view: RunView, code: str) -> Finding:
    """The one finding with this code."""
    (found,) = [one for one in view.run.findings if one.code == code]
    return found


def test_a_usual_run_has_none(tmp_path: Path, opened: Opened) -> None:
    path = make(
        tmp_path,
        rows(done(1), loop("l1", 1), round_("l1", 1), exited("l1"), parallel("p1", "a"),
             branch("p1", "a"), joined("p1")),
        status="completed", bindings=OUTPUT,
    )  # fmt: skip
    assert codes(opened(path).refresh()) == []


class TestEnds:
    """Where the word of the run and its events do not say the same."""

    @pytest.mark.parametrize(
        "described",
        [
            (done(1), executing(2)),
            (parallel("p1", "a b"), branch("p1", "a")),
            (loop("l1", 3), round_("l1", 1)),
            (executing(1, "do b", block="b"), done(2, parent=1)),
        ],
    )
    def test_completed_with_something_open_is_a_contradiction(
        self, tmp_path: Path, opened: Opened, described: tuple[object, ...]
    ) -> None:
        path = make(tmp_path, rows(*described), status="completed")  # type: ignore[arg-type]
        view = opened(path).refresh()
        assert codes(view) == ["contradiction"]
        assert the(view, "contradiction").ref == view.open[0].step

    @pytest.mark.parametrize("status", ["failed", "interrupted"])
    def test_what_was_open_when_the_run_ended_never_finished(
        self, tmp_path: Path, opened: Opened, status: str
    ) -> None:
        path = make(tmp_path, rows(executing(1), parallel("p1", "a b")), status=status)
        view = opened(path).refresh()
        assert codes(view) == ["never_finished", "never_finished"]
        step = view.describe(0)
        assert (step.status, step.ended_at, step.duration_ms) == (Status.RUNNING, None, None)

    def test_all_done_and_an_output_but_running_looks_finished(
        self, tmp_path: Path, opened: Opened
    ) -> None:
        view = opened(make(tmp_path, rows(done(1), done(2)), bindings=OUTPUT)).refresh()
        assert codes(view) == ["looks_finished"]
        assert view.run.status is Status.RUNNING

    @pytest.mark.parametrize(
        "last",
        [
            executing(3),
            failed(3),
            cells(3, "pending"),
            retry(3, 2, 3),
            parallel("p1", "a"),
            cells(3, "odd"),
        ],
    )
    def test_not_when_something_is_left(self, tmp_path: Path, opened: Opened, last: object) -> None:
        path = make(tmp_path, rows(done(1), last), bindings=OUTPUT)  # type: ignore[arg-type]
        assert "looks_finished" not in codes(opened(path).refresh())

    def test_not_when_an_earlier_step_is_left(self, tmp_path: Path, opened: Opened) -> None:
        path = make(tmp_path, rows(cells(1, "pending"), done(2)), bindings=OUTPUT)
        assert "looks_finished" not in codes(opened(path).refresh())

    def test_not_without_an_output_or_without_a_step(self, tmp_path: Path, opened: Opened) -> None:
        assert codes(opened(make(tmp_path / "a", rows(done(1)))).refresh()) == []
        assert codes(opened(make(tmp_path / "b", bindings=OUTPUT)).refresh()) == []

    @pytest.mark.parametrize("version", ["v1", "v5"])
    def test_an_output_counts_under_either_column_name(
        self, tmp_path: Path, opened: Opened, version: str
    ) -> None:
        if version == "v1":
            path = make(tmp_path, rows(done(1)), variant="v1", also=[
                "INSERT INTO bindings (name, kind, value) VALUES ('report', 'output', 'x')"
            ])  # fmt: skip
        else:
            path = make(tmp_path, rows(done(1)), bindings=OUTPUT)
        assert codes(opened(path).refresh()) == ["looks_finished"]


class TestSilence:
    """Whether a run lives is not recorded; how long it wrote nothing is."""

    def last_write(self, path: Path) -> int:
        return path.stat().st_mtime_ns // 1_000_000

    @pytest.mark.parametrize(
        ("minutes", "said"), [(14, None), (15, "15 m"), (50, "50 m"), (3 * 24 * 60, "3 d")]
    )
    def test_quiet_is_said_after_a_quarter_of_an_hour(
        self, tmp_path: Path, minutes: int, said: str | None
    ) -> None:
        path = make(tmp_path, rows(executing(1)))
        run = reader(path, now=self.last_write(path) + minutes * MINUTE + 1000)
        view = run.refresh()
        quiet = [one.message for one in view.run.findings if one.code == "quiet"]
        assert quiet == ([f"Nothing written for {said}; liveness unknown."] if said else [])
        assert view.run.status is Status.RUNNING
        run.close()

    @pytest.mark.parametrize("status", ["completed", "failed", "interrupted", "odd"])
    def test_a_run_that_ended_is_not_quiet(self, tmp_path: Path, status: str) -> None:
        path = make(tmp_path, rows(done(1)), status=status)
        run = reader(path, now=self.last_write(path) + 3 * DAY)
        assert "quiet" not in [one.code for one in run.refresh().run.findings]
        run.close()

    def test_a_file_from_the_future_is_not_quiet(self, tmp_path: Path) -> None:
        path = make(tmp_path, rows(done(1)))
        run = reader(path, now=self.last_write(path) - 5 * DAY)
        assert "quiet" not in [one.code for one in run.refresh().run.findings]
        run.close()

    def test_silence_grows_without_a_write(self, tmp_path: Path) -> None:
        path = make(tmp_path, rows(executing(1)))
        now = [self.last_write(path) + 20 * MINUTE]
        run = ProseRun(views.RunLocation(str(path), str(path.parent)), lambda: now[0])
        first = run.refresh()
        now[0] += 30_000
        assert run.refresh() is first
        now[0] += 31_000
        assert run.changed()
        assert "21 m" in run.refresh().run.findings[0].message
        run.close()


class TestTheRunRow:
    """One row of `run` is expected; none, several and odd ones all occur."""

    @pytest.mark.parametrize("word", ["Running", "done", "", None, b"running", 3])
    def test_a_word_that_is_not_known(self, tmp_path: Path, opened: Opened, word: object) -> None:
        view = opened(make(tmp_path, status=word)).refresh()
        if word == b"running":
            assert view.run.status is Status.RUNNING
            return
        assert view.run.status is Status.UNKNOWN
        assert codes(view) == ["unknown_status"]
        assert view.run.raw_status == (None if word is None else str(word))

    def test_an_endless_word_is_cut_in_the_sentence_only(
        self, tmp_path: Path, opened: Opened
    ) -> None:
        view = opened(make(tmp_path, status="x" * 100_000)).refresh()
        assert len(the(view, "unknown_status").message) < 200
        assert len(view.run.raw_status or "") == 100_000

    def test_no_row(self, tmp_path: Path, opened: Opened) -> None:
        view = opened(make(tmp_path, rows(done(1)), run_id=...)).refresh()
        assert codes(view) == ["run_row_missing"]
        assert (view.run.run_id, view.run.status) == (RUN_ID, Status.UNKNOWN)

    def test_no_id(self, tmp_path: Path, opened: Opened) -> None:
        assert opened(make(tmp_path, run_id=None)).refresh().run.run_id == RUN_ID

    def test_of_several_the_one_named_like_the_folder(self, tmp_path: Path, opened: Opened) -> None:
        also = ["INSERT INTO run (id, status) VALUES ('another', 'failed')"]
        view = opened(make(tmp_path, also=also)).refresh()
        assert view.run.status is Status.RUNNING
        assert the(view, "several_run_rows").message == (
            "2 run rows; the one named like the folder is shown."
        )

    def test_else_the_newest(self, tmp_path: Path, opened: Opened) -> None:
        also = ["INSERT INTO run (id, status) VALUES ('another', 'failed')"]
        view = opened(make(tmp_path, run_id="third", also=also)).refresh()
        assert (view.run.run_id, view.run.status) == ("another", Status.FAILED)
        assert "the newest one is shown" in the(view, "several_run_rows").message

    @pytest.mark.parametrize(
        ("started", "updated", "expected"),
        [
            ("2026-01-16 19:00:00", "2026-01-16 19:00:07", []),
            ("1970-01-01 00:00:00", None, ["implausible_time"]),
            ("9999-01-01 00:00:00", None, ["implausible_time"]),
            ("2026-01-16 19:00:00", "2099-01-01 00:00:00", ["implausible_time"]),
            ("2026-01-16 19:00:00", "2026-01-16 18:00:00", ["clock_skew"]),
            ("not a time", "soon", []),
        ],
    )
    def test_instants(
        self, tmp_path: Path, opened: Opened, started: str, updated: str, expected: list[str]
    ) -> None:
        path = make(tmp_path, status="completed", started=started, updated=updated)
        assert codes(opened(path).refresh()) == expected

    def test_an_end_that_was_never_written_is_not_made_up(
        self, tmp_path: Path, opened: Opened
    ) -> None:
        """Both columns have a default of now; nothing moves the second by itself."""
        at = "2026-01-16 19:00:00"
        path = make(tmp_path, status="completed", started=at, updated=at)
        run = opened(path).refresh().run
        assert (run.ended_at, run.duration_ms) == (None, None)


class TestRowsAheadOfTheClock:
    """An instant of tomorrow's tomorrow cannot be right, whatever year it is."""

    @pytest.mark.parametrize(
        ("at", "expected"),
        [("2026-01-17 19:00:00", []), ("2026-01-18 20:00:01", ["implausible_time"])],
    )
    def test_more_than_a_day(
        self, tmp_path: Path, opened: Opened, at: str, expected: list[str]
    ) -> None:
        view = opened(make(tmp_path, rows(done(1, started=at)))).refresh()
        assert codes(view) == expected
        assert [one.ref for one in view.run.findings if one.code != "quiet"] == [
            "execution:1" for _ in expected
        ]


class TestReopened:
    """A run that says that it is over, and then goes on."""

    def test_failed_then_completed(self, tmp_path: Path, opened: Opened) -> None:
        path = make(tmp_path, rows(done(1), failed(2)), status="failed")
        run = opened(path)
        assert codes(run.refresh()) == []
        with Writer(path) as writer:
            writer.sql("UPDATE run SET status = 'running'",
                       "INSERT INTO execution (statement_index, statement_text, status)"
                       " VALUES (2, 'session 2', 'completed')")  # fmt: skip
            again = run.refresh()
            assert again.run.status is Status.RUNNING
            assert the(again, "re_opened").message.startswith("The run had failed and was re-open")
            writer.sql("UPDATE run SET status = 'completed'")
            last = run.refresh()
        assert last.run.status is Status.COMPLETED
        assert codes(last) == ["re_opened"]
        assert [one.status for one in last.describe(1).attempts] == [
            Status.FAILED, Status.COMPLETED,
        ]  # fmt: skip

    def test_a_run_that_ends_once_was_not(self, tmp_path: Path, opened: Opened) -> None:
        path = make(tmp_path, rows(done(1)))
        run = opened(path)
        run.refresh()
        with Writer(path) as writer:
            writer.sql("UPDATE run SET status = 'completed'")
        assert codes(run.refresh()) == []

    def test_the_list_remembers_it_too(self, tmp_path: Path) -> None:
        path = make(tmp_path, rows(done(1)), status="failed")
        store = ProseStore(str(path), lambda: NOW)
        store.summarize()
        with Writer(path) as writer:
            writer.sql("UPDATE run SET status = 'running'")
            _, (run,) = store.summarize()
            whole = store.open(run)
            assert "re_opened" in codes(whole.refresh())
            whole.close()
        store.close()


class TestValuesThatSaySomething:
    """Bindings beside the events."""

    def test_a_value_without_a_row_leaves_its_branch_unconfirmed(
        self, tmp_path: Path, opened: Opened
    ) -> None:
        path = make(
            tmp_path,
            rows(parallel("p1", "a b c"), branch("p1", "a")),
            bindings=[("a", None, "let", "1"), ("c", None, "let", "3")],
        )
        view = opened(path).refresh()
        assert codes(view) == ["unconfirmed"]
        assert the(view, "unconfirmed").ref == "p1.c"
        assert view.run.progress.unconfirmed == 1

    def test_not_when_an_earlier_instance_explains_the_value(
        self, tmp_path: Path, opened: Opened
    ) -> None:
        path = make(
            tmp_path,
            rows(parallel("p1", "a"), branch("p1", "a"), joined("p1"), parallel("p1", "a")),
            bindings=[("a", None, "let", "1")],
        )
        assert codes(opened(path).refresh()) == []

    def test_a_frame_that_is_not_recorded(self, tmp_path: Path, opened: Opened) -> None:
        path = make(
            tmp_path,
            rows(done(1)),
            bindings=[("x", 99, "let", "1"), ("y", 0, "let", "2"), ("z", 1, "let", "3")],
        )
        view = opened(path).refresh()
        assert codes(view) == ["orphan_binding"]
        assert the(view, "orphan_binding").ref == "x"
