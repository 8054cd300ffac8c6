"""What became of the money that a run's ledger books: only what a chain confirmed is realised.

A ledger books every move when it is simulated, whatever comes of it. Here each move is put down to
what the run, its commit and its handoffs record.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from inspector.derive.money import Account, Accounts
from inspector.model.status import Status
from inspector.query.grimoire.js import Unreadable, amount_of
from inspector.query.grimoire.rows import Handoff
from inspector.query.grimoire.run_money import Asset, Place, RunMoney
from inspector.query.grimoire.state import State
from inspector.query.grimoire.verdicts import Mode, failing_action


class Outcome(StrEnum):
    """What became of a move."""

    REALISED = "realised"
    """Sent and confirmed; what crossed to another chain has arrived."""
    PENDING = "pending"
    """Sent and confirmed, but its arrival on another chain is not recorded."""
    UNCONFIRMED = "unconfirmed"
    """Sent or ordered; no confirmation is recorded."""
    REVERTED = "reverted"
    """Sent, and undone by the chain."""
    UNRESOLVED = "unresolved"
    """Sent to another chain, where its handoff failed or expired."""
    NOT_SENT = "not_sent"
    """The commit stopped before it, or left it out."""
    REJECTED = "rejected"
    """The preview was rejected, or the action was refused when it was to be sent."""
    SIMULATED = "simulated"
    """A simulation or a dry run."""
    UNKNOWN = "unknown"
    """How it was run is not recorded."""


@dataclass(slots=True)
class Split:
    """A run's moves by what became of them."""

    by_outcome: dict[Outcome, Accounts] = field(default_factory=dict)
    of_step: dict[str, Outcome] = field(default_factory=dict)
    by_step: dict[str | None, dict[Outcome, Accounts]] = field(default_factory=dict)
    """The same moves by the step that they belong to; None = they name none."""
    gas: int = 0
    """Units of gas of confirmed transactions."""
    transactions: int = 0
    """Confirmed ones."""
    doubled: dict[Asset, int] = field(default_factory=dict)
    """Losses that the ledger books although they are what went in and did not come out; they are
    left out of what is realised."""
    settled: list[tuple[Handoff, int, int]] = field(default_factory=list)
    """Handoffs of which another amount arrived than was booked: booked, arrived."""


def split_of(
    money: RunMoney,
    mode: Mode | None,
    success: bool,
    error: str | None,
    committed: State | None,
    handoffs: Sequence[Handoff],
) -> Split:
    """Puts each move down to an outcome. `committed` is the fold of a ledger with a commit."""
    split = Split()
    judge = _Judge(money, mode, success, error, committed, handoffs)
    for place, accounts in _places(money):
        outcome = judge.outcome(place)
        if place.step_id is not None:
            split.of_step[place.step_id] = outcome
        if outcome is Outcome.REALISED:
            accounts = _once(accounts, split)
            judge.settle(place, accounts, split)
        split.by_outcome.setdefault(outcome, Accounts()).add(accounts)
        step_of = split.by_step.setdefault(place.step_id, {})
        step_of.setdefault(outcome, Accounts()).add(accounts)
    for step in committed.commits.values() if committed is not None else ():
        extra = committed.steps.extra.get(step) if committed is not None else None
        ref: Mapping[str, object] = extra.ref if extra is not None else {}
        if ref.get("confirmed") is True:
            split.transactions += 1
            gas = ref.get("gas_used")
            split.gas += gas if isinstance(gas, int) else 0
    return split


def doubled(account: Account) -> int:
    """How much of a step's loss is also the difference of what went in and came out."""
    return account.losses if 0 < account.losses <= account.debits - account.credits else 0


def _once(accounts: Accounts, split: Split) -> Accounts:
    """A copy in which no loss counts twice."""
    copy = Accounts()
    copy.add(accounts)
    for asset, account in copy:
        twice = doubled(account)
        if twice:
            account.losses -= twice
            split.doubled[asset] = split.doubled.get(asset, 0) + twice
    return copy


def _places(money: RunMoney) -> Iterator[tuple[Place, Accounts]]:
    """Each move once: what a commit books again for a step replaces what its preview booked."""
    again = {place.step_id for place in money.places if place.committed and place.step_id}
    for place, accounts in money.places.items():
        if place.committed or place.step_id not in again:
            yield place, accounts


class _Judge:
    """What the run, its commit and its handoffs say about a step's moves."""

    def __init__(
        self,
        money: RunMoney,
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

    def outcome(self, place: Place) -> Outcome:
        """What became of the moves of a step."""
        if self._mode in (Mode.SIMULATE, Mode.DRY_RUN):
            return Outcome.SIMULATED if self._success else Outcome.REJECTED
        if self._state is None:
            if not self._success or self._money.preview == "rejected":
                return Outcome.REJECTED
            return Outcome.NOT_SENT if self._mode is Mode.EXECUTE else Outcome.UNKNOWN
        return self._executed(place.step_id, self._state)

    def _executed(self, step_id: str | None, state: State) -> Outcome:
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

    def settle(self, place: Place, accounts: Accounts, split: Split) -> None:
        """Credits what arrived instead of what was expected to."""
        handoff = self._handoffs.get(place.step_id)
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
