"""One run folder without a database: its log as a store, and its one run from the cheapest look."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from inspector.model.clock import Clock
from inspector.model.run import Finding, Run
from inspector.model.status import Status
from inspector.model.store import Health, Store
from inspector.query.openprose.logs import view
from inspector.query.openprose.logs.folder import last_write, record_of
from inspector.query.openprose.logs.run_reader import LogRun
from inspector.query.openprose.logs.state import Ending
from inspector.query.openprose.logs.view import header_in, standing
from inspector.query.openprose.view import RunLocation
from inspector.query.run_reader import RunReader
from inspector.query.store_reader import StoreReader
from inspector.store.logfile import LogMark, mark_at, read_ends
from inspector.store.unavailable import StoreUnavailable

END_BYTES = 8 << 10
"""Bytes of either end of a log that tell how a run stands, nearly always."""


class LogStore(StoreReader):
    """Satisfies `StoreReader` for a run folder without a database. Used by one thread at a time."""

    def __init__(self, place: RunLocation, clock: Clock) -> None:
        self.path = place.store_path
        self._place = place
        self._clock = clock
        self._record = None if self.path == place.folder else os.path.basename(self.path)
        self._mark: LogMark | None = None
        self._written = 0
        self._last: tuple[Store, tuple[Run, ...]] | None = None

    def summarize(self) -> tuple[Store, Sequence[Run]]:
        """The store and how its run stands; an unreadable log still has its run."""
        written = last_write(self._place.folder)
        if self._record is None:
            store = view.log_store(self.path, *view.without_record(self._place.folder))
            return self._told(view.Facts(store, last_activity_at=written or None), None, written)
        mark = mark_at(self.path)
        if self._last is not None and mark == self._mark and written == self._written:
            return self._last
        try:
            return self._read(written)
        except StoreUnavailable as trouble:
            self._mark = None
            store = view.log_store(self.path, trouble.health, trouble.reason)
            return self._told(view.Facts(store), None, written)

    def changed(self) -> bool:
        """Whether the last summary may be out of date."""
        if self._last is None or (self._record is not None and mark_at(self.path) != self._mark):
            return True
        return last_write(self._place.folder) != self._written

    def outgrown(self) -> bool:
        """The folder now has a database, or a log where it had nothing."""
        return record_of(self._place.folder) != self._record

    def open(self, run: Run) -> RunReader:
        """A reader of the run."""
        return LogRun(self._place, self._clock)

    def close(self) -> None:
        """Nothing is held."""

    def _read(self, written: int) -> tuple[Store, Sequence[Run]]:
        size = END_BYTES
        while True:
            head, tail, mark = read_ends(self.path, size)
            told = standing(tail, is_whole=mark.size <= size)
            if told.decided:
                break
            size *= 8
        self._mark = mark
        empty = mark.size == 0
        store = view.log_store(
            self.path, Health.EMPTY if empty else Health.OK, view.EMPTY_LOG if empty else None
        )
        last = max(mark.mtime_ns // 1_000_000, written)
        facts = view.Facts(store, header_in(head), last_activity_at=last, has_content=not empty)
        return self._told(facts, told.ended, written)

    def _told(
        self, facts: view.Facts, ended: Ending | None, written: int
    ) -> tuple[Store, tuple[Run, ...]]:
        run = view.head_of(self._place, facts, ended)
        if facts.store.health not in (Health.OK, Health.EMPTY):
            said = Finding("unreadable", f"Cannot be read now: {facts.store.reason}.")
            run = replace(run, status=Status.UNKNOWN, findings=(said,), complete=True)
        self._written = written
        self._last = (facts.store, (run,))
        return self._last
