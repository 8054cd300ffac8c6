"""Prism as a backend. What reads a store is loaded when there is such a store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inspector.model.clock import Clock
from inspector.model.store import Runtime
from inspector.query.backend import StoreReader
from inspector.query.prism import schema


class Prism:
    """Satisfies `Backend`."""

    runtime = Runtime.PRISM

    def recognise(self, tables: Mapping[str, Sequence[str]]) -> bool:
        """Whether these tables are Prism's."""
        return schema.recognise(tables)

    def reader(self, path: str, clock: Clock) -> StoreReader:
        """A reader of one database."""
        from inspector.query.prism.store_reader import PrismStore

        return PrismStore(path, clock)
