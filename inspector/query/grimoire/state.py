"""The state of the fold after the first N entries of a ledger, and the three parts of a run.

The rules that change it are in `fold`, `nesting` and `cross_chain`.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from inspector.derive.steps import StepTable
from inspector.model.status import Status
from inspector.model.step import Step, StepKind
from inspector.query.grimoire.events import Fact

PREVIEW, COMMIT, LIFECYCLE = "preview", "commit", "lifecycle"
"""Parts of a run: its preview, its commit, and the tracks and handoffs of a cross-chain run."""

MOST_KINDS = 200
KEPT_REMARKS = 100
"""Remarks of one code that are kept one by one; further ones are only counted."""


class Remark(NamedTuple):
    """An observation of the fold that becomes a finding."""

    code: str
    step: int
    event: int
    detail: str


class Planned(NamedTuple):
    """A top-level action that the preview simulated; the commit sends them in this order."""

    step_id: str
    step: int
    action: str
    """The action as canonical JSON, to be compared with the one that was sent."""


@dataclass(slots=True)
class Branch:
    """The branch of a completed conditional; its steps run after the conditional's end."""

    step: int
    ids: list[str]
    at: int = 0
    """Index of the next expected step."""


@dataclass(slots=True)
class Frame:
    """An open step: started and not ended."""

    step: int
    step_id: str
    kind: str
    encloses: bool
    """Whether steps that start while it is open are its children."""
    event: int
    """The entry that started it."""
    branches: list[Branch] = field(default_factory=list)
    first: str | None = None
    """The first direct child of a loop; when it starts again, the next iteration begins."""
    children: int = 0
    iterations: int = 0
    group: int = -1
    """The open iteration, attempt or `catch or finally` of direct children; -1 if none."""
    attempts: int = 0
    failed: str | None = None
    """Id of a direct child that failed and was not skipped: the rest of its branch will not run."""
    after: bool = False
    """Whether the body of a `try` is over; children from now on are its catch or finally."""

    def copy(self) -> Frame:
        """Return a copy that shares nothing mutable."""
        return replace(self, branches=[Branch(b.step, b.ids, b.at) for b in self.branches])


@dataclass(frozen=True, slots=True)
class Hints:
    """Facts about early entries that only later ones reveal: found by a fold, used by the next."""

    per_round: Mapping[int, int] = field(default_factory=dict)
    """Entry that starts a loop → direct children per iteration, if step ids do not show it."""
    retried: frozenset[int] = frozenset()
    """Entries that start a `try` with more than one attempt."""


def described(steps: StepTable, words: bytearray, kinds: Sequence[str], number: int) -> Step:
    """Return a step with its id and the recorded word for its kind, stored outside the table."""
    step = steps.step(number)
    word = words[number] if number < len(words) else 0
    if not word:
        return step
    own: dict[str, object] = {
        "step_id": str(steps.segment[number]),
        "step_kind": kinds[word] or None,
    }
    return replace(step, ref={**own, **step.ref})


