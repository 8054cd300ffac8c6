"""Agents with their memories and segments, in the scopes of run, project and user.

Source: OpenProse state document, "Agents": run-scoped ones live in the run's own database, others
in the `agents.db` of the project and of the user. The same name in two scopes is two memories.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspector.query.openprose.discovery import AGENTS, root_of
from inspector.query.openprose.events import index_of, text_of
from inspector.query.openprose.rows import read_whole_rows
from inspector.query.tables import Tables, read_tables
from inspector.store.read import StoreUnavailable, ZeroTouchReader

RUN, PROJECT, USER = "run", "project", "user"
_SCOPES = {"execution": RUN, "run": RUN, "project": PROJECT, "user": USER}
MOST_SEGMENTS = 10_000


@dataclass(frozen=True, slots=True)
class AgentStore:
    """A database of agents that outlive runs, or a folder of files that do."""

    path: str
    own: bool
    """Whether it lies at the run's own root; of any other only the user's agents are meant."""

    @property
    def root(self) -> str:
        """The OpenProse root that it belongs to."""
        return root_of(self.path)


def run_agents(
    connection: sqlite3.Connection, tables: Tables, path: str
) -> Sequence[Mapping[str, Any]]:
    """The agents of one database, then segments whose agent has no row."""
    agents = tables.get("agents")
    rows = list(read_whole_rows(connection, agents, "", ())) if agents is not None else []
    segments = _segments(connection, tables)
    listed = [_agent(row, segments.pop(text_of(row.get("name")), []), path) for row in rows]
    return [*listed, *(_agent({"name": name}, found, path, orphan=True)
                       for name, found in segments.items())]  # fmt: skip


def _segments(connection: sqlite3.Connection, tables: Tables) -> dict[str, list[Mapping[str, Any]]]:
    table = tables.get("agent_segments")
    found: dict[str, list[Mapping[str, Any]]] = {}
    if table is None:
        return found
    order = "segment_number" if table.has("segment_number") else table.order
    where = f"ORDER BY {order} LIMIT {MOST_SEGMENTS}"
    for row in read_whole_rows(connection, table, where, ()):
        found.setdefault(text_of(row.get("agent_name")), []).append(row)
    return found


def _agent(
    row: Mapping[str, Any],
    segments: Sequence[Mapping[str, Any]],
    path: str,
    *,
    orphan: bool = False,
) -> Mapping[str, Any]:
    numbers = [index_of(one.get("segment_number")) for one in segments]
    whole = sorted({number for number in numbers if isinstance(number, int)})
    return {
        "scope": _SCOPES.get(text_of(row.get("scope")), RUN),
        "name": text_of(row.get("name")),
        "raw_scope": row.get("scope"),
        "memory": row.get("memory"),
        "created_at": row.get("created_at"),
        "updated_at": row.get("updated_at"),
        "segments": [dict(one) for one in segments],
        "gap": gaps(whole),
        "orphan": orphan,
        "store": path,
    }


def gaps(numbers: Sequence[int]) -> list[int]:
    """Segment numbers that are skipped between 1 and the last one; at most a thousand."""
    present = set(numbers)
    last = min(max(numbers, default=0), 1_000_000)
    missing = (number for number in range(1, last) if number not in present)
    return [number for number, _ in zip(missing, range(1000), strict=False)]


def outside_agents(stores: Sequence[AgentStore]) -> Sequence[Mapping[str, Any]]:
    """Agents of project and user; a database that cannot be read is one row that says why."""
    found: list[Mapping[str, Any]] = []
    for store in stores:
        if os.path.basename(store.path) != AGENTS:
            continue
        try:
            with ZeroTouchReader(store.path) as source:
                rows = source.read(
                    lambda connection, path=store.path: run_agents(  # type: ignore[misc]
                        connection, read_tables(connection), path
                    )
                ).value
        except (StoreUnavailable, sqlite3.DatabaseError) as trouble:
            if store.own:
                found.append({"scope": PROJECT, "store": store.path, "unreadable": str(trouble)})
            continue
        for row in rows:
            scope = row["scope"] if row["scope"] == USER else PROJECT
            if store.own or scope == USER:
                found.append({**row, "scope": scope})
    return found
