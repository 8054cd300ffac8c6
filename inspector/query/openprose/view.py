"""Builds runs, steps and findings from the state of the fold and the run's row."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from inspector.derive.steps import KIND_CODE, STATUS_CODE, Extra, StepTable, step_counts
from inspector.model.clock import rfc3339
from inspector.model.run import Finding, Run, RunKind
from inspector.model.status import ENDED, Status
from inspector.model.step import OpenConstruct, Step, StepKind
from inspector.model.store import Health, Store
from inspector.query.openprose import NAME
from inspector.query.openprose import findings as say
from inspector.query.openprose.discovery import root_of
from inspector.query.openprose.events import text_of
from inspector.query.openprose.gates import Gate, waiting
from inspector.query.openprose.progress import progress, tokens_of
from inspector.query.openprose.rows import Damage, RunRow
from inspector.query.openprose.schema import StyleSigns, style_of, variant_of
from inspector.query.openprose.state import DEEPEST, RowNumbers, State
from inspector.query.tables import Tables
from inspector.text.parse_time import parse_instant

if TYPE_CHECKING:
    from inspector.query.openprose.receipts.ledger import Ledger

RUN_STATUS = {
    "running": Status.RUNNING,
    "completed": Status.COMPLETED,
    "failed": Status.FAILED,
    "interrupted": Status.INTERRUPTED,
}
"""Case-sensitive (OpenProse state document, `run.status`)."""

CLOCK_MS = 1000
"""`datetime('now')` has a resolution of one second."""

_PROSE_ENDINGS = (".prose.md", ".prose", ".run.md", ".md")
_BLOCK = KIND_CODE[StepKind.BLOCK]
_PARALLEL = KIND_CODE[StepKind.PARALLEL]
_CONTAINERS = (StepKind.PARALLEL, StepKind.LOOP, StepKind.BLOCK, StepKind.STATEMENT)


@dataclass(frozen=True, slots=True)
class AgentStore:
    """A database or folder of persistent agents."""

    path: str
    own: bool
    """Whether it lies at the run's own root; at any other root only the user's agents count."""

    @property
    def root(self) -> str:
        """The OpenProse root that it belongs to."""
        return root_of(self.path)


@dataclass(frozen=True, slots=True)
class RunLocation:
    """Where a run is stored."""

    store_path: str
    folder: str
    """The run's folder, against which attachments are resolved."""
    parent_key: str | None = None
    agents: tuple[AgentStore, ...] = ()
    """Databases of persistent agents, and folders of persistent files."""

    @property
    def roots(self) -> tuple[str, ...]:
        """OpenProse roots with persistent files."""
        return tuple(sorted({one.root for one in self.agents}))

    @property
    def name(self) -> str:
        """The folder's name: the run id if the database has none."""
        return os.path.basename(self.folder)


