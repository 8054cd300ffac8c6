"""From a bar to its run."""

from __future__ import annotations

from textual.widget import Widget

from inspector.live.feed import Overview
from inspector.model.run import Run
from inspector.ui.command_screen import CommandScreen


def open_run_of(widget: Widget, beside: Run, run_id: str | None) -> None:
    """Opens another run of the same spell, or says why that is not possible."""
    screen = widget.screen
    if not isinstance(screen, CommandScreen) or run_id is None:
        return
    overview = getattr(widget.app, "overview", None)
    runs = overview.runs if isinstance(overview, Overview) else ()
    wanted = (beside.store.path, beside.session, run_id)
    found = next((one for one in runs if (one.store.path, one.session, one.run_id) == wanted), None)
    if found is None:
        screen.show_message("That run is not in the list.")
    elif screen.subject is not None and screen.subject.key == found.key and screen.SCOPE == "run":
        screen.show_message("This is the run of that bar.")
    else:
        screen.open_run(found)
