"""What one run's ledger says about money: counters, moves of value, and why some are unexplained.

Source: the session views of Grimoire's core (`computeAssetAccounting`), digit by digit. The entries
are taken in one by one; what is kept grows with the spell's steps and assets, not with the ledger.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from inspector.derive.money import Account, Accounts
from inspector.query.grimoire import js
from inspector.query.grimoire.js import UNDEFINED, Unreadable

FEE_ADDRESS = "0x0000000000000000000000000000000000000fee"
LOSS_ADDRESS = "0x00000000000000000000000000000000000010a5"
"""Where fees and losses go when the runtime accounts for them; exact, case-sensitive text."""

MOST_NOTES = 1000
"""Different reasons, and unreadable entries, that are kept one by one for a run."""

FEE, LOSS, DEBIT, CREDIT, OTHER = "fees", "losses", "debits", "credits", "unaccounted"
_KINDS = (
    (FEE, ("fee",)),
    (LOSS, ("loss", "slippage")),
    (DEBIT, (":input", "debit", "bridge_out", "outflow")),
    (CREDIT, (":output", "credit", "bridge_in", "inflow")),
)
"""The first that the reason contains counts, so that `coffee` is a fee."""


@dataclass(frozen=True, slots=True)
class OddAsset:
    """An asset that is no text: its JSON, by which it is told from others."""

    json: str


Asset = Hashable
"""Text, an OddAsset, or UNDEFINED where a move names none."""


class Why(NamedTuple):
    """Why a move is not explained."""

    asset: Asset
    why: str
    """`not_positive`, `fee_elsewhere`, `loss_elsewhere` or `unknown_reason`."""
    reason: str


class Trouble(NamedTuple):
    """An entry that the runtime itself could not read."""

    entry: int
    """Its number, from 1; 0 for the ledger as a whole."""
    reason: str


class Place(NamedTuple):
    """What a move belongs to: a step of the preview or of the commit; None where none is named."""

    committed: bool
    step_id: str | None


def asset_name(asset: Asset) -> str:
    """How an asset is sorted and shown."""
    if isinstance(asset, OddAsset):
        return asset.json
    return "undefined" if asset is UNDEFINED else str(asset)


def kind_of(reason: str) -> str:
    """What sort of move a reason tells of."""
    lower = reason.lower()
    for kind, words in _KINDS:
        if any(word in lower for word in words):
            return kind
    return OTHER


@dataclass(slots=True)
class RunMoney:
    """Counters and moves of one run."""

    events: Counter[str] = field(default_factory=Counter)
    triggers: Counter[str] = field(default_factory=Counter)
    receipts: Counter[str] = field(default_factory=Counter)
    accounts: Accounts = field(default_factory=Accounts)
    deltas: int = 0
    """Moves with an amount that is one."""
    places: dict[Place, Accounts] = field(default_factory=dict)
    why: dict[Why, tuple[int, int]] = field(default_factory=dict)
    """Why → how many moves, and how much together."""
    troubles: list[Trouble] = field(default_factory=list)
    entries: int = 0
    committing: bool = False
    commit_success: bool | None = None
    preview: str | None = None
    """The last word of the preview."""
    _step: str | None = None
    """The step that has just ended: moves behind its end are its own."""

    def take_all(self, entries: Iterable[Any]) -> None:
        """Takes in entries, in order."""
        for entry in entries:
            self.take(entry)

    def take(self, entry: Any) -> None:
        """Takes in one entry."""
        self.entries += 1
        try:
            event = js.field(entry, "event")
            self.events[js.text_of(js.field(event, "type"))] += 1
            if isinstance(event, dict):
                self._look(event)
        except Unreadable as error:
            if len(self.troubles) < MOST_NOTES:
                self.troubles.append(Trouble(self.entries, str(error)))

    def _look(self, event: dict[str, Any]) -> None:
        kind = event.get("type")
        if kind == "value_delta":
            self._move(event.get("delta", UNDEFINED))
        elif kind == "step_completed":
            self._step = _text(event.get("stepId"))
        elif kind == "step_started":
            self._step = None
        elif kind == "run_started":
            trigger = js.field(event.get("trigger", UNDEFINED), "type")
            self.triggers[js.text_of(trigger)] += 1
        elif kind == "preview_completed":
            word = js.text_of(event.get("status", UNDEFINED))
            self.receipts[word] += 1
            self.preview = word
        elif kind == "commit_started":
            self.committing = True
        elif kind == "commit_completed":
            self.commit_success = event.get("success") is True

    def _move(self, delta: Any) -> None:
        amount = js.amount_of(js.field(delta, "amount"))
        if amount is None:
            return
        asset = _asset(js.field(delta, "asset"))
        if amount <= 0:
            self.deltas += 1
            step = self._place(None)
            for account in (self.accounts.of(asset), step.of(asset)):
                account.unaccounted += -amount
            if amount:
                self._note(Why(asset, "not_positive", str(delta.get("reason"))), -amount)
            return
        reason = js.field(delta, "reason")
        if not isinstance(reason, str):
            raise Unreadable("a move of value has no reason")
        self.deltas += 1
        kind, to = kind_of(reason), js.field(delta, "to")
        step = self._place(reason)
        for account in (self.accounts.of(asset), step.of(asset)):
            _book(account, kind, amount, to)
        self._explain(Why(asset, kind, reason), kind, amount, to)

    def _place(self, reason: str | None) -> Accounts:
        named = (reason or "").split(":")
        step = named[1] if len(named) > 2 and named[1] else self._step
        return self.places.setdefault(Place(self.committing, step), Accounts())

    def _explain(self, why: Why, kind: str, amount: int, to: Any) -> None:
        if kind == OTHER:
            self._note(why._replace(why="unknown_reason"), amount)
        elif kind == FEE and to != FEE_ADDRESS:
            self._note(why._replace(why="fee_elsewhere"), amount)
        elif kind == LOSS and to != LOSS_ADDRESS:
            self._note(why._replace(why="loss_elsewhere"), amount)

    def _note(self, why: Why, amount: int) -> None:
        known = self.why.get(why)
        if known is None and len(self.why) >= MOST_NOTES:
            why = why._replace(reason="")
            known = self.why.get(why)
        moves, sum_ = known or (0, 0)
        self.why[why] = (moves + 1, sum_ + amount)


def _book(account: Account, kind: str, amount: int, to: Any) -> None:
    if kind == FEE:
        account.fees += amount
        account.unaccounted += 0 if to == FEE_ADDRESS else amount
    elif kind == LOSS:
        account.losses += amount
        account.unaccounted += 0 if to == LOSS_ADDRESS else amount
    elif kind == DEBIT:
        account.debits += amount
    elif kind == CREDIT:
        account.credits += amount
    else:
        account.unaccounted += amount


def _asset(value: Any) -> Asset:
    if isinstance(value, str) or value is UNDEFINED:
        return value
    return OddAsset(js.compact(value))


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
