"""`inspector receipts RUN`: receipts, chain verdicts, tokens by cause."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from inspector.cli.errors import BAD_NEWS, FINE, UserError
from inspector.cli.output import shown, write_json, write_jsonl, write_line, write_table
from inspector.cli.workspace import reader
from inspector.config.settings import load_settings
from inspector.query.openprose.receipts.money import money_document

NOT_SIGNED = "Every chain holds: tamper-evident, not signed."
NOT_ALL = "What holds is tamper-evident, not signed."


def run(options: argparse.Namespace) -> int:
    """Prints the ledger; 1 when a chain is broken or there is no receipt at all."""
    with reader(options) as (_, _, opened):
        found = opened.receipts()
        if found is None:
            raise UserError("Runs of this runtime have no receipts of this kind.")
        settings, _ = load_settings(None)
        found = {**found, "money": money_document(found["receipts"], settings.prices)}
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
    _print_chains(found, reveal)
    _print_sums(found, reveal)
    for reason in found["failure_reasons"]:
        write_line(f"x {shown(reason, reveal=reveal)}")
    write_line(NOT_SIGNED if found["chain_ok"] else NOT_ALL)


def _print_chains(found: Mapping[str, Any], reveal: bool) -> None:
    rows = [("NODE", "RECEIPTS", "CHAIN")]
    for node in found["nodes"]:
        name = shown(node["node"], reveal=reveal)
        rows.append((name, str(node["receipts"]), node["verdict_words"]))
    write_table(rows, right=(1,))
    for node in found["nodes"]:
        for one in node["broken"]:
            write_line(f"x {one['said']} (node {shown(node['node'], reveal=reveal)})")
    write_line()
    dispositions = found["dispositions"].items()
    write_line(", ".join(f"{count} {_disposition(word)}" for word, count in dispositions))
    write_line()


def _disposition(word: str) -> str:
    return "skipped (nothing to do: a memo)" if word == "skipped" else shown(word)


def _print_sums(found: Mapping[str, Any], reveal: bool) -> None:
    money = found["money"]
    for title, sums in (("cause", "surprise_cause"), ("node", "node")):
        head = (title.upper(), "RECEIPTS", "FRESH", "REUSED", *(("COST",) if money else ()))
        rows: list[tuple[str, ...]] = [head]
        for name, one in found[f"tokens_by_{sums}"].items():
            numbers = (str(one[key]) for key in ("receipts", "fresh", "reused"))
            costs = (_cost(money[f"by_{sums}"].get(name)),) if money else ()
            rows.append((shown(name, reveal=reveal), *numbers, *costs))
        write_table(rows, right=(1, 2, 3))
        write_line()
    if money:
        write_line(f"by your prices: {_cost(money)}")


def _cost(cost: Mapping[str, Any] | None) -> str:
    """What it cost at the least, and how many receipts bear no price."""
    if cost is None:
        return "-"
    amounts = [f"{amount} {name}" for name, amount in cost["cost"].items()]
    if cost["unpriced"]:
        amounts.append(f"{cost['unpriced']} unpriced")
    return " + ".join(amounts) or "0"
