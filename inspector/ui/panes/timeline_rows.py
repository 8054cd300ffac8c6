"""Column layout and painting of timeline rows; widths do not depend on the content."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rich.segment import Segment
from textual.strip import Strip

from inspector.derive.axis import Axis
from inspector.model.status import Status
from inspector.text.measure import cell_width, clip
from inspector.ui.command_screen import GlyphMeaning
from inspector.ui.context import UiContext
from inspector.ui.glyphs import MEANINGS, Glyphs
from inspector.ui.lines import NARROW, Line, margin
from inspector.ui.palette import STATUS_ROLE, Ground, Role, ThemeStyles

COUNT_CELLS = 7
"""Reserved for `∥ 2/3`, so that a growing count does not change where the label is cut."""

NARROW_AXIS = 10
TOKENS_FROM = 100
"""Minimum pane width, in columns, for a token column."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Columns of the timeline. A column named `*_end` is right-aligned."""

    width: int
    sign: int
    tree: int
    """Expand or collapse marker of root steps."""
    indent: int
    label: int
    """Labels of root steps."""
    label_end: int
    count_end: int | None
    """None where counts follow the label."""
    tokens_end: int | None
    duration_end: int | None
    axis: int
    cells: int

    @property
    def narrow(self) -> bool:
        """True in the single-pane layout."""
        return self.width < NARROW

    @property
    def gap(self) -> int:
        """Empty cells between a label and the text after it."""
        return 2 if self.narrow else 3


