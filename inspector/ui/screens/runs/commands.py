"""Commands of the list of runs."""

from __future__ import annotations

from inspector.ui.commands import Command

RUNS = "runs"

RUNS_COMMANDS = (
    Command("open", "Open the run", ("enter",), (RUNS,), hint="open"),
    Command(
        "filter",
        "Filter",
        ("/",),
        (RUNS,),
        hint="filter",
        help="Each word must occur in the title, run id, runtime or status. Esc clears the filter.",
    ),
    Command(
        "needs-me",
        "Show only runs that need attention",
        ("n",),
        (RUNS,),
        hint="needs me",
        help="Waiting runs, and runs that failed in the last 24 hours and were not run again.",
    ),
    Command(
        "sort",
        "Sort by start, elapsed time, tokens or title",
        ("s",),
        (RUNS,),
        hint="sort",
        help="Runs are sorted within each group.",
    ),
)
