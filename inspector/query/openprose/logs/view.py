"""From the fold's state and what lies beside the log to what is handed out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from inspector.derive.steps import STATUS_CODE, Extra, StepTable, step_counts
from inspector.model.run import Finding, Run, RunKind
from inspector.model.status import ENDED, FINISHED, Status
from inspector.model.step import OpenConstruct, Step, StepKind
from inspector.model.store import Health, Store, WriteStyle
from inspector.query.openprose import NAME
from inspector.query.openprose import findings as prose_findings
from inspector.query.openprose.findings import name_of
from inspector.query.openprose.logs.events import first_marker, marker_in
from inspector.query.openprose.logs.folder import Surroundings
from inspector.query.openprose.logs.header import MOST_BYTES, Header, read_header
from inspector.query.openprose.logs.lines import Marker, Verb, tag_of
from inspector.query.openprose.logs.state import KEPT, MOST_EVENTS, Ending, LogState, Number, Remark
from inspector.query.openprose.progress import progress, tokens_of
from inspector.query.openprose.receipts.ledger import Ledger
from inspector.query.openprose.view import CLOCK_MS, RunLocation, run_key
from inspector.text.parse_time import parse_instant


class Standing(NamedTuple):
    """Return the valid end line among these lines."""

    ended: Ending | None
    decided: bool
    """Whether lines before these could not change it."""


def header_in(head: bytes) -> Header:
    """The header from the first bytes of a log."""
    preamble = head[: first_marker(head[:MOST_BYTES])]
    return read_header(preamble[:MOST_BYTES].decode("utf-8", "replace"))


def standing(tail: bytes, *, is_whole: bool) -> Standing:
    """How the run stands after the last bytes of a log; `is_whole` if nothing is before them."""
    if not is_whole:
        tail = tail[tail.find(b"\n") + 1 :] if b"\n" in tail else b""
    end = len(tail)
    while end >= 0:
        start = tail.rfind(b"\n", 0, end) + 1
        marker = marker_in(tail[start:end])
        # A test judges the run, it does not go on with it.
        if marker is not None and not (marker.verb is Verb.RUN and marker.name == "test"):
            return Standing(_ending(marker), True)
        end = start - 1
    return Standing(None, is_whole)


def _ending(marker: Marker) -> Ending | None:
    if marker.verb is not Verb.RUN or marker.status not in ENDED:
        return None
    return Ending(0, 0, marker.status, f"---{marker.name}", marker.at, marker.note, marker.error)


def ending(status: Status, open_: Sequence[OpenConstruct]) -> Iterator[Finding]:
    """What the end line leaves open."""
    for construct in open_:
        name = name_of(construct)
        if status is Status.COMPLETED:
            message = f"The run says completed, but {name} has no recorded end."
            yield Finding("contradiction", message, construct.step)
        elif status in ENDED:
            message = f"{name[:1].upper()}{name[1:]} never ended."
            yield Finding("never_finished", message, construct.step)


def looks_finished(status: Status, open_: Sequence[OpenConstruct], state: LogState) -> bool:
    """Whether a run that was not closed has nothing left that began and did not end."""
    if status is not Status.RUNNING or open_ or not state.events:
        return False
    return state.steps.status_of(state.event_step[-1]) in (Status.COMPLETED, Status.SKIPPED)


LOOKS_FINISHED = Finding(
    "looks_finished",
    "Every recorded step ended and an output was written, but the log has no end line.",
)


def claims(header: Header, status: Status, state: LogState) -> Iterator[Finding]:
    """Where the front matter says something else than the lines of the log."""
    word = header.raw_status
    if word is None:
        return
    if header.claimed is None:
        yield Finding("unknown_status", f"The front matter has the status {word!r}.", "line:1")
    elif header.claimed is not status:
        said = "no end line says so" if state.ended is None else f"the log says {status.value}"
        yield Finding(
            "contradiction",
            f"The front matter says {word}, but {said}.",
            "line:1" if state.ended is None else f"line:{state.ended.line}",
        )


def errors(
    left: Mapping[str, str], nodes: Mapping[str, int], steps: StepTable
) -> Iterator[Finding]:
    """Nodes that left an error of which the log says nothing."""
    for node, words in left.items():
        step = nodes.get(node)
        if step is not None and steps.status_of(step) in FINISHED:
            continue
        yield Finding(
            "unrecorded_error",
            f"{node} left an error that the log does not mention: {words}",
            None if step is None else steps.path(step),
        )


def remarks(state: LogState) -> Iterator[Finding]:
    """What the fold met."""
    for remark in state.remarks:
        yield Finding(remark.code, _sentence(remark), f"line:{remark.line}")
    for code, count in state.remark_counts.items():
        if code == "limit":
            message = f"The log has more than {MOST_EVENTS:,} events: {count:,} are kept as notes."
            yield Finding(code, message)
        elif count > KEPT:
            yield Finding(code, f"{count - KEPT} more of the same kind are not listed.")


def _sentence(remark: Remark) -> str:
    if remark.code == "re_opened":
        line, _, why = remark.detail.partition("\n")
        reason = f": {why}" if why else ""
        return f"The run continued after its end in line {line}{reason}."
    return f"Line {remark.line} starts a construct again before its end was recorded."


_OPEN = (Status.RUNNING, Status.WAITING)
_CONSTRUCTS = (StepKind.PARALLEL, StepKind.LOOP, StepKind.BLOCK, StepKind.STATEMENT)
_NOTHING = Extra()
_NO_HEADER = Header()
_NO_RECORD = (Health.EMPTY, "the folder holds no record yet")
_NO_ENTRY = (Health.DENIED, "this user may not read the run folder")
EMPTY_LOG = "the log is empty"


def without_record(folder: str) -> tuple[Health, str]:
    """Why a folder gives no record: it has none yet, or nobody may look into it."""
    return _NO_RECORD if os.access(folder, os.R_OK | os.X_OK) else _NO_ENTRY


@dataclass(frozen=True, slots=True)
class Facts:
    """What a view needs beside the steps."""

    store: Store
    header: Header | None = None
    beside: Surroundings = field(default_factory=Surroundings)
    ledger: Ledger | None = None
    last_activity_at: int | None = None
    has_content: bool = True
    """Whether the log holds anything at all."""
    has_output: Callable[[], bool] = field(default=lambda: False, compare=False)
    """Whether the program's output lies beside the log; only asked where it matters."""


