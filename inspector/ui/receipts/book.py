"""The ledger as its screen needs it: rows in three ways, sums, money. Pure.

Money is only told where a person gave a price; a model without one is unpriced, which is not free.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from inspector.config.settings import Price
from inspector.export import documents
from inspector.query.receipts import ReceiptLedger, cost_of, costs_of

Record = Mapping[str, Any]

NOT_SIGNED = "tamper-evident, not signed"
NONE = "no receipt, so nothing is verified"


class Way(Enum):
    """How the ledger is listed."""

    ORDER = "in order"
    NODES = "by node"
    SUMS = "sums"

    def next(self, by: int = 1) -> Way:
        """The way that comes `by` after this one, round and round."""
        ways = list(Way)
        return ways[(ways.index(self) + by) % len(ways)]


@dataclass(frozen=True, slots=True)
class Book:
    """One reading of the ledger."""

    document: Mapping[str, Any] = field(default_factory=dict)
    ledger: ReceiptLedger = field(default_factory=ReceiptLedger)
    money: Mapping[str, Any] | None = None
    prices: Mapping[str, Price] = field(default_factory=dict)
    moved: Mapping[str, Mapping[tuple[str, str], int]] = field(default_factory=dict)
    """For a fingerprint the facets and nodes that moved to it, each with its first receipt."""

    def facet_behind(self, receipt: Record, fingerprint: object) -> str | None:
        """Whose facet a receipt's input is, where only one ever moved to that fingerprint.

        Nodes that woke the receipt come before others; fingerprints alone do not name a node.
        """
        own = receipt.get("id")
        moved = self.moved.get(str(fingerprint), {}).items()
        found = {owner for owner, first in moved if not isinstance(own, int) or first < own}
        woke = {one.get("node") for one in receipt.get("woken_by") or ()}
        nearer = {one for one in found if one[1] in woke} or found
        if len(nearer) != 1:
            return None
        ((facet, node),) = nearer
        return f"{facet} of {node}"

    def price_of(self, receipt: Record) -> Mapping[str, Any] | None:
        """What one receipt cost; None when no price is known at all."""
        mine = (one for one in self.ledger.receipts if one.id == receipt.get("id"))
        cost = cost_of(mine, self.prices)
        return None if cost is None else documents.cost(cost)

    @property
    def receipts(self) -> Sequence[Record]:
        """All receipts in the order of writing."""
        found: Sequence[Record] = self.document.get("receipts", ())
        return found

    @property
    def nodes(self) -> Sequence[Record]:
        """The chains."""
        found: Sequence[Record] = self.document.get("nodes", ())
        return found

    def chain_of(self, node: str) -> Record | None:
        """The chain of a node."""
        return next((one for one in self.nodes if one.get("node") == node), None)

    def by_id(self, number: object) -> Record | None:
        """The receipt with an id."""
        return next((one for one in self.receipts if one.get("id") == number), None)

    def rows(self, way: Way) -> tuple[Record, ...]:
        """What is listed, one way."""
        if way is Way.ORDER:
            return tuple(self.receipts)
        if way is Way.NODES:
            # Sorting keeps the order of writing within a node.
            return tuple(sorted(self.receipts, key=lambda one: str(one.get("node"))))
        return tuple(self._sums())

    def _sums(self) -> list[Record]:
        found: list[Record] = []
        for title, name in (("cause", "surprise_cause"), ("node", "node")):
            sums: Mapping[str, Record] = self.document.get(f"tokens_by_{name}", {})
            costs = {} if self.money is None else self.money[f"by_{name}"]
            found += [
                {"group": group, "of": title, **one, "cost": costs.get(group)}
                for group, one in sums.items()
            ]
        return found


def book_of(ledger: ReceiptLedger, prices: Mapping[str, Price]) -> Book:
    """Return a ledger with its costs by these prices."""
    document = documents.receipts(ledger, costs_of(ledger.receipts, prices))
    return Book(document, ledger, document["money"], prices, _moved(document["receipts"]))


def _moved(receipts: Sequence[Record]) -> Mapping[str, Mapping[tuple[str, str], int]]:
    found: dict[str, dict[tuple[str, str], int]] = {}
    for receipt in receipts:
        for one in receipt.get("facet_changes") or ():
            if one.get("after") is not None and isinstance(receipt.get("id"), int):
                owner = (str(one.get("facet")), str(receipt.get("node")))
                found.setdefault(str(one["after"]), {}).setdefault(owner, receipt["id"])
    return found


def verdict(book: Book) -> tuple[bool | None, str]:
    """Whether every chain holds, in a sentence without a full stop; None = nothing to hold."""
    ok = book.document.get("chain_ok")
    if ok is None:
        return None, NONE
    count = len(book.nodes)
    if not ok:
        bad = [one for one in book.nodes if one.get("broken")]
        words = {"broken": "is broken", "unverifiable": "cannot be checked"}
        said = {words.get(str(one.get("verdict")), words["broken"]) for one in bad}
        what = said.pop() if len(said) == 1 else "is broken or cannot be checked"
        return False, f"the chain of {len(bad)} of {count} nodes {what}"
    heads = sum(1 for one in book.nodes if one.get("verdict") == "verified_except_head")
    more = f", but a change to the newest receipt of {heads} would not show" if heads else ""
    return True, f"the chains of all {count} nodes hold{more}; canonical: {NOT_SIGNED}"


def cost_words(cost: Mapping[str, Any] | None) -> str:
    """`0.42 USD + 3 unpriced`; empty without any price."""
    if cost is None:
        return ""
    amounts = [f"{amount} {currency}" for currency, amount in cost["cost"].items()]
    if cost["unpriced"]:
        amounts.append(f"{cost['unpriced']} unpriced")
    return " + ".join(amounts) or "0"


def spent(receipt: Record) -> tuple[int, int] | None:
    """Tokens (fresh, reused) of a receipt; None where they cannot be read."""
    tokens = receipt.get("tokens")
    if not isinstance(tokens, Mapping):
        return None
    return int(tokens.get("fresh") or 0), int(tokens.get("reused") or 0)


def trouble_of(receipt: Record) -> str | None:
    """A sentence about what is wrong with a receipt: its chain, its fields, or that it failed."""
    said = receipt.get("broken") or receipt.get("trouble") or ()
    if said:
        return "; ".join(dict.fromkeys(map(str, said)))
    if receipt.get("status") == "failed":
        return str(receipt.get("failure_reason") or "it failed, and does not say why")
    return None
