"""Every writer is noticed, with and without events, and reading causes no events."""

import os
import queue
import shutil
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from inspector.query.discovery import discover
from inspector.store.event_source import (
    MODIFIED,
    CannotListen,
    EventSource,
    Listen,
    Listener,
    RawEvents,
    StopSign,
    listen,
)
from inspector.store.watch import Changes, WatchTiming
from tests.store.trees import RUN, file, sql
from tests.store.watching import NEVER, PATIENCE_S, POLLING, Watch, watching


def test_a_commit_reports_its_database_and_nothing_else(tmp_path: Path) -> None:
    path = sql(tmp_path / "runs" / RUN / "state.db", "create table t (a)")
    with watching(tmp_path) as watch:
        watch.settle()
        sql(path, "insert into t values (1)")
        changes = watch.until_path(path)
        assert changes == Changes(frozenset({str(path)}))
        watch.settle()


@pytest.mark.parametrize("place", [".grimoire/grimoire.db", "prism.db", "a/b/sessions.sqlite"])
def test_a_commit_in_the_wal_is_reported(tmp_path: Path, place: str) -> None:
    path = sql(tmp_path / place, "pragma journal_mode = wal", "create table t (a)")
    with watching(tmp_path) as watch:
        watch.settle()
        hold = "pragma wal_autocheckpoint = 0"
        sql(path, hold, "insert into t values (1)")
        assert watch.until_path(path).rescan is False


def test_it_begins_before_the_first_run_and_sees_all_that_follows(tmp_path: Path) -> None:
    path = tmp_path / ".agents/prose/runs" / RUN / "state.db"
    with watching(tmp_path) as watch:
        watch.settle()
        sql(path)
        watch.until(lambda changes: changes.rescan and str(path) in watch.files)
        watch.settle()
        sql(path, "create table t (a)")
        watch.until_path(path)
        watch.settle()
        sql(path, "insert into t values (1)")
        assert watch.until_path(path) == Changes(frozenset({str(path)}))


@pytest.mark.parametrize(
    ("folder", "place"), [("runs", f"runs/{RUN}/state.db"), ("data", "data/prism.db")]
)
@pytest.mark.parametrize("at_once", [True, False])
def test_a_folder_that_is_removed_and_made_again_is_watched_again(
    tmp_path: Path, folder: str, place: str, at_once: bool
) -> None:
    path = sql(tmp_path / place, "create table t (a)")
    with watching(tmp_path) as watch:
        watch.settle()
        shutil.rmtree(tmp_path / folder)
        if not at_once:
            watch.until(lambda changes: changes.rescan)
        path.parent.mkdir(parents=True)
        sql(path, "create table t (a)")
        watch.until(lambda changes: changes.rescan)
        watch.settle()
        sql(path, "insert into t values (1)")
        watch.until_path(path)


def test_imported_programs_and_logs_are_reported(tmp_path: Path) -> None:
    folder = file(tmp_path / "runs" / RUN / "vm.log.md").parent
    inner = folder / "imports/a--b"
    with watching(tmp_path) as watch:
        watch.settle()
        inner.mkdir(parents=True)
        watch.until(lambda changes: changes.rescan and f"{inner}/state.db" in watch.files)
        watch.settle()
        with open(folder / "vm.log.md", "a") as log:
            log.write("1→ a ✓\n")
        assert watch.until_path(folder) == Changes(frozenset({str(folder)}))


def test_reading_announces_nothing(tmp_path: Path) -> None:
    paths = [
        sql(tmp_path / "runs" / RUN / "state.db", "create table t (a)"),
        sql(tmp_path / "prism.db", "pragma journal_mode = wal", "create table t (a)"),
    ]
    with watching(tmp_path) as watch:
        watch.settle()
        for path in paths:
            for _ in range(5):
                path.read_bytes()
                os.stat(path)
            os.listdir(path.parent)
        discover([], home=None, cwd=str(tmp_path))
        sql(tmp_path / "end.db", "create table t (a)")
        watch.until_path(tmp_path / "end.db")
        told = frozenset[str]().union(*(changes.paths for changes in watch.seen))
        assert told == {str(tmp_path / "end.db")}


def test_a_run_also_reached_by_a_link_is_reported_once(tmp_path: Path) -> None:
    path = sql(tmp_path / "runs" / RUN / "state.db", "create table t (a)")
    (tmp_path / "runs/latest").symlink_to(RUN)
    with watching(tmp_path) as watch:
        watch.settle()
        sql(path, "insert into t values (1)")
        assert watch.until_path(path) == Changes(frozenset({str(path)}))