def log_store(path: str, health: Health = Health.OK, reason: str | None = None) -> Store:
    """The store of a log: variant `log`, or `log-v1` for the elder `state.md`."""
    variant = "log-v1" if path.endswith("state.md") else "log"
    return Store(path, NAME, variant, WriteStyle.APPEND, health, reason)


def head_of(place: RunLocation, facts: Facts, ended: Ending | None) -> Run:
    """The run without its steps. Status: the end line that still holds; neither = running."""
    header = facts.header or _NO_HEADER
    run_id = header.run_id or place.name
    status = Status.RUNNING if ended is None else ended.status
    if not facts.has_content or facts.store.health is not Health.OK:
        status = Status.UNKNOWN
    ended_at = None
    if ended is not None:
        ended_at = parse_instant(ended.at) if ended.at is not None else header.ended_at
    return Run(
        key=run_key(place.store_path, run_id),
        kind=RunKind.PROGRAM,
        store=facts.store,
        run_id=run_id,
        title=header.title or run_id,
        status=status,
        raw_status=header.raw_status or (None if ended is None else ended.raw),
        parent_key=place.parent_key,
        started_at=header.started_at,
        ended_at=ended_at,
        last_activity_at=facts.last_activity_at,
        clock_ms=CLOCK_MS,
        mode=header.get("state_mode"),
        complete=False,
    )


@dataclass(frozen=True, slots=True)
class Shown:
    """A copy of the steps with what lies beside the log laid over them."""

    steps: StepTable
    open: tuple[OpenConstruct, ...]
    open_steps: tuple[int, ...]
    unconfirmed: tuple[tuple[str, str], ...]
    """Branches (name, step id) that have a value although their end is not recorded."""
    nodes: Mapping[str, int]
    """Nodes with files of their own → their newest step."""
    describe: Callable[[int], Step]


def show(state: LogState, beside: Surroundings | None) -> Shown:
    """Copies the steps and lays over them what the files of their nodes tell now."""
    steps = state.steps.copy()
    beside = beside or Surroundings()
    unconfirmed = tuple(_confirmations(state, steps, beside.names)) if beside.names else ()
    nodes = _nodes(steps, beside.errors.keys() | beside.delegations.keys())
    for node, step in nodes.items():
        _lay_over(steps, step, beside, node)
    numbers = state.numbers[:]

    def describe(number: int) -> Step:
        step = steps.step(number)
        return replace(step, ref=_references(steps, number, numbers, step))

    found = tuple(_open(steps))
    constructs = tuple(_construct(steps, number, numbers) for number in found)
    return Shown(steps, constructs, found, unconfirmed, nodes, describe)


def _confirmations(
    state: LogState, steps: StepTable, names: frozenset[str]
) -> Iterator[tuple[str, str]]:
    """A value counts for the newest instance only if no earlier branch of the name explains it."""
    explained = {
        name
        for branches in state.members.values()
        for name, step in branches.items()
        if steps.first[step] and steps.status_of(step) is not Status.PENDING
    }
    for parallel, branches in state.members.items():
        if steps.status_of(parallel) is not Status.RUNNING:
            continue
        for name, step in branches.items():
            if steps.status_of(step) is not Status.PENDING:
                continue
            if name in names and name not in explained:
                steps.set_status(step, Status.UNCONFIRMED, None)
                yield name, steps.path(step)


def _nodes(steps: StepTable, wanted: set[str]) -> dict[str, int]:
    """The newest step of each node that is named like this."""
    found: dict[str, int] = {}
    if not wanted:
        return found
    for number in range(len(steps) - 1, -1, -1):
        name = steps.label[number]
        if steps.kind_of(number) is StepKind.BRANCH and not name:
            name = str(steps.segment[number])
        if name in wanted and name not in found:
            found[name] = number
            if len(found) == len(wanted):
                break
    return found


