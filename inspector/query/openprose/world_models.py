"""World models: versions per node, what is published, and whether the bytes match their address.

Source: OpenProse's world-model container: `OPWM1`, a file count, and per file, sorted by the bytes
of its path, a length, the path, a length and the content; lengths are 32-bit little endian and
nothing follows. A version is `sha256:` of the container's bytes.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple, TypeVar

from inspector.query.openprose.events import text_of
from inspector.query.openprose.receipts.receipt import CommitRecord
from inspector.query.openprose.rows import read_whole_rows
from inspector.query.rows import collect
from inspector.query.tables import Table, Tables
from inspector.store.attachment import inspect_attachment

MAGIC = b"OPWM1"
MOST_FILES = 100_000


class Integrity(StrEnum):
    """Whether an artifact's bytes match the address under which they are stored."""

    VERIFIED = "verified"
    TAMPERED = "tampered"
    UNVERIFIED = "unverified"
    """Only a stamp claims an address, which agents can write at will."""
    UNREADABLE = "unreadable"


class BadContainer(ValueError):
    """The bytes are not a world-model container; the message has no full stop."""


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A file of a world model."""

    path: str
    content: bytes


def decode(data: bytes) -> tuple[ModelFile, ...]:
    """Return the files of a container. Raises BadContainer."""
    if not data.startswith(MAGIC):
        raise BadContainer("it is no world model: it does not begin with OPWM1")
    count, at = _number(data, len(MAGIC))
    if count > MOST_FILES:
        raise BadContainer(f"it says that it holds {count:,} files, more than are read")
    files: list[ModelFile] = []
    before = b""
    for _ in range(count):
        path, at = _field(data, at)
        content, at = _field(data, at)
        if files and path <= before:
            raise BadContainer("its files are not in order: it was not written as world models are")
        before = path
        files.append(ModelFile(_checked(path), content))
    if at != len(data):
        raise BadContainer("it was added to: bytes follow its last file")
    return tuple(files)


def _number(data: bytes, at: int) -> tuple[int, int]:
    if at + 4 > len(data):
        raise BadContainer("it is cut short: its end is missing")
    return struct.unpack_from("<I", data, at)[0], at + 4


def _field(data: bytes, at: int) -> tuple[bytes, int]:
    length, at = _number(data, at)
    if at + length > len(data):
        raise BadContainer("it is cut short: it ends within a file")
    return data[at : at + length], at + length


def _checked(path: bytes) -> str:
    try:
        text = path.decode()
    except UnicodeDecodeError:
        raise BadContainer("a path in it is not UTF-8") from None
    if not text or text.startswith("/") or ".." in text.split("/"):
        raise BadContainer(f"it holds the path {text!r}, which leaves its folder")
    return text


def framed(files: Sequence[ModelFile]) -> bytes:
    """Return the container of files, which must be sorted by the bytes of their paths."""
    parts = [MAGIC, struct.pack("<I", len(files))]
    for file in files:
        for part in (file.path.encode("utf-8", "surrogateescape"), file.content):
            parts += [struct.pack("<I", len(part)), part]
    return b"".join(parts)


def address_of(data: bytes) -> str:
    """Return the content address of a container."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def integrity(version: str, data: bytes | None) -> Integrity:
    """Return whether bytes match the address `version`; None = they could not be read."""
    if data is None:
        return Integrity.UNREADABLE
    return Integrity.VERIFIED if version == address_of(data) else Integrity.TAMPERED


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file that differs between two versions; None = it does not exist."""

    path: str
    before: bytes | None
    after: bytes | None


def differences(before: Sequence[ModelFile], after: Sequence[ModelFile]) -> tuple[FileChange, ...]:
    """Yield the files that differ between two versions, by path."""
    old = {file.path: file.content for file in before}
    new = {file.path: file.content for file in after}
    return tuple(
        FileChange(path, old.get(path), new.get(path))
        for path in sorted(old.keys() | new.keys())
        if old.get(path) != new.get(path)
    )


def change_of(one: FileChange) -> str:
    """Return whether a file was added, removed or changed."""
    if one.before is None:
        return "added"
    return "removed" if one.after is None else "changed"


class Kept(NamedTuple):
    """The record of a node's version, and its files if they could be read."""

    record: Mapping[str, Any]
    files: tuple[ModelFile, ...] | None


