"""Counts agents and versions outside a run's database, for its tabs.

Only names are read, so that a run opens at once whatever its files contain; if only their bytes
would tell, the count is unknown. Databases of agents are read again only when they changed.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from inspector.query.openprose.persistent_files import (
    AGENT_FOLDER,
    WORLD_MODELS,
    Budget,
    Shelf,
    refused_in,
    shelves,
)
from inspector.query.openprose.view import AgentStore, RunLocation
from inspector.store.files import Entry, safe_listdir

POINTER_BYTES = 4 << 20
"""Maximum bytes of pointers read for one answer."""
_KNOWN: dict[tuple[object, ...], int] = {}
_MOST_KNOWN = 64

Counts = Mapping[str, int | None]
"""By kind; None if there are some but counting would mean reading them."""


def kept_counts(place: RunLocation) -> Counts:
    """Return how many agents and world models the tabs list besides database rows."""
    agents = sum(_agents(shelf) for shelf in shelves(place.folder, AGENT_FOLDER, place.roots))
    models: int | None = 0
    for shelf in shelves(place.folder, WORLD_MODELS, place.roots):
        found = count_models(shelf)
        models = None if models is None or found is None else models + found
    return {AGENT_FOLDER: agents + _outside(place.agents), WORLD_MODELS: models}


def _agents(shelf: Shelf) -> int:
    if not os.path.isdir(os.path.join(shelf.root, *shelf.parts)):
        return 1 if refused_in(shelf.root, shelf.parts) else 0
    # Imported late, like the readers below: most runs have neither agents nor world models.
    from inspector.query.openprose.agents import MEMORY, MOST_AGENTS, number_of

    found = 1 if refused_in(shelf.root, shelf.parts) else 0
    for folder in safe_listdir(shelf.root, shelf.parts, MOST_AGENTS).folders():
        names = [one.name for one in safe_listdir(shelf.root, (*shelf.parts, folder.name)).files()]
        kept = MEMORY in names or any(number_of(one, folder.name) is not None for one in names)
        found += 1 if shelf.scope == "run" or kept else 0
    return found


def _outside(stores: Sequence[AgentStore]) -> int:
    return sum(_in_database(store) for store in stores)


def _in_database(store: AgentStore) -> int:
    key = (store, *(_stamp(f"{store.path}{end}") for end in ("", "-wal", "-journal")))
    known = _KNOWN.get(key)
    if known is None:
        from inspector.query.openprose.agents import outside_agents

        known = len(outside_agents([store]))
        if len(_KNOWN) >= _MOST_KNOWN:
            _KNOWN.clear()
        _KNOWN[key] = known
    return known


def _stamp(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def count_models(shelf: Shelf) -> int | None:
    """Return how many versions of a shelf are listed; None if only their bytes would tell."""
    if not os.path.isdir(os.path.join(shelf.root, *shelf.parts)):
        return 1 if refused_in(shelf.root, shelf.parts) else 0
    from inspector.query.openprose.model_files import MOST_NODES

    budget = Budget(POINTER_BYTES)
    total = 1 if refused_in(shelf.root, shelf.parts) else 0
    for node in safe_listdir(shelf.root, shelf.parts, MOST_NODES).folders():
        found = _of_node(shelf, (*shelf.parts, node.name), budget)
        if found is None:
            return None
        total += found
    return total


def _of_node(shelf: Shelf, parts: tuple[str, ...], budget: Budget) -> int | None:
    from inspector.query.openprose.model_files import (
        MOST_VERSIONS,
        POINTER,
        PUBLISHED,
        VERSIONS,
        pointer_of,
    )

    names = {one.name: one for one in safe_listdir(shelf.root, parts).entries}
    below = (*parts, VERSIONS)
    versions = [
        one
        for one in safe_listdir(shelf.root, below, MOST_VERSIONS).entries
        if one.is_file or one.is_folder
    ]
    said = 1 if refused_in(shelf.root, parts) or refused_in(shelf.root, below) else 0
    if PUBLISHED in names and (shelf.scope != "run" or versions):
        # Only the bytes tell whether the published files are one of the versions.
        return None if versions else 1 + said
    pointer = pointer_of(shelf.root, parts, budget)
    if VERSIONS not in names and POINTER not in names:
        return (1 if pointer is not None or _has_files(names) else 0) + said
    dangling = pointer is not None and pointer not in {_version(one) for one in versions}
    return len(versions) + (1 if dangling else 0) + said


def _version(one: Entry) -> str | None:
    from inspector.query.openprose.model_files import address_in

    return address_in(one.name.removesuffix(".bin") if one.is_file else one.name)


def _has_files(names: Mapping[str, Entry]) -> bool:
    return bool(names)
