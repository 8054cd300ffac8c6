"""Readers of a Tally database and of one of its runs."""

from __future__ import annotations

import os
import sqlite3
import sys
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspector.model.clock import Clock
from inspector.model.preflight import Command, Position, PreFlight, refused
from inspector.model.run import Run, RunKind, StepCounts
from inspector.model.status import Status
from inspector.model.step import Event
from inspector.model.store import Health, Store, WriteStyle
from inspector.query.run_reader import RunReader
from inspector.query.store_reader import StoreReader
from inspector.query.view import RunView, StepContext, Tab, ValueList
from inspector.store.read import StoreUnavailable, ZeroTouchReader
from inspector_tally import NAME
from inspector_tally.fold import Mark, fold, status_of


@dataclass(frozen=True, slots=True)
class Job:
    """One row of `tally_jobs`."""

    id: str
    title: str
    word: str


def _jobs(connection: sqlite3.Connection) -> list[Job]:
    return [Job(*row) for row in connection.execute("SELECT id, title, word FROM tally_jobs")]


class TallyStore(StoreReader):
    """Reads one database."""

    def __init__(self, path: str, clock: Clock) -> None:
        self.path = path
        self._clock = clock
        self._source = ZeroTouchReader(path, clock=clock)

    def summarize(self) -> tuple[Store, Sequence[Run]]:
        """Return the store and a run for each job; a busy or broken database says why."""
        try:
            reading = self._source.read(_jobs)
        except (StoreUnavailable, sqlite3.DatabaseError) as error:
            health = getattr(error, "health", Health.UNREADABLE)
            return Store(self.path, NAME, None, WriteStyle.NONE, health, str(error)), ()
        store = Store(self.path, NAME, "1", WriteStyle.APPEND, Health.OK)
        written = reading.token.last_write_ms
        return store, [run_of(store, job, written) for job in reading.value]

    def changed(self) -> bool:
        """Return whether something may have been written since."""
        return self._source.changed()

    def open(self, run: Run) -> RunReader:
        """Return a reader of one job."""
        return TallyRun(self.path, run.run_id or "", self._clock)

    def close(self) -> None:
        """Release private copies."""
        self._source.close()


def run_of(store: Store, job: Job, written: int | None, steps: StepCounts | None = None) -> Run:
    """Return a job as a run."""
    return Run(
        key=f"{NAME}:{store.path}#{job.id}",
        kind=RunKind.PROGRAM,
        store=store,
        run_id=job.id,
        title=job.title,
        status=status_of(job.word),
        raw_status=job.word,
        last_activity_at=written,
        steps=steps or StepCounts(),
        complete=steps is not None,
    )


class TallyRun(RunReader):
    """Reads one job: small enough to be folded whole every time."""

    def __init__(self, path: str, job: str, clock: Clock) -> None:
        self._path = path
        self._job = job
        self._clock = clock
        self._source = ZeroTouchReader(path, clock=clock)
        self._marks: list[Mark] = []
        self._view: RunView | None = None

    def _read(self, connection: sqlite3.Connection) -> tuple[Job, list[Mark]]:
        job = next((one for one in _jobs(connection) if one.id == self._job), None)
        if job is None:
            raise StoreUnavailable(Health.GONE, "the job no longer exists")
        sql = "SELECT seq, step, word, at_ms, note FROM tally_marks WHERE job = ? ORDER BY seq"
        return job, [Mark(*row) for row in connection.execute(sql, (self._job,))]

    def refresh(self) -> RunView:
        """Return the newest state."""
        if self._view is None or self._source.changed():
            reading = self._source.read(self._read)
            job, self._marks = reading.value
            self._view = self._fold(job, reading.token.last_write_ms, len(self._marks))
        return self._view

    def _at(self, event: int) -> RunView:
        newest = self.current()
        job = Job(self._job, newest.run.title, newest.run.raw_status or "")
        return self._fold(job, newest.run.last_activity_at, event)

    def _fold(self, job: Job, written: int | None, events: int) -> RunView:
        steps, step_of_event, failures = fold(self._marks[:events])
        counts = StepCounts(
            total=len(steps),
            completed=steps.raw.count("ok"),
            failed=steps.raw.count("bad"),
            running=steps.raw.count("begun"),
        )
        store = Store(self._path, NAME, "1", WriteStyle.APPEND, Health.OK)
        return RunView(
            run=run_of(store, job, written, counts),
            events=events,
            total_events=len(self._marks),
            steps=steps,
            step_of_event=array("i", step_of_event),
            failures=array("i", failures),
            open=(),
            describe=steps.step,
            as_of=self._clock(),
            tabs=(Tab("timeline", "Timeline"), Tab("marks", "Marks", len(self._marks))),
        )

    def events(self, first: int, count: int) -> Sequence[Event]:
        """Return marks as events."""
        self.refresh()
        chosen = self._marks[first - 1 : first - 1 + count]
        return [
            Event(n, mark.seq, "mark", mark.word, mark.at_ms, None, mark.step, {"note": mark.note})
            for n, mark in enumerate(chosen, first)
        ]

    def values(self, frame: str | None = None, *, full: bool = False) -> ValueList:
        """Tally records no values."""
        if frame not in (None, "root"):
            raise KeyError(frame)
        return ValueList(frame, 0, ())

    def context(self, step: int) -> StepContext:
        """Return a step with its marks."""
        view = self.refresh()
        numbers = [n for n, owner in enumerate(view.step_of_event, 1) if owner == step]
        events = tuple(event for n in numbers for event in self.events(n, 1))
        return StepContext(view.describe(step), events, self.values())

    def record(self, part: str) -> Sequence[Mapping[str, Any]]:
        """Return the rows of `marks`; `run` is the job."""
        view = self.refresh()
        if part == "run":
            return [{"id": self._job, "title": view.run.title, "word": view.run.raw_status}]
        if part != "marks":
            raise KeyError(part)
        names = ("seq", "step", "word", "at_ms", "note")
        return [{name: getattr(mark, name) for name in names} for mark in self._marks]

    def preflight(self) -> PreFlight:
        """Return the command that continues a held job."""
        run = self.refresh().run
        if run.status is not Status.INTERRUPTED:
            return refused(run.key, "only a held job can be resumed", outcome=run.status)
        last = self._marks[-1].step if self._marks else None
        return PreFlight(
            run.key,
            resumable=True,
            reason=None,
            position=Position(kind="next", step=last),
            command=Command(
                (sys.executable, "-m", "inspector_tally.resume", self._path, self._job),
                os.path.dirname(self._path),
            ),
            record={"word": run.raw_status or ""},
            outcome=run.status,
        )

    def changed(self) -> bool:
        """Return whether something may have been written since the last answer."""
        return self._view is None or self._source.changed()

    def close(self) -> None:
        """Release private copies."""
        self._source.close()