ATOMIC = "@atomic"
SCHEME = "sha256:"
BY_RECEIPTS, BY_ROWS, BY_FILES = "receipts", "rows", "files"
"""What orders a version: receipts, else rows, else modification times."""

T = TypeVar("T")


@dataclass(slots=True)
class Naming:
    """What receipts say about one version of a node."""

    receipt: int
    """The first receipt that names it."""
    before: str | None
    """The node's previous version; None at its first receipt."""
    again: int | None = None
    """The last receipt at which the node returned to it."""


Namings = Mapping[str, Mapping[str, Naming]]
"""By node and version, in the order of their first receipts."""
NO_RECEIPTS: Namings = {}


def namings(named: Iterable[tuple[int, str, Mapping[str, Any]]]) -> Namings:
    """Return what receipts (id, node, facets), in order, say about versions."""
    found: dict[str, dict[str, Naming]] = {}
    last: dict[str, str] = {}
    for receipt, node, facets in named:
        token = facets.get(ATOMIC)
        before = last.get(node)
        if not isinstance(token, str) or token == before:
            continue
        last[node] = token
        versions = found.setdefault(node, {})
        known = versions.get(bare(token))
        if known is None:
            versions[bare(token)] = Naming(receipt, before)
        else:
            known.again = receipt
    return found


def receipt_namings(receipts: Iterable[CommitRecord]) -> Namings:
    """Return what parsed receipts say about versions."""
    return namings((one.id, one.node, one.facets) for one in receipts)


def bare(version: object) -> str:
    """Return a version or token without its scheme."""
    return version.removeprefix(SCHEME) if isinstance(version, str) else ""


def ordered(
    versions: Sequence[T], named: Mapping[str, Naming], name: Callable[[T], str | None]
) -> list[T]:
    """Return one node's versions: those that receipts name, in that order; then the others."""
    place = {version: at for at, version in enumerate(named)}
    return sorted(versions, key=lambda one: place.get(bare(name(one)), len(place)))


def told(version: object, named: Mapping[str, Naming], otherwise: str) -> dict[str, object]:
    """Return a version's fields about its order; `otherwise` if no receipt names it."""
    naming = named.get(bare(version)) if version is not None else None
    return {
        "order": otherwise if naming is None else BY_RECEIPTS,
        "receipt": None if naming is None else naming.receipt,
        "receipt_again": None if naming is None else naming.again,
        "version_before": None if naming is None else naming.before,
    }


MOST_BYTES = 64 << 20
"""Larger artifacts are not verified."""
MOST_VERSIONS = 10_000
MOST_NAMES = 200_000
"""Maximum number of receipts read for the order of versions."""


def world_models(connection: sqlite3.Connection, tables: Tables, folder: str) -> Iterator[Kept]:
    """Return versions node by node, oldest first by the receipts that name them.

    Versions that no receipt names follow in the order of their rows; then pointers to versions that
    are not stored.
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
    """Return what the receipt table says about versions; unreadable rows are skipped."""
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


def _facets(recorded: object) -> Mapping[str, object]:
    try:
        facets = json.loads(text_of(recorded))
    except (ValueError, RecursionError):
        return {}
    return facets if isinstance(facets, Mapping) else {}


def _keys(
    connection: sqlite3.Connection, table: Table, named: Namings
) -> tuple[str, list[tuple[object, ...]]]:
    """Return the statement that reads one row, and every row's key in order.

    Only keys are kept in memory, because versions may be large.
    """
    by_row = table.rowid != "NULL"
    node, version = table.column("node"), table.column("version")
    key = table.rowid if by_row else "NULL"
    sql = f"SELECT {key}, {node}, {version} FROM world_model_version ORDER BY {table.order}"
    rows, _ = collect(connection, "world_model_version", f"{sql} LIMIT {MOST_VERSIONS}", ())
    by_node: dict[str, list[tuple[object, ...]]] = {}
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
    row: Mapping[str, object],
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


def _bytes(artifact: object, path: str | None, folder: str) -> bytes | None:
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
) -> tuple[tuple[ModelFile, ...] | None, dict[str, object]]:
    """Return the files of a version, and how they differ from the node's previous version."""
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


def _dangling(node: str, version: str, named: Namings) -> Mapping[str, object]:
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
