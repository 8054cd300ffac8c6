"""The order in which the runtime lists assets: that of `localeCompare` in American English.

Source: Unicode collation, root order, three levels: letters, then accents, then case. Exact for
ASCII, and for Latin, Greek and Cyrillic letters and digits. Beyond those, scripts follow each other
and their letters stand by code point, which is right for ideographs and Hangul; punctuation,
symbols and emoji outside of ASCII come in their group by code point, which may differ from ICU.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

_ASCII = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789"
"""ASCII without letters, in order."""
_PLACE = {character: place for place, character in enumerate(_ASCII)}
_FIRST_SYMBOL = _PLACE["`"]

_SPACE, _PUNCTUATION, _SYMBOL, _CURRENCY, _DIGIT, _LETTER = range(6)
_LIGATURES = {"ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE"}
_STROKE, _ETH, _LIGATURE_MARK = "\u0338", 0x20000, 0x30000
_STRUCK = {
    "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ħ": "h", "Ħ": "H",
    "ð": "d", "Ð": "D",
}  # fmt: skip
"""Letters that differ from another one as if by an accent."""
_AFTER = {"ə": "e", "ı": "i", "ŋ": "n", "ĸ": "q", "ŧ": "t"}
"""Letters of their own that stand behind another one."""
_ACCENTS = "\u0301\u0300\u0306\u0302\u030c\u030a\u0308\u030b\u0303\u0307\u0338\u0327\u0328\u0304"
"""Accents in order; all others follow by code point."""
_ACCENT = {mark: place for place, mark in enumerate(_ACCENTS, 1)}

Key = tuple[list[tuple[int, int, int]], list[int], list[int]]


def key(text: str) -> Key:
    """What `text` is sorted by."""
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
    """Plain characters with whether they are a variant of another, and accents."""
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
    """Group and place in it; None for what is ignored."""
    place = _PLACE.get(character)
    if place is not None:
        return _ascii_group(character, place), place, 0
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
        return _DIGIT, _PLACE[str(digit)], 0
    group = {"Z": _SPACE, "P": _PUNCTUATION, "S": _SYMBOL}.get(category[0], _LETTER)
    return (_CURRENCY if category == "Sc" else group), ord(character), 0


def _ascii_group(character: str, place: int) -> int:
    if character.isdigit():
        return _DIGIT
    if character == "$":
        return _CURRENCY
    if character == " ":
        return _SPACE
    return _SYMBOL if place >= _FIRST_SYMBOL else _PUNCTUATION
