"""The receipts of a run, what its chains prove, and what they cost by the user's prices.

A receipt records one commit of a node. Each names the content address of the node's previous
receipt, so that a chain is tamper-evident; it is not signed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING

from inspector.model.trust import Own, Unnamed

if TYPE_CHECKING:
    from inspector.config.settings import Price

MILLION = Decimal(1_000_000)


class ChainVerdict(StrEnum):
    """What the chain of a node proves."""

    VERIFIED = "verified"
    VERIFIED_EXCEPT_HEAD = "verified_except_head"
    """Verified, but nothing names the newest receipt, so that a change to it would not show."""
    BROKEN = "broken"
    UNVERIFIABLE = "unverifiable"


@dataclass(frozen=True, slots=True)
class TokenSum:
    """Receipts and their tokens. Reused tokens were read from a cache."""

    receipts: int = 0
    fresh: int = 0
    reused: int = 0

    @property
    def total(self) -> int:
        """Fresh and reused tokens."""
        return self.fresh + self.reused

    def plus(self, fresh: int, reused: int) -> TokenSum:
        """Return the sum with one more receipt."""
        return TokenSum(self.receipts + 1, self.fresh + fresh, self.reused + reused)


@dataclass(frozen=True, slots=True)
class ChainBreak:
    """A receipt at which a chain does not hold."""

    receipt_id: int
    why_code: Own[str]
    why: Unnamed[str]
    said: Unnamed[str]
    """The reason in plain words, without a full stop."""


@dataclass(frozen=True, slots=True)
class NodeChain:
    """The verdict on the receipts of one node."""

    node: Unnamed[str]
    verdict: ChainVerdict
    verdict_words: Own[str]
    receipts: int
    broken: tuple[ChainBreak, ...]
    head_anchored: bool
    """Whether another receipt names the newest one, or its address was recorded."""


@dataclass(frozen=True, slots=True)
class InputChange:
    """An input fingerprint that differs from the node's previous receipt."""

    position: int
    """From 0."""
    before: object
    after: object


@dataclass(frozen=True, slots=True)
class FacetChange:
    """A facet that moved: its fingerprint differs from the node's previous receipt."""

    facet: Unnamed[str]
    before: object
    after: object


@dataclass(frozen=True, slots=True)
class WakeRef:
    """A receipt that woke another; without id and node if the ledger does not contain it."""

    ref: Unnamed[str]
    """Content address."""
    id: int | None = None
    node: Unnamed[str | None] = None


@dataclass(frozen=True, slots=True)
class Receipt:
    """One commit of a node. Fields that could not be read are None; `trouble` names them."""

    id: int
    node: Unnamed[str]
    address: Own[str | None]
    """The recomputed content address; None if a field is missing or malformed."""
    status: Unnamed[str | None]
    """`rendered`, `skipped` or `failed`, or another word as recorded."""
    prev: Unnamed[str | None]
    """The address of the node's previous receipt, as recorded."""
    wake: object
    input_fingerprints: object
    differing_inputs: tuple[int, ...]
    fingerprints: object
    moved_facets: tuple[str, ...]
    semantic_diff: object
    failure_reason: str | None
    surprise_cause: Unnamed[str | None]
    tokens: TokenSum | None
    cost: object
    contract_fingerprint: Unnamed[str | None]
    sig: object
    trouble: tuple[str, ...]
    created_at: int | None
    """UTC ms."""
    content_hash: Unnamed[str | None]
    """The address that the writer recorded, where the table has such a column."""
    hash_matches: bool | None
    before: int | None
    """Id of the node's previous receipt."""
    contract_changed: bool | None
    input_changes: tuple[InputChange, ...]
    facet_changes: tuple[FacetChange, ...]
    propagates: bool
    """Whether it wakes subscribers: it was rendered and a facet moved."""
    woken_by: tuple[WakeRef, ...]
    woke: tuple[int, ...]
    """Ids of the receipts that name this one as what woke them."""
    broken: tuple[str, ...]
    """Why the chain does not hold at this receipt, in plain words."""

    @property
    def model(self) -> str:
        """The model that its cost names; empty if none."""
        named = self.cost.get("model") if isinstance(self.cost, Mapping) else None
        return named if isinstance(named, str) else ""


