"""What can be done about profit and loss."""

from __future__ import annotations

from inspector.model.run import Run
from inspector.query.registry import presentation_of
from inspector.ui.commands import Command
from inspector.ui.context import UiContext

PNL = "pnl"

_HERE = (PNL,)

PNL_COMMANDS = (
    Command(
        "pnl",
        "Profit and loss of this run's spell",
        ("$",),
        ("runs", "run"),
        help="As Grimoire's session counts it, and what a chain confirmed.",
    ),
    Command("pnl.open", "Open the run of the marked bar", ("enter",), _HERE, hint="run"),
    Command(
        "pnl.older", "The run before", ("h", "left"), _HERE, hint="runs", with_key_of="pnl.newer"
    ),
    Command("pnl.newer", "The run after", ("l", "right"), _HERE),
    Command(
        "pnl.view",
        "Per run, realised per run, realised so far, by step",
        ("n",),
        (PNL, "run"),
        hint="view",
        help="What stands below the assets of profit and loss.",
    ),
    Command(
        "pnl.units",
        "Base units, or decimals as your settings say",
        ("b",),
        (PNL, "run"),
        hint="base units",
        help="No runtime records decimals: without settings every amount is in base units.",
    ),
    Command("pnl.pane", "From the assets to what is below, and back", ("tab",), _HERE, hint="pane"),
    Command("pnl.copy", "Copy the asset's amounts with every digit", ("y",), _HERE, hint="copy"),
)


def why_no_units(ui: UiContext) -> str | None:
    """Why there are no other units than base units."""
    if ui.has_units:
        return None
    return "Your settings name no decimals of any asset, and no runtime records them."


def why_no_pnl(run: Run | None) -> str | None:
    """Why there is no profit and loss to show."""
    if run is None:
        return "There is no run under the cursor."
    if not presentation_of(run.runtime).has_pnl:
        return "Only Grimoire records what its runs moved."
    return None
