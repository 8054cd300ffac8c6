"""The language of agents' stories: what a run of Prism writes, beat by beat, as plain data.

A beat is one short transaction. Nothing here knows of ids, sequences or SQL: `player` does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class Event:
    """One more event of the run."""

    type: str
    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Message:
    """One more entry of the session: a message of one role, with its blocks."""

    role: str
    blocks: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Compaction:
    """An entry that stands for all before it."""

    summary: str


@dataclass(frozen=True, slots=True)
class Tool:
    """A row of a tool call: a call has one for each thing that happens to it."""

    call: Mapping[str, Any]
    """Block of the message that asked for it: id, name, arguments."""
    status: str
    result: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """What a model call, or without a turn the run, used."""

    amounts: Mapping[str, Any]
    turn: int | None = None
    attempt: int | None = None


@dataclass(frozen=True, slots=True)
class RunRow:
    """The run's row: what it says of itself from here on."""

    status: str
    error: Mapping[str, Any] | None = None
    over: bool = True
    """Whether it says when it ended, as suspended ones do too."""


@dataclass(frozen=True, slots=True)
class Pause:
    """The checkpoint of a run that waits for decisions on calls."""

    calls: Sequence[Mapping[str, Any]]
    reason: str
    agent: str
    wall_seconds: int
    """From the run's start to its deadline."""


@dataclass(frozen=True, slots=True)
class Resumed:
    """What the checkpoint says after the decision."""

    status: str


@dataclass(frozen=True, slots=True)
class Nodes:
    """The checkpoint of a workflow: node → status; with outputs of those that have one."""

    status: str
    statuses: Mapping[str, str]
    outputs: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Renewal:
    """A worker goes on holding the workflow."""


Act: TypeAlias = (
    Event | Message | Compaction | Tool | Usage | RunRow | Pause | Resumed | Nodes | Renewal
)


@dataclass(frozen=True, slots=True)
class Beat:
    """What is written at once, `after` so many seconds."""

    after: float
    acts: tuple[Act, ...]


@dataclass(frozen=True, slots=True)
class Story:
    """One run from beginning to end."""

    title: str
    """Of the session; of a workflow its id."""
    model: Mapping[str, str] | None
    """None for a workflow, which has no row among the runs."""
    beats: tuple[Beat, ...]

    @property
    def seconds(self) -> float:
        """How long it takes."""
        return sum(beat.after for beat in self.beats)

    def until_started(self, tools: int) -> int:
        """How many beats there are until so many tools have been started."""
        for place, beat in enumerate(self.beats, 1):
            tools -= sum(isinstance(act, Tool) and act.status == "started" for act in beat.acts)
            if not tools:
                return place
        return len(self.beats)
