"""What the fold knows after its first N events; the rules that change it live in fold and beside.

Pure: no file, no clock.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import Any

from inspector.derive.steps import NO_TIME, StepTable
from inspector.model.status import Status
from inspector.model.step import StepKind
from inspector.query.prism.cells import instant_of
from inspector.query.prism.events import Fact

NONE = -1
"""No step; as a parent: the run itself."""

KEPT_REMARKS = 100


@dataclass(slots=True)
class State:
    """The steps after the first `events` events, and where the next one belongs."""

    steps: StepTable = field(default_factory=StepTable)
    events: int = 0
    used: dict[int, dict[str | int, int]] = field(default_factory=dict)
    """Container → path segments taken, for those that something may still be added to."""
    segments: int = 0
    """`agent_started` events so far."""
    segment: int = NONE
    turn: int = NONE
    """The turn that began last, in this segment: its tools come after its end."""
    call: int = NONE
    """The model call that began last, in this turn."""
    talk: int = NONE
    """The step that messages belong to."""
    tools: dict[str, int] = field(default_factory=dict)
    """Tool calls that were started and not ended, by id."""
    ended_tools: dict[str, int] = field(default_factory=dict)
    """Tool calls of this turn that ended."""
    asked: tuple[str, ...] = ()
    """Tool calls of the last message that none has been started for."""
    wait: int = NONE
    """The approval that is waited for, or was last."""
    loop: int = NONE
    round: int = NONE
    compaction: int = NONE
    deltas: int = 0
    """Pieces of a message that came since the last other event."""
    delta_at: Any = None
    """When the last of them came, as it stands."""
    finish_reason: str | None = None
    outcome: str | None = None
    """The last of `finished`, `suspended`, `denied`, `error`; None while something runs."""
    outcome_event: int = 0
    instants: int = 0
    last_at: int | None = None
    """The newest instant of an event, UTC ms."""
    failures: array[int] = field(default_factory=lambda: array("i"))
    turns: int = 0
    """The number of the turn that began last."""
    highest_turn: int = 0
    """The highest number of a turn in this segment."""
    malformed: list[int] = field(default_factory=list)
    """Events whose JSON could not be read, at most KEPT_REMARKS."""
    malformed_count: int = 0
    breaches: list[dict[str, Any]] = field(default_factory=list)

    def add(
        self,
        parent: int,
        kind: StepKind,
        name: str | int,
        label: str,
        status: Status,
        raw: str,
        at: Fact,
        *,
        alone: bool = False,
    ) -> int:
        """Adds a step that began with this event under a path segment of its own.

        `alone`: nothing beside it can have the same name.
        """
        steps = self.steps
        number = steps.add(parent, kind, label, status, raw, self.events)
        steps.segment[number] = name
        if not alone:
            taken = self.used.get(parent)
            if taken is None:
                taken = self.used[parent] = {}
            times = taken[name] = taken.get(name, 0) + 1
            if times > 1:
                steps.repeats[number] = f"#{times}"
        if at.at is not None:
            steps.started[number] = at.at
            steps.stretch(number, at.at)
        return number

    def touch(self, step: int, fact: Fact) -> None:
        """One more event of a step."""
        if step < 0:
            return
        self.steps.last[step] = self.events
        self.steps.touch(step, self.events)
        if fact.at is not None:
            self.steps.stretch(step, fact.at)

    def end(self, step: int, fact: Fact, status: Status, raw: str) -> None:
        """The event that ended a step."""
        self.touch(step, fact)
        self.steps.set_status(step, status, raw)
        if fact.at is not None:
            self.steps.ended[step] = fact.at

    def reopen(self, step: int, fact: Fact, status: Status, raw: str) -> None:
        """A step that had ended, or waited, goes on."""
        self.touch(step, fact)
        self.steps.set_status(step, status, raw)
        self.steps.ended[step] = NO_TIME

    def cut(self, step: int, status: Status) -> None:
        """A step whose own end is not recorded, although what it was part of is over."""
        if step >= 0 and self.steps.status_of(step) in (Status.RUNNING, Status.WAITING):
            self.steps.set_status(step, status, self.steps.raw[step])

    def is_running(self, step: int) -> bool:
        """Whether a step began and nothing ended it."""
        return step >= 0 and self.steps.status_of(step) is Status.RUNNING

    def seen(self, at: int) -> None:
        """An event came at this instant."""
        if self.last_at is None or at > self.last_at:
            self.last_at = at

    def failed(self) -> None:
        """This event recorded a failure."""
        self.failures.append(self.events)

    def settle(self) -> None:
        """Gives the step that messages belong to the pieces that came last."""
        if not self.deltas:
            return
        step = self.talk
        self.steps.last[step] = self.events
        self.steps.touch(step, self.events)
        at = instant_of(self.delta_at)
        if at is not None:
            self.steps.stretch(step, at)
            self.seen(at)
        ref = self.steps.more(step).ref
        ref["deltas"] = ref.get("deltas", 0) + self.deltas
        self.deltas = 0

    def copy(self) -> State:
        """A checkpoint: later events do not reach it."""
        return State(
            steps=self.steps.copy(),
            events=self.events,
            used={parent: dict(names) for parent, names in self.used.items()},
            segments=self.segments,
            segment=self.segment,
            turn=self.turn,
            call=self.call,
            talk=self.talk,
            tools=dict(self.tools),
            ended_tools=dict(self.ended_tools),
            asked=self.asked,
            wait=self.wait,
            loop=self.loop,
            round=self.round,
            compaction=self.compaction,
            deltas=self.deltas,
            delta_at=self.delta_at,
            finish_reason=self.finish_reason,
            outcome=self.outcome,
            outcome_event=self.outcome_event,
            instants=self.instants,
            last_at=self.last_at,
            failures=self.failures[:],
            turns=self.turns,
            highest_turn=self.highest_turn,
            malformed=list(self.malformed),
            malformed_count=self.malformed_count,
            breaches=list(self.breaches),
        )
