"""What a search through the records of a store gives, whatever the runtime."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

AROUND = 80
"""Characters of a text that are shown on either side of what was found."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One place where a text was found."""

    run_id: str | None
    session: str | None
    ref: str
    """The runtime's own id of the record."""
    kind: str
    at: int | None
    """UTC ms."""
    text: str
    """What stands there, with a little around it."""


def snippet(text: str, words: Sequence[str]) -> str:
    """The part of a text around the first of the words that is in it, on one line."""
    folded = text.casefold()
    places = [place for word in words if (place := folded.find(word.casefold())) >= 0]
    at = min(places, default=0)
    start, stop = max(0, at - AROUND), at + AROUND
    part = " ".join(text[start:stop].split())
    return f"{'…' if start else ''}{part}{'…' if stop < len(text) else ''}"
