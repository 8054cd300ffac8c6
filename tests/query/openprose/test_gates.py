"""Gates of a run: what waits for a person, until when, and what is never answered by us."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.model.run import Finding
from inspector.model.status import Status
from inspector.query.openprose.store_reader import ProseStore
from inspector.query.view import RunView
from tests.query.openprose.builders import (
    done,
    rows,
)
from tests.query.openprose.databases import GATES, NOW, Opened, make
from tests.store.writers import Writer


def codes(view: RunView) -> list[str]:
    """The findings' codes in their order, the liveness aside: files are as old as the test."""
    return [one.code for one in view.run.findings if one.code != "quiet"]


def the(view: RunView, code: str) -> Finding:
    """The one finding with this code."""
    (found,) = [one for one in view.run.findings if one.code == code]
    return found


class TestGates:
    """A run that waits for a person; never answered by us."""

    def gate(self, deadline: str | int | None, status: str = "pending") -> list[str]:
        until = "NULL" if deadline is None else repr(deadline)
        return [
            GATES,
            "INSERT INTO gates (id, prompt, timeout_at, status)"
            f" VALUES ('deploy', 'Ready to deploy?', {until}, '{status}')",
        ]

    @pytest.mark.parametrize(
        ("deadline", "code", "words"),
        [
            (None, "gate_pending", ()),
            ("2026-01-16 23:00:00", "gate_pending", ("2026-01-16", "23:00", "3 h from now")),
            ("2026-01-16T23:00:00Z", "gate_pending", ("2026-01-16", "23:00", "3 h from now")),
            ("2026-01-16T10:00:00Z", "gate_expired", ("2026-01-16", "10:00", "10 h ago")),
            ("2026-01-16 10:00:00", "gate_expired", ("2026-01-16", "10:00", "10 h ago")),
            ("in 4h", "gate_pending", ("until in 4h",)),
        ],
    )
    def test_waiting_with_its_deadline(
        self,
        tmp_path: Path,
        opened: Opened,
        deadline: str | None,
        code: str,
        words: tuple[str, ...],
    ) -> None:
        path = make(tmp_path, rows(done(1)), also=self.gate(deadline))
        view = opened(path).refresh()
        assert (view.run.status, view.run.raw_status) == (Status.WAITING, "running")
        assert codes(view) == [code]
        message = the(view, code).message
        assert all(word in message for word in ("deploy", "Ready to deploy?", *words))
        assert the(view, code).ref == "deploy"

    @pytest.mark.parametrize("status", ["approved", "rejected", "timeout", "Pending"])
    def test_a_gate_that_was_answered_is_none(
        self, tmp_path: Path, opened: Opened, status: str
    ) -> None:
        view = opened(make(tmp_path, also=self.gate(None, status))).refresh()
        assert view.run.status is Status.RUNNING
        assert codes(view) == []

    @pytest.mark.parametrize("status", ["completed", "failed", "interrupted"])
    def test_a_run_that_ended_does_not_wait(
        self, tmp_path: Path, opened: Opened, status: str
    ) -> None:
        view = opened(make(tmp_path, status=status, also=self.gate(None))).refresh()
        assert view.run.raw_status == view.run.status == status
        assert codes(view) == ["gate_pending"]

    def test_a_suspended_run_waits(self, tmp_path: Path, opened: Opened) -> None:
        view = opened(make(tmp_path, status="suspended", also=self.gate(None))).refresh()
        assert view.run.status is Status.WAITING
        assert codes(view) == ["unknown_status", "gate_pending"]

    def test_an_answer_ends_the_waiting(self, tmp_path: Path, opened: Opened) -> None:
        path = make(tmp_path, also=self.gate(None))
        run = opened(path)
        run.refresh()
        with Writer(path) as writer:
            writer.sql("UPDATE gates SET status = 'approved'")
        assert run.refresh().run.status is Status.RUNNING

    def test_the_list_says_waiting_too(self, tmp_path: Path) -> None:
        store = ProseStore(str(make(tmp_path, also=self.gate(None))), lambda: NOW)
        _, (run,) = store.summarize()
        assert run.status is Status.WAITING
        store.close()

    @pytest.mark.parametrize(
        ("columns", "values"),
        [("status", "'pending'"), ("id, status", "0, 'pending'"), ("x", "'pending'")],
    )
    def test_a_table_of_that_name_may_be_anything(
        self, tmp_path: Path, opened: Opened, columns: str, values: str
    ) -> None:
        also = [f"CREATE TABLE gates ({columns})", f"INSERT INTO gates VALUES ({values})"]
        view = opened(make(tmp_path, also=also)).refresh()
        assert view.run.status is (Status.RUNNING if columns == "x" else Status.WAITING)
