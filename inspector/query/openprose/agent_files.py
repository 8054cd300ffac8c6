"""Agents that are kept in files, with their memories and segments.

Source: OpenProse filesystem state document, "Agent Memory Files": `memory.md` is what an agent
knows now, `{name}-NNN.md` are the segments, each with `timestamp:`, `prompt:` and a summary. A
number that is skipped is a gap; segments without a memory are orphans.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from inspector.model.clock import rfc3339
from inspector.query.openprose.agents import gaps, outside_agents
from inspector.query.openprose.kept_files import AGENTS, Budget, Shelf, refused_in, shelves
from inspector.query.openprose.view import Place
from inspector.store.files import Entry, safe_listdir

MEMORY = "memory.md"
MOST_TEXT = 1 << 20
"""Bytes of one memory or segment that are given."""
MOST_BYTES = 64 << 20
"""Bytes that are read for all agents together."""
MOST_AGENTS = 2_000

Record = Mapping[str, Any]


def kept_agents(place: Place) -> list[Record]:
    """The agents of a run in files, and those that outlive it in files and databases."""
    return [*agents_in_files(place.folder, place.roots), *outside_agents(place.agents)]


def agents_in_files(folder: str, roots: Sequence[str] = ()) -> list[Record]:
    """The agents of a run, of its project and of the user, as far as they are kept in files.

    `roots` are OpenProse roots beside the run's own. What cannot be read is one record that says
    why in `unreadable`.
    """
    budget = Budget(MOST_BYTES)
    found: list[Record] = []
    for shelf in shelves(folder, AGENTS, roots):
        found += _on(shelf, budget)
    return found


def _on(shelf: Shelf, budget: Budget) -> list[Record]:
    listed = safe_listdir(shelf.root, shelf.parts, MOST_AGENTS)
    found: list[Record] = []
    for one in listed.folders():
        agent = _agent(shelf, one.name, budget)
        # Beside the run's own, a folder of this name may be anything.
        if shelf.scope == "run" or agent["memory"] is not None or agent["segments"]:
            found.append(agent)
    said = refused_in(shelf.root, shelf.parts)
    if said:
        found.append({"scope": shelf.scope, "store": shelf.path, "unreadable": "; ".join(said)})
    return found


def _agent(shelf: Shelf, name: str, budget: Budget) -> dict[str, Any]:
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
    """The number of a segment by its file's name; None for any other file."""
    stem, ending = os.path.splitext(name)
    number = stem.removeprefix(f"{agent}-")
    is_segment = ending == ".md" and number != stem and number.isascii() and number.isdigit()
    return int(number) if is_segment and len(number) < 10 else None


def _segment(
    shelf: Shelf, parts: Sequence[str], one: Entry, number: int, budget: Budget
) -> dict[str, Any]:
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
