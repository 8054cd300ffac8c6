"""The whole content of a value: JSON laid out, Markdown as it reads, bytes in hexadecimal.

Made on a reader's thread, because contents may be long. It knows no width: `content_rows` lays a
content out for one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from inspector.text.binary import ImageFacts, file_type, image_facts
from inspector.text.escape import visible_lines
from inspector.text.mask import mask_named, mask_parts

LAID_OUT = 1_000_000
"""Characters up to which JSON is laid out; longer contents are shown as they stand."""

SHOWN = 2_000_000
"""Characters of a content that are shown; a pager and a file take more."""

MARKDOWN_SHOWN = 60_000
"""Characters of Markdown that are shown as they read."""

HEX_SHOWN = 65_536
"""Bytes that are shown in hexadecimal."""

LOOKED_AT = 4_096
"""Characters from which it is told whether a text is Markdown."""

_BARE_LABEL = re.compile(r"(?<=[:,\[\s])(‹masked: [a-z ]{1,24}, [0-9]{1,12} chars›)(?=\s*[,}\]])")
_KEY = re.compile(r'^(\s*)("(?:[^"\\]|\\.)*":)(.*)$', re.DOTALL)
_MARKDOWN_ENDINGS = (".md", ".markdown", ".mdown")
_NO_ENDING = re.compile(r"(^|/)[^./]*$")
_HEADING_FIRST = re.compile(r"\s*#{1,6} \S[^\n]*\n(\s*\n|#)")
_MARKS = tuple(
    re.compile(mark, re.MULTILINE)
    for mark in (
        r"^#{1,6} \S",
        r"^ {0,3}[-*] \S",
        r"^ {0,3}\d{1,3}\. \S",
        r"^ {0,3}(```|~~~)",
        r"\[[^\]\n]+\]\([^)\s]+\)",
        r"\*\*\S[^*\n]*\*\*",
        r"^\|?[ :]*-{3,}[ :]*\|",
        r"^> \S",
    )
)


@dataclass(frozen=True, slots=True)
class ContentLine:
    """A line in parts, safe to show: a JSON key is quieter than what it stands for."""

    lead: str
    key: str
    rest: str


@dataclass(frozen=True, slots=True)
class Content:
    """Lines, what kind of content they are, and whether more was recorded than they show."""

    lines: tuple[ContentLine, ...]
    kind: str
    cut: bool = False
    text: str = ""
    """The text as it stands, masked, where the lines are another form of it."""
    markdown: str = ""
    """What may be shown as it reads, masked."""
    data: bytes = b""
    """What is shown in hexadecimal below the lines."""
    foreign: bool = False
    """Whether the bytes are a text in another encoding, of which the lines are what is left."""

    @property
    def is_image(self) -> bool:
        """Whether it is an image whose format is known."""
        return bool(self.data) and self.kind.endswith(" image")

    @property
    def formats(self) -> tuple[str, str] | None:
        """What the two forms of it are called, if there are two: the ordinary one first."""
        if self.markdown:
            return "formatted", "raw"
        if self.data and self.foreign:
            return "text", "hex"
        return ("formatted", "raw") if self.text else None

    def beginning(self) -> Content:
        """The same, of which there is more."""
        return replace(self, cut=True)

    @property
    def weight(self) -> int:
        """About how many characters have to be laid out."""
        if self.markdown or self.text:
            return len(self.markdown) + len(self.text)
        lines = sum(len(line.rest) + 20 for line in self.lines)
        return lines + len(self.data)


def content_of(name: str | None, text: str, kind: str, *, file: str = "") -> Content:
    """Lays out a value; `kind` is what it is if it is nothing else. Secrets are masked.

    `file` is the name of the file that holds it, if one does.
    """
    parts = [part.text for part in mask_parts(name, text[:SHOWN])]
    shown, cut = "".join(parts), len(text) > SHOWN
    if shown[:200].lstrip()[:1] in ("{", "[") and len(text) <= LAID_OUT:
        laid_out = _laid_out(shown)
        if laid_out is not None:
            return Content(tuple(map(_json_line, visible_lines(laid_out))), "json", text=shown)
    lines = tuple(ContentLine("", "", line) for line in _lines_of(parts))
    if is_markdown(shown, file):
        return Content(lines, "markdown", cut, markdown=_whole_lines(shown, MARKDOWN_SHOWN))
    return Content(lines, kind, cut)


def record_content(record: object) -> Content:
    """Lays out something that was read as a whole, such as the columns of a row."""
    text = json.dumps(record, ensure_ascii=False, indent=2, default=str)
    hidden = mask_named(None, text[:SHOWN])
    return Content(tuple(map(_json_line, visible_lines(hidden.text))), "row", len(text) > SHOWN)


def bytes_content(data: bytes, size: int) -> Content:
    """Shows bytes that are no text; `size` is how many there are, of which `data` is a part."""
    facts = image_facts(data)
    shown = data[:HEX_SHOWN]
    kind = file_type(data)
    return Content(
        tuple(ContentLine("", f"{key:<8}", text) for key, text in _facts(facts)),
        kind.lower() if facts is None else f"{facts.format} image",
        cut=size > len(shown),
        data=shown,
    )


def foreign_content(name: str | None, data: bytes, size: int) -> Content:
    """Shows a text that is not in UTF-8: what can be read of it, or its bytes."""
    plain = content_of(name, data.decode("utf-8", "replace"), file_type(data))
    return Content(
        plain.lines,
        "text, not in UTF-8",
        cut=size > len(data),
        data=data[:HEX_SHOWN],
        foreign=True,
    )


def _facts(facts: ImageFacts | None) -> Iterator[tuple[str, str]]:
    if facts is None:
        return
    yield "format", facts.format
    if facts.width is not None and facts.height is not None:
        yield "size", f"{facts.width:,} × {facts.height:,} pixels"
    else:
        yield "size", "not told by its first bytes"
    if facts.depth:
        yield "depth", facts.depth
    if facts.moves is not None:
        yield "animated", "yes" if facts.moves else "no"


def is_markdown(text: str, file: str = "") -> bool:
    """Whether a text reads as Markdown: by its file's name, or else by the marks in it."""
    ending = file.lower()
    if ending and not _NO_ENDING.search(ending):
        return ending.endswith(_MARKDOWN_ENDINGS)
    head = text[:LOOKED_AT]
    if _HEADING_FIRST.match(head):
        return True
    return sum(1 for mark in _MARKS if mark.search(head)) >= 2


