"""The migration history of a Prism database: which steps it names, and whether they are genuine.

Source: Prism 0.3.0, the checks of `prism_migrations` on opening, and the checksums that releases
from 0.0.6 to 0.3.0 wrote. A checksum is that of a description of the step, not of its SQL; that of
the first step followed the newest description and so changed twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from inspector.query.prism.schema_model import NEWEST


class Migration(NamedTuple):
    """One row of `prism_migrations`, in the order in which the store reads them."""

    name: str | None
    version: str | None
    checksum: str | None


class Step(NamedTuple):
    """A step that this version of Prism knows."""

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
class OldFirst:
    """A genuine checksum of the first step that today's Prism does not accept."""

    checksum: str
    releases: str
    steps: range
    """How many steps those releases may have left."""


OLD_FIRSTS = (
    OldFirst(
        "790fce178abf97c3212a25e1ffc19cb68fee93a58b28a9b2b8fe466733bada49",
        "0.0.6 to 0.0.12",
        range(3, 5),
    ),
    OldFirst(
        "c189bc2208163e0c43b0bdf5cd8f43653cb01af8e56b28c161cbefb0e04c6d84",
        "0.0.13 to 0.2.1",
        range(5, 8),
    ),
)

_PREFIX = "Migration history"


@dataclass(frozen=True, slots=True)
class HistoryVerdict:
    """What the history alone tells. `word` is one of Store.verdict's, or None while nothing is odd.

    `says` is what Prism 0.3.0 says on opening, `reason` the same for a person.
    """

    version: int
    """Steps that are there in the right order."""
    word: str | None = None
    says: str | None = None
    reason: str | None = None
    releases: str | None = None
    """Who wrote it, where that is known to be old releases."""


def judge_history(rows: Sequence[Migration]) -> HistoryVerdict:
    """Judges the history as the store does, in the store's order."""
    version = _leading(rows)
    if len(rows) > NEWEST:
        return HistoryVerdict(
            version,
            "newer",
            f"{_PREFIX} has unknown rows",
            f"It names {len(rows)} migration steps; this version knows {NEWEST}",
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
        f"Where migration {expected} belongs the history names {found or 'nothing'}",
    )


def _without_checksums(rows: Sequence[Migration], count: int, version: int) -> HistoryVerdict:
    """Releases before 0.0.6 wrote none at all; a history with some was never written."""
    if count == len(rows) == NEWEST:
        return _misplaced(rows, version) or HistoryVerdict(
            version, "legacy_unchecksummed", None, "Its migration steps bear no checksums"
        )
    says = f"{_PREFIX} has incomplete legacy checksums"
    if count < len(rows):
        reason = f"{count} of {len(rows)} migration steps bear no checksum, as no release left it"
        return HistoryVerdict(version, "tampered", says, reason)
    misplaced = _misplaced(rows, version)
    if misplaced is not None:
        return HistoryVerdict(version, "tampered", says, misplaced.reason)
    reason = "Its migration steps bear no checksums, as releases 0.0.4 and 0.0.5 left them"
    return HistoryVerdict(version, "legacy_unchecksummed", says, reason, "0.0.4 and 0.0.5")


def _by_checksums(rows: Sequence[Migration], version: int) -> HistoryVerdict:
    wrong = [step for row, step in zip(rows, STEPS, strict=False) if row.checksum != step.checksum]
    if not wrong:
        return HistoryVerdict(version)
    names = ", ".join(step.name for step in wrong)
    says = f"{_PREFIX} checksum mismatch for {wrong[0].name}"
    old = next((one for one in OLD_FIRSTS if one.checksum == rows[0].checksum), None)
    if len(wrong) > 1 or old is None:
        return HistoryVerdict(
            version, "tampered", says, f"No release wrote the checksum of {names}"
        )
    if version not in old.steps:
        reason = f"Releases {old.releases} wrote its first checksum, but never {version} steps"
        return HistoryVerdict(version, "tampered", says, reason)
    reason = f"Releases {old.releases} wrote it"
    return HistoryVerdict(version, "legacy_genuine", says, reason, old.releases)


def checksum_known(place: int, checksum: str | None) -> str:
    """What a checksum is: `current`, `releases 0.0.6 to 0.0.12`, `none` or `unknown`."""
    if checksum is None:
        return "none"
    if place < len(STEPS) and checksum == STEPS[place].checksum:
        return "current"
    old = next((one for one in OLD_FIRSTS if not place and one.checksum == checksum), None)
    return "unknown" if old is None else f"releases {old.releases}"
