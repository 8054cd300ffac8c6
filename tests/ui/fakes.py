"""A feed without databases: tests say what it delivers, and see what the screen asked of it."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from inspector.derive.steps import StepTable
from inspector.live.feed import Message, Overview, Subscription, Unavailable
from inspector.model.run import Finding, Progress, Run, RunKind, StepCounts, Tokens
from inspector.model.status import Status
from inspector.model.step import OpenConstruct, StepKind
from inspector.model.store import Health, Store, WriteStyle
from inspector.query.run_reader import RunReader
from inspector.query.view import RunView, Tab

T = TypeVar("T")

NO_PROGRESS = Progress()


class FakeFeed:
    """Delivers what it is given, at once and in the thread that asks."""

    def __init__(self, overview: Overview | None = None, *views: RunView) -> None:
        self.overview = overview
        self.views = {view.run.key: view for view in views}
        self.readers: dict[str, RunReader] = {}
        self.subscriptions: list[tuple[Subscription, ...]] = []
        self.seen: list[tuple[str, ...]] = []
        self.stopped = False
        self._deliver: Callable[[Message], None] | None = None

    def start(self, deliver: Callable[[Message], None]) -> None:
        self._deliver = deliver
        if self.overview is not None:
            deliver(self.overview)

    def follow(self, subscriptions: Sequence[Subscription]) -> None:
        self.subscriptions.append(tuple(subscriptions))
        for subscription in subscriptions:
            view = self.views.get(subscription.key)
            if view is not None and self._deliver is not None:
                self._deliver(view)

    def in_view(self, keys: Sequence[str]) -> None:
        self.seen.append(tuple(keys))

    def ask(
        self,
        key: str,
        question: Callable[[RunReader], T],
        answer: Callable[[T | Unavailable], None],
    ) -> None:
        reader = self.readers.get(key)
        answer(question(reader) if reader else Unavailable("There is no such run."))

    def stop(self) -> None:
        self.stopped = True

    def tell(self, message: Message) -> None:
        """Delivers something, as a reader thread would."""
        if isinstance(message, Overview):
            self.overview = message
        elif isinstance(message, RunView):
            self.views[message.run.key] = message
        assert self._deliver is not None
        self._deliver(message)


def store(
    path: str = "/work/runs/one/state.db",
    runtime: str = "openprose",
    health: Health = Health.OK,
    reason: str | None = None,
) -> Store:
    return Store(path, runtime, "v5", WriteStyle.APPEND, health, reason)


def run(
    title: str = "deep-research",
    run_id: str = "20260116-143000-a7b3c9",
    status: Status = Status.COMPLETED,
    *,
    runtime: str = "openprose",
    started: int | None = None,
    ended: int | None = None,
    written: int | None = None,
    done: int | None = None,
    failed: int | None = None,
    tokens: int | None = None,
    net: Mapping[str, str] | None = None,
    progress: Progress = NO_PROGRESS,
    findings: Sequence[str] = (),
    raw_status: str | None = None,
    at: Store | None = None,
) -> Run:
    """A run as the list shows it; instants in UTC ms."""
    where = at or store(f"/project/{runtime}/{run_id}/state.db", runtime)
    return Run(
        key=f"{runtime}:{where.path}#{run_id}",
        kind=RunKind.PROGRAM,
        store=where,
        run_id=run_id,
        title=title,
        status=status,
        raw_status=status.value if raw_status is None else raw_status,
        findings=tuple(Finding("orphan_binding", message) for message in findings),
        started_at=started,
        ended_at=ended,
        last_activity_at=written if written is not None else ended,
        steps=StepCounts(completed=done, failed=failed),
        tokens=Tokens(total=tokens),
        net=net,
        progress=progress,
    )


@dataclass(frozen=True)
class FakeStep:
    """A step for `view`: first and last event, 0 = it has no row."""

    kind: StepKind
    label: str
    status: Status
    first: int = 0
    last: int = 0
    parent: int = -1
    segment: object = None
    error: str | None = None
    of: int | None = None
    tries: int = 1
    ref: Mapping[str, object] = field(default_factory=dict)


def view(
    of: Run,
    steps: Sequence[FakeStep],
    events: int,
    *,
    open_steps: Sequence[int] = (),
    failures: Sequence[int] = (),
    tabs: Sequence[Tab] = (),
    as_of: int = 0,
) -> RunView:
    """A run's steps as a reader would hand them out."""
    table = StepTable()
    of_event = array("i", [0] * events)
    for number, step in enumerate(steps):
        table.add(step.parent, step.kind, step.label, step.status, step.status.value, step.first)
        table.segment[number] = step.segment if step.segment is not None else number + 1
        if step.first:
            table.last[number] = step.last
            table.touch(number, step.last)
            for event in {step.first, step.last}:
                of_event[event - 1] = number
        if step.error or step.of or step.ref:
            extra = table.more(number)
            extra.error, extra.of = step.error, step.of
            extra.ref.update(step.ref)
    return RunView(
        run=of,
        events=events,
        total_events=events,
        steps=table,
        step_of_event=of_event,
        failures=array("i", failures),
        open=tuple(
            OpenConstruct(steps[number].kind, None, None, None, table.path(number))
            for number in open_steps
        ),
        describe=table.step,
        as_of=as_of,
        tabs=tuple(tabs),
    )