def test_files_created_between_plan_and_watch_are_found(tmp_path: Path) -> None:
    path = tmp_path / ".agents/prose/runs" / RUN / "state.db"

    def late(folders: Sequence[str], recursive: bool) -> Listener:
        if not path.exists():
            sql(path, "create table t (a)")
        return listen(folders, recursive)

    with watching(tmp_path, listener=late) as watch:
        watch.until(lambda changes: changes.rescan and str(path) in watch.files)
        watch.settle()
        sql(path, "insert into t values (1)")
        watch.until_path(path)


class Deaf:
    """A listener that starts well and never hears anything."""

    def wait(self, debounce_ms: int, step_ms: int, timeout_ms: int, stop: StopSign) -> RawEvents:
        assert isinstance(stop, threading.Event)
        stop.wait(timeout_ms / 1000)
        return set()

    def close(self) -> None:
        pass


def deaf(folders: Sequence[str], recursive: bool) -> Listener:
    return Deaf()


def refusing(error: OSError) -> Listen:
    def refuse(folders: Sequence[str], recursive: bool) -> Listener:
        raise error

    return refuse


class Breaking(Deaf):
    """A listener that ends in the middle."""

    def wait(self, debounce_ms: int, step_ms: int, timeout_ms: int, stop: StopSign) -> RawEvents:
        raise CannotListen("broken")


def commits(watch: Watch, path: Path, number: int = 3) -> None:
    """Each of several commits by another process is reported."""
    for _ in range(number):
        sql(path, "insert into t values (1)")
        watch.until_path(path)


def notices(watch: Watch) -> list[str]:
    return [changes.notice.message for changes in watch.seen if changes.notice]


@pytest.mark.parametrize(
    "listener",
    [
        refusing(CannotListen("OS file watch limit reached.")),
        lambda folders, recursive: Breaking(),
    ],
)
def test_without_a_listener_files_are_polled(tmp_path: Path, listener: Listen) -> None:
    path = sql(tmp_path / "runs" / RUN / "state.db", "create table t (a)")
    with watching(tmp_path, listener=listener, timing=POLLING) as watch:
        notice = watch.until(lambda changes: changes.notice is not None).notice
        assert notice is not None
        assert notice.code == "polling"
        assert "\n" not in notice.message
        commits(watch, path)
        sql(tmp_path / "runs/20260401-000000-ffffff/state.db", "create table t (a)")
        watch.until(lambda changes: changes.rescan and len(watch.files) == 2)
        assert len(notices(watch)) == len(set(notices(watch)))


def test_only_folders_that_cannot_be_watched_are_polled(tmp_path: Path) -> None:
    path = sql(tmp_path / "runs" / RUN / "state.db", "create table t (a)")
    stray = sql(tmp_path / "prism.db", "create table t (a)")

    def shallow(folders: Sequence[str], recursive: bool) -> Listener:
        if recursive:
            raise CannotListen("limit")
        return listen(folders, recursive)

    timing = WatchTiming(step_ms=5, quiet_step_ms=5, all_s=NEVER, active_s=NEVER, poll_all_s=0.05)
    with watching(tmp_path, listener=shallow, timing=timing) as watch:
        commits(watch, path)
        commits(watch, stray)
        assert len(notices(watch)) == 1


def test_a_watch_that_stays_silent_is_made_up_for_and_then_replaced(tmp_path: Path) -> None:
    path = sql(tmp_path / "runs" / RUN / "state.db", "create table t (a)")
    active = lambda: (str(path),)  # noqa: E731
    with watching(tmp_path, listener=deaf, timing=POLLING, active=active) as watch:
        for _ in range(50):
            commits(watch, path, 1)
            if notices(watch):
                break
        assert len(notices(watch)) == 1
        assert notices(watch)[0].startswith("File notifications are not arriving; ")
        commits(watch, path)


def test_a_silent_watch_is_made_up_for_even_where_nothing_is_active(tmp_path: Path) -> None:
    path = sql(tmp_path / "runs" / RUN / "state.db", "create table t (a)")
    with watching(tmp_path, listener=deaf, timing=POLLING) as watch:
        commits(watch, path)


