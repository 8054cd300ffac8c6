"""A reactor's state folder: what is in it, and how it is told from any other folder.

Source: reactor's flat state folder: `receipts.json` (an array), `compile/topology.json`,
`world-models/{hex of the node}/versions/sha256_….bin`. Receipts are told by their fields, a
topology by its lists: a name alone is too common.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from inspector.derive.steps import StepTable
from inspector.model.status import Status
from inspector.model.step import StepKind
from inspector.query.openprose import discovery
from inspector.query.openprose.discovery import COMPILED, MODELS, RECEIPTS, TOPOLOGY
from inspector.query.openprose.logs.folder import Beside
from inspector.query.openprose.logs.topology import Topology, edges_of, read_topology, tree
from inspector.query.openprose.model_files import model_files
from inspector.query.openprose.persistent_files import Shelf
from inspector.query.openprose.receipts.files import MOST_RECEIPTS, file_rows, rows_to_receipts
from inspector.query.openprose.receipts.ledger import Ledger, ledger_of
from inspector.query.openprose.receipts.receipt import CommitRecord
from inspector.query.openprose.tab_counts import count_models
from inspector.query.openprose.world_models import Kept, receipt_namings
from inspector.store.attachment import inspect_attachment
from inspector.store.files import safe_listdir
from inspector.text.parse_time import parse_instant

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


def world_models(folder: str, receipts: Sequence[CommitRecord]) -> Iterator[Kept]:
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


ROOT = -1
STATUS = {
    "rendered": Status.COMPLETED,
    "skipped": Status.SKIPPED,
    "failed": Status.FAILED,
}
"""Exact; any other word is unknown."""


@dataclass(slots=True)
class Nodes:
    """The steps after the first `events` receipts."""

    steps: StepTable = field(default_factory=StepTable)
    of: dict[str, int] = field(default_factory=dict)
    """Node → its step."""
    events: int = 0
    event_step: array[int] = field(default_factory=lambda: array("i"))
    failures: array[int] = field(default_factory=lambda: array("i"))
    instants: int = 0


def begin(topology: Topology) -> Nodes:
    """The tree of nodes before any receipt."""
    nodes = Nodes()
    for node, above in tree(topology):
        step = _add(nodes, node, ROOT if above is None else nodes.of[above])
        nodes.steps.label[step] = topology.labels.get(node, node)
        ref = nodes.steps.more(step).ref
        ref.update(entry_point=node in topology.entry_points, inputs=list(edges_of(topology, node)))
    return nodes


def _add(nodes: Nodes, node: str, parent: int) -> int:
    steps = nodes.steps
    step = steps.add(parent, StepKind.NODE, node, Status.PENDING, None, 0)
    steps.segment[step] = node
    nodes.of[node] = step
    steps.more(step).ref.update(node=node, receipts=0, rendered=0, skipped=0, failed=0)
    return step


def apply(nodes: Nodes, receipt: CommitRecord) -> None:
    """Takes in one receipt: one event of its node."""
    nodes.events += 1
    steps, n = nodes.steps, nodes.events
    step = nodes.of.get(receipt.node)
    if step is None:
        step = _add(nodes, receipt.node, ROOT)
    word = receipt.status
    status = STATUS.get(word or "", Status.UNKNOWN)
    steps.first[step] = steps.first[step] or n
    steps.last[step] = n
    steps.set_status(step, status, word)
    steps.touch(step, n)
    _instant(nodes, step, receipt)
    extra = steps.more(step)
    extra.error = receipt.failure_reason if status is Status.FAILED else None
    extra.ref["receipts"] += 1
    if word in STATUS:
        extra.ref[word] += 1
    extra.ref["surprise_cause"] = receipt.cause
    extra.ref["row"] = f"receipt {receipt.id}"
    nodes.event_step.append(step)
    if status is Status.FAILED:
        nodes.failures.append(n)


def _instant(nodes: Nodes, step: int, receipt: CommitRecord) -> None:
    at = parse_instant(receipt.created_at)
    if at is not None:
        nodes.instants += 1
        nodes.steps.ended[step] = at
        nodes.steps.stretch(step, at)


MOST_LEDGER_BYTES = 256 << 20
"""Bytes of one file of receipts."""


def read_files(root: str, files: Sequence[Beside]) -> Ledger:
    """The ledger of a run: every node's file in its own order."""
    receipts: list[CommitRecord] = []
    for one in files:
        if len(receipts) >= MOST_RECEIPTS:
            break
        _, data = inspect_attachment(root, one.path, preview_bytes=MOST_LEDGER_BYTES)
        node = os.path.splitext(os.path.basename(one.path))[0]
        receipts += rows_to_receipts(file_rows(one.path, data), len(receipts) + 1, node)
    return ledger_of(_in_order(receipts))


def _in_order(receipts: list[CommitRecord]) -> list[CommitRecord]:
    """By instant where every receipt has one; else file by file. Nodes keep their own order."""
    instants = [parse_instant(one.created_at) for one in receipts]
    if not receipts or any(instant is None for instant in instants):
        return receipts
    order: dict[str, int] = {}
    keyed = []
    for receipt, instant in zip(receipts, instants, strict=True):
        order[receipt.node] = max(order.get(receipt.node, 0), instant or 0)
        keyed.append((order[receipt.node], receipt.id, receipt))
    return [receipt for _, _, receipt in sorted(keyed, key=lambda key: key[:2])]
