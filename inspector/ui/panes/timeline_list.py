"""Timeline list: a tree of steps with bars beside it."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable, Iterator
from typing import NamedTuple

from textual.message import Message
from textual.strip import Strip
from textual.theme import Theme

from inspector.derive.axis import Axis, OrderAxis, Span, Tick, TimeAxis, steady
from inspector.derive.cursor import find_in_whole, initial_cursor, live_step
from inspector.derive.tree import TreeIndex
from inspector.model.status import ENDED
from inspector.query.view import RunView
from inspector.ui.lines import Line
from inspector.ui.palette import Role
from inspector.ui.panes.position import instant_of
from inspector.ui.panes.row_models import RowModels
from inspector.ui.panes.timeline_rows import (
    Columns,
    Lines,
    RowModel,
    RowPainter,
    columns_for,
    lines_of,
)
from inspector.ui.widgets.line_list import LineList


class ScrollPosition(NamedTuple):
    """Scroll position: the cursor's screen line (None if off screen) and the topmost step."""

    line: int | None
    top: int


class Timeline(LineList):
    """Steps of one view of a run. The cursor belongs to a step and follows its row."""

    SHOWS_POSITION = False
    """Off: the head ends with the axis; the position is written after the title instead."""

    class Ended(Message):
        """The last row was requested, where new events of a run appear."""

    class Arranged(Message):
        """Axis or columns changed; the widgets above and below must realign."""

    def __init__(self) -> None:
        super().__init__(id="timeline")
        self.index = TreeIndex()
        self.view: RunView | None = None
        self.step = -1
        """Step under the cursor; -1 if none."""
        self.tailing = False
        """True while the cursor follows the live step."""
        self.span: Span | None = None
        """Time span of the axis; None for the order of events."""
        self.columns: Columns = columns_for(80, False)
        self.axis: Axis = OrderAxis(1, 1)
        self._row_models: RowModels | None = None
        self._painter: RowPainter | None = None
        self._arranged_for: tuple[object, ...] = ()
        self._arrangement = 0
        self._ruler: tuple[Tick, ...] = ()
        self._has_initial_cursor = False
        self._next: RunView | None = None
        self._building: asyncio.Task[None] | None = None

    # List interface

    @property
    def row_count(self) -> int:
        """Visible rows; collapsed steps are not counted."""
        return self.index.rows if self.view is not None else 0

    @property
    def has_head(self) -> bool:
        """True if there is room for the ruler above the rows."""
        return not self.columns.narrow

    @property
    def position_text(self) -> str:
        """Position in the list; empty for a partial view, whose total is unknown."""
        partial = self.view is not None and self.view.partial
        return "" if partial else super().position_text

    def row_model(self, row: int) -> RowModel:
        """Return the model of a row."""
        assert self._row_models is not None
        return self._row_models.of(row)

    def version(self, row: int) -> Hashable:
        """Row model plus the shared lines and columns."""
        return (self.row_model(row), self._arrangement)

    def head_version(self, top: int) -> Hashable:
        """Ruler and arrangement; independent of the scroll position."""
        return (self._ruler, self._arrangement)

    def paint(self, row: int, width: int, cursor: bool, hover: bool, focused: bool) -> Strip:
        """Draw one step."""
        assert self._painter is not None
        return self._painter.row(self.row_model(row), width, cursor, hover, focused)

    def paint_head(self, width: int, top: int) -> Strip:
        """Draw the ruler."""
        columns = self.columns
        line = Line(width, self.ui.styles)
        line.put(columns.label, "step", Role.MUTED)
        line.add(self.position_text, Role.MUTED, skip=3 if self.position_text else 0)
        if columns.tokens_end is not None:
            line.right(columns.tokens_end, "tokens", Role.MUTED)
        if columns.duration_end is not None:
            line.right(columns.duration_end, "duration", Role.MUTED)
        for label in self._ruler:
            line.put(columns.axis + label.cell, label.label, Role.MUTED)
        return line.strip()

    def _line_key(self, y: int, width: int) -> Hashable:
        # Called for every line of every frame, so the lookups are inlined.
        if not self.columns.narrow:
            if y == 0:
                return ("head", self._ruler, self._arrangement, width, self.position_text)
            y -= 1
        row = round(self.scroll_y) + y
        if self._row_models is None or row >= self.row_count:
            return ("below", self._arrangement, width)
        cursor = row == self.cursor
        return (
            self._row_models.of(row),
            self._arrangement,
            width,
            cursor,
            row == self.hover,
            cursor and self.has_focus,
        )

    def _paint_line(self, y: int, width: int) -> Strip:
        if self._painter is None:
            return Line(width, self.ui.styles).strip()
        below = self.top + y - self._head >= self.row_count
        if below and not (self.has_head and y == 0):
            return self._painter.blank(width)
        return super()._paint_line(y, width)

    # Updates

    def update(self, view: RunView, span: Span | None) -> None:
        """Show a view; `span` is the time span of the axis, None for the order of events.

        Many new steps are indexed in portions while the previous view stays on screen. If several
        views arrive meanwhile, only the newest is shown.
        """
        self.span = span
        self._next = view
        if self._building is None:
            self._show_next()

    def _show_next(self) -> None:
        view, self._next = self._next, None
        if view is None:
            return
        # Step numbers of a partial view do not match those of the whole run.
        whole = self.view is not None and self.view.partial and not view.partial
        index = TreeIndex() if whole else self.index
        index.kept = self.step if not whole else -1
        place = self._scroll_position()
        portions = index.updating(view.steps)
        if next(portions, self) is self:
            self._apply_view(view, place, index)
        else:
            self._building = asyncio.create_task(self._build(portions, view, index))

    async def _build(self, portions: Iterator[None], view: RunView, index: TreeIndex) -> None:
        try:
            place = self._scroll_position()
            while next(portions, self) is not self:
                await asyncio.sleep(0)
                place = self._scroll_position()
            self._apply_view(view, place, index)
        finally:
            self._building = None
        self._show_next()

    async def built(self) -> None:
        """Wait until every view passed to `update` is shown."""
        while self._building is not None:
            await self._building

    def _scroll_position(self) -> ScrollPosition:
        """Record the scroll position before rows change."""
        line = self.screen_line_of(self.cursor)
        seen = 0 <= line < self._lines_for_rows
        top = self.index.step_at(self.top) if self.top < self.row_count else -1
        return ScrollPosition(line if seen else None, top)

    def _apply_view(self, view: RunView, place: ScrollPosition, index: TreeIndex) -> None:
        before, self.view = self.view, view
        again = index is not self.index
        self.index = index
        self._arrange()
        if again and before is not None and self._has_initial_cursor:
            self._restore_cursor(before, view)
            return
        if not self._has_initial_cursor:
            self._set_initial_cursor()
            return
        step = self._cursor_step(view, before)
        row = self.index.row_of(self.index.shown(step)) if step >= 0 else -1
        follows = self.tailing or view.travelling
        self.rows_changed(row, screen_line=None if follows else place.line)
        self._set_step(self.cursor)
        if follows and self.cursor >= 0:
            self.show_row(self.cursor)
        elif place.line is None and 0 <= place.top < len(view.steps):
            # The cursor is off screen: keep the scroll position instead.
            self._scroll(self.index.row_of(self.index.shown(place.top)) or 0)
        self.repaint()

    def _restore_cursor(self, part: RunView, view: RunView) -> None:
        """Restore the cursor once the whole run has replaced a partial view."""
        step = find_in_whole(
            part.steps, self.step, part.step_of_event, view.steps, view.step_of_event
        )
        self._forget_rows()
        self.rows_changed(self.index.reveal(step), screen_line=self._lines_for_rows * 2 // 3)
        self._set_step(self.cursor)
        self.post_message(self.Moved(self, self.cursor))

    def _cursor_step(self, view: RunView, before: RunView | None) -> int:
        """Return the step for the cursor in a new view."""
        if not len(view.steps):
            return -1
        travelled = before is not None and before.events != view.events
        if view.travelling and travelled and view.events:
            return view.step_of_event[view.events - 1]
        if self.tailing and not view.travelling:
            return live_step(view.steps, view.step_of_event)
        return min(max(self.step, 0), len(view.steps) - 1)

    def _set_initial_cursor(self) -> None:
        """Put the cursor on the first failure or the live step when the run opens."""
        view = self.view
        if view is None or not self.size.height or not len(view.steps):
            self.rows_changed()
            return
        self._has_initial_cursor = True
        over = view.run.status in ENDED
        step = initial_cursor(view.steps, view.step_of_event, view.failures, over=over)
        if view.partial:
            step = live_step(view.steps, view.step_of_event)
        row = self.index.reveal(step)
        self._forget_rows()
        self.rows_changed(row, screen_line=self._lines_for_rows * 2 // 3)
        self._set_step(row)
        self.tailing = self._is_live(self.step)
        self.post_message(self.Moved(self, row))

    # Axis and columns

    def _arrange(self) -> None:
        """Compute axis and columns for the current width and view."""
        view = self.view
        if view is None or not self.size.width:
            return
        timed = self.span is not None
        columns = columns_for(self.size.width, timed, view.run.tokens.total is not None)
        total = view.total_events
        axis: Axis = OrderAxis(steady(total), columns.cells, total)
        if self.span is not None:
            axis = TimeAxis(self.span, columns.cells, self.ui.zone)
        now = self.ui.clock()
        position = self._position(view, axis, now)
        lines = lines_of(axis, position)
        self.columns, self.axis = columns, axis
        self._row_models = RowModels(
            view, self.index, axis, self.ui.glyphs, timed=timed, now=now, bare=columns.narrow
        )
        self._ruler = () if view.partial else axis.labels
        arranged_for = (columns, lines, self.ui.epoch, self.ui.styles)
        if arranged_for != self._arranged_for:
            self._arranged_for = arranged_for
            self._arrangement += 1
            self._painter = RowPainter(self.ui, columns, lines)
        self.post_message(self.Arranged())

    def _position(self, view: RunView, axis: Axis, now: int) -> int:
        """Return the cell of the selected past event; -1 while following."""
        if not view.travelling:
            return -1
        if self.span is None:
            return axis.cell(view.events) if view.events else 0
        moment = instant_of(view, view.events, now)
        return axis.cell(self.span.start if moment is None else moment)

    @property
    def lines(self) -> Lines:
        """Ticks, idle gaps and position, in cells of the axis."""
        return lines_of(self.axis, -1) if self._painter is None else self._painter.lines

    def rearrange(self) -> None:
        """Recompute the layout for a new axis, zone, theme or time; redraw what differs."""
        self._arrange()
        self.repaint()

    def _forget_rows(self) -> None:
        if self._row_models is not None:
            self._row_models.forget()

    def on_resize(self) -> None:
        """Fit the columns to the width and keep the cursor visible."""
        self._arrange()
        if self.view is not None and not self._has_initial_cursor:
            self._set_initial_cursor()

    def _on_theme(self, theme: Theme) -> None:
        self._arrange()
        super()._on_theme(theme)

    # Cursor and expansion

    def _set_step(self, row: int) -> None:
        self.step = self.index.step_at(row) if 0 <= row < self.row_count else -1

    def move_to(self, row: int, *, notify: bool = True) -> None:
        """Move the cursor to a row; it then follows that row's step."""
        if not 0 <= row < self.row_count:
            return
        if row != self.cursor:
            self._set_step(row)
            self.tailing = self._is_live(self.step)
        super().move_to(row, notify=notify)

    def go_to(self, step: int) -> None:
        """Move the cursor to a step, expanding its ancestors."""
        if self.view is None or not 0 <= step < len(self.view.steps):
            return
        rows = self.index.rows
        row = self.index.reveal(step)
        if self.index.rows != rows:
            self._forget_rows()
            self.rows_changed()
        self.move_to(row)

    def go_live(self) -> None:
        """Move the cursor to the live step and follow it."""
        if self.view is not None:
            self.go_to(live_step(self.view.steps, self.view.step_of_event))
            self.tailing = True

    def action_cursor_last(self) -> None:
        """Move the cursor to the last row and follow the live step."""
        super().action_cursor_last()
        view = self.view
        self.tailing = view is not None and view.run.status not in ENDED and not view.travelling
        self.post_message(self.Ended())

    def _is_live(self, step: int) -> bool:
        """True if a step is the live step of an unfinished run."""
        view = self.view
        if view is None or view.travelling or view.run.status in ENDED or step < 0:
            return False
        # Many writers record a step only once it ends, so the newest recorded step counts as live.
        return step == self.index.canonical(live_step(view.steps, view.step_of_event))

    def on_mouse_scroll_up(self) -> None:
        """Stop following: scrolling back must not be undone by the next event."""
        self.tailing = False

    def fold(self, *, is_open: bool) -> bool:
        """Expand or collapse the row under the cursor; return False if nothing changed."""
        if self.cursor < 0 or self.row_model(self.cursor).open is not (not is_open):
            return False
        (self.index.unfold if is_open else self.index.fold)(self.step)
        self._forget_rows()
        self.rows_changed(self.cursor)
        return True

    def toggle(self) -> bool:
        """Toggle the row under the cursor; return False if the step has no children."""
        return self.fold(is_open=False) or self.fold(is_open=True)

    def outward(self) -> None:
        """Collapse the step, or move to its parent."""
        if self.step >= 0 and not self.fold(is_open=False):
            owner = self.index.owner(self.step)
            row = self.index.row_of(owner) if owner >= 0 else None
            if row is not None:
                self.move_to(row)

    def inward(self) -> None:
        """Expand the step, or move to its first child."""
        if self.cursor >= 0 and not self.fold(is_open=True) and self.row_model(self.cursor).open:
            self.move_to(self.cursor + 1)
