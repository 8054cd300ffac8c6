"""Hits of a text search in a store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

AROUND = 80
"""Characters shown on either side of a match."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A record that contains the searched text."""

    run_id: str | None
    session: str | None
    ref: str
    """The runtime's id of the record."""
    kind: str
    at: int | None
    """UTC ms."""
    text: str
    """The match with some text around it."""


def snippet(text: str, words: Sequence[str]) -> str:
    """Return the text around the first matching word, on one line."""
    folded = text.casefold()
    places = [place for word in words if (place := folded.find(word.casefold())) >= 0]
    at = min(places, default=0)
    start, stop = max(0, at - AROUND), at + AROUND
    part = " ".join(text[start:stop].split())
    return f"{'…' if start else ''}{part}{'…' if stop < len(text) else ''}"
