"""The files behind each tab, as records: the parts that a run with a database has, from its folder.

`run agents world_models imports tables source`, and of a log alone `lines` (from line N: `lines:N`)
and `workspace`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from inspector.model.clock import rfc3339
from inspector.query.openprose.discovery import LOGS
from inspector.query.openprose.logs.folder import (
    FOLDERS,
    IMPORTS,
    Beside,
    listing_of,
)
from inspector.query.openprose.logs.header import Header
from inspector.query.openprose.sources import FOLDER as SOURCES
from inspector.query.openprose.sources import SNAPSHOTS
from inspector.store.files import safe_listdir

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


def imports(root: str) -> list[Record]:
    """Programs that the run imported and ran, each in a folder of its own."""
    found: list[Record] = []
    for folder in listing_of(root, IMPORTS).folders():
        handle, _, slug = folder.name.partition("--")
        names = [one.name for one in safe_listdir(root, (IMPORTS, folder.name)).entries]
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
