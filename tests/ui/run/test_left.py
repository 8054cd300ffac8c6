"""What was left is let go: neither a screen nor what it showed is kept."""

from __future__ import annotations

import asyncio
import gc
import weakref

from tests.ui.run import pictured
from tests.ui.run.screens import app_over, open_run, settle

TIMES = 6
LATEST = 2


def test_a_run_that_was_left_is_let_go_with_all_its_widgets() -> None:
    async def look() -> list[int]:
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
            gc.collect()
            return [sum(ref() is not None for ref in refs) for refs in left]

    # What was left last may still be in the hands of what left it, or of a message under way.
    kept = asyncio.run(look())
    assert kept[:-LATEST] == [0] * (TIMES - LATEST)
