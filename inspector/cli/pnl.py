"""`inspector pnl SPELL`: Grimoire's session ledger and P&L, and what of it was realised."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from inspector.cli.errors import FINE, NOT_FOUND, UNREADABLE, UserError
from inspector.cli.output import shown, write_json, write_line, write_table
from inspector.cli.workspace import workspace
from inspector.query.grimoire.session import Progress, Session
from inspector.query.grimoire.session_document import session_document
from inspector.query.grimoire.store_reader import GrimoireStore
from inspector.query.workspace import Workspace
from inspector.store.read import StoreUnavailable
from inspector.text.numbers import amount

_SUMS = ("credits", "debits", "fees", "losses", "net", "unaccounted")
_HEAD = ("ASSET", *(name.upper() for name in _SUMS))
_SLOW_RUNS = 20


def run(options: argparse.Namespace) -> int:
    """Adds up a spell's newest runs; a limit of 0 or less is no limit."""
    with workspace(options.paths) as found:
        store, spell = _chosen(found, options.spell)
        try:
            session = store.session(spell, options.limit, _progress())
        except StoreUnavailable as trouble:
            message = f"{store.path} cannot be read now: {trouble.reason}."
            raise UserError(message, UNREADABLE) from None
    if options.json:
        write_json("pnl", session_document(session), reveal=options.reveal)
    else:
        _print(session, options.reveal)
    return FINE


def _chosen(found: Workspace, text: str) -> tuple[GrimoireStore, str]:
    """The store and the spell that are meant: a key, a spell, or all that begins or ends so."""
    listed = [(store, spell) for store in _stores(found) for spell in store.spells()]
    by_key = [pair for pair in listed if f"grimoire:{pair[0].path}#{pair[1]}" == text]
    for matching in (
        by_key,
        [pair for pair in listed if pair[1] == text],
        [pair for pair in listed if text and pair[1].startswith(text)],
        [pair for pair in listed if text and pair[1].endswith(text)],
    ):
        if len(matching) == 1:
            return matching[0]
        if matching:
            shown_ = "".join(
                f"\n  grimoire:{shown(store.path)}#{shown(spell)}" for store, spell in matching[:10]
            )
            raise UserError(f"{text!r} could be any of {len(matching)} spells:{shown_}", NOT_FOUND)
    raise UserError(
        f"No spell matches {text!r}; `inspector runs --runtime grimoire` lists what ran.", NOT_FOUND
    )


def _stores(found: Workspace) -> Iterator[GrimoireStore]:
    for candidate in found.candidates():
        reader = found.reader(candidate)
        if isinstance(reader, GrimoireStore):
            yield reader


def _progress() -> Progress:
    """A line on a terminal that says how far the reading is; it is cleared when that is done."""
    if not sys.stderr.isatty():
        return lambda done, of: None

    def tell(done: int, of: int) -> None:
        if of >= _SLOW_RUNS:
            line = "" if done == of else f"reading run {done + 1} of {of}"
            print(f"\r{line:<40}\r", end="", file=sys.stderr, flush=True)

    return tell


def _print(session: Session, reveal: bool) -> None:
    content = session_document(session)
    ledger, pnl, realised = content["ledger"], content["pnl"], content["realised"]
    runs = ledger["runs"]
    write_line(
        f"{shown(session.spell)}   {runs['total']} runs, {runs['success']} ok,"
        f" {runs['failed']} failed   amounts in base units of each asset"
    )
    for name in ("triggers", "receipts", "events"):
        counted = ", ".join(f"{shown(key)} {count}" for key, count in ledger[name].items())
        write_line(f"{name}: {counted or 'none'}")
    for warning in realised["warnings"]:
        write_line(f"^ {shown(warning['message'], reveal=reveal)}")
    _print_assets("\nSession P&L, as Grimoire counts it", pnl["assets"])
    write_line(f"total net {pnl['totalNet']}, unaccounted {pnl['totalUnaccounted']}")
    for outcome, one in realised["outcomes"].items():
        in_runs = "1 run" if one["runs"] == 1 else f"{one['runs']} runs"
        _print_assets(f"\n{outcome.replace('_', ' ')}, {in_runs}", one["assets"])
    gas = realised["gas"]
    write_line(f"\ngas {gas['gas_used']} units in {gas['transactions']} confirmed transactions")
    for one in realised["pending"]:
        moved = f"{one.get('submittedAmount')} {one.get('asset')}"
        write_line(f"{shown(str(one.get('status')))}: {shown(moved)} in run {shown(one['runId'])}")
    for one in realised["unaccounted"]:
        moved = f"{one['amount']} {one.get('asset', 'undefined')}"
        write_line(f"unaccounted: {shown(moved)}, {one['message']} ({shown(one['reason'])})")
    for one in content["unreadable"]:
        write_line(f"left out: {shown(one['run_id'])}, {one['part']}: {shown(one['reason'])}")


def _print_assets(title: str, assets: Sequence[Mapping[str, Any]]) -> None:
    write_line(title)
    rows = [
        (shown(str(one.get("asset", "undefined"))), *(amount(one[name]) for name in _SUMS))
        for one in assets
    ]
    if rows:
        write_table([_HEAD, *rows], right=range(1, len(_HEAD)))
    else:
        write_line("nothing moved")
