"""Finds secrets in JSON text by the names of their fields, as masking of records does.

Scans tokens of the raw text, which may be cut off, contain several documents or other text, or be
JSON inside a JSON string. Takes linear time.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from inspector.text.lazy_pattern import lazy_pattern
from inspector.text.redacted_fields import (
    ARGUMENT,
    ARGUMENTS,
    MANIFEST_SIGNS,
    PARAMETER,
    PARAMS,
    PENDING,
    REDACTED,
    RPC_BY_CHAIN,
    VALUE_OF_NAME,
)
from inspector.text.secret_names import secret_name
from inspector.text.secret_patterns import HINTS, Span, whole_value

_HINTS = (*HINTS, *REDACTED, PENDING.lower(), "\\u00")
_START = lazy_pattern(
    rf'(?="(?:{"|".join(REDACTED)})"\s*+:)()|\A\s*+(?=")|(?=[\[{{]\s*+[\[{{"])',
)
"""Start of JSON; also at the name of a redacted field whose beginning was cut off."""
_TOKEN = lazy_pattern(
    r'"(?:[^"\\]++|\\.)*+(?:"(\s*+:)?|\\?\Z)|‹masked:[^›]{1,60}›|[{}\[\]]|[^\s"{}\[\],:‹]++|‹',
)
_ESCAPE = lazy_pattern(r"\\(?:u([0-9a-fA-F]{4})|([\s\S]))")
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
_MAX_NESTING = 6
"""Maximum nesting of JSON inside JSON strings."""
_MAX_AROUND = 4
"""Enclosing objects for which a value is remembered as a possible parameter."""
_PLAIN = ("null", "true", "false")
_MAX_NAME = 400
_MAX_KEYS = 4096
_MAX_LEVELS = 2000
_WATCHED = {*REDACTED, *MANIFEST_SIGNS, *VALUE_OF_NAME, PARAMS, PENDING, ARGUMENTS, "name"}

_Place = tuple[int, int]
"""Start and end of a value."""


def named_in_json(text: str, lower: str) -> Iterator[Span]:
    """Yields JSON values in `text` that their names or enclosing objects require to hide."""
    if '"' in text and any(hint in lower for hint in _HINTS):
        yield from _spans(text, 0)


def _spans(text: str, depth: int) -> Iterator[Span]:
    at = 0
    while (start := _START.search(text, at)) is not None:
        scan = _Scan(text, depth, in_object=start.lastindex is not None)
        at = scan.run(start.end())
        yield from scan.found


class _Key(NamedTuple):
    """A field's name, the kind it is hidden as, and whether its value must be checked."""

    name: str
    hides: str | None
    watch: bool


_NO_KEY = _Key("", None, False)


class _Frame:
    """An open object or array."""

    __slots__ = (
        "around", "fields", "hides", "is_object", "key", "lists", "name", "owner", "params",
        "pending", "values", "watch",
    )  # fmt: skip

    def __init__(self, is_object: bool, above: _Frame | None) -> None:
        self.is_object = is_object
        self.owner: _Frame = self if is_object or above is None else above.owner
        """Name of the field with this object; items of an array have the array's name."""
        self.key = _NO_KEY
        self.hides: str | None = None
        """Kind that everything inside is hidden as."""
        self.pending = False
        self.lists = 0
        """Open arrays inside this array."""
        self.watch = False
        """True if the next value must be checked."""
        self.name: str | None = None
        self.values: list[_Place] = []
        """Values of the field that `name` names."""
        self.fields: set[str] = set()
        self.params: list[_Place] = []
        """Spans to hide if this turns out to be a manifest."""
        self.around: tuple[list[_Place], ...] = ()
        if above is not None:
            self._stand_in(above)

    def _stand_in(self, above: _Frame) -> None:
        key = above.owner.key
        self.hides = above.hides or (key.hides if above.is_object else None)
        self.pending = above.pending or (above.is_object and key.name == PENDING)
        self.around = above.around
        if above.is_object and key.name == PARAMS and len(above.around) < _MAX_AROUND:
            self.around = (*above.around, above.params)
        if above.is_object and above.pending and key.name == ARGUMENTS:
            self.hides = self.hides or ARGUMENT
        self.watch = bool(self.hides or self.around) or (not self.is_object and above.watch)

    def comes(self, key: _Key) -> None:
        """Called before the value of a field."""
        self.key = key
        if key.name in MANIFEST_SIGNS:
            self.fields.add(key.name)
        self.watch = key.watch or bool(self.hides or self.around)


