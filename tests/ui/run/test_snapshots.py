"""The screen of a run beside the pictures that it is measured against."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.ui.run import pictured
from tests.ui.run.screens import app_over, open_run, settle

Compare = Callable[..., bool]
VALUES = ("2", *"jjjjjj")
BACK = ("[",) * 22


def by_size(size: tuple[int, int]) -> str:
    return "x".join(map(str, size))


def opened(*keys: str) -> Callable[[Any], Any]:
    async def open_and_press(pilot: Any) -> None:
        open_run(pilot.app)
        await settle(pilot)
        await pilot.press(*keys)
        await settle(pilot)
        await settle(pilot)

    return open_and_press


@pytest.mark.parametrize("size", [(40, 15), (80, 24), (120, 36), (160, 50)], ids=by_size)
def test_by_order(snap_compare: Compare, size: tuple[int, int]) -> None:
    app = app_over(pictured.research_feed())
    assert snap_compare(app, terminal_size=size, run_before=opened())


@pytest.mark.parametrize("size", [(40, 15), (80, 24), (120, 36), (160, 50)], ids=by_size)
def test_by_time(snap_compare: Compare, size: tuple[int, int]) -> None:
    app = app_over(pictured.triage_feed())
    assert snap_compare(app, terminal_size=size, run_before=opened())


@pytest.mark.parametrize("theme", ["light", "cb-dark", "terminal"])
def test_in_other_themes(snap_compare: Compare, theme: str) -> None:
    app = app_over(pictured.research_feed(), theme=theme)
    assert snap_compare(app, terminal_size=(120, 36), run_before=opened())


def test_in_ascii_without_colour(snap_compare: Compare, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = app_over(pictured.research_feed(), ascii="always")
    assert snap_compare(app, terminal_size=(120, 36), run_before=opened())


@pytest.mark.parametrize("size", [(40, 15), (80, 24), (120, 36)], ids=by_size)
def test_travelling(snap_compare: Compare, size: tuple[int, int]) -> None:
    app = app_over(pictured.research_feed())
    assert snap_compare(app, terminal_size=size, run_before=opened(*BACK))


def test_travelling_in_the_light(snap_compare: Compare) -> None:
    app = app_over(pictured.research_feed(), theme="light")
    assert snap_compare(app, terminal_size=(120, 36), run_before=opened(*BACK))


@pytest.mark.parametrize("size", [(40, 15), (80, 24), (120, 36)], ids=by_size)
def test_values(snap_compare: Compare, size: tuple[int, int]) -> None:
    app = app_over(pictured.research_feed())
    assert snap_compare(app, terminal_size=size, run_before=opened(*VALUES))


def test_values_in_the_light(snap_compare: Compare) -> None:
    app = app_over(pictured.research_feed(), theme="light")
    assert snap_compare(app, terminal_size=(120, 36), run_before=opened(*VALUES))


def test_recorded_rows(snap_compare: Compare) -> None:
    app = app_over(pictured.research_feed())
    assert snap_compare(app, terminal_size=(120, 36), run_before=opened("w"))
