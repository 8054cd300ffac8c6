"""The row of counts above the list, and the filter that opens in its place."""

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
    """What the row says; `shown` is None while no run is hidden."""

    counts: Counts = NO_COUNTS
    problems: int = 0
    loading: int = 0
    shown: int | None = None


def count_pieces(counts: Counts, glyphs: Glyphs) -> list[tuple[str, int, str, Role]]:
    """Sign, number, word and role of each count that is not zero."""
    every = [
        (glyphs.waiting, counts.waiting, "waiting", Role.WARNING),
        (glyphs.failed, counts.failed_today, "failed today", Role.ERROR),
        (glyphs.running, counts.active, "active", Role.ACCENT),
        ("", counts.quiet, "quiet", Role.MUTED),
    ]
    return [item for item in every if item[1]]


def short_pieces(counts: Counts, glyphs: Glyphs) -> list[Piece]:
    """The counts as they stand in a narrow header: signs and numbers."""
    pieces: list[Piece] = []
    for sign, number, _, role in count_pieces(counts, glyphs):
        if sign:
            pieces.append(Piece(sign, role, 1 if pieces else 0))
            pieces.append(Piece(count(number), Role.TEXT))
    return pieces


def shown_of(shown: int, runs: int) -> list[tuple[str, Role]]:
    """`3 of 1,204 runs`."""
    return [(count(shown), Role.STRONG), (f" of {count(runs)} runs", Role.MUTED)]


class CountsRow(LineWidget):
    """How many runs wait, failed, are active and quiet; how many there are and their problems."""

    def __init__(self) -> None:
        super().__init__(id="counts")
        self._totals = Totals()

    def show(self, totals: Totals) -> None:
        """Takes new numbers."""
        self._totals = totals
        self.repaint()

    def paint_line(self, y: int, width: int) -> Strip:
        """The row."""
        edge, space = margin(width), gap(width)
        line = self.line(width)
        right = self._right(width)
        cells = sum(cell_width(text) for text, _ in right)
        pieces = count_pieces(self._totals.counts, self.ui.glyphs)
        line.put(edge, "")
        for sign, number, word, role in pieces:
            wide = cell_width(f"{sign} {count(number)} {word}".lstrip())
            skip = space if line.cells > edge else 0
            if line.cells + skip + wide + space + cells > width - edge:
                break
            line.add("", skip=skip)
            if sign:
                line.add(sign, role)
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
            found.append((f"{count(totals.loading)} {stores} still to read   ", Role.MUTED))
        if totals.shown is not None:
            if width >= WIDE:
                found.append(("only what needs me, n shows all   ", Role.ACCENT))
            found += shown_of(totals.shown, totals.counts.runs)
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
    """The words that are looked for, typed in the row of the counts."""

    EXIT_KEYS = ("enter", "escape", "up", "down", "pageup", "pagedown")

    def __init__(self) -> None:
        super().__init__("/", "esc clears", id="filter")
        self._shown, self._runs = 0, 0

    def show_found(self, shown: int, runs: int) -> None:
        """Says how many of how many runs are meant."""
        if (shown, runs) != (self._shown, self._runs):
            self._shown, self._runs = shown, runs
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """The field, and beside it how many runs are meant."""
        width = self.size.width
        narrow = width < NARROW
        edge, space = margin(width), gap(width)
        found = shown_of(self._shown, self._runs)
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
