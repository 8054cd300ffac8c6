"""Everything about one workflow or saga: its checkpoint as it last stood, with tools and lease."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspector.model.clock import Clock
from inspector.model.preflight import PreFlight
from inspector.model.step import Event
from inspector.model.store import Health
from inspector.query.capabilities import Capabilities
from inspector.query.prism import records, view
from inspector.query.prism.heads import (
    RUN_LEASE,
    SAGA_LEASE,
    WORKFLOW,
    Lease,
    read_checkpoints,
    read_leases,
    read_some_checkpoints,
)
from inspector.query.prism.layout import Layout, layout_of
from inspector.query.prism.preflight import WorkflowMaterial, workflow_preflight
from inspector.query.prism.tabs import workflow_tabs
from inspector.query.prism.tool_rows import joined, tool_rows, track_of
from inspector.query.prism.values import tool_values, workflow_values
from inspector.query.prism.workflows import ToolTrack, Workflow, workflow_of, workflow_steps
from inspector.query.run_reader import RunReader
from inspector.query.shared import Asker
from inspector.query.view import RunView, StepContext, ValueList
from inspector.store.read import StoreUnavailable

AGE_MS = 60_000


@dataclass(frozen=True, slots=True)
class _Loaded:
    layout: Layout
    workflow: Workflow | None
    lease: Lease | None
    tools: tuple[ToolTrack, ...]
    last_tool_at: int | None


class WorkflowRun(RunReader):
    """Satisfies `RunReader`. Used by one thread at a time.

    Prism writes no events of workflows: there is one state, which another takes the place of.
    """

    capabilities = Capabilities(usage=True)

    def __init__(
        self,
        path: str,
        name: str,
        run: str,
        source: Asker,
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
        """Of the checkpoint, once it was found."""
        self._loaded: _Loaded | None = None
        self._view: RunView | None = None

    def refresh(self) -> RunView:
        """The state as it stands now."""
        shown = self._view
        if shown is not None and self._is_current(shown):
            return shown
        known = None if self._loaded is None else self._loaded.layout
        loaded = self._source.read(self._loader(known)).value
        if loaded.workflow is None:
            raise StoreUnavailable(Health.GONE, "the checkpoint of this run is not there any more")
        self._loaded = loaded
        self._key = loaded.workflow.checkpoint.key
        self._view = self._show(loaded, loaded.workflow)
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

    def _show(self, loaded: _Loaded, workflow: Workflow) -> RunView:
        now = self._clock()
        layout = loaded.layout
        steps = workflow_steps(workflow, loaded.tools)
        open_, _ = view.open_constructs(steps)
        store = view.store_of(self._path, layout.tables, layout.verdict)
        facts = view.WorkflowFacts(
            workflow, self._name, loaded.lease, loaded.last_tool_at, self._parent_key
        )
        run = view.workflow_run(self._path, store, facts, now)
        return RunView(
            run=view.completed(run, steps, (), view.workflow_note(steps)),
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

    def at(self, event: int) -> RunView:
        """There is no past to go to."""
        return self._view or self.refresh()

    def events(self, first: int, count: int) -> Sequence[Event]:
        """Prism writes none."""
        return ()

    def values(self, frame: str | None = None, *, full: bool = False) -> ValueList:
        """Input, state, suspension and outputs."""
        self._view or self.refresh()
        return workflow_values(self._workflow(), frame, full=full)

    def context(self, step: int) -> StepContext:
        """What the detail of a node or of its tool shows."""
        shown = self._view or self.refresh()
        described = shown.describe(step)
        node, call = described.ref.get("node"), described.ref.get("tool_call_id")
        related: dict[str, tuple[Mapping[str, Any], ...]] = {}
        if isinstance(call, str):
            tables = self._known().layout.tables
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

    def record(self, part: str) -> Sequence[Mapping[str, Any]]:
        """The store's own records of one part."""
        self._view or self.refresh()
        subject = records.Subject(run=self._run, checkpoint=self._key)
        return self._source.read(records.question(part, subject, self._clock())).value

    def preflight(self) -> PreFlight:
        """What resuming the run would do."""
        shown, lease = self.refresh(), self._known().lease
        return workflow_preflight(
            WorkflowMaterial(shown.run, self._workflow(), lease, self._clock())
        )

    def changed(self) -> bool:
        """Whether anything may have been written since the last read."""
        return self._source.changed()

    def close(self) -> None:
        """Lets go of the private copy, unless others still read it."""
        self._source.close()

    def _known(self) -> _Loaded:
        assert self._loaded is not None
        return self._loaded

    def _workflow(self) -> Workflow:
        workflow = self._known().workflow
        assert workflow is not None
        return workflow


def _find(
    connection: sqlite3.Connection, layout: Layout, key: str | None, run: str, name: str
) -> Workflow | None:
    """The checkpoint: by its key, else the first of which the run or the key is named."""
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
