"""A run that takes long to be read: its end is there at once, and says that it is only that."""

from __future__ import annotations

from dataclasses import replace

import pytest

from inspector.live.feed import Reading
from inspector.model.status import Status
from inspector.model.step import StepKind
from inspector.query.view import RunView
from tests.ui.fakes import FakeStep, run, view
from tests.ui.run.fakes import FakeReader, RunFeed
from tests.ui.run.screens import on_screen, settle, shown, timeline

RUN = replace(run("one"), order_only=True, complete=True)


def statements(first: int, last: int) -> RunView:
    """Statements with these numbers, one event each."""
    steps = [
        FakeStep(StepKind.STATEMENT, f"session {number}", Status.COMPLETED, event, event)
        for event, number in enumerate(range(first, last + 1), 1)
    ]
    return view(RUN, steps, len(steps))


PART = replace(statements(971, 1000), partial=True)
WHOLE = statements(1, 1000)


class PartFeed(RunFeed):
    """Shows the end until it is told to go on."""

    def __init__(self) -> None:
        self.view = PART
        super().__init__(lambda at: self.view, FakeReader(lambda at: self.view))


@pytest.mark.parametrize("size", [(40, 15), (80, 24), (160, 50)])
async def test_it_says_what_is_there_and_how_far_the_rest_is(size: tuple[int, int]) -> None:
    feed = PartFeed()
    async with on_screen(feed, size) as (pilot, screen):
        feed.tell(Reading(feed.key, 431, 1000))
        await settle(pilot)
        lines = shown(screen)
        assert "reading 43 %" in lines[0]
        assert any("newest 30 events" in line for line in lines)
        assert any("session 1000" in line for line in lines)
        assert not any("of 30" in line for line in lines), "numbers that are not the run's"


async def test_the_whole_takes_its_place_under_the_cursor() -> None:
    feed = PartFeed()
    async with on_screen(feed) as (pilot, screen):
        await pilot.press("k", "k", "k")
        await settle(pilot)
        assert timeline(screen).step == 26
        feed.view = WHOLE
        feed.tell(WHOLE)
        await settle(pilot)
        assert timeline(screen).step == 996
        lines = shown(screen)
        assert "reading" not in lines[0]
        assert any("event 1,000 of 1,000" in line for line in lines)


async def test_nothing_is_asked_about_the_end_by_itself() -> None:
    feed = PartFeed()
    asked = feed.reader.asked
    async with on_screen(feed) as (pilot, screen):
        await pilot.press("k", "[", "{", "space")
        await settle(pilot)
        assert asked == []
        assert feed.subscriptions[-1][0].at is None
        assert "Still loading" in "\n".join(shown(screen))


async def test_of_another_run_it_says_nothing() -> None:
    feed = PartFeed()
    async with on_screen(feed) as (pilot, screen):
        feed.tell(Reading("openprose:/another#run", 431, 1000))
        await settle(pilot)
        assert "43 %" not in shown(screen)[0]
