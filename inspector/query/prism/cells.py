"""Parse single cells tolerantly: text, numbers, JSON, instants.

JSON is parsed row by row, with a limit on nesting.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Final

from inspector.text.parse_time import parse_instant

JsonObject = Mapping[str, object]
"""A parsed JSON object, or a record of the store."""

_DEEPEST = 200
_BEYOND = 2**63
_BRACKETS = re.compile(r"[\[{\]}]")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_PLAIN = json.JSONDecoder(parse_constant=lambda name: None)
_EXACT = json.JSONDecoder(parse_float=Decimal, parse_constant=lambda name: None)
_NOTHING: Final[JsonObject] = {}


class Malformed(ValueError):
    """Text that is not JSON, or is nested too deeply."""


def text_of(cell: object) -> str:
    """Return any cell as text; invalid UTF-8 becomes replacement characters."""
    if isinstance(cell, str):
        return cell
    if cell is None:
        return ""
    if isinstance(cell, bytes):
        return cell.decode("utf-8", "replace")
    return str(cell)


def text_or_none(cell: object) -> str | None:
    """Return a cell as text, or None for NULL."""
    return None if cell is None else text_of(cell)


def whole_number(value: object) -> int | None:
    """Return a whole number below 2^63, however it is stored; None for anything else."""
    if type(value) is int and -_BEYOND < value < _BEYOND:
        return value
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    if not -_BEYOND < value < _BEYOND:
        # False for NaN and infinity, too.
        return None
    whole = int(value)
    return whole if whole == value else None


def json_of(cell: object, *, exact: bool = False) -> object:
    """Parse JSON. Raises Malformed. `exact` parses fractions as Decimal."""
    text = text_of(cell)
    if text.count("[") + text.count("{") > _DEEPEST and _depth(text) > _DEEPEST:
        raise Malformed("nested too deeply")
    try:
        return (_EXACT if exact else _PLAIN).decode(text)
    except (ValueError, RecursionError) as error:
        raise Malformed(str(error)) from None


def _depth(text: str) -> int:
    """Return the nesting depth of brackets, or more: brackets in strings count."""
    deepest = depth = 0
    for bracket in _BRACKETS.findall(text):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    return deepest


def mapping(value: object) -> JsonObject:
    """Return an object as it is and anything else as an empty one."""
    return value if isinstance(value, dict) else _NOTHING


def sequence(value: object) -> Sequence[object]:
    """Return a list as it is and anything else as an empty one."""
    return value if isinstance(value, list) else ()


def name_of(value: object) -> str | None:
    """Return a string or number as a name; None for anything else."""
    if isinstance(value, str):
        return value
    number = whole_number(value)
    return None if number is None else str(number)


def message_of(error: object) -> str | None:
    """Return an error's message, else its name or code."""
    if isinstance(error, str):
        return error
    fields = mapping(error)
    for key in ("message", "name", "code"):
        name = name_of(fields.get(key))
        if name:
            return name
    return None


def instant_of(cell: object) -> int | None:
    """Return an instant in UTC ms, with a fast path for Prism's format (`…T20:04:13.373Z`)."""
    if type(cell) is str and len(cell) == 24 and cell[23] == "Z":
        try:
            return (datetime.fromisoformat(cell) - _EPOCH) // _MILLISECOND
        except (ValueError, TypeError):
            return parse_instant(cell)
    return parse_instant(cell)


def message_text(message: object, limit: int = 2000) -> str:
    """Return the text blocks of a message, else the names of the tools it calls or answers."""
    fields = mapping(message)
    content = fields.get("content")
    if isinstance(content, str):
        return content[:limit]
    said: list[str] = []
    tools: list[str] = []
    length = 0
    for block in map(mapping, sequence(content)):
        text = block.get("text")
        if isinstance(text, str) and block.get("type") == "text":
            said.append(text)
            length += len(text)
        elif (named := name_of(block.get("name"))) is not None:
            tools.append(named)
        if length > limit:
            break
    return ("".join(said) or ", ".join(tools))[:limit]
