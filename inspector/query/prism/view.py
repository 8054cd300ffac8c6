"""Build runs, stores, tabs and findings from what was read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from inspector.derive.spending import Spending, sum_of
from inspector.derive.steps import STATUS_CODE, StepTable, step_counts
from inspector.model.run import Finding, Progress, Run, RunKind
from inspector.model.status import ENDED, Status
from inspector.model.step import OpenConstruct, Step, StepKind
from inspector.model.store import Health, Store, WriteStyle
from inspector.query.prism import NAME, status_rules
from inspector.query.prism.cells import name_of
from inspector.query.prism.fold import State
from inspector.query.prism.layout import health_of, variant_of
from inspector.query.prism.row_summaries import Checkpoint, Lease, RunSummary
from inspector.query.prism.timeline import Loaded, Timeline
from inspector.query.prism.verdict import Verdict
from inspector.query.prism.workflows import LAST_STATE, Workflow
from inspector.query.tables import Tables
from inspector.query.view import Tab

SETTLED_MS = 60_000
"""How long a run's row may lag behind its last event without being reported."""


MOST_UNENDED = 5
"""Steps without an end that are reported one by one."""


_OPEN = (StepKind.SEGMENT, StepKind.TURN, StepKind.LOOP, StepKind.TOOL_CALL, StepKind.WAIT)


_COUNTED = (
    ("entries", "Transcript", "prism_session_entries"),
    ("calls", "Tools", "prism_tool_calls"),
    ("usage", "Usage", "prism_usage"),
    ("feedback", "Feedback", "prism_run_feedback"),
)


def run_key(path: str, name: str) -> str:
    """Return the key of a run."""
    return f"{NAME}:{path}#{name}"


def store_of(path: str, tables: Tables, verdict: Verdict, damage: Sequence[str] = ()) -> Store:
    """Return the store as read now."""
    health, reason = health_of(tables, damage)
    return Store(
        path,
        NAME,
        variant_of(tables, verdict),
        WriteStyle.MIXED,
        health,
        reason,
        verdict.word,
        verdict.sentence,
    )


def unreadable_store(path: str, health: Health, reason: str) -> Store:
    """Return a store that was never readable."""
    return Store(path, NAME, None, WriteStyle.NONE, health, reason)


@dataclass(frozen=True, slots=True)
class AgentSource:
    """What an agent run is built from."""

    id: str
    summary: RunSummary | None
    """None for a run that only events name."""
    session: str | None
    checkpoint: Checkpoint | None = None
    denied: bool = False
    title: str | None = None
    """The session's title."""
    prompt: str | None = None
    last_activity_at: int | None = None
    parent_key: str | None = None
    spending: Sequence[Spending] = ()


def agent_run(path: str, store: Store, facts: AgentSource, now: int) -> Run:
    """Return an agent run without its events."""
    summary, checkpoint = facts.summary, facts.checkpoint
    moments = [facts.last_activity_at, summary.finished_at if summary else None]
    active = max((one for one in moments if one is not None), default=None)
    if active is None and summary is not None:
        active = summary.started_at
    status = (
        status_rules.run_status(summary, checkpoint, facts.denied)
        if summary is not None
        else Status.UNKNOWN
    )
    spent = sum_of(facts.spending)
    agent = None if checkpoint is None else name_of(checkpoint.value.get("agentId"))
    return Run(
        key=run_key(path, facts.id),
        kind=RunKind.AGENT,
        store=store,
        run_id=facts.id,
        title=facts.prompt or facts.title or agent or facts.session or facts.id,
        status=status,
        raw_status=None if summary is None else summary.status,
        session=facts.session,
        parent_key=facts.parent_key,
        findings=tuple(_agent_findings(facts, status, active, now)),
        started_at=None if summary is None else summary.started_at,
        ended_at=None if summary is None else summary.finished_at,
        last_activity_at=active,
        order_only=False,
        mode=agent,
        tokens=spent.tokens(),
        cost=spent.amounts() or None,
        owner={} if summary is None else summary.owner.named(),
        complete=False,
    )


