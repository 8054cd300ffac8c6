"""The verdict on a database: what Prism would say on opening it, and what to do.

Source: Prism 0.3.0, its checks on opening (`prism_migrations`, then the schema), and the checksums
that releases 0.0.6 to 0.3.0 wrote. A checksum covers a description of the step, not its SQL; that
of the first step was derived from the newest description and so changed twice. Inspector reads
every database, whatever the verdict, and writes nothing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from inspector.query.prism.schema_shape import (
    ADDED_COLUMNS,
    NEWEST,
    Drift,
    TableShape,
    drifts,
    expected_shape,
    read_shapes,
)
from inspector.query.tables import Table, Tables


class Migration(NamedTuple):
    """A row of `prism_migrations`, in the store's order."""

    name: str | None
    version: str | None
    checksum: str | None


class Step(NamedTuple):
    """A migration step of Prism 0.3.0."""

    name: str
    version: str
    checksum: str


STEPS = (
    Step("001_init", "1", "b2595c709e97092016a719e4251c6309c0e8f719c20080e042800b512c893b93"),
    Step(
        "002_usage_scope", "2", "611372c6b892358a43138cc051330be68a2761eb745a75f8467d13a591ab3196"
    ),
    Step(
        "003_run_feedback", "3", "c851934ffe7efe005504c80ace432143b09e9fd55f677d3169535477a640e1e1"
    ),
    Step(
        "004_session_search",
        "4",
        "b5dab838ef42a425ea878c78b14322e64ccacd427ffede54ffeef74429c90335",
    ),
    Step(
        "005_lifecycle_hold_quota",
        "5",
        "8548b1e5e5ceeb29042522c9679319b20214a483f49bb059ad203f32c4ebc27c",
    ),
    Step(
        "006_agent_event_source",
        "6",
        "12b4a8281cd7b0ff60db51cbdca8012c4ebd459f07f14301588fde5703dbc6d9",
    ),
    Step(
        "007_agent_event_retention_index",
        "7",
        "7301f3ba7598ff5a12069e9243e21799c7a6616f4f8efc1b13acecf62fff990e",
    ),
    Step(
        "008_session_version",
        "8",
        "f4b7bb20e97dcadfbf3dd921f3c762659c1f4f8271fea15290adbaaa22d85f99",
    ),
)


@dataclass(frozen=True, slots=True)
class OldFirstStep:
    """A genuine checksum of the first step that Prism 0.3.0 rejects."""

    checksum: str
    releases: str
    steps: range
    """How many steps databases of those releases may have."""


OLD_FIRST_STEPS = (
    OldFirstStep(
        "790fce178abf97c3212a25e1ffc19cb68fee93a58b28a9b2b8fe466733bada49",
        "0.0.6 to 0.0.12",
        range(3, 5),
    ),
    OldFirstStep(
        "c189bc2208163e0c43b0bdf5cd8f43653cb01af8e56b28c161cbefb0e04c6d84",
        "0.0.13 to 0.2.1",
        range(5, 8),
    ),
)


WORDS = (
    "verified_current",
    "verified_older",
    "legacy_unchecksummed",
    "legacy_genuine",
    "tampered",
    "drifted",
    "newer",
)


_PREFIX = "Migration history"


_ALL_READ = "Inspector can read everything in it."


# The history


@dataclass(frozen=True, slots=True)
class HistoryVerdict:
    """The verdict on the history alone. `word` is a verdict word; None if nothing is wrong.

    `says` is Prism's message on opening, `reason` explains it.
    """

    version: int
    """Steps present in the right order."""
    word: str | None = None
    says: str | None = None
    reason: str | None = None
    releases: str | None = None
    """The old releases that wrote it."""


def judge_history(rows: Sequence[Migration]) -> HistoryVerdict:
    """Check the history against Prism's own rules."""
    version = _leading(rows)
    if len(rows) > NEWEST:
        return HistoryVerdict(
            version,
            "newer",
            f"{_PREFIX} has unknown rows",
            f"The history has {len(rows)} migration steps; Prism 0.3.0 knows {NEWEST}",
        )
    unchecked = [row for row in rows if row.checksum is None]
    if unchecked:
        return _without_checksums(rows, len(unchecked), version)
    return _misplaced(rows, version) or _by_checksums(rows, version)


