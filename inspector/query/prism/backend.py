"""The Prism backend. Whatever reads a store is imported when a store is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inspector.model.clock import Clock
from inspector.query.presentation import Presentation
from inspector.query.prism import NAME, layout
from inspector.query.store_reader import StoreReader
from inspector.store.discover import Candidate, FileLayout, Layout, Search
from inspector.store.places import RunFolderNames


class Prism:
    """Implements `Backend`."""

    name = NAME
    run_folder_names = RunFolderNames()

    def layout(self, search: Search) -> Layout:
        """Return where the database lies."""
        return FileLayout(search, "prism.db")

    @property
    def presentation(self) -> Presentation:
        """Titles, columns and sentences."""
        from inspector.query.prism.present import PRESENTATION

        return PRESENTATION

    def recognise(self, tables: Mapping[str, Sequence[str]]) -> bool:
        """Return whether these are tables of Prism."""
        return layout.recognise(tables)

    def reader(
        self, candidate: Candidate, clock: Clock, related: Sequence[Candidate] = ()
    ) -> StoreReader | None:
        """Return a reader of one database."""
        from inspector.query.prism.store_reader import PrismStore

        return PrismStore(candidate.path, clock)
