"""What the demonstration holds from the start: runs of the past days, in every state."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.demo.language import Script
from inspector.demo.programs.audit import NIGHTLY_AUDIT, QUIET_EVENTS
from inspector.demo.programs.book import (
    EDIT,
    MIGRATE_GLOSSARY,
    OUTLINE_BOOK,
    PRICE_WATCH,
    TITLES,
    TRANSLATE_DOCS,
)
from inspector.demo.programs.extremes import CRAWL_ARCHIVE, STRANGE_WORDS, SYNC_CATALOG
from inspector.demo.programs.office import (
    PUBLISH_CHANGELOG,
    RELEASE_NOTES,
    TICKET_TRIAGE,
    WEEKLY_REPORT,
)
from inspector.demo.programs.research import DEEP_RESEARCH, LIVE_EVENTS
from inspector.demo.schema import Repair, Variant

MINUTE = 60
HOUR = 60 * MINUTE
DAY = 24 * HOUR


@dataclass(frozen=True, slots=True)
class Imported:
    """A run of another program inside a run, begun `after` seconds of it."""

    folder: str
    """Name below `imports/`."""
    script: Script
    after: int
    suffix: str


@dataclass(frozen=True, slots=True)
class Planted:
    """A run that began `ago` seconds before now and wrote for `lasted` seconds."""

    script: Script
    ago: int
    lasted: int
    suffix: str
    until_event: int | None = None
    """Rows that it holds; None for a whole run."""
    variant: Variant = Variant.V5
    repair: Repair = Repair.LOOSE
    goes_on: bool = False
    """Whether the writer takes it up where it stands."""
    edits: tuple[str, ...] = ()
    """What someone did to its database afterwards."""
    imports: tuple[Imported, ...] = ()


LIVE = Planted(DEEP_RESEARCH, 131, 131, "a7b3c9", LIVE_EVENTS, goes_on=True)
QUIET = Planted(NIGHTLY_AUDIT, 11 * HOUR + 32 * MINUTE, 31 * MINUTE, "b1b1b1", QUIET_EVENTS)

PLANTED = (
    LIVE,
    Planted(PUBLISH_CHANGELOG, 13 * MINUTE, 40, "6a7e00"),
    Planted(RELEASE_NOTES, 2 * HOUR + 23 * MINUTE, 100, "c0ffee"),
    Planted(MIGRATE_GLOSSARY, 6 * HOUR + 17 * MINUTE, 750, "77d0e1", repair=Repair.INDEXED),
    Planted(DEEP_RESEARCH, 6 * HOUR + 48 * MINUTE, 412, "9d01aa"),
    QUIET,
    Planted(WEEKLY_REPORT, 20 * HOUR + 32 * MINUTE, 188, "4a4a90", variant=Variant.V2),
    Planted(
        OUTLINE_BOOK,
        DAY + 3 * HOUR,
        95,
        "0a71e5",
        repair=Repair.KEYED,
        imports=(Imported("demo--titles", TITLES, 4, "717135"),),
    ),
    Planted(TRANSLATE_DOCS, DAY + 5 * HOUR, 44, "7ea1a7", variant=Variant.V4, repair=Repair.KEYED),
    Planted(NIGHTLY_AUDIT, DAY + 11 * HOUR + 32 * MINUTE, 26 * MINUTE, "a0d171"),
    Planted(PRICE_WATCH, 2 * DAY + 2 * HOUR, 90, "5e11ed", edits=(EDIT,)),
    Planted(CRAWL_ARCHIVE, 2 * DAY + 6 * HOUR, 1220, "a4c41e", repair=Repair.INDEXED),
    Planted(NIGHTLY_AUDIT, 2 * DAY + 11 * HOUR + 32 * MINUTE, 28 * MINUTE, "a0d172"),
    Planted(TICKET_TRIAGE, 2 * DAY + 20 * HOUR, 63, "71c4e7", repair=Repair.INDEXED),
    Planted(STRANGE_WORDS, 3 * DAY, 30, "57a46e"),
    Planted(WEEKLY_REPORT, 7 * DAY + 20 * HOUR + 32 * MINUTE, 171, "4a4a83", variant=Variant.V2),
)

UNREADABLE = Planted(SYNC_CATALOG, 4 * DAY, 12, "0ddba1")
"""A run whose database was overwritten by something else."""

LOGGED = Planted(TITLES, 5 * DAY, 120, "10a6ed")
"""A run by OpenProse's default backend: a log instead of a database."""

LOG_TEXT = """# run:{run_id} morning-brief

root: src/morning-brief.prose.md

1→ [input] topics ✓
2→ ∥start mail,calendar,news
2a→ mail ✓
2b→ calendar ✓
2c→ news ✗ feed-timeout
2c→ news ✓ (second try)
2→ ∥done
3→ brief ✓ rendered
---end {ended}
"""

CAST = (
    (TICKET_TRIAGE, Variant.V5, Repair.INDEXED, None),
    (SYNC_CATALOG, Variant.V5, Repair.LOOSE, None),
    (WEEKLY_REPORT, Variant.V2, Repair.LOOSE, None),
    (OUTLINE_BOOK, Variant.V5, Repair.KEYED, None),
    (RELEASE_NOTES, Variant.V5, Repair.LOOSE, None),
    (DEEP_RESEARCH, Variant.V5, Repair.LOOSE, None),
    (PRICE_WATCH, Variant.V5, Repair.LOOSE, None),
    (TRANSLATE_DOCS, Variant.V4, Repair.KEYED, None),
    (NIGHTLY_AUDIT, Variant.V5, Repair.LOOSE, QUIET_EVENTS),
    (NIGHTLY_AUDIT, Variant.V5, Repair.LOOSE, None),
)
"""What is begun one after the other as earlier runs end; the last but one stops half-way."""
