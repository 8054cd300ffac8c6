"""What can be done on the list of runs."""

from __future__ import annotations

from inspector.ui.commands import Command

RUNS = "runs"

RUNS_COMMANDS = (
    Command("open", "Open the run", ("enter",), (RUNS,), hint="open"),
    Command(
        "filter",
        "Filter as you type",
        ("/",),
        (RUNS,),
        hint="filter",
        help="Every word must be in the title, run id, runtime or status; esc clears.",
    ),
    Command(
        "needs-me",
        "Only what needs me",
        ("n",),
        (RUNS,),
        hint="needs me",
        help="Waiting runs, and those that failed within a day and were not followed by another.",
    ),
    Command(
        "sort",
        "Sort by start, elapsed, tokens or title",
        ("s",),
        (RUNS,),
        hint="sort",
        help="Groups stay; the order is that within each group.",
    ),
)
