"""The public Python interface: workspaces, runs and typed results. See docs/API.md.

Results are the frozen dataclasses that the screen shows. Secrets in them are masked unless the
workspace was opened with `reveal=True`. Instants are UTC milliseconds, amounts are in base units,
and None means not recorded. Nothing here writes to a watched folder or launches anything.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import TracebackType
from typing import Generic, TypeVar

from inspector.derive.spending import Spending
from inspector.export import documents
from inspector.live.follow import follow
from inspector.model.clock import Clock, system_clock
from inspector.model.preflight import PreFlight
from inspector.model.run import Finding
from inspector.model.run import Run as RunSummary
from inspector.model.step import Event, Step
from inspector.model.store import Store
from inspector.model.value import Value
from inspector.query.masked import Masks
from inspector.query.receipts import ReceiptLedger
from inspector.query.run_reader import RunReader, preflight_of
from inspector.query.selection import Ambiguous, NoMatch, select_run
from inspector.query.usage import usage_of
from inspector.query.view import RunView
from inspector.query.workspace import Workspace as Stores
from inspector.query.workspace import newest_first
from inspector.store.read import StoreUnavailable

__all__ = [
    "Ambiguous",
    "NoMatch",
    "NotRecorded",
    "Results",
    "Run",
    "StoreUnavailable",
    "Workspace",
    "open",
]

T = TypeVar("T")


class NotRecorded(LookupError):
    """The runtime of this run does not record what was asked for; the message says what."""


class Results(tuple[T, ...], Generic[T]):
    """An immutable sequence of typed results that can be turned into rows for a data frame."""

    _to_record: Callable[[T], Mapping[str, object]]

    def __new__(
        cls, items: Iterable[T], to_record: Callable[[T], Mapping[str, object]]
    ) -> Results[T]:
        """Create a sequence; `to_record` turns an item into a row with the names of `--json`."""
        made = super().__new__(cls, items)
        made._to_record = to_record
        return made

    def records(self) -> list[dict[str, object]]:
        """Return one dictionary per item, with the field names of the command line's JSON.

        `pandas.DataFrame(results.records())` makes a data frame.
        """
        return [dict(self._to_record(item)) for item in self]


def open(*paths: str | os.PathLike[str], reveal: bool = False, now: int | None = None) -> Workspace:
    """Open the stores at `paths`: projects, folders of runs, run folders, databases or logs.

    Without paths, the current folder and the user's own roots. `now` fixes the clock (UTC ms).
    Raises FileNotFoundError for a path that does not exist. Use it as a context manager, or call
    `close`.
    """
    clock = system_clock() if now is None else lambda: now
    return Workspace([os.path.expanduser(os.fspath(path)) for path in paths], clock, reveal=reveal)


class Workspace:
    """All stores and runs below the paths that it was opened with.

    Stores are read when they are asked about; nothing is watched. Not thread-safe.
    """

    def __init__(self, paths: Iterable[str], clock: Clock, *, reveal: bool = False) -> None:
        """See `open`."""
        listed = list(paths)
        home = None if listed else os.path.expanduser("~")
        self._stores = Stores(listed, clock, os.getcwd(), home)
        self._reveal = reveal
        self._opened: list[Run] = []
        self._stores.discover()

    def __enter__(self) -> Workspace:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close all runs and remove private copies of databases."""
        for run in self._opened:
            run.close()
        self._opened.clear()
        self._stores.close()

    def stores(self) -> Results[Store]:
        """Return every store, including those that cannot be read, each with the reason."""
        found = [store for store, _ in self._stores.summaries()]
        return Results(self._shown(found), documents.store)

    def runs(
        self, *, status: str | None = None, runtime: str | None = None, since: int | None = None
    ) -> Results[RunSummary]:
        """Return the runs, newest first, optionally by status, runtime or last activity (UTC ms).

        Counts and findings are complete where `RunSummary.complete` says so; `run` reads a run
        whole.
        """
        found = [
            run
            for run in self._summaries()
            if (status is None or run.status == status)
            and (runtime is None or run.runtime == runtime)
            and (since is None or (run.last_activity_at or run.started_at or 0) >= since)
        ]
        return Results(self._shown(found), documents.run)

    def run(self, name: str) -> Run:
        """Return the run with this key, id, start or end of either, path or title, or `latest`.

        Raises `NoMatch` or `Ambiguous`, and `StoreUnavailable` if it cannot be read now.
        """
        summary = select_run(self._summaries(), name, self._stores.cwd)
        run = Run(self._stores.open(summary), summary, reveal=self._reveal)
        self._opened.append(run)
        return run

    def usage(self) -> Results[Spending]:
        """Return every recorded use of tokens; rows that must not be added have `counts` False."""
        found = usage_of(self._stores, self._summaries())
        return Results(self._shown(found.rows), documents.usage_row)

    def _summaries(self) -> list[RunSummary]:
        runs = [run for _, of_store in self._stores.summaries() for run in of_store]
        return sorted(runs, key=newest_first)

    def _shown(self, models: Iterable[T]) -> Iterator[T]:
        return _masked(models, self._reveal)


