"""Reads one OpenProse run from its database; folds only rows that were added or changed."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from inspector.derive.event_times import end_of
from inspector.model.clock import Clock
from inspector.model.run import Finding
from inspector.model.status import Status
from inspector.model.store import Health
from inspector.model.value import Attachment
from inspector.query.openprose import values, view
from inspector.query.openprose.events import text_of
from inspector.query.openprose.load import Loaded, Wanted, loader
from inspector.query.openprose.logs.topology import CompiledGraph
from inspector.query.openprose.persistent_files import AGENT_FOLDER, WORLD_MODELS
from inspector.query.openprose.rows import (
    AT_ONCE,
    event_order,
    key_column,
    read_run_rows,
    read_whole_rows,
)
from inspector.query.openprose.schema import DOCUMENTED, missing_tables
from inspector.query.openprose.sources import changed_source, project_of, source_files, with_source
from inspector.query.openprose.state import State
from inspector.query.openprose.tab_counts import kept_counts
from inspector.query.openprose.timeline import Timeline
from inspector.query.openprose.value_times import WriteTimes, write_times
from inspector.query.openprose.view import Facts, RunHistory, RunLocation, pick_run_row
from inspector.query.progress import Progress
from inspector.query.run_reader import RunReader
from inspector.query.tables import Table, Tables, quoted
from inspector.query.view import Capabilities, RunView, StepContext, Tab, ValueList
from inspector.store.attachment import PREVIEW_BYTES, inspect_attachment
from inspector.store.read import Reading, StoreUnavailable, Token, ZeroTouchReader
from inspector.text.parse_time import parse_instant

if TYPE_CHECKING:
    from inspector.model.preflight import PreFlight
    from inspector.model.step import Event, Step, StepKind
    from inspector.query.openprose.receipts.ledger import Ledger
    from inspector.query.receipts import ReceiptLedger

MOST_OWN_EVENTS = 200
_HEAD = ("id", "status", "statement_text")


def read_events(
    connection: sqlite3.Connection,
    tables: Tables,
    numbers: Sequence[int],
    key_of: Callable[[int], int],
    kind_of: Callable[[int], StepKind],
) -> list[Event]:
    """Return the events with these ascending numbers, without rows that were deleted.

    `key_of` returns the key that the row of an event had when it was folded.
    """
    table = tables.get("execution")
    if table is None or not numbers:
        return []
    rows = _by_key if key_column(table) is not None else _by_place
    return [
        _event(number, row, kind_of(number))
        for number, row in rows(connection, table, numbers, key_of)
    ]


_Found = Iterator[tuple[int, dict[str, object]]]


def _by_key(
    connection: sqlite3.Connection,
    table: Table,
    numbers: Sequence[int],
    key_of: Callable[[int], int],
) -> _Found:
    """Select each row by its key, so that a deleted row shifts no other."""
    from inspector.query.rows import read_keyed_rows

    key = key_column(table)
    number_of = {key_of(number): number for number in numbers}
    keys = list(number_of)
    for start in range(0, len(keys), AT_ONCE):
        part = keys[start : start + AT_ONCE]
        where = f"WHERE {key} IN ({', '.join('?' * len(part))}) ORDER BY {key}"
        for found, row in read_keyed_rows(connection, table, str(key), where, part):
            yield number_of[found], row


def _by_place(
    connection: sqlite3.Connection,
    table: Table,
    numbers: Sequence[int],
    key_of: Callable[[int], int],
) -> _Found:
    """Select rows by their place in the order of events, for tables without a key."""
    first, count = numbers[0], numbers[-1] - numbers[0] + 1
    where = f"ORDER BY {event_order(table)} LIMIT ? OFFSET ?"
    wanted = set(numbers)
    for number, row in enumerate(
        read_whole_rows(connection, table, where, (count, first - 1)), first
    ):
        if number in wanted:
            yield number, row


def _event(n: int, row: dict[str, Any], kind: StepKind) -> Event:
    from inspector.model.step import Event

    started, completed = row.get("started_at"), row.get("completed_at")
    raw_at = started if started is not None else completed
    status = row.get("status")
    return Event(
        n=n,
        id=row.get("id"),
        kind=kind.value,
        raw_status=None if status is None else text_of(status),
        at=parse_instant(raw_at),
        at_raw=None if raw_at is None else text_of(raw_at),
        text=text_of(row.get("statement_text")),
        payload={key: _plain(key, value) for key, value in row.items() if key not in _HEAD},
    )


def _plain(column: str, value: object) -> object:
    if isinstance(value, bytes):
        return text_of(value)
    if column == "metadata" and isinstance(value, str) and value.startswith(("{", "[")):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def own_events(view: RunView, step: int) -> list[int]:
    """Return the numbers of the step's own events, oldest first; at most 200."""
    at, last = view.steps.first[step], view.steps.last[step]
    found: list[int] = []
    while 0 < at <= last and len(found) < MOST_OWN_EVENTS:
        found.append(at)
        try:
            at = view.step_of_event.index(step, at, last) + 1
        except ValueError:
            break
    return found


