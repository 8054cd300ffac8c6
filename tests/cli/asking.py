"""Asking the command line, here or as a program of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from inspector.cli.main import main

ROOT = Path(__file__).parents[2]


class Answer(NamedTuple):
    """What a command gave."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one document on standard output."""
        return json.loads(self.out)

    @property
    def rows(self) -> list[Any]:
        """The rows on standard output, one a line."""
        return [json.loads(line) for line in self.out.splitlines()]


class Inspector:
    """The command line on a folder, within this process."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.root = root
        self._capsys = capsys

    def __call__(self, *words: str, here: bool = True) -> Answer:
        """Gives a command; `here` adds the folder that is meant."""
        more = ("--in", str(self.root)) if here else ()
        try:
            code = main([*words, *more])
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 1
        found = self._capsys.readouterr()
        return Answer(code, found.out, found.err)


def begin(*words: str, **environment: str) -> subprocess.Popen[str]:
    """The command line as a program of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "inspector", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
    )


def one_sentence(text: str) -> bool:
    """Whether a message is one line of ours, and no traceback."""
    lines = text.splitlines()
    return len(lines) == 1 and lines[0].startswith("inspector: ") and "Traceback" not in text
