"""The receipts of a run as their tab lists them: rows, costs, the verdict, columns and the chart.

Costs exist only by prices that the user has set; a model without a price is unpriced, not free.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from inspector.config.settings import Price
from inspector.model.status import Status
from inspector.query.presentation import Column, RecordTable, Tone
from inspector.query.receipts import (
    ChainVerdict,
    Cost,
    LedgerCosts,
    NodeChain,
    Receipt,
    ReceiptLedger,
    TokenSum,
    cost_of,
    costs_of,
)
from inspector.text.numbers import NOT_RECORDED, tokens
from inspector.ui.glyphs import Glyphs

NOT_SIGNED = "tamper-evident, not signed"
NONE = "no receipt, so nothing is verified"
FAILED = "failed"
SKIPPED = "skipped"
"""Status word of a receipt whose contract and inputs had not changed."""
STATUSES = {
    "rendered": Status.COMPLETED,
    SKIPPED: Status.SKIPPED,
    FAILED: Status.FAILED,
}
"""Compared exactly; any other word is an unknown status."""
BAR_CELLS = 12
BLOCKS = " ▁▂▃▄▅▆▇█"
ASCII_BLOCKS = " _.-=+*#@"


class Listing(Enum):
    """How the ledger is listed."""

    ORDER = "in order"
    NODES = "by node"
    SUMS = "sums"

    def next(self, by: int = 1) -> Listing:
        """The listing `by` places after this one, cyclic."""
        listings = list(Listing)
        return listings[(listings.index(self) + by) % len(listings)]


@dataclass(frozen=True, slots=True)
class LedgerSum:
    """The receipts of one surprise cause or of one node."""

    by_node: bool
    """False: by surprise cause."""
    name: str
    tokens: TokenSum
    cost: Cost | None
    """None without any price."""

    @property
    def kind(self) -> str:
        """`node` or `cause`."""
        return "node" if self.by_node else "cause"

    def includes(self, receipt: Receipt) -> bool:
        """True if the receipt is part of the sum."""
        return self.name == (receipt.node if self.by_node else receipt.surprise_cause)


Row = Receipt | LedgerSum
Facet = tuple[str, str]
"""A facet and its node."""


@dataclass(frozen=True, slots=True)
class LedgerModel:
    """A ledger with its costs by the user's prices."""

    ledger: ReceiptLedger = field(default_factory=ReceiptLedger)
    prices: Mapping[str, Price] = field(default_factory=dict)
    costs: LedgerCosts | None = None
    moves: Mapping[str, Mapping[Facet, int]] = field(default_factory=dict)
    """Fingerprint → facets that moved to it, each with the id of its first such receipt."""

    @classmethod
    def of(cls, ledger: ReceiptLedger, prices: Mapping[str, Price]) -> LedgerModel:
        """Computes costs and moves of a ledger."""
        return cls(ledger, prices, costs_of(ledger.receipts, prices), _moves(ledger.receipts))

    @property
    def receipts(self) -> Sequence[Receipt]:
        """All receipts in the order they were written."""
        return self.ledger.receipts

    def input_source(self, receipt: Receipt, fingerprint: object) -> str | None:
        """The facet and node an input comes from, `FACET of NODE`; None if it is ambiguous.

        Only facets that had moved to the fingerprint before the receipt are candidates; nodes that
        woke the receipt take precedence.
        """
        moves = self.moves.get(str(fingerprint), {}).items()
        found = {facet for facet, first in moves if first < receipt.id}
        triggers = {one.node for one in receipt.woken_by}
        nearest = {one for one in found if one[1] in triggers} or found
        if len(nearest) != 1:
            return None
        ((facet, node),) = nearest
        return f"{facet} of {node}"

    def cost_of(self, receipt: Receipt) -> Cost | None:
        """The cost of one receipt; None without any price."""
        return cost_of([receipt], self.prices)

    def chain_of(self, node: str) -> NodeChain | None:
        """The chain of a node."""
        return next((one for one in self.ledger.nodes if one.node == node), None)

    def by_id(self, number: int | None) -> Receipt | None:
        """The receipt with an id."""
        return next((one for one in self.receipts if one.id == number), None)

    def rows(self, listing: Listing) -> tuple[Row, ...]:
        """The rows of a listing."""
        if listing is Listing.ORDER:
            return tuple(self.receipts)
        if listing is Listing.NODES:
            # The sort is stable: within a node the order of writing is kept.
            return tuple(sorted(self.receipts, key=lambda one: one.node))
        return tuple(self._sums())

    def _sums(self) -> Iterator[LedgerSum]:
        ledger, costs = self.ledger, self.costs
        by_cause = {} if costs is None else costs.by_surprise_cause
        for name, one in ledger.tokens_by_surprise_cause.items():
            yield LedgerSum(False, name, one, by_cause.get(name))
        by_node = {} if costs is None else costs.by_node
        for name, one in ledger.tokens_by_node.items():
            yield LedgerSum(True, name, one, by_node.get(name))


