"""A session's money as the screen draws it: numbers of any size, runs oldest first.

Source: `inspector.pnl/1`. Amounts are whole base units; they are never rounded here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
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


class Measure(Enum):
    """What is shown of each run."""

    COUNTED = "as the session ledger counts it"
    REALISED = "what a chain confirmed"
    SO_FAR = "what a chain confirmed, summed up"


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
    so_far: Mapping[str, int] = field(default_factory=dict)
    """What was realised of each asset up to this run, from the oldest on."""
    outcomes: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Outcome, in words → net by asset, each move once."""
    sums: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Asset → by SUMS, as the session counts it."""

    def amount(self, asset: AssetLine) -> int | None:
        """What it adds to an asset; None where no amount is recorded."""
        if asset.is_gas:
            return -self.gas if self.transactions else None
        return self.net.get(asset.name)

    def measured(self, asset: AssetLine, measure: Measure) -> int | None:
        """What a chart shows of it; None where there is nothing to show."""
        if measure is Measure.COUNTED or asset.is_gas:
            return self.amount(asset)
        if measure is Measure.REALISED:
            return self.realised.get(asset.name)
        return self.so_far.get(asset.name)


@dataclass(frozen=True, slots=True)
class StepLine:
    """One step's part, over all runs."""

    name: str | None
    """Untrusted; None for moves that name no step."""
    runs: int
    sums: Mapping[str, Mapping[str, int]]
    """Asset → by SUMS, as the session counts it."""
    outcomes: Mapping[str, Mapping[str, int]]
    """Outcome, in words → net by asset, each move once."""


@dataclass(frozen=True, slots=True)
class Warned:
    """A way in which the numbers mislead: a sentence around an amount, if it has one."""

    code: str
    step: str | None
    message: str
    """The whole sentence, with the amount in base units."""
    asset: str | None = None
    amount: int | None = None


@dataclass(frozen=True, slots=True)
class Pending:
    """A handoff of which no arrival is recorded."""

    status: str
    asset: str
    amount: str
    """Base units as they are recorded, which may be no number."""
    run_id: str


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
    steps: tuple[StepLine, ...]
    warnings: tuple[Warned, ...]
    unaccounted: tuple[Unaccounted, ...]
    pending: tuple[Pending, ...]
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
        steps=tuple(_step(one) for one in realised["steps"]),
        warnings=tuple(_warned(one) for one in realised["warnings"]),
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
            _numbers(one.get("realised_so_far", {})),
            _by_outcome(one.get("by_outcome", {})),
            _by_asset(one.get("assets", ())),
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


def _step(one: Mapping[str, Any]) -> StepLine:
    return StepLine(
        None if one["step_id"] is None else str(one["step_id"]),
        one["runs"],
        _by_asset(one["assets"]),
        _by_outcome(one["by_outcome"]),
    )


def _by_asset(assets: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    return {_name(asset): {sum_: whole(asset[sum_]) for sum_ in SUMS} for asset in assets}


def _by_outcome(by_outcome: Mapping[str, Any]) -> dict[str, dict[str, int]]:
    return {word.replace("_", " "): _numbers(net) for word, net in by_outcome.items()}


def _warned(one: Mapping[str, Any]) -> Warned:
    if "amount" not in one:
        return Warned(one["code"], one.get("step_id"), one["message"])
    number = whole(one["amount"])
    return Warned(one["code"], one["step_id"], one["message"], _name(one), number)


def _pending(one: Mapping[str, Any]) -> Pending:
    return Pending(
        str(one.get("status")),
        str(one.get("asset")),
        str(one.get("submittedAmount")),
        str(one["runId"]),
    )
