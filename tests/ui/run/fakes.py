"""Runs without databases: the very runs of the pictures, and a reader that answers about them."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from inspector.derive.steps import StepTable
from inspector.live.feed import Subscription, Unavailable
from inspector.model.run import Finding, Run, RunKind
from inspector.model.status import Status
from inspector.model.step import Attempt, Event, StepKind
from inspector.model.store import Health, Store, WriteStyle
from inspector.model.value import Value
from inspector.query.run_reader import RunReader
from inspector.query.view import RunView, StepContext, Tab, ValueList
from tests.ui.fakes import FakeFeed

T = TypeVar("T")

COMPLETED, RUNNING, FAILED = Status.COMPLETED, Status.RUNNING, Status.FAILED
WAITING, PENDING = Status.WAITING, Status.PENDING


@dataclass(frozen=True)
class Part:
    """A step for `view_of`; events and instants, 0 and None = not recorded."""

    kind: StepKind
    label: str
    status: Status
    first: int = 0
    last: int = 0
    parent: int = -1
    segment: object = None
    raw: str | None = None
    started: int | None = None
    ended: int | None = None
    error: str | None = None
    of: int | None = None
    most: int | None = None
    attempts: Sequence[Attempt] = ()
    ref: Mapping[str, Any] = field(default_factory=dict)


def table_of(parts: Sequence[Part]) -> StepTable:
    table = StepTable()
    for number, part in enumerate(parts):
        raw = part.raw or part.status.value
        table.add(part.parent, part.kind, part.label, part.status, raw, part.first)
        table.segment[number] = number if part.segment is None else part.segment
        if part.last:
            table.last[number] = part.last
            table.touch(number, part.last)
        for column, moment in ((table.started, part.started), (table.ended, part.ended)):
            if moment is not None:
                column[number] = moment
                table.stretch(number, moment)
        if part.error or part.of or part.most or part.attempts or part.ref:
            extra = table.more(number)
            extra.error, extra.of, extra.max_attempts = part.error, part.of, part.most
            extra.attempts = list(part.attempts)
            extra.ref.update(part.ref)
    return table


def view_of(
    run: Run,
    parts: Sequence[Part],
    total: int,
    *,
    at: int | None = None,
    owners: Mapping[int, int] | None = None,
    failures: Sequence[int] = (),
    tabs: Sequence[Tab] = (Tab("timeline", "Timeline"), Tab("raw", "Raw")),
    as_of: int = 0,
    stale: str | None = None,
) -> RunView:
    """A view after `at` events; `owners` says whose an event is where parts overlap."""
    table = table_of(parts)
    events = total if at is None else at
    of_event = array("i", [0] * events)
    for number, part in enumerate(parts):
        for event in range(part.first, part.last + 1) if part.first else ():
            if event <= events:
                of_event[event - 1] = number
    for event, owner in (owners or {}).items():
        if event <= events:
            of_event[event - 1] = owner
    return RunView(
        run=run,
        events=events,
        total_events=total,
        steps=table,
        step_of_event=of_event,
        failures=array("i", [event for event in failures if event <= events]),
        open=(),
        describe=table.step,
        as_of=as_of,
        tabs=tuple(tabs),
        stale_reason=stale,
    )


def store_of(runtime: str = "openprose", variant: str = "v5") -> Store:
    style = WriteStyle.APPEND if runtime == "openprose" else WriteStyle.UPDATE
    return Store(f"/project/{runtime}/state.db", runtime, variant, style, Health.OK)


def run_of(
    title: str = "deep-research",
    run_id: str = "20260116-143052-a7b3c9",
    status: Status = RUNNING,
    *,
    store: Store | None = None,
    findings: Sequence[str] = (),
    **given: Any,
) -> Run:
    where = store or store_of()
    return Run(
        key=f"{where.runtime}:{where.path}#{run_id}",
        kind=RunKind.PROGRAM,
        store=where,
        run_id=run_id,
        title=title,
        status=status,
        raw_status=given.pop("raw_status", status.value),
        findings=tuple(Finding("noticed", message) for message in findings),
        **given,
    )


class FakeReader(RunReader):
    """Answers from what it was given; `asked` says what was asked."""

    def __init__(self, views: Callable[[int | None], RunView]) -> None:
        self._views = views
        self.values_by_scope: dict[str | None, Sequence[Value]] = {None: ()}
        self.whole: Sequence[Value] = ()
        self.contexts: dict[str, Mapping[str, Any]] = {}
        self.rows: Callable[[int], Event] = self.plain_event
        self.records: dict[str, Sequence[Mapping[str, Any]]] = {}
        self.asked: list[str] = []

    def plain_event(self, number: int) -> Event:
        return Event(
            number, number, "statement", "completed", None, None, f"row {number}", {"id": number}
        )

    def refresh(self) -> RunView:
        return self._views(None)

    def at(self, event: int) -> RunView:
        return self._at(event)

    def _at(self, event: int) -> RunView:
        return self._views(event)

    def events(self, first: int, count: int) -> Sequence[Event]:
        self.asked.append(f"events {first}")
        total = self._views(None).total_events
        return tuple(self.rows(number) for number in range(first, min(first + count, total + 1)))

    def values(self, frame: str | None = None, *, full: bool = False) -> ValueList:
        self.asked.append(f"values {frame}{' full' if full else ''}")
        found = self.whole if full else self.values_by_scope.get(frame, ())
        return ValueList(frame, len(found), tuple(found))

    def context(self, step: int) -> StepContext:
        view = self._views(None)
        described = view.describe(step)
        self.asked.append(f"context {described.id}")
        given = self.contexts.get(described.id, {})
        last = described.last_event
        events = (self.rows(last),) if last else ()
        return StepContext(
            described,
            given.get("events", events),
            ValueList("root", 0, tuple(given.get("values", ()))),
            given.get("related", {}),
            given.get("findings", ()),
        )

    def record(self, part: str) -> Sequence[Mapping[str, Any]]:
        return self.records[part]

    def changed(self) -> bool:
        return False

    def close(self) -> None:
        pass


class RunFeed(FakeFeed):
    """A feed over one run that can be travelled through."""

    def __init__(
        self, views: Callable[[int | None], RunView], reader: FakeReader | None = None
    ) -> None:
        super().__init__()
        self.of = views
        self.reader = reader or FakeReader(views)
        self.key = views(None).run.key
        self.readers[self.key] = self.reader
        self.busy = False

    def follow(self, subscriptions: Sequence[Subscription]) -> None:
        self.subscriptions.append(tuple(subscriptions))
        for subscription in subscriptions:
            if subscription.key == self.key and self._deliver is not None:
                self._deliver(self.of(subscription.at))

    def ask(self, key: str, question: Any, answer: Any) -> None:
        if self.busy:
            answer(Unavailable("The store is locked by its writer."))
        else:
            super().ask(key, question, answer)
