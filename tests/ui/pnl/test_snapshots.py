"""Profit and loss beside the picture that it is measured against."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from inspector.config.settings import Asset
from tests.ui.pnl.screens import open_screen, open_tab
from tests.ui.pnl.sessions import (
    app_over,
    enormous,
    feed_over,
    hundred,
    run_part,
    session,
    stepped,
    treasury,
)

Compare = Callable[..., bool]
SIZES = [(40, 15), (80, 24), (120, 36)]


def by_size(size: tuple[int, int]) -> str:
    return "x".join(map(str, size))


@pytest.mark.parametrize("size", SIZES, ids=by_size)
def test_screen(snap_compare: Compare, size: tuple[int, int]) -> None:
    app = app_over(feed_over(treasury()))
    assert snap_compare(app, terminal_size=size, run_before=open_screen)


@pytest.mark.parametrize("theme", ["light", "cb-dark", "terminal"])
def test_other_themes(snap_compare: Compare, theme: str) -> None:
    app = app_over(feed_over(treasury()), theme=theme)
    assert snap_compare(app, terminal_size=(120, 36), run_before=open_screen)


def test_ascii_without_colour(snap_compare: Compare, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = app_over(feed_over(treasury()), ascii="always")
    assert snap_compare(app, terminal_size=(120, 36), run_before=open_screen)


@pytest.mark.parametrize("size", SIZES, ids=by_size)
def test_tab(snap_compare: Compare, size: tuple[int, int]) -> None:
    app = app_over(feed_over(treasury()))
    assert snap_compare(app, terminal_size=size, run_before=open_tab)


def test_no_runs(snap_compare: Compare) -> None:
    app = app_over(feed_over(session()))
    assert snap_compare(app, terminal_size=(120, 36), run_before=open_screen)


def test_one_failed_run(snap_compare: Compare) -> None:
    app = app_over(feed_over(session([], [run_part(6, {})])))
    assert snap_compare(app, terminal_size=(120, 36), run_before=open_screen)


@pytest.mark.parametrize("size", SIZES, ids=by_size)
def test_beyond_256_bits(snap_compare: Compare, size: tuple[int, int]) -> None:
    app = app_over(feed_over(enormous()))
    assert snap_compare(app, terminal_size=size, run_before=open_screen)


def test_a_hundred_runs_with_decimals(snap_compare: Compare) -> None:
    app = app_over(feed_over(hundred()), assets={"WETH": Asset(18, "Ether")})
    assert snap_compare(app, terminal_size=(120, 36), run_before=open_screen)


@pytest.mark.parametrize("view", ["realised", "so far", "by step"])
@pytest.mark.parametrize("size", SIZES, ids=by_size)
def test_other_views(snap_compare: Compare, size: tuple[int, int], view: str) -> None:
    async def turned(pilot: Pilot[Any]) -> None:
        await open_screen(pilot)
        for _ in range(("realised", "so far", "by step").index(view) + 1):
            await pilot.press("n")

    app = app_over(feed_over(stepped()), assets={"USDC": Asset(6)})
    assert snap_compare(app, terminal_size=size, run_before=turned)
