"""The world models of a run: every version per node, its bytes checked and its files listed."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from inspector.query.openprose.events import text_of
from inspector.query.openprose.rows import read_whole_rows
from inspector.query.openprose.world_models import (
    BadContainer,
    FileChange,
    Integrity,
    ModelFile,
    decode,
    differences,
    integrity,
)
from inspector.query.tables import Tables
from inspector.store.attachment import inspect_attachment

MOST_BYTES = 64 << 20
"""Artifacts larger than this are not recomputed."""
MOST_VERSIONS = 10_000


def world_models(
    connection: sqlite3.Connection, tables: Tables, folder: str
) -> Sequence[Mapping[str, Any]]:
    """Versions in the order of writing, then pointers to a version that is not kept."""
    published = _published(connection, tables)
    table = tables.get("world_model_version")
    listed: list[Mapping[str, Any]] = []
    before: dict[str, tuple[ModelFile, ...]] = {}
    if table is not None:
        where = f"ORDER BY {table.order} LIMIT {MOST_VERSIONS}"
        for row in read_whole_rows(connection, table, where, ()):
            listed.append(_version(row, published, folder, before))
    known = {row["version"] for row in listed}
    dangling = [(node, version) for node, version in published.items() if version not in known]
    return [*listed, *(_dangling(node, version) for node, version in dangling)]


def _published(connection: sqlite3.Connection, tables: Tables) -> dict[str, str]:
    table = tables.get("world_model_published")
    if table is None:
        return {}
    rows = read_whole_rows(connection, table, "", ())
    return {text_of(row.get("node")): text_of(row.get("version")) for row in rows}


def _version(
    row: Mapping[str, Any],
    published: Mapping[str, str],
    folder: str,
    before: dict[str, tuple[ModelFile, ...]],
) -> Mapping[str, Any]:
    version, node = text_of(row.get("version")), text_of(row.get("node"))
    path = row.get("attachment_path")
    data = _bytes(row.get("artifact"), None if path is None else text_of(path), folder)
    return {
        "version": version,
        "node": node,
        "size": None if data is None else len(data),
        "attachment_path": path,
        "created_at": row.get("created_at"),
        "published": published.get(node) == version,
        "integrity": integrity(version, data).value,
        **_files(data, node, before),
    }


def _bytes(artifact: Any, path: str | None, folder: str) -> bytes | None:
    if isinstance(artifact, bytes):
        return artifact
    if isinstance(artifact, str):
        return artifact.encode()
    if path is None:
        return None
    attachment, data = inspect_attachment(folder, path, preview_bytes=MOST_BYTES)
    return data if attachment.size == len(data) else None


def _files(
    data: bytes | None, node: str, before: dict[str, tuple[ModelFile, ...]]
) -> dict[str, Any]:
    """The files of a version, and how they differ from the node's version before."""
    nothing = {"files": None, "changes": None}
    if data is None:
        return {**nothing, "unreadable": "its bytes could not be read"}
    try:
        files = decode(data)
    except BadContainer as error:
        return {**nothing, "unreadable": str(error)}
    changes = [
        {"path": one.path, "change": _change(one)}
        for one in differences(before.get(node, ()), files)
    ]
    before[node] = files
    listed = [{"path": one.path, "size": len(one.content)} for one in files]
    return {"files": listed, "changes": changes, "unreadable": None}


def _change(one: FileChange) -> str:
    if one.before is None:
        return "added"
    return "removed" if one.after is None else "changed"


def _dangling(node: str, version: str) -> Mapping[str, Any]:
    return {
        "version": version,
        "node": node,
        "size": None,
        "attachment_path": None,
        "created_at": None,
        "published": True,
        "integrity": Integrity.UNREADABLE.value,
        "files": None,
        "changes": None,
        "unreadable": "the published version is not kept",
    }
