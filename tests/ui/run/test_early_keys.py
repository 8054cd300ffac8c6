"""Keys that come before a tab has anything to show are performed when it has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual.events import Key

from inspector.ui.keymap import all_keys
from inspector.ui.panes.values import ValuesList
from inspector.ui.screens.run.early_keys import MOST, EarlyKeys
from tests.ui.run import pictured
from tests.ui.run.fakes import RunFeed
from tests.ui.run.screens import on_screen, settle, shown, timeline


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
    assert [one.character for one in early.end()] == list("/findings")[:MOST]
    assert not early.keeps(Key("j", "j"), keys)
