"""View of one value below a list: a title, then the content wrapped to the width."""

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
"""Minimum width in cells, and the bytes per hex row from that width on."""
_LONGEST_WORD = 24
"""Cells at the end of a row in which to look for a space to wrap at."""
_ROOM_FOR_NUMBERS = 50
"""Minimum width, in cells, for line numbers."""


class Row(NamedTuple):
    """Screen row.

    `number` is the 1-based line that starts here; 0 for a continuation or no number.
    """

    number: int
    pieces: PiecedLine


@dataclass(frozen=True, slots=True)
class Rows:
    """Wrapped content: rows, number of lines, and digits of the line numbers."""

    rows: tuple[Row, ...]
    lines: int
    digits: int
    note: str = ""
    """Note about this format, for example why it is incomplete."""


NO_ROWS = Rows((), 0, 0)


def rows_of(content: Content, room: int, *, raw: bool) -> Rows:
    """Wrap a content to `room` cells, formatted or `raw`."""
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
    """Wrap a line into rows; continuations share its indentation."""
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
    """Return where a row starting at `at` ends: before a space, if one is near the end."""
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
"""Lines above the content: blank, title, blank."""

AT_ONCE = 20_000
"""Characters wrapped on the event loop; longer content is wrapped on a thread."""


@dataclass(frozen=True, slots=True)
class TitledContent:
    """Content with its title and facts, all escaped."""

    title: str
    facts: tuple[str, ...]
    content: Content | None
    note: str = ""
    """Text shown instead of the content, or below it."""


class ContentView(TextView):
    """Draws only the visible rows of a content."""

    class FormatChanged(Message):
        """The content or its format changed."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._titled: TitledContent | None = None
        self._version = 0
        self._rows = NO_ROWS
        self._made_for: tuple[Content | None, int, bool] = (None, 0, False)
        self._mark = 0
        """Highlighted line; 0 for none."""
        self._seeks = False
        """True if the highlighted line must be scrolled to once rows exist."""
        self.raw = False
        """True to show contents unformatted."""
        self._announced: tuple[tuple[str, str] | None, bool] = (None, False)

    def show_content(self, titled: TitledContent | None, *, keep: bool) -> None:
        """Show a content; `keep` preserves the scroll position."""
        self._titled = titled
        if not keep:
            self._mark, self._seeks = 0, False
        self._lay_out()
        self._changed(self.top if keep else 0)

    def mark(self, line: int) -> None:
        """Highlight a line and scroll it to the middle if possible."""
        self._mark, self._seeks = line, True
        self._changed(self._top_now())

    def _top_now(self) -> int:
        """Return the scroll position, or that of a highlighted line still to be scrolled to."""
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
        """Names of the two formats of the content, if it has two."""
        content = self._titled.content if self._titled is not None else None
        return content.formats if content is not None else None

    def toggle_format(self) -> None:
        """Switch between formatted and raw."""
        self.raw = not self.raw
        self._lay_out()
        self._changed(0)

    def on_resize(self) -> None:
        """Wrap the content to the new width."""
        super().on_resize()
        self._lay_out()
        self._changed(self._top_now())

    def _changed(self, top: int) -> None:
        self._version += 1
        if self._announced != (self.formats, self.raw):
            self._announced = (self.formats, self.raw)
            # Deferred so that this widget is the sender: a message does not bubble past its sender.
            self.call_later(self._announce)
        self.rows_changed()
        if top != self.top:
            self._scroll(top)
            self.repaint()

    def _announce(self) -> None:
        self.post_message(self.FormatChanged())

    # Layout

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
        work = partial(self._lay_out_on_thread, content, room, made_for)
        self.run_worker(work, thread=True, exclusive=True, exit_on_error=True)

    def _lay_out_on_thread(
        self, content: Content, room: int, made_for: tuple[Content | None, int, bool]
    ) -> None:
        rows = rows_of(content, room, raw=made_for[2])
        if not get_current_worker().is_cancelled:
            # The event loop may have stopped meanwhile.
            with suppress(RuntimeError):
                self.call_later(self._set_rows, rows, made_for)

    def _set_rows(self, rows: Rows, made_for: tuple[Content | None, int, bool]) -> None:
        if made_for == self._made_for:
            self._rows = rows
            self._changed(self._top_now())

    # Drawing

    @property
    def row_count(self) -> int:
        """Head lines, content rows, and a line for the note if there is one."""
        if self._titled is None:
            return 0
        return HEAD_LINES + len(self._rows.rows) + (1 if self._note else 0)

    @property
    def _note(self) -> str:
        return (self._titled.note if self._titled is not None else "") or self._rows.note

    def version(self, row: int) -> Hashable:
        """Content version and row number."""
        return (self._version, row)

    def paint(self, row: int, width: int, cursor: bool, hover: bool, focused: bool) -> Strip:
        """Draw one row."""
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
        notes = self._format_text(width)
        end = width - edge - (cell_width(notes) + 2 if notes else 0)
        line.put(edge + 2, clip(titled.title, end - edge - 2, ellipsis=cut), Role.STRONG)
        for fact in titled.facts:
            if line.cells + 3 + cell_width(fact) > end:
                break
            line.add(fact, Role.MUTED, skip=3)
        line.right(width - edge, notes, Role.MUTED)
        return line.strip()

    def _format_text(self, width: int) -> str:
        """Return the raw format's name, if shown raw, and the line count."""
        formats, count = self.formats, self._rows.lines
        notes = [formats[1]] if formats is not None and self.raw and width >= NARROW else []
        notes += [f"{count:,} lines"] if count > 1 else []
        return "   ".join(notes)
