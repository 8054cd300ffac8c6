"""The events of one agent run: read in pages, folded as they are added, replayed for the past.

Order is by sequence, ties by rowid. Schema versions before 6 allow a run's sequences to repeat; the
order is then by rowid.
"""

from __future__ import annotations

import sqlite3
from array import array
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from inspector.derive.checkpoints import Checkpoints
from inspector.query.prism.cells import instant_of
from inspector.query.prism.events import BARE, DELTA, Row
from inspector.query.prism.fold import State, apply
from inspector.query.prism.layout import Layout, layout_of
from inspector.query.prism.row_summaries import (
    AGENT_RUN,
    Checkpoint,
    RunSummary,
    SessionSummary,
    first_message,
    read_some_checkpoints,
    run_rows,
    run_summary,
    session_summary,
)
from inspector.query.prism.rows import Record, equals, readable_columns, record_of
from inspector.query.prism.usage import UsageRow, usage_rows
from inspector.query.tables import Table, Tables, quoted

REPLAY_ROWS = 10_000
"""Events replayed per query when going back in time."""


PAGE_ROWS = 20_000


PAGE_BYTES = 8 << 20
"""Maximum text of the events in a page; a page has at least one event."""


COUNTED = (
    ("prism_session_entries", "session_id"),
    ("prism_tool_calls", "run_id"),
    ("prism_usage", "run_id"),
    ("prism_run_feedback", "run_id"),
)
"""The tables behind tabs, with the column that selects the rows of a run."""


MOST_COUNTED = 1_000
"""Rows beyond this are not counted on every read."""


_BATCH = 500
"""Rowids per statement."""


_NEEDED = ("run_id", "sequence", "type", "timestamp", "event")


class Timeline:
    """Events 1 to `len(self)` of a run and the fold state after the last one.

    Event contents stay in the database; only the rowid and step of each are kept.
    """

    def __init__(self) -> None:
        self.state = State()
        self.rows = array("q")
        """The rowid of each event."""
        self.step_of = array("i")
        self.last: tuple[object, int] | None = None
        """Sequence and rowid of the last event."""
        self.newest_row = -1
        self.repeats = False
        """Whether sequences repeat, so that rowids determine the order."""
        self._checkpoints: Checkpoints[State] = Checkpoints()

    def __len__(self) -> int:
        return len(self.rows)

    def append(self, rows: Sequence[Row]) -> None:
        """Fold further events onto the state."""
        state = self.state
        due = self._checkpoints.due(state.events)
        for row in rows:
            self.step_of.append(apply(state, row))
            self.rows.append(row[0])
            if state.events == due:
                self._checkpoints.save(due, state.copy())
                due = self._checkpoints.due(due)
        if rows:
            self.last = (rows[-1][1], rows[-1][0])
            self.newest_row = max(self.newest_row, max(row[0] for row in rows))

    def follows(self, rows: Sequence[Row]) -> bool:
        """Return whether these events, in this order, come after all known ones."""
        before = self.last
        for row in rows:
            if not isinstance(row[1], int):
                return False
            if before is not None and not self._comes_after(row[0], row[1], before):
                return False
            before = (row[1], row[0])
        return True

    def _comes_after(self, rowid: int, sequence: int, before: tuple[object, int]) -> bool:
        if self.repeats:
            return rowid > before[1]
        return isinstance(before[0], int) and sequence > before[0]

    def at(self, event: int, read: Callable[[Sequence[int]], Sequence[Row]]) -> State:
        """Return the state after the first `event` events; `read` fetches events by rowid."""
        saved = self._checkpoints.before(event)
        begun, state = (saved[0], saved[1].copy()) if saved else (0, State())
        while begun < event:
            stop = min(begun + REPLAY_ROWS, event)
            for row in read(self.rows[begun:stop]):
                apply(state, row)
            begun = stop
        state.flush_deltas()
        return state

    def failures_until(self, event: int) -> array[int]:
        """Return the events up to `event` that reported a failure."""
        failures = self.state.failures
        return failures[: bisect_right(failures, event)]


def has_repeats(rows: Sequence[Row], last: tuple[object, int] | None) -> bool:
    """Return whether two consecutive events share a sequence, or one has none."""
    before = None if last is None else last[0]
    for row in rows:
        if row[1] == before or not isinstance(row[1], int):
            return True
        before = row[1]
    return False


# Pages of events


@dataclass(frozen=True, slots=True)
class Page:
    """Consecutive events; `more` if others follow."""

    rows: Sequence[Row]
    more: bool


def event_table(tables: Tables) -> Table | None:
    """Return the table of events if it has the columns a timeline needs."""
    table = tables.get("prism_agent_events")
    if table is None or not table.has_rowid or not all(map(table.has, _NEEDED)):
        return None
    return table


