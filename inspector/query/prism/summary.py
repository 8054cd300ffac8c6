"""One read of a store for its list: what was added or changed since the last one.

A question has no effect but its answer and may be asked again, so what is known goes in frozen and
what is new comes out. Nothing here looks at every event, entry or usage row more than once.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from inspector.query.prism.cells import (
    instant_of,
    mapping,
    name_of,
    text_of,
    text_or_none,
    whole_number,
)
from inspector.query.prism.heads import (
    WORKFLOW,
    Checkpoint,
    Lease,
    SessionHead,
    first_message,
    read_leases,
    read_some_checkpoints,
    run_rows,
    title_of,
)
from inspector.query.prism.layout import Layout, Row, layout_of, newest_row
from inspector.query.prism.usage import UsageRow, usage_rows
from inspector.query.tables import Tables

MOST_ORPHANS = 1000


@dataclass(frozen=True, slots=True)
class Marks:
    """The newest row of each growing table; -1 before the first."""

    event: int = -1
    entry: int = -1
    usage: int = -1


@dataclass(frozen=True, slots=True)
class Asked:
    """What is already known."""

    layout: Layout | None = None
    marks: Marks = Marks()
    runs: Mapping[str, Row] = field(default_factory=dict)
    prompted: frozenset[str] = frozenset()
    """Runs whose first message is known."""
    checkpoints: Mapping[tuple[str, str], int | None] = field(default_factory=dict)
    """Namespace and key → version."""
    outcomes: frozenset[str] = frozenset()
    """Suspended runs that are known to have been denied."""


@dataclass(frozen=True, slots=True)
class Found:
    """What one read found. Mappings hold what is new; sequences are whole unless said."""

    layout: Layout
    marks: Marks
    whole: bool
    """Whether it was read from the beginning."""
    runs: tuple[Row, ...]
    sessions: Mapping[str, SessionHead]
    activity: Mapping[str, int]
    """Run → its newest event or entry, UTC ms; of the runs that something was added to."""
    prompts: Mapping[str, str]
    denied: frozenset[str]
    orphans: Mapping[str, str | None]
    """Runs without a row that events name → their session."""
    changed: tuple[Checkpoint, ...]
    present: frozenset[tuple[str, str]]
    leaf_runs: Mapping[str, str]
    """Entry → its run, for the leaves that nodes of changed workflows name."""
    leases: tuple[Lease, ...]
    usage: tuple[UsageRow, ...]
    """Rows that were added."""


def summary(asked: Asked) -> Callable[[sqlite3.Connection], Found]:
    """The question to ask."""

    def ask(connection: sqlite3.Connection) -> Found:
        layout = layout_of(connection, asked.layout)
        known = asked if layout is asked.layout and not _shrank(connection, asked) else Asked()
        return _Summary(connection, layout, known).found()

    return ask


def _shrank(connection: sqlite3.Connection, asked: Asked) -> bool:
    """Whether rows that were known are gone: retention, or a database that was put back."""
    if asked.layout is None:
        return True
    newest = _marks(connection, asked.layout.tables)
    return (
        newest.event < asked.marks.event
        or newest.entry < asked.marks.entry
        or newest.usage < asked.marks.usage
    )


def _marks(connection: sqlite3.Connection, tables: Tables) -> Marks:
    return Marks(
        *(
            newest_row(connection, tables, name)
            for name in ("prism_agent_events", "prism_session_entries", "prism_usage")
        )
    )


class _Summary:
    """The parts of one read."""

    def __init__(self, connection: sqlite3.Connection, layout: Layout, known: Asked) -> None:
        self._connection = connection
        self._layout = layout
        self._tables = layout.tables
        self._known = known
        self._whole = known.layout is None

    def found(self) -> Found:
        """All of it."""
        rows = tuple(run_rows(self._connection, self._tables))
        sessions_of = {text_of(row[0]): text_or_none(row[1]) for row in rows}
        touched, strangers = self._touched(sessions_of)
        changed, present = self._checkpoints()
        return Found(
            layout=self._layout,
            marks=_marks(self._connection, self._tables),
            whole=self._whole,
            runs=rows,
            sessions=dict(self._sessions()),
            activity=dict(self._activity(touched, sessions_of)),
            prompts=dict(self._prompts(sessions_of)),
            denied=frozenset(self._denied(rows)),
            orphans=strangers,
            changed=changed,
            present=present,
            leaf_runs=dict(self._leaf_runs(changed)),
            leases=tuple(read_leases(self._connection, self._tables)),
            usage=tuple(usage_rows(self._connection, self._tables, after=self._known.marks.usage)),
        )

    def _touched(
        self, runs: Mapping[str, str | None]
    ) -> tuple[Iterable[str], dict[str, str | None]]:
        """Runs that may have newer events or entries, and runs without a row of their own."""
        named: dict[str, str | None] = {}
        if self._whole:
            named.update(self._runs_of_events())
            strangers = {run: named[run] for run in named if run not in runs}
            return (*runs, *strangers), dict(list(strangers.items())[:MOST_ORPHANS])
        for name, mark in (
            ("prism_agent_events", self._known.marks.event),
            ("prism_session_entries", self._known.marks.entry),
        ):
            table = self._tables.get(name)
            if table is None or not table.has("run_id") or not table.has_rowid:
                continue
            # Without DISTINCT: for that SQLite would go through the whole index of runs.
            sql = (
                f"SELECT run_id, {table.column('session_id')} FROM {name}"
                " WHERE rowid > ? AND +run_id IS NOT NULL"
            )
            for run, session in self._connection.execute(sql, (mark,)):
                if name == "prism_agent_events" or text_of(run) in runs:
                    named.setdefault(text_of(run), text_or_none(session))
        fresh = [run for run in runs if run not in self._known.runs]
        strangers = {run: session for run, session in named.items() if run not in runs}
        return {*named, *fresh}, strangers

    def _runs_of_events(self) -> Iterator[tuple[str, str | None]]:
        """Every run that events name: by hops through the index, never by a scan."""
        table = self._tables.get("prism_agent_events")
        if table is None or not self._layout.event_index:
            return
        session = table.column("session_id")
        sql = (
            "WITH RECURSIVE hop(run) AS (SELECT min(run_id) FROM prism_agent_events UNION ALL"
            " SELECT (SELECT min(run_id) FROM prism_agent_events WHERE run_id > run) FROM hop"
            " WHERE run IS NOT NULL)"
            f" SELECT run, (SELECT {session} FROM prism_agent_events WHERE run_id = run LIMIT 1)"
            " FROM hop WHERE run IS NOT NULL"
        )
        for run, in_session in self._connection.execute(sql):
            yield text_of(run), text_or_none(in_session)

    def _activity(
        self, touched: Iterable[str], sessions: Mapping[str, str | None]
    ) -> Iterator[tuple[str, int]]:
        scanned = {} if self._layout.event_index else dict(self._scanned())
        for run in touched:
            last = self._last_event(run) if self._layout.event_index else scanned.get(run)
            moments = [last, self._last_entry(run, sessions.get(run))]
            known = [moment for moment in moments if moment is not None]
            if known:
                yield run, max(known)

    def _scanned(self) -> Iterator[tuple[str, int | None]]:
        """The newest instant of each run among the new events, where no index finds it."""
        table = self._tables.get("prism_agent_events")
        if table is None or not (table.has("run_id") and table.has("timestamp")):
            return
        where = f"WHERE rowid > {self._known.marks.event}" if table.has_rowid else ""
        for run, moment in self._connection.execute(
            f"SELECT run_id, max(timestamp) FROM prism_agent_events {where} GROUP BY run_id"
        ):
            yield text_of(run), instant_of(moment)

    def _last_event(self, run: str) -> int | None:
        found = self._connection.execute(
            "SELECT timestamp FROM prism_agent_events WHERE run_id = ?"
            " ORDER BY sequence DESC LIMIT 1",
            (run,),
        ).fetchone()
        return None if found is None else instant_of(found[0])

    def _last_entry(self, run: str, session: str | None) -> int | None:
        if not self._layout.entry_index or session is None:
            return None
        found = self._connection.execute(
            "SELECT max(timestamp) FROM prism_session_entries WHERE session_id = ? AND run_id = ?",
            (session, run),
        ).fetchone()
        return instant_of(found[0])

    def _prompts(self, sessions: Mapping[str, str | None]) -> Iterator[tuple[str, str]]:
        """What each run was asked: its first message."""
        if not self._layout.entry_index:
            return
        for run, session in sessions.items():
            if run in self._known.prompted or session is None:
                continue
            text = first_message(self._connection, session, run)
            if text:
                yield run, text

    def _denied(self, rows: Iterable[Row]) -> Iterator[str]:
        """Suspended runs whose events say that they were denied."""
        if not self._layout.event_index:
            return
        for row in rows:
            if row[2] == "suspended":
                run = text_of(row[0])
                if run in self._known.outcomes or self._says_denied(run):
                    yield run

    def _says_denied(self, run: str) -> bool:
        found = self._connection.execute(
            "SELECT type FROM prism_agent_events WHERE run_id = ?"
            " AND type IN ('agent_started', 'agent_suspended', 'agent_denied')"
            " ORDER BY sequence DESC LIMIT 1",
            (run,),
        ).fetchone()
        return found is not None and found[0] == "agent_denied"

    def _checkpoints(self) -> tuple[tuple[Checkpoint, ...], frozenset[tuple[str, str]]]:
        table = self._tables.get("prism_checkpoints")
        if table is None or not (table.has("namespace") and table.has("key")):
            return (), frozenset()
        versions = {
            (text_of(namespace), text_of(key)): whole_number(version)
            for namespace, key, version in self._connection.execute(
                f"SELECT namespace, key, {table.column('version')} FROM prism_checkpoints"
            )
        }
        stale = [one for one, version in versions.items() if self._is_stale(one, version)]
        changed = tuple(read_some_checkpoints(self._connection, self._tables, stale))
        return changed, frozenset(versions)

    def _leaf_runs(self, changed: Iterable[Checkpoint]) -> Iterator[tuple[str, str]]:
        table = self._tables.get("prism_session_entries")
        if table is None or not (table.has("id") and table.has("run_id")):
            return
        for checkpoint in changed:
            for leaf in leaves_of(checkpoint):
                found = self._connection.execute(
                    "SELECT run_id FROM prism_session_entries WHERE id = ?", (leaf,)
                ).fetchone()
                if found is not None and found[0] is not None:
                    yield leaf, text_of(found[0])

    def _is_stale(self, one: tuple[str, str], version: int | None) -> bool:
        known = self._known.checkpoints
        return version is None or one not in known or known[one] != version

    def _sessions(self) -> Iterator[tuple[str, SessionHead]]:
        table = self._tables.get("prism_sessions")
        if table is None or not table.has("id"):
            return
        parent, metadata = table.column("parent_session_id"), table.column("metadata")
        for id_, above, told in self._connection.execute(
            f"SELECT id, {parent}, {metadata} FROM prism_sessions"
        ):
            session = text_of(id_)
            yield session, SessionHead(session, title_of(told), text_or_none(above))


def leaves_of(checkpoint: Checkpoint) -> Iterator[str]:
    """The entries at which the agents of a workflow's nodes ended."""
    if checkpoint.namespace != WORKFLOW:
        return
    for node in mapping(checkpoint.value.get("nodes")).values():
        leaf = name_of(mapping(node).get("leafId"))
        if leaf is not None:
            yield leaf
