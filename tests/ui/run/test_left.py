"""Screens that were left are garbage: neither they nor their widgets are kept."""

from __future__ import annotations

import asyncio
import gc
import weakref

from tests.ui.run import pictured
from tests.ui.run.screens import app_over, open_run, settle, wait_for

TIMES = 6
LATEST = 2


def test_screens_that_were_left_are_released_with_all_widgets() -> None:
    async def leave_screens() -> None:
        app = app_over(pictured.research_feed())
        left: list[list[weakref.ref[object]]] = []
        async with app.run_test(size=(120, 36)) as pilot:
            await settle(pilot)
            for _ in range(TIMES):
                screen = open_run(app)
                await settle(pilot)
                left.append([weakref.ref(one) for one in (screen, *screen.walk_children())])
                del screen
                await pilot.press("escape")
                await settle(pilot)
            # A queued message may still reference the screens that were left last.
            await wait_for(pilot, lambda: not alive(left[:-LATEST]))

    asyncio.run(leave_screens())


def alive(groups: list[list[weakref.ref[object]]]) -> int:
    gc.collect()
    return sum(ref() is not None for refs in groups for ref in refs)
