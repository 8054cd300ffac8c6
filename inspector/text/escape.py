"""Escapes untrusted text: nothing in it can move the cursor, reorder or hide text."""

import base64
import json
import math
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal

from inspector.text.lazy_pattern import lazy_pattern
from inspector.text.measure import cell_width

TAB_CELLS = 4
"""Distance of tab stops."""

MAX_MARKS = 30
"""Combining marks kept on one character: Unicode's Stream-Safe Text Format."""

BIDI_CONTROLS = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
"""For a character class: characters that reorder the text around them."""

# Unicode's Default_Ignorable_Code_Point and other format characters without a glyph: they hide
# text or make two names look alike. Joiners, variation selectors and tags have legitimate uses,
# which `_is_legitimate` recognises.
_INVISIBLE = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2065\u206a-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_CONTROLS = "\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff"
_RISKY = lazy_pattern(f"[{_CONTROLS}{BIDI_CONTROLS}{_INVISIBLE}]")
_RISKY_BUT_BREAKS = lazy_pattern(f"(?![\n\t])[{_CONTROLS}{BIDI_CONTROLS}{_INVISIBLE}]")
_MAYBE_MARKS = lazy_pattern("[\u0300-\U0010ffff]{" + str(MAX_MARKS + 1) + "}")
_FLAG_TAGS = lazy_pattern("\U0001f3f4([\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,6}\U000e007f)")
_JSON_RISKY = lazy_pattern(f"\\\\.|[\x7f-\x9f\u2028\u2029\ud800-\udfff{BIDI_CONTROLS}]")
_JSON_SHORT = {"b": "\\u0008", "t": "\\u0009", "n": "\\u000a", "f": "\\u000c", "r": "\\u000d"}
_JSON_ENCODER = json.JSONEncoder(ensure_ascii=False)
_LARGEST_EXACT = 2**53
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}

_ZWNJ, _ZWJ = "\u200c", "\u200d"
_TEXT_STYLE, _EMOJI_STYLE = "\ufe0e", "\ufe0f"
_EMOJI_AMONG_PUNCTUATION = "\u203c\u2049\u2139\u3030"
_VIRAMA_CLASS = 9
_JOINING_SCRIPTS = lazy_pattern(
    "[\u0620-\u064a\u066e-\u06d3\u06fa-\u06fc\u0750-\u077f\u08a0-\u08c9"
    "\u0904-\u0d7f\u1000-\u109f\u1780-\u17b3\u1820-\u18aa]"
)


def visible(text: str) -> str:
    """Returns `text` on one line: plain characters and escapes such as `\\n`, `\\x1b`, `\\u202e`.

    Controls, bidirectional controls, lone surrogates, line separators and characters that draw
    nothing become escapes; letters, emoji and combining marks stay. A backslash stays one: the
    result of `visible` is itself visible.
    """
    if text.isascii() and text.isprintable():
        return text
    return _thin_marks(_RISKY.sub(_shown(text), text))


def visible_lines(text: str) -> list[str]:
    """Like `visible`, but a list of lines: `\\n` and `\\r\\n` end one, tabs become spaces."""
    text = text.replace("\r\n", "\n")
    kept = _RISKY_BUT_BREAKS.sub(_shown(text), text)
    return [_thin_marks(_expand_tabs(line)) for line in kept.split("\n")]


def escaped(character: str) -> str:
    """Returns the ASCII escape of a character: `\\n`, `\\x1b`, `\\u202e` or `\\U000e0041`."""
    code = ord(character)
    if code < 0x100:
        return _SHORT.get(character) or f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _shown(text: str) -> Callable[[re.Match[str]], str]:
    """Returns a replacement function for the risky characters of `text`."""
    flags = {
        index
        for match in _FLAG_TAGS.finditer(text)
        for index in range(match.start(1), match.end(1))
    }

    def replacement(match: re.Match[str]) -> str:
        character, at = match[0], match.start()
        return character if at in flags or _is_legitimate(text, at) else escaped(character)

    return replacement


def _is_legitimate(text: str, at: int) -> bool:
    """True if the invisible character at `at` is part of an emoji or of a script's spelling."""
    character = text[at]
    before = text[at - 1] if at else ""
    after = text[at + 1] if at + 1 < len(text) else ""
    if character in (_TEXT_STYLE, _EMOJI_STYLE):
        return bool(before) and (before in "#*0123456789" or _is_symbol(before))
    if character not in (_ZWJ, _ZWNJ) or not before or not after:
        return False
    if _joins_letters(before) and _JOINING_SCRIPTS.match(after):
        return True
    return character == _ZWJ and _ends_emoji(text, at) and _is_symbol(after)


