"""Content of a value, ready for display: formatted JSON, rendered Markdown, or a hex dump.

Built on a reader's thread, because contents may be long. Independent of the width:
`widgets/content_view.py` wraps it.
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
"""Maximum characters of JSON that is formatted; longer content is shown raw."""

SHOWN = 2_000_000
"""Maximum characters displayed; the pager and saved files get more."""

MARKDOWN_SHOWN = 60_000
"""Maximum characters of rendered Markdown."""

HEX_SHOWN = 65_536
"""Maximum bytes of a hex dump."""

LOOKED_AT = 4_096
"""Minimum characters for detecting Markdown."""

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
    """A line in parts, escaped; a JSON key is muted."""

    lead: str
    key: str
    rest: str


@dataclass(frozen=True, slots=True)
class Content:
    """Lines, the type of content, and whether more was recorded than they show."""

    lines: tuple[ContentLine, ...]
    kind: str
    cut: bool = False
    text: str = ""
    """The raw text, masked, if the lines are formatted."""
    markdown: str = ""
    """Markdown source, masked, if it can be rendered."""
    data: bytes = b""
    """Bytes for the hex dump below the lines."""
    foreign: bool = False
    """True if the bytes are text in another encoding, and the lines what can be decoded."""

    @property
    def is_image(self) -> bool:
        """True for an image of a known format."""
        return bool(self.data) and self.kind.endswith(" image")

    @property
    def formats(self) -> tuple[str, str] | None:
        """Names of the two formats, the default first; None if there is only one."""
        if self.markdown:
            return "formatted", "raw"
        if self.data and self.foreign:
            return "text", "hex"
        return ("formatted", "raw") if self.text else None

    def beginning(self) -> Content:
        """The same content, marked as truncated."""
        return replace(self, cut=True)

    @property
    def weight(self) -> int:
        """Approximate number of characters to wrap."""
        if self.markdown or self.text:
            return len(self.markdown) + len(self.text)
        lines = sum(len(line.rest) + 20 for line in self.lines)
        return lines + len(self.data)


def content_of(name: str | None, text: str, kind: str, *, file: str = "") -> Content:
    """Formats a value, with secrets masked; `kind` is its type unless one is detected.

    `file` is the name of the file that holds it, if any.
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
    """Formats something read as a whole, such as the columns of a row."""
    text = json.dumps(record, ensure_ascii=False, indent=2, default=str)
    hidden = mask_named(None, text[:SHOWN])
    return Content(tuple(map(_json_line, visible_lines(hidden.text))), "row", len(text) > SHOWN)


def bytes_content(data: bytes, size: int) -> Content:
    """Formats binary data; `size` is the total number of bytes, of which `data` is a part."""
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
    """Formats text that is not UTF-8: what can be decoded, or its bytes."""
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
    """True if a text is Markdown, by its file name or else by its syntax."""
    ending = file.lower()
    if ending and not _NO_ENDING.search(ending):
        return ending.endswith(_MARKDOWN_ENDINGS)
    head = text[:LOOKED_AT]
    if _HEADING_FIRST.match(head):
        return True
    return sum(1 for mark in _MARKS if mark.search(head)) >= 2


def _lines_of(parts: Sequence[str]) -> list[str]:
    """Splits text into escaped lines, in parts, so that other threads can run in between."""
    lines = [""]
    for part in parts:
        first, *others = visible_lines(part)
        lines[-1] += first
        lines += others
    return lines


def _whole_lines(text: str, most: int) -> str:
    """The beginning of a text, up to the end of a line if there is one."""
    if len(text) <= most:
        return text
    return text[: text.rfind("\n", most // 2, most) + 1 or most]


def _laid_out(text: str) -> str | None:
    # A masked number becomes an unquoted label, which is not JSON.
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
    """Fields of an object in order; duplicate names are kept."""

    __slots__ = ()


class _Digits(str):
    """A number as recorded, without loss of digits."""

    __slots__ = ()


def _pieces(value: Any, line: str) -> Iterator[str]:
    """Yields the parts of a parsed JSON value, indented by two spaces per level."""
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