@dataclass(frozen=True, slots=True)
class Facts:
    """What one read found, besides events."""

    tables: Tables
    run_rows: tuple[RunRow, ...]
    damage: tuple[Damage, ...]
    last_activity_at: int | None
    names: frozenset[str] = frozenset()
    """Names that have a value, for branches without a recorded end."""
    has_output: bool = False
    orphans: tuple[tuple[str, int | str], ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    """Rows of the tables behind tabs."""
    ledger: Ledger | None = None
    gates: tuple[Gate, ...] = ()
    """Unanswered gates."""
    reopened: Finding | None = None
    changed_source: str | None = None
    """The snapshot whose source has changed."""
    kept: Mapping[str, int | None] = field(default_factory=dict)
    """Counts of what is kept in files (`tab_counts.kept_counts`)."""


def run_key(store_path: str, run_id: str) -> str:
    """Return the run's key, stable as long as the file is not moved."""
    return f"{NAME}:{store_path}#{run_id}"


def pick_run_row(rows: tuple[RunRow, ...], folder_name: str) -> RunRow:
    """Return the row whose id is the folder's name, else the newest one."""
    named = [row for row in rows if row.id == folder_name]
    if named:
        return named[-1]
    return rows[-1] if rows else RunRow()


def title_of(row: RunRow, fallback: str) -> str:
    """Return the program's file name without its extension, else the run id."""
    path = text_of(row.root_path) or text_of(row.program_path)
    name = path.replace("\\", "/").rstrip("/").rpartition("/")[2]
    for ending in _PROSE_ENDINGS:
        if name.endswith(ending) and len(name) > len(ending):
            return name.removesuffix(ending)
    return name or fallback


def signs_of(state: State) -> StyleSigns:
    """Return what the folded rows reveal about their writer."""
    return StyleSigns(state.events, state.appended, state.updated, state.both_instants)


def store_of(place: RunLocation, facts: Facts, signs: StyleSigns) -> Store:
    """Return the store with its health."""
    style = style_of(signs, facts.tables)
    health, reason = Health.OK, None
    if not facts.tables.by_name:
        health, reason = Health.EMPTY, "empty database: it has no tables yet"
    if facts.damage:
        health, reason = Health.PARTIAL, "; ".join(one.sentence for one in facts.damage)
    variant = variant_of(facts.tables, style)
    return Store(place.store_path, NAME, variant, style, health, reason)


def status_of(facts: Facts, place: RunLocation) -> Status:
    """Return the run's status by its own row; waiting if a gate is unanswered."""
    raw = pick_run_row(facts.run_rows, place.name).status
    status = Status.UNKNOWN if raw is None else RUN_STATUS.get(text_of(raw), Status.UNKNOWN)
    if facts.gates and status in (Status.RUNNING, Status.UNKNOWN):
        return Status.WAITING
    return status


def head_of(place: RunLocation, facts: Facts, store: Store) -> Run:
    """Return the run from its row alone, without steps and findings."""
    row = pick_run_row(facts.run_rows, place.name)
    run_id = text_of(row.id) or place.name
    status = status_of(facts, place)
    started = parse_instant(row.started_at)
    ended = parse_instant(row.updated_at) if status in ENDED else None
    if ended == started:
        # Writers need not change `updated_at`; it may still be the time of creation.
        ended = None
    return Run(
        key=run_key(place.store_path, run_id),
        kind=RunKind.PROGRAM,
        store=store,
        run_id=run_id,
        title=title_of(row, place.name),
        status=status,
        raw_status=None if row.status is None else text_of(row.status),
        parent_key=place.parent_key,
        started_at=started,
        ended_at=ended,
        last_activity_at=facts.last_activity_at,
        clock_ms=CLOCK_MS,
        mode=None if row.state_mode is None else text_of(row.state_mode),
        complete=False,
    )


def complete_run(head: Run, facts: Facts, state: State, shown: Shown, now: int) -> Run:
    """Return the run with everything derived from its events."""
    return replace(
        head,
        findings=tuple(_findings(head, facts, state, shown, now)),
        order_only=not state.instants,
        steps=step_counts(state.steps.leaf_counts),
        progress=progress(shown.steps, shown.open_steps, state.branches, len(shown.unconfirmed)),
        tokens=tokens_of(facts.ledger),
        complete=True,
    )


def _findings(head: Run, facts: Facts, state: State, shown: Shown, now: int) -> Iterator[Finding]:
    yield from say.run_rows(facts.run_rows, head, bool(facts.tables.by_name), RUN_STATUS)
    if facts.reopened is not None:
        yield facts.reopened
    yield from waiting(facts.gates, now)
    yield from say.unconfirmed(shown.unconfirmed)
    if shown.newest:
        # The run's own status applies to now, not to an earlier event.
        yield from say.ending(head.status, shown.open, state, facts.has_output)
        yield from say.liveness(head.status, head.last_activity_at, now)
    yield from say.run_instants(head, now)
    yield from say.orphans(facts.orphans)
    yield from say.chains(facts.ledger)
    yield from say.source(facts.changed_source)
    yield from say.oddities(state)
    for damage in facts.damage:
        yield Finding("damaged", f"{damage.sentence}.", damage.table)


@dataclass(frozen=True, slots=True)
class Shown:
    """A copy of the steps, completed by what is not an event."""

    steps: StepTable
    open: tuple[OpenConstruct, ...]
    open_steps: tuple[int, ...]
    """The step numbers of `open`."""
    unconfirmed: tuple[tuple[str, str], ...]
    """Branches (name, step id) that have a value but no recorded end."""
    describe: Callable[[int], Step]
    newest: bool = True
    """Whether this is the run now, not at an earlier event."""


def show(state: State, names: frozenset[str], *, newest: bool = True) -> Shown:
    """Copy the steps, mark branches that have a value, and list open constructs.

    `names` have a value now, which says nothing about an earlier event.
    """
    steps = state.steps.copy()
    unconfirmed = tuple(_confirmations(state, steps, names)) if names and newest else ()
    index, rows = state.index[:], state.rows

    def describe(number: int) -> Step:
        step = steps.step(number)
        return replace(step, ref=_references(steps, number, index, rows, step.ref))

    numbers = tuple(_open(steps))
    open_ = tuple(_construct(steps, number, index) for number in numbers)
    return Shown(steps, open_, numbers, unconfirmed, describe, newest)


def _confirmations(
    state: State, steps: StepTable, names: frozenset[str]
) -> Iterator[tuple[str, str]]:
    """Yield pending branches whose value no earlier branch of the name explains."""
    waiting = [
        (name, step)
        for instance in state.named_parallels.open.of(state.steps)
        for name, step in state.branches.get(instance, {}).items()
        if name in names and steps.status_of(step) is Status.PENDING and not steps.first[step]
    ]
    if not waiting:
        return
    explained = {
        name
        for branches in state.branches.values()
        for name, step in branches.items()
        if steps.first[step]
    }
    for name, step in waiting:
        if name not in explained:
            steps.set_status(step, Status.UNCONFIRMED, None)
            yield name, steps.path(step)


def _open(steps: StepTable) -> Iterator[int]:
    running = STATUS_CODE[Status.RUNNING]
    at = steps.status.find(running)
    while at >= 0:
        if steps.kind_of(at) in _CONTAINERS:
            yield at
        at = steps.status.find(running, at + 1)


def _construct(steps: StepTable, number: int, index: list[Any]) -> OpenConstruct:
    extra = steps.extra.get(number, _NOTHING)
    name = extra.ref.get("parallel_id") or extra.ref.get("loop_id")
    kind = steps.kind_of(number)
    return OpenConstruct(kind, name, extra.instance, index[number], steps.path(number))


_NOTHING = Extra()


def _references(
    steps: StepTable,
    number: int,
    index: list[object],
    rows: RowNumbers,
    known: Mapping[str, object],
) -> dict[str, object]:
    lineage = list(islice(chain((number,), steps.ancestors(number)), 2 * DEEPEST))
    blocks = [step for step in lineage if steps.kind[step] == _BLOCK]
    depth = known.get("depth")
    given: dict[str, object] = {
        "statement_index": index[number],
        "frame": rows.id_of(rows.ids[steps.first[blocks[0]] - 1]) if blocks else None,
        "depth": len(blocks) if depth is None else depth,
    }
    if steps.kind_of(number) is StepKind.BRANCH:
        given["branch"] = str(steps.segment[number])
    around_parallel = next((one for one in lineage[1:] if steps.kind[one] == _PARALLEL), None)
    if around_parallel is not None and around_parallel in steps.extra:
        given["parallel_id"] = steps.extra[around_parallel].ref.get("parallel_id")
    given.update({key: value for key, value in known.items() if key != "depth"})
    return given


def current_tables(facts: Facts | None) -> Tables:
    """Return the tables of the last accepted read."""
    assert facts is not None
    return facts.tables


class RunHistory:
    """What the readers of one run share: its last status and how its rows are written.

    A database keeps only the newest status, and a summary does not read the rows.
    """

    def __init__(self) -> None:
        self.signs = StyleSigns()
        """Of the rows as they were last folded."""
        self._last: Status | None = None
        self._reopened: Finding | None = None

    def note_status(self, status: Status, at: int | None) -> None:
        """Record the status as read from a file that was written at `at` (UTC ms)."""
        last, self._last = self._last, status
        if last not in ENDED or status is last or status is Status.UNKNOWN:
            return
        when = rfc3339(at)
        since = f" at {when}" if when else ""
        self._reopened = Finding(
            "re_opened", f"The run had {_ENDED_WORDS[last]} and was re-opened{since}.", "run"
        )

    @property
    def reopened(self) -> Finding | None:
        """The finding that the run continued after its end; the newest such time counts."""
        return self._reopened


_ENDED_WORDS = {
    Status.COMPLETED: "completed",
    Status.FAILED: "failed",
    Status.INTERRUPTED: "been interrupted",
}
