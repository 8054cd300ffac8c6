"""The tabs of a run and their panes: which one is in front, and input for one that is loading.

Pane modules are imported when their tab is opened, so that the first paint does not wait for them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import cast

from textual import events
from textual.screen import Screen

from inspector.model.run import Run
from inspector.query.registry import presentation_of
from inspector.query.view import RunView, Tab, TabKind
from inspector.ui.commands import Keys
from inspector.ui.panes.base import Pane
from inspector.ui.panes.queries import RunQueries, start
from inspector.ui.panes.timeline import TimelinePane
from inspector.ui.screens.run.early_keys import WAIT, EarlyKeys
from inspector.ui.widgets.line_list import LineList

TIMELINE = Tab("timeline", "Timeline")
"""The first tab, known before the first view."""

PANES: Mapping[TabKind, tuple[str, str]] = {
    TabKind.TIMELINE: ("inspector.ui.panes.timeline", "TimelinePane"),
    TabKind.VALUES: ("inspector.ui.panes.values", "ValuesPane"),
    TabKind.RAW: ("inspector.ui.panes.events", "EventsPane"),
    TabKind.TABLES: ("inspector.ui.panes.tables", "TablesPane"),
    TabKind.RECORDS: ("inspector.ui.panes.records", "RecordsPane"),
    TabKind.WORLD_MODELS: ("inspector.ui.panes.world_models", "WorldModelsPane"),
    TabKind.RECEIPTS: ("inspector.ui.panes.receipts", "ReceiptsPane"),
    TabKind.PNL: ("inspector.ui.pnl.pane", "PnlPane"),
    TabKind.COMPARISON: ("inspector.ui.spell.comparison", "ComparisonPane"),
    TabKind.CROSS_CHAIN: ("inspector.ui.spell.cross_chain", "CrossChainPane"),
}
"""Module and constructor by kind; each is called with queries, run and tab."""


def make_pane(tab: Tab, queries: RunQueries, run: Run) -> Pane:
    """Imports and makes the pane of a tab."""
    module, name = PANES[presentation_of(run.runtime).kind_of(tab)]
    make = cast(Callable[[RunQueries, Run, Tab], Pane], getattr(import_module(module), name))
    return make(queries, run, tab)


class TabHost:
    """Opens tabs on a screen. `fill` shows the run in a pane; `changed` follows each switch."""

    def __init__(
        self,
        screen: Screen[None],
        make: Callable[[Tab], Pane],
        fill: Callable[[Pane], None],
        changed: Callable[[], None],
    ) -> None:
        self._screen = screen
        self._make = make
        self._fill = fill
        self._changed = changed
        self._panes: dict[str, Pane] = {}
        self._early = EarlyKeys()
        self._known = False
        """True if `tabs` are those of the whole run."""
        self._requested: int | None = None
        """A tab that was chosen before the tabs were known."""
        self.tabs: tuple[Tab, ...] = (TIMELINE,)
        self.active = 0

    def first(self) -> TimelinePane:
        """Makes the timeline."""
        pane = self._panes[TIMELINE.part] = self._make(TIMELINE)
        assert isinstance(pane, TimelinePane)
        return pane

    @property
    def tab(self) -> Tab:
        """The tab in front."""
        return self.tabs[self.active]

    @property
    def current(self) -> Pane:
        """The pane in front."""
        return self._panes[self.tab.part]

    @property
    def timeline(self) -> TimelinePane:
        """The timeline."""
        pane = self._panes[TIMELINE.part]
        assert isinstance(pane, TimelinePane)
        return pane

    @property
    def ready(self) -> list[Pane]:
        """The panes that are mounted; one that is mounting takes its view afterwards."""
        return [pane for pane in self._panes.values() if pane.ready]

    def update(self, view: RunView) -> str | None:
        """Takes the tabs of a view; opens one that was chosen earlier, or returns why not."""
        if view.travelling:
            return None
        tabs = view.tabs or (TIMELINE,)
        if tabs[0].part != TIMELINE.part:
            tabs = (TIMELINE, *(tab for tab in tabs if tab.part != TIMELINE.part))
        part = self.tab.part
        self.tabs, self._known = tabs, not view.partial
        parts = [tab.part for tab in tabs]
        if part in parts:
            self.active = parts.index(part)
        else:
            self.open(0)
        requested = self._requested
        if requested is not None and requested < len(tabs):
            self._requested = None
            self.open(requested, keep_keys=True)
        elif requested is not None and self._known:
            self._early.end()
            return self.choose(requested)
        return None

    def choose(self, index: int, location: str | None = None) -> str | None:
        """Opens a tab by its place. Returns a sentence if there is none (yet)."""
        self._requested = None
        if index < len(self.tabs):
            self.open(index, location)
            return None
        if self._known:
            return f"There is no tab {index + 1}: this run has {len(self.tabs)}."
        self._requested = index
        self._early.begin()
        return f"Opening tab {index + 1}…"

    def open_part(self, part: str) -> Pane | None:
        """Opens the tab of a part and returns its pane; None if there is no such tab."""
        for index, tab in enumerate(self.tabs):
            if tab.part == part:
                self.open(index)
                return self.current
        return None

    def open(self, index: int, location: str | None = None, *, keep_keys: bool = False) -> None:
        """Brings a tab to the front; `location` is the source line to reveal there."""
        tab = self.tabs[index]
        self.active = index
        if not keep_keys:
            self._early.begin()
        pane = self._panes.get(tab.part)
        for other in self._panes.values():
            other.display = other is pane
        if pane is None:
            pane = self._panes[tab.part] = self._make(tab)
            start(self._screen, partial(self._mount, pane, location), f"mount {tab.part}")
        elif pane.ready:
            self._enter(pane, location)
        self.perform_early()
        if self._early.waiting:
            self._screen.set_timer(WAIT, partial(self.perform_early, pane))
        self._changed()

    async def _mount(self, pane: Pane, location: str | None) -> None:
        # Shielded, so that a pane is never left half mounted.
        await asyncio.shield(_mounted(self._screen, pane))
        self._enter(pane, location)
        self.perform_early()
        self._changed()

    def _enter(self, pane: Pane, location: str | None) -> None:
        self._fill(pane)
        pane.opened()
        if location is not None:
            pane.reveal_source(location)
        if pane is self.current:
            pane.main.focus()

    # Keys for a tab that is still loading

    def keep_key(self, event: events.Key, keys: Keys) -> bool:
        """True if a key is kept until the tab in front has rows."""
        return self._early.keeps(event, keys)

    def perform_early(self, late: Pane | None = None) -> None:
        """Sends the kept keys once there are rows, or if `late` is in front and still has none."""
        waits = self._requested is not None or not self.current.ready
        if not self._early.waiting or waits:
            return
        main = self.current.main
        if self.current is late or not isinstance(main, LineList) or main.row_count:
            for key in self._early.end():
                self._screen.app.post_message(key)


async def _mounted(screen: Screen[None], pane: Pane) -> None:
    await screen.mount(pane)
