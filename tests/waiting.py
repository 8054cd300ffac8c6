"""Waiting for a condition with a deadline, instead of sleeping for a fixed time."""

import time
from collections.abc import Callable
from typing import TypeVar

PATIENCE = 20.0
"""Seconds; generous, because it only matters to a test that fails."""

Found = TypeVar("Found")


def wait_until(condition: Callable[[], Found | None], seconds: float = PATIENCE) -> Found:
    """Polls a condition and returns its first true value; fails after the deadline."""
    end = time.monotonic() + seconds
    while True:
        found = condition()
        if found:
            return found
        assert time.monotonic() < end, f"not within {seconds:g} s"
        time.sleep(0.01)


def becomes_true(condition: Callable[[], object], seconds: float = PATIENCE) -> bool:
    """Polls a condition; returns whether it became true before the deadline."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True
