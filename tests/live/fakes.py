"""Stores and runs without files: tests say what they answer, and see what was asked of them."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from inspector.derive.steps import StepTable
from inspector.model.run import Run, RunKind, StepCounts
from inspector.model.status import Status
from inspector.model.step import Step
from inspector.model.store import Health, Store, WriteStyle
from inspector.query.run_reader import RunReader
from inspector.query.store_reader import StoreReader
from inspector.query.view import RunView
from inspector.query.workspace import Workspace
from inspector.store.discover import Candidate, Discovery, MissingPath, PlaceKind
from inspector.store.read import StoreUnavailable

BUSY = StoreUnavailable(Health.BUSY, "a writer has held the database")


def store_of(path: str, **more: Any) -> Store:
    """A store that can be read."""
    return replace(Store(path, "openprose", "v5", WriteStyle.NONE, Health.OK), **more)


def run_of(path: str = "/w/runs/a", status: Status = Status.RUNNING, **more: Any) -> Run:
    """A run as a summary gives it."""
    run = Run(
        key=f"openprose:{path}/state.db#{path.rpartition('/')[2]}",
        kind=RunKind.PROGRAM,
        store=store_of(f"{path}/state.db"),
        run_id=path.rpartition("/")[2],
        title="a program",
        status=status,
        raw_status=status.value,
        complete=False,
    )
    return replace(run, **more)


def view_of(run: Run, events: int = 1, total: int | None = None) -> RunView:
    """A view of a run after so many events."""

    def describe(number: int) -> Step:
        raise AssertionError(f"nobody asked for step {number}")

    return RunView(
        run=run,
        events=events,
        total_events=events if total is None else total,
        steps=StepTable(),
        step_of_event=array("i"),
        failures=array("i"),
        open=(),
        describe=describe,
        as_of=0,
    )


@dataclass
class FakeRun:
    """A reader of one run; `after` is called before each answer."""

    run: Run = field(default_factory=run_of)
    events: int = 1
    news: bool = True
    trouble: Exception | None = None
    refreshed: int = 0
    closed: bool = False
    before: Callable[[str], None] = lambda what: None
    progress: Callable[[int, int], None] = lambda done, total: None

    def refresh(self) -> RunView:
        self.before("refresh")
        self.refreshed += 1
        if self.trouble is not None:
            raise self.trouble
        self.news = False
        return view_of(self.run, self.events)

    def at(self, event: int) -> RunView:
        self.before("at")
        return view_of(self.run, min(event, self.events), self.events)

    def newest(self) -> RunView | None:
        return None

    def on_progress(self, progress: Callable[[int, int], None]) -> None:
        self.progress = progress

    def changed(self) -> bool:
        self.before("changed")
        return self.news

    def record(self, part: str) -> Sequence[Mapping[str, Any]]:
        return {"run": ({"id": self.run.run_id},)}[part]

    def close(self) -> None:
        self.closed = True

    def as_reader(self) -> RunReader:
        return cast(RunReader, self)


@dataclass
class LongRun(FakeRun):
    """A run whose end can be shown before the whole; `parts` are told while it is read."""

    parts: Sequence[tuple[int, int]] = ()

    def newest(self) -> RunView | None:
        self.before("newest")
        return None if self.refreshed else replace(view_of(self.run, 2), partial=True)

    def refresh(self) -> RunView:
        for done, of in self.parts:
            self.progress(done, of)
        return super().refresh()


@dataclass
class FakeStore:
    """A store of one run; counts how often it was read."""

    path: str
    runs: Sequence[Run]
    summarized: int = 0
    grown: bool = False
    closed: bool = False
    broken: bool = False

    def summarize(self) -> tuple[Store, Sequence[Run]]:
        self.summarized += 1
        store = self.runs[0].store if self.runs else store_of(self.path)
        return store, self.runs

    def outgrown(self) -> bool:
        return self.grown

    def close(self) -> None:
        self.closed = True


class FakeWorkspace:
    """What a catalogue asks of a workspace, without a file."""

    def __init__(self, *paths: str) -> None:
        self.readers: dict[str, StoreReader] = {}
        self.stores: dict[str, FakeStore] = {}
        self.whole: dict[str, Run] = {}
        self.completed: list[str] = []
        self.found: Discovery | None = None
        self.by_path: Mapping[str, Candidate] = {}
        self.missing: tuple[str, ...] = ()
        self.none_exists = False
        for path in paths:
            self.add(run_of(path))

    def add(self, run: Run) -> None:
        path = run.store.path.rpartition("/")[0]
        self.stores[path] = FakeStore(run.store.path, [run])

    def discover(self, *, all_paths: bool = True) -> Discovery:
        if self.none_exists:
            self.by_path = {}
            raise MissingPath("/w")
        self.by_path = {path: Candidate(path, PlaceKind.RUN_FOLDER, "/w") for path in self.stores}
        self.found = Discovery((), (), (), ())
        return self.found

    def summary(self, candidate: Candidate) -> tuple[Store, Sequence[Run]] | None:
        reader = self.stores[candidate.path]
        self.readers[candidate.path] = cast(StoreReader, reader)
        return None if reader.broken else reader.summarize()

    def read_whole(self, run: Run, *, spare_long: bool = False) -> Run:
        self.completed.append(run.key)
        return self.whole.get(run.key, whole(run))

    def as_workspace(self) -> Workspace:
        return cast(Workspace, self)


def whole(run: Run, **more: Any) -> Run:
    """The run as it is when it was read whole."""
    return replace(run, complete=True, steps=StepCounts(total=3, completed=2, running=1), **more)


class Told:
    """Receives what is delivered, and lets a test wait for it."""

    def __init__(self) -> None:
        self.messages: list[Any] = []
        self._news = threading.Condition()

    def __call__(self, message: Any) -> None:
        with self._news:
            self.messages.append(message)
            self._news.notify_all()

    def wait(self, holds: Callable[[list[Any]], object], seconds: float = 20.0) -> None:
        """Waits until what was delivered so far is as it should be."""
        with self._news:
            assert self._news.wait_for(lambda: holds(self.messages), seconds), self.messages[-3:]