MOST_RELATED_ROWS = 50


def related_rows(
    connection: sqlite3.Connection, tables: Tables, rows: Sequence[int | str | None]
) -> Mapping[str, tuple[Mapping[str, object], ...]]:
    """Return rows of extension tables whose `execution_id` is one of these."""
    ids = [row for row in rows if row is not None][:500]
    found: dict[str, tuple[Mapping[str, object], ...]] = {}
    if not ids:
        return found
    marks = ", ".join("?" * len(ids))
    where = f"WHERE {quoted('execution_id')} IN ({marks}) LIMIT {MOST_RELATED_ROWS}"
    for name, table in tables.by_name.items():
        if name in DOCUMENTED or not table.has("execution_id"):
            continue
        try:
            found[name] = tuple(read_whole_rows(connection, table, where, ids))
        except sqlite3.DatabaseError as error:
            found[name] = ({"unreadable": str(error)},)
    return {name: rows_ for name, rows_ in found.items() if rows_}


BEYOND = "columns beyond the document"


def beyond_the_document(rows: Sequence[Event]) -> Mapping[str, tuple[Mapping[str, object], ...]]:
    """Return the columns of the step's newest row that the state document does not have."""
    known = DOCUMENTED["execution"]
    payload = rows[-1].payload if rows else {}
    extra = {name: value for name, value in payload.items() if name not in known}
    return {BEYOND: (extra,)} if any(value is not None for value in extra.values()) else {}


def concerns_step(finding: Finding, step: Step, rows: Sequence[Event]) -> bool:
    """Return whether a finding is about this step or one of its rows."""
    if finding.ref == step.id:
        return True
    table, _, listed = (finding.ref or "").partition(":")
    return table == "execution" and any(str(row.id) in listed.split(",") for row in rows)


Record = Mapping[str, object]
MOST_ROWS = 10_000


def run_tabs(facts: Facts, nodes: int = 0) -> tuple[Tab, ...]:
    """Return the run's tabs with their counts.

    `nodes` is the size of the graph that the run was compiled to.
    """
    shown = [Tab("timeline", "Timeline")]
    for part, title, table in _TABS:
        kept = facts.kept.get(_KEPT.get(part, ""), 0)
        if facts.tables.get(table) is None and kept == 0:
            continue
        mark = _chain_word(facts) if part == "receipts" else None
        count = facts.counts.get(table)
        if kept != 0:
            count = None if kept is None else (count or 0) + kept
        shown.append(Tab(part, title, count, mark))
    if facts.counts.get("imports"):
        shown.append(Tab("imports", "Imports", facts.counts["imports"]))
    tables = Tab("tables", "Tables", len(facts.tables.by_name))
    graph = (Tab("topology", "Graph", nodes),) if nodes else ()
    return (*shown, Tab("source", "Source"), *graph, Tab("raw", "Raw"), tables)


