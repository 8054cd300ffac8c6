"""Every state in which a runtime leaves a database is read right, and left as it was."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from watchfiles._rust_notify import RustNotify

from inspector.store.read import ZeroTouchReader
from tests.store.builders import ROWS, count, database, untouched
from tests.store.writers import ROOT, Writer

MORE = ("INSERT INTO t(v) SELECT 'more' FROM t LIMIT 50",)
SPILL = (
    "PRAGMA cache_size=5",
    "BEGIN",
    "UPDATE t SET v = 'torn ' || v",
    "INSERT INTO t(v) SELECT v FROM t",
)
NOBODY = 65534


@dataclass
class Scene:
    """A database in some state; `live` writers are ended after the test."""

    path: Path
    live: list[Writer] = field(default_factory=list)

    def writer(self, *statements: str) -> Writer:
        writer = Writer(self.path)
        self.live.append(writer)
        writer.sql("PRAGMA synchronous=OFF", "PRAGMA wal_autocheckpoint=0", *statements)
        return writer


def rollback_at_rest(scene: Scene) -> int:
    database(scene.path)
    return ROWS


def hot_journal(scene: Scene) -> int:
    database(scene.path)
    scene.writer(*SPILL).kill()
    assert Path(f"{scene.path}-journal").stat().st_size
    return ROWS


def open_transaction(scene: Scene) -> int:
    database(scene.path)
    scene.writer("BEGIN", "INSERT INTO t(v) VALUES('torn')")
    return ROWS


def spilled_transaction(scene: Scene) -> int:
    database(scene.path)
    scene.writer(*SPILL)
    return ROWS


def log_at_rest(scene: Scene) -> int:
    database(scene.path, journal_mode="wal")
    assert not Path(f"{scene.path}-wal").exists()
    return ROWS


def log_of_idle_writer(scene: Scene) -> int:
    database(scene.path, journal_mode="wal")
    scene.writer(*MORE)
    return ROWS + 50


def log_with_open_transaction(scene: Scene) -> int:
    database(scene.path, journal_mode="wal")
    scene.writer(*MORE, *SPILL)
    return ROWS + 50


def log_of_killed_writer(scene: Scene) -> int:
    database(scene.path, journal_mode="wal")
    scene.writer(*MORE, *SPILL).kill()
    return ROWS + 50


def log_without_index(scene: Scene) -> int:
    rows = log_of_killed_writer(scene)
    Path(f"{scene.path}-shm").unlink()
    return rows


def log_reset(scene: Scene) -> int:
    database(scene.path, journal_mode="wal")
    scene.writer(*MORE, *MORE, "PRAGMA wal_checkpoint(RESTART)", *MORE)
    return ROWS + 150


def log_emptied(scene: Scene) -> int:
    database(scene.path, journal_mode="wal")
    scene.writer(*MORE, "PRAGMA wal_checkpoint(TRUNCATE)")
    assert Path(f"{scene.path}-wal").stat().st_size == 0
    return ROWS + 50


def zeroed_journal(scene: Scene) -> int:
    database(scene.path)
    scene.writer("PRAGMA journal_mode=PERSIST", *MORE)
    assert Path(f"{scene.path}-journal").stat().st_size
    return ROWS + 50


SCENES = [
    rollback_at_rest,
    hot_journal,
    open_transaction,
    spilled_transaction,
    log_at_rest,
    log_of_idle_writer,
    log_with_open_transaction,
    log_of_killed_writer,
    log_without_index,
    log_reset,
    log_emptied,
    zeroed_journal,
]
scenes = pytest.mark.parametrize("build", SCENES, ids=lambda build: build.__name__)
some_scenes = pytest.mark.parametrize(
    "build",
    [log_at_rest, log_of_killed_writer, log_of_idle_writer, log_without_index, hot_journal],
    ids=lambda build: build.__name__,
)
Build = Callable[[Scene], int]


@pytest.fixture
def scene() -> Iterator[Scene]:
    """A folder that everybody may enter, unlike pytest's own."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    scene = Scene(folder / "run" / "state.db")
    yield scene
    for writer in scene.live:
        writer.kill()
    shutil.rmtree(folder)


@scenes
def test_right_rows_and_an_untouched_folder(scene: Scene, build: Build) -> None:
    rows = build(scene)
    with ZeroTouchReader(str(scene.path)) as reader, untouched(scene.path.parent):
        assert reader.read(count).value == rows
        assert reader.read(count).value == rows


@some_scenes
def test_a_folder_that_may_not_be_written(scene: Scene, build: Build) -> None:
    rows = build(scene)
    scene.path.parent.chmod(0o555)
    with untouched(scene.path.parent):
        assert read_elsewhere(scene.path, [], stranger=os.geteuid() == 0) == rows


@some_scenes
def test_a_read_only_mount(scene: Scene, build: Build) -> None:
    rows = build(scene)
    there = scene.path.parents[1] / "mounted"
    there.mkdir()
    mount = f'mount --bind "{scene.path.parent}" "{there}" && mount -o remount,ro,bind "{there}"'
    inside = ["unshare", "--mount", "sh", "-c", f'{mount} && exec "$@"', "sh"]
    if subprocess.run([*inside, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this user may not mount")
    with untouched(scene.path.parent):
        assert read_elsewhere(there / "state.db", inside) == rows


def test_a_writer_does_not_notice_the_reader(scene: Scene) -> None:
    rows = log_of_idle_writer(scene)
    with ZeroTouchReader(str(scene.path)) as reader:
        assert reader.read(count).value == rows
        assert scene.live[0].sql("PRAGMA wal_checkpoint(TRUNCATE)") == [[0, 0, 0]]
        scene.live[0].sql(*MORE)
        assert reader.read(count).value == rows + 50
    scene.live[0].do("close")
    assert os.listdir(scene.path.parent) == ["state.db"]


@pytest.mark.parametrize(
    "build",
    [rollback_at_rest, hot_journal, log_at_rest, log_of_idle_writer, log_of_killed_writer],
    ids=lambda build: build.__name__,
)
def test_a_watcher_hears_nothing(scene: Scene, build: Build) -> None:
    """Else every refresh would call for the next one."""
    build(scene)
    with (
        ZeroTouchReader(str(scene.path)) as reader,
        RustNotify([str(scene.path.parent)], False, False, 0, True, True) as watcher,
    ):
        for _ in range(5):
            reader.read(count)
            reader.changed()
            reader.content_token()
        assert watcher.watch(20, 5, 100, None) == "timeout"
        scene.path.touch()
        assert watcher.watch(20, 5, 1000, None) != "timeout", "it can hear"


ALONE = """
import json, os, shutil, sys, tempfile  # while the interpreter can still be read
from inspector.store.read import ZeroTouchReader
from tests.store.builders import count
path, private, user = sys.argv[1:]
if user:
    os.setgroups([])
    os.setgid(int(user))
    os.setuid(int(user))
with ZeroTouchReader(path, private_root=private) as reader:
    print(json.dumps(reader.read(count).value))
"""


def read_elsewhere(path: Path, inside: list[str], stranger: bool = False) -> int:
    """Counts rows in another process; `stranger`: as a user who owns nothing here."""
    private = path.parents[1] / "private"
    private.mkdir()
    if stranger:
        os.chown(private, NOBODY, NOBODY)
    user = str(NOBODY) if stranger else ""
    done = subprocess.run(
        [*inside, sys.executable, "-c", ALONE, str(path), str(private), user],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    rows: int = json.loads(done.stdout)
    return rows
