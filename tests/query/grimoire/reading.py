"""Rows of a case, read as a test may: from a file that nobody writes."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path


def ledgers_of(path: Path) -> list[tuple[str, bytes]]:
    """Spell and text of every ledger of a database at rest."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as connection:
        rows = connection.execute("SELECT spell_id, entries FROM ledger ORDER BY id")
        return [(spell, text.encode()) for spell, text in rows]
