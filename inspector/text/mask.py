"""Secrets in untrusted text, replaced by a label that says what was hidden and how long it was.

Masking is a promise of the screen, the command line and every export (users' need B59); whoever
shows a recorded text passes it through here unless the person asked to see the value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from inspector.text.redacted_fields import WITHHELD
from inspector.text.secret_json import named_in_json
from inspector.text.secret_patterns import (
    Span,
    flags,
    headers,
    hex_keys,
    key_blocks,
    keys_of_vendors,
    pairs,
    phrases,
    spoken,
    tokens_by_shape,
    urls,
    whole_value,
)

_Finder = Callable[[str, str], Iterable[Span]]
_BY_SHAPE: tuple[_Finder, ...] = (
    key_blocks,
    headers,
    keys_of_vendors,
    tokens_by_shape,
    urls,
    phrases,
    hex_keys,
    pairs,
    spoken,
    flags,
)
_FINDERS = (*_BY_SHAPE, named_in_json)
_LABEL = re.compile(r"‹masked: [a-z ]{1,24}, [0-9]{1,12} chars›")
_MEANS_SOMETHING = re.compile(r"\w")
_MAX_PASSES = 4


@dataclass(frozen=True, slots=True)
class Masked:
    """A text that may be shown, and how many secrets were hidden in it."""

    text: str
    count: int


def mask(text: str) -> Masked:
    """`text` with every secret replaced by `‹masked: bearer, 40 chars›`.

    Hashes, addresses and digests stay. Takes time in proportion to the text, never raises, and
    masking what is masked changes nothing.
    """
    return _masked(text, _FINDERS)


def mask_json(text: str) -> Masked:
    """`text` without what JSON in it says to hide by its names; what may stand anywhere, stays."""
    return _masked(text, (named_in_json,))


def mask_part(text: str) -> Masked:
    """Like `mask`, of a part of what went through `mask_json`."""
    return _masked(text, _BY_SHAPE)


def _masked(text: str, finders: Sequence[_Finder]) -> Masked:
    count = 0
    # What a secret was glued to can be recognised once the secret is gone; hence a second look.
    for _ in range(_MAX_PASSES):
        spans = _secrets(text, finders)
        if not spans:
            break
        text, count = _replace(text, spans), count + len(spans)
    return Masked(text, count)


def mask_named(name: str | None, text: str) -> Masked:
    """Like `mask` for the value of `name`: an `api_key` is hidden whole, whatever it looks like."""
    kind = hidden_whole(name, text)
    if kind is None:
        return mask(text)
    spans = _outside_labels(text, Span(0, len(text), kind))
    return Masked(_replace(text, spans), len(spans))


def hidden_whole(name: str | None, text: str) -> str | None:
    """As what all of `text` is hidden when it is the value of `name`, else None."""
    if not name or not text:
        return None
    found = whole_value(name, text)
    return WITHHELD.get(name) if found is None else found.kind


def _label(kind: str, chars: int) -> str:
    return f"‹masked: {kind}, {chars} chars›"


def _secrets(text: str, finders: Sequence[_Finder]) -> list[Span]:
    """What to hide, in order and apart from each other and from labels that stand already."""
    lower = text.lower()
    found = sorted(
        (span for finder in finders for span in finder(text, lower) if span.start < span.end),
        key=lambda span: span.start,
    )
    merged: list[Span] = []
    for span in found:
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            merged[-1] = Span(last.start, max(last.end, span.end), last.kind)
        else:
            merged.append(span)
    return [piece for span in merged for piece in _outside_labels(text, span)]


def _outside_labels(text: str, span: Span) -> list[Span]:
    """`span` without the labels that it overlaps."""
    start, end, kind = span
    pieces: list[Span] = []
    cut = False
    # A label has a bounded length, so one that reaches into the span begins close before it.
    for label in _LABEL.finditer(text, max(0, start - 64), min(len(text), end + 64)):
        if label.end() <= start or label.start() >= end:
            continue
        cut = True
        pieces.append(Span(start, max(start, label.start()), kind))
        start = label.end()
    pieces.append(Span(start, max(start, end), kind))
    if not cut:
        return pieces
    return [piece for piece in pieces if _MEANS_SOMETHING.search(text, piece.start, piece.end)]


def _replace(text: str, spans: list[Span]) -> str:
    pieces: list[str] = []
    at = 0
    for start, end, kind in spans:
        pieces += (text[at:start], _label(kind, end - start))
        at = end
    pieces.append(text[at:])
    return "".join(pieces)


PART_CHARS = 49_152
"""So few that a search through them keeps other threads waiting for some milliseconds only."""
AROUND = 8_192
"""Characters on either side of a cut that could belong to one secret; keys in PEM blocks, the
longest there are, have some 6,000."""
_TRIES = 32
_SIGNS = (("\n", 1), ("-----BEGIN", 0), (" ", 1), ("", 0))
"""Where a cut is tried: behind a line, before a key, behind a word, anywhere."""


def mask_parts(name: str | None, text: str, part_chars: int = PART_CHARS) -> Iterator[Masked]:
    """The masked text of the value `name`, in parts that joined are all of it.

    A part ends where a cut hides nothing: the secrets around it are the same with the cut and
    without. A secret that is longer than AROUND may be cut, and then only by its size.
    """
    if hidden_whole(name, text) is not None:
        # Hidden for its name, not for what stands in it.
        yield mask_named(name, text)
        return
    # What an object says of a value in it may stand any number of parts away.
    by_name = mask_json(text)
    text = by_name.text
    if by_name.count:
        yield Masked("", by_name.count)
    start = 0
    while start < len(text):
        end = _cut(text, start, start + part_chars)
        yield mask_part(text[start:end])
        start = end


def _cut(text: str, start: int, wanted: int) -> int:
    """Where the part that begins at `start` ends: at most at `wanted`."""
    if wanted >= len(text):
        return len(text)
    first = max(start, wanted - AROUND * 4)
    for sign, behind in _SIGNS:
        for found in islice(_found(text, sign, first, wanted), _TRIES):
            end = found + behind
            if start < end and _hides_nothing(text, start, end):
                return end
    return wanted


def _found(text: str, sign: str, first: int, last: int) -> Iterator[int]:
    """Where a sign stands, from the end on, some way apart."""
    apart = max(1, (last - first) // _TRIES)
    while (found := text.rfind(sign, first, last)) >= first:
        yield found
        last = min(found, last - apart)


def _hides_nothing(text: str, start: int, end: int) -> bool:
    before = text[max(start, end - AROUND) : end]
    after = text[end : end + AROUND]
    around = mask_part(before + after)
    return not around.count or around.text == mask_part(before).text + mask_part(after).text
