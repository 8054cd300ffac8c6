"""Waiting for the screen: until it is idle, or until it shows something."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from textual.app import App
from textual.message_pump import MessagePump
from textual.pilot import Pilot
from textual.worker import WorkerState

from tests.waiting import PATIENCE

SOON = 0.3
"""Seconds; later timers, which take down a message for example, are not waited for."""
SETTLED = 5.0
"""Seconds after which a screen that is never idle counts as settled."""
HELD_BACK = 1.0
"""Seconds; a worker that runs longer awaits an answer that a test holds back."""
MOST_REPEATS = 3
"""A timer that starts itself again more often polls for an answer that a test holds back."""

Found = TypeVar("Found")


async def settle(pilot: Pilot[Any]) -> None:
    """Waits until no message is queued, no worker runs and no short timer is pending.

    So everything has happened that waits for the cursor to rest.
    """
    await pilot.pause()
    started = Counter[tuple[int, str]]()
    seen: set[int] = set()
    workers: dict[int, float] = {}
    end = time.monotonic() + SETTLED
    idle = 0
    while idle < 3 and time.monotonic() < end:
        await asyncio.sleep(0.005)
        busy = has_workers(pilot.app, workers) or is_busy(pilot.app, started, seen)
        idle = 0 if busy else idle + 1
    await pilot.pause()


async def wait_for(
    pilot: Pilot[Any], condition: Callable[[], Found | None], seconds: float = PATIENCE
) -> Found:
    """Waits until a condition is true and returns its value; fails after the deadline."""
    end = time.monotonic() + seconds
    while True:
        await pilot.pause()
        found = condition()
        if found:
            return found
        assert time.monotonic() < end, "\n".join(shown(pilot.app))
        await asyncio.sleep(0.01)


def shown(app: App[Any]) -> list[str]:
    """The lines on the screen, without trailing blanks."""
    return [strip.text.rstrip() for strip in app.screen._compositor.render_strips()]


def has_workers(app: App[Any], since: dict[int, float]) -> bool:
    """Whether a worker runs that is not held back; `since` keeps when each was first seen."""
    now = time.monotonic()
    running = (
        one for one in app.workers if one.state in (WorkerState.PENDING, WorkerState.RUNNING)
    )
    return any(now - since.setdefault(id(one), now) < HELD_BACK for one in running)


def is_busy(app: App[Any], started: Counter[tuple[int, str]], seen: set[int]) -> bool:
    """Whether something is still to happen; counts the timers it sees."""
    busy = False
    for pump in pumps(app):
        if pump.message_queue_size or pump._next_callbacks:
            busy = True
        for timer in list(pump._timers):
            task = timer._task
            if timer._repeat is None or timer._interval > SOON or task is None or task.done():
                continue
            call = (id(pump), getattr(timer._callback, "__qualname__", str(timer._callback)))
            if id(timer) not in seen:
                seen.add(id(timer))
                started[call] += 1
            busy = busy or started[call] <= MOST_REPEATS
    return busy


def pumps(app: App[Any]) -> Iterator[MessagePump]:
    yield app
    for screen in app.screen_stack:
        yield screen
        yield from screen.walk_children()
