"""Availability of commands on a run's screen: reasons, and hints of the footer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from inspector.model.run import Run
from inspector.ui.commands import Hint, Keys
from inspector.ui.context import UiContext
from inspector.ui.external_tools import why_no_page, why_no_viewer
from inspector.ui.panes.base import Pane, linked
from inspector.ui.panes.timeline import TimelinePane
from inspector.ui.screens.resume.commands import why_not_resume
from inspector.ui.screens.run.playback import Playback
from inspector.ui.widgets.content_view import ContentView
from inspector.ui.widgets.text_view import TextView

TRAVELLING: tuple[tuple[str, str], ...] = (
    ("live", "return to now"),
    ("travel.back", "event"),
    ("travel.step-back", "step"),
    ("pause", "play"),
)
"""The footer while viewing the past."""

ON_TIMELINE_ONLY = frozenset(("enter", "inward", "outward"))
"""Commands whose labels describe steps; other tabs have their own labels."""

TABLES = "tables"
"""The part of the tab that runs SQL."""

ON_PANE = frozenset(
    (
        *("enter", "inward", "outward", "find", "zoom", "copy.value", "copy.location", "raw"),
        *("form", "pager", "picture", "save"),
    )
)
"""Commands that act on the pane in front."""

ON_WHOLE_RUN = frozenset(("pause", "raw", "axis", "copy.value", "copy.location"))
"""Commands that need all events, not only the newest."""


@dataclass(frozen=True, slots=True)
class RunState:
    """What the availability of commands depends on."""

    ui: UiContext
    run: Run
    playback: Playback
    pane: Pane
    timeline: TimelinePane
    parts: frozenset[str]
    """The parts that have a tab."""

    @property
    def on_timeline(self) -> bool:
        """True if the timeline is active."""
        return self.pane is self.timeline

    @property
    def contents(self) -> list[ContentView]:
        """The contents of the active pane."""
        return list(self.pane.query(ContentView)) if self.pane.ready else []

    @property
    def travelling(self) -> bool:
        """True while viewing a past event."""
        view = self.playback.shown
        return view is not None and view.travelling


def disabled_reason(name: str, state: RunState) -> str | None:
    """Returns why a command of the run's screen is unavailable; None if it is available."""
    run, pane, playback = state.run, state.pane, state.playback
    if name == "resume":
        return why_not_resume(run)
    if name in ("idle", "axis") and run.order_only:
        return "No times recorded: the axis is the order of events."
    if name == "idle" and not state.timeline.timed:
        return "The axis is the order of events, which has no idle gaps."
    if name.startswith("failure.") and not _has_failures(state):
        return "No failures recorded."
    if name in ("find", "enter") and playback.shown is None:
        return "Loading…"
    if playback.partial and (name.startswith("travel.") or name in ON_WHOLE_RUN):
        return "Still loading: only the newest events are here."
    if name in ON_PANE and not pane.ready:
        return "Loading…"
    return _pane_reason(name, state)


def _pane_reason(name: str, state: RunState) -> str | None:
    """Returns why the active pane does not have a command."""
    pane = state.pane
    if name == "sql" and TABLES not in state.parts:
        return "This run is not stored in a database."
    if name == "find" and state.on_timeline:
        return "Only values can be filtered."
    if name in ("pnl.view", "pnl.units") and not pane.HAS_VIEWS:
        return "Only P&L has several views."
    if name == "pnl.units" and not state.ui.has_units:
        return "Decimals unknown. Set [assets] in ~/.config/inspector/config.toml."
    if name == "versions" and not pane.HAS_VERSIONS:
        return "Only values have older rows."
    if name == "step-of" and not pane.statement():
        return "The statement that wrote this is not recorded."
    if name == "form" and not any(view.formats for view in state.contents):
        return "No other format."
    if name == "pager":
        return why_no_page(pane.app)
    return why_no_viewer(pane.app) if name == "picture" else None


def _has_failures(state: RunState) -> bool:
    view = state.playback.shown
    return (state.pane.ready and state.pane.has_failures) or bool(view and view.failures)


def footer_hints(keys: Keys, state: RunState, width: int, focused: object) -> list[Hint]:
    """Keys and words for the tab in front; those of time travel while travelling."""
    wanted = TRAVELLING if state.travelling else state.pane.hints(width)
    found = []
    for name, word in wanted:
        alone = name.endswith(".alone")
        command = name.removesuffix(".alone")
        shown, word = keys.shown(command), _word(command, word, state)
        if shown and word:
            key = shown.partition(" ")[0] if alone else shown
            found.append(Hint(key, word, command))
    if isinstance(focused, TextView) and not state.travelling:
        moves = (keys.shown("cursor.down"), keys.shown("cursor.up"))
        found.insert(0 if focused.marked else 1, Hint(" ".join(moves).strip(), "scroll"))
    return found


def _word(name: str, word: str, state: RunState) -> str:
    """The label of a hint; empty if the command would do nothing."""
    if name == "form":
        shown = next((view for view in state.contents if view.formats is not None), None)
        return "" if shown is None or shown.formats is None else shown.formats[not shown.raw]
    timeline = state.timeline.timeline
    if name == "enter" and word == "fold" and state.on_timeline and timeline.cursor >= 0:
        is_leaf = timeline.row_model(timeline.cursor).open is None
        if is_leaf and linked(timeline, timeline.view, timeline.step) is None:
            return ""
    return word


def pane_words(hints: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Labels by command, for the help."""
    return {name.removesuffix(".alone"): word for name, word in hints}
