"""The Prism backend. Modules that read a store are imported on first use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from inspector.model.clock import Clock
from inspector.query.prism import NAME
from inspector.query.store_reader import StoreReader
from inspector.store.discover import Candidate, FileLayout, Layout, Search
from inspector.store.places import RunFolderNames

if TYPE_CHECKING:
    from inspector.query.presentation import Presentation

TABLES = frozenset(
    {
        "prism_accounts", "prism_agent_definitions", "prism_agent_event_streams",
        "prism_agent_events", "prism_branches", "prism_checkpoints", "prism_leases",
        "prism_legal_holds", "prism_migrations", "prism_retention_policies", "prism_run_feedback",
        "prism_runs", "prism_session_append_idempotency", "prism_session_entries",
        "prism_sessions", "prism_tenant_quotas", "prism_tenants", "prism_tool_calls",
        "prism_usage", "prism_users",
    }
)  # fmt: skip
"""The tables of Prism 0.3.0. Only names identify a database: its application_id is 0."""


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
        return not TABLES.isdisjoint(tables)

    def reader(
        self, candidate: Candidate, clock: Clock, related: Sequence[Candidate] = ()
    ) -> StoreReader | None:
        """Return a reader of the database."""
        from inspector.query.prism.store_reader import PrismStore

        return PrismStore(candidate.path, clock)
