"""Sums of tokens and costs: nothing counted twice, an unknown price is not zero.

Currencies are summed separately. Tokens read from a cache are not added to the input, because some
providers already include them there.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from decimal import Decimal

from inspector.model.run import Tokens

NOT_RECORDED = Tokens()
NO_CURRENCY = "?"
"""Currency of a cost that names none."""


@dataclass(frozen=True, slots=True)
class Spending:
    """One recorded amount; None = not recorded, which is not zero."""

    row: str | None
    """Row id, to recognise copies of the row in other databases."""
    run_key: str | None
    run_id: str | None
    session: str | None
    model: str | None
    at: int | None
    """Instant of recording, UTC ms."""
    scope: str
    """The runtime's word for the kind of spending."""
    turn: int | None = None
    attempt: int | None = None
    tokens: Tokens = NOT_RECORDED
    cost: Decimal | None = None
    """None = unknown price."""
    currency: str | None = None
    counts: bool = True
    why_not: str | None = None
    """Reason why it is shown but not added."""

    @property
    def identity(self) -> Hashable:
        """Equal for copies of one row."""
        return (self.row, self.run_id, self.at, self.scope, self.tokens, self.cost)


@dataclass(slots=True)
class Sum:
    """Sum of the rows that count."""

    rows: int = 0
    input: int | None = None
    output: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    total: int | None = None
    cost: dict[str, Decimal] = field(default_factory=dict)
    unpriced: int = 0
    """Rows without a price: if not 0, the cost is a lower bound."""

    def add(self, one: Spending) -> None:
        """Adds a row."""
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
        """Returns the sum of the tokens."""
        return Tokens(self.input, self.output, self.cache_read, self.cache_write, self.total)

    def amounts(self) -> dict[str, str]:
        """Returns the cost by currency, as plain digits."""
        return {currency: plain(cost) for currency, cost in sorted(self.cost.items())}


def _plus(known: int | None, more: int | None) -> int | None:
    if more is None:
        return known
    return more if known is None else known + more


def plain(amount: Decimal) -> str:
    """Formats an amount without exponent and without trailing zeros."""
    text = f"{amount:f}"
    return (text.rstrip("0").rstrip(".") or "0") if "." in text else text


def sum_of(rows: Iterable[Spending]) -> Sum:
    """Returns the sum of the rows that count."""
    found = Sum()
    for one in rows:
        if one.counts:
            found.add(one)
    return found


def sums_by(rows: Iterable[Spending], key: Callable[[Spending], Hashable]) -> dict[Hashable, Sum]:
    """Returns sums of the rows that count by key, in order of first appearance."""
    found: dict[Hashable, Sum] = {}
    for one in rows:
        if one.counts:
            found.setdefault(key(one), Sum()).add(one)
    return found


def without_copies(rows: Iterable[Spending]) -> tuple[list[Spending], int]:
    """Returns each row once, and the number of copies dropped."""
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
