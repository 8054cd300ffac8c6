"""What the fold knows after its first N entries, and how it can be asked.

The rules that change it live beside it: nesting, attempts, advice, commit, crossing, fold.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from inspector.derive.steps import StepTable
from inspector.model.status import Status
from inspector.model.step import Step, StepKind
from inspector.query.grimoire.events import Fact

MOST_KINDS = 200
KEPT_REMARKS = 100
"""Remarks of one code that are kept one by one; beyond that they are only counted."""


class Remark(NamedTuple):
    """Something odd or worth a word that the fold met; a sentence is made of it later."""

    code: str
    step: int
    event: int
    detail: str


class Planned(NamedTuple):
    """A top-level action that the preview simulated: the commit sends them in this order."""

    step_id: str
    step: int
    action: str
    """The action as one line, to be told from others."""


@dataclass(slots=True)
class Branch:
    """A conditional that has closed and whose branch now runs: the steps still to come."""

    step: int
    ids: list[str]
    at: int = 0


@dataclass(slots=True)
class Frame:
    """A step that has started and not ended; what starts meanwhile may be inside it."""

    step: int
    step_id: str
    kind: str
    encloses: bool
    """Whether steps that start meanwhile are its children."""
    event: int
    """The entry that started it."""
    branches: list[Branch] = field(default_factory=list)
    first: str | None = None
    """The first direct child: when it starts again, the next round has begun."""
    children: int = 0
    """Direct children so far."""
    rounds: int = 0
    group: int = -1
    """The open round, attempt or aftermath that direct children belong to."""
    attempts: int = 0
    failed: str | None = None
    """A step directly inside that failed and was not skipped: what it left undone will not run."""
    after: bool = False
    """Whether the body of a `try` is over: what follows is its catch or its finally."""

    def copy(self) -> Frame:
        """A copy that later entries do not reach."""
        return replace(self, branches=[Branch(b.step, b.ids, b.at) for b in self.branches])


@dataclass(frozen=True, slots=True)
class Hints:
    """What only later entries tell about earlier ones; found by a first fold, used by a second."""

    per_round: Mapping[int, int] = field(default_factory=dict)
    """Entry that starts a loop → direct children per round, where the ids do not tell rounds."""
    retried: frozenset[int] = frozenset()
    """Entries that start a `try` which was attempted more than once."""


def described(steps: StepTable, words: bytearray, kinds: Sequence[str], number: int) -> Step:
    """A step with its own id and the word for its kind, which are not kept for each step."""
    step = steps.step(number)
    word = words[number] if number < len(words) else 0
    if not word:
        return step
    own: dict[str, Any] = {"step_id": str(steps.segment[number]), "step_kind": kinds[word] or None}
    return replace(step, ref={**own, **step.ref})


@dataclass(slots=True)
class State:
    """The steps after the first `events` entries, with the indexes that the next one needs."""

    hints: Hints = field(default_factory=Hints)
    found: dict[int, int] = field(default_factory=dict)
    """Hints that this fold lacked: the entry that starts a loop → children per round, or 0 for a
    `try` that was retried."""
    steps: StepTable = field(default_factory=StepTable)
    words: bytearray = field(default_factory=bytearray)
    """Of each step the place of its kind's word in `kinds`; 0 for what is no step of the spell."""
    kinds: list[str] = field(default_factory=lambda: ["", ""])
    """Words for kinds as recorded; 1 stands for a kind that is not."""
    names: dict[str, str] = field(default_factory=dict)
    """One text for each step id, however often it was read."""
    events: int = 0
    event_step: array[int] = field(default_factory=lambda: array("i"))
    failures: array[int] = field(default_factory=lambda: array("i"))
    instants: int = 0
    first_at: int | None = None
    last_at: int | None = None
    """Instants of the first and the last entry that bear one."""
    parts: dict[str, int] = field(default_factory=dict)
    """`preview`, `commit` and `lifecycle` → their step, as far as they have begun."""
    committing: bool = False
    """Whether the newest part that has begun is the commit."""
    frames: list[Frame] = field(default_factory=list)
    body: Frame = field(default_factory=lambda: Frame(-1, "", "", True, 0))
    """The preview itself as what encloses top-level steps."""
    used: dict[int, Counter[str]] = field(default_factory=dict)
    """Container → path segments taken, so that ids stay unique."""
    newest: dict[str, int] = field(default_factory=dict)
    """Step id → its newest step in the preview."""
    began: bool = False
    """Whether any step has started: guards are judged before and after."""
    halted: int = -1
    """The step that halted the spell."""
    unclosed: list[int] = field(default_factory=list)
    """Steps that were left without a recorded end."""
    plan: list[Planned] = field(default_factory=list)
    sent: int = 0
    """Planned actions that were sent or passed over."""
    commits: dict[str, int] = field(default_factory=dict)
    """Step id → its step in the commit."""
    by_hash: dict[str, int] = field(default_factory=dict)
    """Transaction or order → the step that sent it."""
    tools: dict[tuple[int, str], int] = field(default_factory=dict)
    """Advisory and tool call id → the tool call's step."""
    lanes: dict[str, int] = field(default_factory=dict)
    """Track or handoff id → its step in the lifecycle."""
    bindings: array[int] = field(default_factory=lambda: array("i"))
    """Entries that set a binding, ascending."""
    binding_names: list[str] = field(default_factory=list)
    """What each of them named."""
    remarks: list[Remark] = field(default_factory=list)
    remark_counts: Counter[str] = field(default_factory=Counter)

    def remark(self, code: str, step: int, event: int, detail: str = "") -> None:
        """Notes something; beyond a limit only the count grows."""
        self.remark_counts[code] += 1
        if self.remark_counts[code] <= KEPT_REMARKS:
            self.remarks.append(Remark(code, step, event, detail))

    def add(
        self, parent: int, kind: StepKind, label: str, fact: Fact, segment: str, raw: str | None
    ) -> int:
        """Adds a step that begins with this entry, running until something ends it."""
        number = self.steps.add(parent, kind, label, Status.RUNNING, raw, fact.n)
        self.words.append(0)
        self.steps.segment[number] = segment
        self._tell_apart(number, parent, segment)
        self._start(number, fact)
        return number

    def name(self, step_id: str) -> str:
        """The one text for a step id."""
        return self.names.setdefault(step_id, step_id)

    def call(self, step: int, word: str | None) -> None:
        """Says that a step is one of the spell's own: its segment is its id."""
        if word is None:
            self.words[step] = 1
            return
        if word not in self.kinds and len(self.kinds) <= MOST_KINDS:
            self.kinds.append(word)
        self.words[step] = self.kinds.index(word) if word in self.kinds else 1

    def id_of(self, step: int) -> str | None:
        """The id of a step of the spell; None for rounds, groups and whatever else has none."""
        return str(self.steps.segment[step]) if self.words[step] else None

    def step(self, number: int) -> Step:
        """A step as an object, with what it refers to."""
        return described(self.steps, self.words, self.kinds, number)

    def add_round(self, loop: int, n: int, fact: Fact) -> int:
        """Adds the next round of a loop; it has no entry of its own, but begins with this one."""
        number = self.steps.add(loop, StepKind.ITERATION, "", Status.RUNNING, None, fact.n)
        self.words.append(0)
        self.steps.segment[number] = n
        self._start(number, fact)
        return number

    def _start(self, number: int, fact: Fact) -> None:
        if fact.at is not None:
            self.steps.started[number] = fact.at

    def _tell_apart(self, number: int, parent: int, segment: str) -> None:
        taken = self.used.get(parent)
        if taken is None:
            taken = self.used[parent] = Counter()
        taken[segment] += 1
        if taken[segment] > 1:
            self.steps.repeats[number] = f"#{taken[segment]}"

    def end(self, step: int, fact: Fact, status: Status, raw: str | None) -> None:
        """Says how a step ended, with this entry."""
        self.steps.set_status(step, status, raw)
        if fact.at is not None:
            self.steps.ended[step] = fact.at
        if status is Status.FAILED:
            self.failures.append(fact.n)

    def note(self, step: int, **facts: Any) -> None:
        """Adds to what a step refers to."""
        self.steps.more(step).ref.update(facts)

    def close_group(self, frame: Frame, fact: Fact, status: Status | None = None) -> None:
        """Ends the open round, attempt or aftermath of a frame."""
        if frame.group < 0:
            return
        steps = self.steps
        if steps.status_of(frame.group) is Status.RUNNING:
            steps.set_status(frame.group, status or Status.COMPLETED, None)
            if fact.at is not None:
                steps.ended[frame.group] = fact.at
        self.used.pop(frame.group, None)
        frame.group = -1

    def innermost(self) -> int | None:
        """The step that has started last and not ended."""
        return self.frames[-1].step if self.frames else None

    def frame_of(self, step_id: str | None) -> Frame | None:
        """The open frame of a step id, the innermost first."""
        return next((one for one in reversed(self.frames) if one.step_id == step_id), None)

    def copy(self) -> State:
        """A checkpoint: later entries do not reach it."""
        return replace(
            self,
            found=dict(self.found),
            steps=self.steps.copy(),
            words=self.words[:],
            kinds=list(self.kinds),
            names=dict(self.names),
            event_step=self.event_step[:],
            failures=self.failures[:],
            parts=dict(self.parts),
            frames=[frame.copy() for frame in self.frames],
            body=self.body.copy(),
            used={key: Counter(value) for key, value in self.used.items()},
            newest=dict(self.newest),
            unclosed=list(self.unclosed),
            plan=list(self.plan),
            commits=dict(self.commits),
            by_hash=dict(self.by_hash),
            tools=dict(self.tools),
            lanes=dict(self.lanes),
            bindings=self.bindings[:],
            binding_names=list(self.binding_names),
            remarks=list(self.remarks),
            remark_counts=Counter(self.remark_counts),
        )
