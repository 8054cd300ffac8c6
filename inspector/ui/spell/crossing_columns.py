"""Tracks, handoffs and results of a cross-chain run: their columns, and how each stands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from inspector.model.status import Status
from inspector.query.grimoire.cross_chain import HANDOFF_STATUS, TRACK_STATUS
from inspector.text.numbers import NOT_RECORDED, amount, clock_time
from inspector.text.parse_time import parse_instant
from inspector.ui.context import UiContext
from inspector.ui.palette import Role

Record = Mapping[str, Any]
Cell = Callable[[Record, UiContext], str]

RESULT_STATUS: Mapping[str, Status] = {
    "pending": Status.PENDING,
    "submitted": Status.WAITING,
    "confirmed": Status.COMPLETED,
    "failed": Status.FAILED,
}


@dataclass(frozen=True, slots=True)
class Column:
    """What it says of a record, and how wide it is; a growing one has at least that."""

    title: str
    cells: int
    text: Cell
    role: Role = Role.MUTED
    right: bool = False
    grows: bool = False
    narrow: bool = True
    """Whether it stays where there are fewer than 60 columns."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One of the three."""

    part: str
    columns: tuple[Column, ...]
    stands: Mapping[str, Status]
    title: str
    """The field by which a record is called."""


def _plain(field: str) -> Cell:
    def text(record: Record, ui: UiContext) -> str:
        value = record.get(field)
        return ui.glyphs.nothing if value is None else str(value)

    return text


def _when(field: str) -> Cell:
    """An instant as a clock time; what is none, as it stands."""

    def text(record: Record, ui: UiContext) -> str:
        value = record.get(field)
        at = parse_instant(value)
        if at is None:
            return ui.glyphs.nothing if value is None else str(value)
        return clock_time(at, ui.clock(), ui.zone)

    return text


def _money(field: str) -> Cell:
    """An amount of the record's asset, with a point only where the settings say where."""

    def text(record: Record, ui: UiContext) -> str:
        value, asset = record.get(field), str(record.get("asset"))
        if value is None:
            return ui.glyphs.plain(NOT_RECORDED)
        known = ui.assets.get(asset)
        if known is None:
            return f"{amount(str(value))} {asset}"
        return f"{amount(str(value), decimals=known.decimals)} {known.symbol or asset}"

    return text


def _way(record: Record, ui: UiContext) -> str:
    origin, destination = record.get("originChainId"), record.get("destinationChainId")
    return f"{origin} {ui.glyphs.arrow} {destination}"


def status_of(record: Record, kind: Kind) -> Status:
    """How a record stands."""
    word = record.get("status")
    return kind.stands.get(word, Status.UNKNOWN) if isinstance(word, str) else Status.UNKNOWN


TRACKS = Kind(
    "tracks",
    (
        Column("track", 11, _plain("trackId"), Role.TEXT),
        Column("spell", 16, _plain("spellId"), Role.TEXT, grows=True),
        Column("chain", 8, _plain("chainId"), right=True, narrow=False),
        Column("stands", 10, _plain("status")),
        Column("written", 9, _when("updatedAt"), right=True, narrow=False),
        Column("error", 24, _plain("error"), grows=True, narrow=False),
    ),
    TRACK_STATUS,
    "trackId",
)
HANDOFFS = Kind(
    "handoffs",
    (
        Column("step", 12, _plain("sourceStepId"), Role.TEXT, grows=True),
        Column("sent", 18, _money("submittedAmount"), Role.TEXT, right=True),
        Column("stands", 10, _plain("status")),
        Column("arrived", 18, _money("settledAmount"), right=True, narrow=False),
        Column("chains", 14, _way, narrow=False),
        Column("since", 9, _when("createdAt"), right=True, narrow=False),
        Column("expires", 9, _when("expiresAt"), right=True, narrow=False),
    ),
    HANDOFF_STATUS,
    "handoffId",
)
RESULTS = Kind(
    "steps",
    (
        Column("track", 11, _plain("trackId")),
        Column("step", 14, _plain("stepId"), Role.TEXT, grows=True),
        Column("stands", 10, _plain("status")),
        Column("written", 9, _when("updatedAt"), right=True, narrow=False),
        Column("transaction", 20, _plain("reference"), grows=True, narrow=False),
        Column("error", 16, _plain("error"), grows=True, narrow=False),
    ),
    RESULT_STATUS,
    "stepId",
)
