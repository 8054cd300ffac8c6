"""Grimoire as a backend. What reads a store is loaded when there is such a store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inspector.model.clock import Clock
from inspector.model.store import Runtime
from inspector.query.backend import StoreReader
from inspector.query.grimoire import schema


class Grimoire:
    """Satisfies `Backend`."""

    runtime = Runtime.GRIMOIRE

    def recognise(self, tables: Mapping[str, Sequence[str]]) -> bool:
        """Whether these tables are a store's."""
        return schema.recognise(tables)

    def reader(self, path: str, clock: Clock) -> StoreReader:
        """A reader of a store."""
        from inspector.query.grimoire.store_reader import GrimoireStore

        return GrimoireStore(path, clock)