def _moves(receipts: Sequence[Receipt]) -> Mapping[str, Mapping[Facet, int]]:
    found: dict[str, dict[Facet, int]] = {}
    for receipt in receipts:
        for one in receipt.facet_changes:
            if one.after is not None:
                facets = found.setdefault(str(one.after), {})
                facets.setdefault((one.facet, receipt.node), receipt.id)
    return found


def verdict(ledger: ReceiptLedger) -> tuple[bool | None, str]:
    """Whether every chain holds, and a sentence without a full stop; None without a receipt."""
    if ledger.chain_ok is None:
        return None, NONE
    total = len(ledger.nodes)
    if not ledger.chain_ok:
        bad = [one for one in ledger.nodes if one.broken]
        unverifiable = sum(one.verdict is ChainVerdict.UNVERIFIABLE for one in bad)
        if not unverifiable:
            what = "broken"
        elif unverifiable == len(bad):
            what = "not verifiable"
        else:
            what = "broken or not verifiable"
        return False, f"chain {what} in {len(bad)} of {total} nodes"
    heads = sum(one.verdict is ChainVerdict.VERIFIED_EXCEPT_HEAD for one in ledger.nodes)
    more = f", except the newest receipt of {heads}" if heads else ""
    nodes = "1 node" if total == 1 else f"all {total} nodes"
    return True, f"chains of {nodes} verified{more}; canonical: {NOT_SIGNED}"


def cost_text(cost: Cost | None) -> str:
    """`0.42 USD + 3 unpriced`; empty without any price."""
    if cost is None:
        return ""
    amounts = [f"{amount:f} {currency}" for currency, amount in cost.by_currency.items()]
    if cost.unpriced:
        amounts.append(f"{cost.unpriced} unpriced")
    return " + ".join(amounts) or "0"


def problem_of(row: Row) -> str | None:
    """The problem of a receipt:

    its chain, its fields, or its failure reason; None if it has none.
    """
    if isinstance(row, LedgerSum):
        return None
    problems = row.broken or row.trouble
    if problems:
        return "; ".join(dict.fromkeys(problems))
    if row.status == FAILED:
        return row.failure_reason or "failed without a recorded reason"
    return None


# Tables


def status_glyph(receipt: Receipt, glyphs: Glyphs) -> str:
    """The glyph of a receipt's status."""
    return glyphs.of(STATUSES.get(receipt.status or "", Status.UNKNOWN))


def row_title(row: Row) -> str:
    """The name of a row."""
    if isinstance(row, LedgerSum):
        return f"{row.kind} {row.name}"
    return f"receipt {row.id} of {row.node}"


def receipts_table(receipts: Sequence[Receipt], glyphs: Glyphs) -> RecordTable:
    """Columns of receipts; the bars are relative to the receipt with most tokens."""
    most = max((one.tokens.total for one in receipts if one.tokens is not None), default=0)
    columns = (
        Column("receipt", 7, lambda one: one.id, right=True),
        Column("node", 20, lambda one: one.node, tone=Tone.TEXT, grows=True, from_end=True),
        Column("status", 11, _status(glyphs)),
        Column("fresh", 6, _fresh, tone=Tone.TEXT, right=True),
        Column("reused", 6, _reused, right=True),
        Column("woken by", 12, _woken, narrow=False),
        Column("moved", 16, lambda one: " ".join(one.moved_facets), narrow=False),
        Column("spent", BAR_CELLS, _bar(most, glyphs), tone=Tone.DONE, narrow=False),
    )
    return RecordTable(columns, row_title, problem=problem_of)