def read_page(
    connection: sqlite3.Connection,
    run: str,
    after: tuple[object, int] | None,
    *,
    by_rowid: bool,
    indexed: bool,
) -> Page:
    """Return the events after one given by sequence and rowid; None starts at the first."""
    table = "FROM prism_agent_events"
    # Without an index each page would cost a full scan, so read everything at once.
    # Two more than a page: the event before it, read again, and the one that proves there are more.
    limit = f"LIMIT {PAGE_ROWS + 2}" if indexed else ""
    values: tuple[object, ...]
    if by_rowid:
        # The unary plus keeps SQLite from sorting each page by the index.
        sql = f"SELECT {_columns()} {table} WHERE +run_id = ? AND rowid > ? ORDER BY rowid {limit}"
        values = (run, -1 if after is None else after[1])
    elif after is None:
        sql = f"SELECT {_columns()} {table} WHERE run_id = ? ORDER BY sequence, rowid {limit}"
        values = (run,)
    else:
        where = "WHERE run_id = ? AND sequence >= ?"
        sql = f"SELECT {_columns()} {table} {where} ORDER BY sequence, rowid {limit}"
        values = (run, after[0])
    return _page(connection.execute(sql, values), after if not by_rowid else None, bool(limit))


def _page(cursor: sqlite3.Cursor, after: tuple[object, int] | None, limited: bool) -> Page:
    rows: list[Row] = []
    size = 0
    for row in cursor:
        if after is not None and row[1] == after[0] and row[0] <= after[1]:
            continue
        if limited and (len(rows) >= PAGE_ROWS or size > PAGE_BYTES):
            return Page(rows, True)
        rows.append(row)
        size += len(row[4]) if row[4] is not None else 0
    return Page(rows, False)


def read_added(connection: sqlite3.Connection, run: str, after_row: int) -> list[Row]:
    """Return the events of a run with a rowid above `after_row`, in rowid order.

    Reads no older row of any run.
    """
    sql = (
        f"SELECT {_columns()} FROM prism_agent_events WHERE rowid > ? AND +run_id = ?"
        " ORDER BY rowid"
    )
    return connection.execute(sql, (after_row, run)).fetchall()


def _columns() -> str:
    bare = ", ".join(f"'{kind}'" for kind in BARE)
    # Pass on what does not look like an object, so that it is reported as unreadable.
    return (
        "rowid, sequence, type, timestamp, CASE"
        f" WHEN type = '{DELTA}' THEN NULL"
        f" WHEN type IN ({bare}) AND substr(event, 1, 1) = '{{' AND substr(event, -1) = '}}'"
        " THEN NULL ELSE event END"
    )


def rows_exist(connection: sqlite3.Connection, run: str, rowids: Sequence[int]) -> bool:
    """Return whether these rows are still events of the run."""
    sql = "SELECT 1 FROM prism_agent_events WHERE rowid = ? AND +run_id = ?"
    return all(connection.execute(sql, (row, run)).fetchone() is not None for row in rowids)


def count_events(connection: sqlite3.Connection, run: str) -> int:
    """Return the number of events of a run."""
    sql = "SELECT count(*) FROM prism_agent_events WHERE run_id = ?"
    return int(connection.execute(sql, (run,)).fetchone()[0])


def reread_rows(connection: sqlite3.Connection, rowids: Sequence[int]) -> list[Row]:
    """Return the events with these rowids, in this order, without deleted ones."""
    found: dict[int, Row] = {}
    for start in range(0, len(rowids), _BATCH):
        part = rowids[start : start + _BATCH]
        marks = ", ".join("?" * len(part))
        sql = f"SELECT {_columns()} FROM prism_agent_events WHERE rowid IN ({marks})"
        for row in connection.execute(sql, list(part)):
            found[row[0]] = row
    return [found[row] for row in rowids if row in found]


def read_event_records(
    connection: sqlite3.Connection, tables: Tables, rowids: Sequence[int]
) -> list[Record | None]:
    """Return whole events as records of the store; None for a deleted one."""
    table = event_table(tables)
    if table is None:
        return [None] * len(rowids)
    columns = readable_columns(table)
    listed = ", ".join(map(quoted, columns))
    found: dict[int, Record] = {}
    for start in range(0, len(rowids), _BATCH):
        part = rowids[start : start + _BATCH]
        marks = ", ".join("?" * len(part))
        sql = f"SELECT rowid, {listed} FROM prism_agent_events WHERE rowid IN ({marks})"
        for rowid, *cells in connection.execute(sql, list(part)):
            found[rowid] = record_of("prism_agent_events", columns, cells)
    return [found.get(row) for row in rowids]


