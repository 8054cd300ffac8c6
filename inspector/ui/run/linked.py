"""From a step to another run that it names."""

from __future__ import annotations

from textual.widget import Widget

from inspector.live.feed import Overview
from inspector.model.run import Run
from inspector.query.view import RunView
from inspector.ui.screens.base import CommandScreen

RUN_KEY = "run_key"
"""Where a step names the run of its own that it stands for, such as a track on another chain."""


def linked(widget: Widget, view: RunView | None, step: int) -> Run | None:
    """The run that a step stands for; None when it stands for none that is listed."""
    if view is None or not 0 <= step < len(view.steps):
        return None
    extra = view.steps.extra.get(step)
    key = None if extra is None else extra.ref.get(RUN_KEY)
    overview = getattr(widget.app, "overview", None)
    runs = overview.runs if isinstance(overview, Overview) else ()
    return next((run for run in runs if key is not None and run.key == key), None)


def open_linked(widget: Widget, view: RunView | None, step: int) -> bool:
    """Opens the run that a step stands for; False when it stands for none that is listed."""
    screen, found = widget.screen, linked(widget, view, step)
    if found is None or not isinstance(screen, CommandScreen):
        return False
    screen.open_run(found)
    return True
