"""`inspector receipts RUN`: receipts, chain verdicts, tokens by cause."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from inspector.cli.errors import BAD_NEWS, FINE, UserError
from inspector.cli.output import (
    shown,
    write_json,
    write_jsonl,
    write_line,
    write_status,
    write_table,
)
from inspector.cli.workspace import reader
from inspector.config.settings import load_settings
from inspector.export import documents
from inspector.query.receipts import Cost, LedgerCosts, ReceiptLedger, TokenSum, costs_of

ALL_VERIFIED = "All chains verified: tamper-evident, not signed."
SOME_BROKEN = "Some chains are not verified. Verified ones are tamper-evident, not signed."


def run(options: argparse.Namespace) -> int:
    """Print the ledger; exit code 1 when a chain is broken or there is no receipt."""
    with reader(options) as (_, _, opened):
        ledger = opened.receipts()
        if ledger is None:
            raise UserError("This runtime does not record receipts.")
        settings, _ = load_settings(None)
        if options.jsonl:
            rows = map(documents.receipt, ledger.receipts)
            write_jsonl("receipts", rows, reveal=options.reveal)
        else:
            costs = costs_of(ledger.receipts, settings.prices)
            if options.json:
                write_json("receipts", documents.receipts(ledger, costs), reveal=options.reveal)
            else:
                _print(ledger, costs, options.reveal)
    return FINE if ledger.chain_ok else BAD_NEWS


def _print(ledger: ReceiptLedger, costs: LedgerCosts | None, reveal: bool) -> None:
    if not ledger.receipts:
        write_line("No receipts. Nothing was verified.")
        return
    _print_chains(ledger, reveal)
    by_cause, by_node = (None, None) if costs is None else (costs.by_surprise_cause, costs.by_node)
    _print_sums("CAUSE", ledger.tokens_by_surprise_cause, by_cause, reveal)
    _print_sums("NODE", ledger.tokens_by_node, by_node, reveal)
    if costs is not None:
        write_line(f"cost by configured prices: {_cost(costs.total)}")
    for reason in ledger.failure_reasons:
        write_status(f"x {shown(reason, reveal=reveal)}", "failed")
    write_line(ALL_VERIFIED if ledger.chain_ok else SOME_BROKEN)


def _print_chains(ledger: ReceiptLedger, reveal: bool) -> None:
    rows = [("NODE", "RECEIPTS", "CHAIN")]
    for node in ledger.nodes:
        rows.append((shown(node.node, reveal=reveal), str(node.receipts), node.verdict_words))
    write_table(rows, right=(1,), status=(2,))
    for node in ledger.nodes:
        for one in node.broken:
            name = shown(node.node, reveal=reveal)
            write_status(f"x {one.said} (node {name})", "broken")
    write_line()
    dispositions = ledger.dispositions.items()
    write_line(", ".join(f"{count} {_disposition(word)}" for word, count in dispositions))
    write_line()


def _disposition(word: str) -> str:
    return "skipped (cached)" if word == "skipped" else shown(word)


def _print_sums(
    title: str, sums: Mapping[str, TokenSum], costs: Mapping[str, Cost] | None, reveal: bool
) -> None:
    rows: list[tuple[str, ...]] = [
        (title, "RECEIPTS", "FRESH", "REUSED", *(("COST",) if costs is not None else ()))
    ]
    for name, one in sums.items():
        numbers = (str(one.receipts), str(one.fresh), str(one.reused))
        amounts = (_cost(costs.get(name)),) if costs is not None else ()
        rows.append((shown(name, reveal=reveal), *numbers, *amounts))
    write_table(rows, right=(1, 2, 3))
    write_line()


def _cost(cost: Cost | None) -> str:
    """The amounts, and how many receipts have no price."""
    if cost is None:
        return "-"
    amounts = [f"{amount:f} {currency}" for currency, amount in cost.by_currency.items()]
    if cost.unpriced:
        amounts.append(f"{cost.unpriced} unpriced")
    return " + ".join(amounts) or "0"
