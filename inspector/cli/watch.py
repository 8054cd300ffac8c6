"""`inspector watch [RUN]`: one line per change, for logs and scripts."""

from __future__ import annotations

import argparse

from inspector.cli.errors import BAD_NEWS, FINE
from inspector.cli.output import brief, shown, write_line
from inspector.cli.workspace import reader
from inspector.live.follow import follow
from inspector.model.clock import rfc3339
from inspector.model.status import Status
from inspector.query.view import RunView


def run(options: argparse.Namespace) -> int:
    """Follow a run (default: the latest) to its end; exit 1 if it failed or was interrupted."""
    options.run = options.run or "latest"
    last: RunView | None = None
    with reader(options) as (_, _, opened):
        for view in follow(opened):
            if last is None or _line(view) != _line(last):
                write_line(f"{rfc3339(view.as_of)}  {_line(view)}")
            last = view
    bad = last is not None and last.run.status in (Status.FAILED, Status.INTERRUPTED)
    return BAD_NEWS if bad else FINE


def _line(view: RunView) -> str:
    run = view.run
    step = ""
    if view.events:
        number = view.step_of_event[view.events - 1]
        described = view.describe(number)
        step = f"{shown(described.id)} {described.status} {brief(described.label)}"
    counts = run.steps
    done = f"{counts.completed} done, {counts.failed} failed, {counts.running} running"
    return f"{brief(run.title)}  {run.status}  event {view.events}  {done}  {step}".rstrip()
