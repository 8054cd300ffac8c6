"""A watched workspace while another process writes in it: everything appears unaided."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector.live.feed import Overview, Subscription, Unavailable
from inspector.live.run_worker import RunWorker
from inspector.live.watched import WatchedWorkspace
from inspector.model.run import Run
from inspector.model.status import Status
from inspector.query.openprose.store_reader import ProseStore
from inspector.query.view import RunView
from inspector.query.workspace import Workspace
from inspector.store.private import PrivateRoom
from tests.live.fakes import FakeRun, Told
from tests.query.openprose.builders import done, executing, rows
from tests.query.openprose.databases import RUN_ID, add, make
from tests.store.builders import untouched
from tests.store.writers import Writer

PATIENCE = 20.0
Watch = Callable[..., "Watched"]


class Watched:
    """A feed on a folder and what it told."""

    def __init__(self, *paths: Path) -> None:
        self.told = Told()
        workspace = Workspace([str(path) for path in paths], lambda: 1_768_593_600_000, "/")
        self.feed = WatchedWorkspace(workspace, interval=0.0)
        self.feed.start(self.told)

    def wait_for_list(self, holds: Callable[[dict[str, Run]], object]) -> Overview:
        """Waits until the newest list is as it should be; runs are given by their id."""
        found: list[Overview] = []

        def fits(messages: list[Any]) -> bool:
            lists = [one for one in messages if isinstance(one, Overview)]
            if not lists or lists[-1].loading:
                return False
            found[:] = lists[-1:]
            return bool(holds({str(run.run_id): run for run in lists[-1].runs}))

        self.told.wait(fits, PATIENCE)
        return found[0]

    def wait_for_view(self, holds: Callable[[RunView], object]) -> RunView:
        """Waits until the newest view is as it should be."""

        def fits(messages: list[Any]) -> object:
            views = [one for one in messages if isinstance(one, RunView)]
            return views and holds(views[-1])

        self.told.wait(fits, PATIENCE)
        return next(one for one in reversed(self.told.messages) if isinstance(one, RunView))

    def ask(self, key: str, question: Callable[[Any], Any]) -> Any:
        answers = Told()
        self.feed.ask(key, question, answers)
        answers.wait(len, PATIENCE)
        return answers.messages[0]


@pytest.fixture
def watch() -> Iterator[Watch]:
    """Begins feeds that are stopped in the end."""
    begun: list[Watched] = []

    def begin(*paths: Path) -> Watched:
        begun.append(Watched(*paths))
        return begun[-1]

    yield begin
    for one in begun:
        one.feed.stop()


def test_runs_are_listed_and_nothing_is_touched(tmp_path: Path, watch: Watch) -> None:
    path = make(tmp_path, rows(done(1)))
    with untouched(path.parent), untouched(tmp_path / "runs"):
        overview = watch(tmp_path).wait_for_list(lambda runs: RUN_ID in runs)
    assert [run.status for run in overview.runs] == [Status.RUNNING]


def test_a_run_that_appears(tmp_path: Path, watch: Watch) -> None:
    make(tmp_path, rows(done(1)))
    watched = watch(tmp_path)
    watched.wait_for_list(lambda runs: len(runs) == 1)
    make(tmp_path, rows(done(1)), name="20260117-000000-second", run_id="20260117-000000-second")
    watched.wait_for_list(lambda runs: "20260117-000000-second" in runs)


def test_an_update(tmp_path: Path, watch: Watch) -> None:
    path = make(tmp_path, rows(executing(1)))
    watched = watch(tmp_path)
    overview = watched.wait_for_list(lambda runs: RUN_ID in runs)
    watched.feed.follow([Subscription(overview.runs[0].key)])
    watched.wait_for_view(lambda view: view.events == 1)
    with Writer(path) as writer:
        add(writer, done(1), done(2), first=2)
        watched.wait_for_view(lambda view: view.events == 3)
        watched.wait_for_list(lambda runs: runs[RUN_ID].steps.completed == 2)
        writer.sql("UPDATE run SET status = 'completed'")
        watched.wait_for_view(lambda view: view.run.status is Status.COMPLETED)
        watched.wait_for_list(lambda runs: runs[RUN_ID].status is Status.COMPLETED)


def test_a_deleted_run_folder(tmp_path: Path, watch: Watch) -> None:
    make(tmp_path, rows(done(1)))
    second = make(tmp_path, name="second", run_id="second")
    watched = watch(tmp_path)
    watched.wait_for_list(lambda runs: len(runs) == 2)
    shutil.rmtree(second.parent)
    watched.wait_for_list(lambda runs: list(runs) == [RUN_ID])


def test_a_folder_that_had_only_a_log_gets_a_database(tmp_path: Path, watch: Watch) -> None:
    folder = tmp_path / "runs" / RUN_ID
    folder.mkdir(parents=True)
    (folder / "vm.log.md").write_text("# run:x program\n1→ a ✓\n")
    watched = watch(tmp_path)
    watched.wait_for_list(
        lambda runs: runs and all("vm.log.md" in one.key for one in runs.values())
    )
    make(tmp_path, rows(done(1)))
    watched.wait_for_list(
        lambda runs: [one.store.path for one in runs.values()] == [str(folder / "state.db")]
    )


def test_tables_that_come_later(tmp_path: Path, watch: Watch) -> None:
    path = tmp_path / "runs" / RUN_ID / "state.db"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"")
    watched = watch(tmp_path)
    watched.wait_for_list(lambda runs: runs[RUN_ID].status is Status.UNKNOWN)
    path.unlink()
    make(tmp_path, rows(done(1)))
    watched.wait_for_list(lambda runs: runs[RUN_ID].status is Status.RUNNING)


@pytest.mark.parametrize("missing", ["project", "deep/below/project"])
def test_a_root_that_is_made_later(tmp_path: Path, watch: Watch, missing: str) -> None:
    root = tmp_path / missing
    watched = watch(root)
    overview = watched.wait_for_list(lambda runs: True)
    assert any(str(root) in notice for notice in overview.notices)
    make(root, rows(done(1)))
    overview = watched.wait_for_list(lambda runs: RUN_ID in runs)
    assert overview.notices == ()


def test_a_missing_root_costs_no_other(tmp_path: Path, watch: Watch) -> None:
    there, missing = tmp_path / "there", tmp_path / "missing"
    make(there, rows(done(1)))
    watched = watch(missing, there)
    overview = watched.wait_for_list(lambda runs: RUN_ID in runs)
    assert len(overview.notices) == 1
    make(missing, name="second", run_id="second")
    assert watched.wait_for_list(lambda runs: len(runs) == 2).notices == ()


def test_an_empty_folder_waits_for_its_first_run(tmp_path: Path, watch: Watch) -> None:
    watched = watch(tmp_path)
    assert watched.wait_for_list(lambda runs: not runs).looked
    make(tmp_path, rows(done(1)))
    watched.wait_for_list(lambda runs: RUN_ID in runs)


class TestQuestions:
    def test_about_a_run_that_nobody_follows(self, tmp_path: Path, watch: Watch) -> None:
        make(tmp_path, rows(done(1), done(2)))
        watched = watch(tmp_path)
        (run,) = watched.wait_for_list(lambda runs: RUN_ID in runs).runs
        assert watched.ask(run.key, lambda reader: len(reader.events(1, 10))) == 2
        assert not [one for one in watched.told.messages if isinstance(one, RunView)]

    def test_following_another_run_leaves_no_question_open(
        self, tmp_path: Path, watch: Watch
    ) -> None:
        make(tmp_path, rows(done(1)))
        make(tmp_path, name="second", run_id="second")
        watched = watch(tmp_path)
        first, second = watched.wait_for_list(lambda runs: len(runs) == 2).runs
        answers = Told()
        for _ in range(20):
            watched.feed.follow([Subscription(first.key)])
            watched.feed.ask(first.key, lambda reader: "first", answers)
            watched.feed.ask(second.key, lambda reader: "second", answers)
            watched.feed.follow([Subscription(second.key)])
        answers.wait(lambda all_: len(all_) == 40, PATIENCE)
        # A reader that was left may end before it answers, and then says so.
        others = [one for one in answers.messages if one != "second"]
        assert all(one == "first" or isinstance(one, Unavailable) for one in others)
        assert (answers.messages.count("second"), len(others)) == (20, 20)

    def test_about_a_run_that_is_not_there(self, tmp_path: Path, watch: Watch) -> None:
        watched = watch(tmp_path)
        watched.wait_for_list(lambda runs: True)
        assert isinstance(watched.ask("openprose:/no#such", lambda reader: 1), Unavailable)

    def test_after_the_end(self, tmp_path: Path, watch: Watch) -> None:
        watched = watch(tmp_path)
        watched.wait_for_list(lambda runs: True)
        watched.feed.stop()
        assert isinstance(watched.ask("openprose:/no#such", lambda reader: 1), Unavailable)


def expect_no_thread_but(before: set[threading.Thread]) -> None:
    """Readers have ended by now; the watch holds nothing, and ends when the system lets it."""
    left = [one for one in threading.enumerate() if one not in before]
    assert [one for one in left if not one.name.startswith("watch")] == []
    for one in left:
        one.join(PATIENCE)
        assert not one.is_alive()


def test_stopping_leaves_no_thread_and_no_private_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a database with a log a private copy is kept while it is watched."""
    private = tmp_path / "private"
    private.mkdir(mode=0o700)
    rooms: list[PrivateRoom] = []
    usual = PrivateRoom.__init__

    def in_private(room: PrivateRoom, root: str | None = None) -> None:
        usual(room, root or str(private))
        rooms.append(room)

    monkeypatch.setattr(PrivateRoom, "__init__", in_private)
    path = make(tmp_path / "w", rows(done(1)), wal=True)
    before = set(threading.enumerate())
    with Writer(path) as writer:
        add(writer, done(2), first=2)
        watched = Watched(tmp_path / "w")
        (run,) = watched.wait_for_list(lambda runs: RUN_ID in runs).runs
        watched.feed.follow([Subscription(run.key)])
        watched.wait_for_view(lambda view: view.events == 2)
        assert any(private.iterdir()), "nothing private was made, so nothing is shown here"
        watched.feed.stop()
    assert list(private.iterdir()) == []
    expect_no_thread_but(before)


