"""The document `inspector.pnl/1`: a session's profit and loss, every amount a decimal string.

`ledger` and `pnl` are the runtime's own two views, field by field; `realised` and `units` are ours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inspector.config.settings import Asset
from inspector.derive.money import all_digits, in_units
from inspector.model.clock import rfc3339
from inspector.query.pnl import (
    SUMS,
    AssetSums,
    Net,
    Outcome,
    PnlWarning,
    Realised,
    Session,
    SessionRun,
    StepSums,
    Unaccounted,
    warning_sentence,
)
from inspector.text.numbers import amount

Document = dict[str, object]


def session_document(session: Session, assets: Mapping[str, Asset]) -> Document:
    """Return the content of the document; `assets` are those of the settings."""
    return {
        "ledger": _ledger(session),
        "pnl": _pnl(session),
        "realised": _realised(session),
        "unreadable": [
            {"run_id": one.run_id, "part": one.part, "reason": one.reason}
            for one in session.unreadable
        ],
        "units": _units(session, assets),
    }


def _ledger(session: Session) -> Document:
    ledger = session.ledger
    runs: Document = {"total": ledger.total, "success": ledger.success, "failed": ledger.failed}
    if ledger.total:
        runs["latestRunAt"] = ledger.latest_at
    return {
        "spellId": session.name,
        "runs": runs,
        "triggers": ledger.triggers,
        "receipts": ledger.receipts,
        "events": ledger.events,
    }


def _pnl(session: Session) -> Document:
    return {
        "spellId": session.name,
        "runCount": session.ledger.total,
        "deltaCount": session.moves,
        "assets": _assets(session.assets),
        "totalNet": all_digits(session.total_net),
        "totalUnaccounted": all_digits(session.total_unaccounted),
        "accountingPassed": session.total_unaccounted == 0,
    }


def _realised(session: Session) -> Document:
    realised: Realised = session.realised
    return {
        "assets": [
            {**_sums(one), "double_booked": all_digits(one.double_booked)}
            for one in realised.assets
        ],
        "gas": {
            "gas_used": all_digits(realised.gas_used),
            "transactions": realised.transactions,
        },
        "outcomes": {
            one.outcome.value: {"runs": one.runs, "assets": _assets(one.assets)}
            for one in realised.outcomes
        },
        "pending": [one.record for one in realised.pending],
        "runs": [_run(one) for one in realised.runs],
        "steps": [_step(one) for one in realised.steps],
        "unaccounted": [_unaccounted(one) for one in realised.unaccounted],
        "warnings": [_warning(one, session.ledger.total) for one in realised.warnings],
    }


def _run(run: SessionRun) -> Document:
    return {
        "run_id": run.run_id,
        "at": rfc3339(run.at),
        "success": run.success,
        "mode": run.mode,
        "moves": run.moves,
        "net": _net(run.net),
        "realised": _net(run.realised),
        "outcomes": [outcome.value for outcome in run.outcomes],
        "by_outcome": _by_outcome(run.by_outcome),
        "assets": _assets(run.assets),
        "gas_used": all_digits(run.gas_used),
        "transactions": run.transactions,
        "realised_so_far": _net(run.realised_so_far),
    }


def _step(step: StepSums) -> Document:
    return {
        "step_id": step.step_id,
        "runs": step.runs,
        "assets": _assets(step.assets),
        "outcomes": {outcome.value: runs for outcome, runs in step.outcomes.items()},
        "by_outcome": _by_outcome(step.by_outcome),
    }


def _unaccounted(one: Unaccounted) -> Document:
    return {
        **_named(one.asset),
        "why": one.why,
        "message": one.message,
        "reason": one.reason,
        "moves": one.moves,
        "amount": all_digits(one.amount),
    }


def _warning(warning: PnlWarning, total: int) -> Document:
    if warning.amount is None:
        message = warning_sentence(warning, total, None, "")
        return {"code": warning.code, "message": message, "runs": warning.runs}
    moved = f"{amount(all_digits(warning.amount))} {warning.name}"
    return {
        "code": warning.code,
        "message": warning_sentence(warning, total, str(warning.step_id), moved),
        "step_id": warning.step_id,
        **_named(warning.asset),
        "runs": warning.runs,
        "amount": all_digits(warning.amount),
    }


def _named(asset: str | None) -> Document:
    """Return an asset as a field; moves that name no asset have no such field."""
    return {} if asset is None else {"asset": asset}


def _sums(one: AssetSums) -> Document:
    return {**_named(one.asset), **{name: all_digits(getattr(one, name)) for name in SUMS}}


def _assets(assets: Sequence[AssetSums]) -> list[Document]:
    return [_sums(one) for one in assets]


def _net(net: Net) -> dict[str, str]:
    return {asset: all_digits(number) for asset, number in net.items()}


def _by_outcome(by_outcome: Mapping[Outcome, Net]) -> Document:
    return {outcome.value: _net(net) for outcome, net in by_outcome.items()}


def _units(session: Session, assets: Mapping[str, Asset]) -> Document:
    """Return the sums of the assets that the settings know, with a decimal point."""
    return {
        name: {
            "decimals": known.decimals,
            "symbol": known.symbol,
            "pnl": _in_units(session.assets, name, known),
            "realised": _in_units(session.realised.assets, name, known),
            "outcomes": {
                one.outcome.value: _in_units(one.assets, name, known)
                for one in session.realised.outcomes
                if any(sums.asset == name for sums in one.assets)
            },
        }
        for name, known in assets.items()
        if any(sums.asset == name for sums in session.assets)
    }


def _in_units(listed: Sequence[AssetSums], name: str, known: Asset) -> Document | None:
    found = next((one for one in listed if one.asset == name), None)
    if found is None:
        return None
    return {one: in_units(getattr(found, one), known.decimals) for one in SUMS}
