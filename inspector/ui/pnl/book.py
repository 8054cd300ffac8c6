"""A session's money as the screen draws it: numbers of any size, runs oldest first.

Source: `inspector.pnl/1`. Amounts are whole base units; they are never rounded here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from inspector.text.parse_time import parse_instant

SUMS = ("credits", "debits", "fees", "losses", "net", "unaccounted")
"""What Grimoire adds up for each asset, in its order."""


@dataclass(frozen=True, slots=True)
class OutcomeLine:
    """What became of an asset: the outcome's word and its net."""

    word: str
    net: int


@dataclass(frozen=True, slots=True)
class AssetLine:
    """One asset in both halves."""

    name: str
    """As it is recorded, `undefined` where a move names none. Untrusted."""
    sums: Mapping[str, int] | None
    """By SUMS; None for gas, which Grimoire does not count."""
    realised: int | None
    """Net of what a chain confirmed; None = nothing of it was."""
    realised_runs: int
    outcomes: tuple[OutcomeLine, ...] = ()
    is_gas: bool = False


@dataclass(frozen=True, slots=True)
class RunLine:
    """One run's part."""

    number: int
    """From 1, the oldest."""
    run_id: str
    at: int | None
    """UTC ms."""
    success: bool
    mode: str | None
    moves: int
    net: Mapping[str, int]
    """By asset, as the session counts it."""
    realised: Mapping[str, int]
    gas: int
    transactions: int

    def amount(self, asset: AssetLine) -> int | None:
        """What it adds to an asset; None where no amount is recorded."""
        if asset.is_gas:
            return -self.gas if self.transactions else None
        return self.net.get(asset.name)


@dataclass(frozen=True, slots=True)
class Unaccounted:
    """A reason why part of an asset is not explained."""

    asset: str
    message: str
    reason: str
    moves: int
    amount: int


@dataclass(frozen=True, slots=True)
class Book:
    """Everything that the screen says."""

    spell: str
    total: int
    success: int
    assets: tuple[AssetLine, ...]
    runs: tuple[RunLine, ...]
    transactions: int
    warnings: tuple[str, ...]
    unaccounted: tuple[Unaccounted, ...]
    pending: tuple[str, ...]
    counts: tuple[tuple[str, Mapping[str, int]], ...]
    """Triggers, receipts and events."""
    left_out: tuple[str, ...]

    @property
    def failed(self) -> int:
        """Runs that did not succeed."""
        return self.total - self.success


def whole(text: Any) -> int:
    """A whole number from its decimal text, however long."""
    # Decimal, because Python refuses to read an int of more than 4,300 digits.
    return int(Decimal(text))


def book_of(document: Mapping[str, Any]) -> Book:
    """Reads the content of `inspector.pnl/1`."""
    ledger, realised = document["ledger"], document["realised"]
    runs = _runs(realised["runs"])
    return Book(
        spell=ledger["spellId"],
        total=ledger["runs"]["total"],
        success=ledger["runs"]["success"],
        assets=_assets(document["pnl"]["assets"], realised, runs),
        runs=runs,
        transactions=realised["gas"]["transactions"],
        warnings=tuple(one["message"] for one in realised["warnings"]),
        unaccounted=tuple(_unaccounted(one) for one in realised["unaccounted"]),
        pending=tuple(_pending(one) for one in realised["pending"]),
        counts=tuple((name, ledger[name]) for name in ("triggers", "receipts", "events")),
        left_out=tuple(
            f"{one['run_id']}, {one['part']}: {one['reason']}" for one in document["unreadable"]
        ),
    )


def _name(one: Mapping[str, Any]) -> str:
    return str(one.get("asset", "undefined"))


def _numbers(net: Mapping[str, Any]) -> dict[str, int]:
    return {asset: whole(number) for asset, number in net.items()}


def _runs(newest_first: Sequence[Mapping[str, Any]]) -> tuple[RunLine, ...]:
    return tuple(
        RunLine(
            number,
            one["run_id"],
            parse_instant(one["at"]),
            one["success"],
            None if one["mode"] is None else str(one["mode"]),
            one["moves"],
            _numbers(one["net"]),
            _numbers(one["realised"]),
            whole(one["gas_used"]),
            one["transactions"],
        )
        for number, one in enumerate(reversed(newest_first), 1)
    )


def _assets(
    booked: Sequence[Mapping[str, Any]], realised: Mapping[str, Any], runs: Sequence[RunLine]
) -> tuple[AssetLine, ...]:
    real = {_name(one): whole(one["net"]) for one in realised["assets"]}
    lines = [
        AssetLine(
            _name(one),
            {column: whole(one[column]) for column in SUMS},
            real.get(_name(one)),
            sum(_name(one) in run.realised for run in runs),
            tuple(_outcomes(_name(one), realised["outcomes"])),
        )
        for one in booked
    ]
    if realised["gas"]["transactions"]:
        used = whole(realised["gas"]["gas_used"])
        with_gas = sum(bool(run.transactions) for run in runs)
        lines.append(AssetLine("gas", None, -used, with_gas, is_gas=True))
    return tuple(lines)


def _outcomes(asset: str, outcomes: Mapping[str, Any]) -> list[OutcomeLine]:
    return [
        OutcomeLine(word.replace("_", " "), whole(one["net"]))
        for word, outcome in outcomes.items()
        for one in outcome["assets"]
        if _name(one) == asset
    ]


def _unaccounted(one: Mapping[str, Any]) -> Unaccounted:
    return Unaccounted(
        _name(one), one["message"], str(one["reason"]), one["moves"], whole(one["amount"])
    )


def _pending(one: Mapping[str, Any]) -> str:
    return f"{one.get('status')}: {one.get('submittedAmount')} {one.get('asset')} in {one['runId']}"
