"""Which part of a tab has the keys is seen, and told in the footer."""

from __future__ import annotations

from dataclasses import replace

from inspector.ui.palette import DARK, Role
from inspector.ui.panes.events import EventsPane
from tests.ui.run import pictured
from tests.ui.run.screens import on_screen, settle, shown


async def test_the_part_that_has_the_keys_shows_it_and_the_footer_says_what_they_do() -> None:
    async with on_screen(pictured.research_feed()) as (pilot, screen):
        await pilot.press("2")
        await settle(pilot)
        content = screen.query_one("#values-pane ContentView")
        at = content.region.y + 1
        assert shown(screen)[at].startswith("    question")
        assert "scroll" not in shown(screen)[-1]
        await pilot.press("tab")
        await settle(pilot)
        strip = screen._compositor.render_strips()[at]
        assert strip.text.startswith("│   question")
        edge = next(iter(strip)).style
        assert edge is not None and edge.color is not None
        assert edge.color.name == DARK.inks[Role.ACCENT]
        assert shown(screen)[-1].startswith("  j k scroll")
        await pilot.press("tab")
        await settle(pilot)
        assert shown(screen)[at].startswith("    question")


async def test_the_footer_offers_no_other_form_and_no_fold_where_there_is_none() -> None:
    async with on_screen(pictured.research_feed(), (160, 40)) as (pilot, screen):
        await pilot.press("g")
        await settle(pilot)
        assert "enter fold" not in shown(screen)[-1]
        await pilot.press("j")
        await settle(pilot)
        assert "enter fold" in shown(screen)[-1]
        await pilot.press("2")
        await settle(pilot)
        assert "m raw" not in shown(screen)[-1]
        await pilot.press(*"jjjjjj")
        await settle(pilot)
        assert "m raw" in shown(screen)[-1]
        await pilot.press("m")
        await settle(pilot)
        await pilot.press("k", "j")
        await settle(pilot)
        assert "m formatted" in shown(screen)[-1]


async def test_what_was_said_of_one_row_goes_with_the_next_move() -> None:
    async with on_screen(pictured.research_feed()) as (pilot, screen):
        await pilot.press("2", *"jjjjjj", "m")
        await settle(pilot)
        assert "Showing " in shown(screen)[-1]
        await pilot.press("j")
        await settle(pilot)
        assert "Showing " not in shown(screen)[-1]


async def test_a_log_has_lines_where_a_database_has_rows() -> None:
    async with on_screen(pictured.research_feed()) as (pilot, screen):
        pane = screen.tabs.open_part("raw")
        await settle(pilot)
        await settle(pilot)
        assert isinstance(pane, EventsPane)
        assert pane._unit == "row"
        pane.run = replace(pane.run, store=replace(pane.run.store, variant="log-v1"))
        pane._render_detail()
        await settle(pilot)
        assert any("   line " in line for line in shown(screen))
