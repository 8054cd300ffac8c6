"""Commands of profit and loss."""

from __future__ import annotations

from inspector.config.folders import config_file
from inspector.model.run import Run
from inspector.query.registry import names, presentation_of
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
        help="As the runtime's session counts it, and what was confirmed on chain.",
    ),
    Command("pnl.open", "Open the run of the marked bar", ("enter",), _HERE, hint="run"),
    Command(
        "pnl.older",
        "Previous run",
        ("h", "left"),
        _HERE,
        hint="previous / next run",
        with_key_of="pnl.newer",
    ),
    Command("pnl.newer", "Next run", ("l", "right"), _HERE),
    Command(
        "pnl.view",
        "Next view: per run, realised per run, realised so far, by step",
        ("n",),
        (PNL, "run"),
        hint="next view",
        help="Shown below the assets of profit and loss.",
    ),
    Command(
        "pnl.units",
        "Switch base units / decimals",
        ("b",),
        (PNL, "run"),
        hint="base units",
        help="Decimals come from [assets] in the settings; other amounts are in base units.",
    ),
    Command("pnl.pane", "Switch between assets and details", ("tab",), _HERE, hint="pane"),
    Command("pnl.copy", "Copy the asset's amounts", ("y",), _HERE, hint="copy"),
)


def why_no_units(ui: UiContext) -> str | None:
    """Return why there are only base units."""
    if ui.has_units:
        return None
    return f"Decimals unknown. Set [assets] in {config_file()}."


def why_no_pnl(run: Run | None) -> str | None:
    """Return why a run has no profit and loss."""
    if run is None:
        return "No run selected."
    if not presentation_of(run.runtime).has_pnl:
        known = [one.title for one in map(presentation_of, names()) if one.has_pnl]
        return f"P&L is only available for {', '.join(known)}."
    return None
