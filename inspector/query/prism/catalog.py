"""The list of a store's runs, updated from what was added since the last read.

Queries have no side effects and may run twice: what is known goes in as frozen data, what is new
comes out. Each event, entry and usage row is read once. Unchanged runs stay the same objects.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from inspector.derive.spending import Spending
from inspector.model.run import Run
from inspector.model.status import Status
from inspector.model.store import Store
from inspector.query.prism import view
from inspector.query.prism.cells import (
    instant_of,
    mapping,
    name_of,
    sequence,
    text_of,
    text_or_none,
    whole_number,
)
from inspector.query.prism.layout import Layout, Row, layout_of, newest_row
from inspector.query.prism.row_summaries import (
    AGENT_RUN,
    RUN_LEASE,
    SAGA_LEASE,
    WORKFLOW,
    Checkpoint,
    Lease,
    RunSummary,
    SessionSummary,
    first_message,
    read_leases,
    read_some_checkpoints,
    run_rows,
    run_summary,
    title_of,
)
from inspector.query.prism.usage import UsageRow, judged_run, judged_without_run, usage_rows
from inspector.query.prism.workflows import Workflow, workflow_of
from inspector.query.tables import Tables

MOST_ORPHANS = 1000


AGE_MS = 60_000
"""How often active runs are rebuilt without a write."""


_MOVING = (Status.RUNNING, Status.WAITING)


# Reading


@dataclass(frozen=True, slots=True)
class NewestRows:
    """The newest rowid of each growing table; -1 if empty."""

    event: int = -1
    entry: int = -1
    usage: int = -1


@dataclass(frozen=True, slots=True)
class Known:
    """What is already known."""

    layout: Layout | None = None
    newest: NewestRows = NewestRows()
    runs: Mapping[str, Row] = field(default_factory=dict)
    prompted: frozenset[str] = frozenset()
    """Runs whose first message is known."""
    checkpoints: Mapping[tuple[str, str], int | None] = field(default_factory=dict)
    """Namespace and key → version."""
    outcomes: frozenset[str] = frozenset()
    """Suspended runs known to have been denied."""


@dataclass(frozen=True, slots=True)
class Changes:
    """The result of one read: mappings hold changes, sequences everything unless noted."""

    layout: Layout
    newest: NewestRows
    whole: bool
    """Whether everything was read again."""
    runs: tuple[Row, ...]
    sessions: Mapping[str, SessionSummary]
    activity: Mapping[str, int]
    """Run → its newest event or entry, UTC ms; only runs with additions."""
    prompts: Mapping[str, str]
    denied: frozenset[str]
    orphans: Mapping[str, str | None]
    """Runs that only events name → their session."""
    changed: tuple[Checkpoint, ...]
    present: frozenset[tuple[str, str]]
    leaf_runs: Mapping[str, str]
    """Entry → run, for the leaves named by nodes of changed workflows."""
    leases: tuple[Lease, ...]
    usage: tuple[UsageRow, ...]
    """Added rows."""


def changes_query(known: Known) -> Callable[[sqlite3.Connection], Changes]:
    """Return the query for what was added or changed."""

    def read(connection: sqlite3.Connection) -> Changes:
        layout = layout_of(connection, known.layout)
        is_valid = layout is known.layout and not _has_lost_rows(connection, known)
        return _Read(connection, layout, known if is_valid else Known()).changes()

    return read


def _has_lost_rows(connection: sqlite3.Connection, known: Known) -> bool:
    """Return whether known rows have gone, by retention or a restored database."""
    if known.layout is None:
        return True
    newest = _newest_rows(connection, known.layout.tables)
    return (
        newest.event < known.newest.event
        or newest.entry < known.newest.entry
        or newest.usage < known.newest.usage
    )


def _newest_rows(connection: sqlite3.Connection, tables: Tables) -> NewestRows:
    return NewestRows(
        *(
            newest_row(connection, tables, name)
            for name in ("prism_agent_events", "prism_session_entries", "prism_usage")
        )
    )


class _Read:
    """One read of the store."""

    def __init__(self, connection: sqlite3.Connection, layout: Layout, known: Known) -> None:
        self._connection = connection
        self._layout = layout
        self._tables = layout.tables
        self._known = known
        self._whole = known.layout is None

    def changes(self) -> Changes:
        """Run every part of the read."""
        rows = tuple(run_rows(self._connection, self._tables))
        sessions_of = {text_of(row[0]): text_or_none(row[1]) for row in rows}
        touched, without_row = self._runs_with_additions(sessions_of)
        changed, present = self._checkpoints()
        return Changes(
            layout=self._layout,
            newest=_newest_rows(self._connection, self._tables),
            whole=self._whole,
            runs=rows,
            sessions=dict(self._sessions()),
            activity=dict(self._activity(touched, sessions_of)),
            prompts=dict(self._prompts(sessions_of)),
            denied=frozenset(self._denied(rows)),
            orphans=without_row,
            changed=changed,
            present=present,
            leaf_runs=dict(self._leaf_runs(changed)),
            leases=tuple(read_leases(self._connection, self._tables)),
            usage=tuple(usage_rows(self._connection, self._tables, after=self._known.newest.usage)),
        )

    def _runs_with_additions(
        self, runs: Mapping[str, str | None]
    ) -> tuple[Iterable[str], dict[str, str | None]]:
        """Return runs with possible additions, and runs without a row (run → session)."""
        named: dict[str, str | None] = {}
        if self._whole:
            named.update(self._runs_of_events())
            without_row = {run: named[run] for run in named if run not in runs}
            return (*runs, *without_row), dict(list(without_row.items())[:MOST_ORPHANS])
        for name, mark in (
            ("prism_agent_events", self._known.newest.event),
            ("prism_session_entries", self._known.newest.entry),
        ):
            table = self._tables.get(name)
            if table is None or not table.has("run_id") or not table.has_rowid:
                continue
            # DISTINCT would make SQLite walk the whole index of runs.
            sql = (
                f"SELECT run_id, {table.column('session_id')} FROM {name}"
                " WHERE rowid > ? AND +run_id IS NOT NULL"
            )
            for run, session in self._connection.execute(sql, (mark,)):
                if name == "prism_agent_events" or text_of(run) in runs:
                    named.setdefault(text_of(run), text_or_none(session))
        fresh = [run for run in runs if run not in self._known.runs]
        without_row = {run: session for run, session in named.items() if run not in runs}
        return {*named, *fresh}, without_row

    def _runs_of_events(self) -> Iterator[tuple[str, str | None]]:
        """Yield every run named by events, by hopping through the index instead of a scan."""
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
        scanned = {} if self._layout.event_index else dict(self._newest_by_scan())
        for run in touched:
            last = self._last_event(run) if self._layout.event_index else scanned.get(run)
            moments = [last, self._last_entry(run, sessions.get(run))]
            known = [moment for moment in moments if moment is not None]
            if known:
                yield run, max(known)

    def _newest_by_scan(self) -> Iterator[tuple[str, int | None]]:
        """Yield each run's newest timestamp among the new events, where no index finds it."""
        table = self._tables.get("prism_agent_events")
        if table is None or not (table.has("run_id") and table.has("timestamp")):
            return
        where = f"WHERE rowid > {self._known.newest.event}" if table.has_rowid else ""
        for run, moment in self._connection.execute(
            f"SELECT run_id, max(timestamp) FROM prism_agent_events {where} GROUP BY run_id"
        ):
            yield text_of(run), instant_of(moment)

    def _last_event(self, run: str) -> int | None:
        row = self._connection.execute(
            "SELECT timestamp FROM prism_agent_events WHERE run_id = ?"
            " ORDER BY sequence DESC LIMIT 1",
            (run,),
        ).fetchone()
        return None if row is None else instant_of(row[0])

    def _last_entry(self, run: str, session: str | None) -> int | None:
        if not self._layout.entry_index or session is None:
            return None
        row = self._connection.execute(
            "SELECT max(timestamp) FROM prism_session_entries WHERE session_id = ? AND run_id = ?",
            (session, run),
        ).fetchone()
        return instant_of(row[0])

    def _prompts(self, sessions: Mapping[str, str | None]) -> Iterator[tuple[str, str]]:
        """Yield the first message of each run."""
        if not self._layout.entry_index:
            return
        for run, session in sessions.items():
            if run in self._known.prompted or session is None:
                continue
            text = first_message(self._connection, session, run)
            if text:
                yield run, text

    def _denied(self, rows: Iterable[Row]) -> Iterator[str]:
        """Yield suspended runs whose events report a denial."""
        if not self._layout.event_index:
            return
        for row in rows:
            if row[2] == "suspended":
                run = text_of(row[0])
                if run in self._known.outcomes or self._reports_denial(run):
                    yield run

    def _reports_denial(self, run: str) -> bool:
        row = self._connection.execute(
            "SELECT type FROM prism_agent_events WHERE run_id = ?"
            " AND type IN ('agent_started', 'agent_suspended', 'agent_denied')"
            " ORDER BY sequence DESC LIMIT 1",
            (run,),
        ).fetchone()
        return row is not None and row[0] == "agent_denied"

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
                row = self._connection.execute(
                    "SELECT run_id FROM prism_session_entries WHERE id = ?", (leaf,)
                ).fetchone()
                if row is not None and row[0] is not None:
                    yield leaf, text_of(row[0])

    def _is_stale(self, one: tuple[str, str], version: int | None) -> bool:
        known = self._known.checkpoints
        return version is None or one not in known or known[one] != version

    def _sessions(self) -> Iterator[tuple[str, SessionSummary]]:
        table = self._tables.get("prism_sessions")
        if table is None or not table.has("id"):
            return
        parent, metadata = table.column("parent_session_id"), table.column("metadata")
        for id_, above, metadata_json in self._connection.execute(
            f"SELECT id, {parent}, {metadata} FROM prism_sessions"
        ):
            session = text_of(id_)
            yield session, SessionSummary(session, title_of(metadata_json), text_or_none(above))


