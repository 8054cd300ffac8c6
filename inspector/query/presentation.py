"""How a runtime's runs are presented: typed data, independent of any user interface."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from inspector.model.run import Run
from inspector.model.status import Status
from inspector.model.store import Store
from inspector.query.view import Tab, TabKind


class Tone(StrEnum):
    """The emphasis of a cell; the user interface maps each to a colour of its theme."""

    TEXT = "text"
    STRONG = "strong"
    MUTED = "muted"
    FAINT = "faint"
    ACCENT = "accent"
    SUCCESS = "success"
    DONE = "done"
    WARNING = "warning"
    ERROR = "error"


class Format(StrEnum):
    """How a cell's value is written."""

    TEXT = "text"
    COUNT = "count"
    """An integer with thousands separators."""
    SIZE = "size"
    """Bytes."""
    TOKENS = "tokens"
    CLOCK = "clock"
    """An instant (UTC ms, or text that parses as one) in the user's time zone."""
    WHEN = "when"
    """The same with its day if that is not today, without seconds."""
    AMOUNT = "amount"
    """An integer, or its digits as text, in base units of the asset named by `Column.asset`."""
    DURATION = "duration"
    """Milliseconds."""
    SHORT_ID = "short_id"
    """The end of a content address or id."""
    STATUS = "status"
    """A status word, with the glyph of `RecordTable.statuses`."""


_KINDS = {kind.value: kind for kind in TabKind}

Field = str | Callable[[Any], object]
"""A field or attribute of a record, or a function of the record."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table of records. Widths are in terminal cells."""

    title: str
    cells: int
    """Width; the minimum for a column that grows."""
    value: Field
    format: Format = Format.TEXT
    tone: Tone = Tone.MUTED
    right: bool = False
    grows: bool = False
    narrow: bool = True
    """Whether it is kept in terminals of fewer than 80 columns."""
    from_end: bool = False
    """Whether the end distinguishes values, so that the beginning is cut."""
    asset: Field | None = None
    """For amounts: the field that names the asset."""


NO_RECORDS = "Nothing is recorded here."


@dataclass(frozen=True, slots=True)
class RecordTable:
    """How the records of one tab are listed and read."""

    columns: tuple[Column, ...]
    """Empty if they depend on the records."""
    title: Field
    """The name of a record."""
    problem: Callable[[Any], str | None] | None = None
    """A sentence if something is wrong with the record."""
    body: Callable[[Any], tuple[str, str] | None] | None = None
    """A title and a text shown instead of the fields, for records that are texts."""
    numbered: bool = False
    """Whether the lines of `body` are numbered, because other records refer to them."""
    status: Field | None = None
    statuses: Mapping[str, Status] = field(default_factory=dict)
    """The runtime's status words; any other word is unknown."""
    empty: str = NO_RECORDS
    """A sentence for a run without such records."""


@dataclass(frozen=True, slots=True)
class Presentation:
    """Everything that the screen and the command line say about a runtime's runs."""

    name: str
    title: str
    """The name as people write it."""
    store_label: Callable[[Store, bool], str]
    """The store's kind and schema in a few words; with True, in full."""
    head_facts: Callable[[Run], tuple[str, ...]] = lambda run: ()
    """Further facts for the head of a run, most important first."""
    tables: Mapping[str, RecordTable] = field(default_factory=dict)
    """Tables by `Tab.part`; a part without one gets columns from its records."""
    tab_kinds: Mapping[str, TabKind] = field(default_factory=dict)
    """Kinds of the runtime's own parts; other parts are named like their kind, or are records."""
    present_only: tuple[str, ...] = ()
    """What does not follow time travel, in the plural: `agents`, `receipts`."""
    value_note: str | None = None
    """How far values can be trusted."""
    event_table: str = "event"
    """The table whose rows are the run's events."""
    session_noun: str = "session"
    has_pnl: bool = False
    moves_funds: bool = False
    """Whether a run may have a net amount."""
    can_resume_completed: bool = False
    """Whether a completed run may still have something to resume."""
    ended_note: str | None = None
    """A sentence for runs that are recorded only when they have ended."""
    protected_folder: Callable[[str], str | None] = lambda store_path: None
    """The folder of a store in which Inspector must not write."""

    def kind_of(self, tab: Tab) -> TabKind:
        """The kind of a tab."""
        found = self.tab_kinds.get(tab.part)
        if found is not None:
            return found
        return _KINDS.get(tab.part, TabKind.RECORDS)
