"""Header, tabs and footer of every screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.message import Message
from textual.strip import Strip

from inspector.model.status import Status
from inspector.text.measure import cell_width, clip
from inspector.text.numbers import Zone, local_moment
from inspector.ui.commands import Hint
from inspector.ui.lines import NARROW, LineWidget, gap, margin
from inspector.ui.palette import STATUS_ROLE, Ground, Role, status_word, word_role

READ_ONLY = "read-only"
LEAST = (24, 5)
"""Minimum columns and rows; in a smaller terminal the header asks for more."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Text of one role; `skip` is the number of empty cells before it."""

    text: str
    role: Role = Role.TEXT
    skip: int = 0


def clock_face(instant: int | None, zone: Zone) -> str:
    """Formats a time (UTC ms) as `14:32:07`; empty if unknown."""
    moment = None if instant is None else local_moment(instant, zone)
    return "" if moment is None else f"{moment:%H:%M:%S}"


class Header(LineWidget):
    """One raised row: place, title and status at the left, freshness at the right."""

    DEFAULT_CSS = "Header { height: 1; dock: top; }"

    def __init__(self) -> None:
        super().__init__(id="header")
        self._wide: tuple[Piece, ...] = ()
        self._narrow: tuple[Piece, ...] = ()
        self._right = ""
        self._right_narrow = ""
        self._ground = Ground.RAISED
        self._role = Role.MUTED

    def show(
        self,
        wide: Sequence[Piece],
        narrow: Sequence[Piece] | None = None,
        *,
        right: str = "",
        right_narrow: str | None = None,
        travelling: bool = False,
    ) -> None:
        """Shows text at the left and right; `narrow` is used below 60 columns.

        Escaped text only.
        """
        self._wide = tuple(wide)
        self._narrow = self._wide if narrow is None else tuple(narrow)
        self._right = right
        self._right_narrow = right if right_narrow is None else right_narrow
        self._ground = Ground.TRAVEL if travelling else Ground.RAISED
        self._role = Role.TRAVEL if travelling else Role.MUTED
        self.repaint()

    def show_run(
        self,
        title: str,
        status: Status,
        as_of: int | None,
        *,
        word: str | None = None,
        note: str = "",
        travelling: bool = False,
    ) -> None:
        """Shows a run: its title (untrusted), its status, and when it was read (UTC ms).

        `word` replaces the status word; `note` follows it, muted or violet.
        """
        glyphs = self.ui.glyphs
        safe, sign, role = glyphs.safe(title), glyphs.of(status), STATUS_ROLE[status]
        wide = [
            Piece("Inspector", Role.MUTED),
            Piece("/", Role.FAINT, 1),
            Piece(safe, Role.STRONG, 1),
            Piece(sign, role, 3),
            Piece(word or status_word(status), word_role(status), 1),
        ]
        if note:
            wide.append(Piece(note, Role.TRAVEL if travelling else Role.MUTED, 3))
        narrow = [Piece(sign, role), Piece(safe, Role.STRONG, 1)]
        clock = clock_face(as_of, self.ui.zone)
        right = f"as of {clock}" if clock else ""
        self.show(wide, narrow, right=right, right_narrow=clock, travelling=travelling)

    def paint_line(self, y: int, width: int) -> Strip:
        """Draws the row."""
        narrow = width < NARROW
        line = self.line(width, self._ground)
        screen = self.app.size
        if screen.width < LEAST[0] or screen.height < LEAST[1]:
            line.put(0, f"too small: {LEAST[0]}x{LEAST[1]}", Role.WARNING)
            return line.strip()
        edge = margin(width)
        right = self._right_narrow if narrow else self._right
        room = width - edge - (cell_width(right) + 2 if right else 0)
        line.put(edge, "")
        cut = self.ui.glyphs.cut
        for piece in self._narrow if narrow else self._wide:
            left = room - line.cells - piece.skip
            if left <= 0:
                break
            line.add(clip(piece.text, left, ellipsis=cut), piece.role, skip=piece.skip)
        line.right(width - edge, right, self._role)
        return line.strip()


