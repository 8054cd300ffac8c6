"""Inspector over a fake feed, and what stands on its screen."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from inspector.config.settings import Asset, Settings
from inspector.live.feed import Feed, Overview
from inspector.query.view import RunView
from inspector.ui.app import InspectorApp
from inspector.ui.screens.runs.screen import RunsScreen
from tests.ui import pictured
from tests.ui.fakes import FakeFeed
from tests.ui.waiting import settle as settle
from tests.ui.waiting import shown as shown
from tests.ui.waiting import wait_for as wait_for


def inspector(
    overview: Overview | None = None,
    *views: RunView,
    theme: str = "dark",
    ascii: str = "auto",
    keys: Mapping[str, tuple[str, ...]] | None = None,
    clock: Callable[[], int] = lambda: pictured.NOW,
    demonstration: Callable[[], tuple[Feed, str]] | None = None,
    folder: Callable[[str], tuple[Feed, str]] | None = None,
) -> InspectorApp:
    """The application at the instant of the pictures, over what the pictures show."""
    return InspectorApp(
        FakeFeed(overview or pictured.overview(), *(views or (pictured.audit_view(),))),
        Settings(theme, ascii, keys=keys or {}, assets={"USDC": Asset(6)}),
        clock,
        pictured.SCOPE,
        demonstration=demonstration,
        folder=folder,
    )


def feed_of(app: InspectorApp) -> FakeFeed:
    assert isinstance(app.feed, FakeFeed)
    return app.feed


def runs_screen(app: InspectorApp) -> RunsScreen:
    found = [screen for screen in app.screen_stack if isinstance(screen, RunsScreen)]
    return found[0]
