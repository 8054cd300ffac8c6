"""World models that are kept in files: versions of each node, what is published, and their bytes.

Sources: OpenProse filesystem state document, "world-model/" (a run's own, with `.version` beside
the files) and "state/world-model/" (`published/`, `versions/{address}`, `receipts.jsonl`); a
reactor's store (`world-models/{hex of the node}/published.json`, `versions/sha256_….bin`). A
version may be one framed container or a folder of files; either has the address of its container's
bytes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from inspector.model.clock import rfc3339
from inspector.query.openprose.discovery import MODELS
from inspector.query.openprose.persistent_files import (
    WORLD_MODELS,
    Budget,
    Shelf,
    refused_in,
    shelves,
)
from inspector.query.openprose.receipts.chain import judge
from inspector.query.openprose.receipts.files import file_rows, parsed, rows_to_receipts
from inspector.query.openprose.receipts.receipt import CommitRecord
from inspector.query.openprose.view import RunLocation
from inspector.query.openprose.world_models import (
    BY_FILES,
    NO_RECEIPTS,
    BadContainer,
    Integrity,
    Kept,
    ModelFile,
    Namings,
    address_of,
    change_of,
    decode,
    differences,
    framed,
    ordered,
    receipt_namings,
    told,
)
from inspector.store.files import Entry, safe_listdir

PUBLISHED, VERSIONS = "published", "versions"
POINTER, STAMP = "published.json", ".version"
LEDGER = "receipts.jsonl"
_NOT_CONTENT = (POINTER, STAMP, LEDGER, "workspace.bin")

MOST_NODES = 2_000
MOST_VERSIONS = 2_000
"""Per node."""
MOST_FILES = 2_000
"""Per version that is a folder."""
LARGEST = 64 << 20
"""Maximum bytes read of one file."""
MOST_BYTES = 256 << 20
"""Maximum bytes read for one answer."""
DEEPEST = 8
"""Maximum depth of folders in a version."""

_ADDRESS = re.compile(r"(?:sha256[_:-])?([0-9a-f]{64})")

Record = dict[str, object]
Parts = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """The result of reading a version."""

    version: str | None
    """The claimed address; None without a claim."""
    files: tuple[ModelFile, ...] | None
    size: int
    path: str
    """Relative to the root."""
    written: int
    """Last modification (UTC ms)."""
    address: str | None = None
    """Recomputed; None if part of it could not be read."""
    trouble: tuple[str, ...] = ()
    published: bool = False
    stamped: bool = False
    """Whether the claim is a stamp that agents write, not the name of the version."""


def model_files(
    shelf: Shelf, budget: Budget | None = None, named: Namings = NO_RECEIPTS
) -> Iterator[Kept]:
    """Return every version of every node on a shelf, node by node, oldest first.

    Ordered by the receipts that name them, from `named` or a ledger beside them; versions that no
    receipt names follow by modification time.
    """
    budget = Budget(MOST_BYTES) if budget is None else budget
    listed = safe_listdir(shelf.root, shelf.parts, MOST_NODES)
    for node in listed.folders():
        yield from _node(shelf, node.name, budget, named)
    said = refused_in(shelf.root, shelf.parts)
    if said:
        yield Kept(_trouble(shelf, said), None)


def kept_models(place: RunLocation, receipts: Sequence[CommitRecord] = ()) -> Iterator[Kept]:
    """Return every version that a run, its project and the user keep in files.

    `receipts` are the run's own.
    """
    named = receipt_namings(receipts)
    budget = Budget(MOST_BYTES)
    for shelf in shelves(place.folder, WORLD_MODELS, place.roots):
        yield from model_files(shelf, budget, named if shelf.scope == "run" else NO_RECEIPTS)


def _trouble(shelf: Shelf, said: Sequence[str]) -> Record:
    nothing = dict.fromkeys(("size", "attachment_path", "created_at", "files", "changes"))
    return {
        "version": None,
        "node": None,
        **nothing,
        "published": False,
        "integrity": Integrity.UNREADABLE.value,
        "unreadable": "; ".join(said),
        "scope": shelf.scope,
        "store": shelf.path,
    }


def _node(shelf: Shelf, name: str, budget: Budget, by_node: Namings) -> Iterator[Kept]:
    parts, node_name = (*shelf.parts, name), _node_name(shelf, name)
    beside = _ledger(shelf.root, parts, budget)
    named = by_node.get(node_name) or receipt_namings(beside).get(node_name, {})
    pointer = pointer_of(shelf.root, parts, budget)
    versions = sorted(_versions(shelf.root, parts, budget), key=lambda one: (one.written, one.path))
    current = _current(shelf, parts, pointer, budget, bool(versions))
    marked = [replace(one, published=one.version == pointer) for one in versions]
    if current is not None:
        same = [at for at, one in enumerate(marked) if current.address in _addresses(one)]
        if same:
            marked[same[-1]] = replace(marked[same[-1]], published=True)
        else:
            marked.append(current)
    elif pointer is not None and not any(one.published for one in marked):
        why = ("the published version is not kept",)
        marked.append(Found(pointer, None, 0, "/".join(parts), 0, trouble=why, published=True))
    node = {
        "node": node_name,
        "scope": shelf.scope,
        "store": os.path.join(shelf.root, *parts),
        **_chain(beside),
    }
    before: tuple[ModelFile, ...] = ()
    for one in ordered(marked, named, _is_named_as):
        place = told(_is_named_as(one), named, BY_FILES)
        yield Kept({**_record(one, before), **node, **place}, one.files)
        before = before if one.files is None else one.files
    said = [*refused_in(shelf.root, parts), *refused_in(shelf.root, (*parts, VERSIONS))]
    if said:
        yield Kept({**_trouble(shelf, said), **node}, None)


def _ledger(root: str, parts: Sequence[str], budget: Budget) -> list[CommitRecord]:
    """Return the receipts that the node keeps beside its versions."""
    content = budget.read(root, (*parts, LEDGER), LARGEST)
    return [] if content.data is None else rows_to_receipts(
        file_rows(LEDGER, content.data), 1, parts[-1])  # fmt: skip


def _chain(receipts: Sequence[CommitRecord]) -> Record:
    """Return how many receipts lie beside the versions, and the verdict on their chain."""
    if not receipts:
        return {}
    verdicts = {chain.verdict for chain in judge(receipts)}
    return {
        "receipts": len(receipts),
        "chain": next(iter(verdicts)).value if len(verdicts) == 1 else None,
    }


def _is_named_as(one: Found) -> str | None:
    """Return the address by which receipts name a version: recomputed if it claims none."""
    return one.version or one.address


def _addresses(one: Found) -> tuple[str, ...]:
    return tuple(each for each in (one.version, one.address) if each is not None)


def _node_name(shelf: Shelf, name: str) -> str:
    """Return the node of a folder; a reactor writes its name as hex."""
    if shelf.parts != (MODELS,):
        return name
    try:
        return bytes.fromhex(name).decode()
    except ValueError:
        return name


def pointer_of(root: str, parts: Sequence[str], budget: Budget) -> str | None:
    """Return the published version named by `published.json` or by a stamp with an address."""
    for name in (POINTER, STAMP):
        text = budget.read(root, (*parts, name), 1 << 20).text or ""
        raw = parsed(text.encode()) if name == POINTER else text.strip()
        values = raw.values() if isinstance(raw, Mapping) else (raw,)
        for value in values:
            found = address_in(value)
            if found is not None:
                return found
    return None


def address_in(value: object) -> str | None:
    """Return a name or text as a normalized address; None if it is not one."""
    found = _ADDRESS.fullmatch(value) if isinstance(value, str) else None
    return None if found is None else f"sha256:{found[1]}"


def _versions(root: str, parts: Sequence[str], budget: Budget) -> Iterator[Found]:
    below = (*parts, VERSIONS)
    for one in safe_listdir(root, below, MOST_VERSIONS).entries:
        if one.is_file:
            yield _file(root, (*below, one.name), one, budget)
        elif one.is_folder:
            version = address_in(one.name) or one.name
            yield replace(_tree(root, (*below, one.name), budget, one.mtime_ns), version=version)


def _file(root: str, parts: tuple[str, ...], one: Entry, budget: Budget) -> Found:
    """Read a version that is one file: a framed container, named by its address."""
    stem = one.name.removesuffix(".bin")
    content = budget.read(root, parts, LARGEST)
    found = Found(
        address_in(stem) or stem, None, one.size, "/".join(parts), one.mtime_ns // 1_000_000
    )
    if content.data is None or content.trouble is not None:
        return replace(found, trouble=(content.trouble or "it may not be read",))
    found = replace(found, address=address_of(content.data))
    try:
        return replace(found, files=decode(content.data))
    except BadContainer as error:
        return replace(found, trouble=(str(error),))


def _tree(root: str, parts: tuple[str, ...], budget: Budget, written: int = 0) -> Found:
    """Read a version that is a folder of files."""
    listed, said = _walk(root, parts)
    files: list[ModelFile] = []
    size = 0
    for within, entry in listed:
        path = "/".join(within)
        if path in _NOT_CONTENT:
            continue
        written = max(written, entry.mtime_ns)
        size += entry.size
        content = budget.read(root, (*parts, *within), LARGEST)
        if content.data is None or content.trouble is not None:
            said.append(f"{path}: {content.trouble}")
        else:
            files.append(ModelFile(path, content.data))
    files.sort(key=lambda one: one.path.encode("utf-8", "surrogateescape"))
    whole = None if said else tuple(files)
    address = None if whole is None else address_of(framed(whole))
    where = "/".join(parts)
    return Found(None, whole, size, where, written // 1_000_000, address, tuple(said))


def _walk(
    root: str, parts: tuple[str, ...]
) -> tuple[list[tuple[tuple[str, ...], Entry]], list[str]]:
    """Return regular files below a folder by relative path, and what was skipped."""
    found: list[tuple[Parts, Entry]] = []
    said: list[str] = []
    waiting: list[Parts] = [()]
    while waiting:
        below = waiting.pop()
        listed = safe_listdir(root, (*parts, *below), MOST_FILES)
        said += [f"{'/'.join(below)}: {one}" if below else one
                 for one in refused_in(root, (*parts, *below))]  # fmt: skip
        found += [((*below, one.name), one) for one in listed.files()]
        deeper = [(*below, one.name) for one in listed.folders()]
        if len(found) > MOST_FILES or (deeper and len(below) >= DEEPEST):
            return found[:MOST_FILES], [*said, "it holds more files than are read"]
        waiting += deeper
    return found, said


def _current(
    shelf: Shelf, parts: tuple[str, ...], pointer: str | None, budget: Budget, has_versions: bool
) -> Found | None:
    """Read what is published as files: in `published/`, or directly in the node's folder."""
    root = shelf.root
    names = {one.name for one in safe_listdir(root, parts).entries}
    stamp, below = pointer, parts
    if PUBLISHED in names and (shelf.scope != "run" or has_versions):
        below = (*parts, PUBLISHED)
        stamp = pointer_of(root, below, budget) or pointer
    elif VERSIONS in names or POINTER in names:
        return None
    found = _tree(root, below, budget)
    if not found.files and stamp is None and not found.trouble:
        return None
    return replace(found, version=stamp, published=True, stamped=True)


def _record(one: Found, before: tuple[ModelFile, ...]) -> Record:
    changes = None
    if one.files is not None:
        listed = differences(before, one.files)
        changes = [{"path": each.path, "change": change_of(each)} for each in listed]
    files = None
    if one.files is not None:
        files = [{"path": each.path, "size": len(each.content)} for each in one.files]
    return {
        "version": one.version,
        "node": "",
        "size": one.size,
        "attachment_path": one.path,
        "created_at": None,
        "written_at": rfc3339(one.written or None),
        "published": one.published,
        "integrity": _integrity(one),
        "address": one.address,
        "files": files,
        "changes": changes,
        "unreadable": "; ".join(one.trouble) or None,
    }


def _integrity(one: Found) -> str:
    if one.address is None:
        return Integrity.UNREADABLE.value
    if one.address == one.version:
        return Integrity.VERIFIED.value
    if one.stamped or one.version is None or address_in(one.version) is None:
        # Agents write stamps, so only equality proves something.
        return Integrity.UNVERIFIED.value
    return Integrity.TAMPERED.value
