"""What is done about a run from its own screen: it is always this very run."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.ui.pnl.screen import PnlScreen
from inspector.ui.screens.resume.screen import ResumeScreen
from inspector.ui.screens.run.screen import RunScreen
from tests.ui.pnl.sessions import app_over, feed_over, treasury
from tests.ui.run import pictured
from tests.ui.run.fakes import RunFeed
from tests.ui.run.screens import on_screen, settle, shown


async def test_r_opens_the_dialog_about_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    feed = pictured.research_feed()
    async with on_screen(feed) as (pilot, screen):
        assert isinstance(screen, RunScreen)
        await pilot.press("r")
        await settle(pilot)
        front = pilot.app.screen
        assert isinstance(front, ResumeScreen)
        assert front._run.key == feed.key


async def test_dollar_opens_profit_and_loss_of_a_spell() -> None:
    app = app_over(feed_over(treasury()))
    async with app.run_test(size=(120, 36)) as pilot:
        feed = app.feed
        assert isinstance(feed, RunFeed)
        await app.push_screen(RunScreen(feed, feed.of(None).run))
        await settle(pilot)
        await pilot.press("$")
        await settle(pilot)
        front = pilot.app.screen
        assert isinstance(front, PnlScreen) and front.subject.key == feed.key


async def test_dollar_says_why_other_runs_have_none() -> None:
    async with on_screen(pictured.research_feed()) as (pilot, screen):
        await pilot.press("$")
        await settle(pilot)
        assert pilot.app.screen is screen
        assert "P&L is only available for Grimoire" in "\n".join(shown(screen))
