"""Renders Markdown as lines of a given width.

The text is untrusted: nothing is opened or fetched, HTML is shown as text, a link shows its target,
and decoded entities are escaped like everything else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

from inspector.config.log import log_failure
from inspector.text.escape import visible, visible_lines
from inspector.text.mask import mask
from inspector.text.measure import cell_width, clip, pad
from inspector.ui.palette import Role

LEAST_ROOM = 12
"""Minimum cells of a line; quotes and lists are not indented further."""

_WORDS = re.compile(r"( +)")


class Piece(NamedTuple):
    """A part of a line with one style; escaped text."""

    text: str
    role: Role = Role.TEXT
    bold: bool = False
    italic: bool = False
    underline: bool = False
    strike: bool = False
    code: bool = False
    """True for code, drawn on its own ground."""


PiecedLine = tuple[Piece, ...]


class Unfit(Exception):
    """The text cannot be rendered; the message is the rest of a sentence."""


def markdown_lines(text: str, room: int) -> list[PiecedLine]:
    """Renders masked Markdown as lines of at most `room` cells.

    Raises Unfit if rendering would reassemble a secret that masking missed, or if nothing would
    remain of the text.
    """
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    try:
        tokens = parser.parse(text)
    except Exception as error:
        # A parser error on hostile input only costs the rendered format.
        log_failure("parsing Markdown", error)
        raise Unfit("not parseable") from None
    if mask("\n".join(_plain(tokens))).count:
        raise Unfit("rendering would reveal a secret")
    writer = _Writer(max(1, room))
    writer.blocks(tokens)
    if not writer.lines and text.strip():
        raise Unfit("renders to nothing")
    return writer.lines


def _plain(tokens: Iterable[Token]) -> Iterator[str]:
    for token in tokens:
        if token.children is None:
            yield token.content
            continue
        yield "".join(
            child.content
            if child.type in ("text", "code_inline", "image")
            else " " * len(child.tag)
            for child in token.children
            if not child.type.endswith(("_open", "_close"))
        )
        for child in token.children:
            yield f"{child.attrs.get('href', '')} {child.attrs.get('src', '')}"


class _Writer:
    """Collects rendered lines, inside nested quotes and lists."""

    def __init__(self, room: int) -> None:
        self.lines: list[PiecedLine] = []
        self._room = room
        self._around: list[tuple[Piece, Piece]] = []
        """Prefix of a block's first line, and of its other lines."""
        self._begun: list[bool] = []
        self._tight = 0

    # Lines

    @property
    def _inner(self) -> int:
        return max(1, self._room - sum(cell_width(first.text) for first, _ in self._around))

    @contextmanager
    def _inside(self, first: Piece, others: Piece) -> Iterator[None]:
        fits = self._inner - cell_width(first.text) >= LEAST_ROOM
        if fits:
            self._around.append((first, others))
            self._begun.append(False)
        yield
        if fits:
            self._around.pop()
            self._begun.pop()

    def _line(self, pieces: Iterable[Piece]) -> None:
        before = []
        for number, (first, others) in enumerate(self._around):
            before.append(others if self._begun[number] else first)
            self._begun[number] = True
        self.lines.append((*before, *pieces))

    def _gap(self) -> None:
        """Adds an empty line between blocks, except in a tight list."""
        opened = any(not begun for begun in self._begun)
        if self.lines and not self._tight and not opened and any(self.lines[-1]):
            self._line(())

    # Blocks

    def blocks(self, tokens: Sequence[Token]) -> None:
        """Writes sibling tokens."""
        at = 0
        while at < len(tokens):
            token, end = tokens[at], _end_of(tokens, at)
            self._block(token, tokens[at + 1 : end])
            at = end + 1

    def _block(self, token: Token, inside: Sequence[Token]) -> None:
        kind = token.type.removesuffix("_open")
        if kind in ("fence", "code_block"):
            self._gap()
            for line in visible_lines(token.content.rstrip("\n")):
                self._code(line)
        elif kind == "hr":
            self._gap()
            self._line([Piece("─" * min(self._inner, 40), Role.LINE)])
        elif kind == "inline":
            self._flow(_spans(token.children or (), Piece("")))
        elif kind == "heading":
            self._gap()
            self._flow(_spans(inside[0].children or (), Piece("", Role.STRONG, bold=True)))
        elif kind == "paragraph":
            if not token.hidden:
                self._gap()
            self.blocks(inside)
        elif kind == "blockquote":
            self._gap()
            edge = Piece("│ ", Role.GUIDE)
            with self._inside(edge, edge):
                self.blocks(inside)
        elif kind in ("bullet_list", "ordered_list"):
            self._list(token, inside)
        elif kind == "table":
            self._gap()
            self._table(inside)
        else:
            self.blocks(inside)

    def _code(self, line: str) -> None:
        room = self._inner
        for part in _hard(line, max(1, room - 2)):
            self._line([Piece(pad(f" {part} ", room), code=True)])

    def _list(self, token: Token, inside: Sequence[Token]) -> None:
        self._gap()
        tight = any(each.hidden for each in inside if each.type == "paragraph_open")
        number = int(token.attrs.get("start", 1)) if token.type == "ordered_list_open" else None
        self._tight += tight
        at = 0
        while at < len(inside):
            end = _end_of(inside, at)
            sign = "- " if number is None else f"{number}. "
            self._gap()
            with self._inside(Piece(sign, Role.MUTED), Piece(" " * len(sign))):
                self.blocks(inside[at + 1 : end])
            number = None if number is None else number + 1
            at = end + 1
        self._tight -= tight

    def _table(self, inside: Sequence[Token]) -> None:
        rows: list[list[list[Piece]]] = []
        headed = False
        right: set[int] = set()
        for token in inside:
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "th_open":
                headed = True
                if "right" in str(token.attrs.get("style", "")):
                    right.add(len(rows[-1]))
            elif token.type == "inline":
                look = Piece("", Role.MUTED if headed and len(rows) == 1 else Role.TEXT)
                rows[-1].append(list(_spans(token.children or (), look)))
        widths = _widths(rows, self._inner)
        for number, row in enumerate(rows):
            cells = [_filled(cell, max(1, wide)) for cell, wide in zip(row, widths, strict=False)]
            for line in range(max((len(cell) for cell in cells), default=0)):
                self._line(_row_of(cells, widths, line, right))
            if headed and number == 0:
                wide = min(self._inner, sum(widths) + 3 * (len(widths) - 1))
                self._line([Piece("─" * wide, Role.LINE)])

    def _flow(self, spans: Iterable[Piece]) -> None:
        """Writes wrapped text."""
        for line in _filled(list(spans), self._inner):
            self._line(line)


