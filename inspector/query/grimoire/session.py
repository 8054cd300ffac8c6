"""A spell's session: its newest runs counted and added up as Grimoire does, and told apart as it
does not.

Ledgers are read one row at a time and dropped again, so that memory is bounded by the largest one.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from inspector.derive.money import Accounts
from inspector.query.grimoire import entries, texts
from inspector.query.grimoire.fold import apply, hints_with
from inspector.query.grimoire.js import Unreadable
from inspector.query.grimoire.outcomes import Outcome, Split, doubled, split_of
from inspector.query.grimoire.records import parsed_columns
from inspector.query.grimoire.rows import (
    HANDOFF_COLUMNS,
    Handoff,
    made,
    rows_of,
    spell_runs,
)
from inspector.query.grimoire.run_money import Asset, RunMoney, Why
from inspector.query.grimoire.state import State
from inspector.query.grimoire.verdicts import Mode, known_mode, mode_of, succeeded
from inspector.query.progress import Progress, no_progress
from inspector.query.reader_pool import ReaderLease
from inspector.query.tables import Tables, read_tables

DEFAULT_LIMIT = 100
_TRIES = 3


class Unread(NamedTuple):
    """Something that could not be read and is left out: a run, a part of it, and why."""

    run_id: str
    part: str
    """`metrics provenance cross_chain final_state ledger`, or `ledger:12` for an entry."""
    reason: str


class Warned(NamedTuple):
    """A way in which a session's numbers mislead."""

    code: str
    """`double_booked` or `settled_differs`."""
    step_id: str | None
    asset: Asset


@dataclass(slots=True)
class StepMoney:
    """What one step moved over all runs."""

    runs: int = 0
    booked: Accounts = field(default_factory=Accounts)
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    """In how many runs it came to which end."""
    by_outcome: dict[Outcome, Accounts] = field(default_factory=dict)
    """Each move once, by what became of it."""


@dataclass(frozen=True, slots=True)
class RunPart:
    """One run's part in a session."""

    run_id: str
    timestamp: Any
    success: bool
    mode: Mode | str | None
    booked: Accounts
    """As Grimoire counts it."""
    split: Split
    deltas: int


@dataclass(slots=True)
class Session:
    """Everything that is said of a spell's newest runs, newest first."""

    spell: str
    limit: int
    latest_at: Any = None
    total: int = 0
    success: int = 0
    triggers: Counter[str] = field(default_factory=Counter)
    receipts: Counter[str] = field(default_factory=Counter)
    events: Counter[str] = field(default_factory=Counter)
    accounts: Accounts = field(default_factory=Accounts)
    deltas: int = 0
    outcomes: dict[Outcome, Accounts] = field(default_factory=dict)
    runs: list[RunPart] = field(default_factory=list)
    steps: dict[str | None, StepMoney] = field(default_factory=dict)
    why: dict[Why, tuple[int, int]] = field(default_factory=dict)
    warnings: dict[Warned, tuple[int, int]] = field(default_factory=dict)
    """Warning → in how many runs, and how much together."""
    pending: list[Handoff] = field(default_factory=list)
    """Handoffs of executed runs whose arrival is not recorded, or that failed."""
    unreadable: list[Unread] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Found:
    """The rows of the session, without ledgers."""

    tables: Tables
    runs: Sequence[Mapping[str, Any]]
    ledgers: Mapping[str, int]
    handoffs: Mapping[str, Sequence[Handoff]]
    sizes: Mapping[int, int]
    """Row of `ledger` → bytes of its text, as far as they can be had without reading it."""

    @property
    def shape(self) -> object:
        """Equal as long as the same rows make up the session."""
        return [(run.get("id"), self.ledgers.get(str(run.get("run_id")))) for run in self.runs]


def read_session(
    asker: ReaderLease,
    spell: str,
    limit: int = DEFAULT_LIMIT,
    tell: Progress = no_progress,
) -> Session:
    """Reads a spell's session; a limit below 1 is no limit.

    `tell` is told how many bytes of ledgers were read. Raises `StoreUnavailable`, and whatever
    `tell` raises.
    """
    session = Session(spell, limit)
    for _ in range(_TRIES):
        found = asker.read(lambda connection: _find(connection, spell, limit)).value
        session = _read(asker, found, spell, limit, tell)
        if not asker.changed():
            break
        again = asker.read(lambda connection: _find(connection, spell, limit)).value
        if again.shape == found.shape:
            break
    return session


def _find(connection: sqlite3.Connection, spell: str, limit: int) -> _Found:
    tables = read_tables(connection)
    ledgers = rows_of(connection, tables, "ledger", ("id", "run_id"), "WHERE spell_id = ?", spell)
    handoffs: dict[str, list[Handoff]] = {}
    for one in made(Handoff, rows_of(connection, tables, "run_handoffs", HANDOFF_COLUMNS)):
        handoffs.setdefault(one.run_id, []).append(one)
    runs = spell_runs(connection, tables, spell, limit)
    by_run = {str(run_id): row for row, run_id in ledgers}
    wanted = [by_run[run_id] for run in runs if (run_id := str(run.get("run_id"))) in by_run]
    sizes = {row: found.size for row, found in texts.edges(connection, tables, wanted)}
    return _Found(tables, runs, by_run, handoffs, sizes)


