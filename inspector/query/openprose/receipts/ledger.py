"""Reads the receipts of a run and builds its ledger: verdicts on chains, sums, and causes.

Source: OpenProse's receipt module. A node renders when its contract or one of its input
fingerprints differs from its previous receipt; a rendered receipt with a moved facet wakes
subscribers. Everything is derived from the ledger alone: what it does not name stays unknown.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inspector.query.openprose.receipts.chain import IN_WORDS, Chain, holds, judge
from inspector.query.openprose.receipts.receipt import CommitRecord, read_receipt
from inspector.query.openprose.rows import read_whole_rows
from inspector.query.receipts import (
    ChainBreak,
    FacetChange,
    InputChange,
    NodeChain,
    Receipt,
    ReceiptLedger,
    TokenSum,
    WakeRef,
)
from inspector.query.tables import Tables
from inspector.text.parse_time import parse_instant

RENDERED = "rendered"
MOST_WOKEN = 1_000
"""Maximum number of receipts that one is said to have woken."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """The receipts of a run in the order they were written, and the verdicts on their chains."""

    receipts: tuple[CommitRecord, ...]
    chains: tuple[Chain, ...]
    total: TokenSum

    @property
    def chain_ok(self) -> bool | None:
        """Whether every chain holds; None without a receipt."""
        return holds(self.chains)

    def answer(self) -> ReceiptLedger:
        """Return the ledger with sums and with the relations between receipts."""
        by_cause: dict[str, TokenSum] = {}
        by_node: dict[str, TokenSum] = {}
        unreadable = 0
        for one in self.receipts:
            tokens, cause = one.tokens, one.cause
            if tokens is None or cause is None:
                unreadable += 1
                continue
            by_cause[cause] = by_cause.get(cause, TokenSum()).plus(*tokens)
            by_node[one.node] = by_node.get(one.node, TokenSum()).plus(*tokens)
        reasons = (one.failure_reason for one in self.receipts)
        return ReceiptLedger(
            chain_ok=self.chain_ok,
            nodes=tuple(_node_chain(chain) for chain in self.chains),
            dispositions=Counter(one.status for one in self.receipts if one.status is not None),
            failure_reasons=tuple(reason for reason in reasons if reason is not None),
            tokens_by_surprise_cause=by_cause,
            tokens_by_node=by_node,
            tokens_total=self.total,
            cost_unreadable=unreadable,
            receipts=tuple(_receipts(self.receipts, self.chains)),
        )


def read_ledger(connection: sqlite3.Connection, tables: Tables) -> Ledger:
    """Return the ledger of a database; an empty one without a receipt table."""
    table = tables.get("receipt")
    if table is None:
        return ledger_of(())
    order = '"id"' if table.has("id") else table.order
    rows = read_whole_rows(connection, table, f"ORDER BY {order}", ())
    return ledger_of([read_receipt(row, number) for number, row in enumerate(rows, 1)])


def ledger_of(receipts: Sequence[CommitRecord]) -> Ledger:
    """Judge and add up receipts given in the order they were written.

    A receipt whose cost cannot be read is left out of the sum.
    """
    count = fresh = reused = 0
    for one in receipts:
        tokens = one.tokens
        if tokens is not None and one.cause is not None:
            count, fresh, reused = count + 1, fresh + tokens[0], reused + tokens[1]
    return Ledger(tuple(receipts), tuple(judge(receipts)), TokenSum(count, fresh, reused))


def _node_chain(chain: Chain) -> NodeChain:
    return NodeChain(
        chain.node,
        chain.verdict,
        IN_WORDS[chain.verdict],
        chain.receipts,
        tuple(
            ChainBreak(one.receipt_id, one.trouble.code, one.trouble.words, one.said)
            for one in chain.broken
        ),
        chain.head_anchored,
    )


def _receipts(records: Sequence[CommitRecord], chains: Sequence[Chain]) -> list[Receipt]:
    by_address: dict[str, CommitRecord] = {}
    woke: dict[str, list[int]] = {}
    for record in records:
        if record.address is not None:
            by_address.setdefault(record.address, record)
        for ref in dict.fromkeys(record.refs):
            woke.setdefault(ref, []).append(record.id)
    broken: dict[int, list[str]] = {}
    for chain in chains:
        for one in chain.broken:
            broken.setdefault(one.receipt_id, []).append(one.said)
    previous: dict[str, CommitRecord] = {}
    found = []
    for record in records:
        found.append(
            _receipt(
                record,
                previous.get(record.node),
                tuple(_wake_ref(ref, by_address.get(ref)) for ref in record.refs),
                tuple(woke.get(record.address or "", [])[:MOST_WOKEN]),
                tuple(broken.get(record.id, ())),
            )
        )
        previous[record.node] = record
    return found


def _receipt(
    record: CommitRecord,
    previous: CommitRecord | None,
    woken_by: tuple[WakeRef, ...],
    woke: tuple[int, ...],
    broken: tuple[str, ...],
) -> Receipt:
    fields, tokens = record.fields, record.tokens
    moved = moved_facets(record, previous)
    known = {} if previous is None else previous.facets
    contract = fields.get("contract_fingerprint")
    is_hash_known = record.content_hash is not None and record.address is not None
    return Receipt(
        id=record.id,
        node=record.node,
        address=record.address,
        status=record.status,
        prev=record.prev,
        wake=fields.get("wake"),
        input_fingerprints=fields.get("input_fingerprints"),
        differing_inputs=differing_inputs(record, previous),
        fingerprints=fields.get("fingerprints"),
        moved_facets=moved,
        semantic_diff=fields.get("semantic_diff"),
        failure_reason=record.failure_reason,
        surprise_cause=record.cause,
        tokens=None if tokens is None else TokenSum(1, *tokens),
        cost=fields.get("cost"),
        contract_fingerprint=contract,
        sig=fields.get("sig"),
        trouble=tuple(one.words for one in record.trouble),
        created_at=parse_instant(record.created_at),
        content_hash=record.content_hash,
        hash_matches=record.content_hash == record.address if is_hash_known else None,
        before=None if previous is None else previous.id,
        contract_changed=None
        if previous is None
        else previous.fields.get("contract_fingerprint") != contract,
        input_changes=_input_changes(record, previous),
        facet_changes=tuple(
            FacetChange(name, known.get(name), record.facets[name]) for name in moved
        ),
        propagates=record.status == RENDERED and bool(moved),
        woken_by=woken_by,
        woke=woke,
        broken=broken,
    )


def moved_facets(record: CommitRecord, previous: CommitRecord | None) -> tuple[str, ...]:
    """Return the facets whose token differs from the previous receipt; all of a first one."""
    old: Mapping[str, object] = {} if previous is None else previous.facets
    return tuple(name for name, token in record.facets.items() if old.get(name) != token)


def differing_inputs(record: CommitRecord, previous: CommitRecord | None) -> tuple[int, ...]:
    """Return the positions of input fingerprints that differ from the previous receipt."""
    new = record.fields.get("input_fingerprints")
    if not isinstance(new, list):
        return ()
    known = _inputs(previous)
    return tuple(at for at, value in enumerate(new) if at >= len(known) or known[at] != value)


def _input_changes(record: CommitRecord, previous: CommitRecord | None) -> tuple[InputChange, ...]:
    """Return the inputs that differ from the previous receipt, removed ones included."""
    now, known = _inputs(record), _inputs(previous)
    found = []
    for position in range(max(len(now), len(known))):
        after = now[position] if position < len(now) else None
        before = known[position] if position < len(known) else None
        if after != before:
            found.append(InputChange(position, before, after))
    return tuple(found)


def _inputs(record: CommitRecord | None) -> list[object]:
    value = None if record is None else record.fields.get("input_fingerprints")
    return value if isinstance(value, list) else []


def _wake_ref(ref: str, record: CommitRecord | None) -> WakeRef:
    return WakeRef(ref) if record is None else WakeRef(ref, record.id, record.node)
