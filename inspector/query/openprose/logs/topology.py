"""The graph that a reactor compiled: who subscribes to whom, and the tree that it is shown as.

Source: reactor's `compile/topology.json`, flat or nested under `topology`: `nodes`, `edges`
(subscriber, producer, facet), `entry_points`. Pure; what is malformed is left out, never raised.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from inspector.store.attachment import inspect_attachment

MOST_NODES = 20_000
DEEPEST = 100
"""Nodes in a row; what hangs deeper is shown at the top."""


class Edge(NamedTuple):
    """A subscription."""

    subscriber: str
    producer: str
    facet: str | None


@dataclass(frozen=True, slots=True)
class Topology:
    """The nodes in the order of the file, with what each is woken by."""

    nodes: tuple[str, ...] = ()
    inputs: Mapping[str, tuple[Edge, ...]] = field(default_factory=dict)
    entry_points: frozenset[str] = frozenset()
    labels: Mapping[str, str] = field(default_factory=dict)
    """Node → the name that a person gave it."""


NONE = Topology()


def read_topology(data: bytes, labels: bytes = b"") -> Topology | None:
    """The topology in a file's bytes; None when they hold none."""
    if not data:
        return None
    from inspector.query.openprose.receipts.files import parsed

    raw = parsed(data)
    inner = raw.get("topology") if isinstance(raw, dict) else None
    shown = _lists(inner) or _lists(raw)
    if shown is None:
        return None
    nodes = dict.fromkeys(name for one in shown["nodes"] if (name := _name(one)) is not None)
    inputs: dict[str, list[Edge]] = {}
    for edge in shown["edges"]:
        read = _edge(edge)
        if read is not None:
            inputs.setdefault(read.subscriber, []).append(read)
    entries = shown.get("entry_points")
    return Topology(
        tuple(nodes)[:MOST_NODES],
        {node: tuple(edges) for node, edges in inputs.items()},
        frozenset(_strings(entries)),
        _labels(labels),
    )


def _lists(value: Any) -> dict[str, Any] | None:
    """An object that has the lists of a topology."""
    if not isinstance(value, dict):
        return None
    has_lists = isinstance(value.get("nodes"), list) and isinstance(value.get("edges"), list)
    return value if has_lists else None


def _name(node: Any) -> str | None:
    if isinstance(node, dict):
        node = next((node[key] for key in ("node", "id", "name") if key in node), None)
    return node if isinstance(node, str) and node else None


def _edge(edge: Any) -> Edge | None:
    if not isinstance(edge, dict):
        return None
    subscriber, producer, facet = (edge.get(key) for key in ("subscriber", "producer", "facet"))
    if not isinstance(subscriber, str) or not isinstance(producer, str):
        return None
    return Edge(subscriber, producer, facet if isinstance(facet, str) else None)


def _strings(value: Any) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _labels(data: bytes) -> dict[str, str]:
    from inspector.query.openprose.receipts.files import parsed

    raw = parsed(data)
    pairs = raw.items() if isinstance(raw, dict) else ()
    return {key: value for key, value in pairs if isinstance(value, str)}


def tree(topology: Topology) -> list[tuple[str, str | None]]:
    """Every node with the one that it hangs from, parents first.

    A node that several wake hangs from the first of them; its other inputs are named on it.
    """
    known = set(topology.nodes)
    parent: dict[str, str] = {}
    for node in topology.nodes:
        producers = (edge.producer for edge in topology.inputs.get(node, ()))
        found = next(
            (one for one in producers if one in known and not _below(one, node, parent)), None
        )
        if found is not None:
            parent[node] = found
    return _parents_first(topology.nodes, parent)


def _below(one: str, node: str, parent: Mapping[str, str]) -> bool:
    """Whether `one` hangs below `node` already, or too deep to hang anything from it."""
    at: str | None = one
    for _ in range(DEEPEST):
        if at is None:
            return False
        if at == node:
            return True
        at = parent.get(at)
    return True


def _parents_first(nodes: Iterable[str], parent: Mapping[str, str]) -> list[tuple[str, str | None]]:
    children: dict[str | None, list[str]] = {}
    for node in nodes:
        children.setdefault(parent.get(node), []).append(node)
    order: list[tuple[str, str | None]] = []
    waiting: list[tuple[str, str | None]] = [
        (one, None) for one in reversed(children.get(None, []))
    ]
    while waiting:
        node, above = waiting.pop()
        order.append((node, above))
        waiting.extend((one, node) for one in reversed(children.get(node, [])))
    return order


def edges_of(topology: Topology, node: str) -> Sequence[Mapping[str, Any]]:
    """What wakes a node, as data."""
    found = topology.inputs.get(node, ())
    return [{"producer": edge.producer, "facet": edge.facet} for edge in found]


FILES = ("compiled-intent.json", "forme.manifest.json")
MOST_BYTES = 16 << 20


class CompiledGraph:
    """The graph in a run folder, read once: it is written before a run begins."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    @cached_property
    def nodes(self) -> list[Mapping[str, Any]]:
        """Every node with what wakes it; empty where no graph is kept or it cannot be read."""
        return compiled_graph(self._folder)


def compiled_graph(folder: str) -> list[Mapping[str, Any]]:
    """Every node with what wakes it; empty where no graph is kept or it cannot be read."""
    for name in FILES:
        _, data = inspect_attachment(folder, name, preview_bytes=MOST_BYTES)
        found = read_topology(data)
        if found is not None:
            return graph_of(found)
    return []


def graph_of(topology: Topology) -> list[Mapping[str, Any]]:
    """Every node of a graph as a record."""
    return [
        {
            "node": node,
            "label": topology.labels.get(node),
            "entry_point": node in topology.entry_points,
            "inputs": list(edges_of(topology, node)),
        }
        for node in topology.nodes
    ]
