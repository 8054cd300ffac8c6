"""The accounts of one run: its moves of value by step, and what became of them.

Source: the session views of Grimoire's core (`computeAssetAccounting`), exact to the digit. They
book every move when it is simulated, whatever becomes of it. Here each move is also put down to an
outcome, by what the run, its commit and its handoffs record; only confirmed moves are realised.
Memory grows with the spell's steps and assets, not with the ledger.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from inspector.derive.money import Account, Accounts
from inspector.model.status import Status
from inspector.query.grimoire import js
from inspector.query.grimoire.js import UNDEFINED, Unreadable, amount_of
from inspector.query.grimoire.records import Handoff, Mode, failing_action
from inspector.query.grimoire.state import State
from inspector.query.pnl import NO_ASSET, Outcome

FEE_ADDRESS = "0x0000000000000000000000000000000000000fee"

LOSS_ADDRESS = "0x00000000000000000000000000000000000010a5"
"""Receivers of fees and losses that Grimoire accounts for; exact, case-sensitive text."""

MOST_NOTES = 1000
"""Different reasons, and unreadable entries, kept one by one for a run."""

FEE, LOSS, DEBIT, CREDIT, OTHER = "fees", "losses", "debits", "credits", "unaccounted"

_KINDS = (
    (FEE, ("fee",)),
    (LOSS, ("loss", "slippage")),
    (DEBIT, (":input", "debit", "bridge_out", "outflow")),
    (CREDIT, (":output", "credit", "bridge_in", "inflow")),
)
"""The first match inside a lower-case reason counts, so that `coffee` is a fee."""

_RECEIVERS = {FEE: (FEE_ADDRESS, "fee_elsewhere"), LOSS: (LOSS_ADDRESS, "loss_elsewhere")}

_RELEVANT = frozenset(
    {
        "value_delta", "step_completed", "step_started", "run_started", "preview_completed",
        "commit_started", "commit_completed",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class OddAsset:
    """An asset that is not text."""

    json: str


Asset = Hashable
"""Text, an OddAsset, or UNDEFINED for moves that name none."""


class Unexplained(NamedTuple):
    """Why a move is unaccounted."""

    asset: Asset
    why: str
    """`not_positive`, `fee_elsewhere`, `loss_elsewhere` or `unknown_reason`."""
    reason: str


class UnreadableEntry(NamedTuple):
    """An entry on which Grimoire itself throws."""

    entry: int
    """Its number, from 1."""
    reason: str


class MoveOwner(NamedTuple):
    """The step that a move belongs to."""

    committed: bool
    """Whether it is the commit's step, not the preview's."""
    step_id: str | None
    """None for a move that names no step."""


def asset_text(asset: Asset) -> str | None:
    """Return an asset as text; None if a move names none."""
    if asset is UNDEFINED:
        return None
    return asset.json if isinstance(asset, OddAsset) else str(asset)


def asset_name(asset: Asset) -> str:
    """Return the name by which an asset is sorted and shown."""
    text = asset_text(asset)
    return NO_ASSET if text is None else text


@lru_cache(maxsize=4096)
def read_reason(reason: str) -> tuple[str, str | None]:
    """Return the column that a move with this reason is booked in, and the step that it names."""
    lower, parts = reason.lower(), reason.split(":")
    step = parts[1] if len(parts) > 2 and parts[1] else None
    for kind, words in _KINDS:
        if any(word in lower for word in words):
            return kind, step
    return OTHER, step


@dataclass(slots=True)
class RunAccounts:
    """Counters and moves of one run."""

    events: Counter[str] = field(default_factory=Counter)
    triggers: Counter[str] = field(default_factory=Counter)
    receipts: Counter[str] = field(default_factory=Counter)
    deltas: int = 0
    """Moves with a valid amount."""
    by_owner: dict[MoveOwner, Accounts] = field(default_factory=dict)
    unexplained: dict[Unexplained, tuple[int, int]] = field(default_factory=dict)
    """Reason → number of moves, and their sum."""
    unreadable: list[UnreadableEntry] = field(default_factory=list)
    entries: int = 0
    committing: bool = False
    commit_success: bool | None = None
    preview: str | None = None
    """The last recorded status of the preview."""
    _assets: dict[Asset, None] = field(default_factory=dict)
    """Assets in order of first appearance."""
    _step: str | None = None
    """The step that has just ended; moves after its end belong to it."""

    @property
    def accounts(self) -> Accounts:
        """All moves by asset."""
        whole = Accounts()
        for asset in self._assets:
            whole.of(asset)
        for accounts in self.by_owner.values():
            whole.add(accounts)
        return whole

    def add_entries(self, entries: Sequence[Any]) -> None:
        """Add entries, in order."""
        try:
            kinds = [entry["event"]["type"] for entry in entries]
        except (KeyError, TypeError, IndexError):
            kinds = [None]
        if set(map(type, kinds)) - {str}:
            for entry in entries:
                self.add_entry(entry)
            return
        self.events.update(kinds)
        before = self.entries
        for at, kind in enumerate(kinds):
            if kind in _RELEVANT:
                self.entries = before + at + 1
                self._add_event(entries[at]["event"])
        self.entries = before + len(entries)

    def add_entry(self, entry: object) -> None:
        """Add one entry."""
        self.entries += 1
        try:
            event = js.field(entry, "event")
            self.events[js.text_of(js.field(event, "type"))] += 1
        except Unreadable as error:
            self._note_unreadable(error)
            return
        if isinstance(event, dict):
            self._add_event(event)

    def _add_event(self, event: dict[str, object]) -> None:
        try:
            self._apply(event)
        except Unreadable as error:
            self._note_unreadable(error)

    def _note_unreadable(self, error: Unreadable) -> None:
        if len(self.unreadable) < MOST_NOTES:
            self.unreadable.append(UnreadableEntry(self.entries, str(error)))

    def _apply(self, event: dict[str, object]) -> None:
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
        """Book a move: one that is not positive as unaccounted, any other by its reason."""
        amount = js.amount_of(js.field(delta, "amount"))
        if amount is None:
            return
        asset = _asset(js.field(delta, "asset"))
        if amount <= 0:
            self.deltas += 1
            self._account(asset, None).unaccounted -= amount
            if amount:
                reason = str(delta.get("reason"))
                self._note_unexplained(Unexplained(asset, "not_positive", reason), -amount)
            return
        reason = js.field(delta, "reason")
        if not isinstance(reason, str):
            raise Unreadable("a move of value has no reason")
        self.deltas += 1
        kind, step = read_reason(reason)
        account, to = self._account(asset, step), js.field(delta, "to")
        setattr(account, kind, getattr(account, kind) + amount)
        receiver = _RECEIVERS.get(kind)
        if kind == OTHER:
            self._note_unexplained(Unexplained(asset, "unknown_reason", reason), amount)
        elif receiver is not None and to != receiver[0]:
            account.unaccounted += amount
            self._note_unexplained(Unexplained(asset, receiver[1], reason), amount)

    def _account(self, asset: Asset, step: str | None) -> Account:
        self._assets.setdefault(asset)
        owner = MoveOwner(self.committing, step or self._step)
        return self.by_owner.setdefault(owner, Accounts()).of(asset)

    def _note_unexplained(self, why: Unexplained, amount: int) -> None:
        known = self.unexplained.get(why)
        if known is None and len(self.unexplained) >= MOST_NOTES:
            why = why._replace(reason="")
            known = self.unexplained.get(why)
        moves, total = known or (0, 0)
        self.unexplained[why] = (moves + 1, total + amount)


def _asset(value: object) -> Asset:
    if isinstance(value, str) or value is UNDEFINED:
        return value
    return OddAsset(js.compact(value))


# What became of the moves.


@dataclass(slots=True)
class OutcomeSplit:
    """A run's moves by what became of them."""

    by_outcome: dict[Outcome, Accounts] = field(default_factory=dict)
    by_step: dict[str | None, dict[Outcome, Accounts]] = field(default_factory=dict)
    """The same moves by step; None for those that name none."""
    gas: int = 0
    """Units of gas of confirmed transactions."""
    transactions: int = 0
    """Confirmed ones."""
    double_booked: dict[Asset, int] = field(default_factory=dict)
    """Losses left out of realised moves: they are also the difference of debits and credits."""
    settled: list[tuple[Handoff, int, int]] = field(default_factory=list)
    """Handoffs that settled for another amount than was booked: booked, arrived."""


