"""Run folders without a database, as they lie on disk, and what our commands say of them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from inspector.cli.main import main
from inspector.query.openprose.logs.folder import record_of
from inspector.query.openprose.logs.run_reader import LogRun
from inspector.query.openprose.logs.store_reader import LogStore
from inspector.query.openprose.view import RunLocation

RUN = "20260404-090000-5e5e05"
LONG_AGO = 1_700_000_000_000
"""When every file of a built folder was written, UTC ms."""
NOW = LONG_AGO + 60_000


def build(root: Path, log: str | None, files: Mapping[str, str | bytes] | None = None, *,
          name: str = "vm.log.md", run: str = RUN) -> Path:  # fmt: skip
    """A run folder below `root/runs` with a log and other files, all written long ago."""
    folder = root / "runs" / run
    folder.mkdir(parents=True)
    if log is not None:
        (folder / name).write_bytes(log.encode("utf-8", "surrogatepass"))
    for path, content in (files or {}).items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
    settle(folder)
    return folder


def settle(folder: Path, at: int = LONG_AGO) -> None:
    """Gives everything in a folder, links not followed, the same time of writing (UTC ms)."""
    for holder, folders, files in os.walk(folder, topdown=False):
        for name in (*folders, *files, "."):
            os.utime(os.path.join(holder, name), ns=(at * 10**6, at * 10**6), follow_symlinks=False)


def place_of(folder: Path) -> RunLocation:
    record = record_of(str(folder))
    return RunLocation(str(folder / record) if record else str(folder), str(folder))


def reader(folder: Path, now: int = NOW) -> LogRun:
    """A reader of the run in a folder; the clock stands still."""
    return LogRun(place_of(folder), lambda: now)


def store(folder: Path, now: int = NOW) -> LogStore:
    return LogStore(place_of(folder), lambda: now)


class Answers:
    """What the command line says about one run folder, as JSON."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capsys = folder, capsys
        self.code = 0

    def ask(self, command: str, *words: str) -> Any:
        where = ["--in", str(self.folder), "--json", "--reveal"]
        run = [] if command == "runs" else [str(self.folder)]
        self.code = main([command, *run, *words, *where])
        out = self.capsys.readouterr()
        assert self.code in (0, 1), out.err
        return json.loads(out.out)

    def codes(self) -> list[str]:
        """The codes of the findings."""
        return [one["code"] for one in self.ask("show")["findings"]]


@pytest.fixture
def answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """Builds a run folder and gives the answers about it."""

    def make(
        log: str | None, files: Mapping[str, str | bytes] | None = None, **more: str
    ) -> Answers:
        return Answers(build(tmp_path, log, files, **more), capsys)

    return make
