"""`inspector pnl SPELL`: Grimoire's session ledger and P&L, and what of it was realised."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from inspector.cli.errors import FINE, NOT_FOUND, UNREADABLE, UserError
from inspector.cli.output import shown, write_json
from inspector.cli.pnl_text import print_session
from inspector.cli.workspace import workspace
from inspector.config.settings import load_settings
from inspector.query.grimoire.session_document import session_document
from inspector.query.grimoire.store_reader import GrimoireStore
from inspector.query.grimoire.units import units
from inspector.query.progress import Progress, no_progress
from inspector.query.workspace import Workspace
from inspector.store.read import StoreUnavailable
from inspector.text.numbers import size

_SLOW_BYTES = 4 << 20
"""From so much text on it is said how far the reading is."""
_STEPS = 200
"""Tellings at most: each writes a line over the one before."""


def run(options: argparse.Namespace) -> int:
    """Adds up a spell's newest runs; a limit of 0 or less is no limit."""
    with workspace(options.paths) as found:
        store, spell = _chosen(found, options.spell)
        try:
            session = store.session(spell, options.limit, _progress())
        except StoreUnavailable as trouble:
            message = f"{store.path} cannot be read now: {trouble.reason}."
            raise UserError(message, UNREADABLE) from None
    settings, problems = load_settings(None)
    for problem in problems:
        print(f"inspector: {shown(problem)}", file=sys.stderr)
    content = session_document(session)
    content["units"] = units(content, settings.assets)
    if options.json:
        write_json("pnl", content, reveal=options.reveal)
    else:
        print_session(content, settings.assets, reveal=options.reveal)
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
        return no_progress
    last = -1

    def tell(done: int, of: int) -> None:
        nonlocal last
        step = done * _STEPS // of
        if of >= _SLOW_BYTES and step != last:
            last = step
            line = "" if done == of else f"reading, {size(done)} of {size(of)}; ctrl+c stops it"
            print(f"\r{line:<60}\r", end="", file=sys.stderr, flush=True)

    return tell
