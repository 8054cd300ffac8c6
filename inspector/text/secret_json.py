"""Secrets in JSON text, by the names that they have in it: as records of the same object hide them.

The text is gone through a token at a time, as it stands: it may be cut off, hold several documents,
have words around it, or be JSON inside of a string of JSON. Takes time in proportion to the text.
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
    OF_A_MANIFEST,
    PARAMETER,
    PARAMS,
    PENDING,
    RPC_BY_CHAIN,
    VALUE_OF_NAME,
    WITHHELD,
)
from inspector.text.secret_names import secret_name
from inspector.text.secret_patterns import HINTS, Span, whole_value

_HINTS = (*HINTS, *WITHHELD, PENDING.lower(), "\\u00")
_START = lazy_pattern(
    rf'(?="(?:{"|".join(WITHHELD)})"\s*+:)()|\A\s*+(?=")|(?=[\[{{]\s*+[\[{{"])',
)
"""Where JSON may begin; at the name of what is withheld, if more was cut away before it."""
_TOKEN = lazy_pattern(
    r'"(?:[^"\\]++|\\.)*+(?:"(\s*+:)?|\\?\Z)|‹masked:[^›]{1,60}›|[{}\[\]]|[^\s"{}\[\],:‹]++|‹',
)
_ESCAPE = lazy_pattern(r"\\(?:u([0-9a-fA-F]{4})|([\s\S]))")
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
_DEEPEST = 6
"""How often JSON is looked for inside of a string of JSON."""
_MOST_AROUND = 4
"""Of how many objects around it a value is remembered as one that could be a parameter."""
_PLAIN = ("null", "true", "false")
_LONGEST_NAME = 400
_MOST_KEYS = 4096
_MOST_LEVELS = 2000
_WATCHED = {*WITHHELD, *OF_A_MANIFEST, *VALUE_OF_NAME, PARAMS, PENDING, ARGUMENTS, "name"}

_Place = tuple[int, int]
"""Where a value begins and ends."""


def named_in_json(text: str, lower: str) -> Iterator[Span]:
    """Values of JSON in `text` that their names, or the objects they stand in, say to hide."""
    if '"' in text and any(hint in lower for hint in _HINTS):
        yield from _spans(text, 0)


def _spans(text: str, depth: int) -> Iterator[Span]:
    at = 0
    while (start := _START.search(text, at)) is not None:
        scan = _Scan(text, depth, in_object=start.lastindex is not None)
        at = scan.run(start.end())
        yield from scan.found


class _Key(NamedTuple):
    """A field's name, what its value is hidden as, and whether the value has to be looked at."""

    name: str
    hides: str | None
    watch: bool


_NO_KEY = _Key("", None, False)


class _Frame:
    """An object or a list that is being gone through."""

    __slots__ = (
        "around", "fields", "hides", "is_object", "key", "lists", "name", "owner", "params",
        "pending", "values", "watch",
    )  # fmt: skip

    def __init__(self, is_object: bool, above: _Frame | None) -> None:
        self.is_object = is_object
        self.owner: _Frame = self if is_object or above is None else above.owner
        """The object whose field this is: an item of a list is named as the list is."""
        self.key = _NO_KEY
        self.hides: str | None = None
        """What all in it is hidden as."""
        self.pending = False
        self.lists = 0
        """Lists in this list that are open: what stands in them stands in it."""
        self.watch = False
        """Whether the value that comes has to be looked at, whatever stands in it."""
        self.name: str | None = None
        self.values: list[_Place] = []
        """Values of what `name` names."""
        self.fields: set[str] = set()
        self.params: list[_Place] = []
        """What is hidden if this is found to be a manifest."""
        self.around: tuple[list[_Place], ...] = ()
        if above is not None:
            self._stand_in(above)

    def _stand_in(self, above: _Frame) -> None:
        key = above.owner.key
        self.hides = above.hides or (key.hides if above.is_object else None)
        self.pending = above.pending or (above.is_object and key.name == PENDING)
        self.around = above.around
        if above.is_object and key.name == PARAMS and len(above.around) < _MOST_AROUND:
            self.around = (*above.around, above.params)
        if above.is_object and above.pending and key.name == ARGUMENTS:
            self.hides = self.hides or ARGUMENT
        self.watch = bool(self.hides or self.around) or (not self.is_object and above.watch)

    def comes(self, key: _Key) -> None:
        """The value of a field comes."""
        self.key = key
        if key.name in OF_A_MANIFEST:
            self.fields.add(key.name)
        self.watch = key.watch or bool(self.hides or self.around)


class _Scan:
    """One JSON text from where it begins to where it ends."""

    def __init__(self, text: str, depth: int, *, in_object: bool) -> None:
        self.found: list[Span] = []
        self._text = text
        self._depth = depth
        self._stack = [_Frame(in_object, None)]
        self._keys: dict[str, _Key] = {}

    def run(self, start: int) -> int:
        """Goes through it, and gives where it ends."""
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
                if len(stack) > _MOST_LEVELS:
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
        """What goes on at `at` is looked at for itself; within something hidden, all is hidden."""
        hides, end = self._stack[-1].hides, len(self._text)
        self._cut_off()
        if hides is None:
            return at
        self.found.append(Span(at, end, hides))
        return end

    def _key(self, written: str) -> _Key:
        known = self._keys.get(written)
        if known is None:
            name = _decoded(written.rstrip(" \t\r\n:")[1:-1][:_LONGEST_NAME])
            watch = name in _WATCHED or secret_name(name) is not None
            known = _Key(name, WITHHELD.get(name), watch)
            if len(self._keys) < _MOST_KEYS:
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
        """A value that has to be looked at; `end` is behind its quote, if it has one."""
        text, owner = self._text, frame.owner
        end -= end > start and text[end - 1] == '"'
        if start >= end or self._is_hidden(frame, start, end):
            return
        name = owner.key.name
        if name in VALUE_OF_NAME:
            owner.values.append((start, end))
        elif name == "name" and frame is owner:
            owner.name = _decoded(text[start : min(end, start + _LONGEST_NAME)])
        if not self._named(name, start, end):
            self._inside(start, end)

    def _bare(self, frame: _Frame, token: re.Match[str]) -> None:
        """A number, or a word that JSON does not know."""
        if token[0] not in _PLAIN:
            self._is_hidden(frame, *token.span())

    def _is_hidden(self, frame: _Frame, start: int, end: int) -> bool:
        """Hides a value for where it stands; remembers it where that is not known yet."""
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
        """JSON inside of a string."""
        if self._depth >= _DEEPEST or "{" not in self._text[start:end]:
            return
        inner = _Unescaped(self._text[start:end])
        for span in _spans(inner.text, self._depth + 1):
            place = start + inner.place(span.start), start + inner.place(span.end)
            self.found.append(Span(*place, span.kind))


def _decoded(inner: str) -> str:
    return _Unescaped(inner).text if "\\" in inner else inner


class _Unescaped:
    """What a string of JSON says, and where in the string each character of it stands."""

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
        """Where in the string character `at` of the text begins."""
        known = bisect_right(self._here, at) - 1
        return self._there[known] + at - self._here[known]
