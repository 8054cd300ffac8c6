"""Readers of agent runs and of workflows."""

from __future__ import annotations

import sqlite3
import time
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from inspector.model.clock import Clock
from inspector.model.preflight import PreFlight
from inspector.model.run import Run
from inspector.model.step import Event
from inspector.model.store import Health
from inspector.query.prism import contents, records, view
from inspector.query.prism.cells import JsonObject
from inspector.query.prism.contents import agent_values, tool_values, workflow_values
from inspector.query.prism.events import Row
from inspector.query.prism.fold import State
from inspector.query.prism.layout import Layout, layout_of
from inspector.query.prism.preflight import (
    AgentInput,
    WorkflowInput,
    agent_preflight,
    workflow_preflight,
)
from inspector.query.prism.row_summaries import (
    RUN_LEASE,
    SAGA_LEASE,
    WORKFLOW,
    Lease,
    read_checkpoints,
    read_leases,
    read_some_checkpoints,
)
from inspector.query.prism.rows import joined, tool_rows, track_of
from inspector.query.prism.timeline import (
    Loaded,
    LoadRequest,
    Page,
    Timeline,
    has_repeats,
    load_query,
    page_query,
    reread_rows,
)
from inspector.query.prism.usage import judged_run
from inspector.query.prism.view import agent_tabs, workflow_tabs
from inspector.query.prism.workflows import ToolTrack, Workflow, workflow_of, workflow_steps
from inspector.query.reader_pool import ReaderLease
from inspector.query.run_reader import RunReader
from inspector.query.view import Capabilities, RunView, StepContext, ValueList
from inspector.store.read import Reading, StoreUnavailable

AGE_MS = 60_000
"""How often a view is rebuilt without a write, because silence and deadlines change with time."""


COUNT_SECONDS = 5.0
"""How often events are counted, which reveals deleted ones."""


