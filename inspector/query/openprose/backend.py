"""OpenProse as a backend. What reads a store is loaded when there is such a store."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from inspector.model.clock import Clock
from inspector.model.store import Runtime
from inspector.query.backend import StoreReader
from inspector.query.openprose import schema
from inspector.query.openprose.agents import AgentStore
from inspector.query.openprose.logs.record import record_of
from inspector.store.places import STATE


class OpenProse:
    """Satisfies `Backend`."""

    runtime = Runtime.OPENPROSE

    def recognise(self, tables: Mapping[str, Sequence[str]]) -> bool:
        """Whether these tables are a run's."""
        return schema.recognise(tables)

    def reader(self, path: str, clock: Clock) -> StoreReader:
        """A reader of one run's database."""
        from inspector.query.openprose.store_reader import ProseStore

        return ProseStore(path, clock)


def run_folder_reader(
    folder: str,
    clock: Clock,
    parent: str | None = None,
    agents: tuple[AgentStore, ...] = (),
) -> StoreReader | None:
    """A reader of a run folder; `parent` is the folder of the run that imports it.

    None for a folder that is merely laid out like a reactor's.
    """
    from inspector.query.openprose.store_reader import ProseStore

    record = record_of(folder)
    path = folder if record is None else os.path.join(folder, record)
    parent_key = None if parent is None else _key_of(parent)
    if record == STATE:
        return ProseStore(path, clock, parent_key=parent_key, agents=agents)
    from inspector.query.openprose.logs import reactor
    from inspector.query.openprose.logs.reactor_reader import ReactorStore
    from inspector.query.openprose.logs.store_reader import LogStore
    from inspector.query.openprose.view import Place

    if record is None and reactor.is_laid_out_as_reactor(folder):
        return ReactorStore(folder, clock) if reactor.is_reactor(folder) else None
    return LogStore(Place(path, folder, parent_key, agents), clock)


def _key_of(folder: str) -> str:
    from inspector.query.openprose.view import run_key

    record = record_of(folder)
    at = folder if record is None else os.path.join(folder, record)
    return run_key(at, os.path.basename(folder))
