"""One read of what an agent run's head needs, and of the events that were added."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from inspector.query.prism.cells import instant_of
from inspector.query.prism.event_pages import (
    Page,
    are_there,
    count_events,
    event_table,
    read_added,
    read_page,
)
from inspector.query.prism.events import Row
from inspector.query.prism.heads import (
    AGENT_RUN,
    Checkpoint,
    RunHead,
    SessionHead,
    first_message,
    read_some_checkpoints,
    run_head,
    run_rows,
    session_head,
)
from inspector.query.prism.layout import Layout, layout_of
from inspector.query.prism.store_rows import equals
from inspector.query.prism.timeline import Timeline, has_repeats
from inspector.query.prism.usage import UsageRow, usage_rows
from inspector.query.tables import Tables, quoted

COUNTED = (
    ("prism_session_entries", "session_id"),
    ("prism_tool_calls", "run_id"),
    ("prism_usage", "run_id"),
    ("prism_run_feedback", "run_id"),
)
"""Tables behind tabs, and by which of the run's names their rows are found."""
MOST_COUNTED = 1_000
"""More rows than these are not counted with every read."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """What one read found."""

    layout: Layout
    head: RunHead | None
    session: SessionHead | None
    checkpoint: Checkpoint | None
    prompt: str | None
    last_entry_at: int | None
    usage: tuple[UsageRow, ...]
    counts: Mapping[str, int | None]
    """Rows of the tables behind tabs; None where there are too many to count."""
    page: Page
    fresh: bool
    """Whether the page begins at the first event, because what was known does not hold."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is known of a run."""

    run: str
    timeline: Timeline
    """Its events so far; only looked at."""
    layout: Layout | None = None
    prompt: str | None = None
    session: str | None = None
    counted: bool = False
    """Whether events are to be counted, so that it shows when old ones were taken away."""


def loader(wanted: Wanted) -> Callable[[sqlite3.Connection], Loaded]:
    """The question to ask: it has no effect but its answer."""

    def load(connection: sqlite3.Connection) -> Loaded:
        layout = layout_of(connection, wanted.layout)
        tables = layout.tables
        row = next(run_rows(connection, tables, wanted.run), None)
        head = None if row is None else run_head(row)
        session = head.session if head is not None else wanted.session
        page, fresh = _events(connection, layout, wanted)
        return Loaded(
            layout,
            head,
            session_head(connection, tables, session),
            next(read_some_checkpoints(connection, tables, [(AGENT_RUN, wanted.run)]), None),
            wanted.prompt or _prompt(connection, layout, session, wanted.run),
            _last_entry(connection, layout, session, wanted.run),
            tuple(usage_rows(connection, tables, run_id=wanted.run)),
            _counts(connection, tables, wanted.run, session),
            page,
            fresh,
        )

    return load


def pager(
    run: str, after: tuple[object, int] | None, layout: Layout, by_writing: bool
) -> Callable[[sqlite3.Connection], Page]:
    """The question for further events."""
    return lambda connection: read_page(
        connection, run, after, by_writing=by_writing, indexed=layout.event_index
    )


def _events(connection: sqlite3.Connection, layout: Layout, wanted: Wanted) -> tuple[Page, bool]:
    if event_table(layout.tables) is None:
        return Page((), False), True
    if len(wanted.timeline) and layout is wanted.layout:
        added = _added(connection, wanted.run, wanted.timeline, wanted.counted)
        if added is not None:
            return Page(added, False), False
    page = read_page(connection, wanted.run, None, by_writing=False, indexed=layout.event_index)
    return page, True


def _added(
    connection: sqlite3.Connection, run: str, known: Timeline, counted: bool
) -> list[Row] | None:
    """The events that were added; None when those that were known do not stand as they did."""
    last = known.last
    if last is None or not are_there(connection, run, (known.rows[0], last[1])):
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
    whole = isinstance(row[1], int)
    return (not whole, row[1] if whole else 0, row[0])


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