_TABS = (
    ("values", "Values", "bindings"),
    ("receipts", "Receipts", "receipt"),
    ("agents", "Agents", "agents"),
    ("world_models", "World model", "world_model_version"),
)
_KEPT = {"agents": AGENT_FOLDER, "world_models": WORLD_MODELS}
"""Parts that may also be kept in files, by the folder that holds them."""


def _chain_word(facts: Facts) -> str | None:
    ok = None if facts.ledger is None else facts.ledger.chain_ok
    return None if ok is None else ("ok" if ok else "broken")


def _run(connection: sqlite3.Connection, tables: Tables, place: RunLocation) -> Sequence[Record]:
    return _rows(connection, tables, "run")


def _rows(connection: sqlite3.Connection, tables: Tables, name: str) -> Sequence[Record]:
    table = tables.get(name)
    if table is None:
        return ()
    where = f"ORDER BY {table.order} LIMIT {MOST_ROWS}"
    return tuple(read_whole_rows(connection, table, where, ()))


def _source(connection: sqlite3.Connection, tables: Tables, place: RunLocation) -> Sequence[Record]:
    rows, _ = read_run_rows(connection, tables)
    row = pick_run_row(tuple(rows), place.name)
    recorded = row.root_path if row.root_path is not None else row.program_path
    return source_files(place.folder, None if recorded is None else text_of(recorded))


def _tables(connection: sqlite3.Connection, tables: Tables, place: RunLocation) -> Sequence[Record]:
    """Return every table and view: columns, undocumented columns, and whether it is documented."""
    from inspector.query.raw_tables import table_records

    version = "v5" if tables.get("receipt") or tables.get("world_model_version") else "v1"
    return table_records(connection, tables, DOCUMENTED.get, missing_tables(tables, version))


def _agents(connection: sqlite3.Connection, tables: Tables, place: RunLocation) -> Sequence[Record]:
    from inspector.query.openprose.agents import run_agents

    return run_agents(connection, tables, place.store_path)


Question = Callable[[sqlite3.Connection, Tables, RunLocation], Sequence[Record]]

PARTS: Mapping[str, Question] = {
    "run": _run,
    "agents": _agents,
    "imports": lambda connection, tables, place: _rows(connection, tables, "imports"),
    "tables": _tables,
    "source": _source,
}
"""Parts that `record` knows."""


def question_for(part: str) -> Question:
    """Return the query of a part. Raises KeyError for an unknown part."""
    return PARTS[part]


T = TypeVar("T")

SMALL = 2000
"""Runs of up to this many events are compared whole at every read; of longer ones the tail."""
TAIL = 500
COMPARE_SECONDS = 5.0
"""Longer runs: minimum time in which a change to an ended row may go unnoticed."""
COMPARE_SHARE = 20
"""Also at least this many times the duration of a full comparison."""
SILENCE_MS = 60_000
"""How often the view of a silent run is renewed, so that its silence is up to date."""
FUTURE_MS = 86_400_000
"""Clocks of one machine agree within a day, so later times are implausible."""


