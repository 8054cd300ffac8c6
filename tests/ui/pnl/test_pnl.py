"""What people rely on: every digit, both halves, what cannot be known, and a screen that holds."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.config.settings import Asset
from inspector.query.pnl import PendingHandoff, PnlWarning, Unread
from inspector.query.progress import Progress
from inspector.ui.pnl.body import LIMIT
from inspector.ui.pnl.chart import scale_of, window_of
from inspector.ui.pnl.figures import in_cells, in_groups, on_a_bar
from inspector.ui.pnl.screen import PnlScreen
from inspector.ui.screens.run.screen import RunScreen
from tests.ui.pnl.screens import on_screen, open_tab, settle, shown
from tests.ui.pnl.sessions import (
    BIG,
    SessionReader,
    app_over,
    asset,
    enormous,
    feed_over,
    hundred,
    run_part,
    session,
    spell_run,
    stepped,
    treasury,
)
from tests.ui.waiting import wait_for

AMOUNTS = st.integers(-(10**90), 10**90)


def line_with(lines: Sequence[str], text: str) -> str:
    return next(line for line in lines if text in line)


async def test_both_halves_stand_side_by_side_with_every_digit() -> None:
    async with on_screen(treasury()) as pilot:
        words = line_with(shown(pilot.app), "12,400,000,000").split()
        assert words[1:] == [
            *("USDC", "12,400,000,000", "12,000,000,000", "1,250,000", "0", "398,750,000", "0"),
            *("11,250,000", "1"),
        ]
        words = line_with(shown(pilot.app), "gas").split()
        assert words == ["gas", *"––––––", "-245,201", "2"]


async def test_it_asks_for_a_hundred_runs_and_says_so() -> None:
    feed = feed_over(treasury())
    async with on_screen(treasury(), feed=feed) as pilot:
        assert isinstance(feed.reader, SessionReader)
        assert feed.reader.limits == [LIMIT] == [100]
        assert any("newest 100 runs at most" in line for line in shown(pilot.app))


async def test_what_misleads_is_said_also_where_it_has_no_room_on_a_line() -> None:
    async with on_screen(treasury(), (80, 50)) as pilot:
        text = " ".join(" ".join(shown(pilot.app)).split())
        assert "▲ Includes 8 of 12 runs that failed," in text
        assert "were simulated or only partly sent" in text
        assert "unexplained 12 DAI in 1 move: unknown reason (step:swap:dust)" in text


@pytest.mark.parametrize("width", [120, 80, 40])
async def test_a_value_beyond_256_bits_is_there_to_its_last_digit(width: int) -> None:
    async with on_screen(enormous(), (width, 60)) as pilot:
        text = "".join("".join(line.split()) for line in shown(pilot.app))
        assert "realised,confirmed" in text
        assert f"credits{BIG:,}" in text
        assert f"debits{BIG:,}" in text
        assert f"WETH{BIG:,}" in text
        assert f"-{10**20:,}" in text or f"net-{10**20:,}" in text


async def test_where_halves_do_not_fit_beside_what_was_confirmed_stands_below() -> None:
    async with on_screen(treasury(), (40, 40)) as pilot:
        lines = shown(pilot.app)
        below = lines[lines.index(" realised, confirmed") + 1 :]
        assert [line.split() for line in below[:3]] == [
            ["USDC", "11,250,000", "in", "1", "run"],
            ["DAI", "-104,500", "in", "1", "run"],
            ["gas", "-245,201", "in", "2", "runs"],
        ]


async def test_decimals_and_symbols_come_only_from_the_settings() -> None:
    one = session([asset("WETH", 10**18, 0, 0, 0, 10**18, 0), asset("DAI", 5, 0, 0, 0, 5, 0)])
    async with on_screen(one, assets={"WETH": Asset(18, "Ether")}) as pilot:
        lines = shown(pilot.app)
        assert line_with(lines, "Ether").split()[1:3] == ["Ether", "1"]
        assert line_with(lines, "DAI").split()[:2] == ["DAI", "5"]
    async with on_screen(one) as pilot:
        assert line_with(shown(pilot.app), "WETH").split()[2] == "1,000,000,000,000,000,000"


async def test_the_chart_is_of_the_asset_under_the_cursor() -> None:
    async with on_screen(treasury()) as pilot:
        assert any("net per run, USDC" in line for line in shown(pilot.app))
        await pilot.press("j", "j")
        lines = shown(pilot.app)
        assert any("net per run, DAI" in line for line in lines)
        assert line_with(lines, "-104.5k").split() == ["-104.5k"]
        await pilot.press("j")
        assert any("gas per run, units" in line for line in shown(pilot.app))


async def test_a_run_without_an_amount_is_a_sign_and_not_zero() -> None:
    runs = [run_part(1, {"USDC": 5}), run_part(2, {}), run_part(3, {}, success=True)]
    async with on_screen(session([asset("USDC", 5, 0, 0, 0, 5, 0)], runs)) as pilot:
        lines = shown(pilot.app)
        zero = line_with(lines, "0 ──")
        assert zero.count("✗") == 1 and zero.count("–") == 1
        assert any("✗ failed before moving funds, no amount" in line for line in lines)
        assert any("– not moved" in line for line in lines)


async def test_runs_are_marked_one_by_one_and_opened() -> None:
    async with on_screen(treasury()) as pilot:
        assert "run 11 " in line_with(shown(pilot.app), "+83,750,000")
        await pilot.press("h", "h")
        assert "run 9 " in line_with(shown(pilot.app), "+66,000,000")
        await pilot.press("enter")
        await settle(pilot)
        front = pilot.app.screen
        assert isinstance(front, RunScreen) and front.run_shown.run_id == spell_run(9).run_id


async def test_no_runs_are_a_sentence_and_nothing_breaks() -> None:
    async with on_screen(session()) as pilot:
        await pilot.press("j", "h", "l", "enter", "y", "tab", "T")
        lines = shown(pilot.app)
        assert any("nothing to add up" in line for line in lines)
        assert any("0 runs" in line for line in lines)


async def test_one_failed_run_that_moved_nothing() -> None:
    async with on_screen(session([], [run_part(6, {})])) as pilot:
        lines = shown(pilot.app)
        assert any("1 run   ✓ 0   ✗ 1" in line for line in lines)
        assert any("No run moved any funds." in line for line in lines)


async def test_a_store_that_cannot_be_read_is_said_and_read_again_later() -> None:
    feed = feed_over(treasury())
    feed.busy = True
    async with on_screen(treasury(), feed=feed) as pilot:
        assert any("locked by its writer" in line for line in shown(pilot.app))
        feed.busy = False
        front = pilot.app.screen
        assert isinstance(front, PnlScreen)
        front.body.read()
        await settle(pilot)
        assert any("398,750,000" in line for line in shown(pilot.app))
        feed.busy = True
        front.body.read()
        await settle(pilot)
        lines = shown(pilot.app)
        assert any("locked by its writer" in line for line in lines)
        assert any("398,750,000" in line for line in lines)


async def test_hostile_names_cannot_style_or_break_lines() -> None:
    evil = "[red]\x1b[31mX\nY\u202e"
    told = session(
        [asset(evil, 1, 0, 0, 0, 1, 0), asset(None, 2, 0, 0, 0, 2, 0)],
        [run_part(1, {evil: 1})],
        warnings=[PnlWarning("double_booked", 1, evil, evil, 3)],
        unreadable=[Unread(evil, "ledger", evil)],
    )
    async with on_screen(told) as pilot:
        text = "\n".join(shown(pilot.app))
        assert "\x1b" not in text and "\u202e" not in text
        assert "[red]" in text and "undefined" in text and "left out" in text


async def test_the_tab_shows_the_same_and_its_keys_work() -> None:
    app = app_over(feed_over(treasury()))
    async with app.run_test(size=(120, 36)) as pilot:
        await open_tab(pilot)
        assert "run 11 " in line_with(shown(app), "+83,750,000")
        await pilot.press("h", "h")
        assert "run 9 " in line_with(shown(app), "+66,000,000")
        await pilot.press("enter")
        await settle(pilot)
        front = app.screen
        assert isinstance(front, RunScreen) and front.run_shown.run_id == spell_run(9).run_id


async def test_it_is_reached_from_the_list_and_back() -> None:
    app = app_over(feed_over(treasury()))
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        await pilot.press("$")
        await settle(pilot)
        assert isinstance(app.screen, PnlScreen)
        await pilot.press("escape")
        await settle(pilot)
        assert not isinstance(app.screen, PnlScreen)


@pytest.mark.parametrize("size", [(20, 5), (30, 8), (59, 14), (60, 20), (110, 30), (200, 60)])
async def test_it_fits_every_size(size: tuple[int, int]) -> None:
    for told in (treasury(), enormous(), hundred(), session()):
        async with on_screen(told, size) as pilot:
            await pilot.press("j", "h")
            for line in pilot.app.screen._compositor.render_strips():
                assert line.cell_length == size[0]


@given(st.lists(AMOUNTS, max_size=120), st.integers(2, 40))
def test_bars_keep_to_their_rows_and_to_one_scale(amounts: list[int], rows: int) -> None:
    scale = scale_of(amounts, rows)
    assert scale.up + scale.down <= rows
    ordered = sorted(amounts, key=abs)
    heights = [scale.half_cells(amount) for amount in ordered]
    assert heights == sorted(heights)
    for amount in amounts:
        high = scale.half_cells(amount)
        assert (high > 0) == (amount != 0)
        assert high <= 2 * (scale.up if amount > 0 else scale.down) or not amount


@given(st.integers(1, 300), st.integers(1, 12), st.integers(1, 200), st.data())
def test_the_marked_run_is_always_among_those_shown(
    runs: int, longest: int, room: int, data: st.DataObject
) -> None:
    cursor = data.draw(st.integers(0, runs - 1))
    window = window_of(runs, longest, room, cursor)
    assert 0 <= window.first <= cursor < window.first + window.count <= runs
    assert window.slot > longest


@given(st.integers(-(10**90), 10**90).filter(bool), st.integers(0, 30))
def test_a_number_at_a_bar_is_short_and_has_its_sign(number: int, decimals: int) -> None:
    text = on_a_bar(number, decimals)
    assert len(text) <= 8
    assert text[0] == ("-" if number < 0 else "+")


@given(AMOUNTS, st.integers(1, 40))
def test_groups_lose_no_digit(number: int, cells: int) -> None:
    lines = in_groups(f"{number:,}", cells)
    assert "".join(lines) == f"{number:,}"
    assert all(len(line) <= cells for line in lines)


def test_a_number_without_room_says_how_long_it_is() -> None:
    assert in_cells("12,345", 6) == "12,345"
    assert in_cells(f"-{BIG:,}", 12) == "-78 digits"


async def test_what_was_realised_stands_in_bars_of_its_own() -> None:
    async with on_screen(stepped()) as pilot:
        await pilot.press("n")
        lines = shown(pilot.app)
        assert any("realised per run, USDC" in line for line in lines)
        assert any("+5M" in line for line in lines) and not any("+7M" in line for line in lines)
        assert any("nothing realised" in line for line in lines)
        await pilot.press("n")
        lines = shown(pilot.app)
        assert any("realised so far, USDC" in line for line in lines)
        assert any("+5M" in line for line in lines) and any("+3M" in line for line in lines)


@pytest.mark.parametrize("width", [120, 60, 40])
async def test_sums_by_step_say_what_became_of_each(width: int) -> None:
    async with on_screen(stepped(), (width, 50), assets={"USDC": Asset(6)}) as pilot:
        await pilot.press("n", "n", "n")
        text = " ".join(" ".join(shown(pilot.app)).split())
        assert "by step, USDC" in text
        assert "swap" in text and "simulated +7" in text and "not sent" not in text
        if width >= 120:
            words = line_with(shown(pilot.app), "swap").split()
            assert words[:6] == ["swap", "3", "10", "3", "0.000009", "0.000004"]
        else:
            assert "net 10" in text and "realised 3" in text and "fees 0.000009" in text
        await pilot.press("n")
        assert any("net per run, USDC" in line for line in shown(pilot.app))


async def test_the_marked_run_says_what_became_of_it() -> None:
    async with on_screen(stepped()) as pilot:
        await pilot.press("l", "l")
        assert "realised -2,000,000" in line_with(shown(pilot.app), "run 3 ")
        await pilot.press("h", "h")
        told = line_with(shown(pilot.app), "run 1 ")
        assert "simulated +7,000,000" in told and "realised –" in told


async def test_base_units_are_a_key_away() -> None:
    async with on_screen(stepped(), assets={"USDC": Asset(6)}) as pilot:
        assert line_with(shown(pilot.app), "USDC  ").split()[1:3] == ["USDC", "12"]
        await pilot.press("b")
        assert line_with(shown(pilot.app), "USDC  ").split()[2] == "12,000,000"
        await pilot.press("b")
        assert line_with(shown(pilot.app), "USDC  ").split()[2] == "12"
    async with on_screen(stepped()) as pilot:
        await pilot.press("b")
        assert any("Decimals unknown." in line for line in shown(pilot.app))


async def test_a_handoff_under_way_and_a_warning_are_in_the_same_units() -> None:
    shown_session = stepped(
        pending=[
            PendingHandoff("r9", "submitted", "USDC", "500000000", {}),
            PendingHandoff("r8", "planned", "USDC", "some\x1b[2J", {}),
        ],
        warnings=[PnlWarning("double_booked", 1, "swap", "USDC", 2_500_000)],
    )
    async with on_screen(shown_session, (120, 50), assets={"USDC": Asset(6)}) as pilot:
        text = "\n".join(shown(pilot.app))
        assert "submitted, not realised: 500 USDC in run r9" in text
        assert "swap books 2.5 USDC twice" in text
        assert "\x1b" not in text


async def test_a_long_reading_says_how_far_it_is_and_escape_ends_it() -> None:
    """The reader is another thread's: here it is one that never comes to an end by itself."""
    feed = feed_over(treasury())
    reading = threading.Thread(target=lambda: None)
    ended = threading.Event()

    def ask(key: str, question: Any, answer: Any) -> None:
        def work() -> None:
            answer(question(feed.reader))
            ended.set()

        nonlocal reading
        reading = threading.Thread(target=work)
        reading.start()

    def endless(tell: Progress) -> None:
        while True:
            tell(12_000_000, 300_000_000)
            time.sleep(0.005)

    assert isinstance(feed.reader, SessionReader)
    feed.reader.while_reading = endless
    feed.ask = ask  # type: ignore[method-assign]
    async with on_screen(treasury(), feed=feed) as pilot:
        await wait_for(pilot, lambda: "12 MB of" in "\n".join(shown(pilot.app)))
        told = line_with(shown(pilot.app), "Adding up")
        assert "12 MB of 300 MB" in told and "Esc cancel" in told
        await pilot.press("escape")
        await settle(pilot)
        assert not isinstance(pilot.app.screen, PnlScreen)
        assert ended.wait(10)
    reading.join()


async def test_a_reading_that_was_stopped_in_the_tab_is_begun_again() -> None:
    app = app_over(feed_over(treasury()))
    async with app.run_test(size=(120, 36)) as pilot:
        kept: list[Any] = []
        app.feed.ask = lambda key, question, answer: kept.append(answer)  # type: ignore[method-assign]
        await open_tab(pilot)
        await pilot.press("escape")
        await settle(pilot)
        assert isinstance(app.screen, RunScreen)
        assert any("Cancelled. Enter retry" in one for one in shown(app))
        asked = len(kept)
        await pilot.press("enter")
        assert len(kept) == asked + 1
