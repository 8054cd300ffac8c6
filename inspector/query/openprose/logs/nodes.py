"""A reactor's receipts as steps: each node a step, each receipt one of its events.

Pure. The tree of nodes stands before the first receipt; a node without one is pending.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field

from inspector.derive.steps import StepTable
from inspector.model.status import Status
from inspector.model.step import StepKind
from inspector.query.openprose.logs.topology import Topology, edges_of, tree
from inspector.query.openprose.receipts.receipt import Receipt
from inspector.text.parse_time import parse_instant

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


def apply(nodes: Nodes, receipt: Receipt) -> None:
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


def _instant(nodes: Nodes, step: int, receipt: Receipt) -> None:
    at = parse_instant(receipt.created_at)
    if at is not None:
        nodes.instants += 1
        nodes.steps.ended[step] = at
        nodes.steps.stretch(step, at)
