"""The files behind each tab, as records: the parts that a run with a database has, from its folder.

`run agents world_models imports tables source`, and of a log alone `lines` (from line N: `lines:N`)
and `workspace`.
"""

from __future__ import annotations

import hashlib
import os
import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from inspector.model.clock import rfc3339
from inspector.query.openprose.agents import gaps
from inspector.query.openprose.logs.folder import (
    AGENTS,
    FOLDERS,
    IMPORTS,
    Beside,
    listing_of,
)
from inspector.query.openprose.logs.header import Header
from inspector.query.openprose.sources import FOLDER as SOURCES
from inspector.query.openprose.sources import SNAPSHOTS
from inspector.query.openprose.world_models import MAGIC
from inspector.store.attachment import inspect_attachment
from inspector.store.below import list_below
from inspector.store.places import LOGS

Record = Mapping[str, Any]
MOST_TEXT = 1 << 20
"""Bytes of a memory, a segment or a source that are given."""
MOST_MODEL = 64 << 20
"""World models larger than this are not recomputed."""
_SEGMENT_ENDINGS = (".md",)


def run_record(path: str, header: Header, preamble: str, size: int, lines: int) -> list[Record]:
    """What the head of the log says, under the names that it uses."""
    return [
        {
            "id": header.run_id,
            "name": header.name,
            # As a database names the same.
            "root_path": header.get("root", "program"),
            "root": header.get("root"),
            "program": header.get("program"),
            "upstream": list(header.upstream),
            "status": header.raw_status,
            "error": header.get("error"),
            "started_at": header.get("started_at", "started"),
            "ended_at": header.get("ended_at", "ended"),
            "front_matter": dict(header.front),
            "preamble": preamble,
            "log": path,
            "bytes": size,
            "lines": lines,
        }
    ]


def agents(root: str, parts: Sequence[str], scope: str) -> list[Record]:
    """Agents with their memory and segments, from `parts` below `root`."""
    found: list[Record] = []
    for folder in list_below(root, parts).folders():
        below = (*parts, folder.name)
        files = {one.name: one for one in list_below(root, below).files()}
        memory = files.get("memory.md")
        segments = [
            _segment(root, below, name, number)
            for name in files
            if (number := _number_of(name, folder.name)) is not None
        ]
        segments.sort(key=lambda one: one["segment_number"])
        numbers = sorted({one["segment_number"] for one in segments})
        found.append(
            {
                "scope": scope,
                "name": folder.name,
                "raw_scope": None,
                "memory": None if memory is None else _text(root, (*below, "memory.md")),
                "created_at": None,
                "updated_at": None if memory is None else rfc3339(memory.mtime_ns // 1_000_000),
                "segments": segments,
                "gap": gaps(numbers),
                "orphan": memory is None,
                "store": os.path.join(root, *below),
            }
        )
    return found


def run_agents(root: str) -> list[Record]:
    """The agents of the run, then those of the project as far as they lie in files."""
    project = _root_of(root)
    own = agents(root, (AGENTS,), "run")
    shared = agents(project, ("state", AGENTS), "project") if project is not None else []
    if project is not None and os.path.basename(project) in (".prose", "prose"):
        shared += agents(project, (AGENTS,), "project")
    return [*own, *shared]


def _root_of(folder: str) -> str | None:
    """The OpenProse root that holds `runs/`; None where the folder lies elsewhere."""
    while os.path.basename(os.path.dirname(folder)) == IMPORTS:
        folder = os.path.dirname(os.path.dirname(folder))
    holder = os.path.dirname(folder)
    return os.path.dirname(holder) if os.path.basename(holder) == "runs" else None


def _number_of(name: str, agent: str) -> int | None:
    stem, ending = os.path.splitext(name)
    number = stem.removeprefix(f"{agent}-")
    is_segment = ending in _SEGMENT_ENDINGS and number != stem
    return int(number) if is_segment and number.isdigit() and len(number) < 10 else None


def _segment(root: str, parts: Sequence[str], name: str, number: int) -> dict[str, Any]:
    text = _text(root, (*parts, name)) or ""
    fields: dict[str, str] = {}
    head, _, summary = text.partition("\n## Summary")
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
        "path": "/".join((*parts, name)),
    }


