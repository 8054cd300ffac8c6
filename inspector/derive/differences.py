"""What is other in one JSON value than in another, place by place.

Mappings are gone into, everything else is compared as a whole: in a list it cannot be known which
item became which. Numbers are the same when they are equal, and nothing else is a number: not
`true`, not text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Change(StrEnum):
    """What became of a place."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Difference:
    """One place that is other: the names that lead to it, and what stands there on either side."""

    path: tuple[str, ...]
    change: Change
    before: Any = None
    after: Any = None

    @property
    def name(self) -> str:
        """The names with dots between them."""
        return ".".join(self.path)


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are the same."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one == other
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def differences(
    before: Mapping[str, Any], after: Mapping[str, Any], path: tuple[str, ...] = ()
) -> Iterator[Difference]:
    """Every place that is other, in the order of the names, the earlier side's first."""
    for name in dict.fromkeys((*before, *after)):
        place = (*path, name)
        if name not in after:
            yield Difference(place, Change.REMOVED, before=before[name])
        elif name not in before:
            yield Difference(place, Change.ADDED, after=after[name])
        elif _both_have_names(before[name], after[name]):
            yield from differences(before[name], after[name], place)
        elif not same(before[name], after[name]):
            yield Difference(place, Change.CHANGED, before[name], after[name])


def _both_have_names(one: Any, other: Any) -> bool:
    """Whether both are mappings with something in them: an empty one is told as a whole."""
    return isinstance(one, dict) and isinstance(other, dict) and bool(one) and bool(other)
