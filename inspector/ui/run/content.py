"""The whole content of a value as lines: JSON laid out, everything else as it stands.

Made on a reader's thread, because contents may be long; drawing takes the lines as they are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from inspector.text.escape import visible_lines
from inspector.text.mask import mask_named

LAID_OUT = 1_000_000
"""Characters up to which JSON is laid out; longer contents are shown as they stand."""

SHOWN = 2_000_000
"""Characters of a content that are shown; copying takes the rest along."""

_KEY = re.compile(r'^(\s*)("(?:[^"\\]|\\.)*":)(.*)$', re.DOTALL)


@dataclass(frozen=True, slots=True)
class ContentLine:
    """A line in parts, safe to show: a JSON key is quieter than what it stands for."""

    lead: str
    key: str
    rest: str


@dataclass(frozen=True, slots=True)
class Content:
    """Lines, what kind of text they are, and whether more was recorded than they show."""

    lines: tuple[ContentLine, ...]
    kind: str
    cut: bool = False


def content_of(name: str | None, text: str, kind: str) -> Content:
    """Lays out a value; `kind` is what it is if it is not JSON. Secrets are masked."""
    hidden = mask_named(name, text[:SHOWN])
    shown, cut = hidden.text, len(text) > SHOWN
    if shown[:200].lstrip()[:1] in ("{", "[") and len(text) <= LAID_OUT:
        laid_out = _laid_out(shown)
        if laid_out is not None:
            return Content(tuple(map(_json_line, visible_lines(laid_out))), "json")
    lines = (ContentLine("", "", line) for line in visible_lines(shown))
    return Content(tuple(lines), kind, cut)


def record_content(record: object) -> Content:
    """Lays out something that was read as a whole, such as the columns of a row."""
    text = json.dumps(record, ensure_ascii=False, indent=2, default=str)
    hidden = mask_named(None, text[:SHOWN])
    return Content(tuple(map(_json_line, visible_lines(hidden.text))), "row", len(text) > SHOWN)


def _laid_out(text: str) -> str | None:
    try:
        parsed = json.loads(text, parse_float=_Digits, parse_int=_Digits, parse_constant=_Digits)
        return "".join(_pieces(parsed, "\n"))
    except (ValueError, RecursionError):
        return None


class _Digits(str):
    """A number as it was recorded, however large or small: no digit is lost."""

    __slots__ = ()


def _pieces(value: Any, line: str) -> Iterator[str]:
    """A parsed JSON value, two spaces a level; `line` begins a line of its level."""
    inside = f"{line}  "
    if isinstance(value, _Digits):
        yield value
    elif isinstance(value, dict) and value:
        for number, (key, item) in enumerate(value.items()):
            yield f"{',' if number else '{'}{inside}{_text(key)}: "
            yield from _pieces(item, inside)
        yield f"{line}}}"
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