class Footer(LineWidget):
    """One row of keys and what they do, ending with the read-only note."""

    DEFAULT_CSS = "Footer { height: 1; dock: bottom; }"
    MOST = 8

    def __init__(self) -> None:
        super().__init__(id="footer")
        self._hints: tuple[Hint, ...] = ()
        self._help: Hint | None = None
        self._right = READ_ONLY
        self._said = ""

    def show(
        self, hints: Sequence[Hint], help_hint: Hint | None = None, right: str = READ_ONLY
    ) -> None:
        """Shows hints. `help_hint` comes last and is never dropped."""
        self._hints = tuple(hints)
        self._help = help_hint
        self._right = right
        self.repaint()

    def show_message(self, sentence: str) -> None:
        """Shows a message (escaped text) instead of the hints; an empty one restores them."""
        if sentence != self._said:
            self._said = sentence
            self.repaint()

    def paint_line(self, y: int, width: int) -> Strip:
        """Draws the row."""
        glyphs = self.ui.glyphs
        line = self.line(width)
        edge, space = margin(width), gap(width)
        if self._said:
            line.put(edge, clip(self._said, width - 2 * edge, ellipsis=glyphs.cut), Role.TEXT)
            return line.strip()
        right = glyphs.plain(self._right) if width >= NARROW else ""
        room = width - edge - edge - (cell_width(right) + space if right else 0)
        for hint in self._fitting(room, space):
            line.put(line.cells + space if line.cells else edge, glyphs.plain(hint.key), bold=True)
            line.add(glyphs.plain(hint.word), Role.MUTED, skip=1)
        line.right(width - edge, right, Role.MUTED)
        return line.strip()

    def _fitting(self, room: int, space: int) -> list[Hint]:
        last = [self._help] if self._help else []
        kept = list(self._hints[: self.MOST - len(last)])
        while kept and _hints_width(kept + last, space) > room:
            kept.pop()
        return kept + last


def _hints_width(hints: Sequence[Hint], space: int) -> int:
    widths = [cell_width(hint.key) + 1 + cell_width(hint.word) for hint in hints]
    return sum(widths) + space * (len(widths) - 1)


@dataclass(frozen=True, slots=True)
class TabLabel:
    """A tab: its name, count, and a mark after the count. Escaped text only."""

    title: str
    count: int | None = None
    mark: str = ""
    mark_role: Role = Role.MUTED


class Tabs(LineWidget):
    """Tab names with numbers, the active one underlined in accent on the rule below."""

    DEFAULT_CSS = "Tabs { height: 2; }"

    class Picked(Message):
        """A tab was clicked; `index` counts from 0."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    def __init__(self) -> None:
        super().__init__(id="tabs")
        self._labels: tuple[TabLabel, ...] = ()
        self._active = 0

    def show(self, labels: Sequence[TabLabel], active: int) -> None:
        """Shows tabs, with one of them active."""
        self._labels = tuple(labels)
        self._active = active
        self.repaint()

    def paint_line(self, y: int, width: int) -> Strip:
        """Draws the names, or the rule below them."""
        places = self._places(width)
        return self._names(width, places) if y == 0 else self._rule(width, places)

    def _names(self, width: int, places: list[tuple[int, int, bool, bool]]) -> Strip:
        line = self.line(width)
        for index, (start, _, named, counted) in enumerate(places):
            label, active = self._labels[index], index == self._active
            line.put(start, str(index + 1), Role.MUTED)
            if named:
                line.add(label.title, Role.STRONG if active else Role.MUTED, skip=1)
            if counted and label.count is not None:
                line.add(f"{label.count:,}", Role.MUTED, skip=1)
            if counted and label.mark:
                line.add(label.mark, label.mark_role, skip=1)
        return line.strip()

    def _rule(self, width: int, places: list[tuple[int, int, bool, bool]]) -> Strip:
        glyphs, edge = self.ui.glyphs, margin(width)
        line = self.line(width)
        end = width - edge
        start, stop = edge, edge
        if 0 <= self._active < len(places):
            start, stop = places[self._active][0], min(end, places[self._active][1])
        line.put(edge, glyphs.rule * (start - edge), Role.LINE)
        line.put(start, glyphs.bar * (stop - start), Role.ACCENT)
        line.put(stop, glyphs.rule * (end - stop), Role.LINE)
        return line.strip()

    def _places(self, width: int) -> list[tuple[int, int, bool, bool]]:
        """Returns start, end, and whether name and count are shown, of each tab that fits."""
        edge, space = margin(width), gap(width)
        found: list[tuple[int, int, bool, bool]] = []
        for named, counted, apart in (
            (True, True, space),
            (True, False, space),
            (False, False, space),
            (False, False, 2),
        ):
            found, column = [], edge
            for index, label in enumerate(self._labels):
                with_name = named or index == self._active
                end = column + len(str(index + 1))
                end += 1 + cell_width(label.title) if with_name else 0
                if counted and label.count is not None:
                    end += 1 + len(f"{label.count:,}")
                end += 1 + cell_width(label.mark) if counted and label.mark else 0
                found.append((column, end, with_name, counted))
                column = end + apart
            if not found or found[-1][1] <= width - edge:
                break
        return found

    def on_click(self, event: events.Click) -> None:
        """Picks the tab under the mouse."""
        for index, (start, end, _, _) in enumerate(self._places(self.size.width)):
            if event.y == 0 and start <= event.x < end:
                self.post_message(self.Picked(index))
