"""Travelling through the events of a run: it looks different, and it always leads back."""

from __future__ import annotations

from inspector.live.feed import Subscription
from tests.ui.run import pictured
from tests.ui.run.screens import on_screen, settle, shown, timeline
from tests.ui.waiting import wait_for


async def test_travelling_shows_the_run_as_its_record_stood_then() -> None:
    async with on_screen(pictured.research_feed()) as (pilot, screen):
        await pilot.press(*(["["] * 22))
        await settle(pilot)
        lines = shown(screen)
        assert "travelling   now is 14:32:07" in lines[0]
        assert "at event 16 of 38" in lines[3]
        assert "the tab of values, agents, receipts and findings are as of now" in lines[3]
        assert not any("[2]" in line or "fact-checker" in line for line in lines)
        assert any("event 16 of 38   travelling" in line for line in lines)
        assert "return to now" in lines[-1]
        assert "running at event 16" in "\n".join(lines)


async def test_the_cursor_is_on_the_step_of_the_event_and_returns_to_its_own() -> None:
    async with on_screen(pictured.research_feed()) as (pilot, screen):
        await pilot.press(*(["["] * 22))
        await settle(pilot)
        assert timeline(screen).step == 6
        await pilot.press(".")
        await settle(pilot)
        assert timeline(screen).step == pictured.FACT_CHECKER
        assert "as of 14:32:07" in shown(screen)[0]


async def test_braces_go_from_step_to_step_and_brackets_forward_again() -> None:
    feed = pictured.research_feed()
    async with on_screen(feed) as (pilot, screen):
        seen = []
        for key in ("{", "{", "{", "]", "}"):
            await pilot.press(key)
            await settle(pilot)
            seen.append(screen.playback.event)
        assert seen[:3] == [33, 30, 27]
        assert seen[3:] == [28, 30]


async def test_going_forward_to_the_newest_event_follows_again() -> None:
    feed = pictured.research_feed()
    async with on_screen(feed) as (pilot, screen):
        await pilot.press("[", "[", "]")
        await settle(pilot)
        assert feed.subscriptions[-1] == (Subscription(feed.key, 37),)
        await pilot.press("]")
        await settle(pilot)
        assert feed.subscriptions[-1] == (Subscription(feed.key),)
        assert "following" in "\n".join(shown(screen))


async def test_escape_ends_travelling_before_it_leaves_the_run() -> None:
    async with on_screen(pictured.research_feed()) as (pilot, screen):
        await pilot.press("[", "escape")
        await settle(pilot)
        assert screen.is_current
        assert screen.playback.at is None
        await pilot.press("escape")
        await settle(pilot)
        assert not screen.is_current


async def test_playing_goes_on_event_by_event_until_now() -> None:
    async with on_screen(pictured.research_feed()) as (pilot, screen):
        await pilot.press("[", "[", "[")
        await settle(pilot)
        await pilot.press("space")
        await wait_for(pilot, lambda: screen.playback.at is None)


async def test_a_view_that_was_asked_for_earlier_is_not_shown() -> None:
    feed = pictured.research_feed()
    async with on_screen(feed) as (pilot, screen):
        await pilot.press("[", "[")
        await settle(pilot)
        feed.tell(pictured.research(20))
        await settle(pilot)
        assert screen.playback.shown is not None
        assert screen.playback.shown.events == 36
        feed.tell(pictured.research())
        await settle(pilot)
        assert screen.playback.shown.events == 36


async def test_end_leads_back_to_now_as_well() -> None:
    async with on_screen(pictured.research_feed()) as (pilot, screen):
        await pilot.press("[", "[", "end")
        await settle(pilot)
        assert screen.playback.at is None
        assert "following" in "\n".join(shown(screen))


async def test_before_the_first_event_there_is_nothing() -> None:
    async with on_screen(pictured.research_feed()) as (pilot, screen):
        for _ in range(40):
            await pilot.press("[")
        await settle(pilot)
        assert screen.playback.event == 0
        assert timeline(screen).row_count == 0
        assert "event 0 of 38" in "\n".join(shown(screen))
        await pilot.press("j", "enter", "h", "l", "f", "y", "w", "1", ".")
        await settle(pilot)
        assert timeline(screen).row_count == 12


async def test_a_click_on_the_scrubber_travels_there() -> None:
    async with on_screen(pictured.research_feed()) as (pilot, screen):
        await pilot.click("#scrubber", offset=(44 + 15, 1))
        await settle(pilot)
        assert screen.playback.event == 16


async def test_times_are_travelled_like_orders() -> None:
    async with on_screen(pictured.triage_feed(), (160, 50)) as (pilot, screen):
        await pilot.press(*(["["] * 20))
        await settle(pilot)
        lines = shown(screen)
        assert "at event 41 of 61" in lines[3]
        assert any("segment 2" in line for line in lines)
        assert not any("refund" in line for line in lines[9:-2])
