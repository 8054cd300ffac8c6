"""The world models of a run: every version per node, its bytes checked and its files listed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any

from inspector.query.openprose.events import text_of
from inspector.query.openprose.rows import read_whole_rows
from inspector.query.openprose.world_models import (
    BadContainer,
    Integrity,
    Kept,
    ModelFile,
    address_of,
    change_of,
    decode,
    differences,
    integrity,
)
from inspector.query.tables import Tables
from inspector.store.attachment import inspect_attachment

MOST_BYTES = 64 << 20
"""Artifacts larger than this are not recomputed."""
MOST_VERSIONS = 10_000


def world_models(connection: sqlite3.Connection, tables: Tables, folder: str) -> Iterator[Kept]:
    """Versions in the order of writing, then pointers to a version that is not kept."""
    published = _published(connection, tables)
    table = tables.get("world_model_version")
    known: set[str] = set()
    before: dict[str, tuple[ModelFile, ...]] = {}
    if table is not None:
        where = f"ORDER BY {table.order} LIMIT {MOST_VERSIONS}"
        for row in read_whole_rows(connection, table, where, ()):
            kept = _version(row, published, folder, before)
            known.add(kept.record["version"])
            yield kept
    for node, version in published.items():
        if version not in known:
            yield Kept(_dangling(node, version), None)


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
) -> Kept:
    version, node = text_of(row.get("version")), text_of(row.get("node"))
    path = row.get("attachment_path")
    data = _bytes(row.get("artifact"), None if path is None else text_of(path), folder)
    files, told = _files(data, node, before)
    record = {
        "version": version,
        "node": node,
        "size": None if data is None else len(data),
        "attachment_path": path,
        "created_at": row.get("created_at"),
        "published": published.get(node) == version,
        "integrity": integrity(version, data).value,
        "address": None if data is None else address_of(data),
        **told,
    }
    return Kept(record, files)


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
) -> tuple[tuple[ModelFile, ...] | None, dict[str, Any]]:
    """The files of a version, and how they differ from the node's version before."""
    nothing = {"files": None, "changes": None}
    if data is None:
        return None, {**nothing, "unreadable": "its bytes could not be read"}
    try:
        files = decode(data)
    except BadContainer as error:
        return None, {**nothing, "unreadable": str(error)}
    changes = [
        {"path": one.path, "change": change_of(one)}
        for one in differences(before.get(node, ()), files)
    ]
    before[node] = files
    listed = [{"path": one.path, "size": len(one.content)} for one in files]
    return files, {"files": listed, "changes": changes, "unreadable": None}


def _dangling(node: str, version: str) -> Mapping[str, Any]:
    return {
        "version": version,
        "node": node,
        "size": None,
        "attachment_path": None,
        "created_at": None,
        "published": True,
        "integrity": Integrity.UNREADABLE.value,
        "address": None,
        "files": None,
        "changes": None,
        "unreadable": "the published version is not kept",
    }
