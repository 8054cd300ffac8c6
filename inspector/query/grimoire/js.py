"""JSON, amounts, keys and string order as in JavaScript, on which Grimoire runs.

Its answers depend on it: an amount may be a number, the name of a missing field is `undefined`,
assets are sorted by `localeCompare`.

Order: Unicode collation, root order, three levels (letters, accents, case), as in American English.
Exact for ASCII and for Latin, Greek and Cyrillic letters and digits. Other scripts are ordered by
code point, which is right for ideographs and Hangul; other punctuation, symbols and emoji are in
their group by code point, which may differ from ICU.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Iterator
from typing import Any, NoReturn

from inspector.derive.money import all_digits, read_digits
from inspector.text.javascript import number_text

_WHITESPACE = (
    "\t\n\v\f\r \u00a0\ufeff\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009"
    "\u200a\u2028\u2029\u202f\u205f\u3000"
)
"""Removed by `trim` (ECMAScript: WhiteSpace and LineTerminator)."""

_WHOLE = re.compile(r"([-+]?)0*([0-9]+)", re.ASCII)


class _Missing:
    """A field that does not exist, unlike null."""

    def __repr__(self) -> str:
        return "undefined"


UNDEFINED = _Missing()


class Literal(str):
    """The digits of a whole number in JSON that has more of them than `int` accepts."""

    __slots__ = ()


class Unreadable(ValueError):
    """Text that is not JSON, or an entry on which Grimoire itself throws."""


def _no_constant(word: str) -> NoReturn:
    raise Unreadable(f"{word} is not JSON")


def _any_whole(digits: str) -> int | Literal:
    return int(digits) if len(digits) < 4000 else Literal(digits)


DECODER = json.JSONDecoder(parse_constant=_no_constant)

LONG_DECODER = json.JSONDecoder(parse_constant=_no_constant, parse_int=_any_whole)
"""Slower; accepts whole numbers of thousands of digits."""


def parse(cell: object) -> object:
    """Parse the JSON text of a database cell. Raises Unreadable with the reason."""
    text = cell.decode("utf-8", "replace") if isinstance(cell, bytes) else str(cell)
    try:
        return DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise Unreadable(f"not JSON at character {error.pos}: {error.msg}") from None
    except RecursionError:
        raise Unreadable("nested too deeply") from None
    except ValueError as error:
        if isinstance(error, Unreadable):
            raise
    return LONG_DECODER.decode(text)


def parse_or_none(cell: object) -> object:
    """Parse the JSON text of a database cell; None for NULL and for what cannot be read."""
    if cell is None:
        return None
    try:
        return parse(cell)
    except Unreadable:
        return None


def field(value: object, name: str) -> Any:
    """Return a field as `value.name` gives it, UNDEFINED if it does not exist.

    Raises Unreadable where JavaScript throws: null and undefined have no fields.
    """
    if isinstance(value, dict):
        return value.get(name, UNDEFINED)
    if value is None or value is UNDEFINED:
        raise Unreadable(f"{value!r} has no {name!r}".replace("None", "null"))
    return UNDEFINED


def text_of(value: object) -> str:
    """Return a value as the key of a counter, as `String(value)` gives it. Raises Unreadable."""
    try:
        return _text_of(value)
    except RecursionError:
        raise Unreadable("nested too deeply") from None


def _text_of(value: object) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return number_text(value)
    if isinstance(value, list):
        return ",".join("" if item is None else _text_of(item) for item in value)
    return "undefined" if value is UNDEFINED else "[object Object]"


def amount_of(value: object) -> int | None:
    """Return an amount as a whole number; None for what is not an amount to Grimoire.

    Text counts with every digit, a number as the nearest double. Raises Unreadable for text with
    absurdly many digits.
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


def compact(value: object) -> str:
    """Return a value as JSON on one line, with every digit of its numbers."""
    try:
        return _compact(value)
    except RecursionError:
        return "(nested too deeply)"


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


