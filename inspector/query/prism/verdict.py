"""Which database is genuine: what Prism itself would say of it on opening, and what to do.

All of them can be looked at here, whatever Prism says; nothing is written to find out.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inspector.query.prism.migrations import HistoryVerdict, Migration, judge_history
from inspector.query.prism.schema_model import ADDED_COLUMNS, NEWEST, model_at
from inspector.query.prism.shape import Drift, TableShape, drifts, read_shape
from inspector.query.tables import Table, Tables

WORDS = (
    "verified_current",
    "verified_older",
    "legacy_unchecksummed",
    "legacy_genuine",
    "tampered",
    "drifted",
    "newer",
)

_ALL_READ = "Everything in it can be looked at here."


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement of one database."""

    word: str
    version: int
    """Schema version: migration steps that are there in order; 0 without any."""
    steps: int
    """Rows of the history."""
    says: str | None
    """What Prism 0.3.0 says on opening: its own words, None when it opens the database."""
    opens: bool
    """Whether Prism 0.3.0 opens it, as far as its checks are known."""
    reason: str
    """Why it is judged so, a sentence."""
    advice: str
    """What to do, sentences."""
    drift: tuple[Drift, ...] = ()

    @property
    def sentence(self) -> str:
        """All of it for a person."""
        says = f" Prism 0.3.0 says: {self.says}." if self.says else ""
        return f"{self.reason}{says} {self.advice}"


def judge(connection: sqlite3.Connection, tables: Tables) -> Verdict:
    """Judges a database; costs some twenty lookups in its catalogue."""
    rows = _history(connection, tables)
    told = judge_history(rows)
    version = min(told.version, NEWEST)
    model = model_at(max(version, 1))
    shapes = read_shape(connection, tables, model)
    if version == 0 and not rows:
        return _without_history(tables, shapes)
    blocked = _blocked(tables, version)
    found = tuple(drifts(model, shapes, tables))
    return _weighed(told, len(rows), blocked, found)


def _history(connection: sqlite3.Connection, tables: Tables) -> list[Migration]:
    table = tables.get("prism_migrations")
    if table is None or table.is_view:
        return []
    columns = ", ".join(table.column(name) for name in ("name", "version", "checksum"))
    rows = connection.execute(
        f"SELECT {columns} FROM prism_migrations ORDER BY {_history_order(table)} LIMIT 1000"
    )
    return [Migration(*(None if cell is None else str(cell) for cell in row)) for row in rows]


def _history_order(table: Table) -> str:
    return f"{table.column('applied_at')}, {table.order}"


def _blocked(tables: Tables, version: int) -> tuple[str, str] | None:
    """What makes a step after `version` fail: its column (table, column) is there already."""
    for step, table, column in ADDED_COLUMNS:
        known = tables.get(table)
        if step > version and known is not None and known.has(column):
            return table, column
    return None


def _without_history(tables: Tables, shapes: Mapping[str, TableShape]) -> Verdict:
    blocked = _blocked(tables, 0)
    if blocked is not None:
        return _unfinished(HistoryVerdict(0), 0, blocked, ())
    missing_allowed = tuple(
        one for one in drifts(model_at(1), shapes, tables) if one.table in shapes
    )
    if missing_allowed:
        return _drifted(HistoryVerdict(0), 0, missing_allowed)
    return Verdict(
        "verified_older",
        0,
        0,
        None,
        True,
        "It has no migration history and nothing that contradicts an empty one.",
        f"Prism 0.3.0 creates what is missing on opening, which changes the file. {_ALL_READ}",
    )


def _weighed(
    told: HistoryVerdict,
    steps: int,
    blocked: tuple[str, str] | None,
    found: tuple[Drift, ...],
) -> Verdict:
    if told.word in ("tampered", "newer"):
        return _refused(told, steps, found)
    if blocked is not None:
        return _unfinished(told, steps, blocked, found)
    if found:
        return _drifted(told, steps, found)
    if told.word == "legacy_genuine":
        advice = f"Open it with a release of {told.releases}; nothing is wrong with it. {_ALL_READ}"
        return _verdict(told, steps, "legacy_genuine", False, f"{told.reason}.", advice)
    if told.word == "legacy_unchecksummed":
        return _unchecksummed(told, steps)
    if told.version == NEWEST:
        reason = f"Its history and its schema are those of schema version {NEWEST}."
        return _verdict(told, steps, "verified_current", True, reason, "Prism opens it as it is.")
    reason = f"Its history and its schema are those of schema version {told.version}."
    advice = (
        f"Prism 0.3.0 opens it and takes it to version {NEWEST}, which changes the file for good."
    )
    return _verdict(told, steps, "verified_older", True, reason, advice)


def _unchecksummed(told: HistoryVerdict, steps: int) -> Verdict:
    opens = told.says is None
    if opens:
        advice = "Prism 0.3.0 opens it and fills them in, which changes the file."
    else:
        advice = f"Open it with the release that wrote it; nothing is wrong with it. {_ALL_READ}"
    return _verdict(told, steps, "legacy_unchecksummed", opens, f"{told.reason}.", advice)


def _refused(told: HistoryVerdict, steps: int, found: tuple[Drift, ...]) -> Verdict:
    if told.word == "newer":
        advice = f"Open it with the release that wrote it. {_ALL_READ}"
    else:
        advice = f"Compare it with a copy that was never altered. {_ALL_READ}"
    word = told.word or "tampered"
    return _verdict(told, steps, word, False, f"{told.reason}.", advice, drift=found)


def _unfinished(
    told: HistoryVerdict, steps: int, blocked: tuple[str, str], found: tuple[Drift, ...]
) -> Verdict:
    table, column = blocked
    reason = (
        f"Its history ends at step {told.version}, but {table} has the column {column} of a later"
        " step."
    )
    own = Drift(table, column, f"{table}.{column} belongs to a step that the history lacks")
    return _verdict(
        told,
        steps,
        "drifted",
        False,
        reason,
        f"Restore the migration rows from a copy. {_ALL_READ}",
        says=told.says or f"duplicate column name: {column}",
        drift=(own, *found),
    )


def _drifted(told: HistoryVerdict, steps: int, found: Sequence[Drift]) -> Verdict:
    listed = "; ".join(one.message for one in found[:3])
    more = f"; and {len(found) - 3} more" if len(found) > 3 else ""
    return _verdict(
        told,
        steps,
        "drifted",
        False,
        f"Its schema is not the one that its history tells: {listed}{more}.",
        f"Undo the change on a copy before Prism opens it. {_ALL_READ}",
        says=told.says or found[0].says,
        drift=tuple(found),
    )


def _verdict(
    told: HistoryVerdict,
    steps: int,
    word: str,
    opens: bool,
    reason: str,
    advice: str,
    *,
    says: str | None = None,
    drift: tuple[Drift, ...] = (),
) -> Verdict:
    spoken = None if opens else says or told.says
    return Verdict(word, told.version, steps, spoken, opens, reason, advice, drift)