@dataclass(frozen=True, slots=True)
class ReceiptLedger:
    """All receipts of a run in the order they were written, with verdicts and sums."""

    chain_ok: bool | None = None
    """Whether every chain holds; None without a receipt, because nothing was verified."""
    nodes: tuple[NodeChain, ...] = ()
    dispositions: Mapping[str, int] = field(default_factory=dict)
    """Status word → receipts."""
    failure_reasons: tuple[str, ...] = ()
    tokens_by_surprise_cause: Mapping[str, TokenSum] = field(default_factory=dict)
    tokens_by_node: Mapping[str, TokenSum] = field(default_factory=dict)
    tokens_total: TokenSum = TokenSum()
    cost_unreadable: int = 0
    """Receipts whose cost could not be read; the sums do not include them."""
    receipts: tuple[Receipt, ...] = ()

    def records(self) -> list[dict[str, object]]:
        """Return the receipts as dictionaries, for instance for a data frame."""
        names = [one.name for one in fields(Receipt)]
        return [{name: getattr(one, name) for name in names} for one in self.receipts]


@dataclass(frozen=True, slots=True)
class Cost:
    """Amounts by currency; a lower bound unless `unpriced` is 0."""

    by_currency: Mapping[str, Decimal] = field(default_factory=dict)
    unpriced: int = 0
    """Receipts that spent tokens of a model without a price."""


@dataclass(frozen=True, slots=True)
class LedgerCosts:
    """The cost of a ledger by the user's prices."""

    total: Cost
    by_surprise_cause: Mapping[str, Cost]
    by_node: Mapping[str, Cost]


def cost_of(receipts: Iterable[Receipt], prices: Mapping[str, Price]) -> Cost | None:
    """Return the cost of receipts; None without any price.

    Prices are per million tokens, fresh and reused tokens apart. A model without a price makes a
    receipt unpriced, not free.
    """
    if not prices:
        return None
    amounts: dict[str, Decimal] = {}
    unpriced = 0
    for receipt in receipts:
        if receipt.tokens is None or not receipt.tokens.total:
            continue
        price = prices.get(receipt.model)
        amount = None if price is None else _amount(receipt.tokens, price)
        if price is None or amount is None:
            unpriced += 1
        else:
            amounts[price.currency] = amounts.get(price.currency, Decimal(0)) + amount
    return Cost(amounts, unpriced)


def _amount(tokens: TokenSum, price: Price) -> Decimal | None:
    total = Decimal(0)
    for count, each in ((tokens.fresh, price.input), (tokens.reused, price.cache_read)):
        if count and each is None:
            return None
        total += count * (each or Decimal(0)) / MILLION
    return total


def costs_of(receipts: Sequence[Receipt], prices: Mapping[str, Price]) -> LedgerCosts | None:
    """Return the cost of all receipts, by surprise cause and by node; None without any price."""
    total = cost_of(receipts, prices)
    if total is None:
        return None
    by_cause: dict[str, list[Receipt]] = {}
    by_node: dict[str, list[Receipt]] = {}
    for receipt in receipts:
        if receipt.surprise_cause is not None:
            by_cause.setdefault(receipt.surprise_cause, []).append(receipt)
        by_node.setdefault(receipt.node, []).append(receipt)
    return LedgerCosts(total, _costs(by_cause, prices), _costs(by_node, prices))


def _costs(
    groups: Mapping[str, Sequence[Receipt]], prices: Mapping[str, Price]
) -> Mapping[str, Cost]:
    costs = {name: cost_of(receipts, prices) for name, receipts in groups.items()}
    return {name: cost for name, cost in costs.items() if cost is not None}
