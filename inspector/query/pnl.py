"""Profit and loss of a session as typed results. Amounts are integers in base units.

Sums follow the runtime's own session views, including what they count twice. Beside them, every
move is put down to what became of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

DEFAULT_LIMIT = 100
"""Runs that are added up unless the caller says otherwise."""

SUMS = ("credits", "debits", "fees", "losses", "net", "unaccounted")
"""Attributes of `AssetSums`, in the order in which they are shown."""

NO_ASSET = "undefined"
"""The name of the asset of moves that name none."""


class Outcome(StrEnum):
    """What became of a move."""

    REALISED = "realised"
    """Sent and confirmed; a transfer to another chain has arrived."""
    PENDING = "pending"
    """Sent and confirmed, but its arrival on another chain is not recorded."""
    UNCONFIRMED = "unconfirmed"
    """Sent or ordered, without a recorded confirmation."""
    REVERTED = "reverted"
    """Sent, and reverted by the chain."""
    UNRESOLVED = "unresolved"
    """Sent to another chain, where its handoff failed or expired."""
    NOT_SENT = "not_sent"
    """The commit stopped before it, or skipped it."""
    REJECTED = "rejected"
    """The preview was rejected, or the action was refused when it was to be sent."""
    SIMULATED = "simulated"
    """A simulation or a dry run."""
    UNKNOWN = "unknown"
    """The mode of the run is not recorded."""

    @property
    def words(self) -> str:
        """The outcome as it is shown."""
        return self.value.replace("_", " ")


@dataclass(frozen=True, slots=True)
class AssetSums:
    """Sums of one asset."""

    asset: str | None
    """Untrusted; None for moves that name no asset."""
    credits: int
    debits: int
    fees: int
    losses: int
    net: int
    """Credits less debits, fees and losses."""
    unaccounted: int
    """The part that no rule explains; may overlap fees or losses."""
    double_booked: int = 0
    """Losses that are left out of realised sums because debits and credits show them as well."""

    @property
    def name(self) -> str:
        """The asset as it is shown."""
        return NO_ASSET if self.asset is None else self.asset


Net = Mapping[str, int]
"""Name of an asset → its net."""


@dataclass(frozen=True, slots=True)
class OutcomeSums:
    """All moves with one outcome."""

    outcome: Outcome
    runs: int
    assets: tuple[AssetSums, ...]


@dataclass(frozen=True, slots=True)
class SessionRun:
    """One run's part in a session."""

    run_id: str
    at: int | None
    """UTC ms."""
    success: bool
    mode: str | None
    moves: int
    net: Net
    """As the session counts it."""
    realised: Net
    realised_so_far: Net
    """Realised up to this run, from the oldest on."""
    outcomes: tuple[Outcome, ...]
    """In order of first occurrence."""
    by_outcome: Mapping[Outcome, Net]
    """Each move once."""
    assets: tuple[AssetSums, ...]
    """As the session counts it."""
    gas_used: int
    """Units of gas."""
    transactions: int
    """Confirmed ones."""

    def sums_of(self, name: str) -> AssetSums | None:
        """Return the sums of an asset by name."""
        return next((one for one in self.assets if one.name == name), None)


@dataclass(frozen=True, slots=True)
class StepSums:
    """The moves of one step over all runs."""

    step_id: str | None
    """Untrusted; None for moves that name no step."""
    runs: int
    assets: tuple[AssetSums, ...]
    """As the session counts it."""
    outcomes: Mapping[Outcome, int]
    """Outcome → number of runs."""
    by_outcome: Mapping[Outcome, Net]
    """Each move once."""

    def sums_of(self, name: str) -> AssetSums | None:
        """Return the sums of an asset by name."""
        return next((one for one in self.assets if one.name == name), None)


_UNACCOUNTED = {
    "not_positive": "the amount is not positive",
    "fee_elsewhere": "a fee not sent to the fee address",
    "loss_elsewhere": "a loss not sent to the loss address",
    "unknown_reason": "unknown reason",
}


@dataclass(frozen=True, slots=True)
class Unaccounted:
    """Moves of an asset that are unaccounted for the same reason."""

    asset: str | None
    why: str
    """`not_positive`, `fee_elsewhere`, `loss_elsewhere` or `unknown_reason`."""
    reason: str
    """As recorded. Untrusted."""
    moves: int
    amount: int

    @property
    def name(self) -> str:
        """The asset as it is shown."""
        return NO_ASSET if self.asset is None else self.asset

    @property
    def message(self) -> str:
        """Why the moves are unaccounted."""
        return _UNACCOUNTED[self.why]


@dataclass(frozen=True, slots=True)
class PnlWarning:
    """A way in which the sums mislead."""

    code: str
    """`not_realised`, `double_booked` or `settled_differs`."""
    runs: int
    """Runs that it applies to."""
    step_id: str | None = None
    asset: str | None = None
    amount: int | None = None
    """None for `not_realised`."""

    @property
    def name(self) -> str:
        """The asset as it is shown."""
        return NO_ASSET if self.asset is None else self.asset


def warning_sentence(warning: PnlWarning, total: int, step: str | None, amount: str) -> str:
    """Return a warning in words.

    `total` is the session's number of runs; `step` and `amount` are the step's name and the amount
    with its asset, as they are to be shown.
    """
    if warning.code == "not_realised":
        return (
            f"Includes {warning.runs} of {total} runs that failed, were simulated or only partly"
            " sent"
        )
    if warning.code == "double_booked":
        return f"{step} books {amount} twice: as a loss, and as the difference of input and output"
    return f"{amount} less arrived than {step} booked as sent"


@dataclass(frozen=True, slots=True)
class PendingHandoff:
    """A transfer to another chain whose arrival is not recorded, or that failed."""

    run_id: str
    status: str | None
    asset: str | None
    amount: str | None
    """Base units as recorded, which may not be a number."""
    record: Mapping[str, object]
    """The runtime's own record."""


@dataclass(frozen=True, slots=True)
class Unread:
    """A part of a run that is left out of a session because it cannot be read."""

    run_id: str
    part: str
    """`metrics provenance cross_chain final_state ledger`, or `ledger:12` for an entry."""
    reason: str


@dataclass(frozen=True, slots=True)
class Ledger:
    """Counts of the runs of a session and of what they recorded."""

    total: int
    success: int
    latest_at: object
    """The newest run's timestamp as recorded; None without runs."""
    triggers: Mapping[str, int]
    receipts: Mapping[str, int]
    events: Mapping[str, int]

    @property
    def failed(self) -> int:
        """Runs that did not succeed."""
        return self.total - self.success


@dataclass(frozen=True, slots=True)
class Realised:
    """What became of the moves that a session counts."""

    assets: tuple[AssetSums, ...]
    """Realised sums."""
    gas_used: int
    transactions: int
    outcomes: tuple[OutcomeSums, ...]
    pending: tuple[PendingHandoff, ...]
    runs: tuple[SessionRun, ...]
    """Newest first."""
    steps: tuple[StepSums, ...]
    unaccounted: tuple[Unaccounted, ...]
    warnings: tuple[PnlWarning, ...]


@dataclass(frozen=True, slots=True)
class Session:
    """The newest runs of a session, added up."""

    name: str
    """The spell. Untrusted."""
    ledger: Ledger
    moves: int
    assets: tuple[AssetSums, ...]
    """As the runtime counts it, in its order of assets."""
    total_net: int
    """Sum over assets, although their units differ, as the runtime gives it."""
    total_unaccounted: int
    realised: Realised
    unreadable: tuple[Unread, ...]