def _lines_of(parts: Sequence[str]) -> list[str]:
    """The lines of a text in parts, made visible a part at a time for the sake of other threads."""
    lines = [""]
    for part in parts:
        first, *others = visible_lines(part)
        lines[-1] += first
        lines += others
    return lines


def _whole_lines(text: str, most: int) -> str:
    """The beginning of a text, up to the end of a line where there is one."""
    if len(text) <= most:
        return text
    return text[: text.rfind("\n", most // 2, most) + 1 or most]


def _laid_out(text: str) -> str | None:
    # Where a number is hidden, a label stands that JSON has only in quotes.
    for tried in (text, _BARE_LABEL.sub(r'"\1"', text)):
        with suppress(ValueError, RecursionError):
            return "".join(_pieces(_parsed(tried), "\n"))
    return None


def _parsed(text: str) -> Any:
    return json.loads(
        text,
        parse_float=_Digits,
        parse_int=_Digits,
        parse_constant=_Digits,
        object_pairs_hook=_Fields,
    )


class _Fields(list[tuple[str, Any]]):
    """The fields of an object in order; a name that comes again hides none before it."""

    __slots__ = ()


class _Digits(str):
    """A number as it was recorded, however large or small: no digit is lost."""

    __slots__ = ()


def _pieces(value: Any, line: str) -> Iterator[str]:
    """A parsed JSON value, two spaces a level; `line` begins a line of its level."""
    inside = f"{line}  "
    if isinstance(value, _Digits):
        yield value
    elif isinstance(value, _Fields):
        for number, (key, item) in enumerate(value):
            yield f"{',' if number else '{'}{inside}{_text(key)}: "
            yield from _pieces(item, inside)
        yield f"{line}}}" if value else "{}"
    elif isinstance(value, list) and value:
        for number, item in enumerate(value):
            yield f"{',' if number else '['}{inside}"
            yield from _pieces(item, inside)
        yield f"{line}]"
    else:
        yield _text(value)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _json_line(line: str) -> ContentLine:
    found = _KEY.match(line)
    return ContentLine(*found.groups()) if found else ContentLine("", "", line)