def split_of(
    money: RunAccounts,
    mode: Mode | None,
    success: bool,
    error: str | None,
    committed: State | None,
    handoffs: Sequence[Handoff],
) -> OutcomeSplit:
    """Put each move down to an outcome. `committed` is the fold of a ledger with a commit.

    What a commit books again for a step replaces what its preview booked.
    """
    split = OutcomeSplit()
    rules = _OutcomeRules(money, mode, success, error, committed, handoffs)
    for owner, accounts in _each_move_once(money):
        outcome = rules.outcome(owner)
        if outcome is Outcome.REALISED:
            accounts = _without_double_booking(accounts, split)
            rules.settle(owner, accounts, split)
        split.by_outcome.setdefault(outcome, Accounts()).add(accounts)
        of_step = split.by_step.setdefault(owner.step_id, {})
        of_step.setdefault(outcome, Accounts()).add(accounts)
    if committed is not None:
        _add_gas(split, committed)
    return split


def _add_gas(split: OutcomeSplit, committed: State) -> None:
    for step in committed.commits.values():
        extra = committed.steps.extra.get(step)
        ref: Mapping[str, object] = extra.ref if extra is not None else {}
        if ref.get("confirmed") is True:
            split.transactions += 1
            gas = ref.get("gas_used")
            split.gas += gas if isinstance(gas, int) else 0


