"""Everything about one agent run, kept up to date by folding only the events that were added."""

from __future__ import annotations

import sqlite3
import time
from array import array
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inspector.model.clock import Clock
from inspector.model.preflight import PreFlight
from inspector.model.run import Run
from inspector.model.step import Event
from inspector.query.capabilities import Capabilities
from inspector.query.prism import context, history, records, view
from inspector.query.prism.event_pages import Page, read_again
from inspector.query.prism.events import Row
from inspector.query.prism.layout import Layout
from inspector.query.prism.load import Loaded, Wanted, loader, pager
from inspector.query.prism.preflight import AgentMaterial, agent_preflight
from inspector.query.prism.state import State
from inspector.query.prism.tabs import agent_tabs
from inspector.query.prism.timeline import Timeline, has_repeats
from inspector.query.prism.usage import judged_run
from inspector.query.prism.values import agent_values
from inspector.query.run_reader import RunReader
from inspector.query.shared import Asker
from inspector.query.view import RunView, StepContext, ValueList
from inspector.store.read import Reading

SILENCE_MS = 60_000
"""How often a view is made anew although nothing was written: silence and deadlines."""
COUNT_SECONDS = 5.0
"""How long it may go unseen that old events were taken away."""


class AgentRun(RunReader):
    """Satisfies `RunReader`. Used by one thread at a time."""

    capabilities = Capabilities(usage=True, approvals=True)

    def __init__(
        self,
        path: str,
        run: str,
        source: Asker,
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
        """As the store's list knows it."""
        self._known_session = session
        self._monotonic = monotonic
        self._timeline = Timeline()
        self._loaded: Loaded | None = None
        self._generation = 0
        self._counted_at = monotonic()
        self._view: RunView | None = None

    def refresh(self) -> RunView:
        """Reads what is not known yet and gives the run as it stands."""
        shown = self._view
        if shown is not None and self._is_current(shown):
            return shown
        loaded = self._read()
        self._loaded = loaded
        self._view = self._show(self._timeline.state, newest=True)
        return self._view

    def _is_current(self, shown: RunView) -> bool:
        return not self._source.changed() and self._clock() - shown.as_of < SILENCE_MS

    def _read(self) -> Loaded:
        reading = self._ask_for(self._wanted())
        if self._source.generation != self._generation and not reading.value.fresh:
            reading = self._ask_for(Wanted(self._run, Timeline(), session=self._known_session))
        self._generation = self._source.generation
        loaded = reading.value
        if loaded.fresh:
            self._timeline = Timeline()
        self._take(loaded.page, loaded)
        return loaded

    def _ask_for(self, wanted: Wanted) -> Reading[Loaded]:
        return self._source.read(loader(wanted))

    def _wanted(self) -> Wanted:
        known, due = self._loaded, self._monotonic() - self._counted_at >= COUNT_SECONDS
        if due:
            self._counted_at = self._monotonic()
        if known is None:
            return Wanted(self._run, self._timeline, self._layout, None, self._known_session)
        session = self._session()
        return Wanted(self._run, self._timeline, known.layout, known.prompt, session, due)

    def _take(self, page: Page, loaded: Loaded) -> None:
        """Folds a page and those after it; begins again when sequences turn out to repeat."""
        timeline = self._timeline
        while True:
            if not timeline.repeats and has_repeats(page.rows, timeline.last):
                timeline = self._timeline = Timeline()
                timeline.repeats = True
            else:
                timeline.append(page.rows)
                if not page.more:
                    return
            question = pager(self._run, timeline.last, loaded.layout, timeline.repeats)
            page = self._source.read(question).value

    def at(self, event: int) -> RunView:
        """The run after its first `event` events."""
        newest = self._view or self.refresh()
        event = max(0, min(event, newest.total_events))
        if event == newest.total_events:
            return newest
        return self._show(self._timeline.at(event, self._again), newest=False)

    def _again(self, rowids: Sequence[int]) -> Sequence[Row]:
        return self._source.read(lambda connection: read_again(connection, rowids)).value

    def events(self, first: int, count: int) -> Sequence[Event]:
        """Recorded facts, each with the whole record."""
        self._view or self.refresh()
        first = max(first, 1)
        rowids = self._timeline.rows[first - 1 : first - 1 + max(count, 0)]
        numbers = range(first, first + len(rowids))
        tables = self._known().layout.tables
        return self._source.read(
            lambda connection: history.events(connection, tables, rowids, numbers)
        ).value

    def values(self, frame: str | None = None, *, full: bool = False) -> ValueList:
        """The messages of the run, and what its checkpoint holds."""
        self._view or self.refresh()
        loaded = self._known()
        return self._source.read(
            lambda connection: agent_values(connection, loaded, self._run, frame, full=full)
        ).value

    def context(self, step: int) -> StepContext:
        """What the detail of a step shows."""
        shown = self._view or self.refresh()
        described = shown.describe(step)
        numbers = history.own_events(shown, step)
        rowids = [self._timeline.rows[n - 1] for n in numbers]
        loaded, run = self._known(), self._run

        def ask(connection: sqlite3.Connection) -> StepContext:
            rows = history.events(connection, loaded.layout.tables, rowids, numbers)
            return context.agent_context(connection, loaded, shown, described, rows, run)

        return self._source.read(ask).value

    def record(self, part: str) -> Sequence[Mapping[str, Any]]:
        """The store's own records of one part."""
        self._view or self.refresh()
        session = self._session()
        subject = records.Subject(session=session, run=self._run)
        return self._source.read(records.question(part, subject, self._clock())).value

    def preflight(self) -> PreFlight:
        """What resuming the run would do."""
        shown, known = self.refresh(), self._known()
        return agent_preflight(
            AgentMaterial(shown.run, known.head, known.checkpoint, self._clock())
        )

    def changed(self) -> bool:
        """Whether anything may have been written since the last read."""
        return self._source.changed()

    def close(self) -> None:
        """Lets go of the private copy, unless others still read it."""
        self._source.close()

    def _known(self) -> Loaded:
        assert self._loaded is not None
        return self._loaded

    def _session(self) -> str | None:
        loaded = self._known()
        return self._known_session if loaded.head is None else loaded.head.session

    def _show(self, state: State, *, newest: bool) -> RunView:
        state.settle()
        now = self._clock()
        timeline = self._timeline
        total = len(timeline)
        count = total if newest else state.events
        steps = state.steps.copy()
        open_, _ = view.open_constructs(steps)
        loaded = self._known()
        run = self._head(loaded, now)
        findings = history.findings(loaded, timeline, state, run, open_, now)
        return RunView(
            run=view.completed(run, steps, findings, view.agent_note(state)),
            events=count,
            total_events=total,
            steps=steps,
            step_of_event=array("i", timeline.step_of[:count]),
            failures=timeline.failures_until(count),
            open=open_,
            describe=history.describer(steps, loaded.checkpoint),
            as_of=now,
            tabs=agent_tabs(loaded),
        )

    def _head(self, loaded: Loaded, now: int) -> Run:
        layout = loaded.layout
        store = view.store_of(self._path, layout.tables, layout.verdict)
        head = loaded.head
        key = view.run_key(self._path, self._run)
        model = None if head is None else head.model
        succeeded = head is not None and head.status == "succeeded"
        moments = [self._timeline.state.last_at, loaded.last_entry_at]
        facts = view.AgentFacts(
            id=self._run,
            head=head,
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