def test_nothing_begins_after_the_end(tmp_path: Path) -> None:
    make(tmp_path, rows(done(1)))
    before = set(threading.enumerate())
    watched = Watched(tmp_path)
    (run,) = watched.wait_for_list(lambda runs: RUN_ID in runs).runs
    watched.feed.stop()
    watched.feed.follow([Subscription(run.key)])
    watched.feed.in_view([run.key])
    expect_no_thread_but(before)


def test_stopping_at_once(tmp_path: Path) -> None:
    make(tmp_path, rows(done(1)))
    before = set(threading.enumerate())
    for _ in range(5):
        Watched(tmp_path).feed.stop()
    expect_no_thread_but(before)


def test_no_request_waits_for_a_read_of_the_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Summaries, discovery and complete reads of the list never delay the screen."""
    make(tmp_path, rows(done(1)))
    reading, release = threading.Event(), threading.Event()
    summarize = ProseStore.summarize

    def slow(self: ProseStore) -> Any:
        found = summarize(self)
        if reading.is_set():
            return found
        reading.set()
        assert release.wait(PATIENCE)
        return found

    feed = WatchedWorkspace(Workspace([str(tmp_path)], lambda: 1_768_593_600_000, "/"))
    monkeypatch.setattr(ProseStore, "summarize", slow)
    told, answered = Told(), threading.Event()
    feed.start(told)
    try:
        assert reading.wait(PATIENCE)

        def request() -> None:
            feed.follow([Subscription("openprose:/none#1")])
            feed.ask("openprose:/none#2", lambda reader: None, lambda found: answered.set())
            feed.in_view(["openprose:/none#1"])

        requests = threading.Thread(target=request)
        requests.start()
        requests.join(PATIENCE)
        assert not requests.is_alive()
        assert answered.wait(PATIENCE) and not release.is_set()
    finally:
        release.set()
        feed.stop()


def test_the_list_reads_a_run_itself_until_its_worker_has_published(tmp_path: Path) -> None:
    """A worker that is still reading reports nothing: the list must not rely on it."""
    feed = WatchedWorkspace(Workspace([str(tmp_path)], lambda: 1_768_593_600_000, "/"))
    told = Told()
    worker = RunWorker(lambda: FakeRun().as_reader(), told)
    feed._followed["one"] = worker
    assert not feed._is_reported("one")
    worker.start()
    try:
        told.wait(len, PATIENCE)
        assert feed._is_reported("one")
        assert not feed._is_reported("another")
    finally:
        feed.stop()
