"""The timeline: a tree of steps with bars beside it, however many steps there are."""

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


class Place(NamedTuple):
    """Where one looks: the cursor's line (None when it is not on the screen), the topmost step."""

    line: int | None
    top: int


class Timeline(LineList):
    """The steps of one view of a run. The cursor belongs to a step, wherever its row is."""

    SHOWS_POSITION = False
    """The right end of its head is the end of the axis: it says so beside the steps."""

    class Ended(Message):
        """The last row was asked for, which is where a run goes on."""

    class Arranged(Message):
        """The axis or the columns changed: what stands above and below must line up again."""

    def __init__(self) -> None:
        super().__init__(id="timeline")
        self.index = TreeIndex()
        self.view: RunView | None = None
        self.step = -1
        """The step that the cursor belongs to; -1 while there is none."""
        self.tailing = False
        """Whether the cursor goes with the step where something happens."""
        self.span: Span | None = None
        """The time to show; None shows the order of events."""
        self.columns: Columns = columns_for(80, False)
        self.axis: Axis = OrderAxis(1, 1)
        self._pictures: RowModels | None = None
        self._painter: RowPainter | None = None
        self._arranged_for: tuple[object, ...] = ()
        self._arrangement = 0
        self._ruler: tuple[Tick, ...] = ()
        self._landed = False
        self._next: RunView | None = None
        self._building: asyncio.Task[None] | None = None

    # What a list is asked

    @property
    def row_count(self) -> int:
        """Rows under the folds."""
        return self.index.rows if self.view is not None else 0

    @property
    def has_head(self) -> bool:
        """The ruler stands above the rows where there is room."""
        return not self.columns.narrow

    @property
    def position_text(self) -> str:
        """Nothing while only the newest events are there: how many there are is not known."""
        partial = self.view is not None and self.view.partial
        return "" if partial else super().position_text

    def picture(self, row: int) -> RowModel:
        """What is drawn of a row."""
        assert self._pictures is not None
        return self._pictures.of(row)

    def version(self, row: int) -> Hashable:
        """The picture, and the lines and columns that it shares."""
        return (self.picture(row), self._arrangement)

    def head_version(self, top: int) -> Hashable:
        """The ruler never scrolls."""
        return (self._ruler, self._arrangement)

    def paint(self, row: int, width: int, cursor: bool, hover: bool, focused: bool) -> Strip:
        """One step."""
        assert self._painter is not None
        return self._painter.row(self.picture(row), width, cursor, hover, focused)

    def paint_head(self, width: int, top: int) -> Strip:
        """The ruler."""
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
        # Asked for every line of every frame: what all lines share is looked up once elsewhere.
        if not self.columns.narrow:
            if y == 0:
                return ("head", self._ruler, self._arrangement, width, self.position_text)
            y -= 1
        row = round(self.scroll_y) + y
        if self._pictures is None or row >= self.row_count:
            return ("below", self._arrangement, width)
        cursor = row == self.cursor
        return (
            self._pictures.of(row),
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

    # What arrives

    def update(self, view: RunView, span: Span | None) -> None:
        """Shows a view of the run; `span` is the time to show, None the order of events.

        A view with very many new steps is taken in by portions, and what was shown stays until
        then; of several that arrive meanwhile the newest counts.
        """
        self.span = span
        self._next = view
        if self._building is None:
            self._take_next()

    def _take_next(self) -> None:
        view, self._next = self._next, None
        if view is None:
            return
        # Steps of the end by itself have other numbers than those of the whole.
        whole = self.view is not None and self.view.partial and not view.partial
        index = TreeIndex() if whole else self.index
        index.kept = self.step if not whole else -1
        place = self._place()
        portions = index.updating(view.steps)
        if next(portions, self) is self:
            self._taken(view, place, index)
        else:
            self._building = asyncio.create_task(self._build(portions, view, index))

    async def _build(self, portions: Iterator[None], view: RunView, index: TreeIndex) -> None:
        try:
            place = self._place()
            while next(portions, self) is not self:
                await asyncio.sleep(0)
                place = self._place()
            self._taken(view, place, index)
        finally:
            self._building = None
        self._take_next()

    async def built(self) -> None:
        """Returns when nothing that arrived is still to be shown."""
        while self._building is not None:
            await self._building

    def _place(self) -> Place:
        """What stands where on the screen, before rows change."""
        line = self.screen_line_of(self.cursor)
        seen = 0 <= line < self._lines_for_rows
        top = self.index.step_at(self.top) if self.top < self.row_count else -1
        return Place(line if seen else None, top)

    def _taken(self, view: RunView, place: Place, index: TreeIndex) -> None:
        before, self.view = self.view, view
        again = index is not self.index
        self.index = index
        self._arrange()
        if again and before is not None and self._landed:
            self._find_again(before, view)
            return
        if not self._landed:
            self._land()
            return
        step = self._wanted(view, before)
        row = self.index.row_of(self.index.shown(step)) if step >= 0 else -1
        follows = self.tailing or view.travelling
        self.rows_changed(row, screen_line=None if follows else place.line)
        self._stand_on(self.cursor)
        if follows and self.cursor >= 0:
            self.show_row(self.cursor)
        elif place.line is None and 0 <= place.top < len(view.steps):
            # Who scrolled away from the cursor stays where they look.
            self._scroll(self.index.row_of(self.index.shown(place.top)) or 0)
        self.repaint()

    def _find_again(self, part: RunView, view: RunView) -> None:
        """The whole run is there: the cursor stays where it was among the newest events."""
        step = find_in_whole(
            part.steps, self.step, part.step_of_event, view.steps, view.step_of_event
        )
        self._forget_rows()
        self.rows_changed(self.index.reveal(step), screen_line=self._lines_for_rows * 2 // 3)
        self._stand_on(self.cursor)
        self.post_message(self.Moved(self, self.cursor))

    def _wanted(self, view: RunView, before: RunView | None) -> int:
        """The step that the cursor belongs to in a view."""
        if not len(view.steps):
            return -1
        travelled = before is not None and before.events != view.events
        if view.travelling and travelled and view.events:
            return view.step_of_event[view.events - 1]
        if self.tailing and not view.travelling:
            return live_step(view.steps, view.step_of_event)
        return min(max(self.step, 0), len(view.steps) - 1)

    def _land(self) -> None:
        """Opens on the failure or the live step."""
        view = self.view
        if view is None or not self.size.height or not len(view.steps):
            self.rows_changed()
            return
        self._landed = True
        over = view.run.status in ENDED
        step = initial_cursor(view.steps, view.step_of_event, view.failures, over=over)
        if view.partial:
            step = live_step(view.steps, view.step_of_event)
        row = self.index.reveal(step)
        self._forget_rows()
        self.rows_changed(row, screen_line=self._lines_for_rows * 2 // 3)
        self._stand_on(row)
        self.tailing = self._is_live(self.step)
        self.post_message(self.Moved(self, row))

    # Axis and columns

    def _arrange(self) -> None:
        """Computes axis and columns for the width and the view."""
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
        self._pictures = RowModels(
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
        """The cell of a traveller, -1 while following."""
        if not view.travelling:
            return -1
        if self.span is None:
            return axis.cell(view.events) if view.events else 0
        moment = instant_of(view, view.events, now)
        return axis.cell(self.span.start if moment is None else moment)

    @property
    def lines(self) -> Lines:
        """Ticks, idle stretches and position, in cells of the axis."""
        return lines_of(self.axis, -1) if self._painter is None else self._painter.lines

    def rearrange(self) -> None:
        """Another axis, zone, theme or now: all is computed anew, and what differs is drawn."""
        self._arrange()
        self.repaint()

    def _forget_rows(self) -> None:
        if self._pictures is not None:
            self._pictures.forget()

    def on_resize(self) -> None:
        """Columns follow the width; the cursor stays on the screen."""
        self._arrange()
        if self.view is not None and not self._landed:
            self._land()

    def _on_theme(self, theme: Theme) -> None:
        self._arrange()
        super()._on_theme(theme)

    # Moving and folding

    def _stand_on(self, row: int) -> None:
        self.step = self.index.step_at(row) if 0 <= row < self.row_count else -1

    def move_to(self, row: int, *, notify: bool = True) -> None:
        """Puts the cursor on a row; from then on it stays with that row's step."""
        if not 0 <= row < self.row_count:
            return
        if row != self.cursor:
            self._stand_on(row)
            self.tailing = self._is_live(self.step)
        super().move_to(row, notify=notify)

    def go_to(self, step: int) -> None:
        """Puts the cursor on a step, unfolding whatever hides it."""
        if self.view is None or not 0 <= step < len(self.view.steps):
            return
        rows = self.index.rows
        row = self.index.reveal(step)
        if self.index.rows != rows:
            self._forget_rows()
            self.rows_changed()
        self.move_to(row)

    def go_live(self) -> None:
        """Puts the cursor on the step where something happens, and keeps it with that."""
        if self.view is not None:
            self.go_to(live_step(self.view.steps, self.view.step_of_event))
            self.tailing = True

    def action_cursor_last(self) -> None:
        """The last row; from then on the cursor goes with the step where something happens."""
        super().action_cursor_last()
        view = self.view
        self.tailing = view is not None and view.run.status not in ENDED and not view.travelling
        self.post_message(self.Ended())

    def _is_live(self, step: int) -> bool:
        """Whether a step is the one where something happens, in a run that goes on."""
        view = self.view
        if view is None or view.travelling or view.run.status in ENDED or step < 0:
            return False
        # Many writers record a step only when it is over: the newest is live for all that.
        return step == self.index.canonical(live_step(view.steps, view.step_of_event))

    def on_mouse_scroll_up(self) -> None:
        """Who scrolls back does not want to be carried away."""
        self.tailing = False

    def fold(self, *, is_open: bool) -> bool:
        """Folds or unfolds the row under the cursor; False when that changes nothing."""
        if self.cursor < 0 or self.picture(self.cursor).open is not (not is_open):
            return False
        (self.index.unfold if is_open else self.index.fold)(self.step)
        self._forget_rows()
        self.rows_changed(self.cursor)
        return True

    def toggle(self) -> bool:
        """Folds what is open, unfolds what is folded; False for a step with nothing inside."""
        return self.fold(is_open=False) or self.fold(is_open=True)

    def outward(self) -> None:
        """Folds, or goes to the step around."""
        if self.step >= 0 and not self.fold(is_open=False):
            owner = self.index.owner(self.step)
            row = self.index.row_of(owner) if owner >= 0 else None
            if row is not None:
                self.move_to(row)

    def inward(self) -> None:
        """Unfolds, or goes to the first step inside."""
        if self.cursor >= 0 and not self.fold(is_open=True) and self.picture(self.cursor).open:
            self.move_to(self.cursor + 1)
