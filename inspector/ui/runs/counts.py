"""The row of counts above the list, and the filter that opens in its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.binding import Binding
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widgets import Input

from inspector.derive.groups import Counts
from inspector.text.escape import visible
from inspector.text.measure import cell_width, clusters
from inspector.text.numbers import count
from inspector.ui.frame import Piece
from inspector.ui.kit import Kit, kit_of
from inspector.ui.paint import NARROW, Line, Painted, gap, margin
from inspector.ui.palette import Ground, Role
from inspector.ui.signs import Signs

WIDE = 100
FIELD_CELLS = 44
CLEARS = "esc clears"
NO_COUNTS = Counts()


@dataclass(frozen=True, slots=True)
class Totals:
    """What the row says; `shown` is None while no run is hidden."""

    counts: Counts = NO_COUNTS
    problems: int = 0
    loading: int = 0
    shown: int | None = None


def count_pieces(counts: Counts, signs: Signs) -> list[tuple[str, int, str, Role]]:
    """Sign, number, word and role of each count that is not zero."""
    every = [
        (signs.waiting, counts.waiting, "waiting", Role.WARNING),
        (signs.failed, counts.failed_today, "failed today", Role.ERROR),
        (signs.running, counts.active, "active", Role.ACCENT),
        ("", counts.quiet, "quiet", Role.MUTED),
    ]
    return [item for item in every if item[1]]


def short_pieces(counts: Counts, signs: Signs) -> list[Piece]:
    """The counts as they stand in a narrow header: signs and numbers."""
    pieces: list[Piece] = []
    for sign, number, _, role in count_pieces(counts, signs):
        if sign:
            pieces.append(Piece(sign, role, 1 if pieces else 0))
            pieces.append(Piece(count(number), Role.TEXT))
    return pieces


def shown_of(shown: int, runs: int) -> list[tuple[str, Role]]:
    """`3 of 1,204 runs`."""
    return [(count(shown), Role.STRONG), (f" of {count(runs)} runs", Role.MUTED)]


class CountsRow(Painted):
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
        pieces = count_pieces(self._totals.counts, self.kit.signs)
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
        totals, signs = self._totals, self.kit.signs
        found: list[tuple[str, Role]] = []
        if totals.loading:
            stores = "store" if totals.loading == 1 else "stores"
            found.append((f"{count(totals.loading)} {stores} still to read   ", Role.MUTED))
        if totals.shown is not None:
            found += shown_of(totals.shown, totals.counts.runs)
        else:
            word = "run" if totals.counts.runs == 1 else "runs"
            found += [(count(totals.counts.runs), Role.TEXT), (f" {word}", Role.MUTED)]
        if totals.problems:
            found += [(f"   {signs.finding}", Role.WARNING)]
            found += [(f" {count(totals.problems)}", Role.TEXT)]
            if width >= WIDE:
                word = "problem" if totals.problems == 1 else "problems"
                found.append((f" {word}", Role.MUTED))
        return found


class FilterField(Input):
    """The words that are looked for, typed in the row of the counts."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    FilterField, FilterField:focus {
        border: none;
        height: 1;
        padding: 0;
        background: $ground-bg;
    }
    """

    class Left(Message):
        """A key that is for the list: `enter`, `escape`, `up`, `down`, `pageup`, `pagedown`."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    def __init__(self) -> None:
        super().__init__(id="filter", select_on_focus=False, compact=True)
        self.cursor_blink = False
        self._shown, self._runs = 0, 0

    @property
    def kit(self) -> Kit:
        """Styles, signs, keys, clock and zone."""
        return kit_of(self)

    def on_mount(self) -> None:
        """Keys that the list understands go to the list."""
        for key in ("enter", "escape", "up", "down", "pageup", "pagedown"):
            self._bindings.key_to_bindings[key] = [Binding(key, f"leave({key!r})", show=False)]

    def action_leave(self, key: str) -> None:
        """Passes a key on."""
        self.post_message(self.Left(key))

    def show_found(self, shown: int, runs: int) -> None:
        """Says how many of how many runs are meant."""
        if (shown, runs) != (self._shown, self._runs):
            self._shown, self._runs = shown, runs
            self.refresh(Region(0, 0, self.size.width, 1))

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
        left = Line(edge, self.kit.roles, around).strip()
        right = Line(max(0, width - edge - room), self.kit.roles, around)
        right.put(space, "")
        for text, role in found:
            right.add(text, role)
        return Strip.join([left, self._field(room), right.strip()])

    def _field(self, room: int) -> Strip:
        signs = self.kit.signs
        line = Line(room, self.kit.roles, Ground.FIELD)
        line.put(0, "/", Role.ACCENT)
        hint = CLEARS if room >= 30 else ""
        space = room - 2 - (len(hint) + 2 if hint else 1)
        before, under, after = self._parts()
        pieces = _tail(before, space - 1)
        line.put(2, signs.plain(pieces))
        if self.has_focus and not under:
            line.add(signs.caret, Role.ACCENT)
        elif under:
            line.put(line.cells, under, underline=self.has_focus)
            line.add(_head(signs.plain(after), max(0, 2 + space - line.cells)))
        if hint:
            line.right(room - 1, hint, Role.MUTED)
        return line.strip()

    def _parts(self) -> tuple[str, str, str]:
        """What is before, under and behind the cursor, made safe."""
        at = self.cursor_position if self.has_focus else len(self.value)
        value = self.value
        return visible(value[:at]), visible(value[at : at + 1]), visible(value[at + 1 :])


def _tail(text: str, cells: int) -> str:
    """The end of a text that fits."""
    parts: Sequence[tuple[str, int]] = list(clusters(text))
    while parts and sum(wide for _, wide in parts) > cells:
        parts = parts[1:]
    return "".join(part for part, _ in parts)


def _head(text: str, cells: int) -> str:
    """The beginning of a text that fits."""
    kept, used = [], 0
    for part, wide in clusters(text):
        if used + wide > cells:
            break
        kept.append(part)
        used += wide
    return "".join(kept)
