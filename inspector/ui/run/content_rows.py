"""A content laid out for a width: which line, or part of a line, stands in which row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from inspector.text.binary import hex_rows
from inspector.text.escape import visible_lines
from inspector.text.measure import clip
from inspector.ui.palette import Role
from inspector.ui.run.content import Content, ContentLine
from inspector.ui.run.markdown import Piece, PiecedLine, Unfit, markdown_lines

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
            return Rows(*_numbered(content.lines, room), note=f"shown as it stands: {why}")
        note = "" if _is_whole(content) else "the rest is left out in this form"
        return Rows(tuple(Row(0, line) for line in lines), len(lines), 0, note)
    lines_of = content.lines
    if content.text and raw:
        lines_of = tuple(ContentLine("", "", line) for line in visible_lines(content.text))
    return Rows(*_numbered(lines_of, room))


def _is_whole(content: Content) -> bool:
    return not content.cut and content.markdown.count("\n") + 1 >= len(content.lines)


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
