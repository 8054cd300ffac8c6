"""The receipts of a run, read from its table and judged: what the Receipts tab and command say."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from inspector.model.clock import rfc3339
from inspector.query.openprose.receipts.chain import IN_WORDS, Chain, holds, judge
from inspector.query.openprose.receipts.receipt import Receipt, read_receipt
from inspector.query.openprose.receipts.rollup import (
    Rollup,
    TokenSum,
    differing_inputs,
    moved_facets,
    roll_up,
)
from inspector.query.openprose.receipts.story import stories
from inspector.query.openprose.rows import read_whole_rows
from inspector.query.tables import Tables
from inspector.text.parse_time import parse_instant

MOST_DIGESTED = 5_000


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


class LedgerMark(NamedTuple):
    """Enough of a table of receipts to know whether anything was added or altered."""

    receipts: int = 0
    newest: int | None = None
    digest: int = 0
    """Of every cell; 0 where there are more than `MOST_DIGESTED` receipts."""


def ledger_mark(connection: sqlite3.Connection, tables: Tables) -> LedgerMark:
    """How many receipts there are, which is the newest, and a digest of all."""
    table = tables.get("receipt")
    if table is None:
        return LedgerMark()
    newest = f"max({table.column('id')})"
    try:
        count, last = connection.execute(f"SELECT count(*), {newest} FROM receipt").fetchone()
        digest = 0
        if 0 < count <= MOST_DIGESTED:
            digest = hash(tuple(connection.execute("SELECT * FROM receipt")))
    except sqlite3.DatabaseError:
        return LedgerMark()
    return LedgerMark(count, last if isinstance(last, int) else None, digest)


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
