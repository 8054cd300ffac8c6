"""The screens, sign by sign, beside the pictures that they are measured against."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from inspector.ui.app import InspectorApp
from tests.ui import pictured
from tests.ui.screens import inspector
from tests.ui.waiting import settle

Compare = Callable[..., bool]
ON_THE_AUDIT = ("j", "j", "j", "j")


def by_size(size: tuple[int, int]) -> str:
    return "x".join(map(str, size))


async def rested(pilot: Any) -> None:
    await pilot.press(*ON_THE_AUDIT)
    await settle(pilot)


def pressing(*keys: str) -> Callable[[Any], Any]:
    async def press(pilot: Any) -> None:
        await pilot.press(*keys)
        await settle(pilot)

    return press


@pytest.mark.parametrize("size", [(40, 15), (80, 24), (120, 36), (160, 50)], ids=by_size)
def test_runs_dark(snap_compare: Compare, size: tuple[int, int]) -> None:
    assert snap_compare(inspector(), terminal_size=size, run_before=rested)


@pytest.mark.parametrize("theme", ["light", "cb-dark", "cb-light", "terminal"])
def test_runs_in_other_themes(snap_compare: Compare, theme: str) -> None:
    app = inspector(theme=theme)
    assert snap_compare(app, terminal_size=(120, 36), run_before=rested)


@pytest.mark.parametrize("width", [80, 120])
def test_runs_without_colour(
    snap_compare: Compare, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = inspector()
    assert snap_compare(app, terminal_size=(width, 36), run_before=rested)


def test_runs_in_ascii(snap_compare: Compare, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = inspector(ascii="always")
    assert snap_compare(app, terminal_size=(80, 24), run_before=rested)


def test_runs_in_ascii_with_colours(snap_compare: Compare) -> None:
    app = inspector(ascii="always")
    assert snap_compare(app, terminal_size=(120, 36), run_before=rested)


@pytest.mark.parametrize("size", [(40, 15), (120, 36)], ids=by_size)
def test_filter(snap_compare: Compare, size: tuple[int, int]) -> None:
    app = inspector()
    keys = pressing("/", *"audit")
    assert snap_compare(app, terminal_size=size, run_before=keys)


def nothing() -> InspectorApp:
    def never() -> Any:
        raise ValueError("This is only a picture.")

    return inspector(pictured.WELCOME, demonstration=never, folder=lambda _: never())


@pytest.mark.parametrize("size", [(40, 15), (80, 24), (120, 36)], ids=by_size)
def test_nothing(snap_compare: Compare, size: tuple[int, int]) -> None:
    assert snap_compare(nothing(), terminal_size=size, run_before=settle)


@pytest.mark.parametrize("size", [(80, 24), (120, 36)], ids=by_size)
def test_problems(snap_compare: Compare, size: tuple[int, int]) -> None:
    assert snap_compare(inspector(), terminal_size=size, run_before=pressing("!"))


@pytest.mark.parametrize("size", [(80, 24), (120, 36)], ids=by_size)
def test_help(snap_compare: Compare, size: tuple[int, int]) -> None:
    app = inspector()
    keys = pressing(*ON_THE_AUDIT, "?")
    assert snap_compare(app, terminal_size=size, run_before=keys)


def test_palette_of_commands(snap_compare: Compare) -> None:
    assert snap_compare(inspector(), terminal_size=(120, 36), run_before=pressing(":", "s", "o"))