def _agent_findings(
    facts: AgentSource, status: Status, active: int | None, now: int
) -> Iterator[Finding]:
    if facts.summary is None:
        yield Finding("orphan", "The run appears in events but has no row of its own.", "run")
        return
    yield from status_rules.run_findings(facts.summary, status, facts.checkpoint, active, now)


@dataclass(frozen=True, slots=True)
class WorkflowSource:
    """What a workflow run is built from."""

    workflow: Workflow
    name: str
    """The last part of its key: the run id, or the checkpoint's key if another run has that id."""
    lease: Lease | None
    last_activity_at: int | None = None
    parent_key: str | None = None
    session: str | None = None


def workflow_run(path: str, store: Store, facts: WorkflowSource, now: int) -> Run:
    """Return a workflow or saga run without its nodes."""
    workflow = facts.workflow
    checkpoint = workflow.checkpoint
    status, raw = status_rules.workflow_status(workflow)
    moments = [checkpoint.updated_at, facts.last_activity_at]
    return Run(
        key=run_key(path, facts.name),
        kind=RunKind.WORKFLOW,
        store=store,
        run_id=workflow.run_id,
        title=f"saga {workflow.title}" if workflow.is_saga else workflow.title,
        status=status,
        raw_status=raw,
        session=facts.session,
        parent_key=facts.parent_key,
        findings=tuple(status_rules.workflow_findings(workflow, status, facts.lease, now)),
        started_at=checkpoint.created_at,
        ended_at=checkpoint.updated_at if status in ENDED else None,
        last_activity_at=max((one for one in moments if one is not None), default=None),
        order_only=True,
        mode=LAST_STATE,
        owner=checkpoint.owner.named(),
        complete=False,
    )


def complete_run(run: Run, steps: StepTable, more: Iterable[Finding], note: str | None) -> Run:
    """Complete a run with counts, findings and progress from its steps."""
    return replace(
        run,
        findings=(*run.findings, *more),
        steps=step_counts(steps.leaf_counts),
        progress=Progress(note=note),
        complete=True,
    )


# Steps


def open_constructs(steps: StepTable) -> tuple[tuple[OpenConstruct, ...], tuple[int, ...]]:
    """Return the steps without a recorded end, and their numbers."""
    running, waiting = STATUS_CODE[Status.RUNNING], STATUS_CODE[Status.WAITING]
    found: list[int] = []
    for code in (running, waiting):
        at = steps.status.find(code)
        while at >= 0:
            if steps.kind_of(at) in _OPEN:
                found.append(at)
            at = steps.status.find(code, at + 1)
    found.sort()
    return tuple(_construct(steps, number) for number in found), tuple(found)


def _construct(steps: StepTable, number: int) -> OpenConstruct:
    name = str(steps.segment[number])
    return OpenConstruct(steps.kind_of(number), name, None, None, steps.path(number))


def agent_note(state: State) -> str | None:
    """Return the progress of an agent run for the list: `turn 3 ƒ1`."""
    if state.turn < 0:
        return None
    running = sum(state.is_running(step) for step in state.tools.values())
    return f"turn {state.turns}" + (f" ƒ{running}" if running else "")


def workflow_note(steps: StepTable) -> str | None:
    """Return the progress of a workflow for the list: `3/5 nodes`."""
    nodes = [n for n in range(len(steps)) if steps.parent[n] < 0]
    if not nodes:
        return None
    over = (Status.COMPLETED, Status.FAILED, Status.SKIPPED, Status.INTERRUPTED)
    done = sum(steps.status_of(n) in over for n in nodes)
    return f"{done}/{len(nodes)} nodes"


