"""The Grimoire backend. Whatever reads a store is imported when a store is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from inspector.model.clock import Clock
from inspector.query.grimoire import NAME, STATE_FOLDER, schema
from inspector.query.store_reader import StoreReader
from inspector.store.discover import Candidate, FileLayout, Layout, Search
from inspector.store.places import RunFolderNames

if TYPE_CHECKING:
    from inspector.query.presentation import Presentation


class Grimoire:
    """Implements `Backend`."""

    name = NAME
    run_folder_names = RunFolderNames()

    def layout(self, search: Search) -> Layout:
        """Return where the database lies."""
        return FileLayout(search, "grimoire.db", STATE_FOLDER)

    @property
    def presentation(self) -> Presentation:
        """Titles, columns and sentences."""
        from inspector.query.grimoire.present import PRESENTATION

        return PRESENTATION

    def recognise(self, tables: Mapping[str, Sequence[str]]) -> bool:
        """Return whether these are tables of Grimoire."""
        return schema.recognise(tables)

    def reader(
        self, candidate: Candidate, clock: Clock, related: Sequence[Candidate] = ()
    ) -> StoreReader | None:
        """Return a reader of one database."""
        from inspector.query.grimoire.store_reader import GrimoireStore

        return GrimoireStore(candidate.path, clock)
