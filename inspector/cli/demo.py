"""`inspector demo`: opens the screen on a temporary workspace with live runs."""

from __future__ import annotations

import argparse

from inspector.cli.errors import clock
from inspector.cli.screen import DEMONSTRATION, open_screen
from inspector.demo.workspace import create, start_writers


def run(options: argparse.Namespace) -> int:
    """Create the workspace, start its writers, open the screen, and clean up."""
    workspace = create(None, clock=clock())
    with start_writers(workspace, speed=options.speed):
        return open_screen([workspace.root], options, place=DEMONSTRATION)