class _Progress:
    """Where in all the ledgers of a session its reading is."""

    def __init__(self, tell: Progress, found: _Found) -> None:
        self._tell = tell
        self._total = max(1, sum(found.sizes.values()))
        self._before = 0

    def run(self, before: int) -> None:
        """Another run, behind so many bytes."""
        self._before = before
        self.at(0)

    def at(self, byte: int) -> None:
        """Another page of its ledger."""
        self._tell(min(self._before + byte, self._total), self._total)


def _read(asker: ReaderLease, found: _Found, spell: str, limit: int, tell: Progress) -> Session:
    session, progress, before = Session(spell, limit), _Progress(tell, found), 0
    for row in found.runs:
        progress.run(before)
        before += found.sizes.get(found.ledgers.get(str(row.get("run_id")), -1), 0)
        run_id = str(row.get("run_id"))
        parsed, broken = parsed_columns(row)
        if broken:
            session.unreadable += [Unread(run_id, part, why) for part, why in broken.items()]
            continue
        if not session.total:
            session.latest_at = row.get("timestamp")
        session.total += 1
        session.success += succeeded(row.get("success"))
        money, committed = _money(asker, found, run_id, session, progress)
        part = _part(row, parsed, money, committed, found.handoffs.get(run_id, ()))
        _take(session, part, money, found.handoffs.get(run_id, ()))
    progress.run(before)
    return session


def _money(
    asker: ReaderLease, found: _Found, run_id: str, session: Session, progress: _Progress
) -> tuple[RunMoney, State | None]:
    """What the run's ledger says; a ledger that cannot be read to its end says nothing."""
    row = found.ledgers.get(run_id)
    if row is None:
        return RunMoney(), None
    try:
        content = asker.read(lambda connection: texts.whole(connection, found.tables, row)).value
        money = RunMoney()
        for page in entries.pages(content):
            progress.at(page.start)
            money.take_all(page.entries)
    except Unreadable as error:
        session.unreadable.append(Unread(run_id, "ledger", str(error)))
        return RunMoney(), None
    session.unreadable += [
        Unread(run_id, f"ledger:{trouble.entry}", trouble.reason) for trouble in money.troubles
    ]
    return money, _folded(content, progress) if money.committing else None


def _folded(content: bytes, progress: _Progress) -> State:
    """The fold of a ledger that has a commit: which action was sent and confirmed."""
    state = State()
    for _ in range(2):
        for page in entries.pages(content):
            progress.at(page.start)
            for entry in page.entries:
                apply(state, entry)
        if not state.found:
            break
        state = State(hints=hints_with(state))
    return state


def _part(
    row: Mapping[str, Any],
    parsed: Mapping[str, Any],
    money: RunMoney,
    committed: State | None,
    handoffs: Sequence[Handoff],
) -> RunPart:
    mode = mode_of(parsed.get("provenance"))
    if mode is None and committed is not None:
        mode = Mode.EXECUTE
    success, error = succeeded(row.get("success")), row.get("error")
    words = error if error is None else str(error)
    split = split_of(money, known_mode(mode), success, words, committed, handoffs)
    return RunPart(
        str(row.get("run_id")),
        row.get("timestamp"),
        success,
        mode,
        money.accounts,
        split,
        money.deltas,
    )


def _take(session: Session, part: RunPart, money: RunMoney, handoffs: Sequence[Handoff]) -> None:
    session.runs.append(part)
    session.deltas += money.deltas
    session.accounts.add(money.accounts)
    session.events.update(money.events)
    session.triggers.update(money.triggers)
    session.receipts.update(money.receipts)
    for outcome, accounts in part.split.by_outcome.items():
        session.outcomes.setdefault(outcome, Accounts()).add(accounts)
    for why, (moves, amount) in money.why.items():
        known = session.why.get(why, (0, 0))
        session.why[why] = (known[0] + moves, known[1] + amount)
    for place, accounts in money.places.items():
        session.steps.setdefault(place.step_id, StepMoney()).booked.add(accounts)
        if place.step_id is not None:
            _doubly_booked(session, place.step_id, accounts)
    for step_id, by_outcome in part.split.by_step.items():
        step = session.steps[step_id]
        step.runs += 1
        step.outcomes.update(by_outcome.keys())
        for outcome, accounts in by_outcome.items():
            step.by_outcome.setdefault(outcome, Accounts()).add(accounts)
    for handoff, booked, arrived in part.split.settled:
        warned = Warned("settled_differs", handoff.source_step_id, handoff.asset)
        _warn(session, warned, booked - arrived)
    if part.mode is Mode.EXECUTE:
        session.pending += [one for one in handoffs if one.status != "settled"]


def _doubly_booked(session: Session, step_id: str, accounts: Accounts) -> None:
    """A loss that is also the difference of what went in and came out counts twice."""
    for asset, account in accounts:
        twice = doubled(account)
        if twice:
            _warn(session, Warned("double_booked", step_id, asset), twice)


def _warn(session: Session, warned: Warned, amount: int) -> None:
    runs, known = session.warnings.get(warned, (0, 0))
    session.warnings[warned] = (runs + 1, known + amount)