def _text(root: str, parts: Sequence[str]) -> str | None:
    _, data = inspect_attachment(root, "/".join(parts), preview_bytes=MOST_TEXT)
    return data.decode("utf-8", "replace")


def world_models(root: str, models: Sequence[Beside]) -> list[Record]:
    """What each node has published, with the version that stands beside it."""
    nodes: dict[str, list[Beside]] = {}
    for one in models:
        nodes.setdefault(one.node or one.name, []).append(one)
    return [_model(root, node, files) for node, files in nodes.items()]


def _model(root: str, node: str, files: Sequence[Beside]) -> Record:
    stamp = next((one for one in files if one.name == ".version"), None)
    content = [one for one in files if one is not stamp]
    version = None if stamp is None else (_text(root, (stamp.path,)) or "").strip()
    computed = _address(root, content) if version else None
    return {
        "version": version or None,
        "node": node,
        "size": sum(one.size for one in content),
        "attachment_path": None,
        "created_at": None,
        "published": True,
        # Agents also stamp what they like: only equality proves something.
        "integrity": "verified" if version and computed == version else "unverified",
        "files": [{"path": one.name, "size": one.size} for one in content],
        "unreadable": None,
    }


def _address(root: str, files: Sequence[Beside]) -> str | None:
    """The content address of these files in their container."""
    if sum(one.size for one in files) > MOST_MODEL:
        return None
    digest = hashlib.sha256(MAGIC + struct.pack("<I", len(files)))
    for name, one in sorted((one.name.encode(errors="replace"), one) for one in files):
        _, data = inspect_attachment(root, one.path, preview_bytes=MOST_MODEL)
        for part in (name, data):
            digest.update(struct.pack("<I", len(part)))
            digest.update(part)
    return f"sha256:{digest.hexdigest()}"


def imports(root: str) -> list[Record]:
    """Programs that the run imported and ran, each in a folder of its own."""
    found: list[Record] = []
    for folder in listing_of(root, IMPORTS).folders():
        handle, _, slug = folder.name.partition("--")
        names = [one.name for one in list_below(root, (IMPORTS, folder.name)).entries]
        found.append(
            {
                "alias": folder.name,
                "handle": handle,
                "slug": slug or None,
                "path": f"{IMPORTS}/{folder.name}",
                "log": next((name for name in LOGS if name in names), None),
            }
        )
    return found


def tables(root: str) -> list[Record]:
    """Every name in the run folder, in place of tables: whether the state document knows it."""
    listed = listing_of(root)
    known = {*LOGS, *FOLDERS, IMPORTS, SOURCES, *SNAPSHOTS, "state.db", ".env"}
    found: list[Record] = [
        {
            "name": one.name,
            "type": "file" if one.is_file else "folder" if one.is_folder else "other",
            "documented": one.name in known,
            "columns": [],
            "extra_columns": [],
            "missing": False,
            "size": one.size if one.is_file else None,
        }
        for one in listed.entries
    ]
    return found if not listed.cut else [*found, {"name": "…", "type": "more names than are read"}]


def workspace(files: Sequence[Beside]) -> list[Record]:
    """Private working files of the nodes: names and sizes."""
    return [
        {
            "node": one.node,
            "path": one.path,
            "size": one.size,
            "written_at": rfc3339(one.mtime_ns // 1_000_000),
        }
        for one in files
    ]


def lines(pieces: Iterator[tuple[int, int | None, str, str]]) -> list[Record]:
    """Lines of the log as they stand: number, event, role, text."""
    return [
        {"line": line, "event": event, "role": role, "text": text}
        for line, event, role, text in pieces
    ]