def _status(glyphs: Glyphs) -> Callable[[Receipt], str]:
    def text(receipt: Receipt) -> str:
        word = receipt.status
        return f"{status_glyph(receipt, glyphs)} {NOT_RECORDED if word is None else word}"

    return text


def _fresh(receipt: Receipt) -> str:
    return tokens(None if receipt.tokens is None else receipt.tokens.fresh)


def _reused(receipt: Receipt) -> str:
    return tokens(None if receipt.tokens is None else receipt.tokens.reused)


def _woken(receipt: Receipt) -> str:
    """The surprise cause, and the id of the first receipt in the ledger that woke this one."""
    cause = receipt.surprise_cause
    ids = [one.id for one in receipt.woken_by if one.id is not None]
    more = f" {ids[0]}" + ("+" if len(ids) > 1 else "") if ids else ""
    return f"{NOT_RECORDED if cause is None else cause}{more}"


def _bar(most: int, glyphs: Glyphs) -> Callable[[Receipt], str]:
    return lambda one: "" if one.tokens is None else token_bar(one.tokens, most, glyphs)


def token_bar(one: TokenSum, most: int, glyphs: Glyphs) -> str:
    """Fresh tokens as a thick bar, reused ones as a thin bar after it; any amount is visible."""
    if not most or not one.total:
        return ""
    whole = max(1, round(one.total * BAR_CELLS / most))
    thick = min(whole, max(1, round(one.fresh * BAR_CELLS / most))) if one.fresh else 0
    return glyphs.bar * thick + glyphs.parent_bar * (whole - thick)


def sums_table(sums: Sequence[LedgerSum], glyphs: Glyphs, *, money: bool) -> RecordTable:
    """Columns of tokens by surprise cause and by node."""
    most: dict[bool, int] = {}
    for one in sums:
        most[one.by_node] = max(most.get(one.by_node, 0), one.tokens.total)
    columns = (
        Column("by", 5, lambda one: one.kind),
        Column("", 20, lambda one: one.name, tone=Tone.TEXT, grows=True, from_end=True),
        Column("receipts", 8, lambda one: one.tokens.receipts, right=True),
        Column("fresh", 6, lambda one: tokens(one.tokens.fresh), tone=Tone.TEXT, right=True),
        Column("reused", 6, lambda one: tokens(one.tokens.reused), right=True),
        *((Column("cost", 16, _cost, tone=Tone.TEXT, right=True),) if money else ()),
        Column("spent", BAR_CELLS, _share(most, glyphs), tone=Tone.DONE, narrow=False),
    )
    return RecordTable(columns, row_title)


def _cost(one: LedgerSum) -> str:
    return NOT_RECORDED if one.cost is None else cost_text(one.cost)


def _share(most: Mapping[bool, int], glyphs: Glyphs) -> Callable[[LedgerSum], str]:
    return lambda one: token_bar(one.tokens, most[one.by_node], glyphs)


# Chart


class Cell(NamedTuple):
    """The receipts of one cell of the chart."""

    fresh: int
    reused: int
    failed: bool
    selected: bool
    receipts: int


def chart_cells(receipts: Sequence[Receipt], width: int, selected: int) -> list[Cell]:
    """Distributes receipts over at most `width` cells in order; `selected` is an index or -1."""
    count = len(receipts)
    if not count or width < 1:
        return []
    cells = min(width, count)
    found = []
    for index in range(cells):
        first, stop = index * count // cells, (index + 1) * count // cells
        part = receipts[first:stop]
        spent = [one.tokens for one in part if one.tokens is not None]
        found.append(
            Cell(
                sum(one.fresh for one in spent),
                sum(one.reused for one in spent),
                any(one.status == FAILED for one in part),
                first <= selected < stop,
                len(part),
            )
        )
    return found


def block(amount: int, most: int, blocks: str) -> str:
    """The block for an amount relative to the maximum; any amount above 0 is visible."""
    if not amount or not most:
        return blocks[0]
    return blocks[max(1, min(len(blocks) - 1, round(amount * (len(blocks) - 1) / most)))]
