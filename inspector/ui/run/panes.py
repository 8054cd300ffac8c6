"""Which pane shows which part of a run; a part not named here is shown as it is recorded."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from inspector.model.run import Run
from inspector.query.view import Tab
from inspector.ui.pnl.pane import PnlPane
from inspector.ui.run.asking import Asker
from inspector.ui.run.events_pane import EventsPane
from inspector.ui.run.pane import Pane
from inspector.ui.run.records_pane import RecordsPane
from inspector.ui.run.timeline_pane import TimelinePane
from inspector.ui.run.values_pane import ValuesPane

PANES: Mapping[str, Callable[[Asker, Run], Pane]] = {
    "timeline": TimelinePane,
    "values": ValuesPane,
    "raw": EventsPane,
    "pnl": PnlPane,
}
"""By `Tab.part`."""


def make_pane(tab: Tab, asker: Asker, run: Run) -> Pane:
    """The pane of a tab."""
    make = PANES.get(tab.part)
    return make(asker, run) if make is not None else RecordsPane(asker, tab)