def _leading(rows: Sequence[Migration]) -> int:
    count = 0
    for row, step in zip(rows, STEPS, strict=False):
        if (row.name, row.version) != step[:2]:
            break
        count += 1
    return count


def _misplaced(rows: Sequence[Migration], version: int) -> HistoryVerdict | None:
    if version == len(rows):
        return None
    expected = STEPS[version].name
    found = rows[version].name
    return HistoryVerdict(
        version,
        "tampered",
        f"{_PREFIX} row {version} does not match {expected}",
        f"The history has {found or 'nothing'} in the place of migration {expected}",
    )


def _without_checksums(rows: Sequence[Migration], count: int, version: int) -> HistoryVerdict:
    """Judge a history with missing checksums, which only releases before 0.0.6 wrote."""
    if count == len(rows) == NEWEST:
        return _misplaced(rows, version) or HistoryVerdict(
            version, "legacy_unchecksummed", None, "The migration steps have no checksums"
        )
    says = f"{_PREFIX} has incomplete legacy checksums"
    if count < len(rows):
        reason = f"{count} of {len(rows)} migration steps have no checksum; no release wrote that"
        return HistoryVerdict(version, "tampered", says, reason)
    misplaced = _misplaced(rows, version)
    if misplaced is not None:
        return HistoryVerdict(version, "tampered", says, misplaced.reason)
    reason = "The migration steps have no checksums, as written by releases 0.0.4 and 0.0.5"
    return HistoryVerdict(version, "legacy_unchecksummed", says, reason, "0.0.4 and 0.0.5")


def _by_checksums(rows: Sequence[Migration], version: int) -> HistoryVerdict:
    wrong = [step for row, step in zip(rows, STEPS, strict=False) if row.checksum != step.checksum]
    if not wrong:
        return HistoryVerdict(version)
    names = ", ".join(step.name for step in wrong)
    says = f"{_PREFIX} checksum mismatch for {wrong[0].name}"
    old = next((one for one in OLD_FIRST_STEPS if one.checksum == rows[0].checksum), None)
    if len(wrong) > 1 or old is None:
        return HistoryVerdict(
            version, "tampered", says, f"The checksum of {names} is not from any release"
        )
    if version not in old.steps:
        reason = (
            f"The first checksum is from releases {old.releases}, which never wrote {version} steps"
        )
        return HistoryVerdict(version, "tampered", says, reason)
    reason = f"Written by a release from {old.releases}"
    return HistoryVerdict(version, "legacy_genuine", says, reason, old.releases)


def checksum_known(place: int, checksum: str | None) -> str:
    """Return `current`, `releases 0.0.6 to 0.0.12`, `none` or `unknown`."""
    if checksum is None:
        return "none"
    if place < len(STEPS) and checksum == STEPS[place].checksum:
        return "current"
    old = next((one for one in OLD_FIRST_STEPS if not place and one.checksum == checksum), None)
    return "unknown" if old is None else f"releases {old.releases}"


# The whole database


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on one database."""

    word: str
    version: int
    """Migration steps present in order; 0 without any."""
    steps: int
    """Rows of the history."""
    says: str | None
    """The message of Prism 0.3.0 on opening; None if it opens the database."""
    opens: bool
    """Whether Prism 0.3.0 opens the database, as far as its checks are known."""
    reason: str
    """A sentence."""
    advice: str
    """What to do, in sentences."""
    drift: tuple[Drift, ...] = ()

    @property
    def sentence(self) -> str:
        """The reason, Prism's message and the advice."""
        says = f" Prism 0.3.0 says: {self.says}." if self.says else ""
        return f"{self.reason}{says} {self.advice}"