def _joins_letters(before: str) -> bool:
    return bool(_JOINING_SCRIPTS.match(before)) or unicodedata.combining(before) == _VIRAMA_CLASS


def _ends_emoji(text: str, end: int) -> bool:
    last = text[end - 1]
    if last == _EMOJI_STYLE and end >= 2:
        last = text[end - 2]
    return _is_symbol(last)


def _is_symbol(character: str) -> bool:
    """True for emoji and pictographs, including those newer than Python's Unicode tables."""
    if character in _EMOJI_AMONG_PUNCTUATION or "\U0001f000" <= character <= "\U0001faff":
        return True
    return character >= "\xa9" and unicodedata.category(character) in ("So", "Sk", "Sm")


def _thin_marks(text: str) -> str:
    """Escapes combining marks beyond MAX_MARKS, which would paint over other lines."""
    if text.isascii() or not _MAYBE_MARKS.search(text):
        return text
    pieces: list[str] = []
    marks = 0
    for character in text:
        marks = marks + 1 if unicodedata.category(character) in ("Mn", "Me", "Mc") else 0
        pieces.append(escaped(character) if marks > MAX_MARKS else character)
    return "".join(pieces)


def _expand_tabs(line: str) -> str:
    if "\t" not in line:
        return line
    first, *rest = line.split("\t")
    pieces = [first]
    column = cell_width(first)
    for piece in rest:
        gap = TAB_CELLS - column % TAB_CELLS
        pieces.append(" " * gap + piece)
        column += gap + cell_width(piece)
    return "".join(pieces)


def json_text(obj: object, *, indent: int | None = None) -> str:
    """Formats `obj` as printable JSON: controls as `\\uXXXX`, letters as they are.

    Integers beyond 2^53 and Decimals become strings, so do NaN and the infinities; bytes become
    `{"base64": "…"}`. Keys keep their order, depth has no limit. Raises TypeError for other types.
    """
    pieces: list[str] = []
    open_containers: list[_Container] = []
    colon = ":" if indent is None else ": "

    def line(depth: int) -> str:
        return "" if indent is None else "\n" + " " * (indent * depth)

    _put(obj, pieces, open_containers)
    while open_containers:
        container = open_containers[-1]
        entry = next(container.entries, None)
        if entry is None:
            open_containers.pop()
            pieces.append(line(len(open_containers)) if container.used else "")
            pieces.append(container.closer)
            continue
        pieces.append("," if container.used else "")
        pieces.append(line(len(open_containers)))
        container.used = True
        key, value = entry
        if container.closer == "}":
            pieces.append(_json_string(_json_key(key)) + colon)
        _put(value, pieces, open_containers)
    return "".join(pieces)


class _Container:
    """An open object or array; a stack of them replaces recursion."""

    __slots__ = ("closer", "entries", "used")

    def __init__(self, entries: Iterator[tuple[object, object]], closer: str) -> None:
        self.entries = entries
        self.closer = closer
        self.used = False


def _put(value: object, pieces: list[str], open_containers: list[_Container]) -> None:
    """Writes a scalar, or opens a container."""
    if isinstance(value, bytes | bytearray | memoryview):
        value = {"base64": base64.b64encode(value).decode("ascii")}
    if isinstance(value, Mapping):
        pieces.append("{")
        open_containers.append(_Container(iter(value.items()), "}"))
    elif isinstance(value, list | tuple):
        pieces.append("[")
        open_containers.append(_Container(((None, item) for item in value), "]"))
    else:
        pieces.append(_json_scalar(value))


def _json_scalar(value: object) -> str:
    if isinstance(value, str):
        return _json_string(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        if -_LARGEST_EXACT <= value <= _LARGEST_EXACT:
            return int.__repr__(value)
        # Decimal, because Python refuses to print ints of more than 4,300 digits.
        return f'"{Decimal(value):f}"'
    if isinstance(value, float):
        if math.isfinite(value):
            return float.__repr__(value)
        return '"NaN"' if math.isnan(value) else ('"Infinity"' if value > 0 else '"-Infinity"')
    if isinstance(value, Decimal):
        return f'"{value:f}"'
    raise TypeError(f"JSON has no form for {type(value).__name__}")


def _json_key(key: object) -> str:
    return key if isinstance(key, str) else _json_scalar(key).strip('"')


def _json_string(text: str) -> str:
    return _JSON_RISKY.sub(_json_escape, _JSON_ENCODER.encode(text))


def _json_escape(match: re.Match[str]) -> str:
    found = match[0]
    if found[0] == "\\":
        return _JSON_SHORT.get(found[1], found)
    return f"\\u{ord(found):04x}"