def double_booked(account: Account) -> int:
    """Return the losses of a step that are also the difference of its debits and credits."""
    return account.losses if 0 < account.losses <= account.debits - account.credits else 0


def _without_double_booking(accounts: Accounts, split: OutcomeSplit) -> Accounts:
    copy = Accounts()
    copy.add(accounts)
    for asset, account in copy:
        twice = double_booked(account)
        if twice:
            account.losses -= twice
            split.double_booked[asset] = split.double_booked.get(asset, 0) + twice
    return copy


def _each_move_once(money: RunAccounts) -> Iterator[tuple[MoveOwner, Accounts]]:
    rebooked = {owner.step_id for owner in money.by_owner if owner.committed and owner.step_id}
    for owner, accounts in money.by_owner.items():
        if owner.committed or owner.step_id not in rebooked:
            yield owner, accounts


class _OutcomeRules:
    """Decides the outcome of a step's moves.

    A simulation or dry run is simulated if it succeeded, else rejected. A run without a commit is
    rejected if it failed or its preview was rejected, else not sent if it was to be executed, else
    unknown. With a commit the step's transaction decides; a bridge also needs a settled handoff.
    """

    def __init__(
        self,
        money: RunAccounts,
        mode: Mode | None,
        success: bool,
        error: str | None,
        committed: State | None,
        handoffs: Sequence[Handoff],
    ) -> None:
        self._money = money
        self._mode = mode
        self._success = success
        self._state = committed
        self._handoffs = {one.source_step_id: one for one in handoffs}
        self._failing = failing_action(error)
        self._reverted = "revert" in (error or "").lower()

    def outcome(self, owner: MoveOwner) -> Outcome:
        """Return what became of the moves of a step."""
        if self._mode in (Mode.SIMULATE, Mode.DRY_RUN):
            return Outcome.SIMULATED if self._success else Outcome.REJECTED
        if self._state is None:
            if not self._success or self._money.preview == "rejected":
                return Outcome.REJECTED
            return Outcome.NOT_SENT if self._mode is Mode.EXECUTE else Outcome.UNKNOWN
        return self._executed(owner.step_id, self._state)

    def _executed(self, step_id: str | None, state: State) -> Outcome:
        """Return the outcome by the commit.

        The action that the run's error names was reverted or refused, as the error says. A step
        without a transaction was not sent if the preview has it; any other move follows the commit.
        """
        sent = state.commits.get(step_id) if step_id is not None else None
        if step_id is not None and step_id == self._failing:
            return Outcome.REVERTED if self._reverted else Outcome.REJECTED
        if sent is None:
            planned = any(one.step_id == step_id for one in state.plan)
            if planned or step_id in state.newest:
                return Outcome.NOT_SENT
            return Outcome.REALISED if self._money.commit_success else Outcome.UNKNOWN
        status = state.steps.status_of(sent)
        if status is Status.COMPLETED:
            return self._arrived(step_id, sent, state)
        if status is Status.FAILED:
            return Outcome.REVERTED
        if status in (Status.UNCONFIRMED, Status.RUNNING):
            return Outcome.UNCONFIRMED
        return Outcome.NOT_SENT

    def _arrived(self, step_id: str | None, sent: int, state: State) -> Outcome:
        handoff = self._handoffs.get(step_id)
        if handoff is None:
            crosses = state.steps.extra[sent].ref.get("action") == "bridge"
            return Outcome.PENDING if crosses else Outcome.REALISED
        if handoff.status == "settled":
            return Outcome.REALISED
        failed = handoff.status in ("failed", "expired")
        return Outcome.UNRESOLVED if failed else Outcome.PENDING

    def settle(self, owner: MoveOwner, accounts: Accounts, split: OutcomeSplit) -> None:
        """Credit the amount that arrived instead of the one that was booked."""
        handoff = self._handoffs.get(owner.step_id)
        if handoff is None or handoff.settled_amount is None:
            return
        try:
            arrived = amount_of(handoff.settled_amount)
        except Unreadable:
            return
        booked = sum(account.credits for asset, account in accounts if asset == handoff.asset)
        if arrived is None or not booked or arrived == booked:
            return
        accounts.of(handoff.asset).credits += arrived - booked
        split.settled.append((handoff, booked, arrived))
