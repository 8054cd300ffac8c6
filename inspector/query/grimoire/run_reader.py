"""The reader of one run of a spell; it folds only what was added."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from inspector.model.clock import Clock
from inspector.model.preflight import PreFlight
from inspector.model.status import Status
from inspector.model.step import Event
from inspector.model.store import Health
from inspector.model.value import Value
from inspector.query.comparison import PREVIOUS, Comparison, Side
from inspector.query.grimoire import comparing, ledger_text, values, view
from inspector.query.grimoire.event_summary import summary_of
from inspector.query.grimoire.events import fact_of
from inspector.query.grimoire.js import Unreadable
from inspector.query.grimoire.preflight import Material, is_file, preflight, project_of, spell_path
from inspector.query.grimoire.record_parts import ABOUT, RUN_PARTS, related_records
from inspector.query.grimoire.rows import RunRows, read_cross_chain, read_run, run_row
from inspector.query.grimoire.run_head import HEAVY_BYTES, known_of, store_of_run
from inspector.query.grimoire.session import read_session
from inspector.query.grimoire.timeline import KEPT_BYTES, Timeline
from inspector.query.pnl import Session
from inspector.query.progress import Progress, no_progress
from inspector.query.reader_pool import ReaderPool
from inspector.query.run_reader import RunReader
from inspector.query.view import Capabilities, RunView, StepContext, ValueList
from inspector.store.read import StoreUnavailable

MOST_OWN_EVENTS = 200
SILENCE_MS = 60_000
"""After this long the view of a waiting run is renewed, because it says how long it has waited."""
HEAD_BYTES = 4096
TAIL_BYTES = 1 << 16
"""The end of a long ledger that is shown before the whole is read: some hundred entries."""


@dataclass(frozen=True, slots=True)
class _Loaded:
    rows: RunRows
    fingerprint: tuple[int, int, bytes] | None
    """Of the ledger's text; None if there is none or it cannot be read."""
    content: bytes | None
    """None if the ledger is unchanged or there is none."""
    damage: str | None
    """Why the ledger cannot be read."""


