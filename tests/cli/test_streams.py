"""Commands whose output goes nowhere, or whose text is as long as a book."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import inspector
from inspector.cli.output import write_table

FULL = Path("/dev/full")


def ended(folder: Path, redirection: str) -> tuple[int, str]:
    """Exit code and standard error of `inspector doctor` with a redirection of the shell."""
    line = f'"{sys.executable}" -m inspector doctor --in . {redirection}'
    env = {**os.environ, "PYTHONPATH": str(Path(inspector.__file__).parents[1])}
    done = subprocess.run(
        ["sh", "-c", line], cwd=folder, stderr=subprocess.PIPE, text=True, env=env
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize("redirection", [">&-", "<&- >/dev/null", ">&- <&-"])
def test_a_closed_stream_is_an_empty_one(tmp_path: Path, redirection: str) -> None:
    assert ended(tmp_path, redirection) == (0, "")


@pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")
def test_an_answer_that_cannot_be_written_is_told_in_a_sentence(tmp_path: Path) -> None:
    code, said = ended(tmp_path, f">{FULL}")
    assert code == 4
    assert said == "inspector: Cannot write output: No space left on device.\n"


def test_one_long_cell_does_not_widen_the_lines_of_others(
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_table([("NAME", "RUN"), ("x" * 100_000, "one"), ("short", "two")])
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == "x" * 100_000 + "  one"
    assert len(lines[2]) < 200 and lines[2].startswith("short ") and lines[2].endswith("  two")
