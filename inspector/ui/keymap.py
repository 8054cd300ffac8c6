"""All commands. A screen whose commands are not listed here has no keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inspector.ui.commands import EVERYWHERE, LIST_COMMANDS, Command, Keys
from inspector.ui.pnl.commands import PNL_COMMANDS
from inspector.ui.screens.problems import PROBLEMS_COMMANDS
from inspector.ui.screens.resume.commands import RESUME_COMMANDS, RESUMING_COMMANDS
from inspector.ui.screens.run.commands import RUN_COMMANDS
from inspector.ui.screens.runs.commands import RUNS_COMMANDS
from inspector.ui.screens.welcome import WELCOME_COMMANDS

EVERYWHERE_COMMANDS = (
    Command("back", "Back", ("escape",), (EVERYWHERE,), hint="back"),
    Command("problems", "All problems in all stores", ("!",), (EVERYWHERE,), hint="problems"),
    Command(
        "zone",
        "Switch local time / UTC",
        ("T",),
        (EVERYWHERE,),
        help="Groups by day follow the time zone.",
    ),
    Command("palette", "Search all commands", (":", "ctrl+p"), (EVERYWHERE,), in_palette=False),
    Command("help", "Keys and symbols", ("?",), (EVERYWHERE,), hint="help"),
    Command("exit", "Quit", ("q", "ctrl+q", "ctrl+c"), (EVERYWHERE,), hint="quit"),
)

COMMANDS: tuple[Command, ...] = (
    *RUNS_COMMANDS,
    *RUN_COMMANDS,
    *RESUMING_COMMANDS,
    *RESUME_COMMANDS,
    *PNL_COMMANDS,
    *PROBLEMS_COMMANDS,
    *WELCOME_COMMANDS,
    *EVERYWHERE_COMMANDS,
    *LIST_COMMANDS,
)


def all_keys(chosen: Mapping[str, Sequence[str]] | None = None) -> Keys:
    """Returns the key bindings of all commands, with the user's choices."""
    return Keys(COMMANDS, chosen)
