"""Secrets in untrusted text, replaced by a label that says what was hidden and how long it was.

Masking is a promise of the screen, the command line and every export (users' need B59); whoever
shows a recorded text passes it through here unless the person asked to see the value.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from inspector.text.secret_json import named_in_json
from inspector.text.secret_pairs import flags, pairs, spoken, whole_value
from inspector.text.secret_shapes import (
    Span,
    headers,
    hex_keys,
    key_blocks,
    keys_of_vendors,
    phrases,
    tokens_by_shape,
    urls,
)
from inspector.text.withheld import WITHHELD

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
