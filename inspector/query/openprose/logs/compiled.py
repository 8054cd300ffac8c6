"""The graph that a run was compiled to, from the snapshot in its folder.

Source: OpenProse filesystem state document, "Compiled Intent": the topology with its nodes and the
edges between them, in `compiled-intent.json` or, older, `forme.manifest.json`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from inspector.query.openprose.logs.topology import Topology, edges_of, read_topology
from inspector.store.attachment import inspect_attachment

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
