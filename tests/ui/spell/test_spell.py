"""Comparison of state and provenance, and the tabs of a cross-chain run."""

from __future__ import annotations

from datetime import UTC
from pathlib import Path

import pytest

from inspector.config.settings import Asset
from inspector.ui.glyphs import FULL
from inspector.ui.screens.run.screen import RunScreen
from inspector.ui.screens.runs.preview import status_text
from inspector.ui.spell.comparison import ComparedRow, ComparisonList, RunComparison
from tests.query.grimoire.building import Book
from tests.ui.spell.screens import NOW, StoreFeed, on_screen, settle, shown
from tests.ui.spell.stores import HUGE, crossing, provenance, states

HOSTILE = "[red]\x1b[31mX\nY\u202e"


def row_of(lines: list[str], name: str) -> list[str]:
    return next(line for line in lines if name in line).replace("▌", "").split()


async def test_state_is_compared_with_that_of_the_previous_run(tmp_path: Path) -> None:
    async with on_screen(states(tmp_path), "state", "S/r2") as pilot:
        lines = shown(pilot.app)
        assert any("kept from run to run" in line for line in lines)
        expected = "against r1, the run before   1 changed, 1 added, 1 removed"
        assert any(expected in line for line in lines)
        assert row_of(lines, "≠ n")[:4] == ["≠", "n", "1", "2"]
        assert row_of(lines, "gone") == ["≠", "gone", "5", "–", "–"]
        assert row_of(lines, "keep") == ["≠", "keep", "–", "1", "1"]
        assert row_of(lines, "late") == ["late", "–", "–", "x"]


async def test_the_cursor_starts_on_the_first_difference(tmp_path: Path) -> None:
    comparison = comparison_of_names(50, changed=40)
    async with on_screen(states(tmp_path), "state", "S/r2") as pilot:
        names = pilot.app.screen.query_one(ComparisonList)
        names._comparison = None
        names.show(comparison)
        await settle(pilot)
        assert names.cursor == 40
        assert 40 in names.visible_rows
        names.move_to(3)
        names.show(comparison_of_names(50, changed=41))
        assert names.cursor == 3


def comparison_of_names(count: int, *, changed: int) -> RunComparison:
    words = ("changed" if at == changed else "same" for at in range(count))
    rows = (ComparedRow(f"n{at}", word, "1", "2", None, False, {}) for at, word in enumerate(words))
    return RunComparison("", "r1", tuple(rows), (), False)


async def test_h_and_l_choose_the_run_to_compare_with(tmp_path: Path) -> None:
    async with on_screen(states(tmp_path), "state", "S/r2") as pilot:
        await pilot.press("h")
        await settle(pilot)
        assert any("against r0, chosen" in line for line in shown(pilot.app))
        await pilot.press("h")
        assert any("This is the oldest run of this spell." in line for line in shown(pilot.app))
        await pilot.press("l")
        await settle(pilot)
        assert any("against r1, chosen" in line for line in shown(pilot.app))


async def test_large_integers_keep_every_digit(tmp_path: Path) -> None:
    async with on_screen(states(tmp_path), "state", "S/r2") as pilot:
        await pilot.press("tab", "G")
        await settle(pilot)
        assert str(HUGE)[:-1] in "".join("".join(line.split()) for line in shown(pilot.app))


async def test_the_first_run_is_not_compared(tmp_path: Path) -> None:
    async with on_screen(states(tmp_path), "state", "S/r0") as pilot:
        lines = shown(pilot.app)
        assert any("This is the first recorded run of the spell" in line for line in lines)
        assert not any("≠" in line for line in lines)


async def test_stale_sources_are_marked_and_secrets_masked(tmp_path: Path) -> None:
    old = {"path": "params.rate", "snapshot_age_sec": 4000, "stale": True, "venue": "aave"}
    book = Book().run("S", "r0", provenance=provenance({"path": "params.gone"}))
    given = provenance(old, rpc_url="http://10.0.0.5:8545", resolved_params={"v": "0xfeed"})
    book.run("S", "r1", provenance=given).save(tmp_path / "grimoire.db")
    async with on_screen(tmp_path / "grimoire.db", "provenance", "S/r1") as pilot:
        lines = shown(pilot.app)
        assert row_of(lines, "params.rate") == [
            "▲",
            "params.rate",
            "–",
            "aave",
            "4,000",
            "s",
            "old",
        ]
        assert row_of(lines, "params.gone")[:2] == ["≠", "params.gone"]
        text = "\n".join(lines)
        assert "10.0.0.5" not in text and "0xfeed" not in text
        assert "masked: rpc address" in text and "masked: parameter" in text


