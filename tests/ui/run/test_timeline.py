"""The timeline under a person's keys, and while the run goes on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from inspector.live.feed import Overview
from inspector.model.status import Status
from inspector.model.step import Attempt, StepKind
from inspector.model.store import Health
from inspector.query.view import RunView
from tests.ui.run import pictured
from tests.ui.run.fakes import COMPLETED, FAILED, PENDING, RUNNING, Part, RunFeed, run_of, view_of
from tests.ui.run.screens import app_over, on_screen, open_run, settle, shown, timeline

STATEMENT = StepKind.STATEMENT


def statements(count: int, *, first: int = 1, last: Status = RUNNING) -> list[Part]:
    """Statements one after the other, one event each; the last one is under way."""
    parts = [
        Part(STATEMENT, f"step {number}", COMPLETED, number, number)
        for number in range(first, first + count)
    ]
    parts[-1] = replace(parts[-1], status=last)
    return parts


def growing(parts: list[Part], status: Status = RUNNING) -> RunFeed:
    """A feed over a run that is what the list of parts says at the time."""

    def view(at: int | None) -> RunView:
        failures = [part.last for part in parts if part.status is FAILED]
        events = max((part.last for part in parts), default=0)
        return view_of(run_of("long", status=status), parts, events, failures=failures)

    return RunFeed(view)


async def test_it_opens_on_the_failure_with_its_error_beside_it() -> None:
    async with on_screen(pictured.research_feed()) as (_, screen):
        lines = shown(screen)
        cursor = next(line for line in lines if line.startswith("▌"))
        assert "‹b› fact-checker" in cursor
        assert timeline(screen).step == pictured.FACT_CHECKER
        assert any("Connection timeout after 30s" in line for line in lines)
        assert any("2   event 36   timeout" in line for line in lines)


async def test_a_run_without_failure_opens_on_the_live_step() -> None:
    async with on_screen(growing(statements(40))) as (_, screen):
        assert timeline(screen).step == 39


async def test_enter_folds_and_unfolds() -> None:
    async with on_screen(pictured.research_feed()) as (pilot, screen):
        await pilot.press("g", "j", "enter")
        await settle(pilot)
        lines = shown(screen)
        assert any("▸ 2 gather" in line for line in lines)
        assert not any("literature" in line for line in lines)
        await pilot.press("enter")
        await settle(pilot)
        assert any("literature" in line for line in shown(screen))


async def test_h_folds_or_goes_outward_and_l_unfolds_or_goes_inward() -> None:
    async with on_screen(pictured.research_feed()) as (pilot, screen):
        await pilot.press("h")
        assert timeline(screen).step == 16
        await pilot.press("h")
        assert not timeline(screen).index.is_open(16)
        await pilot.press("h")
        assert timeline(screen).step == 5
        await pilot.press("l", "j", "j", "l")
        assert timeline(screen).index.is_open(timeline(screen).step)
        await pilot.press("l")
        assert timeline(screen).row_model(timeline(screen).cursor).label == "‹a› critic"


async def test_f_leads_from_failure_to_failure_and_unfolds_what_hides_it() -> None:
    parts = [
        Part(STATEMENT, "one", COMPLETED, 1, 1),
        Part(StepKind.LOOP, "loop", RUNNING, 2, 9),
        Part(StepKind.ITERATION, "", COMPLETED, 2, 4, 1, 1),
        Part(STATEMENT, "inside", FAILED, 3, 3, 2),
        Part(STATEMENT, "beside", COMPLETED, 4, 4, 2),
        Part(StepKind.ITERATION, "", RUNNING, 5, 9, 1, 2),
        Part(STATEMENT, "later", FAILED, 6, 6, 5),
        Part(STATEMENT, "last", RUNNING, 9, 9, 5),
    ]
    async with on_screen(growing(parts)) as (pilot, screen):
        assert timeline(screen).step == 6
        await pilot.press("f")
        assert timeline(screen).step == 3
        await pilot.press("h", "h", "G")
        assert not timeline(screen).index.is_open(2)
        await pilot.press("F", "F")
        assert timeline(screen).step == 3
        await settle(pilot)
        assert any(line.startswith("▌ ✗") and "inside" in line for line in shown(screen))


async def test_f_says_when_there_is_no_failure_or_no_other() -> None:
    async with on_screen(growing(statements(3))) as (pilot, screen):
        await pilot.press("f")
        assert shown(screen)[-1].strip() == "No failures recorded."
    async with on_screen(pictured.research_feed()) as (pilot, screen):
        await pilot.press("f")
        assert shown(screen)[-1].strip() == "No other failures."


async def test_the_cursor_goes_with_the_live_step_only_until_it_is_moved() -> None:
    parts = statements(30)
    feed = growing(parts)
    async with on_screen(feed) as (pilot, screen):
        for number in (31, 32):
            parts[-1] = replace(parts[-1], status=COMPLETED)
            parts.append(Part(STATEMENT, f"step {number}", RUNNING, number, number))
            feed.tell(feed.of(None))
            await settle(pilot)
        assert timeline(screen).step == 31
        await pilot.press("k")
        parts.append(Part(STATEMENT, "step 33", RUNNING, 33, 33))
        feed.tell(feed.of(None))
        await settle(pilot)
        assert timeline(screen).step == 30
        await pilot.press(".")
        assert timeline(screen).step == 32


async def test_the_cursor_keeps_its_step_and_line_when_rows_appear_above() -> None:
    blocks = [
        Part(StepKind.BLOCK, f"block {number}", RUNNING, number, number) for number in range(1, 61)
    ]
    parts = [*blocks, *(Part(STATEMENT, "in", COMPLETED, 61, 61, 0) for _ in range(2))]
    feed = growing(parts)
    async with on_screen(feed) as (pilot, screen):
        rows = timeline(screen)
        rows.go_to(40)
        await settle(pilot)
        line, step = rows.screen_line_of(rows.cursor), rows.step
        parts += [
            Part(STATEMENT, "more", COMPLETED, 62 + number, 62 + number, 0) for number in range(7)
        ]
        feed.tell(feed.of(None))
        await settle(pilot)
        assert (rows.step, rows.screen_line_of(rows.cursor)) == (step, line)
        assert rows.cursor == 40 + 9


async def test_who_scrolled_away_from_the_cursor_stays_where_they_look() -> None:
    parts = statements(100)
    feed = growing(parts)
    async with on_screen(feed) as (pilot, screen):
        rows = timeline(screen)
        rows.on_mouse_scroll_up()
        rows.scroll_to(y=10, animate=False, immediate=True)
        await settle(pilot)
        parts.append(Part(STATEMENT, "step 101", RUNNING, 101, 101))
        feed.tell(feed.of(None))
        await settle(pilot)
        assert rows.top == 10
        assert rows.step == 99


async def test_folds_outlast_growth() -> None:
    parts = [
        Part(StepKind.PARALLEL, "wide", RUNNING, 1, 1),
        *(Part(StepKind.BRANCH, "", PENDING, 0, 0, 0, name) for name in "abc"),
        Part(STATEMENT, "next", RUNNING, 2, 2),
    ]
    feed = growing(parts)
    async with on_screen(feed) as (pilot, screen):
        await pilot.press("g", "enter")
        parts.append(Part(StepKind.BRANCH, "", PENDING, 0, 0, 0, "d"))
        parts.append(Part(STATEMENT, "after", RUNNING, 3, 3))
        feed.tell(feed.of(None))
        await settle(pilot)
        assert not timeline(screen).index.is_open(0)
        assert timeline(screen).row_count == 3


async def test_space_holds_the_screen_still_and_says_what_it_misses() -> None:
    parts = statements(3)
    feed = growing(parts)
    async with on_screen(feed) as (pilot, screen):
        await pilot.press("space")
        parts.append(Part(STATEMENT, "step 4", RUNNING, 4, 4))
        feed.tell(feed.of(None))
        await settle(pilot)
        lines = shown(screen)
        assert not any("step 4" in line for line in lines)
        assert "paused +1" in lines[0]
        await pilot.press("space")
        await settle(pilot)
        assert any("step 4" in line for line in shown(screen))
        assert "paused" not in shown(screen)[0]


async def test_zoom_shows_one_pane_alone() -> None:
    async with on_screen(pictured.research_feed()) as (pilot, screen):
        await pilot.press("z")
        await settle(pilot)
        assert timeline(screen).size.width == 120
        await pilot.press("escape", "tab", "z")
        await settle(pilot)
        assert screen.query_one("#detail").size.width == 120
        assert not any("literature" in line for line in shown(screen))
        await pilot.press("z")
        await settle(pilot)
        assert timeline(screen).size.width == 83


async def test_in_a_narrow_terminal_enter_opens_the_detail_and_escape_leaves_it() -> None:
    async with on_screen(pictured.research_feed(), (40, 15)) as (pilot, screen):
        await pilot.press("enter")
        await settle(pilot)
        assert any("Connection timeout after 30s" in line for line in shown(screen))
        await pilot.press("escape")
        await settle(pilot)
        assert any("▌✗" in line for line in shown(screen))


async def test_why_the_axis_cannot_be_time_is_said() -> None:
    async with on_screen(pictured.research_feed()) as (pilot, screen):
        await pilot.press("o")
        assert "No times recorded" in shown(screen)[-1]


async def test_o_changes_between_time_and_order_and_i_shows_idle_stretches() -> None:
    async with on_screen(pictured.triage_feed(), (160, 50)) as (pilot, screen):
        assert any("idle 7m 36s" in line for line in shown(screen))
        await pilot.press("i")
        await settle(pilot)
        lines = shown(screen)
        assert not any("idle 7m 36s" in line for line in lines)
        assert "cut idle" in lines[-1]
        await pilot.press("o")
        await settle(pilot)
        lines = shown(screen)
        assert not any("duration" in line for line in lines[7:10])
        assert "in the order of events" in lines[2]
        await pilot.press("o", "i")
        await settle(pilot)
        assert any("idle 7m 36s" in line for line in shown(screen))


async def test_the_zone_of_times_can_be_changed() -> None:
    async with on_screen(pictured.triage_feed(), (160, 50)) as (pilot, screen):
        await pilot.press("T")
        await settle(pilot)
        lines = shown(screen)
        assert "times recorded, UTC " in lines[2]
        assert any("13:31:55.204" in line for line in lines)
        assert any("13:23:05" in line for line in lines[7:10])


async def test_the_detail_is_filled_without_waiting_and_says_why_it_cannot_be() -> None:
    feed = pictured.research_feed()
    feed.busy = True
    async with on_screen(feed) as (_, screen):
        lines = shown(screen)
        assert any("2   event 36   timeout" in line for line in lines)
        assert any("The store is locked" in line for line in lines)


async def test_scrolling_through_steps_reads_only_the_one_that_one_stays_on() -> None:
    feed = pictured.research_feed()
    async with on_screen(feed) as (pilot, screen):
        feed.reader.asked.clear()
        for _ in range(4):
            timeline(screen).action_cursor_up()
        await settle(pilot)
        assert [asked for asked in feed.reader.asked if asked.startswith("context")] == [
            f"context {screen.playback.shown.steps.path(6)}"  # type: ignore[union-attr]
        ]


async def test_w_leads_to_the_recorded_row() -> None:
    async with on_screen(pictured.research_feed()) as (pilot, screen):
        await pilot.press("w")
        await settle(pilot)
        await settle(pilot)
        lines = shown(screen)
        assert any(line.startswith("▌    36 ") for line in lines)
        assert any('"id": 36' in line for line in lines)


async def test_tries_with_long_errors_stand_apart_below_a_narrow_timeline() -> None:
    def view(at: int | None) -> RunView:
        made = pictured.research(at)
        made.steps.extra[pictured.FACT_CHECKER].attempts = [
            Attempt(
                number, Status.FAILED, "failed", "the token lacks a scope for that", number, number
            )
            for number in (1, 2)
        ]
        return made

    async with on_screen(RunFeed(view), (80, 24)) as (_, screen):
        line = next(line for line in shown(screen) if "event 1" in line and "event 2" in line)
        assert "…   ✗ 2" in line


@pytest.mark.parametrize("size", [(40, 15), (120, 36)])
async def test_a_detail_that_stands_alone_says_how_to_leave_it(size: tuple[int, int]) -> None:
    async with on_screen(pictured.research_feed(), size) as (pilot, screen):
        await pilot.press(*(("enter",) if size == (40, 15) else ("tab", "z")))
        await settle(pilot)
        assert "esc all steps" in shown(screen)[-1]
        await pilot.press("escape")
        await settle(pilot)
        assert "esc all steps" not in shown(screen)[-1]


async def test_the_help_explains_the_signs_of_the_row() -> None:
    async with on_screen(pictured.research_feed()) as (_, screen):
        meanings = [explained.meaning for explained in screen.explain()]
        assert meanings[0] == "failed"
        assert any("tried" in meaning for meaning in meanings)


async def test_clicking_a_row_moves_the_cursor_and_clicking_it_again_folds() -> None:
    async with on_screen(pictured.research_feed()) as (pilot, screen):
        await pilot.click("#timeline", offset=(10, 2))
        assert timeline(screen).step == 1
        await pilot.click("#timeline", offset=(10, 2))
        assert not timeline(screen).index.is_open(1)


async def test_what_arrives_before_the_screen_stands_is_shown_when_it_does() -> None:
    feed = pictured.research_feed()
    app = app_over(feed)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = open_run(app)
        screen.receive(Overview((), (), 0))
        screen.receive(pictured.research())
        await settle(pilot)
        assert any("fact-checker" in line for line in shown(screen))


async def test_until_a_run_is_read_it_is_told_why_it_cannot_be() -> None:
    feed = pictured.research_feed()
    run = feed.of(None).run
    sick = replace(run, store=replace(run.store, health=Health.BUSY, reason="Locked for 12 s."))
    app = app_over(feed)
    async with app.run_test(size=(120, 36)) as pilot:
        feed._deliver, deliver = None, feed._deliver
        screen = open_run(app)
        await settle(pilot)
        assert "reading" in shown(screen)[0]
        screen.receive(Overview((sick.store,), (sick,), 0))
        await settle(pilot)
        assert any("▲ Locked for 12 s." in line for line in shown(screen))
        feed._deliver = deliver
