"""Everything about one run of a spell, kept up to date by folding only what was added."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from inspector.model.clock import Clock
from inspector.model.preflight import PreFlight
from inspector.model.status import Status
from inspector.model.step import Event
from inspector.model.store import Health
from inspector.query.comparison import PREVIOUS, Comparison, Side
from inspector.query.grimoire import comparing, entries, run_records, texts, values, view
from inspector.query.grimoire.crossing_rows import is_file, project_of, read_crossing
from inspector.query.grimoire.events import fact_of
from inspector.query.grimoire.heads import HEAVY_BYTES, Known
from inspector.query.grimoire.js import Unreadable
from inspector.query.grimoire.lines import line_of
from inspector.query.grimoire.preflight import Material, preflight, spell_path
from inspector.query.grimoire.rows import RunRows, read_run, run_row
from inspector.query.grimoire.run_facts import known_of, store_of_run
from inspector.query.grimoire.session import read_session
from inspector.query.grimoire.session_document import session_document
from inspector.query.grimoire.timeline import KEPT_BYTES, Timeline
from inspector.query.progress import Progress, no_progress
from inspector.query.reader_pool import ReaderPool
from inspector.query.run_reader import RunReader
from inspector.query.view import Capabilities, RunView, StepContext, ValueList
from inspector.store.read import StoreUnavailable

T = TypeVar("T")

MOST_OWN_EVENTS = 200
SILENCE_MS = 60_000
"""How often a view of a waiting run is made anew, so that its age is told rightly."""
HEAD_BYTES = 4096
TAIL_BYTES = 1 << 16
"""Of a long ledger so much is shown before it is read: some hundred entries."""


@dataclass(frozen=True, slots=True)
class _Loaded:
    """What one read found; `content` None = the ledger is the one that is known."""

    rows: RunRows
    mark: tuple[int, int, bytes] | None
    """Row, size and beginning of the ledger's text."""
    content: bytes | None
    trouble: str | None


