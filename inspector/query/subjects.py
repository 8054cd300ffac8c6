"""Which store, session or spell a person means: by its name, its beginning or its end."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from inspector.query.store_reader import StoreReader
from inspector.query.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Subject:
    """A subject of one store; `name` None is the store itself."""

    keeper: StoreReader
    name: str | None

    def shown(self) -> str:
        """How a person tells it from others of the same name."""
        return self.keeper.path if self.name is None else f"{self.name} in {self.keeper.path}"


def subjects_named(found: Workspace, text: str) -> list[Subject]:
    """The stores and subjects of this very name; where there are none, those it begins or ends."""
    keepers = list(_keepers(found))
    path = os.path.realpath(os.path.join(found.cwd, text))
    # A folder with a database in it means the database.
    places = [(keeper, (keeper.path, os.path.dirname(keeper.path))) for keeper in keepers]
    exact = [Subject(keeper, None) for keeper, where in places if path in where]
    exact += [Subject(keeper, text) for keeper in keepers if text in keeper.subjects()]
    if exact or not text:
        return exact
    ends = [Subject(keeper, None) for keeper in keepers if keeper.path.endswith(os.sep + text)]
    return ends + [
        Subject(keeper, name)
        for keeper in keepers
        for name in keeper.subjects()
        if name.startswith(text) or name.endswith(text)
    ]


def _keepers(found: Workspace) -> Iterator[StoreReader]:
    for candidate in found.candidates():
        reader = found.reader(candidate)
        if reader is not None and reader.has_records:
            yield reader
