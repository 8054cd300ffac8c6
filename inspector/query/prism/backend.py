"""The Prism backend. Modules that read a store are imported on first use."""

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
        """Return the discovery rules: a database named `prism.db`."""
        return FileLayout(search, "prism.db")

    @property
    def presentation(self) -> Presentation:
        """What the screen and the command line say about Prism."""
        from inspector.query.prism.present import PRESENTATION

        return PRESENTATION

    def recognise(self, tables: Mapping[str, Sequence[str]]) -> bool:
        """Return whether these are Prism's tables."""
        return layout.recognise(tables)

    def reader(
        self, candidate: Candidate, clock: Clock, related: Sequence[Candidate] = ()
    ) -> StoreReader | None:
        """Return a reader of the database."""
        from inspector.query.prism.store_reader import PrismStore

        return PrismStore(candidate.path, clock)