def _lay_over(steps: StepTable, step: int, beside: Surroundings, node: str) -> None:
    extra = steps.more(step)
    if node in beside.errors:
        extra.ref["error_file"] = f"workspace/{node}/__error.md"
        if steps.status_of(step) is Status.FAILED and extra.error is None:
            extra.error = beside.errors[node]
    asked = beside.delegations.get(node, ())
    if asked:
        extra.ref["delegates"] = [one._asdict() for one in asked]
    if any(not one.answered for one in asked) and steps.status_of(step) not in FINISHED:
        steps.set_status(step, Status.WAITING, steps.raw[step])


def _open(steps: StepTable) -> Iterator[int]:
    found: list[int] = []
    for status in _OPEN:
        code = STATUS_CODE[status]
        at = steps.status.find(code)
        while at >= 0:
            if steps.kind_of(at) in _CONSTRUCTS:
                found.append(at)
            at = steps.status.find(code, at + 1)
    yield from sorted(found)


def _construct(steps: StepTable, number: int, numbers: list[Number]) -> OpenConstruct:
    extra = steps.extra.get(number, _NOTHING)
    name = extra.ref.get("block_id")
    kind = steps.kind_of(number)
    return OpenConstruct(kind, name, extra.instance, numbers[number], steps.path(number))


def _references(steps: StepTable, number: int, numbers: list[Number], step: Step) -> dict[str, Any]:
    around = [number, *steps.ancestors(number)]
    blocks = [one for one in around if steps.kind_of(one) is StepKind.BLOCK]
    given: dict[str, Any] = {
        "statement_index": numbers[number],
        "frame": frame_of(steps, blocks[0]) if blocks else None,
        "depth": len(blocks),
    }
    if step.kind is StepKind.BRANCH:
        given["branch"] = str(steps.segment[number])
    iteration = next((i for one in around if (i := steps.iteration(one)) is not None), None)
    if iteration is not None:
        given["iteration"] = iteration
    tag = tag_of(step.label) if step.kind is StepKind.STATEMENT else None
    if tag is not None:
        given["tag"] = tag
    given.update(step.ref)
    return given


def node_name(label: str) -> str:
    """The name of a node in a step's label, its tag left out."""
    tag = tag_of(label)
    return label if tag is None else label[label.index("]") + 1 :].strip()


def frame_of(steps: StepTable, block: int) -> int | None:
    """The number under which a block's values are kept."""
    scope = steps.extra.get(block, _NOTHING).ref.get("block_id")
    return int(scope) if scope is not None and scope.isdigit() and len(scope) < 19 else None


def frame_chain(steps: StepTable, frame: int) -> list[int]:
    """A frame and those around it, nearest first; only itself where its block is not recorded."""
    for number in range(len(steps) - 1, -1, -1):
        if steps.kind_of(number) is StepKind.BLOCK and frame_of(steps, number) == frame:
            around = [number, *steps.ancestors(number)]
            blocks = (one for one in around if steps.kind_of(one) is StepKind.BLOCK)
            return [one for block in blocks if (one := frame_of(steps, block)) is not None]
    return [frame]


def complete_run(head: Run, facts: Facts, state: LogState, shown: Shown, now: int) -> Run:
    """The run with everything that its lines tell."""
    counts = [
        count - state.marks[status]
        for status, count in zip(Status, shown.steps.leaf_counts, strict=True)
    ]
    return replace(
        head,
        findings=tuple(_findings(head, facts, state, shown, now)),
        order_only=True,
        steps=step_counts(counts),
        progress=progress(shown.steps, shown.open_steps, state.members, len(shown.unconfirmed)),
        tokens=tokens_of(facts.ledger),
        complete=True,
    )


def _findings(
    head: Run, facts: Facts, state: LogState, shown: Shown, now: int
) -> Iterator[Finding]:
    if facts.store.reason is not None:
        yield Finding("unreadable", f"Cannot be read now: {facts.store.reason}.")
    yield from prose_findings.unconfirmed(shown.unconfirmed)
    yield from ending(head.status, _unended(head.status, shown))
    if facts.header is not None:
        yield from claims(facts.header, head.status, state)
    if looks_finished(head.status, shown.open, state) and facts.has_output():
        yield LOOKS_FINISHED
    yield from prose_findings.liveness(head.status, head.last_activity_at, now)
    yield from remarks(state)
    yield from errors(facts.beside.errors, shown.nodes, shown.steps)
    yield from prose_findings.chains(facts.ledger)


def _unended(status: Status, shown: Shown) -> list[OpenConstruct]:
    """What should have ended. A loop in its last round needs no line that says so."""
    if status not in ENDED:
        return []
    found = []
    for number, construct in zip(shown.open_steps, shown.open, strict=True):
        extra = shown.steps.extra.get(number, _NOTHING)
        now = extra.ref.get("current_iteration")
        used_up = construct.kind is StepKind.LOOP and extra.of is not None and now == extra.of
        if not (used_up and status is Status.COMPLETED):
            found.append(construct)
    return found
