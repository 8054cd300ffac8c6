"""A reactor's state folder as a store with one run: its graph as steps, its receipts as events."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from inspector.model.clock import Clock
from inspector.model.run import Run, RunKind, StepCounts, Tokens
from inspector.model.status import Status
from inspector.model.step import Event, Step, StepKind
from inspector.model.store import Health, Store, WriteStyle
from inspector.query.openprose import NAME
from inspector.query.openprose.discovery import RECEIPTS, TOPOLOGY
from inspector.query.openprose.findings import chains
from inspector.query.openprose.logs import reactor
from inspector.query.openprose.logs.reactor import MOST_LEDGER_BYTES
from inspector.query.openprose.logs.topology import NONE, Topology, graph_of
from inspector.query.openprose.model_diff import answer, keep
from inspector.query.openprose.receipts.files import array_rows, rows_to_receipts
from inspector.query.openprose.receipts.ledger import Ledger, ledger_of
from inspector.query.openprose.receipts.receipt import CommitRecord
from inspector.query.openprose.view import RunLocation, run_key
from inspector.query.receipts import ReceiptLedger
from inspector.query.run_reader import RunReader
from inspector.query.store_reader import StoreReader
from inspector.query.view import Capabilities, RunView, StepContext, Tab, ValueList
from inspector.store.logfile import LogMark, mark_at, read_ends
from inspector.store.unavailable import StoreUnavailable
from inspector.text.parse_time import parse_instant

Record = Mapping[str, Any]
_NO_RECEIPTS = "nothing has been rendered yet: there is no receipt"


def _store(place: RunLocation, health: Health, reason: str | None) -> Store:
    path = place.store_path
    return Store(path, NAME, "reactor", WriteStyle.APPEND, health, reason)


def _head(place: RunLocation, store: Store, mark: LogMark | None) -> Run:
    """A reactor goes on for ever: how it stands as a whole is not recorded."""
    return Run(
        key=run_key(place.store_path, place.name),
        kind=RunKind.PROGRAM,
        store=store,
        run_id=place.name,
        title=reactor.title_of(place.folder),
        status=Status.UNKNOWN,
        raw_status=None,
        last_activity_at=None if mark is None else mark.mtime_ns // 1_000_000,
        complete=False,
    )


class ReactorStore(StoreReader):
    """Satisfies `StoreReader`. Used by one thread at a time."""

    def __init__(self, folder: str, clock: Clock) -> None:
        self.path = os.path.join(folder, RECEIPTS)
        self._place = RunLocation(self.path, folder)
        self._clock = clock
        self._mark: LogMark | None = None
        self._known = False

    def summarize(self) -> tuple[Store, Sequence[Run]]:
        """The store and its run, without reading a receipt."""
        self._mark, self._known = mark_at(self.path), True
        health, reason = Health.OK, None
        if self._mark is None:
            health, reason = Health.EMPTY, _NO_RECEIPTS
        store = _store(self._place, health, reason)
        return store, (_head(self._place, store, self._mark),)

    def changed(self) -> bool:
        """Whether receipts were written since."""
        return not self._known or mark_at(self.path) != self._mark

    def outgrown(self) -> bool:
        """Whether the folder is something else now."""
        return not reactor.is_reactor(self._place.folder)

    def open(self, run: Run) -> RunReader:
        """A reader of the run."""
        return ReactorRun(self._place, self._clock)

    def close(self) -> None:
        """Nothing is held."""


class ReactorRun(RunReader):
    """Satisfies `RunReader`. Used by one thread at a time."""

    capabilities = Capabilities(receipts=True)

    def __init__(self, place: RunLocation, clock: Clock) -> None:
        self._place = place
        self._clock = clock
        self._marks: tuple[LogMark | None, LogMark | None] | None = None
        self._rows: list[Record] = []
        self._receipts: list[CommitRecord] = []
        self._ledger: Ledger = ledger_of(())
        self._topology: Topology = NONE
        self._nodes = reactor.Nodes()
        self._view: RunView | None = None

    def refresh(self) -> RunView:
        """Reads the receipts anew if they were written, and folds those that came."""
        if self._view is not None and not self.changed():
            return self._view
        marks = self._looked()
        rows = self._read_rows()
        self._topology = reactor.topology_of(self._place.folder) or NONE
        kept = _same(self._rows, rows)
        self._receipts = self._receipts[:kept]
        self._receipts += rows_to_receipts(rows[kept:], kept + 1)
        self._rows, self._marks = rows, marks
        self._ledger = ledger_of(self._receipts)
        self._nodes = self._folded(len(self._receipts))
        self._view = self._show(self._nodes)
        return self._view

    def _at(self, event: int) -> RunView:
        return self._show(self._folded(event))

    def events(self, first: int, count: int) -> Sequence[Event]:
        """Receipts in the order of writing."""
        self._view or self.refresh()
        first = max(first, 1)
        listed = zip(self._receipts, self._rows, strict=True)
        wanted = list(listed)[first - 1 : first - 1 + max(count, 0)]
        return [_event(n, receipt, row) for n, (receipt, row) in enumerate(wanted, first)]

    def values(self, frame: str | None = None, *, full: bool = False) -> ValueList:
        """A reactor binds no values: its truth is in its world models."""
        return ValueList(frame, 0, ())

    def context(self, step: int) -> StepContext:
        """A node with its receipts and its versions."""
        current = self._view or self.refresh()
        described = current.describe(step)
        node = described.ref.get("node")
        numbers = [n for n, one in enumerate(self._receipts, 1) if one.node == node][-200:]
        rows = tuple(event for n in numbers for event in self.events(n, 1))
        refs = {f"receipt:{self._receipts[n - 1].id}" for n in numbers}
        kept = reactor.world_models(self._place.folder, self._receipts)
        models = [_version(one.record) for one in kept if one.record["node"] == node]
        return StepContext(
            described,
            rows,
            self.values(),
            {"world-models": tuple(models)} if models else {},
            tuple(f for f in current.run.findings if f.ref in refs),
        )

    def record(self, part: str) -> Sequence[Record]:
        """What the folder holds, by part."""
        self._view or self.refresh()
        folder = self._place.folder
        name, _, which = part.partition(":")
        if name == "world_models":
            return answer(keep(reactor.world_models(folder, self._receipts), which), which)
        parts: Mapping[str, Callable[[], Sequence[Record]]] = {
            "run": self._run_record,
            "agents": list,
            "imports": list,
            "tables": lambda: reactor.tables(folder),
            "source": list,
            "topology": lambda: graph_of(self._topology),
        }
        return parts[part]()

    def receipts(self) -> ReceiptLedger:
        """Return all receipts with verdicts and sums."""
        self._view or self.refresh()
        return self._ledger.answer()

    def changed(self) -> bool:
        """Whether receipts or the graph were written since the last answer."""
        return self._looked() != self._marks

    def close(self) -> None:
        """Nothing is held."""

    def _looked(self) -> tuple[LogMark | None, LogMark | None]:
        folder = self._place.folder
        return mark_at(self._place.store_path), mark_at(os.path.join(folder, TOPOLOGY))

    def _read_rows(self) -> list[Record]:
        if mark_at(self._place.store_path) is None:
            return []
        data, _, mark = read_ends(self._place.store_path, MOST_LEDGER_BYTES)
        rows = array_rows(data) if data.strip() else []
        if rows is None and self._view is not None:
            raise StoreUnavailable(Health.BUSY, "the receipts are being rewritten")
        if rows is None:
            cut = mark.size > MOST_LEDGER_BYTES
            why = "receipts.json is too large" if cut else "receipts.json is not a JSON array"
            raise StoreUnavailable(Health.UNREADABLE, why)
        return rows

    def _folded(self, events: int) -> reactor.Nodes:
        found = reactor.begin(self._topology)
        for receipt in self._receipts[:events]:
            reactor.apply(found, receipt)
        return found

    def _show(self, shown: reactor.Nodes) -> RunView:
        empty = not self._receipts
        store = _store(
            self._place, Health.EMPTY if empty else Health.OK, _NO_RECEIPTS if empty else None
        )
        head = _head(self._place, store, None if self._marks is None else self._marks[0])
        steps = shown.steps
        run = replace(
            head,
            findings=tuple(chains(self._ledger)),
            order_only=not shown.instants,
            steps=_counts(shown),
            tokens=_tokens(self._ledger),
            complete=True,
        )

        def describe(number: int) -> Step:
            return steps.step(number)

        return RunView(
            run=run,
            events=shown.events,
            total_events=len(self._receipts),
            steps=steps,
            step_of_event=shown.event_step,
            failures=shown.failures,
            open=(),
            describe=describe,
            as_of=self._clock(),
            tabs=self._tabs(),
        )

    def _tabs(self) -> tuple[Tab, ...]:
        ok = self._ledger.chain_ok
        mark = None if ok is None else ("ok" if ok else "broken")
        return (
            Tab("timeline", "Timeline"),
            Tab("receipts", "Receipts", len(self._receipts), mark),
            Tab("world_models", "World model", reactor.count_versions(self._place.folder)),
            Tab("raw", "Raw"),
        )

    def _run_record(self) -> Sequence[Record]:
        entries = sorted(self._topology.entry_points)
        nodes_, size = len(self._topology.nodes), len(self._receipts)
        return [
            {"id": self._place.name, "nodes": nodes_, "entry_points": entries, "receipts": size}
        ]


def _version(record: Record) -> Record:
    """What the detail of a node says of one of its versions; the rest is in its tab."""
    return {
        "version": record["version"],
        "receipt": record.get("receipt"),
        "published": record["published"],
        "bytes": record["integrity"],
        "size": record["size"],
    }


def _same(known: Sequence[Record], rows: Sequence[Record]) -> int:
    """How many receipts at the beginning are still the same."""
    for at, (old, new) in enumerate(zip(known, rows, strict=False)):
        if old != new:
            return at
    return min(len(known), len(rows))


def _event(n: int, receipt: CommitRecord, row: Record) -> Event:
    wake = receipt.fields.get("wake")
    source = wake.get("source") if isinstance(wake, Mapping) else None
    at = parse_instant(receipt.created_at)
    words = [receipt.node, receipt.status or "", f"({source})" if source else ""]
    return Event(
        n=n,
        id=receipt.id,
        kind=StepKind.NODE.value,
        raw_status=receipt.status,
        at=at,
        at_raw=receipt.created_at,
        text=" ".join(word for word in words if word),
        payload={**row, "address": receipt.address},
    )


def _counts(shown: reactor.Nodes) -> StepCounts:
    """Every node counts, also one that others hang from."""
    found = [shown.steps.status_of(step) for step in range(len(shown.steps))]
    return StepCounts(
        total=len(found),
        completed=found.count(Status.COMPLETED),
        failed=found.count(Status.FAILED),
        running=0,
        pending=found.count(Status.PENDING),
        skipped=found.count(Status.SKIPPED),
    )


def _tokens(ledger: Ledger) -> Tokens:
    total = ledger.total
    if not total.receipts:
        return Tokens()
    return Tokens(cache_read=total.reused, total=total.fresh + total.reused)
