"""One run from its database: what is read at first, and what changes under the reader."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from inspector.derive.checkpoints import Checkpoints
from inspector.model.status import Status
from inspector.model.store import Health
from inspector.query.openprose import run_reader, timeline
from inspector.query.openprose.run_reader import ProseRun
from inspector.store.read import StoreUnavailable
from tests.query.openprose.builders import (
    branch,
    cells,
    done,
    executing,
    exited,
    failed,
    folded,
    joined,
    loop,
    parallel,
    round_,
    rows,
    tree,
)
from tests.query.openprose.databases import (
    OTHER_EXECUTIONS,
    Opened,
    add,
    labels,
    make,
    reader,
    words,
)
from tests.store.builders import untouched
from tests.store.writers import Writer


def test_a_run_is_read_and_nothing_is_touched(tmp_path: Path, opened: Opened) -> None:
    path = make(tmp_path, rows(done(1), parallel("p1", "a b"), branch("p1", "a")))
    with untouched(path.parent):
        view = opened(path).refresh()
    assert words(view) == {
        "1": "completed", "p1": "started", "p1.a": "completed", "p1.b": "(pending)",
    }  # fmt: skip
    assert (view.run.status, view.run.raw_status) == (Status.RUNNING, "running")
    assert [one.step for one in view.open] == ["p1"]


class TestLive:
    """What a writer does while the run is followed."""

    def test_rows_are_added(self, tmp_path: Path, opened: Opened, length: str) -> None:
        path = make(tmp_path, rows(loop("l1", 3), done(1), round_("l1", 1)))
        run = opened(path)
        before = run.refresh()
        with Writer(path) as writer:
            add(writer, done(1), failed(2), round_("l1", 2), exited("l1"), done(3), first=4)
            after = run.refresh()
            add(writer, done(4), first=9)
            last = run.refresh()
        assert before.events == 3
        assert after.events == 8
        assert list(words(after))[: len(before.steps)] == list(words(before))
        assert words(last)["4"] == "completed"
        assert last.events == 9

    def test_a_row_that_changes_replaces_its_event(
        self, tmp_path: Path, opened: Opened, length: str
    ) -> None:
        """An updating writer: the number of events stays, what they say changes."""
        path = make(tmp_path, rows(executing(1), executing(2), *(done(n) for n in range(3, 12))))
        run = opened(path)
        before = run.refresh()
        assert words(before)["1"] == "executing"
        with Writer(path) as writer:
            writer.sql("UPDATE execution SET status = 'completed' WHERE id = 1")
            after = run.refresh()
        assert words(after)["1"] == "completed"
        assert words(before)["1"] == "executing"
        assert after.events == before.events == 11
        assert [one.step for one in after.open] == ["2"]

    def test_an_ended_row_that_changes_is_seen_in_the_end(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Of a long run only the tail is compared at once; the rest follows unasked."""
        monkeypatch.setattr(run_reader, "SMALL", 4)
        monkeypatch.setattr(run_reader, "TAIL", 2)
        path = make(tmp_path, rows(*(done(n) for n in range(1, 10))))
        seconds = [0.0]
        run = reader(path, monotonic=lambda: seconds[0])
        run.refresh()
        with Writer(path) as writer:
            writer.sql("UPDATE execution SET status = 'failed' WHERE id = 1")
            assert words(run.refresh())["1"] == "completed"
        assert not settled(run)
        seconds[0] += run_reader.COMPARE_SECONDS
        assert run.changed()
        assert words(run.refresh())["1"] == "failed"
        assert not run.changed()
        run.close()

    def test_deleted_rows_are_gone(self, tmp_path: Path, opened: Opened, length: str) -> None:
        path = make(tmp_path, rows(*(done(n) for n in range(1, 10))))
        run = opened(path)
        run.refresh()
        with Writer(path) as writer:
            writer.sql("DELETE FROM execution WHERE id >= 8")
            view = run.refresh()
            assert list(words(view)) == [str(n) for n in range(1, 8)]
            add(writer, done(70), first=8)
            assert list(words(run.refresh()))[-2:] == ["7", "70"]

    def test_all_rows_deleted(self, tmp_path: Path, opened: Opened, length: str) -> None:
        path = make(tmp_path, rows(*(done(n) for n in range(1, 10))))
        run = opened(path)
        run.refresh()
        with Writer(path) as writer:
            writer.sql("DELETE FROM execution")
            view = run.refresh()
        assert (view.events, len(view.steps)) == (0, 0)

    def test_a_vacuum_changes_nothing(self, tmp_path: Path, opened: Opened, length: str) -> None:
        path = make(tmp_path, rows(*(done(n) for n in range(1, 10))))
        run = opened(path)
        before = words(run.refresh())
        with Writer(path) as writer:
            writer.sql("DELETE FROM execution WHERE id = 2", "VACUUM")
            after = words(run.refresh())
        assert after == {path: word for path, word in before.items() if path != "2"}

    def test_another_file_in_its_place(self, tmp_path: Path, opened: Opened, length: str) -> None:
        path = make(tmp_path, rows(*(done(n, f"old {n}") for n in range(1, 10))))
        other = make(tmp_path / "other", rows(*(done(n, f"new {n}") for n in range(1, 8))))
        run = opened(path)
        run.refresh()
        os.replace(other, path)
        assert labels(run.refresh()) == [f"new {n}" for n in range(1, 8)]

    def test_a_copy_over_the_file(self, tmp_path: Path, opened: Opened, length: str) -> None:
        path = make(tmp_path, rows(*(done(n, f"old {n}") for n in range(1, 10))))
        other = make(tmp_path / "other", rows(*(done(n, f"new {n}") for n in range(1, 8))))
        run = opened(path)
        run.refresh()
        shutil.copyfile(other, path)
        os.utime(path)
        assert labels(run.refresh()) == [f"new {n}" for n in range(1, 8)]

    def test_a_column_that_is_added(self, tmp_path: Path, opened: Opened, length: str) -> None:
        path = make(tmp_path, rows(*(done(n) for n in range(1, 10))))
        run = opened(path)
        run.refresh()
        with Writer(path) as writer:
            writer.sql(
                "ALTER TABLE execution ADD COLUMN x_note TEXT",
                "UPDATE execution SET x_note = 'look' WHERE id = 3",
            )
            run.refresh()
        assert run.events(3, 1)[0].payload["x_note"] == "look"

    def test_tables_that_come_late(self, tmp_path: Path, opened: Opened) -> None:
        """A folder was opened before its writer had made anything but an empty database."""
        path = tmp_path / "runs/x/state.db"
        path.parent.mkdir(parents=True)
        with Writer(path) as writer:
            writer.sql("CREATE TABLE other(x)")
            run = opened(path)
            assert run.refresh().events == 0
            writer.sql(OTHER_EXECUTIONS["extra columns"], "CREATE TABLE run (id, status)")
            add(writer, done(1), first=1)
            assert words(run.refresh()) == {"1": "completed"}

    def test_two_hundred_looks_give_the_same(self, tmp_path: Path, opened: Opened) -> None:
        at = "2026-01-16 19:30:00"
        path = make(tmp_path, rows(*(done(n, started=at) for n in range(26, 0, -1))))
        run = opened(path)
        seen = [run.refresh() for _ in range(200)]
        assert {view.events for view in seen} == {26}
        assert {view.run.steps.total for view in seen} == {26}
        assert {tuple(words(view)) for view in seen} == {tuple(str(n) for n in range(26, 0, -1))}
        assert [event.n for event in run.events(1, 100)] == list(range(1, 27))

    def test_a_locked_database_keeps_the_last_view(self, tmp_path: Path, opened: Opened) -> None:
        """A writer without a journal file has changed pages that are not committed."""
        path = make(tmp_path, rows(*(done(n, "x" * 900) for n in range(1, 200))))
        run = opened(path)
        run.refresh()
        with Writer(path) as writer:
            writer.sql(
                "PRAGMA journal_mode=MEMORY",
                "PRAGMA cache_size=1",
                "BEGIN EXCLUSIVE",
                "UPDATE execution SET statement_text = replace(statement_text, 'x', 'y')",
            )
            with pytest.raises(StoreUnavailable) as trouble:
                run.refresh()
            assert trouble.value.health is Health.BUSY
            assert words(run.at(10))["10"] == "completed"
            writer.sql("ROLLBACK")
            assert set(labels(run.refresh())) == {"x" * 900}

    def test_a_deleted_database_is_gone(self, tmp_path: Path, opened: Opened) -> None:
        path = make(tmp_path, rows(done(1)))
        run = opened(path)
        run.refresh()
        path.unlink()
        assert run.changed()
        with pytest.raises(StoreUnavailable) as trouble:
            run.refresh()
        assert trouble.value.health is Health.GONE

    def test_a_write_ahead_log_is_followed(self, tmp_path: Path, opened: Opened) -> None:
        path = make(tmp_path, rows(done(1)), wal=True)
        run = opened(path)
        run.refresh()
        with Writer(path) as writer:
            add(writer, done(2), first=2)
            assert list(words(run.refresh())) == ["1", "2"]
            writer.do("checkpoint", "TRUNCATE")
            add(writer, done(3), first=3)
            assert list(words(run.refresh())) == ["1", "2", "3"]


