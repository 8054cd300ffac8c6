"""Tokens and costs, added up so that nothing is counted twice and no unknown price becomes zero.

Currencies are never added to each other; tokens read from a cache stand beside the input and are
not added to it, as some providers count them there already.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from decimal import Decimal

from inspector.model.run import Tokens

NOT_RECORDED = Tokens()
NO_CURRENCY = "?"
"""Stands for the currency of a cost that names none."""


@dataclass(frozen=True, slots=True)
class Spending:
    """One recorded amount. None is not recorded, which is not zero."""

    row: str | None
    """Its id, which tells a copy of the same row in another database."""
    run_key: str | None
    run_id: str | None
    session: str | None
    model: str | None
    at: int | None
    """When it was recorded, UTC ms."""
    scope: str
    """The runtime's own word for what it is the amount of."""
    turn: int | None = None
    attempt: int | None = None
    tokens: Tokens = NOT_RECORDED
    cost: Decimal | None = None
    """None is an unknown price."""
    currency: str | None = None
    counts: bool = True
    why_not: str | None = None
    """Why it is shown and not added."""

    @property
    def identity(self) -> Hashable:
        """Equal for the same row wherever it lies."""
        return (self.row, self.run_id, self.at, self.scope, self.tokens, self.cost)


@dataclass(slots=True)
class Sum:
    """What rows that count add up to."""

    rows: int = 0
    input: int | None = None
    output: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    total: int | None = None
    cost: dict[str, Decimal] = field(default_factory=dict)
    unpriced: int = 0
    """Rows that count and bear no price: the cost is a lower bound."""

    def add(self, one: Spending) -> None:
        """Takes in a row that counts."""
        self.rows += 1
        self.input = _plus(self.input, one.tokens.input)
        self.output = _plus(self.output, one.tokens.output)
        self.cache_read = _plus(self.cache_read, one.tokens.cache_read)
        self.cache_write = _plus(self.cache_write, one.tokens.cache_write)
        self.total = _plus(self.total, one.tokens.total)
        if one.cost is None:
            self.unpriced += 1
        else:
            currency = one.currency or NO_CURRENCY
            self.cost[currency] = self.cost.get(currency, Decimal(0)) + one.cost

    def tokens(self) -> Tokens:
        """The tokens of all rows."""
        return Tokens(self.input, self.output, self.cache_read, self.cache_write, self.total)

    def amounts(self) -> dict[str, str]:
        """Cost by currency, in plain digits."""
        return {currency: plain(cost) for currency, cost in sorted(self.cost.items())}


def _plus(known: int | None, more: int | None) -> int | None:
    if more is None:
        return known
    return more if known is None else known + more


def plain(amount: Decimal) -> str:
    """An amount in digits, without an exponent and without zeros that say nothing."""
    text = f"{amount:f}"
    return (text.rstrip("0").rstrip(".") or "0") if "." in text else text


def sum_of(rows: Iterable[Spending]) -> Sum:
    """The sum of the rows that count."""
    found = Sum()
    for one in rows:
        if one.counts:
            found.add(one)
    return found


def sums_by(rows: Iterable[Spending], key: Callable[[Spending], Hashable]) -> dict[Hashable, Sum]:
    """Sums of the rows that count, by key, in the order in which the keys first appeared."""
    found: dict[Hashable, Sum] = {}
    for one in rows:
        if one.counts:
            found.setdefault(key(one), Sum()).add(one)
    return found


def without_copies(rows: Iterable[Spending]) -> tuple[list[Spending], int]:
    """Each row once, however many databases hold a copy of it; and how many were left out."""
    seen: set[Hashable] = set()
    kept: list[Spending] = []
    left_out = 0
    for one in rows:
        if one.row is not None and one.identity in seen:
            left_out += 1
            continue
        seen.add(one.identity)
        kept.append(one)
    return kept, left_out
