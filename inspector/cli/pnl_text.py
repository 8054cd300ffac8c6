"""A spell's session as plain text: tables of amounts, by asset, by outcome, by step and by run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from inspector.cli.output import shown, write_line, write_table
from inspector.config.settings import Asset
from inspector.query.grimoire.session_document import warning_words
from inspector.text.numbers import NOT_RECORDED, amount

_SUMS = ("credits", "debits", "fees", "losses", "net", "unaccounted")
_HEAD = ("ASSET", *(name.upper() for name in _SUMS))
Document = Mapping[str, Any]


class _Figures:
    """Amounts as they are written: with a point only where the settings say where it stands."""

    def __init__(self, assets: Mapping[str, Asset]) -> None:
        self._assets = assets

    def name(self, asset: Any) -> str:
        """What an asset is called. Safe text."""
        known = self._assets.get(str(asset))
        return shown(known.symbol if known is not None and known.symbol else str(asset))

    def amount(self, asset: Any, base_units: Any, *, sign: bool = False) -> str:
        """An amount with every digit."""
        if base_units is None:
            return NOT_RECORDED
        known = self._assets.get(str(asset))
        return amount(base_units, decimals=None if known is None else known.decimals, sign=sign)

    def money(self, asset: Any, base_units: Any) -> str:
        """An amount and what it is of."""
        number = str(base_units)
        return f"{shown(self.amount(asset, number))} {self.name(asset)}"

    def warning(self, one: Document) -> str:
        """A warning, its amount in the units of everything else."""
        if "amount" not in one:
            return str(one["message"])
        asset = one.get("asset", "undefined")
        number = self.amount(asset, one["amount"])
        return warning_words(one["code"], one["step_id"], f"{number} {self.name(asset)}")

    def told(self, content: Document) -> str:
        """In which units the amounts are."""
        used = [
            f"{self.name(name)} {known['decimals']}" for name, known in content["units"].items()
        ]
        if not used:
            return "amounts in base units of each asset"
        return f"decimals as your settings say ({', '.join(used)}), else base units"


def print_session(content: Document, assets: Mapping[str, Asset], *, reveal: bool) -> None:
    """Prints the content of `inspector.pnl/1`."""
    figures = _Figures(assets)
    _print_head(content, figures, reveal)
    pnl, realised = content["pnl"], content["realised"]
    _print_assets("\nSession P&L, as Grimoire counts it", pnl["assets"], figures)
    write_line(f"total net {pnl['totalNet']}, unaccounted {pnl['totalUnaccounted']}, in base units")
    for outcome, one in realised["outcomes"].items():
        in_runs = "1 run" if one["runs"] == 1 else f"{one['runs']} runs"
        _print_assets(f"\n{_words(outcome)}, {in_runs}", one["assets"], figures)
    _print_by("step", _steps(realised["steps"], figures))
    _print_by("run", _runs(realised["runs"], figures))
    _print_foot(content, figures)


def _print_head(content: Document, figures: _Figures, reveal: bool) -> None:
    ledger = content["ledger"]
    runs = ledger["runs"]
    write_line(
        f"{shown(ledger['spellId'])}   {runs['total']} runs, {runs['success']} ok,"
        f" {runs['failed']} failed   {figures.told(content)}"
    )
    for name in ("triggers", "receipts", "events"):
        counted = ", ".join(f"{shown(key)} {count}" for key, count in ledger[name].items())
        write_line(f"{name}: {counted or 'none'}")
    for warning in content["realised"]["warnings"]:
        write_line(f"^ {shown(figures.warning(warning), reveal=reveal)}")


def _print_assets(title: str, assets: Sequence[Document], figures: _Figures) -> None:
    write_line(title)
    rows = []
    for one in assets:
        asset = one.get("asset", "undefined")
        rows.append((figures.name(asset), *(figures.amount(asset, one[name]) for name in _SUMS)))
    if rows:
        write_table([_HEAD, *rows], right=range(1, len(_HEAD)))
    else:
        write_line("nothing moved")


_BY = ("ASSET", "NET", "REALISED", "FEES", "LOSSES", "BECAME")


def _print_by(what: str, rows: Iterator[Sequence[str]]) -> None:
    """A line for each step or run and asset: as Grimoire counts it, and what became of it."""
    listed = list(rows)
    if listed:
        write_line(f"\nby {what}")
        write_table([(what.upper(), *_BY), *listed], right=range(2, 6))


def _steps(steps: Sequence[Document], figures: _Figures) -> Iterator[Sequence[str]]:
    for step in steps:
        name = step["step_id"]
        counted = ", ".join(f"{_words(one)} {count}" for one, count in step["outcomes"].items())
        title = "(no step is named)" if name is None else shown(str(name))
        yield from _lines(
            title, step["assets"], step["by_outcome"].get("realised"), counted, figures
        )


def _runs(runs: Sequence[Document], figures: _Figures) -> Iterator[Sequence[str]]:
    for run in runs:
        became = ", ".join(map(_words, run["outcomes"])) or "nothing moved"
        mode = "" if run["mode"] is None else f" ({shown(str(run['mode']))})"
        yield from _lines(
            shown(str(run["run_id"])), run["assets"], run["realised"], became + mode, figures
        )


def _lines(
    title: str,
    assets: Sequence[Document],
    realised: Mapping[str, Any] | None,
    became: str,
    figures: _Figures,
) -> Iterator[Sequence[str]]:
    if not assets:
        yield (title, "", "", "", "", "", became)
    for number, one in enumerate(assets):
        asset = one.get("asset", "undefined")
        real = (realised or {}).get(str(asset))
        yield (
            "" if number else title,
            figures.name(asset),
            figures.amount(asset, one["net"], sign=True),
            figures.amount(asset, real, sign=True),
            figures.amount(asset, one["fees"]),
            figures.amount(asset, one["losses"]),
            "" if number else became,
        )


def _words(outcome: str) -> str:
    return outcome.replace("_", " ")


def _print_foot(content: Document, figures: _Figures) -> None:
    realised = content["realised"]
    gas = realised["gas"]
    used = amount(int(Decimal(gas["gas_used"])))
    write_line(f"\ngas {used} units in {gas['transactions']} confirmed transactions")
    for one in realised["pending"]:
        moved = figures.money(one.get("asset"), one.get("submittedAmount"))
        write_line(
            f"{shown(str(one.get('status')))}, not realised: {moved} in run {shown(one['runId'])}"
        )
    for one in realised["unaccounted"]:
        moved = figures.money(one.get("asset", "undefined"), one["amount"])
        write_line(f"unaccounted: {moved}, {one['message']} ({shown(one['reason'])})")
    for one in content["unreadable"]:
        write_line(f"left out: {shown(one['run_id'])}, {one['part']}: {shown(one['reason'])}")
