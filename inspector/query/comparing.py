"""One run beside another of its runtime, part by part: what a reader may offer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

PREVIOUS = "previous"
"""Stands for the run of the same session before this one."""


@dataclass(frozen=True, slots=True)
class Side:
    """What one run says under a part."""

    run_id: str | None
    content: Any = None
    """None = it says nothing."""
    why_not: str | None = None
    """A sentence why it says nothing."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is other in one run than in another that is taken for the earlier one."""

    part: str
    before: str | None
    """The other run; None = there is none."""
    after: str | None
    records: Sequence[Mapping[str, Any]] = ()
    """`{name, change, before, after}`, sources of data with `of` and `stale`; each value stands
    under its own name, so that it is masked as it is where it was recorded."""
    notes: tuple[str, ...] = ()
    """Sentences about what could not be compared, or that nothing is other."""
