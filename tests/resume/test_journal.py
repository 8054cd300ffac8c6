"""The launch log: whole lines despite concurrent and interrupted writers."""

import json
import os
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from inspector.resume.launch import LOG_NAME, Launch, launch_count, log_end, log_start, read_log

LAUNCH = Launch(
    "1", "2026-01-16T14:30:00.000Z", "run", ("claude", "-p", "a\nb\x1b"), "/a b", "terminal"
)
ROOT = Path(__file__).parents[2]
MANY = """
import sys
from pathlib import Path
from inspector.resume.launch import Launch, log_start
for number in range(50):
    name, words = f"{sys.argv[2]}-{number}", ("x" * 9000,)
    launch = Launch(name, "", "run", words, "/", "terminal")
    log_start(Path(sys.argv[1]), launch)
"""


def test_a_launch_is_one_record_from_beginning_to_end(tmp_path: Path) -> None:
    log_start(tmp_path, LAUNCH)
    (begun,) = read_log(tmp_path)
    assert begun["argv"] == list(LAUNCH.argv) and begun["ended_at"] is None
    log_end(tmp_path, replace(LAUNCH, ended_at="later", exit_code=-9, verdict="failed"))
    (ended,) = read_log(tmp_path)
    assert (ended["exit_code"], ended["verdict"], ended["cwd"]) == (-9, "failed", "/a b")
    assert launch_count(tmp_path, "run") == 1 and launch_count(tmp_path, "other") == 0


def test_only_its_owner_reads_it(tmp_path: Path) -> None:
    log_start(tmp_path / "state", LAUNCH)
    assert stat.S_IMODE((tmp_path / "state" / LOG_NAME).stat().st_mode) == 0o600


def test_nothing_launched_is_an_empty_log(tmp_path: Path) -> None:
    assert read_log(tmp_path) == []


def test_a_line_that_was_cut_off_costs_no_other(tmp_path: Path) -> None:
    log_start(tmp_path, LAUNCH)
    with (tmp_path / LOG_NAME).open("ab") as file:
        file.write(b'{"id": "2", "at": "20')
    log_start(tmp_path, replace(LAUNCH, id="3"))
    with (tmp_path / LOG_NAME).open("ab") as file:
        file.write(b'[1]\n"text"\n\xff\xfe\n{"no": "id"}\n{"id": 5}\n')
    assert [one["id"] for one in read_log(tmp_path)] == ["1", "3"]


def test_several_inspectors_lose_no_line(tmp_path: Path) -> None:
    command = [sys.executable, "-c", MANY, str(tmp_path)]
    processes = [subprocess.Popen([*command, name], cwd=ROOT) for name in "abc"]
    assert [process.wait(30) for process in processes] == [0, 0, 0]
    lines = (tmp_path / LOG_NAME).read_bytes().splitlines()
    assert len(lines) == len({json.loads(line)["id"] for line in lines}) == 150


def test_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("precious")
    (tmp_path / "state").mkdir()
    os.symlink(tmp_path / "victim", tmp_path / "state" / LOG_NAME)
    with pytest.raises(OSError):
        log_start(tmp_path / "state", LAUNCH)
    assert (tmp_path / "victim").read_text() == "precious"
