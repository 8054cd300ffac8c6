"""What a receipt says beside others: why its node woke, what moved, whom it woke in turn. Pure.

Source: OpenProse's receipt module. A node renders when its contract or one of its input
fingerprints differs from its last receipt; a rendered receipt with a moved facet wakes others.
Everything here is read from the ledger alone: what it does not name stays unknown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inspector.query.openprose.receipts.chain import Chain
from inspector.query.openprose.receipts.receipt import Receipt
from inspector.query.openprose.receipts.rollup import moved_facets

RENDERED = "rendered"
MOST_WOKEN = 1_000
"""Receipts that one names as woken by it."""


def stories(receipts: Sequence[Receipt], chains: Sequence[Chain]) -> list[dict[str, Any]]:
    """One for each receipt, in the same order."""
    by_address: dict[str, Receipt] = {}
    woke: dict[str, list[int]] = {}
    for receipt in receipts:
        if receipt.address is not None:
            by_address.setdefault(receipt.address, receipt)
        for ref in dict.fromkeys(receipt.refs):
            woke.setdefault(ref, []).append(receipt.id)
    broken: dict[int, list[str]] = {}
    for chain in chains:
        for one in chain.broken:
            broken.setdefault(one.receipt_id, []).append(one.said)
    before: dict[str, Receipt] = {}
    told = []
    for receipt in receipts:
        last = before.get(receipt.node)
        told.append(
            {
                **_alone(receipt),
                **_beside(receipt, last),
                "woken_by": [_ref(ref, by_address.get(ref)) for ref in receipt.refs],
                "woke": woke.get(receipt.address or "", [])[:MOST_WOKEN],
                "broken": broken.get(receipt.id, []),
            }
        )
        before[receipt.node] = receipt
    return told


def _alone(receipt: Receipt) -> dict[str, Any]:
    known = receipt.content_hash is not None and receipt.address is not None
    return {
        "content_hash": receipt.content_hash,
        "hash_matches": receipt.content_hash == receipt.address if known else None,
    }


def _beside(receipt: Receipt, last: Receipt | None) -> dict[str, Any]:
    moved = moved_facets(receipt, last)
    old: Mapping[str, Any] = {} if last is None else last.facets
    contract = receipt.fields.get("contract_fingerprint")
    changed = None if last is None else last.fields.get("contract_fingerprint") != contract
    return {
        "before": None if last is None else last.id,
        "contract_changed": changed,
        "input_changes": _inputs(receipt, last),
        "facet_changes": [
            {"facet": name, "before": old.get(name), "after": receipt.facets[name]}
            for name in moved
        ],
        "propagates": receipt.status == RENDERED and bool(moved),
    }


def _inputs(receipt: Receipt, last: Receipt | None) -> list[dict[str, Any]]:
    """Input fingerprints that differ from the node's receipt before, also those that went away."""
    new = receipt.fields.get("input_fingerprints")
    old = None if last is None else last.fields.get("input_fingerprints")
    now = new if isinstance(new, list) else []
    known = old if isinstance(old, list) else []
    found = []
    for position in range(max(len(now), len(known))):
        after = now[position] if position < len(now) else None
        earlier = known[position] if position < len(known) else None
        if after != earlier:
            found.append({"position": position, "before": earlier, "after": after})
    return found


def _ref(ref: str, receipt: Receipt | None) -> dict[str, Any]:
    return {
        "ref": ref,
        "id": None if receipt is None else receipt.id,
        "node": None if receipt is None else receipt.node,
    }