class AgentRun(RunReader):
    """Reads an agent run, folding only added events. Used by one thread at a time."""

    capabilities = Capabilities(usage=True, approvals=True)

    def __init__(
        self,
        path: str,
        run: str,
        source: ReaderLease,
        clock: Clock,
        *,
        parent_key: str | None = None,
        layout: Layout | None = None,
        session: str | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._path = path
        self._run = run
        self._source = source
        self._clock = clock
        self._parent_key = parent_key
        self._layout = layout
        """As of the store reader's last read."""
        self._known_session = session
        self._monotonic = monotonic
        self._timeline = Timeline()
        self._loaded: Loaded | None = None
        self._generation = 0
        self._counted_at = monotonic()

    def refresh(self) -> RunView:
        """Read what was added and return the newest state."""
        shown = self._view
        if shown is not None and self._is_current(shown):
            return shown
        loaded = self._read()
        self._loaded = loaded
        self._view = self._build_view(self._timeline.state, newest=True)
        return self._view

    def _is_current(self, shown: RunView) -> bool:
        return not self._source.changed() and self._clock() - shown.as_of < AGE_MS

    def _read(self) -> Loaded:
        reading = self._read_with(self._request())
        if self._source.generation != self._generation and not reading.value.from_start:
            reading = self._read_with(
                LoadRequest(self._run, Timeline(), session=self._known_session)
            )
        self._generation = self._source.generation
        loaded = reading.value
        if loaded.from_start:
            self._timeline = Timeline()
        self._fold_pages(loaded.page, loaded)
        return loaded

    def _read_with(self, request: LoadRequest) -> Reading[Loaded]:
        return self._source.read(load_query(request))

    def _request(self) -> LoadRequest:
        known, due = self._loaded, self._monotonic() - self._counted_at >= COUNT_SECONDS
        if due:
            self._counted_at = self._monotonic()
        if known is None:
            return LoadRequest(self._run, self._timeline, self._layout, None, self._known_session)
        session = self._session()
        return LoadRequest(self._run, self._timeline, known.layout, known.prompt, session, due)

    def _fold_pages(self, page: Page, loaded: Loaded) -> None:
        """Fold a page and those after it; start again if sequences turn out to repeat."""
        timeline = self._timeline
        while True:
            if not timeline.repeats and has_repeats(page.rows, timeline.last):
                timeline = self._timeline = Timeline()
                timeline.repeats = True
            else:
                timeline.append(page.rows)
                if not page.more:
                    return
            query = page_query(self._run, timeline.last, loaded.layout, timeline.repeats)
            page = self._source.read(query).value

    def _at(self, event: int) -> RunView:
        return self._build_view(self._timeline.at(event, self._reread), newest=False)

    def _reread(self, rowids: Sequence[int]) -> Sequence[Row]:
        return self._source.read(lambda connection: reread_rows(connection, rowids)).value

    def events(self, first: int, count: int) -> Sequence[Event]:
        """Return events with their whole records."""
        self.current()
        first = max(first, 1)
        rowids = self._timeline.rows[first - 1 : first - 1 + max(count, 0)]
        numbers = range(first, first + len(rowids))
        tables = self._last_loaded().layout.tables
        return self._source.read(
            lambda connection: contents.events(connection, tables, rowids, numbers)
        ).value

    def values(self, frame: str | None = None, *, full: bool = False) -> ValueList:
        """Return the messages of the run."""
        self.current()
        loaded = self._last_loaded()
        return self._source.read(
            lambda connection: agent_values(connection, loaded, self._run, frame, full=full)
        ).value

    def context(self, step: int) -> StepContext:
        """Return the details of a step."""
        shown = self.current()
        described = shown.describe(step)
        numbers = contents.own_events(shown, step)
        rowids = [self._timeline.rows[n - 1] for n in numbers]
        loaded, run = self._last_loaded(), self._run

        def read(connection: sqlite3.Connection) -> StepContext:
            rows = contents.events(connection, loaded.layout.tables, rowids, numbers)
            return contents.agent_context(connection, loaded, shown, described, rows, run)

        return self._source.read(read).value

    def record(self, part: str) -> Sequence[JsonObject]:
        """Return the store's records of one part."""
        self.current()
        session = self._session()
        subject = records.Subject(session=session, run=self._run)
        return self._source.read(records.query(part, subject, self._clock())).value

    def preflight(self) -> PreFlight:
        """Return what resuming the run would do."""
        shown, known = self.refresh(), self._last_loaded()
        return agent_preflight(
            AgentInput(shown.run, known.summary, known.checkpoint, self._clock())
        )

    def changed(self) -> bool:
        """Return whether anything may have been written since the last read."""
        return self._source.changed()

    def close(self) -> None:
        """Release the shared private copy."""
        self._source.close()

    def _last_loaded(self) -> Loaded:
        assert self._loaded is not None
        return self._loaded

    def _session(self) -> str | None:
        loaded = self._last_loaded()
        return self._known_session if loaded.summary is None else loaded.summary.session

    def _build_view(self, state: State, *, newest: bool) -> RunView:
        state.flush_deltas()
        now = self._clock()
        timeline = self._timeline
        total = len(timeline)
        count = total if newest else state.events
        steps = state.steps.copy()
        open_, _ = view.open_constructs(steps)
        loaded = self._last_loaded()
        run = self._build_run(loaded, now)
        findings = view.state_findings(loaded, timeline, state, run, open_, now)
        return RunView(
            run=view.complete_run(run, steps, findings, view.agent_note(state)),
            events=count,
            total_events=total,
            steps=steps,
            step_of_event=array("i", timeline.step_of[:count]),
            failures=timeline.failures_until(count),
            open=open_,
            describe=view.step_describer(steps, loaded.checkpoint),
            as_of=now,
            tabs=agent_tabs(loaded),
        )

    def _build_run(self, loaded: Loaded, now: int) -> Run:
        layout = loaded.layout
        store = view.store_of(self._path, layout.tables, layout.verdict)
        summary = loaded.summary
        key = view.run_key(self._path, self._run)
        model = None if summary is None else summary.model
        succeeded = summary is not None and summary.status == "succeeded"
        moments = [self._timeline.state.last_at, loaded.last_entry_at]
        facts = view.AgentSource(
            id=self._run,
            summary=summary,
            session=self._session(),
            checkpoint=loaded.checkpoint,
            denied=self._timeline.state.outcome == "denied",
            title=None if loaded.session is None else loaded.session.title,
            prompt=loaded.prompt,
            last_activity_at=max((one for one in moments if one is not None), default=None),
            parent_key=self._parent_key,
            spending=judged_run(loaded.usage, key, model, succeeded),
        )
        return view.agent_run(self._path, store, facts, now)


@dataclass(frozen=True, slots=True)
class _Loaded:
    layout: Layout
    workflow: Workflow | None
    lease: Lease | None
    tools: tuple[ToolTrack, ...]
    last_tool_at: int | None


class WorkflowRun(RunReader):
    """Reads a workflow or saga. Used by one thread at a time.

    Prism records no events of workflows, only the latest state.
    """

    capabilities = Capabilities(usage=True)

    def __init__(
        self,
        path: str,
        name: str,
        run: str,
        source: ReaderLease,
        clock: Clock,
        parent_key: str | None = None,
    ) -> None:
        self._path = path
        self._name = name
        self._run = run
        self._source = source
        self._clock = clock
        self._parent_key = parent_key
        self._key: str | None = None
        """The checkpoint's key, once found."""
        self._loaded: _Loaded | None = None

    def refresh(self) -> RunView:
        """Return the newest state."""
        shown = self._view
        if shown is not None and self._is_current(shown):
            return shown
        known = None if self._loaded is None else self._loaded.layout
        loaded = self._source.read(self._loader(known)).value
        if loaded.workflow is None:
            raise StoreUnavailable(Health.GONE, "the checkpoint of this run no longer exists")
        self._loaded = loaded
        self._key = loaded.workflow.checkpoint.key
        self._view = self._build_view(loaded, loaded.workflow)
        return self._view

    def _is_current(self, shown: RunView) -> bool:
        return not self._source.changed() and self._clock() - shown.as_of < AGE_MS

    def _loader(self, known: Layout | None) -> Callable[[sqlite3.Connection], _Loaded]:
        key, run, name = self._key, self._run, self._name

        def load(connection: sqlite3.Connection) -> _Loaded:
            layout = layout_of(connection, known)
            tables = layout.tables
            workflow = _find(connection, layout, key, run, name)
            if workflow is None:
                return _Loaded(layout, None, None, (), None)
            space = SAGA_LEASE if workflow.is_saga else RUN_LEASE
            where = "WHERE namespace = ? AND key = ?"
            leases = read_leases(connection, tables, where, (space, workflow.lease_key))
            rows = tool_rows(connection, tables, run=run, order=())
            tracks = tuple(track_of(of_call) for of_call in joined(rows))
            moments = [one.finished_at or one.started_at for one in tracks]
            last = max((one for one in moments if one is not None), default=None)
            return _Loaded(layout, workflow, next(iter(leases), None), tracks, last)

        return load

    def _build_view(self, loaded: _Loaded, workflow: Workflow) -> RunView:
        now = self._clock()
        layout = loaded.layout
        steps = workflow_steps(workflow, loaded.tools)
        open_, _ = view.open_constructs(steps)
        store = view.store_of(self._path, layout.tables, layout.verdict)
        facts = view.WorkflowSource(
            workflow, self._name, loaded.lease, loaded.last_tool_at, self._parent_key
        )
        run = view.workflow_run(self._path, store, facts, now)
        return RunView(
            run=view.complete_run(run, steps, (), view.workflow_note(steps)),
            events=0,
            total_events=0,
            steps=steps,
            step_of_event=array("i"),
            failures=array("i"),
            open=open_,
            describe=steps.step,
            as_of=now,
            tabs=workflow_tabs(layout.tables, loaded.lease is not None, len(loaded.tools)),
        )

    def _at(self, event: int) -> RunView:
        """A workflow records no events: its state is always the newest."""
        return self.current()

    def events(self, first: int, count: int) -> Sequence[Event]:
        """Return nothing: Prism records no events of workflows."""
        return ()

    def values(self, frame: str | None = None, *, full: bool = False) -> ValueList:
        """Return input, state, suspension and outputs."""
        self.current()
        return workflow_values(self._workflow(), frame, full=full)

    def context(self, step: int) -> StepContext:
        """Return the details of a node or of a tool call."""
        shown = self.current()
        described = shown.describe(step)
        node, call = described.ref.get("node"), described.ref.get("tool_call_id")
        related: dict[str, tuple[JsonObject, ...]] = {}
        if isinstance(call, str):
            tables = self._last_loaded().layout.tables
            rows = self._source.read(
                lambda connection: tool_rows(connection, tables, run=self._run, call=call, order=())
            ).value
            related["prism_tool_calls"] = tuple(rows)
            found = tool_values(rows, full=False)
            listed = ValueList(None, len(found), tuple(found))
        else:
            listed = self.values(node if isinstance(node, str) else None)
        findings = tuple(one for one in shown.run.findings if one.ref == node)
        return StepContext(described, (), listed, related, findings)

    def record(self, part: str) -> Sequence[JsonObject]:
        """Return the store's records of one part."""
        self.current()
        subject = records.Subject(run=self._run, checkpoint=self._key)
        return self._source.read(records.query(part, subject, self._clock())).value

    def preflight(self) -> PreFlight:
        """Return what resuming the run would do."""
        shown, lease = self.refresh(), self._last_loaded().lease
        return workflow_preflight(WorkflowInput(shown.run, self._workflow(), lease, self._clock()))

    def changed(self) -> bool:
        """Return whether anything may have been written since the last read."""
        return self._source.changed()

    def close(self) -> None:
        """Release the shared private copy."""
        self._source.close()

    def _last_loaded(self) -> _Loaded:
        assert self._loaded is not None
        return self._loaded

    def _workflow(self) -> Workflow:
        workflow = self._last_loaded().workflow
        assert workflow is not None
        return workflow


def _find(
    connection: sqlite3.Connection, layout: Layout, key: str | None, run: str, name: str
) -> Workflow | None:
    """Find the checkpoint by its key, else by the run id or key in `name`."""
    tables = layout.tables
    if key is not None:
        found = next(read_some_checkpoints(connection, tables, [(WORKFLOW, key)]), None)
        return None if found is None else workflow_of(found)
    listed = sorted(
        read_checkpoints(connection, tables, "WHERE namespace = ?", (WORKFLOW,)),
        key=lambda one: one.key,
    )
    for checkpoint in listed:
        workflow = workflow_of(checkpoint)
        if checkpoint.key == name or (workflow.run_id == run and run == name):
            return workflow
    return None
