"""Background programs: they survive their parent, and their output becomes plain lines."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from inspector.process.background import Background, ending, run_in_background
from inspector.process.foreground import NotStarted
from inspector.process.supervisor import MAX_OUTPUT_BYTES
from tests.process.gone import gone_within, is_gone
from tests.waiting import becomes_true

ROOT = Path(__file__).parents[2]
SH = "/bin/sh"


def run(
    folder: Path,
    script: str,
    *words: str,
    keep: Sequence[int] = (),
    on_start: Callable[[int], None] = lambda pid: None,
) -> Background:
    argv = ["sh", "-c", script, *words]
    env = {**os.environ, "COLUMNS": "7", "LINES": "7", "TERM": "dumb"}
    return run_in_background(
        argv,
        program=SH,
        cwd=str(folder),
        env=env,
        folder=folder / "told",
        keep=keep,
        on_start=on_start,
    )


def test_it_has_a_terminal_with_a_size(tmp_path: Path) -> None:
    started = run(tmp_path, 'stty size; echo "$COLUMNS$LINES $TERM"; tty; exit 3')
    assert started.wait(10) == 3
    size, environment, name = started.lines()
    assert (size, environment) == ("36 120", " xterm-256color")
    assert name.startswith("/dev/")


def test_words_arrive_as_they_are(tmp_path: Path) -> None:
    words = ["$(id)", "a b", "'; rm -rf /", "ü", "\udcff"]
    started = run(tmp_path, "for one; do printf '%s|' \"$one\"; done; pwd", "sh", *words)
    assert started.wait(10) == 0
    whole = "\n".join(started.lines())
    assert whole == f"$(id)|a b|'; rm -rf /|ü|�|{tmp_path}"


def test_it_inherits_only_the_named_descriptors(tmp_path: Path) -> None:
    kept, other = (os.open(tmp_path, os.O_RDONLY) for _ in range(2))
    os.set_inheritable(other, True)
    script = f"test -e /dev/fd/{kept} && echo kept; test -e /dev/fd/{other} && echo other; true"
    started = run(tmp_path, script, keep=(kept,))
    for descriptor in (kept, other):
        os.close(descriptor)
    assert started.wait(10) == 0 and started.lines() == ["kept"]


def test_a_program_that_cannot_be_executed_is_reported(tmp_path: Path) -> None:
    with pytest.raises(NotStarted, match="Could not be started"):
        run_in_background(["x"], program="/nowhere/x", cwd="/", env={}, folder=tmp_path / "a")
    with pytest.raises(NotStarted, match="Could not be started"):
        run_in_background(["sh"], program=SH, cwd="/nowhere", env={}, folder=tmp_path / "b")
    with pytest.raises(NotStarted):
        run_in_background(["sh", "a\0b"], program=SH, cwd="/", env={}, folder=tmp_path / "c")
    (tmp_path / "d").mkdir()
    with pytest.raises(NotStarted, match="exists"):
        run_in_background(["sh"], program=SH, cwd="/", env={}, folder=tmp_path / "d")


def test_a_signal_is_a_negative_exit_code(tmp_path: Path) -> None:
    started = run(tmp_path, "kill -9 $$")
    assert started.wait(10) == -signal.SIGKILL


def test_output_without_end_is_bounded(tmp_path: Path) -> None:
    script = 'i=0; while [ $i -lt 5000 ]; do echo "$i ${1}"; i=$((i+1)); done'
    started = run(tmp_path, script, "sh", "x" * 60)
    assert started.wait(20) == 0
    kept = (tmp_path / "told" / "output.txt").read_text()
    assert len(kept) <= MAX_OUTPUT_BYTES and kept.startswith("(earlier output was dropped)")
    assert kept.rstrip().splitlines()[-1].startswith("4999 ")


def test_a_question_is_seen_although_its_line_has_no_end(tmp_path: Path) -> None:
    started = run(tmp_path, "printf 'Keystore password: '; sleep 60")
    try:
        assert becomes_true(lambda: started.current == "Keystore password:")
    finally:
        assert started.pid is not None
        os.kill(started.pid, signal.SIGKILL)
    assert started.wait(10) == -signal.SIGKILL
    assert started.lines() == ["Keystore password:"]


def test_its_children_do_not_keep_it_running(tmp_path: Path) -> None:
    started = run(tmp_path, "trap '' HUP; sleep 60 & echo done; exit 0")
    assert started.wait(10) == 0 and started.lines() == ["done"]


LAUNCHER = """
import os, sys
from pathlib import Path
from inspector.process.background import run_in_background
folder = Path(sys.argv[1])
started = run_in_background(["sh", "-c",
                             "while ! test -e go; do sleep 0.05; done; echo over; exit 5"],
                     program="/bin/sh", cwd=str(folder), env=dict(os.environ),
                     folder=folder / "told")
print(started.pid, flush=True)
"""


def test_it_outlives_its_parent(tmp_path: Path) -> None:
    command = [sys.executable, "-c", LAUNCHER, str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    pid = int(ran.stdout)
    assert not is_gone(pid)
    (tmp_path / "go").touch()
    assert becomes_true(lambda: ending(tmp_path / "told") == {"exit_code": 5})
    assert gone_within(pid, 5)
    assert (tmp_path / "told" / "output.txt").read_text() == "over\n"


@pytest.mark.parametrize("content", ["", "[", "[]", json.dumps({"exit_code": "0"})])
def test_an_invalid_result_file_is_ignored(tmp_path: Path, content: str) -> None:
    started = run(tmp_path, "exit 0")
    started.wait(10)
    (tmp_path / "told" / "ended.json").write_text(content)
    assert started.exit_code is None