def _end_of(tokens: Sequence[Token], at: int) -> int:
    """Returns the index of the closing token; the token's own if it has none."""
    depth = 0
    for number in range(at, len(tokens)):
        depth += tokens[number].nesting
        if depth == 0:
            return number
    return len(tokens) - 1


def _row_of(
    cells: Sequence[Sequence[PiecedLine]], widths: Sequence[int], line: int, right: set[int]
) -> list[Piece]:
    """Builds one line of a table row; columns in `right` are right-aligned."""
    pieces: list[Piece] = []
    for number, (cell, wide) in enumerate(zip(cells, widths, strict=False)):
        shown = cell[line] if line < len(cell) else ()
        missing = " " * (wide - sum(cell_width(piece.text) for piece in shown))
        gap = "   " if number < len(cells) - 1 else ""
        if number in right:
            pieces += (Piece(missing), *shown, Piece(gap))
        else:
            pieces += (*shown, Piece(missing + gap))
    return pieces


def _widths(rows: Sequence[Sequence[Sequence[Piece]]], room: int) -> list[int]:
    """Returns column widths; the widest are reduced until the table fits."""
    columns = max((len(row) for row in rows), default=0)
    widths = [1] * columns
    for row in rows:
        for number, cell in enumerate(row):
            wide = sum(cell_width(piece.text) for piece in cell)
            widths[number] = max(widths[number], min(wide, room))
    left = max(columns, room - 3 * (columns - 1))
    while sum(widths) > left and max(widths) > 1:
        widest = widths.index(max(widths))
        widths[widest] -= 1
    return widths


# Inline text

_LOOKS: dict[str, str] = {"strong": "bold", "em": "italic", "s": "strike"}


def _spans(children: Iterable[Token], look: Piece) -> Iterator[Piece]:
    """Returns text with styles; a hard break is a piece with a line break."""
    looks, hrefs = [look], [""]
    for token in children:
        now = looks[-1]
        if token.type in ("softbreak", "hardbreak"):
            yield now._replace(text=" " if token.type == "softbreak" else "\n")
        elif token.type == "link_open":
            hrefs.append(str(token.attrs.get("href", "")))
            looks.append(now._replace(underline=True))
        elif token.type == "link_close":
            looks.pop()
            href = visible(hrefs.pop())
            yield Piece(f" ({href})", Role.MUTED)
        elif token.type == "image":
            yield Piece(f"[image {visible(token.content)}]", Role.MUTED)
            yield Piece(f" ({visible(str(token.attrs.get('src', '')))})", Role.MUTED)
        elif token.type == "code_inline":
            yield now._replace(text=visible(token.content), code=True)
        elif token.nesting == 1:
            flag = _LOOKS.get(token.tag)
            looks.append(now._replace(**{flag: True}) if flag else now)  # type: ignore[arg-type]
        elif token.nesting == -1:
            looks.pop()
        else:
            yield now._replace(text=visible(token.content))


def _filled(spans: Sequence[Piece], room: int) -> list[PiecedLine]:
    """Wraps text to a width, between words where possible."""
    lines: list[list[Piece]] = [[]]
    used = 0
    for word in _words(spans):
        if word[0].text == "\n":
            lines.append([])
            used = 0
            continue
        wide = sum(cell_width(piece.text) for piece in word)
        blank = word[0].text.isspace()
        if used + wide > room and used:
            lines.append([])
            used = 0
        if blank and not used:
            continue
        if wide <= room:
            lines[-1] += word
            used += wide
            continue
        for piece in word:
            for part in _hard(piece.text, room):
                if used + cell_width(part) > room:
                    lines.append([])
                    used = 0
                lines[-1].append(piece._replace(text=part))
                used += cell_width(part)
    return [tuple(line) for line in lines]


def _words(spans: Iterable[Piece]) -> Iterator[list[Piece]]:
    """Splits text into words and the spaces between them, one piece per style."""
    word: list[Piece] = []
    for span in spans:
        if span.text == "\n":
            if word:
                yield word
            yield [span]
            word = []
            continue
        for part in _WORDS.split(span.text):
            if not part:
                continue
            if part.isspace():
                if word:
                    yield word
                yield [span._replace(text=part)]
                word = []
            else:
                word.append(span._replace(text=part))
    if word:
        yield word


def _hard(text: str, room: int) -> Iterator[str]:
    """Splits text into parts that fit, at any character; at least one part."""
    at = 0
    while at < len(text):
        ahead = text[at : at + room]
        if not ahead.isascii():
            ahead = clip(text[at : at + room * 4], room, ellipsis="") or ahead[:1]
        yield ahead
        at += len(ahead)
    if not text:
        yield ""