def judge(connection: sqlite3.Connection, tables: Tables) -> Verdict:
    """Judge a database with about twenty catalogue queries."""
    rows = _history(connection, tables)
    history = judge_history(rows)
    version = min(history.version, NEWEST)
    expected = expected_shape(max(version, 1))
    names = [table.name for table in expected.tables if tables.get(table.name) is not None]
    shapes = read_shapes(connection, names)
    if version == 0 and not rows:
        return _without_history(tables, shapes)
    blocked = _blocked(tables, version)
    found = tuple(drifts(expected, shapes, tables))
    return _combined_verdict(history, len(rows), blocked, found)


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
    """Return the table and column that make a later step fail because they already exist."""
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
        one for one in drifts(expected_shape(1), shapes, tables) if one.table in shapes
    )
    if missing_allowed:
        return _drifted(HistoryVerdict(0), 0, missing_allowed)
    return Verdict(
        "verified_older",
        0,
        0,
        None,
        True,
        "No migration history, and nothing that contradicts an empty one.",
        f"Prism 0.3.0 creates what is missing when it opens the file. {_ALL_READ}",
    )


def _combined_verdict(
    history: HistoryVerdict,
    steps: int,
    blocked: tuple[str, str] | None,
    found: tuple[Drift, ...],
) -> Verdict:
    if history.word in ("tampered", "newer"):
        return _refused(history, steps, found)
    if blocked is not None:
        return _unfinished(history, steps, blocked, found)
    if found:
        return _drifted(history, steps, found)
    if history.word == "legacy_genuine":
        advice = f"Open it with a release from {history.releases}; the file is intact. {_ALL_READ}"
        return _verdict(history, steps, "legacy_genuine", False, f"{history.reason}.", advice)
    if history.word == "legacy_unchecksummed":
        return _unchecksummed(history, steps)
    if history.version == NEWEST:
        reason = f"History and schema match schema version {NEWEST}."
        return _verdict(
            history, steps, "verified_current", True, reason, "Prism opens it without changes."
        )
    reason = f"History and schema match schema version {history.version}."
    advice = f"Prism 0.3.0 migrates it to version {NEWEST} when it opens it; that cannot be undone."
    return _verdict(history, steps, "verified_older", True, reason, advice)


def _unchecksummed(history: HistoryVerdict, steps: int) -> Verdict:
    opens = history.says is None
    if opens:
        advice = "Prism 0.3.0 adds them when it opens the file."
    else:
        advice = f"Open it with the release that wrote it; the file is intact. {_ALL_READ}"
    return _verdict(history, steps, "legacy_unchecksummed", opens, f"{history.reason}.", advice)


def _refused(history: HistoryVerdict, steps: int, found: tuple[Drift, ...]) -> Verdict:
    if history.word == "newer":
        advice = f"Open it with the release that wrote it. {_ALL_READ}"
    else:
        advice = f"Compare it with an unaltered copy. {_ALL_READ}"
    word = history.word or "tampered"
    return _verdict(history, steps, word, False, f"{history.reason}.", advice, drift=found)


def _unfinished(
    history: HistoryVerdict, steps: int, blocked: tuple[str, str], found: tuple[Drift, ...]
) -> Verdict:
    table, column = blocked
    reason = (
        f"The history ends at step {history.version}, but {table} has the later column {column}."
    )
    own = Drift(table, column, f"{table}.{column} belongs to a step missing from the history")
    return _verdict(
        history,
        steps,
        "drifted",
        False,
        reason,
        f"Restore the migration rows from a backup. {_ALL_READ}",
        says=history.says or f"duplicate column name: {column}",
        drift=(own, *found),
    )


def _drifted(history: HistoryVerdict, steps: int, found: Sequence[Drift]) -> Verdict:
    listed = "; ".join(one.message for one in found[:3])
    more = f"; and {len(found) - 3} more" if len(found) > 3 else ""
    return _verdict(
        history,
        steps,
        "drifted",
        False,
        f"The schema does not match the history: {listed}{more}.",
        f"Undo the change in a copy before opening it with Prism. {_ALL_READ}",
        says=history.says or found[0].says,
        drift=tuple(found),
    )


def _verdict(
    history: HistoryVerdict,
    steps: int,
    word: str,
    opens: bool,
    reason: str,
    advice: str,
    *,
    says: str | None = None,
    drift: tuple[Drift, ...] = (),
) -> Verdict:
    spoken = None if opens else says or history.says
    return Verdict(word, history.version, steps, spoken, opens, reason, advice, drift)
