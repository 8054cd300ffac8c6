"""The base of tabs with a list above and the selected record below."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.timer import Timer
from textual.widget import Widget

from inspector.live.feed import Unavailable
from inspector.query.view import RunView
from inspector.ui.clipboard import fit_to_copy
from inspector.ui.content import Content, record_content
from inspector.ui.labels import safe
from inspector.ui.panes.base import Copy, Pane
from inspector.ui.panes.queries import RunQueries
from inspector.ui.widgets.line_list import LineList

RELOAD_DELAY = 0.5
"""Seconds after a change of the run before its records are read again."""

LOADING = "Loading…"

ROWS = "rows"
"""The topic of the question for the list."""


class MasterDetailPane(Pane):
    """Loads a list when the tab is opened and after the run has changed, and renders its selection.

    A subclass composes a `LineList` first and a view of the selection (id `content`) below, and
    implements `load` and `render_detail`. The class `-alone` shows the selection alone.
    """

    ALONE_HINTS: ClassVar[tuple[tuple[str, str], ...] | None] = None
    """Footer while the selection is maximized; None if it cannot be."""

    def __init__(self, queries: RunQueries, *, id: str) -> None:
        super().__init__(queries, id=id)
        self.note = LOADING
        """A sentence in place of an empty list. May be untrusted."""
        self._stale = True
        self._reload: Timer | None = None

    # For subclasses

    @property
    def list(self) -> LineList:
        """The list."""
        return self.query_one(LineList)

    async def load(self) -> None:
        """Requests the list and shows it."""

    def render_detail(self, *, keep: bool) -> None:
        """Shows the selection; `keep` preserves the scroll position."""

    def needs_reload(self, view: RunView) -> bool:
        """True if a new view of the run may have other records."""
        return True

    # Loading

    @property
    def main(self) -> Widget:
        """The list."""
        return self.list

    def update(self, view: RunView) -> None:
        """Reloads if the tab is in front, else when it is opened."""
        if not self.needs_reload(view):
            return
        self._stale = True
        if self.display and self._reload is None and self.ready:
            self._reload = self.set_timer(RELOAD_DELAY, self.reload)

    def opened(self) -> None:
        """Loads the list if it may have changed."""
        if self._stale:
            self.reload()

    def reload(self) -> None:
        """Loads the list now."""
        if self._reload is not None:
            self._reload.stop()
        self._reload, self._stale = None, False
        self.ask(ROWS, self.load)

    def show_reason(self, answer: Unavailable | None) -> None:
        """Records why there is no list; None if the run has no such part."""
        self.note = "This run has no such records." if answer is None else answer.reason

    def redraw(self) -> None:
        """Renders list and selection again."""
        self.list.repaint()
        self.render_detail(keep=True)

    def on_resize(self) -> None:
        """Renders the selection for the new width."""
        if self.ready:
            self.render_detail(keep=True)

    @on(LineList.Moved)
    def _moved(self) -> None:
        self.render_detail(keep=False)

    # Showing the selection alone

    def hints(self, width: int) -> tuple[tuple[str, str], ...]:
        """The footer of the list, or of the selection alone."""
        alone = self.ALONE_HINTS
        return self.HINTS if alone is None or not self.has_class("-alone") else alone

    def action_zoom(self) -> None:
        """The selection alone, or with the list."""
        if self.ALONE_HINTS is not None:
            self.show_alone(not self.has_class("-alone"))

    def show_alone(self, alone: bool) -> None:
        """Shows the selection alone, or with the list."""
        self.set_class(alone, "-alone")
        self.hints_changed()
        (self.query_one("#content") if alone else self.list).focus()

    def back(self) -> bool:
        """Returns from the maximized selection to the list."""
        if not self.has_class("-alone"):
            return False
        self.show_alone(False)
        return True

    def safe_note(self) -> str:
        """The note, safe to show."""
        return safe(self.note, self.ui.glyphs)


def content_text(content: Content) -> str:
    """The lines of a content as text."""
    return "\n".join(line.lead + line.key + line.rest for line in content.lines)


def copied_record(record: object, what: str) -> Copy:
    """A record laid out as JSON, to copy."""
    return Copy(fit_to_copy(None, content_text(record_content(record))), what)
