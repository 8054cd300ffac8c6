"""The Tally backend: how a database is recognised; whatever reads it is imported later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inspector.model.clock import Clock
from inspector.query.presentation import Presentation
from inspector.query.store_reader import StoreReader
from inspector.store.discover import Candidate, Layout, Search
from inspector.store.places import RunFolderNames
from inspector_tally import NAME


class Tally:
    """Implements `Backend`."""

    name = NAME
    run_folder_names = RunFolderNames()

    def layout(self, search: Search) -> Layout:
        """Tally keeps its databases anywhere: they are found by their tables."""
        return Layout()

    @property
    def presentation(self) -> Presentation:
        """Titles, columns and sentences."""
        from inspector_tally.present import PRESENTATION

        return PRESENTATION

    def recognise(self, tables: Mapping[str, Sequence[str]]) -> bool:
        """Return whether these are Tally's tables."""
        return {"tally_jobs", "tally_marks"} <= tables.keys()

    def reader(
        self, candidate: Candidate, clock: Clock, related: Sequence[Candidate] = ()
    ) -> StoreReader | None:
        """Return a reader of one database."""
        from inspector_tally.reader import TallyStore

        return TallyStore(candidate.path, clock)
