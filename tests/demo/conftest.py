"""One demonstration for all tests that only look."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.demo.workspace import DemoWorkspace, create
from tests.demo.made import NOW


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DemoWorkspace]:
    """A demonstration as it is before any writer runs."""
    root: Path = tmp_path_factory.mktemp("demo")
    yield create(str(root), clock=lambda: NOW)
