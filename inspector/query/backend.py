"""The interface that a runtime implements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from inspector.model.clock import Clock
from inspector.query.store_reader import StoreReader
from inspector.store.discover import Candidate, Layout, Search
from inspector.store.places import RunFolderNames

if TYPE_CHECKING:
    from inspector.query.presentation import Presentation


class Backend(Protocol):
    """A runtime: how its stores are recognised, read and presented.

    Backends are created for every start, so that importing one must be cheap: whatever reads a
    store is imported by `reader`.
    """

    name: str
    """The name in run keys and in `--runtime`."""

    run_folder_names: RunFolderNames
    """The files by which the watch knows this runtime's run folders; empty without such folders."""

    def layout(self, search: Search) -> Layout:
        """Return the rules by which discovery finds stores of this runtime."""

    @property
    def presentation(self) -> Presentation:
        """Titles, columns and sentences about this runtime's runs."""

    def recognise(self, tables: Mapping[str, Sequence[str]]) -> bool:
        """Return whether a database with these tables (name → columns) belongs to the runtime."""

    def reader(
        self, candidate: Candidate, clock: Clock, related: Sequence[Candidate] = ()
    ) -> StoreReader | None:
        """Return a reader for a recognised database or a run folder; None if it is neither.

        `related` are stores of other kinds that discovery found, such as databases of agents.
        """