# The order of `localeCompare`.

_ASCII = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789"
"""ASCII without letters, in order."""

_RANK = {character: rank for rank, character in enumerate(_ASCII)}

_FIRST_SYMBOL = _RANK["`"]

_SPACE, _PUNCTUATION, _SYMBOL, _CURRENCY, _DIGIT, _LETTER = range(6)

_LIGATURES = {"ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE"}

_STROKE, _ETH, _LIGATURE_MARK = "\u0338", 0x20000, 0x30000

_STRUCK = {
    "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ħ": "h", "Ħ": "H",
    "ð": "d", "Ð": "D",
}  # fmt: skip
"""Letters that differ from another letter as if by an accent."""

_AFTER = {"ə": "e", "ı": "i", "ŋ": "n", "ĸ": "q", "ŧ": "t"}
"""Letters in their own right, after another letter."""

_ACCENTS = "\u0301\u0300\u0306\u0302\u030c\u030a\u0308\u030b\u0303\u0307\u0338\u0327\u0328\u0304"
"""Accents in order; all others follow by code point."""

_ACCENT = {mark: rank for rank, mark in enumerate(_ACCENTS, 1)}

SortKey = tuple[list[tuple[int, int, int]], list[int], list[int]]


def sort_key(text: str) -> SortKey:
    """Return the key by which `localeCompare` orders text: weights of letters, accents, cases."""
    letters: list[tuple[int, int, int]] = []
    accents: list[int] = []
    cases: list[int] = []
    for character, variant, accent in _pieces(text):
        if accent:
            accents.append(accent)
            continue
        weight = _weight(character)
        if weight is None:
            continue
        letters.append(weight)
        accents.append(0)
        cases.append(2 * character.isupper() + variant)
    return letters, accents, cases


def _pieces(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield base characters with 1 for a variant of another, and (after `""`, 0) accents."""
    if text.isascii():
        yield from ((character, 0, 0) for character in text)
        return
    for whole in text:
        variant = int(unicodedata.normalize("NFD", whole) != unicodedata.normalize("NFKD", whole))
        for character in unicodedata.normalize("NFKD", whole):
            if unicodedata.category(character).startswith("M"):
                yield "", 0, _ACCENT.get(character, ord(character))
            elif character in _LIGATURES:
                parts = _LIGATURES[character]
                yield parts[0], 1, 0
                if character not in "ßẞ":
                    yield "", 0, _LIGATURE_MARK
                yield parts[1], 1, 0
            elif character in _STRUCK:
                yield _STRUCK[character], variant, 0
                yield "", 0, _ETH if character in "ðÐ" else _ACCENT[_STROKE]
            else:
                yield character, variant, 0


def _weight(character: str) -> tuple[int, int, int] | None:
    """Return a character's group and its rank there; None if it is ignored."""
    rank = _RANK.get(character)
    if rank is not None:
        return _ascii_group(character, rank), rank, 0
    if "\t" <= character <= "\r":
        return _SPACE, ord(character) - 0x20, 0
    category = unicodedata.category(character)
    if category in ("Cc", "Cf"):
        return None
    if category.startswith("L"):
        small = character.lower()
        base = _AFTER.get(small)
        return _LETTER, ord(base or small[0]), ord(small[0]) if base else 0
    digit = unicodedata.digit(character, None)
    if digit is not None:
        return _DIGIT, _RANK[str(digit)], 0
    group = {"Z": _SPACE, "P": _PUNCTUATION, "S": _SYMBOL}.get(category[0], _LETTER)
    return (_CURRENCY if category == "Sc" else group), ord(character), 0


def _ascii_group(character: str, rank: int) -> int:
    if character.isdigit():
        return _DIGIT
    if character == "$":
        return _CURRENCY
    if character == " ":
        return _SPACE
    return _SYMBOL if rank >= _FIRST_SYMBOL else _PUNCTUATION
