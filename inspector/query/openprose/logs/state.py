"""What the log tells after its first N markers, and how the next one finds its place.

The rules that change it live beside it: statements, parallels, loops, blocks, fold.
"""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from inspector.derive.steps import KIND_CODE, STATUS_CODE, StepTable
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

_EMPTY: dict[Any, Any] = {}
_STATEMENT = KIND_CODE[StepKind.STATEMENT]
_COMPLETED = STATUS_CODE[Status.COMPLETED]


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
    keys: dict[int, dict[Number, int | dict[str, int]]] = field(default_factory=dict)
    """Container → number → its one step, or name → step where the number has several."""
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
    iterations: dict[int, int] = field(default_factory=dict)
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
        too_deep = container >= 0 and self.depth[container] >= DEEPEST
        container = ROOT if too_deep else container
        status = Status.PENDING if said is None else said.status
        raw, event = (None, 0) if said is None else (said.raw, said.n)
        again = f"@{len(steps)}" if too_deep else self._again(container, kind, segment)
        step = steps.add(container, kind, label, status, raw, event)
        self.numbers.append(number)
        self.depth.append(self.depth[container] + 1 if container >= 0 else 0)
        steps.segment[step] = segment
        if again:
            steps.repeats[step] = again
        return step

    def _again(self, container: int, kind: StepKind, segment: Any) -> str:
        """What tells a step from those before it with the same segment; mostly nothing."""
        if isinstance(segment, int):
            # Iterations never repeat; statements are all kept under their numbers.
            before = self.keys.get(container, _EMPTY).get(segment)
            if kind is StepKind.ITERATION or before is None:
                return ""
            return f"#{len(before) + 1 if isinstance(before, dict) else 2}"
        taken = self.used.get(container)
        if taken is None:
            taken = self.used[container] = Counter()
        taken[segment] += 1
        return "" if taken[segment] == 1 else f"#{taken[segment]}"

    def add_plain(self, container: int, name: str, number: int | str, event: int) -> int:
        """Adds the first statement of its number, completed; as `add`, by a shorter way."""
        if type(number) is not int or (container >= 0 and self.depth[container] >= DEEPEST):
            said = Said(event, Status.COMPLETED, Status.COMPLETED.value)
            step = self.add(container, StepKind.STATEMENT, name, number, number, said)
        else:
            steps = self.steps
            step = steps.append(container, _STATEMENT, name, _COMPLETED, "completed", event)
            steps.segment[step] = number
            self.numbers.append(number)
            self.depth.append(self.depth[container] + 1 if container >= 0 else 0)
        self.remember(container, number, name, step)
        return step

    def known(self, container: int, number: Number, name: str) -> int | None:
        """The step of this number and name in a container."""
        found = self.keys.get(container, _EMPTY).get(number)
        if isinstance(found, dict):
            return found.get(name)
        return found if found is not None and self.steps.label[found] == name else None

    def remember(self, container: int, number: Number, name: str, step: int) -> None:
        """Keeps a step under its number and name."""
        keys = self.keys.get(container)
        if keys is None:
            keys = self.keys[container] = {}
        before = keys.get(number)
        if before is None:
            keys[number] = step
        elif isinstance(before, dict):
            before[name] = step
        else:
            keys[number] = {self.steps.label[before]: before, name: step}

    def is_open(self, step: int) -> bool:
        """Whether a construct has begun and not ended."""
        return self.steps.status_of(step) is Status.RUNNING

    def inside(self, container: int) -> int:
        """Where the next line of a container falls: its innermost open iteration."""
        while (loop := self.loops.get(container)) is not None:
            container = self.iterations[loop]
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
            keys={at: _copied(known) for at, known in self.keys.items()},
            unfinished={at: dict(known) for at, known in self.unfinished.items()},
            used={at: Counter(taken) for at, taken in self.used.items()},
            parallels={at: dict(known) for at, known in self.parallels.items()},
            last_parallel=self.last_parallel,
            members={at: dict(known) for at, known in self.members.items()},
            letters={at: dict(known) for at, known in self.letters.items()},
            instances=Counter(self.instances),
            loops=dict(self.loops),
            iterations=dict(self.iterations),
            homes=dict(self.homes),
            blocks=dict(self.blocks),
            yielded=dict(self.yielded),
            failures=self.failures[:],
            marks=Counter(self.marks),
            ended=self.ended,
            remarks=list(self.remarks),
            remark_counts=Counter(self.remark_counts),
        )


def _copied(known: dict[Number, int | dict[str, int]]) -> dict[Number, int | dict[str, int]]:
    copy = dict(known)
    for number, steps in known.items():
        if isinstance(steps, dict):
            copy[number] = dict(steps)
    return copy