class Run:
    """One run, read when it is asked about. Created by `Workspace.run`.

    Every method may raise `StoreUnavailable` while the store cannot be read.
    """

    def __init__(self, reader: RunReader, summary: RunSummary, *, reveal: bool) -> None:
        """See `Workspace.run`."""
        self._reader = reader
        self._summary = summary
        self._reveal = reveal

    @property
    def key(self) -> str:
        """The key, unique over all workspaces."""
        return self._summary.key

    def close(self) -> None:
        """Release private copies; the workspace does this as well."""
        self._reader.close()

    def summary(self) -> RunSummary:
        """Return title, status, instants, counts, tokens and findings, read whole."""
        return self._one(self._view().run)

    def findings(self) -> Results[Finding]:
        """Return what a careful reader would point out."""
        return Results(self._shown(self._view().run.findings), documents.finding)

    def steps(self, *, at: int | None = None) -> Results[Step]:
        """Return the timeline as a flat tree, parents first, after the first `at` events."""
        view = self._view(at)
        return Results(
            self._shown(view.describe(number) for number in range(len(view.steps))),
            documents.step,
        )

    def events(self, first: int = 1, count: int | None = None) -> Results[Event]:
        """Return the recorded facts in the runtime's own order, numbered from 1."""
        total = self._view().total_events
        wanted = max(total - first + 1, 0) if count is None else count
        return Results(self._shown(self._reader.events(first, wanted)), documents.event)

    def values(
        self, *, at: int | None = None, frame: str | None = None, full: bool = False
    ) -> Results[Value]:
        """Return the named values of every scope, or as `frame` (`root` or a number) resolves them.

        `at` gives them after that many events; raises `NotRecorded` where the record cannot tell.
        `full` reads contents of any size. Raises KeyError for an unknown frame.
        """
        self._view()
        if at is None:
            found = self._reader.values(frame, full=full)
        else:
            past = self._reader.values_at(at, frame, full=full)
            if past is None:
                raise NotRecorded("This run does not record past values.")
            found = past
        return Results(self._shown(found.values), documents.value)

    def usage(self) -> Results[Mapping[str, object]]:
        """Return the recorded usage rows of this run; raises `NotRecorded` if there are none."""
        if not self._reader.capabilities.usage:
            raise NotRecorded("This run records no usage row by row; see summary().tokens.")
        return self.record("usage")

    def receipts(self) -> ReceiptLedger:
        """Return the receipts with the verdicts on their chains.

        `receipts().records()` has one row per receipt.

        Raises `NotRecorded` for runtimes without receipts.
        """
        self._view()
        found = self._reader.receipts()
        if found is None:
            raise NotRecorded("Runs of this runtime have no receipts.")
        return self._one(found)

    def record(self, part: str) -> Results[Mapping[str, object]]:
        """Return the runtime's own records of one part, under the runtime's own field names.

        Raises KeyError for a part that this runtime does not have.
        """
        self._view()
        rows = self._reader.record(part)
        if not self._reveal:
            rows = Masks().content({"records": list(rows)})["records"]
        return Results(rows, dict)

    def plan(self) -> PreFlight:
        """Return what resuming the run would do; nothing is launched."""
        view = self._view()
        return self._one(preflight_of(self._reader, view.run))

    def follow(self) -> Iterator[RunSummary]:
        """Yield the run now and after every write until it ends."""
        for view in follow(self._reader):
            yield self._one(view.run)

    def _view(self, at: int | None = None) -> RunView:
        view = self._reader.refresh()
        return view if at is None else self._reader.at(at)

    def _one(self, model: T) -> T:
        return model if self._reveal else Masks().typed(model)

    def _shown(self, models: Iterable[T]) -> Iterator[T]:
        return _masked(models, self._reveal)


def _masked(models: Iterable[T], reveal: bool) -> Iterator[T]:
    return iter(models) if reveal else map(Masks().typed, models)
