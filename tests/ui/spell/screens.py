"""A run of a real store in front, one of its tabs open."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from textual.pilot import Pilot

from inspector.config.settings import Asset, Settings
from inspector.live.feed import Overview, Subscription, Unavailable
from inspector.model.clock import parse_now
from inspector.model.run import Run
from inspector.query.grimoire.store_reader import GrimoireStore
from inspector.query.run_reader import RunReader
from inspector.ui.app import InspectorApp
from inspector.ui.screens.run.screen import RunScreen
from tests.ui.fakes import FakeFeed
from tests.ui.waiting import settle as settle
from tests.ui.waiting import shown as shown
from tests.ui.waiting import wait_for as wait_for

NOW = parse_now("2026-11-29T21:00:00Z")
T = TypeVar("T")


class StoreFeed(FakeFeed):
    """A feed over one store, read in the thread that asks."""

    def __init__(self, path: Path) -> None:
        self.store = GrimoireStore(str(path), lambda: NOW)
        store, runs = self.store.summarize()
        super().__init__(Overview((store,), tuple(runs), NOW))
        self.listed: Mapping[str, Run] = {run.key: run for run in runs}
        self.opened: dict[str, RunReader] = {}

    def reader(self, key: str) -> RunReader:
        """The reader of a run, kept open."""
        if key not in self.opened:
            self.opened[key] = self.store.open(self.listed[key])
        return self.opened[key]

    def follow(self, subscriptions: Any) -> None:
        one: Subscription
        for one in subscriptions:
            if self._deliver is not None:
                self._deliver(self.reader(one.key).refresh())

    def ask(
        self,
        key: str,
        question: Callable[[RunReader], T],
        answer: Callable[[T | Unavailable], None],
    ) -> None:
        answer(question(self.reader(key)))

    def close(self) -> None:
        """Lets go of the store."""
        for reader in self.opened.values():
            reader.close()
        self.store.close()


def app_over(feed: StoreFeed, assets: Mapping[str, Asset] | None = None) -> InspectorApp:
    settings = Settings("dark", "auto", "utc", assets=assets or {})
    return InspectorApp(feed, settings, lambda: NOW, "~/spells")


async def open_part(pilot: Pilot[Any], part: str, run: Run) -> RunScreen:
    screen = RunScreen(pilot.app.feed, run)  # type: ignore[attr-defined]
    pilot.app.push_screen(screen)
    await settle(pilot)
    assert screen.tabs.open_part(part) is not None
    await settle(pilot)
    return screen


@asynccontextmanager
async def on_screen(
    path: Path,
    part: str,
    name: str,
    size: tuple[int, int] = (120, 36),
    assets: Mapping[str, Asset] | None = None,
) -> AsyncIterator[Pilot[None]]:
    """The part of the run whose key ends with a name."""
    feed = StoreFeed(path)
    run = next(run for key, run in feed.listed.items() if key.endswith(name))
    try:
        app = app_over(feed, assets)
        async with app.run_test(size=size) as pilot:
            await settle(pilot)
            await open_part(pilot, part, run)
            yield pilot
    finally:
        feed.close()
