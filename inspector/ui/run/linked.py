"""From a step to another run that it names."""

from __future__ import annotations

from textual.widget import Widget

from inspector.live.feed import Overview
from inspector.query.view import RunView
from inspector.ui.screen import CommandScreen

RUN_KEY = "run_key"
"""Where a step names the run of its own that it stands for, such as a track on another chain."""


def open_linked(widget: Widget, view: RunView | None, step: int) -> bool:
    """Opens the run that a step stands for; False when it stands for none that is listed."""
    screen = widget.screen
    if view is None or not 0 <= step < len(view.steps) or not isinstance(screen, CommandScreen):
        return False
    extra = view.steps.extra.get(step)
    key = None if extra is None else extra.ref.get(RUN_KEY)
    overview = getattr(widget.app, "overview", None)
    runs = overview.runs if isinstance(overview, Overview) else ()
    found = next((run for run in runs if key is not None and run.key == key), None)
    if found is not None:
        screen.open_run(found)
    return found is not None
