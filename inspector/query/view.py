"""The results that a run reader returns: immutable, the same for every runtime."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from inspector.derive.steps import StepTable
from inspector.model.run import Finding, Run
from inspector.model.step import Event, OpenConstruct, Step
from inspector.model.value import Value


@dataclass(frozen=True, slots=True)
class Capabilities:
    """Which optional questions a run reader answers; everything else returns None.

    `compared` names the parts of which two runs can be compared with `RunReader.compare`.
    """

    values_over_time: bool = False
    """`values_at` tells which values existed at an event."""
    value_versions: bool = False
    """`versions` lists superseded rows of a name."""
    attachments: bool = False
    """Values may be kept in files of their own, read with `attachment`."""
    receipts: bool = False
    pnl: bool = False
    """The run belongs to a session with a profit and loss account."""
    usage: bool = False
    """Tokens are recorded row by row."""
    approvals: bool = False
    """A waiting run can be approved or denied."""
    compared: tuple[str, ...] = ()


NO_CAPABILITIES = Capabilities()


class TabKind(StrEnum):
    """What a tab shows, which decides how it is drawn."""

    TIMELINE = "timeline"
    VALUES = "values"
    RECEIPTS = "receipts"
    WORLD_MODELS = "world_models"
    PNL = "pnl"
    COMPARISON = "comparison"
    """A run's records beside those of another run."""
    CROSS_CHAIN = "cross_chain"
    RECORDS = "records"
    RAW = "raw"
    TABLES = "tables"


@dataclass(frozen=True, slots=True)
class Tab:
    """A tab of a run, with the number of things in it."""

    part: str
    """`timeline values receipts agents world_models source raw`, or another runtime's own part."""
    title: str
    count: int | None = None
    mark: str | None = None
    """A word after the count, such as a chain's verdict."""


@dataclass(frozen=True, slots=True)
class RunView:
    """One run after its first `events` events; an immutable snapshot."""

    run: Run
    events: int
    """Events folded into `steps`; fewer than `total_events` while travelling."""
    total_events: int
    steps: StepTable
    step_of_event: array[int]
    """The step of each event; event n is at n - 1."""
    failures: array[int]
    """Events that recorded a failure, ascending."""
    open: tuple[OpenConstruct, ...]
    describe: Callable[[int], Step]
    """The step with this number as an object, with the runtime's own references."""
    as_of: int
    """When the content was read, UTC ms."""
    tabs: tuple[Tab, ...] = ()
    stale_reason: str | None = None
    """Why this is the last good view and not the newest one; None while it is current."""
    partial: bool = False
    """Whether only the newest events were read so far: steps and events are numbered among these,
    so that no question can be asked about them."""
    capabilities: Capabilities = NO_CAPABILITIES
    """Optional questions that the run's reader answers."""

    @property
    def travelling(self) -> bool:
        """Whether this shows the past."""
        return self.events < self.total_events


@dataclass(frozen=True, slots=True)
class ValueList:
    """Values of a run, all of them or as one frame resolves them."""

    frame: str | None
    """None = every scope; else `root` or a frame's number."""
    rows: int
    """Rows recorded, with superseded ones."""
    values: tuple[Value, ...]
    masked: int = 0
    at: int | None = None
    """As they were after this many events; None = as of now."""


@dataclass(frozen=True, slots=True)
class StepContext:
    """What the detail of a step shows beside the step itself."""

    step: Step
    events: tuple[Event, ...]
    """The step's own rows, oldest first, at most a few hundred."""
    values: ValueList
    """What each name meant there."""
    related: Mapping[str, tuple[Mapping[str, object], ...]] = field(default_factory=dict)
    """Rows of extension tables that name the step, by table."""
    findings: tuple[Finding, ...] = ()
