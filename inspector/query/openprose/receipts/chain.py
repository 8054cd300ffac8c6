"""Judges the chain of each node: what its receipts prove, and where it does not hold.

Source: OpenProse's receipt module. Per node, in order: the first receipt has no `prev`, every other
one names the address of its predecessor. An edited receipt shows at its successor; an edit to a
node's newest receipt shows only if another receipt names it or its address was recorded.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from inspector.query.openprose.receipts.receipt import CommitRecord, Trouble
from inspector.query.receipts import ChainVerdict

NO_COLUMN = "no such column"


def sentence(receipt: int, before: int | None, trouble: Trouble) -> str:
    """Return the reason without a full stop; `before` is the node's previous receipt."""
    code, _, field = trouble.code.partition(":")
    this = f"receipt {receipt}"
    if code == "prev_mismatch":
        return (
            f"{this} does not follow from receipt {before}: one of them was changed, or one"
            " between was removed"
        )
    if code == "first_has_prev":
        return f"{this} follows one that is not here: what came before it was removed or not kept"
    if code == "content_hash_mismatch":
        return f"{this} is not as it was written: it was changed, or its address was wrong"
    if code == "bad_prev":
        return f"{this} does not say which receipt it follows: what it names is no receipt"
    if code == "missing":
        why = f"no {field} is recorded"
        if NO_COLUMN in trouble.words:
            why = f"this database has no column {field}"
        return f"{this} cannot be checked: {why}"
    if code == "malformed":
        return f"{this} cannot be checked: its {field} cannot be read"
    return f"{this}: {trouble.words}"


MISMATCH = Trouble(
    "prev_mismatch", "prev does not equal recomputed content address of the previous receipt"
)
FIRST_HAS_PREV = Trouble("first_has_prev", "the first receipt of the node names one before it")
HASH_MISMATCH = Trouble(
    "content_hash_mismatch", "content_hash does not equal the recomputed content address"
)


IN_WORDS = {
    ChainVerdict.VERIFIED: "holds: no receipt was changed or removed",
    ChainVerdict.VERIFIED_EXCEPT_HEAD: "holds: only a change to its newest receipt would not show",
    ChainVerdict.BROKEN: "is broken: a receipt was changed or removed",
    ChainVerdict.UNVERIFIABLE: "cannot be checked: a receipt cannot be read whole",
}
"""Verdicts in a sentence about a chain."""


@dataclass(frozen=True, slots=True)
class Break:
    """A receipt at which the chain does not hold."""

    receipt_id: int
    trouble: Trouble
    before: int | None = None
    """The node's previous receipt; None at its first."""

    @property
    def said(self) -> str:
        """The reason in plain words, without a full stop."""
        return sentence(self.receipt_id, self.before, self.trouble)


@dataclass(frozen=True, slots=True)
class Chain:
    """The verdict on the receipts of one node."""

    node: str
    verdict: ChainVerdict
    receipts: int
    broken: tuple[Break, ...]
    head_anchored: bool
    """Whether another receipt names the newest one, or its address was recorded."""


def judge(receipts: Sequence[CommitRecord]) -> list[Chain]:
    """Return every node's chain, nodes in the order of their first receipt."""
    by_node: dict[str, list[CommitRecord]] = {}
    for receipt in receipts:
        by_node.setdefault(receipt.node, []).append(receipt)
    named = {ref for receipt in receipts for ref in receipt.refs}
    return [_judge(node, chain, named) for node, chain in by_node.items()]


def holds(chains: Iterable[Chain]) -> bool | None:
    """Return whether every chain holds; None without a chain, because nothing was verified."""
    verdicts = [chain.verdict for chain in chains]
    if not verdicts:
        return None
    return not any(one in (ChainVerdict.BROKEN, ChainVerdict.UNVERIFIABLE) for one in verdicts)


def _judge(node: str, chain: Sequence[CommitRecord], named: set[str]) -> Chain:
    breaks: list[Break] = []
    before: CommitRecord | None = None
    for receipt in chain:
        last = None if before is None else before.id
        breaks += [Break(receipt.id, one, last) for one in _troubles(receipt, before)]
        before = receipt
    head = chain[-1]
    anchored = head.address is not None and (
        head.address in named or head.content_hash == head.address
    )
    return Chain(node, _verdict(breaks, anchored), len(chain), tuple(breaks), anchored)


def _troubles(receipt: CommitRecord, before: CommitRecord | None) -> Iterable[Trouble]:
    yield from receipt.trouble
    if receipt.address is not None and receipt.content_hash not in (None, receipt.address):
        yield HASH_MISMATCH
    has_bad_prev = any(one.code == "bad_prev" for one in receipt.trouble)
    if before is None:
        if receipt.prev is not None and not has_bad_prev:
            yield FIRST_HAS_PREV
    elif before.address not in (None, receipt.prev) and not has_bad_prev:
        # If the predecessor's address is unknown, there is nothing to compare with.
        yield MISMATCH


def _verdict(breaks: Sequence[Break], anchored: bool) -> ChainVerdict:
    codes = {one.trouble.code for one in breaks}
    if codes - {MISMATCH.code, HASH_MISMATCH.code}:
        return ChainVerdict.UNVERIFIABLE
    if codes:
        return ChainVerdict.BROKEN
    return ChainVerdict.VERIFIED if anchored else ChainVerdict.VERIFIED_EXCEPT_HEAD
