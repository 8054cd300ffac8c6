"""The parallels or loops that share a name: which of them are open, and which came last.

A name is used again in every round of a loop, so only the open ones may ever be gone through.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from inspector.derive.steps import STATUS_CODE, StepTable
from inspector.model.status import Status

MOST_LOOKED_AT = 100
"""Constructs that are open at a time in any run that makes sense, and more."""
_RUNNING = STATUS_CODE[Status.RUNNING]


class OpenSteps:
    """Steps of which some have ended since. What has ended never opens again."""

    __slots__ = ("_maybe",)

    def __init__(self, maybe: Iterable[int] = ()) -> None:
        self._maybe = list(maybe)

    def add(self, step: int) -> None:
        """Takes in a step that was begun."""
        self._maybe.append(step)

    def of(self, steps: StepTable) -> list[int]:
        """Those that have not ended, oldest first."""
        status = steps.status
        self._maybe = [step for step in self._maybe if status[step] == _RUNNING]
        return self._maybe

    def last(self, steps: StepTable) -> int | None:
        """The newest that has not ended."""
        status, maybe = steps.status, self._maybe
        while maybe:
            if status[maybe[-1]] == _RUNNING:
                return maybe[-1]
            maybe.pop()
        return None

    def newest(self, steps: StepTable) -> list[int]:
        """Those that have not ended, newest first; of very many only the newest."""
        status, maybe = steps.status, self._maybe
        found: list[int] = []
        at = len(maybe)
        while at and len(found) < MOST_LOOKED_AT:
            at -= 1
            if status[maybe[at]] == _RUNNING:
                found.append(maybe[at])
        # What was passed and has ended is never passed again.
        maybe[at:] = reversed(found)
        return found

    def copy(self) -> OpenSteps:
        """A copy that later events do not reach."""
        return OpenSteps(self._maybe)


@dataclass(slots=True)
class Instances:
    """All instances of one name."""

    count: int = 0
    last: int = -1
    open: OpenSteps = field(default_factory=OpenSteps)

    def copy(self) -> Instances:
        """A copy that later events do not reach."""
        return Instances(self.count, self.last, self.open.copy())


@dataclass(slots=True)
class Registry:
    """All constructs of one kind."""

    by_name: dict[str, Instances] = field(default_factory=dict)
    open: OpenSteps = field(default_factory=OpenSteps)

    def add(self, name: str, step: int) -> int:
        """Takes in a construct that was begun; gives its number among those of its name."""
        instances = self.by_name.setdefault(name, Instances())
        instances.count += 1
        instances.last = step
        instances.open.add(step)
        self.open.add(step)
        return instances.count

    def named(self, name: str) -> Instances:
        """The instances of a name; none where it was never begun."""
        return self.by_name.get(name) or Instances()

    def lasts(self) -> Iterator[int]:
        """The newest instance of each name."""
        return (instances.last for instances in self.by_name.values())

    def copy(self) -> Registry:
        """A copy that later events do not reach."""
        by_name = {name: one.copy() for name, one in self.by_name.items()}
        return Registry(by_name, self.open.copy())
