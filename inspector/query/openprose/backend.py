"""The OpenProse backend. Whatever reads a store is imported when a store is read."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from inspector.model.clock import Clock
from inspector.query.openprose import NAME, schema
from inspector.query.openprose.discovery import RUN_FOLDER_NAMES, STATE, ProseLayout
from inspector.query.openprose.logs.folder import record_of
from inspector.query.store_reader import StoreReader
from inspector.store.discover import Candidate, Layout, PlaceKind, Search

if TYPE_CHECKING:
    from inspector.query.openprose.view import AgentStore
    from inspector.query.presentation import Presentation


class OpenProse:
    """Implements `Backend`."""

    name = NAME
    run_folder_names = RUN_FOLDER_NAMES

    def layout(self, search: Search) -> Layout:
        """Return the rules for run folders, reactors and agents."""
        return ProseLayout(search)

    @property
    def presentation(self) -> Presentation:
        """Titles, columns and sentences."""
        from inspector.query.openprose.present import PRESENTATION

        return PRESENTATION

    def recognise(self, tables: Mapping[str, Sequence[str]]) -> bool:
        """Return whether these are tables of a run."""
        return schema.recognise(tables)

    def reader(
        self, candidate: Candidate, clock: Clock, related: Sequence[Candidate] = ()
    ) -> StoreReader | None:
        """Return a reader of a run folder or of a run's database lying elsewhere.

        None for a folder that is merely laid out like a reactor's. Of `related`, databases of
        agents are used: those at the run's own root, and others that may be the user's.
        """
        from inspector.query.openprose.store_reader import ProseStore
        from inspector.query.openprose.view import AgentStore

        if candidate.kind is not PlaceKind.RUN_FOLDER:
            return ProseStore(candidate.path, clock)
        agents = tuple(
            AgentStore(one.path, one.root == candidate.root)
            for one in related
            if one.kind is PlaceKind.AGENTS
        )
        return run_folder_reader(candidate.path, clock, candidate.parent, agents)


def run_folder_reader(
    folder: str,
    clock: Clock,
    parent: str | None = None,
    agents: tuple[AgentStore, ...] = (),
) -> StoreReader | None:
    """Return a reader of a run folder; `parent` is the folder of the run that imports it.

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
    from inspector.query.openprose.view import RunLocation

    if record is None and reactor.is_laid_out_as_reactor(folder):
        return ReactorStore(folder, clock) if reactor.is_reactor(folder) else None
    return LogStore(RunLocation(path, folder, parent_key, agents), clock)


def _key_of(folder: str) -> str:
    from inspector.query.openprose.view import run_key

    record = record_of(folder)
    at = folder if record is None else os.path.join(folder, record)
    return run_key(at, os.path.basename(folder))
