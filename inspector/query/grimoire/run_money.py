"""What one run's ledger says about money: counters, moves of value, and why some are unexplained.

Source: the session views of Grimoire's core (`computeAssetAccounting`), digit by digit. The entries
are taken in one by one; what is kept grows with the spell's steps and assets, not with the ledger.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
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


@lru_cache(maxsize=4096)
def read_reason(reason: str) -> tuple[str, str | None]:
    """What sort of move a reason tells of, and the step that it names."""
    lower, parts = reason.lower(), reason.split(":")
    step = parts[1] if len(parts) > 2 and parts[1] else None
    for kind, words in _KINDS:
        if any(word in lower for word in words):
            return kind, step
    return OTHER, step


@dataclass(slots=True)
class RunMoney:
    """Counters and moves of one run."""

    events: Counter[str] = field(default_factory=Counter)
    triggers: Counter[str] = field(default_factory=Counter)
    receipts: Counter[str] = field(default_factory=Counter)
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
    _assets: dict[Asset, None] = field(default_factory=dict)
    """Assets in the order in which they first appeared."""
    _step: str | None = None
    """The step that has just ended: moves behind its end are its own."""

    @property
    def accounts(self) -> Accounts:
        """All moves by asset."""
        whole = Accounts()
        for asset in self._assets:
            whole.of(asset)
        for accounts in self.places.values():
            whole.add(accounts)
        return whole

    def take_all(self, entries: Sequence[Any]) -> None:
        """Takes in entries, in order."""
        try:
            kinds = [entry["event"]["type"] for entry in entries]
        except (KeyError, TypeError, IndexError):
            kinds = [None]
        if set(map(type, kinds)) - {str}:
            for entry in entries:
                self.take(entry)
            return
        self.events.update(kinds)
        before = self.entries
        for at, kind in enumerate(kinds):
            if kind in _LOOKED_AT:
                self.entries = before + at + 1
                self._try(entries[at]["event"])
        self.entries = before + len(entries)

    def take(self, entry: Any) -> None:
        """Takes in one entry."""
        self.entries += 1
        try:
            event = js.field(entry, "event")
            self.events[js.text_of(js.field(event, "type"))] += 1
        except Unreadable as error:
            self._note_trouble(error)
            return
        if isinstance(event, dict):
            self._try(event)

    def _try(self, event: dict[str, Any]) -> None:
        try:
            self._look(event)
        except Unreadable as error:
            self._note_trouble(error)

    def _note_trouble(self, error: Unreadable) -> None:
        if len(self.troubles) < MOST_NOTES:
            self.troubles.append(Trouble(self.entries, str(error)))

    def _look(self, event: dict[str, Any]) -> None:
        kind = event.get("type")
        if kind == "value_delta":
            self._move(event.get("delta", UNDEFINED))
        elif kind == "step_completed":
            step = event.get("stepId")
            self._step = step if isinstance(step, str) else None
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
            self._account(asset, None).unaccounted -= amount
            if amount:
                self._note(Why(asset, "not_positive", str(delta.get("reason"))), -amount)
            return
        reason = js.field(delta, "reason")
        if not isinstance(reason, str):
            raise Unreadable("a move of value has no reason")
        self.deltas += 1
        kind, step = read_reason(reason)
        account, to = self._account(asset, step), js.field(delta, "to")
        setattr(account, kind, getattr(account, kind) + amount)
        why = _WHY.get(kind)
        if kind == OTHER:
            self._note(Why(asset, "unknown_reason", reason), amount)
        elif why is not None and to != why[0]:
            account.unaccounted += amount
            self._note(Why(asset, why[1], reason), amount)

    def _account(self, asset: Asset, step: str | None) -> Account:
        self._assets.setdefault(asset)
        place = Place(self.committing, step or self._step)
        return self.places.setdefault(place, Accounts()).of(asset)

    def _note(self, why: Why, amount: int) -> None:
        known = self.why.get(why)
        if known is None and len(self.why) >= MOST_NOTES:
            why = why._replace(reason="")
            known = self.why.get(why)
        moves, sum_ = known or (0, 0)
        self.why[why] = (moves + 1, sum_ + amount)


_LOOKED_AT = frozenset(
    {
        "value_delta", "step_completed", "step_started", "run_started", "preview_completed",
        "commit_started", "commit_completed",
    }
)  # fmt: skip
_WHY = {FEE: (FEE_ADDRESS, "fee_elsewhere"), LOSS: (LOSS_ADDRESS, "loss_elsewhere")}


def _asset(value: Any) -> Asset:
    if isinstance(value, str) or value is UNDEFINED:
        return value
    return OddAsset(js.compact(value))
