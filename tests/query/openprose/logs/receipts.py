"""Receipts as a reactor writes them, their chains and addresses right unless a test breaks them."""

from __future__ import annotations

from typing import Any

from inspector.query.openprose.receipts.receipt import address_of

Receipt = dict[str, Any]


def receipt(node: str, prev: Receipt | None = None, *, status: str = "rendered",
            source: str = "input", refs: tuple[str, ...] = (), reason: str | None = None,
            **more: Any) -> Receipt:  # fmt: skip
    """One receipt with its content address."""
    made: Receipt = {
        "node": node,
        "contract_fingerprint": f"contract-{node}",
        "wake": {"source": source, "refs": list(refs)},
        "input_fingerprints": [],
        "fingerprints": {"@atomic": "t"},
        "semantic_diff": {} if reason is None else {"failure_reason": reason},
        "prev": None if prev is None else prev["content_hash"],
        "status": status,
        "cost": {
            "provider": "p",
            "model": "m",
            "tokens": {"fresh": 0 if status == "skipped" else 100, "reused": 40},
            "surprise_cause": source,
        },
        "sig": {"scheme": "none", "null_reason": "unsigned"},
        **more,
    }
    return {**made, "content_hash": address_of(made)}


def chain(node: str, length: int, **more: Any) -> list[Receipt]:
    """A node's receipts, each naming the one before."""
    found: list[Receipt] = []
    for _ in range(length):
        found.append(receipt(node, found[-1] if found else None, **more))
    return found
