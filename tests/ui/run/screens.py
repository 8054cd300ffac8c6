"""Inspector with the screen of a run in front, and what stands on it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from textual.pilot import Pilot

from inspector.config.settings import Settings
from inspector.live.feed import Overview
from inspector.model.run import Run
from inspector.ui.app import InspectorApp
from inspector.ui.panes.timeline_list import Timeline
from inspector.ui.screens.run.screen import RunScreen
from tests.ui.run import pictured
from tests.ui.run.fakes import RunFeed
from tests.ui.waiting import settle as settle
from tests.ui.waiting import wait_for as wait_for


def app_over(
    feed: RunFeed,
    *,
    theme: str = "dark",
    ascii: str = "auto",
    clock: Callable[[], int] = lambda: pictured.NOW,
    zone: str = pictured.ZONE,
) -> InspectorApp:
    """The application over a feed with one run, at the instant of the pictures."""
    view = feed.of(None)
    feed.overview = Overview((view.run.store,), (view.run,), view.as_of)
    return InspectorApp(feed, Settings(theme, ascii, zone), clock, "~/work/research")


def open_run(app: InspectorApp) -> RunScreen:
    """Opens the only run that there is."""
    feed = app.feed
    assert isinstance(feed, RunFeed)
    screen = RunScreen(feed, feed.of(None).run)
    app.push_screen(screen)
    return screen


@asynccontextmanager
async def on_screen(
    feed: RunFeed, size: tuple[int, int] = (120, 36), **given: object
) -> AsyncIterator[tuple[Pilot[None], RunScreen]]:
    """A pilot with the run's screen in front."""
    app = app_over(feed, **given)  # type: ignore[arg-type]
    async with app.run_test(size=size) as pilot:
        screen = open_run(app)
        await settle(pilot)
        yield pilot, screen


def timeline(screen: RunScreen) -> Timeline:
    return screen.query_one(Timeline)


def shown(screen: RunScreen) -> list[str]:
    """The lines on the screen, without what is empty at their ends."""
    return [strip.text.rstrip() for strip in screen._compositor.render_strips()]


def run_in(feed: RunFeed) -> Run:
    return feed.of(None).run
