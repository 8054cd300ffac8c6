"""Keys that come before a tab has anything to show are performed when it has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from textual.events import Key

from inspector.live.feed import Subscription
from inspector.query.view import RunView
from inspector.ui.keymap import all_keys
from inspector.ui.panes.values import ValuesList
from inspector.ui.screens.run import tab_host
from inspector.ui.screens.run.early_keys import MAX_KEYS, EarlyKeys
from tests.ui.run import pictured
from tests.ui.run.fakes import RunFeed
from tests.ui.run.screens import on_screen, settle, shown, timeline


@pytest.fixture(autouse=True)
def long_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys are never sent because of a slow machine."""
    monkeypatch.setattr(tab_host, "WAIT", 600.0)


class SlowFeed(RunFeed):
    """Answers when told to."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.put_off: list[Callable[[], None]] = []

    def ask(self, key: str, question: Any, answer: Any) -> None:
        self.put_off.append(lambda: super(SlowFeed, self).ask(key, question, answer))

    def answer(self) -> None:
        waiting, self.put_off = self.put_off, []
        for one in waiting:
            one()


def slow() -> SlowFeed:
    feed = pictured.research_feed()
    feed.__class__ = SlowFeed
    assert isinstance(feed, SlowFeed)
    feed.put_off = []
    return feed


async def test_the_last_row_is_gone_to_once_there_are_rows() -> None:
    feed = slow()
    async with on_screen(feed) as (pilot, screen):
        await pilot.press("2", "G", "k")
        await settle(pilot)
        feed.answer()
        await settle(pilot)
        await settle(pilot)
        values = screen.query_one(ValuesList)
        assert values.cursor == values.row_count - 2


async def test_looking_for_a_failure_does_not_leave_the_tab_that_is_being_opened() -> None:
    feed = slow()
    async with on_screen(feed) as (pilot, screen):
        step = timeline(screen).step
        await pilot.press("2", "f")
        await settle(pilot)
        assert screen.pane.id == "values-pane"
        assert timeline(screen).step == step


async def test_another_tab_is_opened_at_once_and_forgets_them() -> None:
    feed = slow()
    async with on_screen(feed) as (pilot, screen):
        before = timeline(screen).cursor
        await pilot.press("2", "g", "1")
        await settle(pilot)
        feed.answer()
        await settle(pilot)
        assert screen.pane is screen.timeline_pane
        assert timeline(screen).cursor == before


class SilentFeed(RunFeed):
    """Publishes no view of the run until `publish_view`."""

    silent = True

    def follow(self, subscriptions: Sequence[Subscription]) -> None:
        if not self.silent:
            super().follow(subscriptions)

    def publish_view(self, view: RunView) -> None:
        self.silent = False
        self.tell(view)


def silent() -> SilentFeed:
    feed = pictured.research_feed()
    feed.__class__ = SilentFeed
    assert isinstance(feed, SilentFeed)
    return feed


async def test_a_tab_chosen_before_the_first_view_opens_with_it() -> None:
    feed = silent()
    async with on_screen(feed) as (pilot, screen):
        await pilot.press("2", "G")
        await settle(pilot)
        assert screen.pane is screen.timeline_pane
        assert shown(screen)[-1].strip() == "Opening tab 2…"
        feed.publish_view(feed.of(None))
        await settle(pilot)
        await settle(pilot)
        values = screen.query_one(ValuesList)
        assert screen.pane.id == "values-pane"
        assert values.cursor == values.row_count - 1


async def test_the_last_tab_chosen_before_the_first_view_counts() -> None:
    feed = silent()
    async with on_screen(feed) as (pilot, screen):
        await pilot.press("2", "7")
        feed.publish_view(feed.of(None))
        await settle(pilot)
        assert screen.pane.id == "events-pane"


async def test_a_tab_that_the_newest_events_lack_opens_when_the_run_is_loaded() -> None:
    feed = silent()
    async with on_screen(feed) as (pilot, screen):
        view = feed.of(None)
        feed.publish_view(replace(view, partial=True, tabs=view.tabs[:1]))
        await settle(pilot)
        await pilot.press("2")
        await settle(pilot)
        assert screen.pane is screen.timeline_pane
        feed.publish_view(view)
        await settle(pilot)
        assert screen.pane.id == "values-pane"


async def test_a_tab_that_the_run_lacks_is_refused_with_the_first_view() -> None:
    feed = silent()
    async with on_screen(feed) as (pilot, screen):
        await pilot.press("9")
        feed.publish_view(feed.of(None))
        await settle(pilot)
        assert screen.pane is screen.timeline_pane
        assert shown(screen)[-1].strip() == "There is no tab 9: this run has 7."


async def test_a_tab_that_there_is_not_is_told() -> None:
    async with on_screen(pictured.research_feed()) as (pilot, screen):
        await pilot.press("9")
        await pilot.pause()
        assert shown(screen)[-1].strip() == "There is no tab 9: this run has 7."


def test_only_so_many_are_kept_in_their_order() -> None:
    early, keys = EarlyKeys(), all_keys()
    early.begin()
    assert not early.keeps(Key("y", "y"), keys)
    pressed = [Key("slash", "/"), *(Key(one, one) for one in "findings")]
    assert all(early.keeps(one, keys) for one in pressed)
    assert [one.character for one in early.end()] == list("/findings")[:MAX_KEYS]
    assert not early.keeps(Key("j", "j"), keys)
