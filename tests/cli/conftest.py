"""The command line on a folder of the test's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.asking import Inspector


@pytest.fixture
def inspector(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Inspector:
    """Asks within `tmp_path`."""
    return Inspector(tmp_path, capsys)