def step_describer(steps: StepTable, checkpoint: Checkpoint | None) -> Callable[[int], Step]:
    """Return a function that describes steps, adding their segment and turn."""
    deadline = None if checkpoint is None else name_of(checkpoint.value.get("deadlineAt"))

    def describe(number: int) -> Step:
        step = steps.step(number)
        given: dict[str, object] = {}
        for around in (number, *steps.ancestors(number)):
            kind = steps.kind_of(around)
            if kind in (StepKind.SEGMENT, StepKind.TURN):
                # Their labels end in their number.
                word, _, place = steps.label[around].partition(" ")
                given.setdefault(word, int(place))
        if step.kind is StepKind.WAIT and deadline is not None:
            given["deadline"] = deadline
        return replace(step, ref={**given, **step.ref})

    return describe


# Findings


def state_findings(
    loaded: Loaded,
    timeline: Timeline,
    state: State,
    run: Run,
    open_: Sequence[OpenConstruct],
    now: int,
) -> Iterator[Finding]:
    """Yield the findings from the events up to a state."""
    settled = run.last_activity_at is None or now - run.last_activity_at >= SETTLED_MS
    last = state.turn if state.turn >= 0 else state.segment
    yield from status_rules.event_findings(
        loaded.summary,
        outcome=state.outcome,
        finish_reason=state.finish_reason,
        requested=state.requested,
        breaches=state.breaches,
        last_step=state.steps.path(last) if last >= 0 else None,
        settled=settled,
    )
    yield from unended_findings(run.status, open_)
    if timeline.repeats:
        yield Finding(
            "sequence_repeats",
            "Sequence numbers repeat; events are shown in the order written.",
        )
    for event in state.malformed[:20]:
        yield Finding(
            "damaged", f"Event {event} is not valid JSON; it is shown raw.", f"event:{event}"
        )
    if state.malformed_count > 20:
        yield Finding("damaged", f"{state.malformed_count - 20} more events are not valid JSON.")


def unended_findings(status: Status, open_: Sequence[OpenConstruct]) -> Iterator[Finding]:
    """Report steps without an end in a run that is over."""
    if status not in ENDED:
        return
    word = "contradiction" if status is Status.COMPLETED else "never_finished"
    for one in open_[:MOST_UNENDED]:
        yield Finding(
            word, f"The run is over, but {_construct_name(one)} has no recorded end.", one.step
        )
    more = len(open_) - MOST_UNENDED
    if more > 0:
        steps = "step has" if more == 1 else "steps have"
        yield Finding(word, f"{more} more {steps} no recorded end.")


def _construct_name(one: OpenConstruct) -> str:
    return f"{one.kind.replace('_', ' ')} {one.id}"


# Tabs


def agent_tabs(loaded: Loaded) -> tuple[Tab, ...]:
    """Return the tabs of an agent run."""
    shown = [Tab("timeline", "Timeline"), Tab("values", "Values")]
    for part, title, table in _COUNTED:
        if table not in loaded.counts:
            continue
        count = loaded.counts[table]
        if count != 0 or part != "feedback":
            # Rows of tool calls are transitions, several per call.
            shown.append(Tab(part, title, None if part == "calls" else count))
    if loaded.checkpoint is not None:
        version = loaded.checkpoint.version
        mark = None if version is None else f"v{version}"
        shown.append(Tab("checkpoints", "Checkpoint", 1, mark))
    return (*shown, *_last(loaded.layout.tables))


def workflow_tabs(tables: Tables, leased: bool, tools: int) -> tuple[Tab, ...]:
    """Return the tabs of a workflow."""
    shown = [
        Tab("timeline", "Nodes", None, "last state"),
        Tab("values", "Values"),
        Tab("checkpoints", "Checkpoint", 1),
    ]
    if tools:
        shown.append(Tab("calls", "Tools", tools))
    if leased:
        shown.append(Tab("leases", "Lease", 1))
    return (*shown, *_last(tables))


def _last(tables: Tables) -> tuple[Tab, Tab]:
    return Tab("raw", "Raw"), Tab("tables", "Tables", len(tables.by_name))
