"""A session's profit and loss as the screen draws it: assets with gas, runs oldest first."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from inspector.query.pnl import AssetSums, Outcome, PnlWarning, Session, SessionRun, StepSums

GAS = "gas"


@dataclass(frozen=True, slots=True)
class AssetRow:
    """One asset: as the session counts it, and what was realised. Amounts in base units."""

    name: str
    """As recorded. Untrusted."""
    sums: AssetSums | None
    """None for gas, which the session does not count."""
    realised: int | None
    """Net of confirmed moves; None if there are none."""
    realised_runs: int
    outcomes: tuple[tuple[Outcome, int], ...] = ()
    """Outcome and net."""
    is_gas: bool = False


class Measure(Enum):
    """What the chart shows of each run."""

    COUNTED = "as counted by the session"
    REALISED = "confirmed on chain"
    SO_FAR = "confirmed on chain, cumulative"


@dataclass(frozen=True, slots=True)
class RunBar:
    """One run of the session."""

    number: int
    """From 1, the oldest."""
    run: SessionRun

    def amount(self, asset: AssetRow) -> int | None:
        """Return the run's net of an asset; None if no amount is recorded."""
        if asset.is_gas:
            return -self.run.gas_used if self.run.transactions else None
        return self.run.net.get(asset.name)

    def measured(self, asset: AssetRow, measure: Measure) -> int | None:
        """Return the amount that a chart shows; None if there is none."""
        if measure is Measure.COUNTED or asset.is_gas:
            return self.amount(asset)
        net = self.run.realised if measure is Measure.REALISED else self.run.realised_so_far
        return net.get(asset.name)


@dataclass(frozen=True, slots=True)
class PnlModel:
    """Everything that the screen shows of a session."""

    session: Session
    assets: tuple[AssetRow, ...]
    runs: tuple[RunBar, ...]

    @property
    def warnings(self) -> tuple[PnlWarning, ...]:
        """Reasons why the sums may mislead."""
        return self.session.realised.warnings

    def asset(self, name: str) -> AssetRow:
        """Return an asset by name, an empty one if no run moved it."""
        known = next((one for one in self.assets if one.name == name and not one.is_gas), None)
        return known or AssetRow(name, None, None, 0)

    def steps_of(self, asset: AssetRow) -> list[StepSums]:
        """Return the steps that moved an asset."""
        return [
            step
            for step in self.session.realised.steps
            if step.sums_of(asset.name) is not None
            or any(asset.name in net for net in step.by_outcome.values())
        ]


def pnl_model(session: Session) -> PnlModel:
    """Return the model of a session."""
    runs = tuple(
        RunBar(number, run) for number, run in enumerate(reversed(session.realised.runs), 1)
    )
    return PnlModel(session, _asset_rows(session), runs)


def _asset_rows(session: Session) -> tuple[AssetRow, ...]:
    realised, runs = session.realised, session.realised.runs
    confirmed = {one.name: one.net for one in realised.assets}
    rows = [
        AssetRow(
            one.name,
            one,
            confirmed.get(one.name),
            sum(one.name in run.realised for run in runs),
            tuple(
                (of_outcome.outcome, sums.net)
                for of_outcome in realised.outcomes
                for sums in of_outcome.assets
                if sums.name == one.name
            ),
        )
        for one in session.assets
    ]
    if realised.transactions:
        with_gas = sum(bool(run.transactions) for run in runs)
        rows.append(AssetRow(GAS, None, -realised.gas_used, with_gas, is_gas=True))
    return tuple(rows)
