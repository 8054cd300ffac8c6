"""A reactor's state folder: what is in it, and how it is told from any other folder.

Source: reactor's flat state folder: `receipts.json` (an array), `compile/topology.json`,
`world-models/{hex of the node}/versions/sha256_….bin`. Receipts are told by their fields, a
topology by its lists: a name alone is too common.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from inspector.query.openprose import discovery
from inspector.query.openprose.discovery import COMPILED, MODELS, RECEIPTS, TOPOLOGY
from inspector.query.openprose.kept_counting import count_models
from inspector.query.openprose.kept_files import Shelf
from inspector.query.openprose.logs.topology import Topology, read_topology
from inspector.query.openprose.model_files import model_files
from inspector.query.openprose.model_order import receipt_namings
from inspector.query.openprose.receipts.receipt import Receipt
from inspector.query.openprose.world_models import Kept
from inspector.store.attachment import inspect_attachment
from inspector.store.files import safe_listdir

LABELS = f"{COMPILED}/labels.json"
HEAD_BYTES = 4096
MOST_BYTES = 64 << 20


def is_laid_out_as_reactor(folder: str) -> bool:
    """Whether a folder is proposed as a reactor's state for its names, whatever is in it."""
    try:
        return discovery.is_reactor(folder)
    except OSError:
        return False


def is_reactor(folder: str) -> bool:
    """Whether a folder holds a reactor's state, by what its files begin with."""
    head = _head(folder, RECEIPTS).lstrip()
    if head.startswith(b"[") and b'"contract_fingerprint"' in head:
        return True
    topology = read_topology(_whole(folder, TOPOLOGY))
    return topology is not None and (not head or head.startswith(b"["))


def _head(folder: str, name: str) -> bytes:
    return inspect_attachment(folder, name, preview_bytes=HEAD_BYTES)[1]


def _whole(folder: str, name: str) -> bytes:
    return inspect_attachment(folder, name, preview_bytes=MOST_BYTES)[1]


def topology_of(folder: str) -> Topology | None:
    """The compiled graph; None where none is kept or it cannot be read."""
    return read_topology(_whole(folder, TOPOLOGY), _whole(folder, LABELS))


def title_of(folder: str) -> str:
    """The folder's name, or its project's where it is merely called state."""
    name = os.path.basename(folder)
    if name.lstrip(".") in ("state", "replay", "reactor"):
        return os.path.basename(os.path.dirname(folder)) or name
    return name


def world_models(folder: str, receipts: Sequence[Receipt]) -> Iterator[Kept]:
    """Every version of every node in the order of receipts, its bytes checked, its files listed."""
    return model_files(Shelf(folder, (MODELS,), "reactor"), named=receipt_namings(receipts))


def count_versions(folder: str) -> int | None:
    """How many versions are listed; None where only their bytes would tell."""
    return count_models(Shelf(folder, (MODELS,), "reactor"))


def tables(folder: str) -> list[Mapping[str, Any]]:
    """Every name in the folder, in place of tables."""
    known = {RECEIPTS, MODELS, COMPILED, "beats.json"}
    return [
        {
            "name": one.name,
            "type": "file" if one.is_file else "folder" if one.is_folder else "other",
            "documented": one.name in known,
            "columns": [],
            "extra_columns": [],
            "missing": False,
            "size": one.size if one.is_file else None,
        }
        for one in safe_listdir(folder).entries
    ]
