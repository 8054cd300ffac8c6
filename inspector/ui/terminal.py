"""Suspends the screen while another program uses the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from textual.app import App


def why_no_handover(app: App[Any]) -> str | None:
    """Returns why the terminal cannot be handed over; None if it can."""
    # Private to Textual: `suspend` raises only after the screen is gone.
    driver = app._driver
    if driver is None or app.is_headless or not driver.can_suspend:
        return "this screen has no terminal to hand over"
    return None


@contextmanager
def suspended(app: App[Any]) -> Iterator[None]:
    """Context manager that suspends the screen. Raises SuspendNotSupported if it cannot.

    Deliveries meanwhile are queued, the newest of each subject.
    """
    pause = getattr(app, "deliveries_paused", None)
    with pause() if pause is not None else nullcontext(), app.suspend():
        yield
