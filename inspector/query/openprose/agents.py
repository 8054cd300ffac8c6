"""Agents with their memories and segments, in the scopes of run, project and user.

Source: OpenProse state document, "Agents": run-scoped ones live in the run's own database, others
in the `agents.db` of the project and of the user. The same name in two scopes is two memories.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping, Sequence

from inspector.model.clock import rfc3339
from inspector.query.openprose.discovery import AGENTS
from inspector.query.openprose.events import index_of, text_of
from inspector.query.openprose.persistent_files import (
    AGENT_FOLDER,
    Budget,
    Shelf,
    refused_in,
    shelves,
)
from inspector.query.openprose.rows import read_whole_rows
from inspector.query.openprose.view import AgentStore, RunLocation
from inspector.query.tables import Tables, read_tables
from inspector.store.files import Entry, safe_listdir
from inspector.store.read import StoreUnavailable, ZeroTouchReader

RUN, PROJECT, USER = "run", "project", "user"
_SCOPES = {"execution": RUN, "run": RUN, "project": PROJECT, "user": USER}
MOST_SEGMENTS = 10_000


def run_agents(
    connection: sqlite3.Connection, tables: Tables, path: str
) -> Sequence[Mapping[str, object]]:
    """Return the agents of one database, then segments whose agent has no row."""
    agents = tables.get("agents")
    rows = list(read_whole_rows(connection, agents, "", ())) if agents is not None else []
    segments = _segments(connection, tables)
    listed = [_agent(row, segments.pop(text_of(row.get("name")), []), path) for row in rows]
    return [*listed, *(_agent({"name": name}, found, path, orphan=True)
                       for name, found in segments.items())]  # fmt: skip


def _segments(
    connection: sqlite3.Connection, tables: Tables
) -> dict[str, list[Mapping[str, object]]]:
    table = tables.get("agent_segments")
    found: dict[str, list[Mapping[str, object]]] = {}
    if table is None:
        return found
    order = "segment_number" if table.has("segment_number") else table.order
    where = f"ORDER BY {order} LIMIT {MOST_SEGMENTS}"
    for row in read_whole_rows(connection, table, where, ()):
        found.setdefault(text_of(row.get("agent_name")), []).append(row)
    return found


def _agent(
    row: Mapping[str, object],
    segments: Sequence[Mapping[str, object]],
    path: str,
    *,
    orphan: bool = False,
) -> Mapping[str, object]:
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
    """Return the segment numbers missing between 1 and the last one; at most a thousand."""
    present = set(numbers)
    last = min(max(numbers, default=0), 1_000_000)
    missing = (number for number in range(1, last) if number not in present)
    return [number for number, _ in zip(missing, range(1000), strict=False)]


def outside_agents(stores: Sequence[AgentStore]) -> Sequence[Mapping[str, object]]:
    """Return the agents of project and user; an unreadable database is one record with why."""
    found: list[Mapping[str, object]] = []
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


MEMORY = "memory.md"
MOST_TEXT = 1 << 20
"""Bytes returned of one memory or segment."""
MOST_BYTES = 64 << 20
"""Bytes read for all agents together."""
MOST_AGENTS = 2_000

Record = Mapping[str, object]


def kept_agents(place: RunLocation) -> list[Record]:
    """Return the agents of a run in files, and persistent ones in files and databases."""
    return [*agents_in_files(place.folder, place.roots), *outside_agents(place.agents)]


def agents_in_files(folder: str, roots: Sequence[str] = ()) -> list[Record]:
    """Return the agents that a run, its project and the user keep in files.

    `roots` are OpenProse roots besides the run's own. What cannot be read is one record with the
    reason in `unreadable`.
    """
    budget = Budget(MOST_BYTES)
    found: list[Record] = []
    for shelf in shelves(folder, AGENT_FOLDER, roots):
        found += _on(shelf, budget)
    return found


def _on(shelf: Shelf, budget: Budget) -> list[Record]:
    listed = safe_listdir(shelf.root, shelf.parts, MOST_AGENTS)
    found: list[Record] = []
    for one in listed.folders():
        agent = _agent_of_files(shelf, one.name, budget)
        # Outside the run's own folder, a folder of this name may be anything.
        if shelf.scope == "run" or agent["memory"] is not None or agent["segments"]:
            found.append(agent)
    said = refused_in(shelf.root, shelf.parts)
    if said:
        found.append({"scope": shelf.scope, "store": shelf.path, "unreadable": "; ".join(said)})
    return found


def _agent_of_files(shelf: Shelf, name: str, budget: Budget) -> dict[str, object]:
    parts = (*shelf.parts, name)
    files = {one.name: one for one in safe_listdir(shelf.root, parts).files()}
    memory = files.get(MEMORY)
    numbered = sorted(
        (number, one) for one in files.values() if (number := number_of(one.name, name)) is not None
    )
    kept = None if memory is None else budget.read(shelf.root, (*parts, MEMORY), MOST_TEXT)
    trouble = refused_in(shelf.root, parts)
    if kept is not None and kept.trouble is not None:
        trouble.append(f"{MEMORY}: {kept.trouble}")
    return {
        "scope": shelf.scope,
        "name": name,
        "raw_scope": None,
        "memory": None if kept is None else kept.text,
        "created_at": None,
        "updated_at": None if memory is None else rfc3339(memory.mtime_ns // 1_000_000),
        "segments": [_segment(shelf, parts, one, number, budget) for number, one in numbered],
        "gap": gaps(sorted({number for number, _ in numbered})),
        "orphan": memory is None,
        "store": os.path.join(shelf.root, *parts),
        "unreadable": "; ".join(trouble) or None,
    }


def number_of(name: str, agent: str) -> int | None:
    """Return the number of a segment by its file's name; None for any other file."""
    stem, ending = os.path.splitext(name)
    number = stem.removeprefix(f"{agent}-")
    is_segment = ending == ".md" and number != stem and number.isascii() and number.isdigit()
    return int(number) if is_segment and len(number) < 10 else None


def _segment(
    shelf: Shelf, parts: Sequence[str], one: Entry, number: int, budget: Budget
) -> dict[str, object]:
    content = budget.read(shelf.root, (*parts, one.name), MOST_TEXT)
    text = (content.text or "").replace("\r\n", "\n")
    head, _, summary = text.partition("\n## Summary")
    fields: dict[str, str] = {}
    for line in head.split("\n"):
        key, colon, value = line.partition(":")
        if colon and key.strip() in ("timestamp", "prompt"):
            fields.setdefault(key.strip(), value.strip().strip('"'))
    return {
        "agent_name": parts[-1],
        "segment_number": number,
        "timestamp": fields.get("timestamp"),
        "prompt": fields.get("prompt"),
        "summary": summary.strip() if summary else text.strip(),
        "path": "/".join((*parts, one.name)),
        "unreadable": content.trouble,
    }