async def test_an_unreadable_state_is_reported(tmp_path: Path) -> None:
    book = Book().run("S", "r0", final_state="{").run("S", "r1", final_state='{"a": 1}')
    async with on_screen(book.save(tmp_path / "grimoire.db"), "state", "S/r1") as pilot:
        lines = shown(pilot.app)
        assert any("The final state of r0 cannot be read" in line for line in lines)
        assert any(
            line.split()[-3:] == ["a", "–", "1"] or line.split()[-4:] == ["a", "–", "1", "–"]
            for line in lines
        )


async def test_tracks_show_their_status_and_an_outdated_summary(tmp_path: Path) -> None:
    async with on_screen(crossing(tmp_path, "settled"), "tracks", "Src/r1") as pilot:
        lines = shown(pilot.app)
        assert row_of(lines, " destination  ")[:5] == [
            "✓",
            "destination",
            "Dst",
            "8453",
            "completed",
        ]
        text = " ".join(" ".join(lines).split())
        assert "out of date: destination waiting → completed" in text


async def test_enter_on_a_track_goes_to_its_own_run(tmp_path: Path) -> None:
    async with on_screen(crossing(tmp_path), "tracks", "Src/r1") as pilot:
        await pilot.press("enter")
        await settle(pilot)
        assert any("This is the run of that track." in line for line in shown(pilot.app))
        await pilot.press("j", "enter")
        await settle(pilot)
        front = pilot.app.screen
        assert isinstance(front, RunScreen) and front.run_shown.session == "Dst"


async def test_a_track_whose_run_is_not_recorded(tmp_path: Path) -> None:
    book = Book().run("Src", "r1").track("r1", "source", "Src", "completed")
    book.track("r1", "destination", HOSTILE, "failed", error=HOSTILE)
    async with on_screen(book.save(tmp_path / "g.db"), "tracks", "Src/r1") as pilot:
        await pilot.press("j", "enter")
        lines = shown(pilot.app)
        assert any("No run of that spell is recorded" in line for line in lines)
        assert not any("\x1b" in line or "\u202e" in line for line in lines)
        assert any("[red]" in line for line in lines)


async def test_a_handoff_has_its_age_and_its_expiry(tmp_path: Path) -> None:
    path = crossing(tmp_path, expires_at="2026-11-29T22:30:00Z")
    async with on_screen(path, "handoffs", "Src/r1", assets={"USDC": Asset(6, "USD")}) as pilot:
        lines = shown(pilot.app)
        row = row_of(lines, "0.3 USD")
        assert row[:5] == ["◆", "bridge", "0.3", "USD", "submitted"]
        assert row[-1] == "22:30"
        text = " ".join(" ".join(lines).split())
        assert "ago; expires" in text


async def test_results_are_a_tab(tmp_path: Path) -> None:
    async with on_screen(crossing(tmp_path), "steps", "Src/r1") as pilot:
        row = row_of(shown(pilot.app), "0xabc")
        assert row[:4] == ["✓", "source", "bridge", "confirmed"]


@pytest.mark.parametrize("part", ["state", "provenance", "tracks", "handoffs", "steps"])
@pytest.mark.parametrize("size", [(20, 6), (40, 15), (60, 18), (80, 24), (160, 50)])
async def test_it_fits_every_size(part: str, size: tuple[int, int], tmp_path: Path) -> None:
    async with on_screen(crossing(tmp_path, asset=HOSTILE), part, "Src/r1", size) as pilot:
        await pilot.press("j", "h", "l", "tab", "y")
        for line in pilot.app.screen._compositor.render_strips():
            assert line.cell_length == size[0]


async def test_a_track_in_the_timeline_is_a_lane_and_leads_to_its_run(tmp_path: Path) -> None:
    async with on_screen(crossing(tmp_path), "timeline", "Src/r1") as pilot:
        front = pilot.app.screen
        assert isinstance(front, RunScreen)
        timeline = front.timeline_pane.timeline
        assert timeline.view is not None
        labels = [timeline.view.steps.label[n] for n in range(len(timeline.view.steps))]
        timeline.go_to(next(n for n, one in enumerate(labels) if one.startswith("destination")))
        await settle(pilot)
        assert any("destination: Dst on chain 8453" in line for line in shown(pilot.app))
        await pilot.press("enter")
        await settle(pilot)
        front = pilot.app.screen
        assert isinstance(front, RunScreen) and front.run_shown.session == "Dst"


def test_the_list_says_that_grimoire_writes_only_at_the_end(tmp_path: Path) -> None:
    feed = StoreFeed(crossing(tmp_path))
    try:
        said = {
            run.session: status_text(run, NOW, UTC, FULL).sentence for run in feed.listed.values()
        }
    finally:
        feed.close()
    assert "Grimoire writes a run only when it is over" in said["Dst"]
    assert "only when it is over" not in said["Src"]
