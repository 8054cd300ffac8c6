"""The base of every tab of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

from textual.containers import Container
from textual.message import Message
from textual.widget import Widget
from textual.worker import Worker, WorkerState

from inspector.live.feed import Overview
from inspector.model.run import Run
from inspector.query.view import RunView
from inspector.ui.command_screen import CommandScreen
from inspector.ui.context import UiContext, ui_of
from inspector.ui.loaded_value import LoadedValue, loaded_text
from inspector.ui.panes.position import Position
from inspector.ui.panes.queries import RunQueries, Work, start


@dataclass(frozen=True, slots=True)
class Copy:
    """Text to copy, masked and escaped, and its description."""

    text: str
    what: str


@runtime_checkable
class SqlPane(Protocol):
    """A tab that runs SQL."""

    def ask_sql(self) -> None:
        """Opens the SQL field, as soon as the tab is mounted."""


class Pane(Container):
    """One tab of a run. Commands that a tab does not support do nothing."""

    HINTS: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Footer: command id and word, most important first. `ID.alone` shows one key of a pair."""
    HAS_VIEWS: ClassVar[bool] = False
    """True if `pnl.view` switches between views."""
    HAS_VERSIONS: ClassVar[bool] = False
    """True if its values may have older rows."""

    class Loaded(Message):
        """An answer was shown, so the list may have rows now."""

    def __init__(self, queries: RunQueries, *, id: str) -> None:
        super().__init__(id=id, classes="pane")
        self.queries = queries
        self.is_new = True
        """True until the first view."""

    @property
    def ui(self) -> UiContext:
        """Styles, glyphs, keys, clock and time zone."""
        return ui_of(self)

    @property
    def ready(self) -> bool:
        """True once all parts are mounted."""
        return self.is_mounted

    @property
    def main(self) -> Widget:
        """The widget to focus when the tab is opened."""
        return self

    def hints(self, width: int) -> tuple[tuple[str, str], ...]:
        """Footer hints for a terminal of `width` columns."""
        return self.HINTS

    def hints_changed(self) -> None:
        """Updates the footer of the screen."""
        if self.is_attached and isinstance(self.screen, CommandScreen):
            self.screen.show_hints()

    # Data

    def update(self, view: RunView) -> None:
        """Shows a new view of the run."""

    def seek(self, position: Position | None) -> None:
        """Shows the run as of a position; None for the newest event."""

    def opened(self) -> None:
        """Called when the tab comes to the front."""

    def on_second(self) -> None:
        """Called every second while the tab is in front."""

    def redraw(self) -> None:
        """Called when the time zone, units or theme changed."""

    def ask(self, topic: str, work: Work) -> None:
        """Runs a coroutine function with `queries`, replacing an older one of the topic."""
        start(self, work, topic)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Announces finished queries."""
        if event.state is WorkerState.SUCCESS:
            self.post_message(self.Loaded())

    # Commands

    def back(self) -> bool:
        """Closes the innermost open part of the tab; False if nothing is open."""
        return False

    def action_enter(self) -> None:
        """Enter."""

    def action_inward(self) -> None:
        """`l`."""

    def action_outward(self) -> None:
        """`h`."""

    def action_find(self) -> None:
        """`/`."""

    def action_versions(self) -> None:
        """`v`."""

    def action_pnl_view(self) -> None:
        """`n`."""

    def action_pnl_units(self) -> None:
        """`b`."""

    def action_zoom(self) -> None:
        """`z`: one part of the tab alone, or all of it."""

    @property
    def has_failures(self) -> bool:
        """True if `f` and `F` move within this tab."""
        return False

    def to_failure(self, *, forward: bool) -> None:
        """Moves to the next or previous failure, if `has_failures`."""

    # The selection

    def statement(self) -> str | None:
        """The source statement that wrote the selection, as recorded."""
        return None

    def source_location(self) -> str | None:
        """`file:line` of the selection's source, if known."""
        return None

    def reveal_source(self, location: str) -> None:
        """Scrolls to a line of the source; does nothing in a tab without source."""

    def value_to_copy(self) -> Copy | None:
        """What `y` copies."""
        return None

    def location_to_copy(self) -> Copy | None:
        """What `Y` copies."""
        return None

    async def load_value(self, limit: int) -> LoadedValue | str:
        """Returns the selected value, at most `limit` bytes, or a sentence why there is none."""
        copy = self.value_to_copy()
        return "Nothing is selected." if copy is None else loaded_text(None, copy.text)

    def file_name(self) -> str:
        """An escaped file name for the selection, without extension."""
        return "record"


RUN_KEY = "run_key"
"""The field of a step's reference that names another run, such as a track on another chain."""


def linked(widget: Widget, view: RunView | None, step: int) -> Run | None:
    """The run that a step links to; None if that run is not listed."""
    if view is None or not 0 <= step < len(view.steps):
        return None
    extra = view.steps.extra.get(step)
    key = None if extra is None else extra.ref.get(RUN_KEY)
    overview = getattr(widget.app, "overview", None)
    runs = overview.runs if isinstance(overview, Overview) else ()
    return next((run for run in runs if key is not None and run.key == key), None)


def open_linked(widget: Widget, view: RunView | None, step: int) -> bool:
    """Opens the run that a step links to; False if that run is not listed."""
    screen, found = widget.screen, linked(widget, view, step)
    if found is None or not isinstance(screen, CommandScreen):
        return False
    screen.open_run(found)
    return True