class SpellRun(RunReader):
    """Satisfies `RunReader`, and what else a reader may offer: its session, comparisons, a line
    about its parts, and long readings that are told of. Used by one thread at a time.
    """

    capabilities = Capabilities(pnl=True, compared=tuple(comparing.COLUMNS))

    def __init__(
        self, path: str, spell: str, run_id: str | None, source: ReaderPool, clock: Clock
    ) -> None:
        self._place = view.Place(path, spell, run_id)
        self._asker = source.lease()
        self._clock = clock
        self._timeline = Timeline()
        self._mark: tuple[int, int, bytes] | None = None
        self._facts: view.Facts | None = None
        self._view: RunView | None = None
        self._tell: Progress = no_progress

    def on_progress(self, progress: Progress) -> None:
        """`tell` is told where in the ledger a read is, in bytes."""
        self._tell = self._timeline.tell = progress

    def newest(self) -> RunView | None:
        """What the end of a long ledger tells, as long as the whole was not read."""
        if self._facts is not None:
            return None
        rows, tail = self._asker.read(self._end).value
        if tail is None:
            return None
        return view.show_last(self._facts_of(rows), entries.last(tail), self._clock())

    def _end(self, connection: sqlite3.Connection) -> tuple[RunRows, bytes | None]:
        """The rows with the end of the ledger's text; None in place of one that is read quickly."""
        rows = read_run(connection, self._place.spell, self._place.run_id or "")
        if rows.ledger is None:
            return rows, None
        row = rows.ledger.id
        try:
            _, size, _ = texts.mark(connection, rows.tables, row, 0)
            if size <= HEAVY_BYTES:
                return rows, None
            start = max(0, size - TAIL_BYTES)
            return rows, texts.stretch(connection, rows.tables, row, start, size)
        except Unreadable:
            return rows, None

    def refresh(self) -> RunView:
        """Reads what is not known yet and gives the run as it stands."""
        loaded = self._asker.read(self._question()).value
        moved = False
        if loaded.content is not None:
            moved = self._timeline.replace(loaded.content)
        elif loaded.mark is None and len(self._timeline):
            self._timeline, moved = Timeline(), True
            self._timeline.tell = self._tell
        if loaded.trouble is not None:
            self._timeline.damage = loaded.trouble
        self._mark = loaded.mark
        facts = self._facts_of(loaded.rows)
        if not moved and self._view is not None and facts == self._facts and not self._grew_old():
            return self._view
        self._facts = facts
        self._view = view.show(facts, self._timeline, self._timeline.state, self._clock())
        return self._view

    def _question(self) -> Callable[[sqlite3.Connection], _Loaded]:
        spell, run_id, mark = self._place.spell, self._place.run_id, self._mark

        def ask(connection: sqlite3.Connection) -> _Loaded:
            rows = read_run(connection, spell, run_id or "")
            if rows.ledger is None:
                return _Loaded(rows, None, None, None)
            try:
                found = texts.mark(connection, rows.tables, rows.ledger.id, HEAD_BYTES)
                if found == mark and found[1] > KEPT_BYTES:
                    return _Loaded(rows, found, None, None)
                content = texts.whole(connection, rows.tables, rows.ledger.id)
            except Unreadable as error:
                return _Loaded(rows, None, None, str(error))
            return _Loaded(rows, found, content, None)

        return ask

    def _facts_of(self, rows: RunRows) -> view.Facts:
        known: Known = known_of(self._place.spell, self._place.run_id, rows, self._timeline.state)
        return view.facts_of(self._place, store_of_run(self._place.path, rows), rows, known)

    def _grew_old(self) -> bool:
        shown = self._view
        if shown is None or shown.run.status is not Status.WAITING:
            return False
        return self._clock() - shown.as_of >= SILENCE_MS

    def at(self, event: int) -> RunView:
        """The run after its first `event` events."""
        newest = self._view or self.refresh()
        event = max(0, min(event, newest.total_events))
        if event == newest.total_events:
            return newest
        state = self._timeline.at(event, self._fetch)
        return view.show(self._known_facts(), self._timeline, state, self._clock())

    def events(self, first: int, count: int) -> Sequence[Event]:
        """Entries of the ledger as they stand, each with a line of words."""
        self._view or self.refresh()
        first = max(first, 1)
        return self._events(first, first + max(count, 0) - 1)

    def _events(self, first: int, last: int) -> list[Event]:
        found = self._timeline.entries(first, last, self._fetch)
        return [event_of(n, entry) for n, entry in enumerate(found, first)]

    def values(self, frame: str | None = None, *, full: bool = False) -> ValueList:
        """Bindings with final and saved state; or bindings alone, at the end or at an event.

        `frame` is `root`, or the number of an event after which the bindings are asked for.
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
        return values.listed(frame, found)

    def _binding(self, n: int, older: int, full: bool) -> Any:
        (entry,) = self._timeline.entries(n, n, self._fetch)
        step = self._timeline.state.event_step[n - 1]
        source = self._timeline.state.steps.label[step]
        return values.binding(n, entry, older, source, full)

    def context(self, step: int) -> StepContext:
        """What the detail of a step shows."""
        current = self._view or self.refresh()
        described = current.describe(step)
        numbers = _own_events(current, step)
        rows = [event for n in numbers for event in self._events(n, n)]
        last = described.last_event or current.events
        return StepContext(
            described,
            tuple(rows),
            self.values(str(last)),
            run_records.related(described, self._known_facts().rows),
            tuple(one for one in current.run.findings if one.ref == described.id),
        )

    def record(self, part: str) -> Sequence[Mapping[str, Any]]:
        """The store's own answers about one part of the run."""
        self._view or self.refresh()
        return run_records.PARTS[part](self._known_facts(), self._asker)

    def side(self, part: str, run_id: str | None = None) -> Side:
        """What a part says of this run, of another run of the spell, or of the one before it."""
        if part not in comparing.COLUMNS:
            raise KeyError(part)
        self._view or self.refresh()
        rows, spell = self._known_facts().rows, self._place.spell
        if run_id == PREVIOUS:
            if rows.before is None:
                return Side(None, why_not="No run of the spell is recorded before this one")
            return comparing.side_of(part, None, rows.before)
        if run_id is None or run_id == self._place.run_id:
            return comparing.side_of(part, self._place.run_id, rows.row)
        other = self._asker.read(lambda connection: run_row(connection, spell, run_id)).value
        return comparing.side_of(part, run_id, other)

    def compare(self, part: str, before: Side, *, whole: bool = False) -> Comparison:
        """What is other in this run than on the other side, or all that either says."""
        make = comparing.beside if whole else comparing.compare
        return make(part, before, self.side(part))

    def about(self, part: str) -> str | None:
        """A line about a part."""
        return run_records.ABOUT.get(part)

    def session(self, limit: int, tell: Progress = no_progress) -> Mapping[str, Any]:
        """The spell's session over its newest runs; a limit below 1 is no limit."""
        return session_document(read_session(self._asker, self._place.spell, limit, tell))

    def preflight(self) -> PreFlight:
        """What resuming the run would do."""
        shown, run_id = self.refresh(), self._place.run_id or ""
        rows = self._asker.read(lambda connection: read_crossing(connection, run_id)).value
        path = spell_path(rows.provenance)
        project = project_of(self._place.path, path)
        there = is_file(project, path)
        return preflight(Material(shown.run, rows, self._place.path, project, there, self._clock()))

    def changed(self) -> bool:
        """Whether anything may have been written since the last answer."""
        return self._asker.changed() or self._grew_old()

    def close(self) -> None:
        """Lets go of the store."""
        self._asker.close()

    def _known_facts(self) -> view.Facts:
        facts = self._facts
        assert facts is not None
        return facts

    def _fetch(self, start: int, stop: int) -> bytes:
        """A stretch of the ledger's text, from a row that is still the one that was folded."""
        mark, tables = self._mark, self._known_facts().rows.tables
        if mark is None:
            return b""
        row = mark[0]

        def ask(connection: sqlite3.Connection) -> bytes | None:
            if texts.mark(connection, tables, row, HEAD_BYTES) != mark:
                return None
            return texts.stretch(connection, tables, row, start, stop)

        try:
            found = self._asker.read(ask).value
        except Unreadable as error:
            raise StoreUnavailable(Health.UNREADABLE, str(error)) from None
        if found is None:
            raise StoreUnavailable(Health.BUSY, "the ledger has just been written again")
        return found


def event_of(n: int, entry: Any) -> Event:
    """An entry as it is handed out."""
    fact = fact_of(n, entry)
    whole = fact.whole
    payload = dict(fact.body) if fact.body else {"entry": whole}
    return Event(
        n=n,
        id=fact.id,
        kind=fact.type or "unreadable",
        raw_status=fact.text("status"),
        at=fact.at,
        at_raw=None if fact.at_raw is None else str(fact.at_raw),
        text=line_of(fact),
        payload=payload,
    )


def _own_events(current: RunView, step: int) -> list[int]:
    """Numbers of the entries that belong to the step itself, oldest first."""
    first, last = current.steps.first[step], current.steps.last[step]
    if not first:
        return []
    numbers = (n for n in range(first, last + 1) if current.step_of_event[n - 1] == step)
    return list(islice(numbers, MOST_OWN_EVENTS))
