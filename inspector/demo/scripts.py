"""Every script of the demonstration by name: for the workspace, for tests, for screenshots."""

from __future__ import annotations

from inspector.demo.language import Script
from inspector.demo.programs.audit import NIGHTLY_AUDIT
from inspector.demo.programs.book import (
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
from inspector.demo.programs.research import DEEP_RESEARCH

SCRIPTS: dict[str, Script] = {
    script.name: script
    for script in (
        DEEP_RESEARCH,
        NIGHTLY_AUDIT,
        RELEASE_NOTES,
        PUBLISH_CHANGELOG,
        TICKET_TRIAGE,
        WEEKLY_REPORT,
        OUTLINE_BOOK,
        TITLES,
        MIGRATE_GLOSSARY,
        TRANSLATE_DOCS,
        PRICE_WATCH,
        CRAWL_ARCHIVE,
        SYNC_CATALOG,
        STRANGE_WORDS,
    )
}
