"""One planted workspace for all tests that only read."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.demo.workspace import DemoWorkspace, create
from tests.demo.made import NOW


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DemoWorkspace]:
    """A workspace before any writer runs."""
    root: Path = tmp_path_factory.mktemp("demo")
    yield create(str(root), clock=lambda: NOW)
