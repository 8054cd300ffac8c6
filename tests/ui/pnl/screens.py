"""Profit and loss in front, as a screen or as a tab."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from textual.pilot import Pilot

from inspector.config.settings import Asset
from inspector.query.pnl import Session
from inspector.ui.pnl.screen import PnlScreen
from inspector.ui.screens.run.screen import RunScreen
from tests.ui.pnl.sessions import app_over, feed_over
from tests.ui.run.fakes import RunFeed
from tests.ui.waiting import settle as settle
from tests.ui.waiting import shown as shown
from tests.ui.waiting import wait_for as wait_for


async def open_screen(pilot: Pilot[Any]) -> None:
    feed = pilot.app.feed  # type: ignore[attr-defined]
    pilot.app.push_screen(PnlScreen(feed, feed.of(None).run))
    await settle(pilot)


async def open_tab(pilot: Pilot[Any]) -> None:
    feed = pilot.app.feed  # type: ignore[attr-defined]
    pilot.app.push_screen(RunScreen(feed, feed.of(None).run))
    await settle(pilot)
    await pilot.press("2")
    await settle(pilot)


@asynccontextmanager
async def on_screen(
    result: Session,
    size: tuple[int, int] = (120, 36),
    *,
    feed: RunFeed | None = None,
    assets: dict[str, Asset] | None = None,
    ascii: str = "auto",
) -> AsyncIterator[Pilot[None]]:
    app = app_over(feed or feed_over(result), assets=assets, ascii=ascii)
    async with app.run_test(size=size) as pilot:
        await open_screen(pilot)
        yield pilot
