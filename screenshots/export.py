"""Makes the pictures of this folder: `python screenshots/export.py`, from the repository.

The real application, over the demonstration as it stands at one fixed instant.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from inspector.config.settings import Settings
from inspector.demo.workspace import create
from inspector.live.watched import WatchedWorkspace
from inspector.query.workspace import Workspace
from inspector.ui.app import InspectorApp

HERE = Path(__file__).parent
NOW = 1_768_573_927_000
"""2026-01-16 14:32:07 UTC."""
SETTLED = 2.5
"""Seconds until everything in view has been read."""

Picture = tuple[str, str, tuple[int, int], Sequence[str]]
PICTURES: Sequence[Picture] = (
    ("runs", "dark", (120, 36), ()),
    ("runs-light", "light", (120, 36), ()),
    ("runs-40", "dark", (40, 15), ()),
    ("run", "dark", (120, 36), ("/", *"deep", "enter")),
    ("run-80", "dark", (80, 24), ("/", *"deep", "enter")),
    ("travel", "dark", (120, 36), ("/", *"deep", "enter", *["left_square_bracket"] * 22)),
    ("values", "dark", (120, 36), ("/", *"deep", "enter", "2", "j", "j")),
    ("receipts", "dark", (120, 36), ("/", *"deep", "enter", "3")),
    ("pnl", "dark", (120, 36), ("/", *"8xk2aa", "enter", "3")),
    ("spell", "dark", (120, 36), ("/", *"8xk2aa", "enter")),
    ("crossing", "dark", (120, 36), ("/", *"qmwc9f", "enter")),
    ("agent", "dark", (120, 36), ("/", *"7f2c", "enter")),
    ("approval", "dark", (120, 36), ("/", *"7f31", "enter")),
)
"""Name, theme, size in cells, keys."""


async def picture(
    root: str, name: str, theme: str, size: tuple[int, int], keys: Sequence[str]
) -> None:
    """Opens the screen, presses the keys, and writes what it shows."""
    feed = WatchedWorkspace(Workspace([root], lambda: NOW, root))
    settings = Settings(theme=theme, time_zone="utc")
    app = InspectorApp(feed, settings, lambda: NOW, "~/work/research", environ={})
    async with app.run_test(size=size) as pilot:
        await asyncio.sleep(SETTLED)
        for key in keys:
            await pilot.press(key)
            await asyncio.sleep(SETTLED if key in ("enter", "2", "3") else 0.05)
        await asyncio.sleep(SETTLED)
        (HERE / f"{name}.svg").write_text(app.export_screenshot(title="Inspector"), "utf-8")
    feed.stop()


def main(names: Sequence[str]) -> None:
    """Makes the named pictures, or all of them."""
    with tempfile.TemporaryDirectory() as folder:
        made = create(f"{folder}/demonstration", clock=lambda: NOW)
        for name, theme, size, keys in PICTURES:
            if not names or name in names:
                asyncio.run(picture(made.root, name, theme, size, keys))
                print(f"{name}.svg")


if __name__ == "__main__":
    main(sys.argv[1:])
