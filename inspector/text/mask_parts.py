"""Masking a long text a part at a time, so that nothing else waits for it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from inspector.text.mask import Masked, hidden_whole, mask_json, mask_named, mask_part

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
