"""Readers of runs for tests, closed in the end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.query.openprose import run_reader
from inspector.query.openprose.run_reader import ProseRun
from tests.query.openprose.databases import Opened, reader


@pytest.fixture
def opened() -> Iterator[Opened]:
    """Opens readers and closes them afterwards."""
    readers: list[ProseRun] = []

    def open_one(path: Path) -> ProseRun:
        readers.append(reader(path))
        return readers[-1]

    yield open_one
    for one in readers:
        one.close()


@pytest.fixture(params=["short", "long"])
def length(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A run is read whole when it is short, only its tail when it is long: both must be right."""
    if request.param == "long":
        monkeypatch.setattr(run_reader, "SMALL", 4)
        monkeypatch.setattr(run_reader, "TAIL", 2)
    return str(request.param)
