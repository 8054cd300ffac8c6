"""Launch locks: held as long as any process that inherited them lives."""

import fcntl
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from inspector.resume.lock import AlreadyRunning, NoLock, acquire, holder_of
from tests.waiting import becomes_true

KEY = "openprose:/a b/'c'\n/state.db#\udcff"
ROOT = Path(__file__).parents[2]
HOLDER = """
import sys, time
from pathlib import Path
from inspector.resume.lock import acquire
lock = acquire(Path(sys.argv[1]), sys.argv[2], "since")
lock.note_child(4711)
print("held", flush=True)
time.sleep(60)
"""


def holder(folder: Path, key: str) -> "subprocess.Popen[str]":
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder), key],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert process.stdout is not None and process.stdout.readline() == "held\n"
    return process


def test_a_second_launch_reports_the_first(tmp_path: Path) -> None:
    lock = acquire(tmp_path, KEY, "2026-01-16T14:30:00.000Z")
    lock.note_child(4711)
    with pytest.raises(AlreadyRunning, match=r"process 4711 at 2026-01-16T14:30"):
        acquire(tmp_path, KEY, "later")
    assert holder_of(tmp_path, KEY) == lock.content
    lock.release()
    lock.release()
    assert holder_of(tmp_path, KEY) is None
    acquire(tmp_path, KEY, "later").release()


def test_other_runs_are_free(tmp_path: Path) -> None:
    lock = acquire(tmp_path, KEY, "")
    acquire(tmp_path, KEY + "x", "").release()
    lock.release()


def test_a_lock_of_a_killed_process_is_an_orphan(tmp_path: Path) -> None:
    process = holder(tmp_path, "run")
    held = holder_of(tmp_path, "run")
    assert held is not None and held["child"] == 4711 and held["pid"] == process.pid
    with pytest.raises(AlreadyRunning, match="4711"):
        acquire(tmp_path, "run", "")
    process.kill()
    process.communicate()
    assert holder_of(tmp_path, "run") is None
    lock = acquire(tmp_path, "run", "")
    assert json.loads(lock.path.read_text())["pid"] == os.getpid()
    lock.release()


def test_it_lives_as_long_as_the_program_that_inherited_it(tmp_path: Path) -> None:
    lock = acquire(tmp_path, "run", "")
    child = subprocess.Popen(
        [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, pass_fds=[lock.descriptor]
    )
    lock.release()
    with pytest.raises(AlreadyRunning):
        acquire(tmp_path, "run", "")
    child.communicate(b"\n")
    assert becomes_true(lambda: holder_of(tmp_path, "run") is None)


def test_looking_does_not_get_in_the_way(tmp_path: Path) -> None:
    acquire(tmp_path, "run", "").release()
    look = "import sys\nfrom pathlib import Path\nfrom inspector.resume.lock import holder_of\n"
    look += "print('looking', flush=True)\n"
    look += "while True: holder_of(Path(sys.argv[1]), 'run')\n"
    process = subprocess.Popen(
        [sys.executable, "-c", look, str(tmp_path)], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert process.stdout is not None
    process.stdout.readline()
    try:
        for _ in range(50):
            acquire(tmp_path, "run", "").release()
    finally:
        process.kill()
        process.communicate()


def test_two_inspectors_testing_an_orphan_at_once_find_no_holder(tmp_path: Path) -> None:
    lock = acquire(tmp_path, "run", "")
    lock.release()
    other = os.open(lock.path, os.O_RDONLY)
    # The other inspector in the middle of its test.
    fcntl.flock(other, fcntl.LOCK_SH)
    try:
        assert holder_of(tmp_path, "run") is None
    finally:
        os.close(other)


def test_many_tests_at_once_never_report_a_holder(tmp_path: Path) -> None:
    acquire(tmp_path, "run", "").release()
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: holder_of(tmp_path, "run"), range(4000)))
    assert found == [None] * 4000


@pytest.mark.parametrize("content", ["", "[]", "{", '{"pid": null}', "\x00"])
def test_a_holder_that_left_nothing_to_read(tmp_path: Path, content: str) -> None:
    lock = acquire(tmp_path, "run", "")
    lock.path.write_text(content)
    with pytest.raises(AlreadyRunning, match="has not ended"):
        acquire(tmp_path, "run", "")
    lock.release()


def test_a_longer_content_leaves_nothing_behind(tmp_path: Path) -> None:
    acquire(tmp_path, "run", "a" * 500).release()
    lock = acquire(tmp_path, "run", "b")
    assert json.loads(lock.path.read_text())["since"] == "b"
    lock.release()


def test_links_are_not_followed(tmp_path: Path) -> None:
    lock = acquire(tmp_path / "locks", "run", "")
    lock.release()
    victim = tmp_path / "victim"
    victim.write_text("precious")
    lock.path.unlink()
    lock.path.symlink_to(victim)
    with pytest.raises(NoLock):
        acquire(tmp_path / "locks", "run", "")
    assert victim.read_text() == "precious"


def test_a_folder_that_cannot_be_created_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(NoLock, match="No lock can be kept"):
        acquire(tmp_path / "file" / "locks", "run", "")