@dataclass(slots=True)
class State:
    """The steps after the first `events` entries, and the indexes that the next entry needs."""

    hints: Hints = field(default_factory=Hints)
    found: dict[int, int] = field(default_factory=dict)
    """Hints that this fold lacked: entry that starts a loop → children per iteration, or that
    starts a retried `try` → 0."""
    steps: StepTable = field(default_factory=StepTable)
    words: bytearray = field(default_factory=bytearray)
    """Index in `kinds` of each step's kind; 0 for groups, iterations and the like."""
    kinds: list[str] = field(default_factory=lambda: ["", ""])
    """Kinds as recorded; index 1 is an unrecorded kind."""
    names: dict[str, str] = field(default_factory=dict)
    """Interned step ids."""
    events: int = 0
    event_step: array[int] = field(default_factory=lambda: array("i"))
    failures: array[int] = field(default_factory=lambda: array("i"))
    instants: int = 0
    first_at: int | None = None
    last_at: int | None = None
    """Instants (UTC ms) of the first and last entry that have one."""
    parts: dict[str, int] = field(default_factory=dict)
    """Part → its step, for the parts that have begun."""
    committing: bool = False
    """Whether the commit has begun."""
    frames: list[Frame] = field(default_factory=list)
    body: Frame = field(default_factory=lambda: Frame(-1, "", "", True, 0))
    """The preview as the frame of top-level steps."""
    used: dict[int, Counter[str]] = field(default_factory=dict)
    """Parent → its children's path segments, which keeps step ids unique."""
    newest: dict[str, int] = field(default_factory=dict)
    """Step id → its newest step in the preview."""
    began: bool = False
    """Whether any step has started; a guard before that is a precondition."""
    halted: int = -1
    """The step that halted the spell; -1 if none."""
    unclosed: list[int] = field(default_factory=list)
    """Steps that were left without a recorded end."""
    plan: list[Planned] = field(default_factory=list)
    sent: int = 0
    """Planned actions that were sent or skipped."""
    commits: dict[str, int] = field(default_factory=dict)
    """Step id → its step in the commit."""
    by_hash: dict[str, int] = field(default_factory=dict)
    """Transaction hash or order id → the step that sent it."""
    tools: dict[tuple[int, str], int] = field(default_factory=dict)
    """Advisory and tool call id → the tool call's step."""
    lifecycle: dict[str, int] = field(default_factory=dict)
    """`kind:id` of a track or handoff → its step."""
    bindings: array[int] = field(default_factory=lambda: array("i"))
    """Entries that set a binding, ascending."""
    binding_names: list[str] = field(default_factory=list)
    """The name that each of them set."""
    remarks: list[Remark] = field(default_factory=list)
    remark_counts: Counter[str] = field(default_factory=Counter)

    def remark(self, code: str, step: int, event: int, detail: str = "") -> None:
        """Record a remark; beyond KEPT_REMARKS of a code, only the count."""
        self.remark_counts[code] += 1
        if self.remark_counts[code] <= KEPT_REMARKS:
            self.remarks.append(Remark(code, step, event, detail))

    def add(
        self, parent: int, kind: StepKind, label: str, fact: Fact, segment: str, raw: str | None
    ) -> int:
        """Add a step that starts with this entry and is running."""
        number = self.steps.add(parent, kind, label, Status.RUNNING, raw, fact.n)
        self.words.append(0)
        self.steps.segment[number] = segment
        self._make_unique(number, parent, segment)
        self._start(number, fact)
        return number

    def intern(self, step_id: str) -> str:
        """Return one shared string per step id; a loop repeats them thousands of times."""
        return self.names.setdefault(step_id, step_id)

    def set_kind_word(self, step: int, word: str | None) -> None:
        """Mark a step as one of the spell's own, with the recorded word for its kind."""
        if word is None:
            self.words[step] = 1
            return
        if word not in self.kinds and len(self.kinds) <= MOST_KINDS:
            self.kinds.append(word)
        self.words[step] = self.kinds.index(word) if word in self.kinds else 1

    def id_of(self, step: int) -> str | None:
        """Return the id of a step of the spell; None for groups, iterations and the like."""
        return str(self.steps.segment[step]) if self.words[step] else None

    def step(self, number: int) -> Step:
        """Return a step with its references."""
        return described(self.steps, self.words, self.kinds, number)

    def add_iteration(self, loop: int, n: int, fact: Fact) -> int:
        """Add iteration `n` of a loop; it has no entry of its own, but starts with this one."""
        number = self.steps.add(loop, StepKind.ITERATION, "", Status.RUNNING, None, fact.n)
        self.words.append(0)
        self.steps.segment[number] = n
        self._start(number, fact)
        return number

    def _start(self, number: int, fact: Fact) -> None:
        if fact.at is not None:
            self.steps.started[number] = fact.at

    def _make_unique(self, number: int, parent: int, segment: str) -> None:
        taken = self.used.get(parent)
        if taken is None:
            taken = self.used[parent] = Counter()
        taken[segment] += 1
        if taken[segment] > 1:
            self.steps.repeats[number] = f"#{taken[segment]}"

    def end(self, step: int, fact: Fact, status: Status, raw: str | None) -> None:
        """End a step with this entry."""
        self.steps.set_status(step, status, raw)
        if fact.at is not None:
            self.steps.ended[step] = fact.at
        if status is Status.FAILED:
            self.failures.append(fact.n)

    def note(self, step: int, **facts: object) -> None:
        """Add to a step's references."""
        self.steps.more(step).ref.update(facts)

    def close_group(self, frame: Frame, fact: Fact, status: Status | None = None) -> None:
        """End the frame's open iteration or attempt; completed unless a status is given."""
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
        """Return the innermost open step."""
        return self.frames[-1].step if self.frames else None

    def frame_of(self, step_id: str | None) -> Frame | None:
        """Return the innermost open frame with a step id."""
        return next((one for one in reversed(self.frames) if one.step_id == step_id), None)

    def copy(self) -> State:
        """Return a checkpoint that later entries do not change."""
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
            lifecycle=dict(self.lifecycle),
            bindings=self.bindings[:],
            binding_names=list(self.binding_names),
            remarks=list(self.remarks),
            remark_counts=Counter(self.remark_counts),
        )


_LABELS = {PREVIEW: "preview", COMMIT: "commit", LIFECYCLE: "cross-chain"}


def part_of(state: State, name: str, fact: Fact) -> int:
    """Return the step of a part, which starts with this entry unless it has begun."""
    known = state.parts.get(name)
    if known is not None:
        return known
    step = state.parts[name] = state.add(-1, StepKind.GROUP, _LABELS[name], fact, name, None)
    state.note(step, part=name)
    return step


def preview_of(state: State, fact: Fact) -> int:
    """Return the step of the preview; it is labelled `run` in ledgers older than previews."""
    known = state.parts.get(PREVIEW)
    if known is not None:
        return known
    step = part_of(state, PREVIEW, fact)
    state.body.step = step
    if fact.type != "preview_started":
        state.steps.label[step] = "run"
    return step


def current_part(state: State, fact: Fact) -> int:
    """Return the commit if it has begun, else the preview."""
    return part_of(state, COMMIT, fact) if state.committing else preview_of(state, fact)


def current_step(state: State, fact: Fact) -> int:
    """Return the innermost open step, or the current part if none is open or a commit has begun."""
    inner = None if state.committing else state.innermost()
    return current_part(state, fact) if inner is None else inner


def end_part(state: State, step: int, fact: Fact, status: Status, raw: str | None) -> None:
    """End a part; its failure is not counted if a step inside it has failed already."""
    failures = len(state.failures)
    state.end(step, fact, status, raw)
    if status is Status.FAILED and failures:
        state.failures.pop()
