"""Run folders are read at a time that is known."""

from collections.abc import Callable

import pytest

from tests.query.openprose.logs.folders import NOW


@pytest.fixture(autouse=True)
def known_time(request: pytest.FixtureRequest, set_now: Callable[[str], None]) -> None:
    """Stops the clock a minute after everything was written."""
    set_now(str(NOW))
