"""Everything about one run that keeps a log, kept up to date by folding only what was added."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from inspector.model.clock import Clock, rfc3339
from inspector.model.preflight import PreFlight
from inspector.model.status import Status
from inspector.model.step import Event, Step
from inspector.model.store import Health
from inspector.model.value import Attachment
from inspector.query.openprose.agents import kept_agents
from inspector.query.openprose.discovery import LOGS
from inspector.query.openprose.logs import view
from inspector.query.openprose.logs.bindings import ROOT_SCOPE, has_output, read_values
from inspector.query.openprose.logs.folder import (
    FOLDERS,
    IMPORTS,
    Beside,
    RunFolder,
    listing_of,
)
from inspector.query.openprose.logs.header import Header
from inspector.query.openprose.logs.reactor import read_files
from inspector.query.openprose.logs.state import LogState
from inspector.query.openprose.logs.tail import Tail
from inspector.query.openprose.logs.topology import CompiledGraph
from inspector.query.openprose.model_diff import answer, keep
from inspector.query.openprose.model_files import kept_models
from inspector.query.openprose.persistent_files import AGENT_FOLDER, WORLD_MODELS
from inspector.query.openprose.position import Written, position_in
from inspector.query.openprose.preflight import Material, preflight
from inspector.query.openprose.receipts.ledger import Ledger, ledger_of
from inspector.query.openprose.sources import FOLDER as SOURCES
from inspector.query.openprose.sources import SNAPSHOTS, project_of, source_files, source_of_node
from inspector.query.openprose.tab_counts import kept_counts
from inspector.query.openprose.view import RunLocation
from inspector.query.receipts import ReceiptLedger
from inspector.query.run_reader import RunReader
from inspector.query.view import Capabilities, RunView, StepContext, Tab, ValueList
from inspector.store.attachment import PREVIEW_BYTES, inspect_attachment
from inspector.store.files import safe_listdir
from inspector.store.read import StoreUnavailable

Record = Mapping[str, Any]
MOST_TEXT = 1 << 20
"""Bytes of a memory, a segment or a source that are given."""
MOST_MODEL = 64 << 20
"""World models larger than this are not recomputed."""
_SEGMENT_ENDINGS = (".md",)


def run_record(path: str, header: Header, preamble: str, size: int, lines: int) -> list[Record]:
    """What the head of the log says, under the names that it uses."""
    return [
        {
            "id": header.run_id,
            "name": header.name,
            # As a database names the same.
            "root_path": header.get("root", "program"),
            "root": header.get("root"),
            "program": header.get("program"),
            "upstream": list(header.upstream),
            "status": header.raw_status,
            "error": header.get("error"),
            "started_at": header.get("started_at", "started"),
            "ended_at": header.get("ended_at", "ended"),
            "front_matter": dict(header.front),
            "preamble": preamble,
            "log": path,
            "bytes": size,
            "lines": lines,
        }
    ]


def imports(root: str) -> list[Record]:
    """Programs that the run imported and ran, each in a folder of its own."""
    found: list[Record] = []
    for folder in listing_of(root, IMPORTS).folders():
        handle, _, slug = folder.name.partition("--")
        names = [one.name for one in safe_listdir(root, (IMPORTS, folder.name)).entries]
        found.append(
            {
                "alias": folder.name,
                "handle": handle,
                "slug": slug or None,
                "path": f"{IMPORTS}/{folder.name}",
                "log": next((name for name in LOGS if name in names), None),
            }
        )
    return found


def tables(root: str) -> list[Record]:
    """Every name in the run folder, in place of tables: whether the state document knows it."""
    listed = listing_of(root)
    known = {*LOGS, *FOLDERS, IMPORTS, SOURCES, *SNAPSHOTS, "state.db", ".env"}
    found: list[Record] = [
        {
            "name": one.name,
            "type": "file" if one.is_file else "folder" if one.is_folder else "other",
            "documented": one.name in known,
            "columns": [],
            "extra_columns": [],
            "missing": False,
            "size": one.size if one.is_file else None,
        }
        for one in listed.entries
    ]
    return found if not listed.cut else [*found, {"name": "…", "type": "more names than are read"}]


def workspace(files: Sequence[Beside]) -> list[Record]:
    """Private working files of the nodes: names and sizes."""
    return [
        {
            "node": one.node,
            "path": one.path,
            "size": one.size,
            "written_at": rfc3339(one.mtime_ns // 1_000_000),
        }
        for one in files
    ]


def lines(pieces: Iterator[tuple[int, int | None, str, str]]) -> list[Record]:
    """Raw lines of the log: number, event, role, text."""
    return [
        {"line": line, "event": event, "role": role, "text": text}
        for line, event, role, text in pieces
    ]


SILENCE_MS = 60_000
"""How often a view of a silent run is made anew, so that its silence is told rightly."""
MOST_OWN_EVENTS = 200
MOST_LINES = 10_000
"""Lines that `record lines` gives at once."""


class LogRun(RunReader):
    """Satisfies `RunReader`. Used by one thread at a time."""

    capabilities = Capabilities(attachments=True, receipts=True)

    def __init__(self, place: RunLocation, clock: Clock) -> None:
        self._place = place
        self._clock = clock
        self._tail = None if place.store_path == place.folder else Tail(place.store_path)
        self._folder = RunFolder(place.folder)
        self._ledger: Ledger | None = None
        self._receipts: tuple[Beside, ...] | None = None
        self._facts: view.Facts | None = None
        self._newest: LogState | None = None
        self._view: RunView | None = None
        self._graph = CompiledGraph(place.folder)
        self._snapshots: Sequence[Record] | None = None

    def refresh(self) -> RunView:
        """Reads what was added and gives the run as it stands."""
        moved = self._tail is not None and self._tail.read()
        before, facts = self._facts, self._read_facts()
        if self._view is not None and not moved and facts == before and not self._is_old():
            return self._view
        self._facts = facts
        self._newest = LogState() if self._tail is None else self._tail.newest()
        self._view = self._show(self._newest, facts, self._newest.events)
        return self._view

    def _at(self, event: int) -> RunView:
        newest = self.current()
        if self._tail is None or self._facts is None:
            return newest
        return self._show(self._tail.at(event), self._facts, newest.total_events)

    def events(self, first: int, count: int) -> Sequence[Event]:
        """Marker lines as they stand, each with the lines that follow it."""
        current = self._view or self.refresh()
        first = max(first, 1)
        last = min(first + max(count, 0) - 1, current.total_events)
        steps = (current.step_of_event[n - 1] for n in range(first, last + 1))
        kinds = [current.steps.kind_of(step) for step in steps]
        if self._tail is None or not kinds:
            return []
        return self._tail.events(first, kinds, current.total_events)

    def values(self, frame: str | None = None, *, full: bool = False) -> ValueList:
        """Bindings, published files and working files, or what a frame resolves them to."""
        current = self._view or self.refresh()
        number = int(frame) if frame is not None and frame.isdigit() else None
        chain = [] if number is None else view.frame_chain(current.steps, number)
        seen = self._folder.look()
        return read_values(self._place.folder, seen, frame=frame, chain=chain, full=full)

    def context(self, step: int) -> StepContext:
        """What the detail of a step shows."""
        current = self._view or self.refresh()
        described = current.describe(step)
        name = described.ref.get("branch") or view.node_name(described.label)
        stands = source_of_node(self._sources(), name)
        if stands is not None:
            described = replace(described, ref={**described.ref, "source": stands})
        frame = described.ref.get("frame")
        rows = [event for n in _own_events(current, step) for event in self.events(n, 1)]
        lines = {f"line:{event.id}" for event in rows}
        return StepContext(
            described,
            tuple(rows),
            self.values(ROOT_SCOPE if frame is None else str(frame)),
            self._related(described),
            tuple(f for f in current.run.findings if f.ref == described.id or f.ref in lines),
        )

    def record(self, part: str) -> Sequence[Record]:
        """The files behind one part."""
        self._view or self.refresh()
        name, _, start = part.partition(":")
        if name == "lines":
            return self._lines(int(start) if start.isdigit() else 1)
        if name == "world_models":
            receipts = () if self._ledger is None else self._ledger.receipts
            return answer(keep(kept_models(self._place, receipts), start), start)
        parts: Mapping[str, Callable[[], Sequence[Record]]] = {
            "run": self._run_record,
            "agents": lambda: kept_agents(self._place),
            "imports": lambda: imports(self._place.folder),
            "tables": lambda: tables(self._place.folder),
            "source": lambda: source_files(self._place.folder, self._program()),
            "topology": lambda: self._graph.nodes,
            "workspace": lambda: workspace(self._folder.look().workspace),
        }
        return parts[part]()

    def receipts(self) -> ReceiptLedger:
        """Return all receipts with verdicts and sums."""
        self._view or self.refresh()
        return (self._ledger or ledger_of(())).answer()

    def attachment(self, path: str, most: int = PREVIEW_BYTES) -> tuple[Attachment, bytes]:
        """What came of a path in the run folder, and the file's first `most` bytes."""
        return inspect_attachment(self._place.folder, path, preview_bytes=most)

    def preflight(self) -> PreFlight:
        """What resuming the run would do."""
        shown = self.refresh()
        state = self._newest or LogState()
        over = shown.run.status is Status.COMPLETED
        written = Written(
            shown.steps, state.numbers, state.members, state.iterations, state.event_step
        )
        receipts = () if self._ledger is None else self._ledger.receipts
        return preflight(
            Material(
                run=shown.run,
                folder=self._place.folder,
                project=project_of(self._place.folder),
                position=None if over else position_in(written, shown.describe),
                steps=shown.steps,
                newest=state.lines[-1] if state.events else None,
                events=shown.total_events,
                column=None,
                values=self.values().values,
                agents=[] if over else self.record("agents"),
                heads={one.node: one.address for one in receipts if one.address is not None},
                sources=[] if over else self.record("source"),
                now=self._clock(),
            )
        )

    def changed(self) -> bool:
        """Whether anything may have been written since the last answer."""
        grown = self._tail is not None and self._tail.file.changed()
        return grown or self._folder.changed()

    def close(self) -> None:
        """Nothing is held."""

    def _read_facts(self) -> view.Facts:
        beside, tail = self._folder.look(), self._tail
        if beside.receipts != self._receipts:
            self._receipts = beside.receipts
            found = read_files(self._place.folder, beside.receipts) if beside.receipts else None
            self._ledger = found
        last = beside.last_write_ms or None
        if tail is None:
            health, reason = view.without_record(self._place.folder)
            if health is Health.DENIED:
                raise StoreUnavailable(health, reason)
            store = view.log_store(self._place.store_path, health, reason)
            return view.Facts(store, None, beside, self._ledger, last, has_content=False)
        empty = tail.file.offset == 0
        store = view.log_store(
            self._place.store_path,
            Health.EMPTY if empty else Health.OK,
            view.EMPTY_LOG if empty else None,
        )
        newest = max(tail.file.last_write_ms or 0, last or 0) or None
        return view.Facts(
            store, tail.header(), beside, self._ledger, newest, not empty,
            lambda: has_output(self._place.folder, beside),
        )  # fmt: skip

    def _is_old(self) -> bool:
        shown = self._view
        is_running = shown is not None and shown.run.status is Status.RUNNING
        return is_running and shown is not None and self._clock() - shown.as_of >= SILENCE_MS

    def _show(self, state: LogState, facts: view.Facts, total: int) -> RunView:
        now = self._clock()
        shown = view.show(state, facts.beside if state is self._newest else None)
        head = view.head_of(self._place, facts, state.ended)
        return RunView(
            run=view.complete_run(head, facts, state, shown, now),
            events=state.events,
            total_events=total,
            steps=shown.steps,
            step_of_event=state.event_step[:],
            failures=state.failures[:],
            open=shown.open,
            describe=shown.describe,
            as_of=now,
            tabs=tuple(self._tabs(facts)),
        )

    def _tabs(self, facts: view.Facts) -> Iterator[Tab]:
        beside = facts.beside
        yield Tab("timeline", "Timeline")
        if beside.values or beside.workspace:
            yield Tab("values", "Values", beside.values + len(beside.workspace))
        if facts.ledger is not None:
            ok = facts.ledger.chain_ok
            mark = None if ok is None else ("ok" if ok else "broken")
            yield Tab("receipts", "Receipts", len(facts.ledger.receipts), mark)
        kept = kept_counts(self._place)
        if kept[AGENT_FOLDER] != 0:
            yield Tab("agents", "Agents", kept[AGENT_FOLDER])
        if kept[WORLD_MODELS] != 0:
            yield Tab("world_models", "World model", kept[WORLD_MODELS])
        yield Tab("source", "Source")
        if self._graph.nodes:
            yield Tab("topology", "Graph", len(self._graph.nodes))
        yield Tab("raw", "Raw")

    def _related(self, step: Step) -> Mapping[str, tuple[Record, ...]]:
        """Files and receipts of the node that a step stands for."""
        name = step.ref.get("branch") or view.node_name(step.label)
        seen = self._folder.look()
        found = {
            "workspace": seen.workspace,
            "bindings": seen.bindings,
            "world-model": seen.models,
        }
        related: dict[str, tuple[Record, ...]] = {
            kind: tuple({"path": one.path, "size": one.size} for one in files if one.node == name)
            for kind, files in found.items()
        }
        receipts = () if self._ledger is None else self._ledger.receipts
        related["receipts"] = tuple(
            {"id": one.id, "status": one.status, "failure_reason": one.failure_reason}
            for one in receipts
            if one.node == name
        )
        return {kind: rows for kind, rows in related.items() if rows}

    def _run_record(self) -> Sequence[Record]:
        if self._tail is None:
            return []
        tail = self._tail
        size = tail.file.offset
        path = self._place.store_path
        return run_record(path, tail.header(), tail.preamble(), size, tail.lines)

    def _sources(self) -> Sequence[Record]:
        """The run's snapshots, read once: they are taken when a run begins."""
        if self._snapshots is None:
            self._snapshots = self.record("source")
        return self._snapshots

    def _program(self) -> str | None:
        header = None if self._tail is None else self._tail.header()
        return None if header is None else header.get("root", "program")

    def _lines(self, first: int) -> Sequence[Record]:
        if self._tail is None:
            return []
        return lines(self._tail.text(max(first, 1), MOST_LINES))


def _own_events(current: RunView, step: int) -> list[int]:
    """Numbers of the events that belong to the step itself, oldest first."""
    first, last = current.steps.first[step], current.steps.last[step]
    if not first:
        return []
    numbers = (n for n in range(first, last + 1) if current.step_of_event[n - 1] == step)
    return list(islice(numbers, MOST_OWN_EVENTS))
