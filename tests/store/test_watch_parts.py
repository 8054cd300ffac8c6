"""What the watch decides: where to listen, what a name means, what looks otherwise than before."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from inspector.query.openprose.discovery import RUN_FOLDER_NAMES
from inspector.store.event_source import ADDED, DELETED, MODIFIED
from inspector.store.places import SKIPPED
from inspector.store.watch import (
    EventRoutes,
    FileStamps,
    Plan,
    Poller,
    Stamp,
    WatchTiming,
    is_remote_file_system,
    plan,
    stamp_of,
)
from tests.store.trees import database, file, run

MOUNTS = r"""
22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 27 0:40 / /mnt/net rw,relatime shared:5 - nfs4 server:/export rw
31 27 0:41 / /mnt/with\040space rw - cifs //server/share rw
32 27 0:42 / /home/me/remote rw - fuse.sshfs me@host: rw
33 27 0:43 / /home/me/local rw - fuse.gocryptfs /enc rw
34 27 0:44 / /mnt/c rw - 9p drvfs rw
35 27 0:45 / /mnt/net/local rw - tmpfs tmpfs rw
36 27 0:46 / /mnt/over rw - nfs server:/x rw
37 27 0:47 / /mnt/over rw - ext4 /dev/vdb rw
a line that is not of this kind
"""


@pytest.mark.parametrize(
    ("path", "remote"),
    [
        ("/home/me/project", False),
        ("/mnt/net", True),
        ("/mnt/net/runs/x", True),
        ("/mnt/network", False),
        ("/mnt/net/local/runs", False),
        ("/mnt/with space/runs", True),
        ("/home/me/remote/runs", True),
        ("/home/me/local/runs", False),
        ("/mnt/c/Users", True),
        ("/mnt/over/runs", False),
    ],
)
def test_network_file_systems_are_known_by_their_mount(
    tmp_path: Path, path: str, remote: bool
) -> None:
    table = file(tmp_path / "mountinfo", MOUNTS.encode())
    assert is_remote_file_system(path, str(table)) is remote


def test_without_a_table_of_mounts_nothing_is_remote(tmp_path: Path) -> None:
    assert not is_remote_file_system("/mnt/net", str(tmp_path / "none"))


def planned(
    tmp_path: Path,
    roots: tuple[str, ...] = (),
    folders: tuple[str, ...] = (),
    files: tuple[str, ...] = (),
    remote: Callable[[str], bool] = lambda path: False,
) -> Plan:
    def real(paths: tuple[str, ...]) -> list[str]:
        return [str(tmp_path / path) if path else str(tmp_path) for path in paths]

    made = plan(
        real(roots),
        real(folders),
        real(files),
        lambda path: remote(os.path.relpath(path, tmp_path)),
        RUN_FOLDER_NAMES,
    )

    def short(paths: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(os.path.relpath(path, tmp_path) for path in paths)

    return Plan(short(made.deep), short(made.flat), short(made.polled))


def test_a_root_is_watched_whole_and_seen_from_above(tmp_path: Path) -> None:
    (tmp_path / "runs/inner").mkdir(parents=True)
    assert planned(tmp_path, ("runs", "runs/inner")) == Plan(("runs",), (".",))


def test_a_missing_root_is_waited_for_in_the_nearest_folder(tmp_path: Path) -> None:
    (tmp_path / ".agents").mkdir()
    assert planned(tmp_path, (".agents/prose/runs", ".prose/runs")) == Plan((), (".", ".agents"))


def test_known_files_outside_the_roots_have_their_folder_watched(tmp_path: Path) -> None:
    run(tmp_path)
    (tmp_path / "data").mkdir()
    (tmp_path / "copy").mkdir()
    files = ("data/prism.db", "copy", "runs/20260317-143052-a7b3c9/state.db", "gone/vm.log.md")
    assert planned(tmp_path, ("runs",), ("data",), files) == Plan(("runs",), (".", "copy", "data"))


def test_folders_without_events_are_polled(tmp_path: Path) -> None:
    (tmp_path / "net/runs").mkdir(parents=True)
    (tmp_path / "runs").mkdir()
    made = planned(tmp_path, ("net/runs", "runs"), remote=lambda path: path.startswith("net"))
    assert made == Plan(("runs",), (".",), ("net", "net/runs"))
    assert made.without(deep=True) == Plan((), (".",), ("net", "net/runs", "runs"))
    assert made.without(deep=False) == Plan(("runs",), (), (".", "net", "net/runs"))


def test_a_plan_is_outdated_when_a_root_appears_or_disappears(tmp_path: Path) -> None:
    runs = tmp_path / "a/runs"
    waiting = plan([str(runs)], (), (), lambda path: False, RUN_FOLDER_NAMES)
    assert waiting.holds([str(runs)])
    runs.parent.mkdir()
    # The watch of tmp_path is not recursive, so it misses the folder `a`.
    assert not waiting.holds([str(runs)])
    runs.mkdir()
    assert not waiting.holds([str(runs)])
    assert plan([str(runs)], (), (), lambda path: False, RUN_FOLDER_NAMES).holds([str(runs)])


@pytest.fixture
def routes(tmp_path: Path) -> EventRoutes:
    run(tmp_path)
    run(tmp_path, "20260401-000000-ffffff")
    file(tmp_path / "runs/log/vm.log.md")
    database(tmp_path / "prism.db")
    files = (
        "runs/20260317-143052-a7b3c9/state.db",
        "runs/20260401-000000-ffffff",
        "runs/log/vm.log.md",
        "prism.db",
    )
    runs = (str(tmp_path / "runs"),)
    return EventRoutes(
        [str(tmp_path / name) for name in files],
        runs,
        Plan(runs, (str(tmp_path), str(tmp_path / "data"))),
        RUN_FOLDER_NAMES,
    )


RUN = "runs/20260317-143052-a7b3c9"


@pytest.mark.parametrize(
    ("change", "name", "touched", "anew"),
    [
        (MODIFIED, f"{RUN}/state.db", f"{RUN}/state.db", False),
        (ADDED, f"{RUN}/state.db-journal", f"{RUN}/state.db", False),
        (DELETED, f"{RUN}/state.db-journal", f"{RUN}/state.db", False),
        (MODIFIED, "prism.db-wal", "prism.db", False),
        (ADDED, "prism.db-shm", "prism.db", False),
        (DELETED, f"{RUN}/state.db", f"{RUN}/state.db", True),
        (ADDED, "prism.db", "prism.db", True),
        (MODIFIED, f"{RUN}/bindings/a.md", RUN, False),
        (ADDED, f"{RUN}/workspace/node/a.md", RUN, False),
        (ADDED, f"{RUN}/vm.log.md", RUN, True),
        (ADDED, f"{RUN}/imports/a--b", RUN, True),
        (ADDED, "runs/20260401-000000-ffffff/state.db", "runs/20260401-000000-ffffff", True),
        (MODIFIED, "runs/log/vm.log.md", "runs/log/vm.log.md", False),
        (DELETED, RUN, RUN, True),
        (DELETED, "runs/20260401-000000-ffffff", "runs/20260401-000000-ffffff", True),
        (MODIFIED, "other.db", "other.db", True),
        (MODIFIED, "other.db-wal", "other.db", False),
        (ADDED, "other.sqlite3", "other.sqlite3", True),
        (MODIFIED, "src/main.py", None, False),
        (ADDED, "src/main.py", None, False),
        (DELETED, "src/main.py", None, False),
        (DELETED, "runs", "runs", True),
        (DELETED, "runs/20250101-000000-gone00", "runs", True),
    ],
)
def test_where_a_change_leads(
    tmp_path: Path, routes: EventRoutes, change: int, name: str, touched: str | None, anew: bool
) -> None:
    expected = {str(tmp_path / touched)} if touched else set()
    assert routes.changes_of([(change, str(tmp_path / name))])[:2] == (expected, anew)


def test_a_folder_that_appears_asks_for_discovery(tmp_path: Path, routes: EventRoutes) -> None:
    for name in ("runs/20260501-000000-abcdef", "packages"):
        (tmp_path / name).mkdir()
        path = str(tmp_path / name)
        assert routes.changes_of([(ADDED, path)]) == ({path}, True, set())
    for name in sorted(SKIPPED):
        (tmp_path / name).mkdir()
        assert routes.changes_of([(ADDED, str(tmp_path / name))]) == (set(), False, set())


@pytest.mark.parametrize(("name", "deep"), [("runs", True), ("data", False)])
def test_a_watched_folder_that_appears_or_disappears_is_reported(
    tmp_path: Path, routes: EventRoutes, name: str, deep: bool
) -> None:
    for change in (ADDED, DELETED):
        assert routes.changes_of([(change, str(tmp_path / name))])[1:] == (True, {deep})
    assert routes.changes_of([(MODIFIED, str(tmp_path / name))])[1:] == (False, set())


def test_a_busy_database_that_is_none_of_ours_asks_once(
    tmp_path: Path, routes: EventRoutes
) -> None:
    path = str(tmp_path / "cache.db")
    asked = [routes.changes_of([(change, path)])[1] for change in (MODIFIED, MODIFIED, MODIFIED)]
    assert asked == [True, False, False]
    again = [
        routes.changes_of([(change, path)])[1] for change in (DELETED, ADDED, MODIFIED, MODIFIED)
    ]
    assert again == [True, True, True, False]


def test_a_linked_folder_is_known_by_its_real_path(tmp_path: Path, routes: EventRoutes) -> None:
    (tmp_path / "runs/latest").symlink_to("20260317-143052-a7b3c9")
    touched, anew, _ = routes.changes_of([(MODIFIED, str(tmp_path / "runs/latest/state.db"))])
    assert (touched, anew) == ({str(tmp_path / RUN / "state.db")}, False)


@pytest.mark.parametrize("companion", ["", "-wal", "-journal"])
def test_a_database_changes_with_any_of_its_files(tmp_path: Path, companion: str) -> None:
    path = str(database(tmp_path / "prism.db"))
    marks = FileStamps(RUN_FOLDER_NAMES)
    marks.changed([path])
    assert marks.changed([path]) == set()
    file(Path(path + companion), b"more")
    assert marks.changed([path], thorough=False) == {path}
    assert marks.changed([path]) == set()
    Path(path + companion).unlink()
    assert marks.changed([path]) == {path}


def test_logs_are_compared_in_a_large_sweep_too(tmp_path: Path) -> None:
    path = str(run(tmp_path) / "state.db")
    file(Path(f"{path}-wal"), b"x")
    marks = FileStamps(RUN_FOLDER_NAMES)
    marks.changed([path])
    file(Path(f"{path}-wal"), b"more")
    assert marks.changed([path], thorough=False) == {path}


def test_a_run_folder_changes_with_its_records(tmp_path: Path) -> None:
    folder = run(tmp_path)
    marks = FileStamps(RUN_FOLDER_NAMES)
    marks.changed([str(folder)])
    file(folder / "state.db", b"other")
    assert marks.changed([str(folder)]) == {str(folder)}
    file(folder / "vm.log.md")
    assert marks.changed([str(folder)]) == {str(folder)}


def test_the_first_poll_reports_only_recent_writes(tmp_path: Path) -> None:
    fresh, old = database(tmp_path / "a.db"), database(tmp_path / "b.db")
    os.utime(old, (1e9, 1e9))
    late_log = database(tmp_path / "c.db")
    os.utime(late_log, (1e9, 1e9))
    file(tmp_path / "c.db-wal")
    paths = [str(fresh), str(old), str(late_log), str(tmp_path / "none.db")]
    assert FileStamps(RUN_FOLDER_NAMES).changed(paths) == {str(fresh), str(late_log)}


def test_a_large_sweep_asks_once_for_each_run(tmp_path: Path) -> None:
    asked: list[str] = []

    def mark(path: str) -> Stamp:
        asked.append(path)
        return stamp_of(path)

    paths = [str(run(tmp_path, f"20260101-000000-{n:06}") / "state.db") for n in range(50)]
    marks = FileStamps(RUN_FOLDER_NAMES, mark)
    marks.changed(paths)
    asked.clear()
    assert marks.changed(paths, thorough=False) == set()
    assert asked == paths


class Hand:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(("polled", "active", "others"), [(False, 2.0, 10.0), (True, 0.1, 2.0)])
def test_polling_intervals(tmp_path: Path, polled: bool, active: float, others: float) -> None:
    clock = Hand()
    live, idle = str(database(tmp_path / "live.db")), str(database(tmp_path / "idle.db"))
    marks = FileStamps(RUN_FOLDER_NAMES)
    marks.changed([live, idle])
    poller = Poller(WatchTiming(), marks, clock)
    here = (str(tmp_path),)
    poller.set_files(Plan(polled=here) if polled else Plan(flat=here), (live, idle))
    for path in (live, idle):
        file(Path(path), b"more")
    assert poller.due_in() == pytest.approx(active)
    assert poller.poll([live]) == (set(), False)
    clock.now = active
    assert poller.poll([live])[0] == {live}
    clock.now = others
    assert poller.poll([live])[0] == {idle}


def test_a_new_name_in_a_polled_folder_asks_for_discovery(tmp_path: Path) -> None:
    clock = Hand()
    runs = tmp_path / "runs"
    runs.mkdir()
    poller = Poller(WatchTiming(), FileStamps(RUN_FOLDER_NAMES), clock)
    poller.set_files(Plan(polled=(str(runs),)), ())
    clock.now = 2.0
    assert poller.poll(()) == (set(), False)
    (runs / "20260101-000000-abcdef").mkdir()
    clock.now = 4.0
    assert poller.poll(()) == (set(), True)


def test_unreported_changes_are_counted(tmp_path: Path) -> None:
    clock = Hand()
    path = str(database(tmp_path / "a.db"))
    marks = FileStamps(RUN_FOLDER_NAMES)
    marks.changed([path])
    poller = Poller(WatchTiming(), marks, clock)
    poller.set_files(Plan(flat=(str(tmp_path),)), (path,))
    counts = []
    for second in (2, 4, 6):
        file(Path(path), b"x" * second)
        clock.now = second
        assert poller.poll([path])[0] == {path}
        counts.append(poller.silent)
    assert counts == [0, 1, 2]
    poller.note_reported([path])
    assert poller.silent == 0
    file(Path(path), b"announced in time")
    poller.note_reported([path])
    for second in (8, 10):
        clock.now = second
        assert poller.poll([path]) == (set(), False)
    assert poller.silent == 0


def test_a_sweep_that_costs_much_gets_rarer(tmp_path: Path) -> None:
    clock = Hand()

    def slow(path: str) -> Stamp:
        clock.now += 1.0
        return None

    poller = Poller(WatchTiming(share=0.01), FileStamps(RUN_FOLDER_NAMES, slow), clock)
    poller.set_files(Plan(), [str(tmp_path / "none.db")])
    clock.now = 10.0
    poller.poll(())
    poller.poll(())
    assert clock.now == 13.0
    clock.now = 200.0
    poller.poll(())
    assert clock.now == 200.0
