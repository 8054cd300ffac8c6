"""Values as the runtime's own language reads them: JSON text, amounts, names of counters.

Grimoire runs on JavaScript; where its answers depend on that (an amount given as a number, a
missing field as the word `undefined`), so do ours.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn

from inspector.derive.money import all_digits, read_digits

_WHITESPACE = (
    "\t\n\v\f\r \u00a0\ufeff\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009"
    "\u200a\u2028\u2029\u202f\u205f\u3000"
)
"""What `trim` removes (ECMAScript: WhiteSpace and LineTerminator)."""

_WHOLE = re.compile(r"([-+]?)0*([0-9]+)", re.ASCII)
_FINITE_DIGITS = 309
"""A number with more digits than this is no finite double."""


class _Missing:
    """Stands for a field that is not there, which is not the same as null."""

    def __repr__(self) -> str:
        return "undefined"


UNDEFINED = _Missing()


class Literal(str):
    """A whole number in JSON with more digits than Python reads at once: its digits as text."""

    __slots__ = ()


class Unreadable(ValueError):
    """Text that is not JSON, or an entry that the runtime itself cannot read."""


def _no_constant(word: str) -> NoReturn:
    raise Unreadable(f"{word} is not JSON")


def _any_whole(digits: str) -> int | Literal:
    return int(digits) if len(digits) < 4000 else Literal(digits)


DECODER = json.JSONDecoder(parse_constant=_no_constant)
LONG_DECODER = json.JSONDecoder(parse_constant=_no_constant, parse_int=_any_whole)
"""For text with whole numbers of thousands of digits, which the quick one refuses."""


def parse(text: str | bytes) -> Any:
    """JSON text as the runtime reads it. Raises Unreadable with what is wrong, in words."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    try:
        return DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise Unreadable(f"not JSON at character {error.pos}: {error.msg}") from None
    except RecursionError:
        raise Unreadable("nested too deep to be read") from None
    except ValueError as error:
        if isinstance(error, Unreadable):
            raise
    return LONG_DECODER.decode(text)


def text_of(value: object) -> str:
    """A value as the key of a counter, as `String(value)` gives it. Raises Unreadable."""
    try:
        return _text_of(value)
    except RecursionError:
        raise Unreadable("nested too deep to be read") from None


def _text_of(value: object) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return all_digits(value)
    if isinstance(value, float):
        return all_digits(int(value)) if value.is_integer() and abs(value) < 1e21 else repr(value)
    if isinstance(value, list):
        return ",".join("" if item is None else _text_of(item) for item in value)
    return "undefined" if value is UNDEFINED else "[object Object]"


def amount_of(value: object) -> int | None:
    """An amount as a whole number; None for what the runtime does not take for one.

    Text counts with every digit, a number only as far as a double holds it. Raises Unreadable for
    text with more digits than any asset has.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float | Literal):
        return _from_number(value)
    if not isinstance(value, str):
        return None
    match = _WHOLE.fullmatch(value.strip(_WHITESPACE))
    if match is None:
        return None
    try:
        number = read_digits(match[2])
    except ValueError as error:
        raise Unreadable(str(error)) from None
    return -number if match[1] == "-" else number


def _from_number(value: int | float | Literal) -> int | None:
    if isinstance(value, Literal):
        return None
    try:
        double = float(value)
    except OverflowError:
        return None
    return int(double) if math.isfinite(double) else None


def field(value: object, name: str) -> Any:
    """A field as `value.name` gives it: UNDEFINED where it is not there.

    Raises Unreadable where the runtime throws: null and what is missing have no fields.
    """
    if isinstance(value, dict):
        return value.get(name, UNDEFINED)
    if value is None or value is UNDEFINED:
        raise Unreadable(f"{value!r} has no {name!r}".replace("None", "null"))
    return UNDEFINED


def compact(value: object) -> str:
    """A value as JSON on one line, with every digit of its numbers."""
    try:
        return _compact(value)
    except RecursionError:
        return "(nested too deep to be shown)"


def _compact(value: object) -> str:
    if isinstance(value, Literal):
        return str(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return all_digits(value)
    if isinstance(value, list):
        return f"[{', '.join([_compact(item) for item in value])}]"
    if isinstance(value, dict):
        pairs = [f"{json.dumps(key)}: {_compact(item)}" for key, item in value.items()]
        return f"{{{', '.join(pairs)}}}"
    return json.dumps(value, ensure_ascii=False)
