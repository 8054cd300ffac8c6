"""A run that is followed is read by its worker alone, and the list hears of it from there."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.runs import LIVE
from benchmarks.writers import OneRowPerCall, make_run, row_sql
from inspector.live.feed import Message, Overview, Subscription
from inspector.live.watched import WatchedWorkspace
from inspector.model.clock import system_clock
from inspector.query.openprose.store_reader import ProseStore
from inspector.query.view import RunView
from inspector.query.workspace import Workspace

COMMITS = 4
PATIENCE = 20.0
SILENCE = 0.4
"""Seconds; longer than the feed holds anything back."""


class Told:
    """What a feed delivered."""

    def __init__(self) -> None:
        self.overviews: list[Overview] = []
        self.views: list[RunView] = []
        self._news = threading.Condition()

    def __call__(self, message: Message) -> None:
        with self._news:
            if isinstance(message, Overview):
                self.overviews.append(message)
            elif isinstance(message, RunView):
                self.views.append(message)
            self._news.notify_all()

    def status(self) -> str:
        runs = self.overviews[-1].runs if self.overviews else ()
        return runs[0].status.value if runs else ""

    def wait(self, holds: Callable[[], bool]) -> None:
        with self._news:
            assert self._news.wait_for(holds, PATIENCE)

    def wait_for_silence(self) -> None:
        """Waits until nothing was delivered for a while, to see that nothing is told twice."""
        with self._news:
            while self._news.wait(SILENCE):
                pass

    def events(self) -> int:
        return max((view.total_events for view in self.views), default=0)

    def listed(self) -> int | None:
        """How many steps the list says have ended."""
        return self.overviews[-1].runs[0].steps.completed if self.overviews else None


def test_each_commit_is_read_once_and_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = make_run(tmp_path / "runs" / LIVE, "delete", 3)
    summaries: list[str] = []
    wholes: list[str] = []
    told = Told()
    feed = WatchedWorkspace(Workspace([str(tmp_path)], system_clock(), str(tmp_path)))
    feed.start(told)
    try:
        told.wait(lambda: any(overview.runs for overview in told.overviews))
        key = told.overviews[-1].runs[0].key
        feed.in_view([key])
        feed.follow([Subscription(key)])
        told.wait(lambda: told.events() == 3 and told.listed() == 3)
        told.wait_for_silence()
        summarize, read_whole = ProseStore.summarize, Workspace.read_whole

        def counted(self: ProseStore) -> object:
            summaries.append(self.path)
            return summarize(self)

        def counted_whole(self: Workspace, run: object, **more: object) -> object:
            wholes.append(key)
            return read_whole(self, run, **more)  # type: ignore[arg-type]

        monkeypatch.setattr(ProseStore, "summarize", counted)
        monkeypatch.setattr(Workspace, "read_whole", counted_whole)
        before = len(told.overviews)
        for number in range(4, 4 + COMMITS):
            assert not OneRowPerCall().run(database, row_sql(number)).trouble
            told.wait(lambda n=number: told.events() == n and told.listed() == n)  # type: ignore[misc]
            told.wait_for_silence()
        assert (summaries, wholes) == ([], [])
        assert len(told.overviews) - before == COMMITS
        feed.follow([])
        assert not OneRowPerCall().run(database, row_sql(99)).trouble
        told.wait(lambda: told.listed() == 4 + COMMITS)
        assert summaries and wholes, "now the list reads for itself"
    finally:
        feed.stop()


def test_what_was_written_before_anybody_listened_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = make_run(tmp_path / "runs" / LIVE, "delete", 3)
    told = Told()
    feed = WatchedWorkspace(Workspace([str(tmp_path)], system_clock(), str(tmp_path)))
    begin_watch = WatchedWorkspace._start_watch

    def write_first(self: WatchedWorkspace) -> None:
        sql = "UPDATE run SET status = 'interrupted'"
        assert not OneRowPerCall().run(database, sql).trouble
        begin_watch(self)

    monkeypatch.setattr(WatchedWorkspace, "_start_watch", write_first)
    feed.start(told)
    try:
        told.wait(lambda: told.status() == "interrupted")
        assert told.overviews[0].runs[0].status.value == "running"
    finally:
        feed.stop()