def settled(run: ProseRun) -> bool:
    """Whether the reader knows that it has compared everything."""
    return run._compare_at is None


class TestTravel:
    """The run as it stood after each of its events."""

    DESCRIBED = (loop("l1", 3), done(1), round_("l1", 1), parallel("p", "a b", 2),
                 branch("p", "a", index=2), joined("p", 2), executing(3), done(3),
                 round_("l1", 2), exited("l1"), failed(4), cells(5, "odd"))  # fmt: skip

    def test_every_point_is_the_fold_of_so_many_rows(
        self, tmp_path: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(timeline, "Checkpoints", lambda: Checkpoints(spacing=4, limit=2))
        run = opened(make(tmp_path, rows(*self.DESCRIBED)))
        total = run.refresh().total_events
        for count in (*range(total), *reversed(range(total))):
            view = run.at(count)
            state = folded(*self.DESCRIBED[:count])
            assert words(view) == tree(state)
            assert view.run.steps.total == sum(state.steps.leaf_counts)
            assert list(view.step_of_event) == list(state.event_step)
            assert view.travelling
            assert (view.events, view.total_events) == (count, total)

    def test_beyond_the_end_is_the_newest(self, tmp_path: Path, opened: Opened) -> None:
        run = opened(make(tmp_path, rows(*self.DESCRIBED)))
        newest = run.refresh()
        assert run.at(10**9) is newest
        assert run.at(-3).events == 0

    def test_the_past_does_not_move_while_the_run_goes_on(
        self, tmp_path: Path, opened: Opened
    ) -> None:
        path = make(tmp_path, rows(*self.DESCRIBED))
        run = opened(path)
        run.refresh()
        past = run.at(5)
        before = words(past)
        with Writer(path) as writer:
            add(writer, done(9), first=13)
            run.refresh()
        assert words(past) == before
        assert words(run.at(5)) == before
        assert run.at(5).total_events == 13

    def test_a_changed_row_changes_the_past_too(self, tmp_path: Path, opened: Opened) -> None:
        path = make(tmp_path, rows(executing(1), done(2)))
        run = opened(path)
        run.refresh()
        assert words(run.at(1)) == {"1": "executing"}
        with Writer(path) as writer:
            writer.sql("UPDATE execution SET status = 'completed' WHERE id = 1")
            run.refresh()
        assert words(run.at(1)) == {"1": "completed"}

    @pytest.mark.parametrize("status", ["completed", "failed", "running"])
    def test_what_the_run_says_now_is_not_held_against_its_past(
        self, tmp_path: Path, opened: Opened, status: str
    ) -> None:
        path = make(
            tmp_path,
            rows(parallel("p", "a"), branch("p", "a"), joined("p")),
            status=status,
            bindings=[("a", None, "output", "x")],
        )
        run = opened(path)
        run.refresh()
        assert [one.code for one in run.at(1).run.findings] == []