def test_network_file_systems_are_never_listened_to(tmp_path: Path) -> None:
    path = sql(tmp_path / "runs" / RUN / "state.db", "create table t (a)")
    stray = sql(tmp_path / "prism.db", "create table t (a)")
    heard: list[str] = []

    def recording(folders: Sequence[str], recursive: bool) -> Listener:
        heard.extend(folders)
        return listen(folders, recursive)

    runs = str(tmp_path / "runs")
    with watching(
        tmp_path, listener=recording, timing=POLLING, remote=lambda folder: folder.startswith(runs)
    ) as watch:
        commits(watch, path)
        commits(watch, stray)
        assert len(notices(watch)) == 1
        assert notices(watch)[0].startswith(f"{runs} is on a network file system")
    assert heard
    assert not [folder for folder in heard if folder.startswith(runs)]


@pytest.mark.parametrize("kind", ["errno", "limit", "internal"])
def test_errors_of_the_library_become_one_exception(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    from watchfiles import _rust_notify

    errors: dict[str, Exception] = {
        "errno": OSError(28, "No space left on device"),
        "limit": OSError("OS file watch limit reached."),
        "internal": _rust_notify.WatchfilesRustInternalError("Too many open files"),
    }

    def refuse(*given: Any) -> None:
        raise errors[kind]

    monkeypatch.setattr(_rust_notify, "RustNotify", refuse)
    with pytest.raises(CannotListen):
        listen([str(tmp_path)], True)
    monkeypatch.undo()
    with pytest.raises(FileNotFoundError):
        listen([str(tmp_path / "none")], True)


def test_the_library_is_loaded_only_when_it_is_needed() -> None:
    program = "import sys, inspector.store.watch; sys.exit('watchfiles' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


def test_roots_can_be_replaced_from_another_thread(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    with watching(here) as watch:
        watch.settle()
        path = sql(there / "runs" / RUN / "state.db", "create table t (a)")
        watch.files = (str(path),)
        watch.watcher.rewatch([str(there / "runs")], [str(here)])
        watch.settle()
        sql(path, "insert into t values (1)")
        assert watch.until_path(path).rescan is False


class Slow:
    """A listener that drops its events on stop, as the library does."""

    def __init__(self) -> None:
        self.heard: queue.SimpleQueue[RawEvents] = queue.SimpleQueue()
        self.waiting = threading.Event()
        self.closed = threading.Event()

    def wait(self, debounce_ms: int, step_ms: int, timeout_ms: int, stop: StopSign) -> RawEvents:
        self.waiting.set()
        try:
            raw = self.heard.get(timeout=timeout_ms / 1000)
        except queue.Empty:
            return set()
        return set() if stop.is_set() else raw

    def close(self) -> None:
        self.closed.set()


def test_a_replaced_watch_still_forwards_its_events() -> None:
    made: list[Slow] = []

    def make(folders: Sequence[str], recursive: bool) -> Listener:
        if made:
            # Written while the next watch begins: only the first one can know.
            made[0].waiting.wait(PATIENCE_S)
            made[0].heard.put({(MODIFIED, "/a/x.db")})
        made.append(Slow())
        return made[-1]

    ears = EventSource(make, lambda deep: (1, 1))
    try:
        ears.watch_folders(("/a",), deep=False)
        ears.watch_folders(("/a",), deep=False)
        assert len(made) == 1
        ears.watch_folders(("/a", "/b"), deep=False)
        assert ears.events(PATIENCE_S) == {(MODIFIED, "/a/x.db")}
        assert made[0].closed.wait(PATIENCE_S)
        assert not made[1].closed.is_set()
    finally:
        ears.close()
    assert made[1].closed.is_set()


def test_the_private_interface_of_watchfiles_that_is_used_still_exists(tmp_path: Path) -> None:
    """If this fails with a new watchfiles, adapt `_Watchfiles` before raising the cap."""
    from watchfiles import _rust_notify

    notify = _rust_notify.RustNotify([str(tmp_path)], False, False, 300, True, True)
    try:
        # The watch is established by the constructor: nothing between it and `watch` is lost.
        (tmp_path / "a").touch()
        raw = notify.watch(50, 5, 10_000, threading.Event())
        assert isinstance(raw, set) and (1, str(tmp_path / "a")) in raw
        assert notify.watch(1, 1, 1, None) == "timeout"
        stopped = threading.Event()
        stopped.set()
        assert notify.watch(1, 1, 1000, stopped) == "stop"
    finally:
        notify.close()
    assert issubclass(_rust_notify.WatchfilesRustInternalError, Exception)
