"""What every tab of a run's screen answers to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

from textual.containers import Container
from textual.widget import Widget

from inspector.query.view import RunView
from inspector.ui.context import UiContext, ui_of
from inspector.ui.run.asking import Asker
from inspector.ui.run.held import Held, held_text
from inspector.ui.run.values_then import Point


@dataclass(frozen=True, slots=True)
class Copy:
    """A text to copy, and what it is. The text is masked and safe."""

    text: str
    what: str


@runtime_checkable
class AsksSql(Protocol):
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

    def __init__(self, asker: Asker, *, id: str) -> None:
        super().__init__(id=id, classes="pane")
        self.asker = asker

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

    def stand(self, point: Point | None) -> None:
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

    def source_place(self) -> str | None:
        """Where the source says what is under the cursor: `file:line`, if it is known."""
        return None

    def aim(self, place: str) -> None:
        """Goes to a place in the source; a tab without source stays as it is."""

    def value_to_copy(self) -> Copy | None:
        """What `y` copies."""
        return None

    def hold(self, most: int, take: Callable[[Held | str], None]) -> None:
        """Lets `take` have what is under the cursor, at most `most` bytes, or why there is none."""
        copy = self.value_to_copy()
        take("There is nothing here." if copy is None else held_text(None, copy.text))

    def file_name(self) -> str:
        """What a file with it could be called, without an ending; safe."""
        return "record"

    def place_to_copy(self) -> Copy | None:
        """What `Y` copies."""
        return None
