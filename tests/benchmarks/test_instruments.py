"""What the benchmarks measure with notices what it is there for."""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.place import Manifest, temporary_place
from benchmarks.report import Report, percentile
from benchmarks.runs import LIVE, many
from benchmarks.terminal import Terminal
from benchmarks.witness import Witness
from benchmarks.writers import make_run, text_of, texts_of
from tests.waiting import wait_until

PROGRAM = """
import sys, time
print("\\x1b[?2026$p\\x1b[>1u\\x1b[2J\\x1b[3;5Hthird line", flush=True)
for line in sys.stdin:
    if line == "stop\\n":
        break
    print("\\x1b[1;1Hfirst line", flush=True)
"""


def rewrite_in_place(tree: Path) -> None:
    file = tree / "one/kept"
    before = file.stat()
    with file.open("r+b") as writable:
        writable.write(b"X")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def replace_by_a_copy(tree: Path) -> None:
    file = tree / "one/kept"
    before, content = file.stat(), file.read_bytes()
    (tree / "copy").write_bytes(content)
    (tree / "copy").rename(file)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (rewrite_in_place, "changed: one/kept"),
        (replace_by_a_copy, "changed: one/kept"),
        (lambda tree: (tree / "one/kept").touch(), "changed: one/kept"),
        (lambda tree: (tree / "one/kept").chmod(0o600), "changed: one/kept"),
        (lambda tree: (tree / "one/new").touch(), "created: one/new"),
        (lambda tree: (tree / "one/kept").unlink(), "removed: one/kept"),
    ],
)
def test_a_manifest_notices(tmp_path: Path, change: Callable[[Path], None], told: str) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one/kept").write_bytes(b"content")
    before = Manifest.of(tmp_path)
    assert before.differences(Manifest.of(tmp_path)) == []
    change(tmp_path)
    assert told in before.differences(Manifest.of(tmp_path))


def test_a_witness_sees_what_is_gone_a_moment_later(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    with Witness(tmp_path) as witness:
        (tmp_path / "run/state.db-shm").touch()
        (tmp_path / "run/state.db-shm").unlink()
        wait_until(witness.appeared)
        assert witness.appeared() == {"run/state.db-shm"}


def test_a_terminal_shows_what_a_person_sees() -> None:
    with temporary_place() as place:
        environment = place.environment
        with Terminal([sys.executable, "-u", "-c", PROGRAM], environment) as terminal:
            assert terminal.wait_for("third line", 10)
            assert terminal.screen()[2].rstrip() == "    third line"
            assert "p" not in terminal.screen()[0], "questions to the terminal are not text"
            before = time.monotonic_ns()
            terminal.press("more\r")
            assert terminal.wait_for("first line", 10)
            shown = terminal.first_ns("first line")
            assert shown is not None and before < shown < time.monotonic_ns()
            assert terminal.screen()[0].startswith("first line")
            assert terminal.quit("stop\r") == 0
            assert terminal.cpu_seconds() == 0, "it has ended"


def test_a_missed_time_fails_nothing_and_a_missed_count_does() -> None:
    report = Report("some", short=True)
    report.add("slow", 2.0, "s", kind="time", bar=1.0)
    assert not report.violated
    report.add("lost", 1, bar=0)
    assert report.violated


def test_percentiles() -> None:
    values = [float(value) for value in range(100, 0, -1)]
    assert percentile(values, 0.5) == 50.5
    assert percentile(values, 0.95) == 95
    assert percentile([7.0], 0.95) == 7.0


def test_many_runs_are_well_formed_databases(tmp_path: Path) -> None:
    names = many(tmp_path, 3, tmp_path / "scratch")
    assert len(set(names)) == 3
    for name in names:
        texts = texts_of(tmp_path / "runs" / name / "state.db", tmp_path)
        assert texts == [text_of(number) for number in range(1, 31)]
    live = make_run(tmp_path / LIVE, "wal", 2)
    assert texts_of(live, tmp_path) == [text_of(1), text_of(2)]
