"""Comparison of one part of two runs of a runtime."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

PREVIOUS = "previous"
"""Names the previous run of the same session."""


@dataclass(frozen=True, slots=True)
class Side:
    """The content that one run records under a part."""

    run_id: str | None
    content: Any = None
    """None if nothing is recorded."""
    why_not: str | None = None
    """Why nothing is recorded, as a sentence."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The changes of a part from one run to a later one."""

    part: str
    before: str | None
    """The earlier run; None if there is none."""
    after: str | None
    records: Sequence[Mapping[str, object]] = ()
    """`{name, change, before, after}`, for sources of data also `of` and `stale`.

    Each value is keyed by its own name, so that it is masked as it is where it was recorded.
    """
    notes: tuple[str, ...] = ()
    """Sentences: what could not be compared, or that there are no differences."""
