"""Which pane shows which part of a run; a part not named here is shown as it is recorded.

Panes are named and loaded when their tab is opened. So those of other rooms, which are made of
parts of this one, need not be known here, and a run is on the screen before they are read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import cast

from inspector.model.run import Run
from inspector.query.view import Tab
from inspector.ui.run.asking import Asker
from inspector.ui.run.pane import Pane
from inspector.ui.run.records_pane import RecordsPane

PANES: Mapping[str, tuple[str, str]] = {
    "timeline": ("inspector.ui.run.timeline_pane", "TimelinePane"),
    "values": ("inspector.ui.run.values_pane", "ValuesPane"),
    "raw": ("inspector.ui.run.events_pane", "EventsPane"),
    "tables": ("inspector.ui.run.tables_pane", "TablesPane"),
    "world_models": ("inspector.ui.models.pane", "ModelsPane"),
    "receipts": ("inspector.ui.receipts.pane", "ReceiptsPane"),
    "pnl": ("inspector.ui.pnl.pane", "PnlPane"),
    "state": ("inspector.ui.spell.sides_pane", "StatePane"),
    "provenance": ("inspector.ui.spell.sides_pane", "ProvenancePane"),
    "tracks": ("inspector.ui.spell.crossing_pane", "TracksPane"),
    "handoffs": ("inspector.ui.spell.crossing_pane", "HandoffsPane"),
    "steps": ("inspector.ui.spell.crossing_pane", "ResultsPane"),
}
"""Module and class by `Tab.part`; each is made from an `Asker` and the run."""


def make_pane(tab: Tab, asker: Asker, run: Run) -> Pane:
    """The pane of a tab."""
    found = PANES.get(tab.part)
    if found is None:
        return RecordsPane(asker, tab)
    module, name = found
    make = cast(Callable[[Asker, Run], Pane], getattr(import_module(module), name))
    return make(asker, run)
