"""Records of what is no run: a session, a spell, the store itself; and what was used."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from inspector.derive.spending import Spending

Records = Sequence[Mapping[str, Any]]


@runtime_checkable
class RecordKeeper(Protocol):
    """What a store reader offers whose records do not all belong to some run."""

    path: str

    def subjects(self) -> Collection[str]:
        """Names, beside its runs, that records can be asked of; as of the last summary."""

    def record_of(self, subject: str | None, part: str | None) -> tuple[str, Records]:
        """Records of a subject, of the whole store for None, with the part that they are of.

        Without a part it is the subject's own. Raises KeyError for a part that it does not have.
        """


@runtime_checkable
class UsageKeeper(Protocol):
    """What a store reader offers whose runtime records use row by row."""

    def usage(self) -> Sequence[Spending]:
        """Every row with whether it counts, those without a run last; as of the last summary."""

    def how(self, source: str) -> str:
        """How a sum with this source was computed, in words."""


@runtime_checkable
class Candid(Protocol):
    """What a store reader offers whose runtime leaves things out that a person may look for."""

    def never_recorded(self) -> Sequence[str]:
        """What this runtime does not record, in sentences."""
