"""`inspector receipts RUN`: receipts, chain verdicts, tokens by cause."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from inspector.cli.errors import BAD_NEWS, FINE, UserError
from inspector.cli.output import shown, write_json, write_jsonl, write_line, write_table
from inspector.cli.workspace import reader
from inspector.config.settings import load_settings
from inspector.query.openprose.receipts.money import cost_document, cost_of

NOT_SIGNED = "A chain that holds is tamper-evident, not signed."


def run(options: argparse.Namespace) -> int:
    """Prints the ledger; 1 when a chain is broken or there is no receipt at all."""
    with reader(options) as (_, _, opened):
        try:
            found = opened.receipts()
        except KeyError:
            raise UserError("Runs of this runtime have no receipts of this kind.") from None
        settings, _ = load_settings(None)
        found = {**found, "money": cost_document(cost_of(found["receipts"], settings.prices))}
        if options.json:
            write_json("receipts", found, reveal=options.reveal)
        elif options.jsonl:
            write_jsonl("receipts", found["receipts"], reveal=options.reveal)
        else:
            _print(found, options.reveal)
    return FINE if found["chain_ok"] else BAD_NEWS


def _print(found: Mapping[str, Any], reveal: bool) -> None:
    if not found["receipts"]:
        write_line("There is no receipt, so nothing is verified.")
        return
    rows = [("NODE", "RECEIPTS", "VERDICT")]
    for node in found["nodes"]:
        name = shown(node["node"], reveal=reveal)
        rows.append((name, str(node["receipts"]), node["verdict"]))
    write_table(rows, right=(1,))
    for node in found["nodes"]:
        for one in node["broken"]:
            write_line(f"x {shown(node['node'])}, receipt {one['receipt_id']}: {one['why']}")
    write_line()
    causes: list[tuple[str, ...]] = [("CAUSE", "RECEIPTS", "FRESH", "REUSED")]
    for cause, one in found["tokens_by_surprise_cause"].items():
        causes.append((shown(cause), *(str(one[key]) for key in ("receipts", "fresh", "reused"))))
    write_table(causes, right=(1, 2, 3))
    if found["money"] is not None:
        amounts = ", ".join(f"{sum_} {name}" for name, sum_ in found["money"]["cost"].items())
        unpriced = found["money"]["unpriced"]
        more = f" and {unpriced} receipts without a price" if unpriced else ""
        write_line(f"by your prices: {amounts or '0'}{more}")
    for reason in found["failure_reasons"]:
        write_line(f"x {shown(reason, reveal=reveal)}")
    write_line(NOT_SIGNED)
