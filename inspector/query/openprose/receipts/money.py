"""What receipts cost, where a person gave a price per million tokens; else no money at all.

Fresh and reused tokens are priced apart: reuse is no discount by itself. A receipt whose model
has no price is counted as unpriced, which is not free. Decimals throughout.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from inspector.config.settings import Price

MILLION = Decimal(1_000_000)


@dataclass(slots=True)
class Cost:
    """Sums by currency; they are a lower bound when `unpriced` is not 0."""

    by_currency: dict[str, Decimal] = field(default_factory=dict)
    unpriced: int = 0
    """Receipts that spent tokens and have no price."""


def cost_of(receipts: Sequence[Mapping[str, Any]], prices: Mapping[str, Price]) -> Cost | None:
    """What the receipts of a ledger document cost; None when no price is known at all."""
    if not prices:
        return None
    cost = Cost()
    for receipt in receipts:
        _add(cost, receipt, prices)
    return cost


def costs_by(
    field_: str, receipts: Sequence[Mapping[str, Any]], prices: Mapping[str, Price]
) -> dict[str, Cost]:
    """What they cost by a field, such as `node` or `surprise_cause`; empty without any price."""
    found: dict[str, Cost] = {}
    for receipt in receipts if prices else ():
        group = receipt.get(field_)
        if isinstance(group, str):
            _add(found.setdefault(group, Cost()), receipt, prices)
    return found


def _add(cost: Cost, receipt: Mapping[str, Any], prices: Mapping[str, Price]) -> None:
    spent = receipt.get("tokens")
    if not isinstance(spent, Mapping) or not (spent["fresh"] or spent["reused"]):
        return
    tokens = (spent["fresh"], spent["reused"])
    price = prices.get(_model(receipt))
    amount = None if price is None else _amount(tokens, price)
    if price is None or amount is None:
        cost.unpriced += 1
        return
    known = cost.by_currency.get(price.currency, Decimal(0))
    cost.by_currency[price.currency] = known + amount


def _model(receipt: Mapping[str, Any]) -> str:
    cost = receipt.get("cost")
    model = cost.get("model") if isinstance(cost, Mapping) else None
    return model if isinstance(model, str) else ""


def _amount(tokens: tuple[int, int], price: Price) -> Decimal | None:
    total = Decimal(0)
    for count, each in zip(tokens, (price.input, price.cache_read), strict=True):
        if count and each is None:
            return None
        total += count * (each or Decimal(0)) / MILLION
    return total


def cost_document(cost: Cost | None) -> dict[str, Any] | None:
    """As JSON: amounts are strings, never rounded."""
    if cost is None:
        return None
    amounts = {currency: f"{amount:f}" for currency, amount in cost.by_currency.items()}
    return {"cost": amounts, "unpriced": cost.unpriced}


def money_document(
    receipts: Sequence[Mapping[str, Any]], prices: Mapping[str, Price]
) -> dict[str, Any] | None:
    """The cost of all, by surprise cause and by node; None when no price is known at all."""
    whole = cost_document(cost_of(receipts, prices))
    if whole is None:
        return None
    for name, field_ in (("by_surprise_cause", "surprise_cause"), ("by_node", "node")):
        groups = costs_by(field_, receipts, prices).items()
        whole[name] = {group: cost_document(cost) for group, cost in groups}
    return whole
