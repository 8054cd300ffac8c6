"""Any size of terminal, also while it changes and while the run is read."""

from __future__ import annotations

import random

import pytest

from tests.ui.run import pictured
from tests.ui.run.screens import on_screen, settle, shown, timeline


async def test_a_hundred_sizes_while_the_run_is_delivered() -> None:
    chance = random.Random(7)
    feed = pictured.research_feed()
    async with on_screen(feed) as (pilot, screen):
        for number in range(100):
            width, height = chance.choice([(20, 5), (200, 60), (40, 15), (79, 24), (110, 20)])
            await pilot.resize_terminal(width, height)
            if number % 5 == 0:
                feed.tell(pictured.research())
            for line in screen._compositor.render_strips():
                assert line.cell_length == screen._compositor.size.width
        await pilot.resize_terminal(120, 36)
        await settle(pilot)
        assert timeline(screen).step == pictured.FACT_CHECKER
        assert any(line.startswith("▌ ✗") and "fact-checker" in line for line in shown(screen))


@pytest.mark.parametrize("size", [(20, 5), (30, 8), (59, 14), (60, 20), (109, 30), (110, 36)])
@pytest.mark.parametrize("keys", [(), ("2",), ("7",), ("[",), ("enter",), ("z",)])
async def test_every_tab_fits_every_size(size: tuple[int, int], keys: tuple[str, ...]) -> None:
    async with on_screen(pictured.research_feed(), size) as (pilot, screen):
        await pilot.press(*keys)
        await settle(pilot)
        for line in screen._compositor.render_strips():
            assert line.cell_length == size[0]


async def test_the_detail_is_beside_below_or_away() -> None:
    feed = pictured.research_feed()
    async with on_screen(feed) as (pilot, screen):
        places = {}
        for width in (120, 110, 109, 80, 59):
            await pilot.resize_terminal(width, 36)
            await settle(pilot)
            detail = screen.query_one("#detail")
            places[width] = (detail.display, detail.region.x > 0, detail.size.width)
        assert places[120] == (True, True, 37)
        assert places[110][:2] == (True, True)
        assert places[109] == (True, False, 109)
        assert places[80] == (True, False, 80)
        assert places[59][0] is False