class _Scan:
    """Scans one JSON text."""

    def __init__(self, text: str, depth: int, *, in_object: bool) -> None:
        self.found: list[Span] = []
        self._text = text
        self._depth = depth
        self._stack = [_Frame(in_object, None)]
        self._keys: dict[str, _Key] = {}

    def run(self, start: int) -> int:
        """Scans the text; returns its end."""
        text, stack = self._text, self._stack
        frame = stack[0]
        for token in _TOKEN.finditer(text, start):
            at = token.start()
            sign = text[at]
            if sign == '"':
                if token.lastindex and frame.is_object:
                    frame.comes(self._key(token[0]))
                    continue
                end = token.end(1) if token.lastindex else token.end()
                if frame.watch:
                    self._string(frame, at + 1, end)
                elif text.find('\\"', at + 1, end) >= 0:
                    self._inside(at + 1, end)
            elif sign == "[" and len(stack) > 1 and not frame.is_object:
                frame.lists += 1
            elif sign in "{[":
                if len(stack) > _MAX_LEVELS:
                    return self._too_deep(at)
                frame = _Frame(sign == "{", frame)
                stack.append(frame)
            elif sign in "}]" and frame.lists:
                frame.lists -= 1
            elif sign in "}]":
                self._close(stack.pop(), cut=False)
                frame = stack[-1] if stack else frame
            elif frame.watch:
                self._bare(frame, token)
            if len(stack) <= 1:
                return token.end()
        self._cut_off()
        return len(text)

    def _cut_off(self) -> None:
        while len(self._stack) > 1:
            self._close(self._stack.pop(), cut=True)

    def _too_deep(self, at: int) -> int:
        """Returns what applies to a value at `at`; inside something hidden everything is hidden."""
        hides, end = self._stack[-1].hides, len(self._text)
        self._cut_off()
        if hides is None:
            return at
        self.found.append(Span(at, end, hides))
        return end

    def _key(self, written: str) -> _Key:
        known = self._keys.get(written)
        if known is None:
            name = _decoded(written.rstrip(" \t\r\n:")[1:-1][:_MAX_NAME])
            watch = name in _WATCHED or secret_name(name) is not None
            known = _Key(name, REDACTED.get(name), watch)
            if len(self._keys) < _MAX_KEYS:
                self._keys[written] = known
        return known

    def _close(self, frame: _Frame, *, cut: bool) -> None:
        if frame.hides is not None or not frame.is_object:
            return
        if RPC_BY_CHAIN in frame.fields or (cut and frame.fields):
            self.found += (Span(*place, PARAMETER) for place in frame.params)
        if frame.name is not None:
            for start, end in frame.values:
                self._named(frame.name, start, end)

    def _string(self, frame: _Frame, start: int, end: int) -> None:
        """Handles a value to check; `end` is after its closing quote, if any."""
        text, owner = self._text, frame.owner
        end -= end > start and text[end - 1] == '"'
        if start >= end or self._is_hidden(frame, start, end):
            return
        name = owner.key.name
        if name in VALUE_OF_NAME:
            owner.values.append((start, end))
        elif name == "name" and frame is owner:
            owner.name = _decoded(text[start : min(end, start + _MAX_NAME)])
        if not self._named(name, start, end):
            self._inside(start, end)

    def _bare(self, frame: _Frame, token: re.Match[str]) -> None:
        """Handles a number or an unknown word."""
        if token[0] not in _PLAIN:
            self._is_hidden(frame, *token.span())

    def _is_hidden(self, frame: _Frame, start: int, end: int) -> bool:
        """Hides a value because of its enclosing objects, or remembers it until they are known."""
        key = frame.owner.key
        hides = frame.hides
        if frame.is_object and hides is None:
            pending = frame.pending and key.name == ARGUMENTS
            hides = ARGUMENT if pending else key.hides
        if hides is not None:
            self.found.append(Span(start, end, hides))
            return True
        for params in frame.around:
            params.append((start, end))
        if frame.is_object and key.name == PARAMS:
            frame.params.append((start, end))
        return False

    def _named(self, name: str, start: int, end: int) -> bool:
        if secret_name(name) is None:
            return False
        found = whole_value(name, _decoded(self._text[start:end]))
        if found is not None:
            self.found.append(Span(start, end, found.kind))
        return found is not None

    def _inside(self, start: int, end: int) -> None:
        """Scans JSON inside a string."""
        if self._depth >= _MAX_NESTING or "{" not in self._text[start:end]:
            return
        inner = _Unescaped(self._text[start:end])
        for span in _spans(inner.text, self._depth + 1):
            place = start + inner.place(span.start), start + inner.place(span.end)
            self.found.append(Span(*place, span.kind))


def _decoded(inner: str) -> str:
    return _Unescaped(inner).text if "\\" in inner else inner


class _Unescaped:
    """Decoded content of a JSON string, with the position of each character."""

    def __init__(self, inner: str) -> None:
        pieces: list[str] = []
        self._here: list[int] = [0]
        self._there: list[int] = [0]
        length = at = 0
        for escape in _ESCAPE.finditer(inner):
            start, end = escape.span()
            sign = chr(int(escape[1], 16)) if escape[1] else _ESCAPED.get(escape[2], escape[2])
            pieces += (inner[at:start], sign)
            length += start - at + 1
            at = end
            self._here.append(length)
            self._there.append(end)
        pieces.append(inner[at:])
        self.text = "".join(pieces)

    def place(self, at: int) -> int:
        """Returns the position in the string of decoded character `at`."""
        known = bisect_right(self._here, at) - 1
        return self._there[known] + at - self._here[known]
