"""The receipts of a run, read from its table and judged: what the Receipts tab and command say."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from inspector.model.clock import rfc3339
from inspector.query.openprose.receipts.chain import IN_WORDS, Chain, holds, judge
from inspector.query.openprose.receipts.receipt import Receipt, read_receipt
from inspector.query.openprose.rows import read_whole_rows
from inspector.query.tables import Tables
from inspector.text.parse_time import parse_instant


@dataclass(slots=True)
class TokenSum:
    """Receipts and their tokens."""

    receipts: int = 0
    fresh: int = 0
    reused: int = 0

    def add(self, tokens: tuple[int, int]) -> None:
        """Takes in one receipt."""
        self.receipts += 1
        self.fresh += tokens[0]
        self.reused += tokens[1]


@dataclass(slots=True)
class Rollup:
    """Sums over all receipts of a run."""

    dispositions: Counter[str] = field(default_factory=Counter)
    failure_reasons: list[str] = field(default_factory=list)
    by_cause: dict[str, TokenSum] = field(default_factory=dict)
    by_node: dict[str, TokenSum] = field(default_factory=dict)
    total: TokenSum = field(default_factory=TokenSum)
    cost_unreadable: int = 0


def roll_up(receipts: Sequence[Receipt]) -> Rollup:
    """Adds up receipts; one whose cost cannot be read is counted, not guessed."""
    sums = Rollup()
    for receipt in receipts:
        if receipt.status is not None:
            sums.dispositions[receipt.status] += 1
        if receipt.failure_reason is not None:
            sums.failure_reasons.append(receipt.failure_reason)
        tokens, cause = receipt.tokens, receipt.cause
        if tokens is None or cause is None:
            sums.cost_unreadable += 1
            continue
        sums.total.add(tokens)
        sums.by_cause.setdefault(cause, TokenSum()).add(tokens)
        sums.by_node.setdefault(receipt.node, TokenSum()).add(tokens)
    return sums


def moved_facets(receipt: Receipt, before: Receipt | None) -> tuple[str, ...]:
    """Facets whose token differs from the node's receipt before; all of them at the first."""
    old: Mapping[str, object] = {} if before is None else before.facets
    return tuple(name for name, token in receipt.facets.items() if old.get(name) != token)


def differing_inputs(receipt: Receipt, before: Receipt | None) -> tuple[int, ...]:
    """Positions of the input fingerprints that differ from the node's receipt before."""
    new = receipt.fields.get("input_fingerprints")
    old = None if before is None else before.fields.get("input_fingerprints")
    if not isinstance(new, list):
        return ()
    known = old if isinstance(old, list) else []
    return tuple(at for at, value in enumerate(new) if at >= len(known) or known[at] != value)


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


@dataclass(frozen=True, slots=True)
class Ledger:
    """All receipts of a run in the order of writing, their chains, and what they add up to."""

    receipts: tuple[Receipt, ...]
    chains: tuple[Chain, ...]
    sums: Rollup

    @property
    def chain_ok(self) -> bool | None:
        """Whether every chain holds; None without a single receipt, which is never green."""
        return holds(self.chains)


def ledger_of(receipts: Sequence[Receipt]) -> Ledger:
    """Judges and adds up receipts in the order of writing."""
    return Ledger(tuple(receipts), tuple(judge(receipts)), roll_up(receipts))


def read_ledger(connection: sqlite3.Connection, tables: Tables) -> Ledger:
    """The ledger of a database; empty where it has no such table."""
    table = tables.get("receipt")
    if table is None:
        return ledger_of(())
    order = '"id"' if table.has("id") else table.order
    rows = read_whole_rows(connection, table, f"ORDER BY {order}", ())
    return ledger_of([read_receipt(row, number) for number, row in enumerate(rows, 1)])


def ledger_document(ledger: Ledger) -> dict[str, Any]:
    """The content of `inspector.receipts/1`."""
    sums = ledger.sums
    return {
        "chain_ok": ledger.chain_ok,
        "nodes": [_chain(chain) for chain in ledger.chains],
        "dispositions": dict(sums.dispositions),
        "failure_reasons": list(sums.failure_reasons),
        "tokens_by_surprise_cause": {cause: _sum(one) for cause, one in sums.by_cause.items()},
        "tokens_by_node": {node: _sum(one) for node, one in sums.by_node.items()},
        "tokens_total": {"fresh": sums.total.fresh, "reused": sums.total.reused},
        "cost_unreadable": sums.cost_unreadable,
        "receipts": _receipts(ledger),
    }


def _chain(chain: Chain) -> dict[str, Any]:
    return {
        "node": chain.node,
        "verdict": chain.verdict,
        "verdict_words": IN_WORDS[chain.verdict],
        "receipts": chain.receipts,
        "broken": [
            {
                "receipt_id": one.receipt_id,
                "why_code": one.trouble.code,
                "why": one.trouble.words,
                "said": one.said,
            }
            for one in chain.broken
        ],
        "head_anchored": chain.head_anchored,
    }


def _sum(one: TokenSum) -> dict[str, int]:
    return {"receipts": one.receipts, "fresh": one.fresh, "reused": one.reused}


def _receipts(ledger: Ledger) -> list[dict[str, Any]]:
    before: dict[str, Receipt] = {}
    listed = []
    told = stories(ledger.receipts, ledger.chains)
    for receipt, story in zip(ledger.receipts, told, strict=True):
        last = before.get(receipt.node)
        listed.append({**_receipt(receipt, last), **story})
        before[receipt.node] = receipt
    return listed


def _receipt(receipt: Receipt, before: Receipt | None) -> dict[str, Any]:
    tokens = receipt.tokens
    return {
        "id": receipt.id,
        "node": receipt.node,
        "address": receipt.address,
        "status": receipt.status,
        "prev": receipt.prev,
        "wake": receipt.fields.get("wake"),
        "input_fingerprints": receipt.fields.get("input_fingerprints"),
        "differing_inputs": list(differing_inputs(receipt, before)),
        "fingerprints": receipt.fields.get("fingerprints"),
        "moved_facets": list(moved_facets(receipt, before)),
        "semantic_diff": receipt.fields.get("semantic_diff"),
        "failure_reason": receipt.failure_reason,
        "surprise_cause": receipt.cause,
        "tokens": None if tokens is None else {"fresh": tokens[0], "reused": tokens[1]},
        "cost": receipt.fields.get("cost"),
        "contract_fingerprint": receipt.fields.get("contract_fingerprint"),
        "sig": receipt.fields.get("sig"),
        "trouble": [one.words for one in receipt.trouble],
        "created_at": rfc3339(parse_instant(receipt.created_at)),
    }