class ProseRun(RunReader):
    """Reads a run from `state.db`. Used by one thread at a time."""

    capabilities = Capabilities(
        values_over_time=True, value_versions=True, attachments=True, receipts=True
    )

    def __init__(
        self,
        place: view.RunLocation,
        clock: Clock,
        history: RunHistory | None = None,
        *,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._place = place
        self._clock = clock
        self._history = history or RunHistory()
        self._monotonic = monotonic
        self._source = ZeroTouchReader(place.store_path, clock=clock)
        self._timeline = Timeline()
        self._loaded: Loaded | None = None
        self._token: Token | None = None
        """Of the content that the last view shows."""
        self._unseen = False
        """Whether a query has seen newer content than that."""
        self._facts: view.Facts | None = None
        self._generation = -1
        self._compare_at: float | None = None
        """When rows outside the tail must be compared again; None = they were."""
        self._compare_pause = COMPARE_SECONDS
        self._view: RunView | None = None
        self._ledger: Ledger | None = None
        self._snapshots: Sequence[Mapping[str, object]] | None = None
        self._graph = CompiledGraph(place.folder)
        self._changed_source: tuple[str | None] | None = None

    def refresh(self) -> RunView:
        """Read what changed and return the run."""
        reading, start = self._load()
        loaded = reading.value
        self._token, self._unseen = reading.token, False
        before = len(self._timeline)
        first = self._timeline.replace(loaded.rows, start, self._clock() + FUTURE_MS)
        moved = first < before or len(self._timeline) != before
        self._generation = self._source.generation
        self._loaded = loaded
        facts = self._facts_of(reading)
        if self._view is not None and not moved and self._is_current(facts):
            return self._view
        self._facts = facts
        self._view = self._show(self._timeline.state)
        return self._view

    def on_progress(self, progress: Progress) -> None:
        """Report the number of folded events to `progress`."""
        self._timeline.tell = progress

    def newest(self) -> RunView | None:
        """Return the newest events of a long run that has not been read yet."""
        from inspector.query.openprose.newest import newest_view, read_newest

        if self._loaded is not None:
            return None
        reading = self._read(read_newest)
        if reading.value is None:
            return None
        now, written = self._clock(), reading.token.last_write_ms
        return newest_view(reading.value, self._place, written, now, now + FUTURE_MS)

    def _load(self) -> tuple[Reading[Loaded], int]:
        """Return a read, and the number of events before its rows."""
        wanted, start = self._wanted()
        if wanted.after is not None:
            reading = self._read(loader(wanted))
            if not self._is_other_content(reading.value, start):
                if self._compare_at is None:
                    self._compare_at = self._monotonic() + self._compare_pause
                return reading, start
            wanted = Wanted(pause=self._pause)
        began = self._monotonic()
        reading = self._read(loader(wanted))
        took = self._monotonic() - began
        self._compare_pause = max(COMPARE_SECONDS, COMPARE_SHARE * took)
        self._compare_at = None
        return reading, 0

    def _pause(self) -> None:
        self._timeline.tell(0, 1)

    def _wanted(self) -> tuple[Wanted, int]:
        loaded, count = self._loaded, len(self._timeline)
        if loaded is None or self._source.generation != self._generation:
            return Wanted(pause=self._pause), 0
        known = Wanted(
            tables=loaded.tables,
            schema_version=loaded.schema_version,
            ledger_mark=loaded.ledger_mark,
            pause=self._pause,
        )
        due = self._compare_at is not None and self._monotonic() >= self._compare_at
        table = loaded.tables.get("execution")
        if count <= SMALL or due or table is None or key_column(table) is None:
            return known, 0
        start = count - TAIL
        again = self._timeline.unfinished(start, SMALL)
        return replace(known, after=self._timeline.state.rows.ids[start - 1], again=again), start

    def _is_other_content(self, loaded: Loaded, start: int) -> bool:
        """Return whether rows before the tail may have changed as well."""
        if loaded.damage or self._source.generation != self._generation:
            return True
        known = self._timeline
        if not loaded.rows or not known.is_known(loaded.rows[0]):
            return True
        again = known.unfinished(start, SMALL)
        return len(loaded.changed) != len(again) or not all(map(known.is_known, loaded.changed))

    def _facts_of(self, reading: Reading[Loaded]) -> view.Facts:
        loaded = reading.value
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
            loaded.gates,
        )
        self._history.note_status(view.status_of(facts, self._place), facts.last_activity_at)
        if self._changed_source is None:
            row = view.pick_run_row(facts.run_rows, self._place.name)
            recorded = row.root_path if row.root_path is not None else row.program_path
            path = None if recorded is None else text_of(recorded)
            self._changed_source = (changed_source(self._place.folder, path),)
        return replace(
            facts,
            reopened=self._history.reopened,
            changed_source=self._changed_source[0],
            kept=kept_counts(self._place),
        )

    def _is_current(self, facts: view.Facts) -> bool:
        """Return whether the last view is up to date; silence alone outdates it after a minute."""
        return self._view is not None and facts == self._facts and not self._grew_old()

    def _grew_old(self) -> bool:
        shown = self._view
        lives = (Status.RUNNING, Status.WAITING)
        if shown is None or shown.run.status not in lives:
            return False
        return self._clock() - shown.as_of >= SILENCE_MS

    def _at(self, event: int) -> RunView:
        return self._show(self._timeline.at(event))

    def events(self, first: int, count: int) -> Sequence[Event]:
        """Return events with every column, extensions included."""
        self._view or self.refresh()
        first = max(first, 1)
        return self._events(range(first, min(first + max(count, 0), len(self._timeline) + 1)))

    def _events(self, numbers: Sequence[int]) -> list[Event]:
        state, tables = self._timeline.state, view.current_tables(self._facts)
        return self._ask(
            lambda connection: read_events(
                connection,
                tables,
                numbers,
                lambda number: state.rows.ids[number - 1],
                lambda number: state.steps.kind_of(state.event_step[number - 1]),
            )
        )

    def values(self, frame: str | None = None, *, full: bool = False) -> ValueList:
        """Return bindings of every scope, or as a frame resolves them."""
        self._view or self.refresh()
        return self._values(frame, full)

    def values_at(self, event: int, frame: str | None = None, *, full: bool = False) -> ValueList:
        """Return `values` after the first `event` events."""
        self._view or self.refresh()
        state = self._timeline.state
        if event >= state.events:
            return self._values(frame, full)
        now = self._clock()
        found = self._values(frame, full, lambda rows: write_times(rows, state, event, now))
        return replace(found, at=event)

    def _values(
        self, frame: str | None, full: bool = False, tell: WriteTimes | None = None
    ) -> ValueList:
        tables, inspect = view.current_tables(self._facts), self._inspect
        return self._ask(
            lambda connection: values.read_values(
                connection, tables, frame=frame, full=full, inspect=inspect, tell=tell
            )
        )

    def _inspect(self, path: str) -> Attachment:
        return inspect_attachment(self._place.folder, path, preview_bytes=0)[0]

    def versions(self, name: str) -> ValueList:
        """Return every row written under a name, in every scope, oldest first."""
        self._view or self.refresh()
        tables, inspect = view.current_tables(self._facts), self._inspect
        return self._ask(
            lambda connection: values.read_versions(connection, tables, name, inspect=inspect)
        )

    def attachment(self, path: str, most: int = PREVIEW_BYTES) -> tuple[Attachment, bytes]:
        """Return the verdict on a recorded path, and the file's first `most` bytes if allowed."""
        return inspect_attachment(self._place.folder, path, preview_bytes=most)

    def content(self, row: int, most: int) -> tuple[bytes, int] | None:
        """Return the first bytes of a binding and its size."""
        self._view or self.refresh()
        tables = view.current_tables(self._facts)
        return self._ask(lambda connection: values.read_content(connection, tables, row, most))

    def context(self, step: int) -> StepContext:
        """Return the details of a step."""
        current = self._view or self.refresh()
        described = with_source(current.describe(step), self._sources())
        frame, end = described.ref.get("frame"), end_of(current.steps, step)
        rows = self._events(own_events(current, step))
        related = self._ask(
            lambda connection: related_rows(
                connection, view.current_tables(self._facts), [event.id for event in rows]
            )
        )
        related = {**beyond_the_document(rows), **related}
        return StepContext(
            described,
            tuple(rows),
            self.values_at(
                current.total_events if end is None else end,
                str(frame) if frame else values.ROOT_SCOPE,
            ),
            related,
            tuple(f for f in current.run.findings if concerns_step(f, described, rows)),
        )

    def _sources(self) -> Sequence[Mapping[str, object]]:
        """Return the run's snapshots, read once: they do not change while it runs."""
        if self._snapshots is None:
            self._snapshots = self.record("source")
        return self._snapshots

    def record(self, part: str) -> Sequence[Mapping[str, object]]:
        """Return the database's own rows of a part."""
        from inspector.query.openprose.agents import kept_agents
        from inspector.query.openprose.model_diff import answer, keep
        from inspector.query.openprose.model_files import kept_models
        from inspector.query.openprose.world_models import world_models

        self._view or self.refresh()
        tables, place = view.current_tables(self._facts), self._place
        name, _, which = part.partition(":")
        if name == "world_models":
            kept = self._ask(
                lambda connection: keep(world_models(connection, tables, place.folder), which)
            )
            receipts = () if self._ledger is None else self._ledger.receipts
            return answer([*kept, *keep(kept_models(place, receipts), which)], which)
        if name == "topology":
            return self._graph.nodes
        question = question_for(part)
        rows = self._ask(lambda connection: question(connection, tables, place))
        return [*rows, *kept_agents(place)] if part == "agents" else rows

    def receipts(self) -> ReceiptLedger:
        """Return all receipts with verdicts and sums."""
        from inspector.query.openprose.receipts.ledger import read_ledger

        self._view or self.refresh()
        tables = view.current_tables(self._facts)
        ledger = self._ledger or self._ask(lambda connection: read_ledger(connection, tables))
        return ledger.answer()

    def preflight(self) -> PreFlight:
        """Return the plan of resuming the run."""
        from inspector.query.openprose.position import position_of
        from inspector.query.openprose.preflight import Material, preflight

        shown, state = self.refresh(), self._timeline.state
        over = shown.run.status is Status.COMPLETED
        bindings = view.current_tables(self._facts).get("bindings")
        receipts = () if self._ledger is None else self._ledger.receipts
        return preflight(
            Material(
                run=shown.run,
                folder=self._place.folder,
                project=project_of(self._place.folder),
                position=None if over else position_of(state, shown.steps, shown.describe),
                steps=shown.steps,
                newest=state.rows.id_of(state.rows.ids[-1]) if state.events else None,
                events=shown.total_events,
                column="binding" if bindings is not None and bindings.has("binding") else "kind",
                values=self.values().values,
                agents=[] if over else self.record("agents"),
                heads={one.node: one.address for one in receipts if one.address is not None},
                sources=[] if over else self.record("source"),
                now=self._clock(),
            )
        )

    def changed(self) -> bool:
        """Return whether another read may find more: after a write, or if a comparison is due."""
        if self._compare_at is not None and self._monotonic() >= self._compare_at:
            return True
        return self._unseen or self._source.changed() or self._grew_old()

    def close(self) -> None:
        """Remove private copies."""
        self._source.close()

    def _ask(self, question: Callable[[sqlite3.Connection], T]) -> T:
        reading = self._read(question)
        self._unseen = self._unseen or reading.token != self._token
        return reading.value

    def _read(self, question: Callable[[sqlite3.Connection], T]) -> Reading[T]:
        try:
            return self._source.read(question)
        except sqlite3.DatabaseError as error:
            raise StoreUnavailable(Health.UNREADABLE, f"SQLite says: {error}") from error

    def _show(self, state: State) -> RunView:
        facts = self._facts
        assert facts is not None
        now, newest = self._clock(), state is self._timeline.state
        shown = view.show(state, facts.names, newest=newest)
        signs = self._history.signs = view.signs_of(self._timeline.state)
        store = view.store_of(self._place, facts, signs)
        head = view.head_of(self._place, facts, store)
        return RunView(
            run=view.complete_run(head, facts, state, shown, now),
            events=state.events,
            total_events=len(self._timeline),
            steps=shown.steps,
            step_of_event=state.event_step[:],
            failures=state.failures[:],
            open=shown.open,
            describe=shown.describe,
            as_of=now,
            capabilities=self.capabilities,
            tabs=run_tabs(facts, nodes=len(self._graph.nodes)),
        )
