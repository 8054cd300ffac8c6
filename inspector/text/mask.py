"""Masks secrets in untrusted text: each becomes a label with its kind and length.

Screen, command line and exports pass all recorded text through here unless the user asked to
reveal it. `mask_parts` masks long texts in parts so that other threads are not blocked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from inspector.text.redacted_fields import REDACTED
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
    """A masked text, and the number of secrets in it."""

    text: str
    count: int


def mask(text: str) -> Masked:
    """Replaces every secret in `text` with a label such as `‹masked: bearer, 40 chars›`.

    Hashes, addresses and digests stay. Linear time; never raises; idempotent.
    """
    return _masked(text, _FINDERS)


def mask_json(text: str) -> Masked:
    """Masks only secrets named by fields of JSON in `text`, which need all of the text."""
    return _masked(text, (named_in_json,))


def mask_part(text: str) -> Masked:
    """Like `mask`, for a part of a result of `mask_json`."""
    return _masked(text, _BY_SHAPE)


def _masked(text: str, finders: Sequence[_Finder]) -> Masked:
    count = 0
    # Replacing one secret can expose another that was attached to it.
    for _ in range(_MAX_PASSES):
        spans = _secrets(text, finders)
        if not spans:
            break
        text, count = _replace(text, spans), count + len(spans)
    return Masked(text, count)


def mask_named(name: str | None, text: str) -> Masked:
    """Like `mask`, for the value of `name`: an `api_key` is hidden whole."""
    kind = hidden_whole(name, text)
    if kind is None:
        return mask(text)
    spans = _outside_labels(text, Span(0, len(text), kind))
    return Masked(_replace(text, spans), len(spans))


def hidden_whole(name: str | None, text: str) -> str | None:
    """Returns the kind that the whole value `text` of `name` is hidden as, else None."""
    if not name or not text:
        return None
    found = whole_value(name, text)
    return REDACTED.get(name) if found is None else found.kind


def _label(kind: str, chars: int) -> str:
    return f"‹masked: {kind}, {chars} chars›"


def _secrets(text: str, finders: Sequence[_Finder]) -> list[Span]:
    """Returns the spans to hide, in order, disjoint, and without existing labels."""
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
    """Returns `span` without the labels in it."""
    start, end, kind = span
    pieces: list[Span] = []
    cut = False
    # Labels are short, so one that overlaps the start begins close before it.
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
"""Characters masked at once: blocks other threads for some milliseconds."""
AROUND = 8_192
"""Characters on either side of a cut that may belong to one secret; the longest, keys in PEM
blocks, have about 6,000."""
_TRIES = 32
_CUTS = (("\n", 1), ("-----BEGIN", 0), (" ", 1), ("", 0))
"""Places to cut, best first: after a line, before a key, after a word, anywhere."""


def mask_parts(name: str | None, text: str, part_chars: int = PART_CHARS) -> Iterator[Masked]:
    """Yields the masked value of `name` in parts that join to the whole.

    Cuts only where it makes no difference to the secrets nearby. Only a secret longer than AROUND
    may be cut.
    """
    if hidden_whole(name, text) is not None:
        # Hidden because of its name.
        yield mask_named(name, text)
        return
    # The field that names a value may be many parts away.
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
    """Returns the end of the part that starts at `start`, at most `wanted`."""
    if wanted >= len(text):
        return len(text)
    first = max(start, wanted - AROUND * 4)
    for sign, behind in _CUTS:
        for found in islice(_found(text, sign, first, wanted), _TRIES):
            end = found + behind
            if start < end and _is_safe_cut(text, start, end):
                return end
    return wanted


def _found(text: str, sign: str, first: int, last: int) -> Iterator[int]:
    """Yields positions of `sign` from the end backwards, some distance apart."""
    apart = max(1, (last - first) // _TRIES)
    while (found := text.rfind(sign, first, last)) >= first:
        yield found
        last = min(found, last - apart)


def _is_safe_cut(text: str, start: int, end: int) -> bool:
    before = text[max(start, end - AROUND) : end]
    after = text[end : end + AROUND]
    around = mask_part(before + after)
    return not around.count or around.text == mask_part(before).text + mask_part(after).text
