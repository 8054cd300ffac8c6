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
from inspector.ui.panes.base import Pane
from inspector.ui.panes.queries import RunQueries
from inspector.ui.panes.records import RecordsPane

PANES: Mapping[str, tuple[str, str]] = {
    "timeline": ("inspector.ui.panes.timeline", "TimelinePane"),
    "values": ("inspector.ui.panes.values", "ValuesPane"),
    "raw": ("inspector.ui.panes.events", "EventsPane"),
    "tables": ("inspector.ui.panes.tables", "TablesPane"),
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


def make_pane(tab: Tab, queries: RunQueries, run: Run) -> Pane:
    """The pane of a tab."""
    found = PANES.get(tab.part)
    if found is None:
        return RecordsPane(queries, tab)
    module, name = found
    make = cast(Callable[[RunQueries, Run], Pane], getattr(import_module(module), name))
    return make(queries, run)
