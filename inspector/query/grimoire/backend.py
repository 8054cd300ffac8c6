"""The Grimoire backend; it imports what reads a store only to read one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from inspector.model.clock import Clock
from inspector.query.grimoire import NAME, STATE_FOLDER
from inspector.query.store_reader import StoreReader
from inspector.store.discover import Candidate, FileLayout, Layout, Search
from inspector.store.places import RunFolderNames

if TYPE_CHECKING:
    from inspector.query.presentation import Presentation

_COLUMNS: Mapping[str, frozenset[str]] = {
    "spell_state": frozenset({"spell_id", "state"}),
    "runs": frozenset({"spell_id", "run_id", "final_state"}),
    "ledger": frozenset({"spell_id", "run_id", "entries"}),
}
"""Table → columns by which a store is recognised; other runtimes have tables of these names."""


class Grimoire:
    """Implements `Backend`."""

    name = NAME
    run_folder_names = RunFolderNames()

    def layout(self, search: Search) -> Layout:
        """Return where databases are."""
        return FileLayout(search, "grimoire.db", STATE_FOLDER)

    @property
    def presentation(self) -> Presentation:
        """What to say about its runs."""
        from inspector.query.grimoire.present import PRESENTATION

        return PRESENTATION

    def recognise(self, tables: Mapping[str, Sequence[str]]) -> bool:
        """Return whether any of these is a core table of Grimoire."""
        if any(name.startswith("prism_") for name in tables):
            return False
        return any(columns.issubset(tables.get(name, ())) for name, columns in _COLUMNS.items())

    def reader(
        self, candidate: Candidate, clock: Clock, related: Sequence[Candidate] = ()
    ) -> StoreReader | None:
        """Return a reader of one database."""
        from inspector.query.grimoire.store_reader import GrimoireStore

        return GrimoireStore(candidate.path, clock)
