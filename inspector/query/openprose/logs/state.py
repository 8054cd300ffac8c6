"""What the log tells after its first N markers, and how the next one finds its place.

The rules that change it live beside it: statements, parallels, loops, blocks, fold.
"""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from inspector.derive.steps import KIND_CODE, StepTable
from inspector.model.status import Status
from inspector.model.step import StepKind
from inspector.query.openprose.logs.lines import Marker

ROOT = -1
"""The run itself as a container."""
DEEPEST = 100
"""Steps inside one another, as deep as the language allows; what nests deeper lies at the root."""
KEPT = 100
"""Remarks of one code that are kept one by one."""
MOST_EVENTS = 1_000_000
"""Beyond this only `---` lines are events; other markers are kept as notes, and that is said."""

Number = int | str | None
"""A statement's number, as it is given."""


class Said(NamedTuple):
    """What a line says about the step that it speaks of."""

    n: int
    """The event's number."""
    status: Status
    raw: str | None
    """The word that its sign stands for; None where it has none."""
    error: str | None = None
    recorded: str | None = None
    note: str | None = None
    attempt: int = 0


class Ending(NamedTuple):
    """A line that says how the run ended."""

    n: int
    line: int
    status: Status
    raw: str
    at: str | None
    note: str | None
    error: str | None


class Remark(NamedTuple):
    """Something that a careful reader would point out; `line` is where it shows."""

    code: str
    line: int
    detail: str = ""
    step: int = ROOT


@dataclass(slots=True)
class LogState:
    """The steps after the first `events` markers, with the indexes that the next one needs."""

    steps: StepTable = field(default_factory=StepTable)
    events: int = 0
    lines: array[int] = field(default_factory=lambda: array("q"))
    """The number of each event's line."""
    event_step: array[int] = field(default_factory=lambda: array("i"))
    numbers: list[Number] = field(default_factory=list)
    """The statement number of each step."""
    depth: bytearray = field(default_factory=bytearray)
    keys: dict[int, dict[tuple[Number, str], int]] = field(default_factory=dict)
    """Container → number and name → step."""
    unfinished: dict[int, dict[Number, int]] = field(default_factory=dict)
    """Container → number → its newest statement, while that has not completed."""
    used: dict[int, Counter[str]] = field(default_factory=dict)
    """Container → path segments taken, so that ids stay unique."""
    parallels: dict[int, dict[Number, int]] = field(default_factory=dict)
    """Container → number → its newest parallel."""
    last_parallel: int = ROOT
    members: dict[int, dict[str, int]] = field(default_factory=dict)
    """Parallel → name → branch."""
    letters: dict[int, dict[str, int]] = field(default_factory=dict)
    """Parallel → letter → branch."""
    instances: Counter[Number] = field(default_factory=Counter)
    loops: dict[int, int] = field(default_factory=dict)
    """Container → the loop that is open in it."""
    rounds: dict[int, int] = field(default_factory=dict)
    """Open loop → its iteration that is under way."""
    homes: dict[int, int] = field(default_factory=dict)
    """Open loop → the container that it is open in."""
    blocks: dict[str, int] = field(default_factory=dict)
    """Invocation id → its newest block."""
    yielded: dict[tuple[int, Number, str], int] = field(default_factory=dict)
    """Container, number and letter → the step that waits for a delegate there."""
    failures: array[int] = field(default_factory=lambda: array("i"))
    marks: Counter[Status] = field(default_factory=Counter)
    """Steps that stand for `---` lines: no work of the program."""
    ended: Ending | None = None
    """The end line that still holds: nothing came after it."""
    remarks: list[Remark] = field(default_factory=list)
    remark_counts: Counter[str] = field(default_factory=Counter)

    def remark(self, code: str, line: int, detail: str = "", step: int = ROOT) -> None:
        """Notes something odd; beyond a limit only the count grows."""
        self.remark_counts[code] += 1
        if self.remark_counts[code] <= KEPT:
            self.remarks.append(Remark(code, line, detail, step))

    def add(
        self,
        container: int,
        kind: StepKind,
        label: str,
        segment: Any,
        number: Number,
        said: Said | None = None,
    ) -> int:
        """Adds a step; without a line it is named but nothing is recorded of it yet."""
        steps = self.steps
        if container >= 0 and self.depth[container] >= DEEPEST:
            container = ROOT
        status = Status.PENDING if said is None else said.status
        raw, event = (None, 0) if said is None else (said.raw, said.n)
        step = steps.add(container, kind, label, status, raw, event)
        self.numbers.append(number)
        self.depth.append(self.depth[container] + 1 if container >= 0 else 0)
        taken = self.used.get(container)
        if taken is None:
            taken = self.used[container] = Counter()
        key = str(segment)
        taken[key] += 1
        steps.segment[step] = segment
        if taken[key] > 1:
            steps.repeats[step] = f"#{taken[key]}"
        return step

    def set_kind(self, step: int, kind: StepKind) -> None:
        """Says that a step turned out to be something else."""
        self.steps.kind[step] = KIND_CODE[kind]

    def is_open(self, step: int) -> bool:
        """Whether a construct has begun and not ended."""
        return self.steps.status_of(step) is Status.RUNNING

    def inside(self, container: int) -> int:
        """Where the next line of a container falls: its innermost open iteration."""
        while (loop := self.loops.get(container)) is not None:
            container = self.rounds[loop]
        return container

    def base(self, marker: Marker) -> int:
        """The block that a line says it happened in; the run itself when it names none."""
        if marker.within is None:
            return ROOT
        return self.block(marker.within, marker.statement)

    def block(self, scope: str, number: Number) -> int:
        """The block with this id; one whose beginning is not recorded is made."""
        step = self.blocks.get(scope)
        if step is None:
            step = self.add(self.inside(ROOT), StepKind.BLOCK, f"#{scope}", f"b{scope}", number)
            self.steps.set_status(step, Status.RUNNING, None)
            self.blocks[scope] = step
            ref = self.steps.more(step).ref
            ref.update(block=None, block_id=scope, closed=False)
        return step

    def forget(self, container: int) -> None:
        """Drops the indexes of a container that nothing can be added to any more."""
        for parallel in self.parallels.pop(container, {}).values():
            if not self.is_open(parallel):
                self.members.pop(parallel, None)
                self.letters.pop(parallel, None)
        for index in (self.keys, self.unfinished, self.used):
            index.pop(container, None)

    def copy(self) -> LogState:
        """A checkpoint: later lines do not reach it."""
        return LogState(
            steps=self.steps.copy(),
            events=self.events,
            lines=self.lines[:],
            event_step=self.event_step[:],
            numbers=self.numbers[:],
            depth=self.depth[:],
            keys={at: dict(known) for at, known in self.keys.items()},
            unfinished={at: dict(known) for at, known in self.unfinished.items()},
            used={at: Counter(taken) for at, taken in self.used.items()},
            parallels={at: dict(known) for at, known in self.parallels.items()},
            last_parallel=self.last_parallel,
            members={at: dict(known) for at, known in self.members.items()},
            letters={at: dict(known) for at, known in self.letters.items()},
            instances=Counter(self.instances),
            loops=dict(self.loops),
            rounds=dict(self.rounds),
            homes=dict(self.homes),
            blocks=dict(self.blocks),
            yielded=dict(self.yielded),
            failures=self.failures[:],
            marks=Counter(self.marks),
            ended=self.ended,
            remarks=list(self.remarks),
            remark_counts=Counter(self.remark_counts),
        )