class SpellRun(RunReader):
    """Reads one run of a spell."""

    capabilities = Capabilities(pnl=True, compared=tuple(comparing.COLUMNS))

    def __init__(
        self, path: str, spell: str, run_id: str | None, pool: ReaderPool, clock: Clock
    ) -> None:
        self._place = view.Place(path, spell, run_id)
        self._lease = pool.lease()
        self._clock = clock
        self._timeline = Timeline()
        self._fingerprint: tuple[int, int, bytes] | None = None
        self._facts: view.Facts | None = None
        self._view: RunView | None = None
        self._progress: Progress = no_progress

    def on_progress(self, progress: Progress) -> None:
        """Report the position in the ledger, in bytes."""
        self._progress = self._timeline.progress = progress

    def newest(self) -> RunView | None:
        """Return a partial view of a long ledger that has not been read yet."""
        if self._facts is not None:
            return None
        rows, tail = self._lease.read(self._end).value
        if tail is None:
            return None
        return view.show_last(self._facts_of(rows), ledger_text.last_entries(tail), self._clock())

    def _end(self, connection: sqlite3.Connection) -> tuple[RunRows, bytes | None]:
        """Read the rows and the end of the ledger; None for one that is quick to read whole."""
        rows = read_run(connection, self._place.spell, self._place.run_id or "")
        if rows.ledger is None:
            return rows, None
        row = rows.ledger.id
        try:
            _, size, _ = ledger_text.fingerprint(connection, rows.tables, row, 0)
            if size <= HEAVY_BYTES:
                return rows, None
            start = max(0, size - TAIL_BYTES)
            return rows, ledger_text.read_bytes(connection, rows.tables, row, start, size)
        except Unreadable:
            return rows, None

    def refresh(self) -> RunView:
        """Return the newest view."""
        loaded = self._lease.read(self._query()).value
        moved = False
        if loaded.content is not None:
            moved = self._timeline.replace(loaded.content)
        elif loaded.fingerprint is None and len(self._timeline):
            self._timeline, moved = Timeline(), True
            self._timeline.progress = self._progress
        if loaded.damage is not None:
            self._timeline.damage = loaded.damage
        self._fingerprint = loaded.fingerprint
        facts = self._facts_of(loaded.rows)
        is_same = not moved and facts == self._facts
        if is_same and self._view is not None and not self._is_outdated():
            return self._view
        self._facts = facts
        self._view = view.show(facts, self._timeline, self._timeline.state, self._clock())
        return self._view

    def _query(self) -> Callable[[sqlite3.Connection], _Loaded]:
        spell, run_id, known = self._place.spell, self._place.run_id, self._fingerprint

        def query(connection: sqlite3.Connection) -> _Loaded:
            rows = read_run(connection, spell, run_id or "")
            if rows.ledger is None:
                return _Loaded(rows, None, None, None)
            try:
                found = ledger_text.fingerprint(connection, rows.tables, rows.ledger.id, HEAD_BYTES)
                if found == known and found[1] > KEPT_BYTES:
                    return _Loaded(rows, found, None, None)
                content = ledger_text.read_bytes(connection, rows.tables, rows.ledger.id)
            except Unreadable as error:
                return _Loaded(rows, None, None, str(error))
            return _Loaded(rows, found, content, None)

        return query

    def _facts_of(self, rows: RunRows) -> view.Facts:
        known = known_of(self._place.spell, self._place.run_id, rows, self._timeline.state)
        return view.facts_of(self._place, store_of_run(self._place.path, rows), rows, known)

    def _is_outdated(self) -> bool:
        shown = self._view
        if shown is None or shown.run.status is not Status.WAITING:
            return False
        return self._clock() - shown.as_of >= SILENCE_MS

    def _at(self, event: int) -> RunView:
        state = self._timeline.at(event, self._fetch)
        return view.show(self._known_facts(), self._timeline, state, self._clock())

    def events(self, first: int, count: int) -> Sequence[Event]:
        """Return entries of the ledger, each with a summary."""
        self._view or self.refresh()
        first = max(first, 1)
        return self._events(first, first + max(count, 0) - 1)

    def _events(self, first: int, last: int) -> list[Event]:
        found = self._timeline.entries(first, last, self._fetch)
        return [event_of(n, entry) for n, entry in enumerate(found, first)]

    def values(self, frame: str | None = None, *, full: bool = False) -> ValueList:
        """Return bindings with the final and the saved state, or those of a frame.

        A frame is `root`, or the number of an event after which the bindings are wanted.
        """
        self._view or self.refresh()
        state = self._timeline.state
        event = int(frame) if frame is not None and frame.lstrip("-").isdigit() else state.events
        found = [
            self._binding(n, older, full)
            for n, older in values.newest_bindings(state, event).values()
        ]
        if frame is None:
            rows = self._known_facts().rows
            found += values.states(rows.row, rows.state, full)
        return values.value_list(frame, found)

    def _binding(self, n: int, older: int, full: bool) -> Value:
        (entry,) = self._timeline.entries(n, n, self._fetch)
        step = self._timeline.state.event_step[n - 1]
        source = self._timeline.state.steps.label[step]
        return values.binding(n, entry, older, source, full)

    def context(self, step: int) -> StepContext:
        """Return the details of a step; its values are those after its last event."""
        current = self._view or self.refresh()
        described = current.describe(step)
        numbers = _own_events(current, step)
        rows = [event for n in numbers for event in self._events(n, n)]
        last = described.last_event or current.events
        facts = self._known_facts().rows
        return StepContext(
            described,
            tuple(rows),
            self.values(str(last)),
            related_records(described, facts.tracks, facts.handoffs, facts.step_results),
            tuple(one for one in current.run.findings if one.ref == described.id),
        )

    def record(self, part: str) -> Sequence[Mapping[str, object]]:
        """Return the store's own records of one part of the run."""
        self._view or self.refresh()
        return RUN_PARTS[part](self._known_facts(), self._lease)

    def side(self, part: str, run_id: str | None = None) -> Side:
        """Return a part of this run, of another run of the spell, or of the previous one."""
        if part not in comparing.COLUMNS:
            raise KeyError(part)
        self._view or self.refresh()
        rows, spell = self._known_facts().rows, self._place.spell
        if run_id == PREVIOUS:
            if rows.before is None:
                return Side(None, why_not="This is the first recorded run of the spell")
            return comparing.side_of(part, None, rows.before)
        if run_id is None or run_id == self._place.run_id:
            return comparing.side_of(part, self._place.run_id, rows.row)
        other = self._lease.read(lambda connection: run_row(connection, spell, run_id)).value
        return comparing.side_of(part, run_id, other)

    def compare(self, part: str, before: Side, *, whole: bool = False) -> Comparison:
        """Return the changes of a part since `before`; with `whole`, unchanged names as well."""
        compared = comparing.beside if whole else comparing.compare
        return compared(part, before, self.side(part))

    def about(self, part: str) -> str | None:
        """Return a sentence about a part."""
        return ABOUT.get(part)

    def session(self, limit: int, progress: Progress = no_progress) -> Session:
        """Return the profit and loss of the spell's newest runs; all for a limit below 1."""
        return read_session(self._lease, self._place.spell, limit, progress)

    def preflight(self) -> PreFlight:
        """Return what a resume would do."""
        shown, run_id = self.refresh(), self._place.run_id or ""
        rows = self._lease.read(lambda connection: read_cross_chain(connection, run_id)).value
        path = spell_path(rows.provenance)
        project = project_of(self._place.path, path)
        there = is_file(project, path)
        return preflight(Material(shown.run, rows, self._place.path, project, there, self._clock()))

    def changed(self) -> bool:
        """Return whether anything may have been written, or the view's ages are outdated."""
        return self._lease.changed() or self._is_outdated()

    def close(self) -> None:
        """Release private copies."""
        self._lease.close()

    def _known_facts(self) -> view.Facts:
        facts = self._facts
        assert facts is not None
        return facts

    def _fetch(self, start: int, stop: int) -> bytes:
        """Read a part of the ledger's text. Raises StoreUnavailable if it is another text now."""
        known, tables = self._fingerprint, self._known_facts().rows.tables
        if known is None:
            return b""
        row = known[0]

        def query(connection: sqlite3.Connection) -> bytes | None:
            if ledger_text.fingerprint(connection, tables, row, HEAD_BYTES) != known:
                return None
            return ledger_text.read_bytes(connection, tables, row, start, stop)

        try:
            found = self._lease.read(query).value
        except Unreadable as error:
            raise StoreUnavailable(Health.UNREADABLE, str(error)) from None
        if found is None:
            raise StoreUnavailable(Health.BUSY, "the ledger has just been rewritten")
        return found


def event_of(n: int, entry: object) -> Event:
    """Return an entry as an event with a summary."""
    fact = fact_of(n, entry)
    payload = dict(fact.body) if fact.body else {"entry": fact.whole}
    return Event(
        n=n,
        id=fact.id,
        kind=fact.type or "unreadable",
        raw_status=fact.text("status"),
        at=fact.at,
        at_raw=None if fact.at_raw is None else str(fact.at_raw),
        text=summary_of(fact),
        payload=payload,
    )


def _own_events(current: RunView, step: int) -> list[int]:
    """Return the numbers of the step's own entries, oldest first."""
    first, last = current.steps.first[step], current.steps.last[step]
    if not first:
        return []
    numbers = (n for n in range(first, last + 1) if current.step_of_event[n - 1] == step)
    return list(islice(numbers, MOST_OWN_EVENTS))
