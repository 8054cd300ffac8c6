"""What the receipts of a run add up to: dispositions, tokens by cause and node, moved facets.

`reused` counts tokens that were reused; it is no discount. Money is only told where a person gave a
price.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from inspector.query.openprose.receipts.receipt import Receipt


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
