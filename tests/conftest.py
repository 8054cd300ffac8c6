"""Fixtures of every test: a private home, a known zone and clock, and the cases."""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.case_archives import VARIABLE, Cases, cases_from_environment

# The time of one example means nothing on a busy machine.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

HOMES = {
    "HOME": "home",
    "XDG_CONFIG_HOME": "home/.config",
    "XDG_CACHE_HOME": "home/.cache",
    "XDG_DATA_HOME": "home/.local/share",
    "XDG_STATE_HOME": "home/.local/state",
    "XDG_RUNTIME_DIR": "run",
}

# Preferences that a developer may have set for their own terminal.
PREFERENCES = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "COLORTERM", "SSH_CONNECTION", "SSH_TTY")


@pytest.fixture(autouse=True)
def hermetic(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """Hides the user's own runs, settings and preferences; returns the root of the private home."""
    root = tmp_path_factory.mktemp("user")
    for variable, place in HOMES.items():
        (root / place).mkdir(parents=True, exist_ok=True)
        monkeypatch.setenv(variable, str(root / place))
    (root / "run").chmod(0o700)
    ours = [name for name in os.environ if name.startswith("INSPECTOR_") and name != VARIABLE]
    for variable in (*ours, *PREFERENCES):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield root
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def set_now(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Stops the clock at an instant (RFC 3339 or UTC ms), here and in child processes."""
    return lambda instant: monkeypatch.setenv("INSPECTOR_NOW", instant)


@pytest.fixture(scope="session")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Cases:
    """Real runs with known answers; the workers of one test run unpack them once."""
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent
    return cases_from_environment(base / "cases")
