"""The language of demonstration scripts: what a run records, step by step, as plain data.

A script says nothing about files, SQL or row numbers: `player` turns it into what OpenProse
writes. Rows name each other by labels that the script chooses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Something that a run writes, `after` so many seconds of work."""

    after: float = 0.0


@dataclass(frozen=True, slots=True)
class Record(Step):
    """One more row of `execution`: an event."""

    index: int
    text: str
    status: str
    meta: Mapping[str, Any] | None = None
    error: str | None = None
    under: str | None = None
    """Label of the row that is its parent."""
    label: str | None = None
    """How later steps name this row."""
    timed: bool = False
    """Whether the row says when it began, as only writers do that change rows in place."""


@dataclass(frozen=True, slots=True)
class Change(Step):
    """A row of `execution` that is changed in place and, when `ended`, says when it ended."""

    label: str
    status: str
    meta: Mapping[str, Any] | None = None
    error: str | None = None
    ended: bool = True


@dataclass(frozen=True, slots=True)
class Bind(Step):
    """A value under a name; `attachment` holds it when it is too large for a row."""

    name: str
    value: str
    kind: str = "let"
    frame: str | None = None
    """Label of the block's row whose scope it is in; None for the root."""
    source: str | None = None
    attachment: str | None = None
    """Path relative to the run's folder."""
    content: str | None = None
    """What the attachment holds; None leaves the file missing."""


@dataclass(frozen=True, slots=True)
class Commit(Step):
    """A receipt of a node, and the world model that it publishes, if any."""

    node: str
    inputs: tuple[str, ...] = ()
    """Nodes that it subscribes to; their newest receipts woke it."""
    fresh: int = 0
    reused: int = 0
    cause: str = "input"
    """`input`, `self` or `external`."""
    status: str = "rendered"
    """`rendered`, `skipped` or `failed`."""
    truth: Mapping[str, str] | None = None
    """Files of the world model, path → content; None publishes nothing."""
    facets: tuple[str, ...] = ()
    diff: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Remember(Step):
    """What an agent keeps, and the segment of work that it learned it from."""

    agent: str
    memory: str
    prompt: str
    summary: str
    scope: str = "execution"


@dataclass(frozen=True, slots=True)
class Import(Step):
    """Another program that this one uses."""

    alias: str
    source_ref: str


@dataclass(frozen=True, slots=True)
class Table(Step):
    """A table that the run adds to the documented ones."""

    name: str
    columns: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Row(Step):
    """A row of an added table; `Moment` and `RowOf` stand for what is known only when it plays."""

    table: str
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class End(Step):
    """What the run says of itself at last: completed, failed or interrupted."""

    status: str


@dataclass(frozen=True, slots=True)
class Moment:
    """An instant so many seconds after the step that writes it."""

    seconds: float


@dataclass(frozen=True, slots=True)
class RowOf:
    """The number of the row with this label."""

    label: str


@dataclass(frozen=True)
class Script:
    """A program and everything that one run of it records."""

    name: str
    """The title of its runs."""
    source: str
    """The program's text."""
    write: Callable[[], Iterable[Step]]
    """Gives the steps, the same ones each time."""

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """Everything that a whole run writes, in order."""
        return tuple(self.write())

    @property
    def events(self) -> int:
        """Rows of `execution` that a whole run adds."""
        return sum(isinstance(step, Record) for step in self.steps)

    @property
    def seconds(self) -> float:
        """How long a whole run takes at ordinary speed."""
        return sum(step.after for step in self.steps)
