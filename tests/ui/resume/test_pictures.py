"""The dialog sign by sign, beside the picture that it is measured against."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.config.settings import Settings
from inspector.ui.app import InspectorApp
from inspector.ui.screens.resume import screen
from tests.resume.stand_ins import program
from tests.ui import pictured
from tests.ui.resume.fakes import audit_flight, feed_with
from tests.ui.waiting import settle

Compare = Callable[..., bool]


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., InspectorApp]:
    """The application over the run of the picture, in a terminal that can be handed over."""
    folder = Path(os.path.expanduser("~")) / "work" / "audit"
    folder.mkdir(parents=True)
    monkeypatch.setenv("PATH", str(program(tmp_path / "bin", "claude", "true").parent))
    monkeypatch.setattr(screen, "why_no_handover", lambda app: None)

    def make(theme: str = "dark", ascii: str = "auto") -> InspectorApp:
        feed = feed_with(pictured.AUDIT, audit_flight(str(folder)))
        settings = Settings(theme, ascii)
        return InspectorApp(feed, settings, lambda: pictured.NOW, pictured.SCOPE)

    return make


def pressing(*keys: str) -> Callable[[Any], Any]:
    async def press(pilot: Any) -> None:
        await settle(pilot)
        await pilot.press(*ON_THE_AUDIT)
        # The list below the dialog follows the run once the cursor has rested on it.
        await settle(pilot)
        await pilot.press(*keys)
        await settle(pilot)

    return press


ON_THE_AUDIT = ("j", "j", "j", "j")


@pytest.mark.parametrize(
    "size", [(40, 15), (60, 20), (80, 24), (120, 36)], ids="{0[0]}x{0[1]}".format
)
def test_dialog(
    snap_compare: Compare, app: Callable[..., InspectorApp], size: tuple[int, int]
) -> None:
    assert snap_compare(app(), terminal_size=size, run_before=pressing("r"))


def test_dialog_light(snap_compare: Compare, app: Callable[..., InspectorApp]) -> None:
    assert snap_compare(app("light"), terminal_size=(120, 36), run_before=pressing("r"))


def test_dialog_without_colour_in_ascii(
    snap_compare: Compare, app: Callable[..., InspectorApp], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    made = app("terminal", "always")
    assert snap_compare(made, terminal_size=(80, 24), run_before=pressing("r"))


def test_the_question(snap_compare: Compare, app: Callable[..., InspectorApp]) -> None:
    keys = pressing("r", "L")
    assert snap_compare(app(), terminal_size=(120, 36), run_before=keys)
