"""What every tab of a run's screen answers to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

from textual.containers import Container
from textual.widget import Widget

from inspector.live.feed import Overview
from inspector.model.run import Run
from inspector.query.view import RunView
from inspector.ui.command_screen import CommandScreen
from inspector.ui.context import UiContext, ui_of
from inspector.ui.loaded_value import LoadedValue, loaded_text
from inspector.ui.panes.position import Position
from inspector.ui.panes.queries import RunQueries


@dataclass(frozen=True, slots=True)
class Copy:
    """A text to copy, and what it is. The text is masked and safe."""

    text: str
    what: str


@runtime_checkable
class SqlPane(Protocol):
    """A tab in which a database can be asked."""

    def ask_sql(self) -> None:
        """Opens the line for a question, as soon as there is one."""


class Pane(Container):
    """One tab. Methods that a tab has no use for do nothing."""

    HINTS: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Commands in the footer, each with its word here; the most important first."""
    HAS_VIEWS: ClassVar[bool] = False
    """Whether it can be looked at in several ways."""
    HAS_VERSIONS: ClassVar[bool] = False
    """Whether what it lists may have older rows."""

    def __init__(self, queries: RunQueries, *, id: str) -> None:
        super().__init__(id=id, classes="pane")
        self.queries = queries

    @property
    def ui(self) -> UiContext:
        """Styles, signs, keys, clock and zone."""
        return ui_of(self)

    @property
    def ready(self) -> bool:
        """Whether its parts are there; until then nothing but a new tab's place is."""
        return self.is_mounted

    @property
    def main(self) -> Widget:
        """What has the focus when the tab is opened."""
        return self

    def hints(self, width: int) -> tuple[tuple[str, str], ...]:
        """The footer of this tab, for a width."""
        return self.HINTS

    def take(self, view: RunView) -> None:
        """A view of the run to show."""

    def stand(self, point: Position | None) -> None:
        """Where in the run one stands; None = at its newest event."""

    def opened(self) -> None:
        """The tab came to the front."""

    def tick(self) -> None:
        """A second has passed."""

    def redraw(self) -> None:
        """The zone or the theme is another one."""

    def back(self) -> bool:
        """Leaves what is open inside the tab; False when nothing is."""
        return False

    def enter(self) -> None:
        """What Enter does."""

    def inward(self) -> None:
        """What `l` does."""

    def outward(self) -> None:
        """What `h` does."""

    def find(self) -> None:
        """What `/` does."""

    def versions(self) -> None:
        """What `v` does."""

    def next_view(self) -> None:
        """What `n` does."""

    def change_units(self) -> None:
        """What `b` does."""

    def zoom(self) -> None:
        """This part of the tab alone, or all of it."""

    @property
    def has_failures(self) -> bool:
        """Whether `f` and `F` lead somewhere within this tab."""
        return False

    def to_failure(self, *, forward: bool) -> None:
        """What `f` and `F` do where `has_failures`."""

    def statement(self) -> str | None:
        """The statement that wrote what is under the cursor, as it was recorded."""
        return None

    def source_location(self) -> str | None:
        """Where the source says what is under the cursor: `file:line`, if it is known."""
        return None

    def aim(self, place: str) -> None:
        """Goes to a place in the source; a tab without source stays as it is."""

    def value_to_copy(self) -> Copy | None:
        """What `y` copies."""
        return None

    def hold(self, most: int, take: Callable[[LoadedValue | str], None]) -> None:
        """Lets `take` have what is under the cursor, at most `most` bytes, or why there is none."""
        copy = self.value_to_copy()
        take("There is nothing here." if copy is None else loaded_text(None, copy.text))

    def file_name(self) -> str:
        """What a file with it could be called, without an ending; safe."""
        return "record"

    def location_to_copy(self) -> Copy | None:
        """What `Y` copies."""
        return None


RUN_KEY = "run_key"
"""Where a step names the run of its own that it stands for, such as a track on another chain."""


def linked(widget: Widget, view: RunView | None, step: int) -> Run | None:
    """The run that a step stands for; None when it stands for none that is listed."""
    if view is None or not 0 <= step < len(view.steps):
        return None
    extra = view.steps.extra.get(step)
    key = None if extra is None else extra.ref.get(RUN_KEY)
    overview = getattr(widget.app, "overview", None)
    runs = overview.runs if isinstance(overview, Overview) else ()
    return next((run for run in runs if key is not None and run.key == key), None)


def open_linked(widget: Widget, view: RunView | None, step: int) -> bool:
    """Opens the run that a step stands for; False when it stands for none that is listed."""
    screen, found = widget.screen, linked(widget, view, step)
    if found is None or not isinstance(screen, CommandScreen):
        return False
    screen.open_run(found)
    return True
