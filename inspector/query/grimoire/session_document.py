"""A session as JSON: Grimoire's own two views, field by field, and beside them what it lacks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from inspector.derive.money import Account, Accounts, all_digits
from inspector.model.clock import rfc3339
from inspector.query.grimoire.collation import key
from inspector.query.grimoire.js import UNDEFINED
from inspector.query.grimoire.lines import money
from inspector.query.grimoire.outcomes import Outcome
from inspector.query.grimoire.records import handoff_record
from inspector.query.grimoire.run_money import Asset, OddAsset, Why, asset_name
from inspector.query.grimoire.session import RunPart, Session, StepMoney
from inspector.text.parse_time import parse_instant

Document = dict[str, Any]


def session_document(session: Session) -> Document:
    """The content of `inspector.pnl/1`."""
    return {
        "ledger": ledger_view(session),
        "pnl": pnl_view(session),
        "realised": realised(session),
        "unreadable": [one._asdict() for one in session.unreadable],
    }


def ledger_view(session: Session) -> Document:
    """`getSessionLedgerView`: runs, triggers, receipts and events by count."""
    runs: Document = {
        "total": session.total,
        "success": session.success,
        "failed": session.total - session.success,
    }
    if session.total:
        runs["latestRunAt"] = session.latest_at
    return {
        "spellId": session.spell,
        "runs": runs,
        "triggers": dict(session.triggers),
        "receipts": dict(session.receipts),
        "events": dict(session.events),
    }


def pnl_view(session: Session) -> Document:
    """`getSessionPnlView`: sums per asset in base units, every number a decimal string."""
    return {
        "spellId": session.spell,
        "runCount": session.total,
        "deltaCount": session.deltas,
        "assets": assets(session.accounts),
        "totalNet": all_digits(session.accounts.net),
        "totalUnaccounted": all_digits(session.accounts.unaccounted),
        "accountingPassed": session.accounts.unaccounted == 0,
    }


def assets(accounts: Accounts) -> list[Document]:
    """Accounts in the runtime's order of assets."""
    return [{**named(asset), **numbers(account)} for asset, account in in_order(accounts)]


def in_order(accounts: Accounts) -> list[tuple[Asset, Account]]:
    """Accounts as the runtime lists them."""
    return sorted(accounts, key=lambda pair: key(asset_name(pair[0])))


def named(asset: Asset) -> Document:
    """An asset as a field; a move that names none has none."""
    if asset is UNDEFINED:
        return {}
    return {"asset": asset.json if isinstance(asset, OddAsset) else asset}


def numbers(account: Account) -> Document:
    """The sums of an account."""
    return {
        "credits": all_digits(account.credits),
        "debits": all_digits(account.debits),
        "fees": all_digits(account.fees),
        "losses": all_digits(account.losses),
        "net": all_digits(account.net),
        "unaccounted": all_digits(account.unaccounted),
    }


def nets(accounts: Accounts) -> dict[str, str]:
    """Net amounts by asset."""
    return {asset_name(asset): all_digits(account.net) for asset, account in in_order(accounts)}


def realised(session: Session) -> Document:
    """What chains confirmed, and what became of everything else that the session counts."""
    real = session.outcomes.get(Outcome.REALISED, Accounts())
    twice = [run.split.doubled for run in session.runs]
    return {
        "assets": [
            {
                **named(asset),
                **numbers(account),
                "double_booked": all_digits(sum(one.get(asset, 0) for one in twice)),
            }
            for asset, account in in_order(real)
        ],
        "gas": {
            "gas_used": all_digits(sum(run.split.gas for run in session.runs)),
            "transactions": sum(run.split.transactions for run in session.runs),
        },
        "outcomes": {
            outcome.value: {
                "runs": sum(outcome in run.split.by_outcome for run in session.runs),
                "assets": assets(accounts),
            }
            for outcome, accounts in _in_their_order(session.outcomes)
        },
        "pending": [handoff_record(one) for one in session.pending],
        "runs": _runs(session.runs),
        "steps": [_step(step_id, step) for step_id, step in session.steps.items()],
        "unaccounted": [_why(why, *sums) for why, sums in session.why.items()],
        "warnings": list(_warnings(session)),
    }


def _in_their_order(
    outcomes: Mapping[Outcome, Accounts],
) -> Iterable[tuple[Outcome, Accounts]]:
    return ((outcome, outcomes[outcome]) for outcome in Outcome if outcome in outcomes)


def _runs(newest_first: Sequence[RunPart]) -> list[Document]:
    """Each run, with what was realised of each asset up to it, from the oldest of them on."""
    documents, total = [], Accounts()
    for run in reversed(newest_first):
        total.add(run.split.by_outcome.get(Outcome.REALISED, Accounts()))
        documents.append({**_run(run), "realised_so_far": nets(total)})
    return documents[::-1]


def _run(run: RunPart) -> Document:
    return {
        "run_id": run.run_id,
        "at": rfc3339(parse_instant(run.timestamp)),
        "success": run.success,
        "mode": run.mode,
        "moves": run.deltas,
        "net": nets(run.booked),
        "realised": nets(run.split.by_outcome.get(Outcome.REALISED, Accounts())),
        "outcomes": [outcome.value for outcome in run.split.by_outcome],
        "by_outcome": _nets_by_outcome(run.split.by_outcome),
        "assets": assets(run.booked),
        "gas_used": all_digits(run.split.gas),
        "transactions": run.split.transactions,
    }


def _nets_by_outcome(by_outcome: Mapping[Outcome, Accounts]) -> Document:
    return {outcome.value: nets(accounts) for outcome, accounts in _in_their_order(by_outcome)}


def _step(step_id: str | None, step: StepMoney) -> Document:
    return {
        "step_id": step_id,
        "runs": step.runs,
        "assets": assets(step.booked),
        "outcomes": {outcome.value: count for outcome, count in step.outcomes.items()},
        "by_outcome": _nets_by_outcome(step.by_outcome),
    }


_WHY = {
    "not_positive": "the amount is not positive",
    "fee_elsewhere": "a fee that did not go to the fee address",
    "loss_elsewhere": "a loss that did not go to the loss address",
    "unknown_reason": "no rule knows the reason",
}


def _why(why: Why, moves: int, amount: int) -> Document:
    return {
        **named(why.asset),
        "why": why.why,
        "message": _WHY[why.why],
        "reason": why.reason,
        "moves": moves,
        "amount": all_digits(amount),
    }


def _warnings(session: Session) -> Iterable[Document]:
    unreal = sum(not _is_real(run) for run in session.runs if run.deltas)
    if unreal:
        yield {
            "code": "not_realised",
            "message": f"{unreal} of {session.total} runs that failed, were simulated or did not"
            " send everything are counted in the session P&L",
            "runs": unreal,
        }
    for warned, (runs, amount) in session.warnings.items():
        yield {
            "code": warned.code,
            "message": warning_words(
                warned.code, warned.step_id, money(all_digits(amount), asset_name(warned.asset))
            ),
            "step_id": warned.step_id,
            **named(warned.asset),
            "runs": runs,
            "amount": all_digits(amount),
        }


def _is_real(run: RunPart) -> bool:
    return set(run.split.by_outcome) <= {Outcome.REALISED}


def warning_words(code: str, step_id: str | None, moved: str) -> str:
    """A warning about an amount, in whatever units that is written."""
    if code == "double_booked":
        return f"{step_id} books {moved} twice: as a loss, and as what went in and did not come out"
    return f"of what {step_id} sent, {moved} less arrived than the ledger books"
