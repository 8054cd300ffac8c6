"""Differences between two JSON values, path by path.

Objects are compared member by member, everything else as a whole: items of a list have no
identity. Numbers are compared by value; `true` and text are not numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum


class Change(StrEnum):
    """How a path differs."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Difference:
    """One path that differs, with the value on either side."""

    path: tuple[str, ...]
    change: Change
    before: object = None
    after: object = None

    @property
    def name(self) -> str:
        """The path joined with dots."""
        return ".".join(self.path)


def same(one: object, other: object) -> bool:
    """True if two JSON values are equal."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one == other
    if type(one) is not type(other):
        return False
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def differences(
    before: Mapping[str, object], after: Mapping[str, object], path: tuple[str, ...] = ()
) -> Iterator[Difference]:
    """Yields the differences in the order of `before`, then of `after`."""
    for name in dict.fromkeys((*before, *after)):
        inner = (*path, name)
        if name not in after:
            yield Difference(inner, Change.REMOVED, before=before[name])
        elif name not in before:
            yield Difference(inner, Change.ADDED, after=after[name])
        else:
            one, other = before[name], after[name]
            # An empty object is compared as a whole.
            if isinstance(one, dict) and isinstance(other, dict) and one and other:
                yield from differences(one, other, inner)
            elif not same(one, other):
                yield Difference(inner, Change.CHANGED, one, other)
