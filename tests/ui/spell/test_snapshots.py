"""State, provenance and the tabs of a cross-chain run, as they look."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.ui.spell.screens import StoreFeed, app_over, open_part, settle
from tests.ui.spell.stores import crossing, sources, states

Compare = Callable[..., bool]
SIZES = [(40, 15), (80, 24), (120, 36)]
MADE = {"state": states, "provenance": sources, "handoffs": crossing, "tracks": crossing}


def by_size(size: tuple[int, int]) -> str:
    return "x".join(map(str, size))


@pytest.fixture
def feeds() -> Iterator[list[StoreFeed]]:
    made: list[StoreFeed] = []
    yield made
    for feed in made:
        feed.close()


@pytest.mark.parametrize("part", list(MADE))
@pytest.mark.parametrize("size", SIZES, ids=by_size)
def test_tab(
    snap_compare: Compare, part: str, size: tuple[int, int], tmp_path: Path, feeds: list[StoreFeed]
) -> None:
    feeds.append(StoreFeed(MADE[part](tmp_path)))
    run = list(feeds[0].listed.values())[0 if part in ("state", "provenance") else -1]

    async def opened(pilot: Pilot[Any]) -> None:
        await settle(pilot)
        await open_part(pilot, part, run)

    assert snap_compare(app_over(feeds[0]), terminal_size=size, run_before=opened)
