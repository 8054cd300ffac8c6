"""The world models of a run: every version per node, its bytes checked and its files listed."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any

from inspector.query.openprose.events import text_of
from inspector.query.openprose.model_order import (
    BY_ROWS,
    NO_RECEIPTS,
    Namings,
    namings,
    ordered,
    told,
)
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
from inspector.query.rows import collect
from inspector.query.tables import Table, Tables
from inspector.store.attachment import inspect_attachment

MOST_BYTES = 64 << 20
"""Artifacts larger than this are not recomputed."""
MOST_VERSIONS = 10_000
MOST_NAMES = 200_000
"""Receipts that are asked which version they name."""


def world_models(connection: sqlite3.Connection, tables: Tables, folder: str) -> Iterator[Kept]:
    """Versions node by node, the oldest first by the receipts that name them; those that no
    receipt names follow in the order of their rows; then pointers to a version that is not kept.
    """
    published, named = _published(connection, tables), _named(connection, tables)
    table = tables.get("world_model_version")
    known: set[str] = set()
    before: dict[str, tuple[ModelFile, ...]] = {}
    if table is not None:
        where, keys = _keys(connection, table, named)
        for key in keys:
            for row in read_whole_rows(connection, table, where, key):
                kept = _version(row, published, folder, before, named)
                known.add(kept.record["version"])
                yield kept
    for node, version in published.items():
        if version not in known:
            yield Kept(_dangling(node, version, named), None)


def _named(connection: sqlite3.Connection, tables: Tables) -> Namings:
    """What the table of receipts says of versions; a row that cannot be read says nothing."""
    table = tables.get("receipt")
    if table is None or not table.has("node") or not table.has("fingerprints"):
        return NO_RECEIPTS
    number = '"id"' if table.has("id") else table.rowid
    order = '"id"' if table.has("id") else table.order
    sql = f"SELECT {number}, node, fingerprints FROM receipt ORDER BY {order} LIMIT {MOST_NAMES}"
    rows, _ = collect(connection, "receipt", sql, ())
    return namings(
        (identity if isinstance(identity, int) else at, text_of(node), _facets(facets))
        for at, (identity, node, facets) in enumerate(rows, 1)
    )


def _facets(recorded: Any) -> Mapping[str, Any]:
    try:
        facets = json.loads(text_of(recorded))
    except (ValueError, RecursionError):
        return {}
    return facets if isinstance(facets, Mapping) else {}


def _keys(
    connection: sqlite3.Connection, table: Table, named: Namings
) -> tuple[str, list[tuple[Any, ...]]]:
    """How one row is asked for, and every row's key in the order that is told.

    Only the keys are held: what a version holds may be large.
    """
    by_row = table.rowid != "NULL"
    node, version = table.column("node"), table.column("version")
    key = table.rowid if by_row else "NULL"
    sql = f"SELECT {key}, {node}, {version} FROM world_model_version ORDER BY {table.order}"
    rows, _ = collect(connection, "world_model_version", f"{sql} LIMIT {MOST_VERSIONS}", ())
    by_node: dict[str, list[tuple[Any, ...]]] = {}
    for row in rows:
        by_node.setdefault(text_of(row[1]), []).append(row)
    listed = [
        row
        for name, of_node in by_node.items()
        for row in ordered(of_node, named.get(name, {}), lambda row: text_of(row[2]))
    ]
    if by_row:
        return f"WHERE {key} = ?", [row[:1] for row in listed]
    return f"WHERE {node} IS ? AND {version} IS ?", list(dict.fromkeys(row[1:] for row in listed))


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
    named: Namings,
) -> Kept:
    version, node = text_of(row.get("version")), text_of(row.get("node"))
    path = row.get("attachment_path")
    data = _bytes(row.get("artifact"), None if path is None else text_of(path), folder)
    files, content = _files(data, node, before)
    record = {
        "version": version,
        "node": node,
        "size": None if data is None else len(data),
        "attachment_path": path,
        "created_at": row.get("created_at"),
        "published": published.get(node) == version,
        "integrity": integrity(version, data).value,
        "address": None if data is None else address_of(data),
        **content,
        **told(version, named.get(node, {}), BY_ROWS),
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


def _dangling(node: str, version: str, named: Namings) -> Mapping[str, Any]:
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
        **told(version, named.get(node, {}), BY_ROWS),
    }
