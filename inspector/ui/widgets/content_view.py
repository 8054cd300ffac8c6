"""A content below a list: a title, then its rows, laid out for the width that there is."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from rich.style import Style
from textual.message import Message
from textual.strip import Strip
from textual.worker import get_current_worker

from inspector.text.binary import hex_rows
from inspector.text.escape import visible_lines
from inspector.text.measure import cell_width, clip
from inspector.ui.content import Content, ContentLine
from inspector.ui.lines import NARROW, Line, margin
from inspector.ui.markdown import Piece, PiecedLine, Unfit, markdown_lines
from inspector.ui.palette import Ground, Role
from inspector.ui.widgets.text_view import TextBuilder, TextView

_HEX_EACH = ((76, 16), (44, 8), (0, 4))
"""Cells from which a row shows so many bytes."""
_LONGEST_WORD = 24
"""Cells at the end of a row in which a space is looked for."""
_ROOM_FOR_NUMBERS = 50
"""Cells from which lines have their numbers beside them."""


class Row(NamedTuple):
    """A row: the line whose beginning it is (from 1; 0 = it goes on, or has no number)."""

    number: int
    pieces: PiecedLine


@dataclass(frozen=True, slots=True)
class Rows:
    """A content laid out: its rows, how many lines it has, cells that their numbers take."""

    rows: tuple[Row, ...]
    lines: int
    digits: int
    note: str = ""
    """What a person should know about this form of it."""


NO_ROWS = Rows((), 0, 0)


def rows_of(content: Content, room: int, *, raw: bool) -> Rows:
    """Lays out a content for `room` cells, as it reads or as it stands (`raw`)."""
    if content.data and (raw or not content.foreign):
        return _bytes(content, room)
    if content.markdown and not raw:
        try:
            lines = markdown_lines(content.markdown, room)
        except Unfit as why:
            return Rows(*_numbered(content.lines, room), note=f"Shown as plain text: {why}")
        shown, total = content.markdown.count("\n") + 1, len(content.lines)
        whole = not content.cut and shown >= total
        note = "" if whole else f"Preview ends here ({shown:,} of {total:,} lines) · m for all"
        return Rows(tuple(Row(0, line) for line in lines), len(lines), 0, note)
    lines_of = content.lines
    if content.text and raw:
        lines_of = tuple(ContentLine("", "", line) for line in visible_lines(content.text))
    return Rows(*_numbered(lines_of, room))


def _numbered(lines: tuple[ContentLine, ...], room: int) -> tuple[tuple[Row, ...], int, int]:
    digits = max(2, len(f"{len(lines)}"))
    inner = max(1, room - digits - 2) if room >= _ROOM_FOR_NUMBERS else room
    rows: list[Row] = []
    for number, line in enumerate(lines, 1):
        parts = _folded(line, inner)
        rows.append(Row(number, next(parts)))
        rows.extend(Row(0, part) for part in parts)
    return tuple(rows), len(lines), digits if inner < room else 0


def _bytes(content: Content, room: int) -> Rows:
    rows = [
        Row(0, (Piece(line.key, Role.MUTED), Piece("  "), Piece(line.rest)))
        for line in (() if content.foreign else content.lines)
    ]
    if rows:
        rows.append(Row(0, ()))
    each = next(each for cells, each in _HEX_EACH if room >= cells)
    end = 8 + 2 + each * 3 - 1
    for row in hex_rows(content.data, each):
        where = Piece(row[:8], Role.FAINT)
        rows.append(Row(0, (where, Piece(row[8:end]), Piece(row[end:], Role.MUTED))))
    return Rows(tuple(rows), 0, 0)


def _folded(line: ContentLine, room: int) -> Iterator[PiecedLine]:
    """A line in as many rows as it takes; those that go on are indented as it is."""
    text = line.lead + line.key + line.rest
    bounds = (len(line.lead), len(line.lead) + len(line.key))
    begins = len(text) - len(text.lstrip(" "))
    indent = min(begins + 2, room // 3) if begins or line.key else 0
    at, left = 0, room
    while True:
        end = _fits(text, at, left)
        shown = _parts(text, at, end, bounds)
        yield (Piece(" " * indent), *shown) if at else shown
        at = end + 1 if text[end : end + 1] == " " else end
        if at >= len(text):
            return
        left = room - indent


def _parts(text: str, at: int, end: int, bounds: tuple[int, int]) -> PiecedLine:
    key, rest = bounds
    pieces = []
    if at < key:
        pieces.append(Piece(text[at : min(end, key)]))
    if at < rest and end > key:
        pieces.append(Piece(text[max(at, key) : min(end, rest)], Role.MUTED))
    if end > rest:
        pieces.append(Piece(text[max(at, rest) : end]))
    return tuple(pieces)


def _fits(text: str, at: int, room: int) -> int:
    """Where a row ends that begins at `at`: before a space, if one is near its end."""
    left = text[at : at + room]
    if not left.isascii():
        left = clip(text[at : at + room * 4], room, ellipsis="") or left[:1]
    end = at + len(left)
    if end >= len(text):
        return len(text)
    if text[end] == " ":
        return end
    space = text.rfind(" ", max(at + 1, end - _LONGEST_WORD), end)
    return space if text[at : max(space, at)].strip() else end


HEAD_LINES = 3
"""Lines above the content: empty, title, empty."""

AT_ONCE = 20_000
"""Characters that are laid out at once; more are laid out on a thread."""


@dataclass(frozen=True, slots=True)
class TitledContent:
    """A content with its title and facts about it, all safe to show."""

    title: str
    facts: tuple[str, ...]
    content: Content | None
    note: str = ""
    """What stands instead of the content, or below it."""


class ContentView(TextView):
    """Draws rows of a content when they are seen, however many there are."""

    class FormatChanged(Message):
        """Another content has other formats, or is shown in another one."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._titled: TitledContent | None = None
        self._told = 0
        self._rows = NO_ROWS
        self._made_for: tuple[Content | None, int, bool] = (None, 0, False)
        self._mark = 0
        """The line that stands out; 0 = none."""
        self._seeks = False
        """Whether that line is to be scrolled to as soon as there are rows."""
        self.raw = False
        """Whether contents are shown as they stand."""
        self._announced: tuple[tuple[str, str] | None, bool] = (None, False)

    def show_content(self, titled: TitledContent | None, *, keep: bool) -> None:
        """Takes what to show; with `keep` it stays scrolled to where it is."""
        self._titled = titled
        if not keep:
            self._mark, self._seeks = 0, False
        self._lay_out()
        self._changed(self.top if keep else 0)

    def mark(self, line: int) -> None:
        """Makes a line stand out, in the middle where it can be."""
        self._mark, self._seeks = line, True
        self._changed(self._top_now())

    def _top_now(self) -> int:
        """Where it is scrolled to, or the place of the line that was waited for."""
        if not self._seeks or not self._rows.rows:
            return self.top
        self._seeks = False
        rows = enumerate(self._rows.rows)
        at = next((row for row, one in rows if one.number == self._mark), None)
        if at is None:
            return self.top
        return max(0, min(HEAD_LINES + at - self.size.height // 2, self.row_count - 1))

    @property
    def formats(self) -> tuple[str, str] | None:
        """The two formats of what is shown, if there are two."""
        content = self._titled.content if self._titled is not None else None
        return content.formats if content is not None else None

    def toggle_format(self) -> None:
        """Shows the other form of what is shown."""
        self.raw = not self.raw
        self._lay_out()
        self._changed(0)

    def on_resize(self) -> None:
        """Rows are made for a width."""
        super().on_resize()
        self._lay_out()
        self._changed(self._top_now())

    def _changed(self, top: int) -> None:
        self._told += 1
        if self._announced != (self.formats, self.raw):
            self._announced = (self.formats, self.raw)
            # Later, as one's own: a message ends at whoever is sending, which may be the screen.
            self.call_later(self._announce)
        self.rows_changed()
        if top != self.top:
            self._scroll(top)
            self.repaint()

    def _announce(self) -> None:
        self.post_message(self.FormatChanged())

    # Laying out

    def _lay_out(self) -> None:
        content = self._titled.content if self._titled is not None else None
        made_for = (content, self.size.width, self.raw)
        if made_for == self._made_for or not self.size.width:
            return
        self._made_for = made_for
        self.workers.cancel_node(self)
        if content is None:
            self._rows = NO_ROWS
            return
        room = self.size.width - 2 * margin(self.size.width) - 2
        if content.weight <= AT_ONCE:
            self._rows = rows_of(content, room, raw=self.raw)
            return
        self._rows = NO_ROWS
        work = partial(self._lay_out_behind, content, room, made_for)
        self.run_worker(work, thread=True, exclusive=True, exit_on_error=True)

    def _lay_out_behind(
        self, content: Content, room: int, made_for: tuple[Content | None, int, bool]
    ) -> None:
        rows = rows_of(content, room, raw=made_for[2])
        if not get_current_worker().is_cancelled:
            # The loop may have ended meanwhile.
            with suppress(RuntimeError):
                self.call_later(self._take_rows, rows, made_for)

    def _take_rows(self, rows: Rows, made_for: tuple[Content | None, int, bool]) -> None:
        if made_for == self._made_for:
            self._rows = rows
            self._changed(self._top_now())

    # Drawing

    @property
    def row_count(self) -> int:
        """The lines above, the content, and one below for a note."""
        if self._titled is None:
            return 0
        return HEAD_LINES + len(self._rows.rows) + (1 if self._note else 0)

    @property
    def _note(self) -> str:
        return (self._titled.note if self._titled is not None else "") or self._rows.note

    def version(self, row: int) -> Hashable:
        """Which content, and which row of it."""
        return (self._told, row)

    def paint(self, row: int, width: int, cursor: bool, hover: bool, focused: bool) -> Strip:
        """One row."""
        titled = self._titled
        assert titled is not None
        if row < HEAD_LINES:
            return self._above(row, width, titled)
        line = Line(width, self.ui.styles, Ground.RAISED)
        laid_out, glyphs = self._rows, self.ui.glyphs
        start = margin(width) + 2
        at = row - HEAD_LINES
        if at >= len(laid_out.rows):
            line.put(start, clip(self._note, width - start), Role.MUTED)
            return line.strip()
        number, pieces = laid_out.rows[at]
        marked = bool(number) and number == self._mark
        if marked:
            line.put(margin(width), glyphs.cursor, Role.ACCENT)
        if laid_out.digits:
            if number:
                role = Role.ACCENT if marked else Role.FAINT
                line.right(start + laid_out.digits, str(number), role)
            start += laid_out.digits + 2
        line.put(start, "")
        end = width - margin(width)
        for piece in pieces:
            text = clip(glyphs.plain(piece.text), end - line.cells, ellipsis=glyphs.cut)
            line.put_style(line.cells, text, self._style(piece))
        return line.strip()

    def _style(self, piece: Piece) -> Style:
        ground = Ground.BG if piece.code else Ground.RAISED
        style = self.ui.styles.style(piece.role, ground, bold=piece.bold, underline=piece.underline)
        if piece.italic or piece.strike:
            style += Style(italic=piece.italic, strike=piece.strike)
        return style

    def _above(self, row: int, width: int, titled: TitledContent) -> Strip:
        if row == 0 and self.ui.styles.plain:
            page = TextBuilder(self.ui, width)
            page.rule()
            return page.strips()[0]
        line = Line(width, self.ui.styles, Ground.RAISED)
        if row != 1:
            return line.strip()
        edge, cut = margin(width), self.ui.glyphs.cut
        told = self._told_at_the_right(width)
        end = width - edge - (cell_width(told) + 2 if told else 0)
        line.put(edge + 2, clip(titled.title, end - edge - 2, ellipsis=cut), Role.STRONG)
        for fact in titled.facts:
            if line.cells + 3 + cell_width(fact) > end:
                break
            line.add(fact, Role.MUTED, skip=3)
        line.right(width - edge, told, Role.MUTED)
        return line.strip()

    def _told_at_the_right(self, width: int) -> str:
        """Which form it is, if it is not the ordinary one, and how many lines."""
        formats, count = self.formats, self._rows.lines
        told = [formats[1]] if formats is not None and self.raw and width >= NARROW else []
        told += [f"{count:,} lines"] if count > 1 else []
        return "   ".join(told)
