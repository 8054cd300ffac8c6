"""A spell's session: its newest runs counted and added up as Grimoire does, and by outcome.

Source: `getSessionLedgerView` and `getSessionPnlView` of Grimoire's core. Ledgers are read and
dropped one by one, so that memory is bounded by the largest of them.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from inspector.derive.money import Account, Accounts
from inspector.query.grimoire import ledger_text
from inspector.query.grimoire.accounting import (
    Asset,
    OutcomeSplit,
    RunAccounts,
    Unexplained,
    asset_name,
    asset_text,
    double_booked,
    split_of,
)
from inspector.query.grimoire.fold import apply, hints_with
from inspector.query.grimoire.js import Unreadable, sort_key
from inspector.query.grimoire.records import (
    HANDOFF_COLUMNS,
    Handoff,
    Mode,
    handoff_record,
    known_mode,
    mode_of,
    parsed_columns,
    succeeded,
    typed_rows,
)
from inspector.query.grimoire.rows import rows_of, spell_runs
from inspector.query.grimoire.state import State
from inspector.query.pnl import (
    DEFAULT_LIMIT,
    AssetSums,
    Ledger,
    Net,
    Outcome,
    OutcomeSums,
    PendingHandoff,
    PnlWarning,
    Realised,
    Session,
    SessionRun,
    StepSums,
    Unaccounted,
    Unread,
)
from inspector.query.progress import Progress, no_progress
from inspector.query.reader_pool import ReaderLease
from inspector.query.tables import Tables, read_tables
from inspector.text.parse_time import parse_instant

_TRIES = 3


def read_session(
    lease: ReaderLease,
    spell: str,
    limit: int = DEFAULT_LIMIT,
    progress: Progress = no_progress,
) -> Session:
    """Read and add up a spell's newest `limit` runs; all of them for a limit below 1.

    `progress` gets the bytes of ledgers read. If the rows of the session change meanwhile, it is
    read again, up to three times in all. Raises `StoreUnavailable`, and what `progress` raises.
    """
    sums = _Sums()
    for _ in range(_TRIES):
        found = lease.read(lambda connection: _find(connection, spell, limit)).value
        sums = _add_up(lease, found, progress)
        if not lease.changed():
            break
        again = lease.read(lambda connection: _find(connection, spell, limit)).value
        if again.identity == found.identity:
            break
    return _session(spell, sums)


# Reading.


@dataclass(frozen=True, slots=True)
class _Rows:
    """The rows of a session, without the text of ledgers."""

    tables: Tables
    runs: Sequence[Mapping[str, object]]
    """Newest first."""
    ledgers: Mapping[str, int]
    """Run id → row of `ledger`."""
    handoffs: Mapping[str, Sequence[Handoff]]
    sizes: Mapping[int, int]
    """Row of `ledger` → bytes of its text, if that is cheap to know."""

    @property
    def identity(self) -> object:
        """Equal while the same rows make up the session."""
        return [(run.get("id"), self.ledgers.get(str(run.get("run_id")))) for run in self.runs]


def _find(connection: sqlite3.Connection, spell: str, limit: int) -> _Rows:
    tables = read_tables(connection)
    ledgers = rows_of(connection, tables, "ledger", ("id", "run_id"), "WHERE spell_id = ?", spell)
    handoffs: dict[str, list[Handoff]] = {}
    for one in typed_rows(Handoff, rows_of(connection, tables, "run_handoffs", HANDOFF_COLUMNS)):
        handoffs.setdefault(one.run_id, []).append(one)
    runs = spell_runs(connection, tables, spell, limit)
    by_run = {str(run_id): row for row, run_id in ledgers}
    wanted = [by_run[run_id] for run in runs if (run_id := str(run.get("run_id"))) in by_run]
    sizes = {row: found.size for row, found in ledger_text.edges(connection, tables, wanted)}
    return _Rows(tables, runs, by_run, handoffs, sizes)


class _LedgerProgress:
    """Reports the position in all ledgers of a session, in bytes."""

    def __init__(self, progress: Progress, rows: _Rows) -> None:
        self._progress = progress
        self._total = max(1, sum(rows.sizes.values()))
        self._before = 0

    def start_run(self, before: int) -> None:
        """Start the next run, after `before` bytes of other ledgers."""
        self._before = before
        self.at(0)

    def at(self, byte: int) -> None:
        """Report a byte of the current ledger."""
        self._progress(min(self._before + byte, self._total), self._total)


def _read_accounts(
    lease: ReaderLease, rows: _Rows, run_id: str, unread: list[Unread], progress: _LedgerProgress
) -> tuple[RunAccounts, State | None]:
    """Return the accounts of a run, and the fold of its ledger if that has a commit.

    A ledger that cannot be read to its end counts nothing and is listed in `unread`.
    """
    row = rows.ledgers.get(run_id)
    if row is None:
        return RunAccounts(), None
    accounts = RunAccounts()
    try:
        content = lease.read(
            lambda connection: ledger_text.read_bytes(connection, rows.tables, row)
        ).value
        for page in ledger_text.pages(content):
            progress.at(page.start)
            accounts.add_entries(page.entries)
    except Unreadable as error:
        unread.append(Unread(run_id, "ledger", str(error)))
        return RunAccounts(), None
    unread += [Unread(run_id, f"ledger:{one.entry}", one.reason) for one in accounts.unreadable]
    return accounts, _folded(content, progress) if accounts.committing else None


def _folded(content: bytes, progress: _LedgerProgress) -> State:
    state = State()
    for _ in range(2):
        for page in ledger_text.pages(content):
            progress.at(page.start)
            for entry in page.entries:
                apply(state, entry)
        if not state.found:
            break
        state = State(hints=hints_with(state))
    return state


# Adding up.


class _Misleading(NamedTuple):
    """A way in which the sums of a step mislead."""

    code: str
    step_id: str | None
    asset: Asset


@dataclass(frozen=True, slots=True)
class _RunPart:
    run_id: str
    timestamp: object
    success: bool
    mode: Mode | str | None
    booked: Accounts
    split: OutcomeSplit
    moves: int


@dataclass(slots=True)
class _StepPart:
    runs: int = 0
    booked: Accounts = field(default_factory=Accounts)
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    by_outcome: dict[Outcome, Accounts] = field(default_factory=dict)


@dataclass(slots=True)
class _Sums:
    """Everything that is added up run by run, newest first."""

    latest_at: Any = None
    total: int = 0
    success: int = 0
    triggers: Counter[str] = field(default_factory=Counter)
    receipts: Counter[str] = field(default_factory=Counter)
    events: Counter[str] = field(default_factory=Counter)
    accounts: Accounts = field(default_factory=Accounts)
    moves: int = 0
    outcomes: dict[Outcome, Accounts] = field(default_factory=dict)
    runs: list[_RunPart] = field(default_factory=list)
    steps: dict[str | None, _StepPart] = field(default_factory=dict)
    unexplained: dict[Unexplained, tuple[int, int]] = field(default_factory=dict)
    misleading: dict[_Misleading, tuple[int, int]] = field(default_factory=dict)
    """Number of runs, and their sum."""
    pending: list[Handoff] = field(default_factory=list)
    """Handoffs of executed runs that have not settled."""
    unread: list[Unread] = field(default_factory=list)

    def add(self, part: _RunPart, accounts: RunAccounts, handoffs: Sequence[Handoff]) -> None:
        """Add a run."""
        self.runs.append(part)
        self.moves += accounts.deltas
        self.accounts.add(accounts.accounts)
        self.events.update(accounts.events)
        self.triggers.update(accounts.triggers)
        self.receipts.update(accounts.receipts)
        for outcome, moved in part.split.by_outcome.items():
            self.outcomes.setdefault(outcome, Accounts()).add(moved)
        for why, (moves, amount) in accounts.unexplained.items():
            known = self.unexplained.get(why, (0, 0))
            self.unexplained[why] = (known[0] + moves, known[1] + amount)
        self._add_steps(part, accounts)
        for handoff, booked, arrived in part.split.settled:
            step_id, asset = handoff.source_step_id, handoff.asset
            self._note(_Misleading("settled_differs", step_id, asset), booked - arrived)
        if part.mode is Mode.EXECUTE:
            self.pending += [one for one in handoffs if one.status != "settled"]

    def _add_steps(self, part: _RunPart, accounts: RunAccounts) -> None:
        for owner, booked in accounts.by_owner.items():
            self.steps.setdefault(owner.step_id, _StepPart()).booked.add(booked)
            for asset, account in booked if owner.step_id is not None else ():
                twice = double_booked(account)
                if twice:
                    self._note(_Misleading("double_booked", owner.step_id, asset), twice)
        for step_id, by_outcome in part.split.by_step.items():
            step = self.steps[step_id]
            step.runs += 1
            step.outcomes.update(by_outcome.keys())
            for outcome, moved in by_outcome.items():
                step.by_outcome.setdefault(outcome, Accounts()).add(moved)

    def _note(self, misleading: _Misleading, amount: int) -> None:
        runs, known = self.misleading.get(misleading, (0, 0))
        self.misleading[misleading] = (runs + 1, known + amount)


def _add_up(lease: ReaderLease, rows: _Rows, progress: Progress) -> _Sums:
    """Add up the runs. One with an unreadable JSON column is left out, as it makes Grimoire fail.

    A run without a ledger counts as a run that moved nothing.
    """
    sums, ledgers, before = _Sums(), _LedgerProgress(progress, rows), 0
    for row in rows.runs:
        run_id = str(row.get("run_id"))
        ledgers.start_run(before)
        before += rows.sizes.get(rows.ledgers.get(run_id, -1), 0)
        parsed, broken = parsed_columns(row)
        if broken:
            sums.unread += [Unread(run_id, part, why) for part, why in broken.items()]
            continue
        if not sums.total:
            sums.latest_at = row.get("timestamp")
        sums.total += 1
        sums.success += succeeded(row.get("success"))
        accounts, committed = _read_accounts(lease, rows, run_id, sums.unread, ledgers)
        handoffs = rows.handoffs.get(run_id, ())
        sums.add(_run_part(row, parsed, accounts, committed, handoffs), accounts, handoffs)
    ledgers.start_run(before)
    return sums


def _run_part(
    row: Mapping[str, object],
    parsed: Mapping[str, object],
    accounts: RunAccounts,
    committed: State | None,
    handoffs: Sequence[Handoff],
) -> _RunPart:
    mode = mode_of(parsed.get("provenance"))
    if mode is None and committed is not None:
        mode = Mode.EXECUTE
    success, error = succeeded(row.get("success")), row.get("error")
    error_text = None if error is None else str(error)
    return _RunPart(
        str(row.get("run_id")),
        row.get("timestamp"),
        success,
        mode,
        accounts.accounts,
        split_of(accounts, known_mode(mode), success, error_text, committed, handoffs),
        accounts.deltas,
    )


# The result.


def _session(spell: str, sums: _Sums) -> Session:
    ledger = Ledger(
        sums.total,
        sums.success,
        sums.latest_at,
        dict(sums.triggers),
        dict(sums.receipts),
        dict(sums.events),
    )
    return Session(
        spell,
        ledger,
        sums.moves,
        _asset_sums(sums.accounts),
        sums.accounts.net,
        sums.accounts.unaccounted,
        _realised(sums),
        tuple(sums.unread),
    )


def _realised(sums: _Sums) -> Realised:
    twice: Counter[Asset] = Counter()
    for run in sums.runs:
        twice.update(run.split.double_booked)
    return Realised(
        assets=_asset_sums(sums.outcomes.get(Outcome.REALISED, Accounts()), twice),
        gas_used=sum(run.split.gas for run in sums.runs),
        transactions=sum(run.split.transactions for run in sums.runs),
        outcomes=tuple(
            OutcomeSums(
                outcome,
                sum(outcome in run.split.by_outcome for run in sums.runs),
                _asset_sums(accounts),
            )
            for outcome, accounts in _ordered(sums.outcomes)
        ),
        pending=tuple(
            PendingHandoff(
                one.run_id, one.status, one.asset, one.submitted_amount, handoff_record(one)
            )
            for one in sums.pending
        ),
        runs=_session_runs(sums.runs),
        steps=tuple(_step_sums(step_id, step) for step_id, step in sums.steps.items()),
        unaccounted=tuple(
            Unaccounted(asset_text(why.asset), why.why, why.reason, moves, amount)
            for why, (moves, amount) in sums.unexplained.items()
        ),
        warnings=tuple(_warnings(sums)),
    )


def _session_runs(newest_first: Sequence[_RunPart]) -> tuple[SessionRun, ...]:
    found, so_far = [], Accounts()
    for run in reversed(newest_first):
        realised = run.split.by_outcome.get(Outcome.REALISED, Accounts())
        so_far.add(realised)
        found.append(
            SessionRun(
                run_id=run.run_id,
                at=parse_instant(run.timestamp),
                success=run.success,
                mode=run.mode,
                moves=run.moves,
                net=net_by_asset(run.booked),
                realised=net_by_asset(realised),
                realised_so_far=net_by_asset(so_far),
                outcomes=tuple(run.split.by_outcome),
                by_outcome=_net_by_outcome(run.split.by_outcome),
                assets=_asset_sums(run.booked),
                gas_used=run.split.gas,
                transactions=run.split.transactions,
            )
        )
    return tuple(reversed(found))


def _step_sums(step_id: str | None, step: _StepPart) -> StepSums:
    return StepSums(
        step_id,
        step.runs,
        _asset_sums(step.booked),
        dict(step.outcomes),
        _net_by_outcome(step.by_outcome),
    )


def _warnings(sums: _Sums) -> Iterator[PnlWarning]:
    unrealised = sum(
        not set(run.split.by_outcome) <= {Outcome.REALISED} for run in sums.runs if run.moves
    )
    if unrealised:
        yield PnlWarning("not_realised", unrealised)
    for one, (runs, amount) in sums.misleading.items():
        yield PnlWarning(one.code, runs, one.step_id, asset_text(one.asset), amount)


def _in_order(accounts: Accounts) -> list[tuple[Asset, Account]]:
    return sorted(accounts, key=lambda pair: sort_key(asset_name(pair[0])))


def net_by_asset(accounts: Accounts) -> Net:
    """Return net amounts by name of asset, in Grimoire's order of assets."""
    return {asset_name(asset): account.net for asset, account in _in_order(accounts)}


def _asset_sums(
    accounts: Accounts, twice: Mapping[Asset, int] | None = None
) -> tuple[AssetSums, ...]:
    return tuple(
        AssetSums(
            asset_text(asset),
            account.credits,
            account.debits,
            account.fees,
            account.losses,
            account.net,
            account.unaccounted,
            0 if twice is None else twice.get(asset, 0),
        )
        for asset, account in _in_order(accounts)
    )


def _ordered(by_outcome: Mapping[Outcome, Accounts]) -> Iterator[tuple[Outcome, Accounts]]:
    return ((outcome, by_outcome[outcome]) for outcome in Outcome if outcome in by_outcome)


def _net_by_outcome(by_outcome: Mapping[Outcome, Accounts]) -> Mapping[Outcome, Net]:
    return {outcome: net_by_asset(accounts) for outcome, accounts in _ordered(by_outcome)}
