"""What is known of a store between two reads of its list, and the runs that it makes.

Only what a read found new is looked at; runs about which nothing changed stay the same objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from inspector.derive.spending import Spending
from inspector.model.run import Run
from inspector.model.status import Status
from inspector.model.store import Store
from inspector.query.prism import view
from inspector.query.prism.cells import mapping, name_of, sequence, text_of
from inspector.query.prism.heads import (
    AGENT_RUN,
    RUN_LEASE,
    SAGA_LEASE,
    WORKFLOW,
    Checkpoint,
    Lease,
    RunHead,
    SessionHead,
    run_head,
)
from inspector.query.prism.layout import Layout, Row
from inspector.query.prism.summary import Asked, Found, Marks, leaves_of
from inspector.query.prism.usage import UsageRow, judged_run, judged_without_run
from inspector.query.prism.workflows import Workflow, workflow_of

AGE_MS = 60_000
"""How often a run that moves is described anew although nothing was written."""
_MOVING = (Status.RUNNING, Status.WAITING)


@dataclass(frozen=True, slots=True)
class _Made:
    """A run with what it was made of."""

    facts: view.AgentFacts
    at: int
    run: Run

    def holds(self, facts: view.AgentFacts, store: Store, now: int) -> bool:
        """Whether it still says all there is to say."""
        if facts != self.facts or store != self.run.store:
            return False
        # Silence and deadlines grow old by themselves.
        return self.run.status not in _MOVING or now - self.at < AGE_MS


class Catalog:
    """One store's list. Used by one thread at a time."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._layout: Layout | None = None
        self._marks = Marks()
        self._rows: dict[str, Row] = {}
        self._heads: dict[str, RunHead] = {}
        self._activity: dict[str, int] = {}
        self._prompts: dict[str, str] = {}
        self._denied: frozenset[str] = frozenset()
        self._orphans: dict[str, str | None] = {}
        self._checkpoints: dict[tuple[str, str], Checkpoint] = {}
        self._leases: dict[tuple[str, str], Lease] = {}
        self._sessions: Mapping[str, SessionHead] = {}
        self._usage: dict[str | None, list[UsageRow]] = {}
        self._leaf_runs: dict[str, str] = {}
        self._spending: dict[str, list[Spending]] = {}
        self._without_run: list[Spending] = []
        self._workflows: dict[str, Workflow] = {}
        """By what their keys end in."""
        self._parents: dict[str, str] = {}
        self._made: dict[str, _Made] = {}

    def asked(self) -> Asked:
        """What need not be read again."""
        return Asked(
            self._layout,
            self._marks,
            self._rows,
            frozenset(self._prompts),
            {name: one.version for name, one in self._checkpoints.items()},
            self._denied,
        )

    def take(self, found: Found) -> None:
        """Takes in what a read found."""
        if found.whole:
            self._forget()
        self._layout, self._marks = found.layout, found.marks
        changed_runs = self._rows_of(found.runs)
        self._sessions = found.sessions
        self._activity.update(found.activity)
        self._prompts.update(found.prompts)
        self._denied = found.denied
        self._orphans = {
            run: session
            for run, session in {**self._orphans, **found.orphans}.items()
            if run not in self._rows
        }
        kept = {name: self._checkpoints[name] for name in found.present & set(self._checkpoints)}
        for one in found.changed:
            kept[one.namespace, one.key] = one
        self._checkpoints = kept
        self._leases = {(one.namespace, one.key): one for one in found.leases}
        self._leaf_runs.update(found.leaf_runs)
        self._workflows = dict(self._named_workflows())
        self._parents = {}
        for child, parent in self._known_parents():
            self._parents.setdefault(child, parent)
        self._spend({*changed_runs, *self._add_usage(found.usage)})

    def _forget(self) -> None:
        self._rows, self._heads = {}, {}
        self._activity, self._prompts, self._orphans = {}, {}, {}
        self._checkpoints, self._leaf_runs = {}, {}
        self._usage, self._spending, self._without_run = {}, {}, []

    def _rows_of(self, rows: Sequence[Row]) -> list[str]:
        """Takes in the rows of runs; gives those that changed."""
        heads: dict[str, RunHead] = {}
        known: dict[str, Row] = {}
        changed: list[str] = []
        for row in rows:
            run = text_of(row[0])
            if self._rows.get(run) == row:
                heads[run] = self._heads[run]
            else:
                heads[run] = run_head(row)
                changed.append(run)
            known[run] = row
        self._rows, self._heads = known, heads
        return changed

    def _add_usage(self, rows: Sequence[UsageRow]) -> set[str | None]:
        """Takes in rows of usage; gives the runs to be judged anew, None for rows without one."""
        for row in rows:
            self._usage.setdefault(row.run, []).append(row)
        touched = {row.run for row in rows}
        return touched | {None} if rows and None in self._usage else touched

    def _named_workflows(self) -> Iterator[tuple[str, Workflow]]:
        taken = set(self._heads)
        for (namespace, _), checkpoint in sorted(self._checkpoints.items()):
            if namespace != WORKFLOW:
                continue
            workflow = workflow_of(checkpoint)
            name = workflow.run_id if workflow.run_id not in taken else checkpoint.key
            taken.add(name)
            yield name, workflow

    def _known_parents(self) -> Iterator[tuple[str, str]]:
        """Run → the run that it is a part of, as far as a checkpoint says so, the surest first."""
        oldest = sorted(self._workflows.values(), key=lambda one: one.checkpoint.created_at or 0)
        for workflow in oldest:
            if workflow.parent_run is not None:
                yield workflow.run_id, workflow.parent_run
            for leaf in leaves_of(workflow.checkpoint):
                # A replay names the leaves of the run that it repeats: the oldest one's they are.
                if leaf in self._leaf_runs:
                    yield self._leaf_runs[leaf], workflow.run_id
        for (namespace, run), checkpoint in self._checkpoints.items():
            if namespace != AGENT_RUN:
                continue
            for nested in map(mapping, sequence(checkpoint.value.get("nestedRuns"))):
                child = name_of(nested.get("runId"))
                if child is not None and child != run:
                    yield child, run

    def _spend(self, runs: Iterable[str | None]) -> None:
        """Judges anew what these runs used."""
        busy: set[str | None] | None = None
        for run in runs:
            rows = self._usage.get(run)
            if rows is None:
                continue
            if run is not None:
                head = self._heads.get(run)
                model = None if head is None else head.model
                succeeded = head is not None and head.status == "succeeded"
                key = view.run_key(self._path, self._name_of(run))
                self._spending[run] = judged_run(rows, key, model, succeeded)
            elif busy is None:
                busy = {row.session for one, of in self._usage.items() if one for row in of}
                self._without_run = judged_without_run(rows, busy)

    # What is asked of it.

    @property
    def layout(self) -> Layout:
        """The layout of the last read."""
        assert self._layout is not None
        return self._layout

    @property
    def known_layout(self) -> Layout | None:
        """The layout of the last read, if there was one."""
        return self._layout

    @property
    def sessions(self) -> Mapping[str, SessionHead]:
        """Sessions by id."""
        return self._sessions

    def spending(self) -> list[Spending]:
        """Every row of usage in the order of the runs, those without a run last."""
        others = sorted(run for run in self._spending if run not in self._heads)
        runs = (*self._heads, *others)
        listed = [one for run in runs for one in self._spending.get(run, ())]
        return [*listed, *self._without_run]

    def runs(self, store: Store, now: int) -> Iterator[Run]:
        """All runs: agents' in the store's order, then orphans, then workflows."""
        made: dict[str, _Made] = {}
        for run in (*self._heads, *self._orphans):
            facts = self.agent_facts(run)
            known = self._made.get(run)
            if known is None or not known.holds(facts, store, now):
                known = _Made(facts, now, view.agent_run(self._path, store, facts, now))
            made[run] = known
            yield known.run
        self._made = made
        for name, workflow in self._workflows.items():
            yield view.workflow_run(self._path, store, self._workflow_facts(name, workflow), now)

    def agent_facts(self, run: str) -> view.AgentFacts:
        """What the head of an agent run is made of."""
        head = self._heads.get(run)
        session = head.session if head is not None else self._orphans.get(run)
        known = self._sessions.get(session or "")
        parent = self._parents.get(run)
        return view.AgentFacts(
            id=run,
            head=head,
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
        """What the key of a run ends in."""
        if run in self._heads or run in self._workflows:
            return run
        named = (name for name, one in self._workflows.items() if one.run_id == run)
        return next(named, run)

    def _workflow_facts(self, name: str, workflow: Workflow) -> view.WorkflowFacts:
        namespace = SAGA_LEASE if workflow.is_saga else RUN_LEASE
        parent = workflow.parent_run
        return view.WorkflowFacts(
            workflow,
            name,
            self._leases.get((namespace, workflow.lease_key)),
            parent_key=None if parent is None else view.run_key(self._path, self._name_of(parent)),
        )
