"""`inspector pnl SPELL`: a session's profit and loss, and which part of it was realised."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence

from inspector.cli.errors import FINE, NOT_FOUND, UNREADABLE, UserError
from inspector.cli.output import shown, write_json, write_line, write_table
from inspector.cli.workspace import workspace
from inspector.config.settings import Asset, load_settings
from inspector.derive.money import all_digits
from inspector.export.pnl import session_document
from inspector.query.pnl import (
    SUMS,
    AssetSums,
    Net,
    Outcome,
    PnlWarning,
    Session,
    SessionRun,
    StepSums,
    warning_sentence,
)
from inspector.query.progress import Progress, no_progress
from inspector.query.registry import presentation_of
from inspector.query.selection import Ambiguous, NoMatch, select_session
from inspector.store.read import StoreUnavailable
from inspector.text.numbers import NOT_RECORDED, amount, size

_SLOW_BYTES = 4 << 20
"""Progress is shown for more bytes than this."""
_PROGRESS_STEPS = 200
"""Maximum updates of the progress line."""
_HEAD = ("ASSET", *(name.upper() for name in SUMS))
_BREAKDOWN = ("ASSET", "NET", "REALISED", "FEES", "LOSSES", "OUTCOMES")


def run(options: argparse.Namespace) -> int:
    """Print the profit and loss of a spell's newest runs; a limit of 0 or less is no limit."""
    session, runtime = _read(options)
    settings, problems = load_settings(None)
    for problem in problems:
        print(f"inspector: {shown(problem)}", file=sys.stderr)
    if options.json:
        write_json("pnl", session_document(session, settings.assets), reveal=options.reveal)
    else:
        title = presentation_of(runtime).title
        _SessionText(session, title, settings.assets, reveal=options.reveal).write()
    return FINE


def _read(options: argparse.Namespace) -> tuple[Session, str]:
    """Return the session that the options name, and its runtime."""
    with workspace(options.paths) as found:
        try:
            owner = select_session(found, options.spell)
        except (NoMatch, Ambiguous) as error:
            raise UserError(str(error), NOT_FOUND) from None
        try:
            session = owner.reader.session(owner.name, options.limit, _progress())
        except StoreUnavailable as trouble:
            message = f"{owner.reader.path} cannot be read now: {trouble.reason}."
            raise UserError(message, UNREADABLE) from None
    assert session is not None
    return session, owner.runtime


def _progress() -> Progress:
    """Return a callback that keeps a line of progress on a terminal and clears it at the end."""
    if not sys.stderr.isatty():
        return no_progress
    last = -1

    def show(done: int, total: int) -> None:
        nonlocal last
        step = done * _PROGRESS_STEPS // total
        if total >= _SLOW_BYTES and step != last:
            last = step
            line = "" if done == total else f"Reading {size(done)} of {size(total)}… Ctrl+C cancel"
            print(f"\r{line:<60}\r", end="", file=sys.stderr, flush=True)

    return show


