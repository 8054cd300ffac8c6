"""What a change draws: counted, because time depends on the machine."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from inspector.derive.tree import CHUNK
from inspector.model.status import Status
from inspector.model.step import StepKind
from inspector.query.view import RunView
from tests.ui.run import pictured
from tests.ui.run.fakes import COMPLETED, RUNNING, Part, RunFeed, run_of, table_of, view_of
from tests.ui.run.screens import on_screen, settle, shown, timeline

STATEMENT = StepKind.STATEMENT


def long_run(steps: int, *, done: int = 0) -> list[Part]:
    return [
        Part(STATEMENT, f"step {number}", COMPLETED if number <= done else RUNNING, number, number)
        for number in range(1, steps + 1)
    ]


def feed_over(parts: list[Part]) -> RunFeed:
    return RunFeed(lambda at: view_of(run_of("long"), parts, len(parts)))


async def test_a_second_that_passes_draws_no_row() -> None:
    now = [pictured.NOW]
    async with on_screen(pictured.research_feed(), clock=lambda: now[0]) as (pilot, screen):
        rows = timeline(screen)
        painted = rows.painted
        for _ in range(3):
            now[0] += 1000
            screen._on_second()
            await settle(pilot)
        assert rows.painted == painted


async def test_a_second_that_passes_draws_at_most_the_open_rows_of_a_timed_run() -> None:
    now = [pictured.NOW]
    async with on_screen(pictured.triage_feed(), (160, 50), clock=lambda: now[0]) as (
        pilot,
        screen,
    ):
        rows = timeline(screen)
        painted, lines = rows.painted, shown(screen)
        now[0] += 1000
        screen._on_second()
        await settle(pilot)
        assert rows.painted - painted <= 3
        assert any("13s, open" in line for line in shown(screen))
        changed = [y for y, line in enumerate(shown(screen)) if line != lines[y]]
        assert len(changed) <= 4


async def test_one_step_that_changes_draws_one_row() -> None:
    parts = long_run(60)
    feed = feed_over(parts)
    async with on_screen(feed) as (pilot, screen):
        rows = timeline(screen)
        await pilot.press("k", "k")
        await settle(pilot)
        painted = rows.painted
        parts[55] = replace(parts[55], status=Status.FAILED)
        feed.tell(feed.of(None))
        await settle(pilot)
        assert rows.painted - painted == 1


async def test_a_new_event_leaves_the_bars_of_a_long_run_where_they_are() -> None:
    parts = long_run(1000, done=999)
    feed = feed_over(parts)
    async with on_screen(feed) as (pilot, screen):
        rows = timeline(screen)
        await pilot.press("k")
        await settle(pilot)
        painted = rows.painted
        parts.append(Part(STATEMENT, "step 1001", RUNNING, 1001, 1001))
        feed.tell(feed.of(None))
        await settle(pilot)
        assert rows.painted - painted <= 2


async def test_moving_by_a_line_draws_two_rows() -> None:
    async with on_screen(feed_over(long_run(5000, done=4999))) as (pilot, screen):
        rows = timeline(screen)
        for _ in range(5):
            painted = rows.painted
            await pilot.press("k")
            await pilot.pause()
            assert rows.painted - painted <= 2


async def test_a_very_long_run_is_taken_in_by_portions_and_what_was_shown_stays() -> None:
    steps = 3 * CHUNK
    table = table_of(long_run(40))
    for number in range(41, steps + 1):
        table.add(-1, STATEMENT, f"step {number}", COMPLETED, "completed", number)
    small = view_of(run_of("long"), long_run(40), 40)
    large = replace(
        small,
        steps=table,
        events=steps,
        total_events=steps,
        step_of_event=small.step_of_event[:0] + type(small.step_of_event)("i", range(steps)),
        describe=table.step,
    )
    shown_now: list[RunView] = [small]
    feed = RunFeed(lambda at: shown_now[0])
    async with on_screen(feed) as (pilot, screen):
        rows = timeline(screen)
        assert rows.row_count == 40
        shown_now[0] = large
        turns = 0

        async def count_turns() -> None:
            nonlocal turns
            while rows.row_count == 40:
                turns += 1
                await asyncio.sleep(0)

        counting = asyncio.create_task(count_turns())
        feed.tell(large)
        await asyncio.wait_for(counting, 20)
        assert turns >= 2
        await rows.built()
        await settle(pilot)
        assert rows.row_count == steps


async def test_nothing_is_drawn_for_a_view_that_says_the_same() -> None:
    feed = pictured.research_feed()
    async with on_screen(feed) as (pilot, screen):
        rows = timeline(screen)
        painted, lines = rows.painted, shown(screen)
        feed.tell(pictured.research())
        await settle(pilot)
        assert rows.painted == painted
        assert shown(screen) == lines


async def test_while_nothing_changes_nothing_goes_to_the_terminal() -> None:
    now = [pictured.NOW]
    async with on_screen(pictured.research_feed(), clock=lambda: now[0]) as (pilot, screen):
        await settle(pilot)
        written: list[object] = []
        pilot.app._display = lambda *given: written.append(given)  # type: ignore[method-assign]
        for _ in range(3):
            now[0] += 1000
            screen._on_second()
            await settle(pilot)
        assert not written


async def test_a_second_of_a_timed_run_writes_a_line_of_the_detail_and_no_more() -> None:
    now = [pictured.NOW]
    async with on_screen(pictured.triage_feed(), (160, 50), clock=lambda: now[0]) as (
        pilot,
        screen,
    ):
        await settle(pilot)
        updates: list[object] = []
        detail = screen.query_one("#detail")
        refresh = detail.refresh

        def counted(*regions: object, **given: object) -> object:
            updates.extend(regions)
            return refresh(*regions, **given)  # type: ignore[arg-type]

        detail.refresh = counted  # type: ignore[method-assign,assignment]
        now[0] += 1000
        screen._on_second()
        await settle(pilot)
        assert len(updates) == 1