def columns_for(width: int, timed: bool, tokens: bool = False) -> Columns:
    """Return the columns for a pane width, with or without durations."""
    edge = margin(width)
    if width < NARROW:
        axis = max(12, width - edge - NARROW_AXIS)
        end = axis - 1
        tokens_end = None
        tree, indent = 3, 1
    else:
        tree, indent = 5, 2
        end = min(41, (width + 3) // 2) + max(0, (width - 82) // 2)
        axis = end + 3
        tokens_end = end - 10 if timed and tokens and width >= TOKENS_FROM else None
    duration_end = end if timed else None
    label_end = end
    if timed:
        label_end = (tokens_end - 6 if tokens_end else end - 8) - 2
    return Columns(
        width,
        sign=edge,
        tree=tree,
        indent=indent,
        label=tree + 2,
        label_end=label_end,
        count_end=None if timed else end,
        tokens_end=tokens_end,
        duration_end=duration_end,
        axis=axis,
        cells=max(1, width - edge - axis),
    )


LEAST_LABEL, LEAST_NARROW = 12, 8
"""Minimum cells of a label, however deep the step."""

LEAST_NOTE = 5
"""Minimum cells of a note; a narrower one is omitted."""

QUIET = {Status.PENDING, Status.SKIPPED, Status.NOT_NEEDED}
"""Statuses drawn muted because the step did not happen."""


class RowModel(NamedTuple):
    """Everything drawn in one row. Equal models look the same. All text is already escaped."""

    step: int
    depth: int
    open: bool | None
    status: Status
    sign: str
    """Glyph of the step's kind."""
    label: str
    short: str
    """Shorter form of the label for narrow columns; empty if the label is to be clipped."""
    note: str
    counted: str
    tokens: str
    duration: str
    duration_role: Role
    bar_cell: int
    bar: str
    bar_role: Role


class Lines(NamedTuple):
    """Vertical lines through all rows: ticks, ends of idle gaps, and the selected position.

    Each is a cell of the axis; `position` is -1 while following.
    """

    ticks: tuple[int, ...]
    idle: tuple[int, ...]
    position: int


def lines_of(axis: Axis, position: int) -> Lines:
    """Return the lines of an axis."""
    idle = tuple(cell for cut in axis.cuts for cell in (cut.first, cut.last))
    return Lines(tuple(tick.cell for tick in axis.ticks), idle, position)


class Cells:
    """Minimal line builder: texts from left to right, each with a role.

    Faster than `inspector.ui.lines.Line`, because a frame draws dozens of rows.
    """

    __slots__ = ("_ground", "_segments", "_style", "cells")

    def __init__(self, styles: ThemeStyles, ground: Ground) -> None:
        self.cells = 0
        self._ground = ground
        self._style = styles.style
        self._segments: list[Segment] = []

    def put(self, column: int, text: str, role: Role) -> None:
        """Write escaped text at a column beyond the current end."""
        segments, gap = self._segments, column - self.cells
        if gap > 0:
            if segments:
                before, style, _ = segments[-1]
                segments[-1] = Segment(before + " " * gap, style)
            else:
                segments.append(Segment(" " * gap, self._style(Role.TEXT, self._ground)))
            self.cells = column
        segments.append(Segment(text, self._style(role, self._ground)))
        self.cells += len(text) if text.isascii() else cell_width(text)

    def right(self, end: int, text: str, role: Role) -> None:
        """Write `text` right-aligned, ending before column `end`."""
        self.put(end - cell_width(text), text, role)

    def strip(self, width: int) -> Strip:
        """Return the finished line."""
        if self.cells < width:
            self.put(width, "", Role.TEXT)
        strip = Strip(self._segments, self.cells)
        return strip if self.cells == width else strip.adjust_cell_length(width)


class RowPainter:
    """Draws rows with shared columns and lines."""

    def __init__(self, ui: UiContext, columns: Columns, lines: Lines) -> None:
        self.ui = ui
        self.columns = columns
        self.lines = lines
        self._runs = self._runs_of_lines()
        counts = COUNT_CELLS + 2 if columns.count_end is not None else 0
        least = LEAST_NARROW if columns.narrow else LEAST_LABEL
        room = columns.label_end - counts - columns.label - least
        self._deepest = max(0, room // columns.indent)

    def _runs_of_lines(self) -> list[tuple[int, str, Role]]:
        """Join neighbouring lines of one role into one text, because fewer segments draw faster."""
        glyphs, styles = self.ui.glyphs, self.ui.styles
        marks: dict[int, tuple[str, Role]] = {}
        if styles.draws(Role.DIM):
            marks = dict.fromkeys(self.lines.ticks, (glyphs.guide, Role.DIM))
        marks |= dict.fromkeys(self.lines.idle, (glyphs.idle, Role.LINE))
        if self.lines.position >= 0:
            marks[self.lines.position] = (glyphs.idle, Role.TRAVEL)
        runs: list[tuple[int, str, Role]] = []
        for cell, (sign, role) in sorted(marks.items()):
            if runs and runs[-1][2] is role:
                start, text, _ = runs[-1]
                runs[-1] = (start, f"{text:<{cell - start}}{sign}", role)
            else:
                runs.append((cell, sign, role))
        return runs

    def blank(self, width: int) -> Strip:
        """Draw a line below the last row: only the position line continues there."""
        line = Line(width, self.ui.styles)
        if self.lines.position >= 0:
            line.put(self.columns.axis + self.lines.position, self.ui.glyphs.idle, Role.TRAVEL)
        return line.strip()

    def row(self, model: RowModel, width: int, cursor: bool, hover: bool, focused: bool) -> Strip:
        """Draw one row."""
        ui, columns = self.ui, self.columns
        ground = Ground.SELECT if cursor else Ground.HOVER if hover else Ground.BG
        line = Cells(ui.styles, ground)
        if cursor:
            line.put(0, ui.glyphs.cursor, Role.ACCENT if focused else Role.GUIDE)
        line.put(columns.sign, ui.glyphs.of(model.status), STATUS_ROLE[model.status])
        start = self._tree(line, model)
        self._label(line, model, start, strong=cursor and focused)
        self._figures(line, model)
        self._bar(line, model)
        return line.strip(width)

    def _tree(self, line: Cells, model: RowModel) -> int:
        """Draw guides and the expand marker; return the column of the label."""
        columns, glyphs = self.columns, self.ui.glyphs
        depth = min(model.depth, self._deepest)
        if depth:
            guides = glyphs.guide.ljust(columns.indent) * depth
            line.put(columns.tree, guides.rstrip(), Role.LINE)
        at = columns.tree + depth * columns.indent
        if model.depth > depth:
            # Too deep for the indent: write the depth as a number.
            line.put(at, f"{glyphs.cut}{model.depth}", Role.MUTED)
            at = line.cells + 1
        if model.open is not None:
            line.put(at, glyphs.unfolded if model.open else glyphs.folded, Role.MUTED)
        # In a narrow pane a leaf reserves no cell for the marker.
        beside = columns.narrow and model.open is None and model.depth > 0
        return at + (1 if beside else 2)

    def _label(self, line: Cells, model: RowModel, start: int, *, strong: bool) -> None:
        columns, cut = self.columns, self.ui.glyphs.cut
        end = columns.label_end
        if columns.count_end is not None and model.counted:
            end -= max(COUNT_CELLS, cell_width(model.counted)) + 2
        role = Role.STRONG if strong else Role.MUTED if model.status in QUIET else Role.TEXT
        if model.sign:
            line.put(start, model.sign, Role.MUTED)
            start = line.cells + 1
        counted = model.counted if columns.count_end is None else ""
        if counted:
            end -= cell_width(counted) + columns.gap
        label = model.label
        if model.short and cell_width(label) > end - start:
            label = model.short
        line.put(start, clip(label, max(1, end - start), ellipsis=cut), role)
        if counted:
            line.put(line.cells + columns.gap, counted, role)
            end = columns.label_end
        room = end - line.cells - columns.gap
        if model.note and room >= LEAST_NOTE:
            line.put(line.cells + columns.gap, clip(model.note, room, ellipsis=cut), role)

    def _figures(self, line: Cells, model: RowModel) -> None:
        columns = self.columns
        if columns.count_end is not None and model.counted:
            line.right(columns.count_end, model.counted, Role.MUTED)
        if columns.tokens_end is not None and model.tokens:
            line.right(columns.tokens_end, model.tokens, Role.MUTED)
        if columns.duration_end is not None:
            line.right(columns.duration_end, model.duration, model.duration_role)

    def _bar(self, line: Cells, model: RowModel) -> None:
        axis = self.columns.axis
        first = model.bar_cell if model.bar else self.columns.cells
        end = first + len(model.bar)
        for cell, text, role in self._runs:
            if cell < first:
                line.put(axis + cell, text[: first - cell].rstrip(), role)
        if model.bar:
            line.put(axis + first, model.bar, model.bar_role)
        for cell, text, role in self._runs:
            behind = text[max(0, end - cell) :]
            if behind:
                line.put(axis + max(cell, end), behind, role)


_COUNTS = ("parallel", "loop", "attempt")
_KINDS = ("model_call", "tool", "action")


def explain(model: RowModel, glyphs: Glyphs) -> Sequence[GlyphMeaning]:
    """Return the legend of all glyphs used in rows."""
    status = model.status
    found = [GlyphMeaning(glyphs.of(status), MEANINGS[status.value], STATUS_ROLE[status])]
    if model.open is not None:
        fold = "unfolded" if model.open else "folded"
        found.append(GlyphMeaning(getattr(glyphs, fold), MEANINGS[fold], Role.MUTED))
    for name in _KINDS:
        if model.sign and model.sign == getattr(glyphs, name):
            found.append(GlyphMeaning(model.sign, MEANINGS[name], Role.MUTED))
            break
    for name in _COUNTS:
        if model.counted.startswith(getattr(glyphs, name)):
            found.append(GlyphMeaning(getattr(glyphs, name), MEANINGS[name], Role.MUTED))
    if model.bar:
        dashed = {glyphs.open_bar, glyphs.open_parent} & set(model.bar)
        name = "open_bar" if dashed else "bar" if model.open is None else "parent_bar"
        found.append(GlyphMeaning(model.bar[-1], MEANINGS[name], model.bar_role))
    elif status is not Status.UNKNOWN:
        found.append(GlyphMeaning(" ", "no row tells when: there is no bar", Role.MUTED))
    return found