class _SessionText:
    """Writes a session as tables: by asset, by outcome, by step and by run.

    Amounts have a decimal point only for assets whose decimals are in the settings.
    """

    def __init__(
        self, session: Session, runtime: str, assets: Mapping[str, Asset], *, reveal: bool
    ) -> None:
        self._session = session
        self._runtime = runtime
        self._assets = assets
        self._reveal = reveal

    def write(self) -> None:
        """Write all of it to standard output."""
        session = self._session
        self._write_head()
        self._write_assets(f"\nSession P&L, as {self._runtime} counts it", session.assets)
        net, unaccounted = session.total_net, session.total_unaccounted
        write_line(
            f"total net {all_digits(net)}, unaccounted {all_digits(unaccounted)}, in base units"
        )
        for one in session.realised.outcomes:
            in_runs = "1 run" if one.runs == 1 else f"{one.runs} runs"
            self._write_assets(f"\n{one.outcome.words}, {in_runs}", one.assets)
        self._write_breakdown("step", self._step_rows())
        self._write_breakdown("run", self._run_rows())
        self._write_foot()

    def _write_head(self) -> None:
        ledger = self._session.ledger
        write_line(
            f"{shown(self._session.name)}   {ledger.total} runs, {ledger.success} ok,"
            f" {ledger.failed} failed   {self._units_words()}"
        )
        for name, counts in (
            ("triggers", ledger.triggers),
            ("receipts", ledger.receipts),
            ("events", ledger.events),
        ):
            listed = ", ".join(f"{shown(key)} {number}" for key, number in counts.items())
            write_line(f"{name}: {listed or 'none'}")
        for warning in self._session.realised.warnings:
            write_line(f"^ {shown(self._warning(warning), reveal=self._reveal)}")

    def _units_words(self) -> str:
        used = [
            f"{self._symbol(name)} {known.decimals}"
            for name, known in self._assets.items()
            if any(one.asset == name for one in self._session.assets)
        ]
        if not used:
            return "amounts in base units of each asset"
        return f"decimals from your settings ({', '.join(used)}), else base units"

    def _warning(self, warning: PnlWarning) -> str:
        moved = "" if warning.amount is None else self._money(warning.name, warning.amount)
        return warning_sentence(warning, self._session.ledger.total, str(warning.step_id), moved)

    def _write_assets(self, title: str, assets: Sequence[AssetSums]) -> None:
        write_line(title)
        rows = [
            (
                self._symbol(one.name),
                *(self._amount(one.name, getattr(one, column)) for column in SUMS),
            )
            for one in assets
        ]
        if rows:
            write_table([_HEAD, *rows], right=range(1, len(_HEAD)))
        else:
            write_line("no moves")

    def _write_breakdown(self, noun: str, rows: Iterator[Sequence[str]]) -> None:
        listed = list(rows)
        if listed:
            write_line(f"\nby {noun}")
            write_table([(noun.upper(), *_BREAKDOWN), *listed], right=range(2, 6))

    def _step_rows(self) -> Iterator[Sequence[str]]:
        for step in self._session.realised.steps:
            counts = ", ".join(f"{one.words} {number}" for one, number in step.outcomes.items())
            title = "(no step)" if step.step_id is None else shown(step.step_id)
            realised = step.by_outcome.get(Outcome.REALISED, {})
            yield from self._asset_rows(title, step, realised, counts)

    def _run_rows(self) -> Iterator[Sequence[str]]:
        for one in self._session.realised.runs:
            outcomes = ", ".join(outcome.words for outcome in one.outcomes) or "no moves"
            mode = "" if one.mode is None else f" ({shown(str(one.mode))})"
            yield from self._asset_rows(shown(one.run_id), one, one.realised, outcomes + mode)

    def _asset_rows(
        self, title: str, part: SessionRun | StepSums, realised: Net, outcomes: str
    ) -> Iterator[Sequence[str]]:
        """Yield a row for each asset; the title and the outcomes are in the first one."""
        if not part.assets:
            yield (title, "", "", "", "", "", outcomes)
        for number, one in enumerate(part.assets):
            yield (
                "" if number else title,
                self._symbol(one.name),
                self._amount(one.name, one.net, sign=True),
                self._amount(one.name, realised.get(one.name), sign=True),
                self._amount(one.name, one.fees),
                self._amount(one.name, one.losses),
                "" if number else outcomes,
            )

    def _write_foot(self) -> None:
        realised = self._session.realised
        write_line(
            f"\ngas {amount(realised.gas_used)} units in {realised.transactions} confirmed"
            " transactions"
        )
        for handoff in realised.pending:
            moved = self._recorded_money(str(handoff.asset), str(handoff.amount))
            write_line(
                f"{shown(str(handoff.status))}, not realised: {moved} in run"
                f" {shown(handoff.run_id)}"
            )
        for one in realised.unaccounted:
            moved = self._money(one.name, one.amount)
            write_line(f"unaccounted: {moved}, {one.message} ({shown(one.reason)})")
        for unread in self._session.unreadable:
            write_line(f"left out: {shown(unread.run_id)}, {unread.part}: {shown(unread.reason)}")

    def _symbol(self, asset: str) -> str:
        """Return what an asset is called. Safe text."""
        known = self._assets.get(asset)
        return shown(known.symbol if known is not None and known.symbol else asset)

    def _amount(self, asset: str, base_units: int | None, *, sign: bool = False) -> str:
        if base_units is None:
            return NOT_RECORDED
        known = self._assets.get(asset)
        return amount(base_units, decimals=None if known is None else known.decimals, sign=sign)

    def _money(self, asset: str, base_units: int) -> str:
        return f"{self._amount(asset, base_units)} {self._symbol(asset)}"

    def _recorded_money(self, asset: str, recorded: str) -> str:
        """Return an amount that may not be a number. Safe text."""
        known = self._assets.get(asset)
        number = amount(recorded, decimals=None if known is None else known.decimals)
        return f"{shown(number)} {self._symbol(asset)}"
