"""The counts above the list of runs, and the filter field that replaces them."""

from __future__ import annotations

from dataclasses import dataclass

from textual.strip import Strip

from inspector.derive.groups import Counts
from inspector.text.measure import cell_width
from inspector.text.numbers import count
from inspector.ui.glyphs import Glyphs
from inspector.ui.lines import NARROW, Line, LineWidget, gap, margin
from inspector.ui.palette import Ground, Role
from inspector.ui.widgets.frame import Piece
from inspector.ui.widgets.prompt_input import PromptInput

WIDE = 100
FIELD_CELLS = 44
NO_COUNTS = Counts()


@dataclass(frozen=True, slots=True)
class Totals:
    """Numbers of the row; `shown` is None if no run is hidden."""

    counts: Counts = NO_COUNTS
    problems: int = 0
    loading: int = 0
    shown: int | None = None


def count_pieces(counts: Counts, glyphs: Glyphs) -> list[tuple[str, int, str, Role]]:
    """Glyph, number, word and role of each nonzero count."""
    every = [
        (glyphs.waiting, counts.waiting, "waiting", Role.WARNING),
        (glyphs.failed, counts.failed_today, "failed today", Role.ERROR),
        (glyphs.running, counts.active, "active", Role.ACCENT),
        ("", counts.quiet, "quiet", Role.MUTED),
    ]
    return [item for item in every if item[1]]


def short_pieces(counts: Counts, glyphs: Glyphs) -> list[Piece]:
    """The counts for a narrow header: glyphs and numbers without words."""
    pieces: list[Piece] = []
    for glyph, number, _, role in count_pieces(counts, glyphs):
        if glyph:
            pieces.append(Piece(glyph, role, 1 if pieces else 0))
            pieces.append(Piece(count(number), Role.TEXT))
    return pieces


def shown_pieces(shown: int, runs: int) -> list[tuple[str, Role]]:
    """`3 of 1,204 runs`, in pieces with their roles."""
    return [(count(shown), Role.STRONG), (f" of {count(runs)} runs", Role.MUTED)]


class CountsRow(LineWidget):
    """Counts by status on the left; stores to load, runs and problems on the right."""

    def __init__(self) -> None:
        super().__init__(id="counts")
        self._totals = Totals()

    def show(self, totals: Totals) -> None:
        """Shows new numbers."""
        self._totals = totals
        self.repaint()

    def paint_line(self, y: int, width: int) -> Strip:
        """Paint the row; counts that do not fit are left out from the right."""
        edge, space = margin(width), gap(width)
        line = self.line(width)
        right = self._right(width)
        cells = sum(cell_width(text) for text, _ in right)
        pieces = count_pieces(self._totals.counts, self.ui.glyphs)
        line.put(edge, "")
        for glyph, number, word, role in pieces:
            wide = cell_width(f"{glyph} {count(number)} {word}".lstrip())
            skip = space if line.cells > edge else 0
            if line.cells + skip + wide + space + cells > width - edge:
                break
            line.add("", skip=skip)
            if glyph:
                line.add(glyph, role)
                line.add("", skip=1)
            line.add(count(number))
            line.add(word, Role.MUTED, skip=1)
        line.put(width - edge - cells, "")
        for text, role in right:
            line.add(text, role)
        return line.strip()

    def _right(self, width: int) -> list[tuple[str, Role]]:
        totals, glyphs = self._totals, self.ui.glyphs
        found: list[tuple[str, Role]] = []
        if totals.loading:
            stores = "store" if totals.loading == 1 else "stores"
            found.append((f"{count(totals.loading)} {stores} still loading   ", Role.MUTED))
        if totals.shown is not None:
            if width >= WIDE:
                found.append((glyphs.plain("needs attention only · n show all   "), Role.ACCENT))
            found += shown_pieces(totals.shown, totals.counts.runs)
        else:
            word = "run" if totals.counts.runs == 1 else "runs"
            found += [(count(totals.counts.runs), Role.TEXT), (f" {word}", Role.MUTED)]
        if totals.problems:
            found += [(f"   {glyphs.finding}", Role.WARNING)]
            found += [(f" {count(totals.problems)}", Role.TEXT)]
            if width >= WIDE:
                word = "problem" if totals.problems == 1 else "problems"
                found.append((f" {word}", Role.MUTED))
        return found


class FilterField(PromptInput):
    """The filter, in place of the counts."""

    EXIT_KEYS = ("enter", "escape", "up", "down", "pageup", "pagedown")

    def __init__(self) -> None:
        super().__init__("/", "Esc clear", id="filter")
        self._shown, self._runs = 0, 0

    def show_found(self, shown: int, runs: int) -> None:
        """Shows how many runs match."""
        if (shown, runs) != (self._shown, self._runs):
            self._shown, self._runs = shown, runs
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """Paint the field with the number of matching runs beside it."""
        width = self.size.width
        narrow = width < NARROW
        edge, space = margin(width), gap(width)
        found = shown_pieces(self._shown, self._runs)
        if narrow:
            found[1] = (found[1][0].removesuffix(" runs"), Role.MUTED)
        cells = sum(len(text) for text, _ in found)
        room = max(8, min(FIELD_CELLS, width - 2 * edge - cells - space))
        around = Ground.RAISED if narrow else Ground.BG
        left = Line(edge, self.ui.styles, around).strip()
        right = Line(max(0, width - edge - room), self.ui.styles, around)
        right.put(space, "")
        for text, role in found:
            right.add(text, role)
        return Strip.join([left, self.draw(room), right.strip()])
