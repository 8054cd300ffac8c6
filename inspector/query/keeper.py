"""Records of what is no run: a session, a spell, the store itself."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from inspector.query.workspace import Workspace

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


@dataclass(frozen=True, slots=True)
class Subject:
    """A subject of one store; `name` None is the store itself."""

    keeper: RecordKeeper
    name: str | None

    def shown(self) -> str:
        """How a person tells it from others of the same name."""
        return self.keeper.path if self.name is None else f"{self.name} in {self.keeper.path}"


def subjects_named(found: Workspace, text: str) -> list[Subject]:
    """The stores and subjects of this very name; where there are none, those it begins or ends."""
    keepers = list(_keepers(found))
    path = os.path.realpath(os.path.join(found.cwd, text))
    exact = [Subject(keeper, None) for keeper in keepers if keeper.path == path]
    exact += [Subject(keeper, text) for keeper in keepers if text in keeper.subjects()]
    if exact or not text:
        return exact
    return [
        Subject(keeper, name)
        for keeper in keepers
        for name in keeper.subjects()
        if name.startswith(text) or name.endswith(text)
    ]


def _keepers(found: Workspace) -> Iterator[RecordKeeper]:
    for candidate in found.candidates():
        reader = found.reader(candidate)
        if isinstance(reader, RecordKeeper):
            yield reader
