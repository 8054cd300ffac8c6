"""Everything about one OpenProse run, kept up to date by folding only what was added or changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from inspector.derive.checkpoints import Checkpoints
from inspector.model.clock import Clock
from inspector.model.status import Status
from inspector.model.step import Event
from inspector.model.store import Health
from inspector.query.openprose import context, history, records, values, view
from inspector.query.openprose.agents import outside_agents
from inspector.query.openprose.events import Row
from inspector.query.openprose.fold import apply
from inspector.query.openprose.load import Loaded, Wanted, loader
from inspector.query.openprose.receipts.ledger import Ledger, ledger_document, read_ledger
from inspector.query.openprose.state import State
from inspector.query.tables import Tables
from inspector.query.view import RunView, StepContext, ValueList
from inspector.store.attachment import inspect_attachment
from inspector.store.read import Reading, StoreUnavailable, ZeroTouchReader

T = TypeVar("T")

SMALL = 2000
"""Runs of up to this many events are compared whole at every read."""
FULL_COMPARE_MS = 5000
"""Longer runs: how long a change to an ended row may go unseen while others arrive."""


SILENCE_MS = 60_000
"""How often a view of a silent run is made anew, so that its silence is told rightly."""


class ProseRun:
    """Satisfies `RunReader`. Used by one thread at a time."""

    def __init__(self, place: view.Place, clock: Clock) -> None:
        self._place = place
        self._clock = clock
        self._source = ZeroTouchReader(place.store_path, clock=clock)
        self._state = State()
        self._rows: list[Row] = []
        self._checkpoints: Checkpoints[State] = Checkpoints()
        self._loaded: Loaded | None = None
        self._facts: view.Facts | None = None
        self._generation = -1
        self._compared_at = 0
        self._view: RunView | None = None
        self._ledger: Ledger | None = None

    def refresh(self) -> RunView:
        """Reads what is not known yet and gives the run as it stands."""
        wanted, whole = self._wanted()
        reading = self._read(loader(wanted))
        loaded = reading.value
        if not whole and self._is_other_content(loaded):
            reading = self._read(loader(Wanted()))
            loaded, whole = reading.value, True
        if whole:
            self._compared_at = self._clock()
            moved = self._replace_from(_first_difference(self._rows, loaded.rows), loaded.rows)
        else:
            moved = self._append(loaded.rows)
        self._generation = self._source.generation
        self._loaded = loaded
        if loaded.ledger is not None or not loaded.ledger_mark.receipts:
            self._ledger = loaded.ledger
        facts = view.Facts(
            loaded.tables,
            loaded.run_rows,
            loaded.damage,
            reading.token.last_write_ms,
            loaded.names,
            loaded.has_output,
            loaded.orphans,
            loaded.counts,
            self._ledger,
        )
        if self._view is not None and not moved and self._is_current(facts):
            return self._view
        self._facts = facts
        self._view = self._show(self._state, len(self._rows))
        return self._view

    def _is_current(self, facts: view.Facts) -> bool:
        """Whether the last view still says everything: silence alone changes it by the minute."""
        shown, now = self._view, self._clock()
        if shown is None or facts != self._facts:
            return False
        return shown.run.status is not Status.RUNNING or now - shown.as_of < SILENCE_MS

    def at(self, event: int) -> RunView:
        """The run after its first `event` events."""
        newest = self._view or self.refresh()
        event = max(0, min(event, newest.total_events))
        if event == newest.total_events:
            return newest
        state = self._state_at(event)
        return self._show(state, newest.total_events)

    def events(self, first: int, count: int) -> Sequence[Event]:
        """Recorded facts with every column, extensions included."""
        current = self._view or self.refresh()
        ids = self._state.rows.ids[max(first, 1) - 1 : max(first, 1) - 1 + max(count, 0)]
        kinds = [
            current.steps.kind_of(current.step_of_event[n - 1])
            for n in range(max(first, 1), max(first, 1) + len(ids))
        ]
        tables = current_tables(self._facts)
        return self._ask(
            lambda connection: history.events(connection, tables, ids, max(first, 1), kinds)
        )

    def values(self, frame: str | None = None, *, full: bool = False) -> ValueList:
        """Bindings of every scope, or as a frame resolves them."""
        self._view or self.refresh()
        tables = current_tables(self._facts)
        folder = self._place.folder
        return self._ask(
            lambda connection: values.read_values(
                connection,
                tables,
                frame=frame,
                full=full,
                inspect=lambda path: inspect_attachment(folder, path, preview_bytes=0)[0],
            )
        )

    def context(self, step: int) -> StepContext:
        """What the detail of a step shows."""
        current = self._view or self.refresh()
        described = current.describe(step)
        frame = described.ref.get("frame")
        numbers = history.own_events(current, step)
        rows = [event for n in numbers for event in self.events(n, 1)]
        related = self._ask(
            lambda connection: context.related(
                connection, current_tables(self._facts), [event.id for event in rows]
            )
        )
        return StepContext(
            described,
            tuple(rows),
            self.values(str(frame) if frame else values.ROOT_SCOPE),
            related,
            tuple(f for f in current.run.findings if context.concerns(f, described, rows)),
        )

    def record(self, part: str) -> Sequence[Mapping[str, Any]]:
        """The database's own rows behind one part."""
        self._view or self.refresh()
        question = records.PARTS[part]
        tables, place = current_tables(self._facts), self._place
        rows = self._ask(lambda connection: question(connection, tables, place))
        return [*rows, *outside_agents(place.agents)] if part == "agents" else rows

    def receipts(self) -> Mapping[str, Any]:
        """The ledger: chains judged, tokens added up, every receipt."""
        self._view or self.refresh()
        tables = current_tables(self._facts)
        ledger = self._ledger or self._ask(lambda connection: read_ledger(connection, tables))
        return ledger_document(ledger)

    def changed(self) -> bool:
        """Whether anything may have been written since the last read."""
        return self._source.changed()

    def close(self) -> None:
        """Removes private copies."""
        self._source.close()

    def _ask(self, question: Callable[[sqlite3.Connection], T]) -> T:
        return self._read(question).value

    def _read(self, question: Callable[[sqlite3.Connection], T]) -> Reading[T]:
        try:
            return self._source.read(question)
        except sqlite3.DatabaseError as error:
            raise StoreUnavailable(Health.UNREADABLE, f"SQLite says: {error}") from error

    def _wanted(self) -> tuple[Wanted, bool]:
        loaded, rows = self._loaded, self._rows
        new_content = loaded is None or self._source.generation != self._generation
        due = self._clock() - self._compared_at >= FULL_COMPARE_MS
        if loaded is None or new_content:
            return Wanted(), True
        known = Wanted(
            tables=loaded.tables,
            schema_version=loaded.schema_version,
            ledger_mark=loaded.ledger_mark,
        )
        if len(rows) <= SMALL or due or not isinstance(rows[-1][0], int):
            return known, True
        return replace(known, after=rows[-1][0], again=self._unfinished()), False

    def _unfinished(self) -> list[int]:
        """The newest rows that had not ended (an updating writer changes these)."""
        unfinished = (Status.RUNNING, Status.PENDING, Status.UNKNOWN)
        state = self._state
        found: list[int] = []
        for n in range(state.events, max(0, state.events - SMALL), -1):
            if state.steps.status_of(state.event_step[n - 1]) in unfinished:
                found.append(state.rows.ids[n - 1])
        return found

    def _is_other_content(self, loaded: Loaded) -> bool:
        if self._source.generation != self._generation:
            return True
        known = {row[0]: row for row in self._rows[-SMALL:]}
        return any(known.get(row[0], row) != row for row in loaded.changed)

    def _replace_from(self, first: int, rows: Sequence[Row]) -> bool:
        """Keeps the first `first` events and folds all rows after them; False if nothing moved."""
        kept_all = first == len(self._rows)
        if first < len(self._rows):
            self._checkpoints.forget_after(first)
            self._state = self._state_at(first)
            del self._rows[first:]
        return self._append(rows[first:]) or not kept_all

    def _append(self, rows: Sequence[Row]) -> bool:
        due = self._checkpoints.due(self._state.events)
        for row in rows:
            apply(self._state, row)
            if self._state.events == due:
                self._checkpoints.save(due, self._state.copy())
                due = self._checkpoints.due(due)
        self._rows.extend(rows)
        return bool(rows)

    def _state_at(self, event: int) -> State:
        saved = self._checkpoints.before(event)
        begun, state = (saved[0], saved[1].copy()) if saved else (0, State())
        for row in self._rows[begun:event]:
            apply(state, row)
        return state

    def _show(self, state: State, total: int) -> RunView:
        facts = self._facts
        assert facts is not None
        now = self._clock()
        newest = state is self._state
        shown = view.show(state, facts.names if newest else frozenset())
        store = view.store_of(self._place, facts, view.signs_of(self._state))
        head = view.head_of(self._place, facts, store)
        return RunView(
            run=view.complete_run(head, facts, state, shown, now),
            events=state.events,
            total_events=total,
            steps=shown.steps,
            step_of_event=state.event_step[:],
            failures=state.failures[:],
            open=shown.open,
            describe=shown.describe,
            as_of=now,
            tabs=records.tabs(facts),
        )


def current_tables(facts: view.Facts | None) -> Tables:
    """The tables of the last accepted read."""
    assert facts is not None
    return facts.tables


def _first_difference(known: Sequence[Row], rows: Sequence[Row]) -> int:
    if len(rows) >= len(known) and list(rows[: len(known)]) == list(known):
        return len(known)
    for at, (old, new) in enumerate(zip(known, rows, strict=False)):
        if old != new:
            return at
    return min(len(known), len(rows))
