"""Scrubber below the timeline: the position among all events, aligned with the bars."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.message import Message
from textual.strip import Strip

from inspector.derive.axis import Axis, OrderAxis
from inspector.derive.bars import Mark, scrubber
from inspector.ui.lines import LineWidget
from inspector.ui.palette import Role
from inspector.ui.panes.timeline_rows import Columns, columns_for


@dataclass(frozen=True, slots=True)
class PlaybackPosition:
    """Playback position: after `event` of `total` events."""

    event: int
    total: int
    word: str = ""
    """`following`, `travelling`, `paused`, or empty."""
    role: Role = Role.ACCENT
    travelling: bool = False
    partial: bool = False
    """True while only the newest events are loaded and the number of earlier ones is unknown."""


class Scrubber(LineWidget):
    """Blank line and scrubber. Narrow terminals show one line, and only when not just following."""

    class Picked(Message):
        """A cell of the scrubber was clicked."""

        def __init__(self, cell: int) -> None:
            super().__init__()
            self.cell = cell

    def __init__(self) -> None:
        super().__init__(id="scrubber")
        self._position = PlaybackPosition(0, 0)
        self._columns = columns_for(80, False)
        self._axis: Axis = OrderAxis(1, 1)
        self._marks: tuple[Mark, ...] = ()

    def show(
        self,
        place: PlaybackPosition,
        columns: Columns,
        axis: Axis,
        failures: list[int],
        position: int | None,
    ) -> None:
        """Show a position; `failures` and `position` are event numbers or times on the axis."""
        self._position, self._columns, self._axis = place, columns, axis
        self._marks = tuple(scrubber(axis, failures, position, travelling=place.travelling))
        self.repaint()

    def paint_line(self, y: int, width: int) -> Strip:
        """Draw the continued position line, or the scrubber."""
        columns, place = self._columns, self._position
        line = self.line(width)
        if not place.total:
            return line.strip()
        last = y == self.size.height - 1
        if not last:
            if place.travelling and Mark.POSITION in self._marks:
                at = self._marks.index(Mark.POSITION)
                line.put(columns.axis + at, self.ui.glyphs.idle, Role.TRAVEL)
            return line.strip()
        if place.partial:
            line.put(columns.sign, f"newest {place.event:,} events", bold=True)
            if not columns.narrow:
                line.add("the rest is being read", Role.MUTED, skip=columns.gap)
            return line.strip()
        if columns.narrow and not place.travelling and place.role is Role.ACCENT:
            return line.strip()
        line.put(columns.sign, f"event {place.event:,}", bold=True)
        line.add(f"of {place.total:,}", Role.MUTED, skip=1)
        line.add(place.word, place.role, skip=columns.gap)
        if not columns.narrow:
            for cell, mark in enumerate(self._marks):
                line.put(columns.axis + cell, *self._glyph(mark))
        return line.strip()

    def _glyph(self, mark: Mark) -> tuple[str, Role]:
        glyphs = self.ui.glyphs
        position = Role.TRAVEL if self._position.travelling else Role.ACCENT
        return {
            Mark.LINE: (glyphs.bar, Role.GUIDE),
            Mark.BEFORE: (glyphs.bar, Role.TRAVEL),
            Mark.AFTER: (glyphs.parent_bar, Role.GUIDE),
            Mark.FAILURE: (glyphs.failed, Role.ERROR),
            Mark.POSITION: (glyphs.running, position),
            Mark.IDLE: (glyphs.idle, Role.MUTED),
        }[mark]

    def on_click(self, event: events.Click) -> None:
        """Seek to the clicked cell."""
        cell = event.x - self._columns.axis
        if event.y == self.size.height - 1 and 0 <= cell < len(self._marks):
            self.post_message(self.Picked(cell))


class IdleLabels(LineWidget):
    """Row above the ruler with the durations of hidden idle gaps."""

    def __init__(self) -> None:
        super().__init__(id="above")
        self._columns = columns_for(80, False)
        self._axis: Axis = OrderAxis(1, 1)

    def show(self, columns: Columns, axis: Axis) -> None:
        """Show the labels of an axis."""
        self._columns, self._axis = columns, axis
        self.repaint()

    def paint_line(self, y: int, width: int) -> Strip:
        """Draw each label centred on its gap."""
        line = self.line(width)
        for cut in self._axis.cuts:
            middle = self._columns.axis + (cut.first + cut.last + 1 - len(cut.label)) // 2
            if middle > line.cells:
                line.put(middle, cut.label, Role.MUTED)
        return line.strip()