# One read of a run


@dataclass(frozen=True, slots=True)
class Loaded:
    """The result of one read."""

    layout: Layout
    summary: RunSummary | None
    session: SessionSummary | None
    checkpoint: Checkpoint | None
    prompt: str | None
    last_entry_at: int | None
    usage: tuple[UsageRow, ...]
    counts: Mapping[str, int | None]
    """Rows of the tables behind tabs; None for more than MOST_COUNTED."""
    page: Page
    from_start: bool
    """Whether the page starts at the first event because the known ones are no longer valid."""


@dataclass(frozen=True, slots=True)
class LoadRequest:
    """What is already known of a run."""

    run: str
    timeline: Timeline
    """Its events so far; not modified."""
    layout: Layout | None = None
    prompt: str | None = None
    session: str | None = None
    counted: bool = False
    """Whether to count the events, which reveals that old ones were deleted."""


def load_query(request: LoadRequest) -> Callable[[sqlite3.Connection], Loaded]:
    """Return the query for a read; it has no side effects and may run twice."""

    def load(connection: sqlite3.Connection) -> Loaded:
        layout = layout_of(connection, request.layout)
        tables = layout.tables
        row = next(run_rows(connection, tables, request.run), None)
        summary = None if row is None else run_summary(row)
        session = summary.session if summary is not None else request.session
        page, from_start = _events(connection, layout, request)
        return Loaded(
            layout,
            summary,
            session_summary(connection, tables, session),
            next(read_some_checkpoints(connection, tables, [(AGENT_RUN, request.run)]), None),
            request.prompt or _prompt(connection, layout, session, request.run),
            _last_entry(connection, layout, session, request.run),
            tuple(usage_rows(connection, tables, run_id=request.run)),
            _counts(connection, tables, request.run, session),
            page,
            from_start,
        )

    return load


def page_query(
    run: str, after: tuple[object, int] | None, layout: Layout, by_rowid: bool
) -> Callable[[sqlite3.Connection], Page]:
    """Return the query for the next page of events."""
    return lambda connection: read_page(
        connection, run, after, by_rowid=by_rowid, indexed=layout.event_index
    )


def _events(
    connection: sqlite3.Connection, layout: Layout, request: LoadRequest
) -> tuple[Page, bool]:
    if event_table(layout.tables) is None:
        return Page((), False), True
    if len(request.timeline) and layout is request.layout:
        added = _added(connection, request.run, request.timeline, request.counted)
        if added is not None:
            return Page(added, False), False
    page = read_page(connection, request.run, None, by_rowid=False, indexed=layout.event_index)
    return page, True


def _added(
    connection: sqlite3.Connection, run: str, known: Timeline, counted: bool
) -> list[Row] | None:
    """Return the added events; None if the known ones have changed."""
    last = known.last
    if last is None or not rows_exist(connection, run, (known.rows[0], last[1])):
        return None
    added = read_added(connection, run, known.newest_row)
    if not known.repeats:
        added.sort(key=_by_sequence)
        if has_repeats(added, last):
            return None
    if not known.follows(added):
        return None
    if counted and count_events(connection, run) != len(known) + len(added):
        return None
    return added


def _by_sequence(row: Row) -> tuple[bool, int, int]:
    sequence = row[1]
    return (False, sequence, row[0]) if isinstance(sequence, int) else (True, 0, row[0])


def _prompt(
    connection: sqlite3.Connection, layout: Layout, session: str | None, run: str
) -> str | None:
    if session is None or not layout.entry_index:
        return None
    return first_message(connection, session, run)


def _last_entry(
    connection: sqlite3.Connection, layout: Layout, session: str | None, run: str
) -> int | None:
    if session is None or not layout.entry_index:
        return None
    found = connection.execute(
        "SELECT max(timestamp) FROM prism_session_entries WHERE session_id = ? AND run_id = ?",
        (session, run),
    ).fetchone()
    return instant_of(found[0])


def _counts(
    connection: sqlite3.Connection, tables: Tables, run: str, session: str | None
) -> Mapping[str, int | None]:
    counts: dict[str, int | None] = {}
    for name, column in COUNTED:
        table = tables.get(name)
        if table is None:
            continue
        value = session if column == "session_id" else run
        rows = (
            f"SELECT 1 FROM {quoted(name)} WHERE {equals(table, column)} LIMIT {MOST_COUNTED + 1}"
        )
        found = connection.execute(f"SELECT count(*) FROM ({rows})", (value,)).fetchone()[0]
        counts[name] = None if found > MOST_COUNTED else found
    return counts