def leaves_of(checkpoint: Checkpoint) -> Iterator[str]:
    """Yield the entries at which the agents of a workflow's nodes ended."""
    if checkpoint.namespace != WORKFLOW:
        return
    for node in mapping(checkpoint.value.get("nodes")).values():
        leaf = name_of(mapping(node).get("leafId"))
        if leaf is not None:
            yield leaf


# The list


@dataclass(frozen=True, slots=True)
class _CachedRun:
    """A run and what it was built from."""

    facts: view.AgentSource
    at: int
    run: Run

    def is_current(self, facts: view.AgentSource, store: Store, now: int) -> bool:
        """Return whether the run needs no rebuild."""
        if facts != self.facts or store != self.run.store:
            return False
        # Silence and deadlines change with time alone.
        return self.run.status not in _MOVING or now - self.at < AGE_MS


class Catalog:
    """The runs of one store. Used by one thread at a time."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._layout: Layout | None = None
        self._newest_rows = NewestRows()
        self._rows: dict[str, Row] = {}
        self._summaries: dict[str, RunSummary] = {}
        self._activity: dict[str, int] = {}
        self._prompts: dict[str, str] = {}
        self._denied: frozenset[str] = frozenset()
        self._orphans: dict[str, str | None] = {}
        self._checkpoints: dict[tuple[str, str], Checkpoint] = {}
        self._leases: dict[tuple[str, str], Lease] = {}
        self._sessions: Mapping[str, SessionSummary] = {}
        self._usage: dict[str | None, list[UsageRow]] = {}
        self._leaf_runs: dict[str, str] = {}
        self._spending: dict[str, list[Spending]] = {}
        self._without_run: list[Spending] = []
        self._workflows: dict[str, Workflow] = {}
        """By the last part of their run keys."""
        self._parents: dict[str, str] = {}
        self._cached: dict[str, _CachedRun] = {}

    def known(self) -> Known:
        """Return what need not be read again."""
        return Known(
            self._layout,
            self._newest_rows,
            self._rows,
            frozenset(self._prompts),
            {name: one.version for name, one in self._checkpoints.items()},
            self._denied,
        )

    def merge(self, changes: Changes) -> None:
        """Merge the result of a read."""
        if changes.whole:
            self._forget()
        self._layout, self._newest_rows = changes.layout, changes.newest
        changed_runs = self._merge_rows(changes.runs)
        self._sessions = changes.sessions
        self._activity.update(changes.activity)
        self._prompts.update(changes.prompts)
        self._denied = changes.denied
        self._orphans = {
            run: session
            for run, session in {**self._orphans, **changes.orphans}.items()
            if run not in self._rows
        }
        kept = {name: self._checkpoints[name] for name in changes.present & set(self._checkpoints)}
        for one in changes.changed:
            kept[one.namespace, one.key] = one
        self._checkpoints = kept
        self._leases = {(one.namespace, one.key): one for one in changes.leases}
        self._leaf_runs.update(changes.leaf_runs)
        self._workflows = dict(self._named_workflows())
        self._parents = {}
        for child, parent in self._known_parents():
            self._parents.setdefault(child, parent)
        self._judge_usage({*changed_runs, *self._add_usage(changes.usage)})

    def _forget(self) -> None:
        self._rows, self._summaries = {}, {}
        self._activity, self._prompts, self._orphans = {}, {}, {}
        self._checkpoints, self._leaf_runs = {}, {}
        self._usage, self._spending, self._without_run = {}, {}, []

    def _merge_rows(self, rows: Sequence[Row]) -> list[str]:
        """Merge the rows of runs; returns the ids of changed ones."""
        summaries: dict[str, RunSummary] = {}
        known: dict[str, Row] = {}
        changed: list[str] = []
        for row in rows:
            run = text_of(row[0])
            if self._rows.get(run) == row:
                summaries[run] = self._summaries[run]
            else:
                summaries[run] = run_summary(row)
                changed.append(run)
            known[run] = row
        self._rows, self._summaries = known, summaries
        return changed

    def _add_usage(self, rows: Sequence[UsageRow]) -> set[str | None]:
        """Add usage rows; returns the runs to total again (None: rows without a run)."""
        for row in rows:
            self._usage.setdefault(row.run, []).append(row)
        touched = {row.run for row in rows}
        return touched | {None} if rows and None in self._usage else touched

    def _named_workflows(self) -> Iterator[tuple[str, Workflow]]:
        taken = set(self._summaries)
        for (namespace, _), checkpoint in sorted(self._checkpoints.items()):
            if namespace != WORKFLOW:
                continue
            workflow = workflow_of(checkpoint)
            name = workflow.run_id if workflow.run_id not in taken else checkpoint.key
            taken.add(name)
            yield name, workflow

    def _known_parents(self) -> Iterator[tuple[str, str]]:
        """Yield (run, parent run) pairs from checkpoints, the most reliable first."""
        oldest = sorted(self._workflows.values(), key=lambda one: one.checkpoint.created_at or 0)
        for workflow in oldest:
            if workflow.parent_run is not None:
                yield workflow.run_id, workflow.parent_run
            for leaf in leaves_of(workflow.checkpoint):
                # A replay names the leaves of the run it repeats; they belong to the oldest.
                if leaf in self._leaf_runs:
                    yield self._leaf_runs[leaf], workflow.run_id
        for (namespace, run), checkpoint in self._checkpoints.items():
            if namespace != AGENT_RUN:
                continue
            for nested in map(mapping, sequence(checkpoint.value.get("nestedRuns"))):
                child = name_of(nested.get("runId"))
                if child is not None and child != run:
                    yield child, run

    def _judge_usage(self, runs: Iterable[str | None]) -> None:
        """Decide again which usage rows of these runs count."""
        busy: set[str | None] | None = None
        for run in runs:
            rows = self._usage.get(run)
            if rows is None:
                continue
            if run is not None:
                summary = self._summaries.get(run)
                model = None if summary is None else summary.model
                succeeded = summary is not None and summary.status == "succeeded"
                key = view.run_key(self._path, self._name_of(run))
                self._spending[run] = judged_run(rows, key, model, succeeded)
            elif busy is None:
                busy = {row.session for one, of in self._usage.items() if one for row in of}
                self._without_run = judged_without_run(rows, busy)

    @property
    def layout(self) -> Layout:
        """The layout of the last read."""
        assert self._layout is not None
        return self._layout

    @property
    def known_layout(self) -> Layout | None:
        """The layout of the last read; None before the first."""
        return self._layout

    @property
    def sessions(self) -> Mapping[str, SessionSummary]:
        """Sessions by id."""
        return self._sessions

    def spending(self) -> list[Spending]:
        """Return every usage row in the order of the runs, those without a run last."""
        others = sorted(run for run in self._spending if run not in self._summaries)
        runs = (*self._summaries, *others)
        listed = [one for run in runs for one in self._spending.get(run, ())]
        return [*listed, *self._without_run]

    def runs(self, store: Store, now: int) -> Iterator[Run]:
        """Yield agent runs in the store's order, then runs without a row, then workflows."""
        made: dict[str, _CachedRun] = {}
        for run in (*self._summaries, *self._orphans):
            facts = self.agent_facts(run)
            known = self._cached.get(run)
            if known is None or not known.is_current(facts, store, now):
                known = _CachedRun(facts, now, view.agent_run(self._path, store, facts, now))
            made[run] = known
            yield known.run
        self._cached = made
        for name, workflow in self._workflows.items():
            yield view.workflow_run(self._path, store, self._workflow_facts(name, workflow), now)

    def agent_facts(self, run: str) -> view.AgentSource:
        """Collect what an agent run is built from."""
        summary = self._summaries.get(run)
        session = summary.session if summary is not None else self._orphans.get(run)
        known = self._sessions.get(session or "")
        parent = self._parents.get(run)
        return view.AgentSource(
            id=run,
            summary=summary,
            session=session,
            checkpoint=self._checkpoints.get((AGENT_RUN, run)),
            denied=run in self._denied,
            title=None if known is None else known.title,
            prompt=self._prompts.get(run),
            last_activity_at=self._activity.get(run),
            parent_key=None if parent is None else view.run_key(self._path, self._name_of(parent)),
            spending=self._spending.get(run, ()),
        )

    def _name_of(self, run: str) -> str:
        """Return the last part of a run's key."""
        if run in self._summaries or run in self._workflows:
            return run
        named = (name for name, one in self._workflows.items() if one.run_id == run)
        return next(named, run)

    def _workflow_facts(self, name: str, workflow: Workflow) -> view.WorkflowSource:
        namespace = SAGA_LEASE if workflow.is_saga else RUN_LEASE
        parent = workflow.parent_run
        return view.WorkflowSource(
            workflow,
            name,
            self._leases.get((namespace, workflow.lease_key)),
            parent_key=None if parent is None else view.run_key(self._path, self._name_of(parent)),
        )
