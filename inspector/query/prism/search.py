"""Full-text search in session entries, with the database's index or else a scan.

Source: Prism 0.3.0, `prism_session_search_fts` (since schema version 4): one row per entry with
label, summary and body. Bodies of entries older than the index are raw JSON, so snippets are taken
from the entries.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence

from inspector.query.prism.cells import (
    Malformed,
    instant_of,
    json_of,
    message_text,
    text_of,
    text_or_none,
)
from inspector.query.prism.schema_shape import SEARCH_TABLE
from inspector.query.search import Hit, snippet
from inspector.query.tables import Tables, quoted

LONGEST_TEXT = 1 << 20
"""Maximum characters of an entry that are searched."""

_COLUMNS = ("id", "session_id", "run_id", "kind", "timestamp", "label", "summary", "message")


def search(
    connection: sqlite3.Connection, tables: Tables, text: str, limit: int
) -> tuple[list[Hit], bool]:
    """Return entries that contain all words, and whether the store's index was used."""
    words = text.split()
    table = tables.get("prism_session_entries")
    if not words or table is None or not table.has("id"):
        return [], False
    if _has_index(tables):
        try:
            ids = _indexed(connection, words, limit)
        except sqlite3.OperationalError:
            # The index is damaged, or this SQLite lacks its tokenizer.
            pass
        else:
            return list(_hits(_entries(connection, tables, ids), words, limit, sure=True)), True
    return list(_hits(_every_entry(connection, tables), words, limit, sure=False)), False


def _has_index(tables: Tables) -> bool:
    """Return whether the search table is a virtual table."""
    return any(
        name == SEARCH_TABLE and isinstance(sql, str) and "virtual" in sql.casefold()
        for name, _, sql in tables.catalogue
    )


def _indexed(connection: sqlite3.Connection, words: Sequence[str], limit: int) -> list[str]:
    phrases = " ".join('"' + word.replace('"', '""') + '"' for word in words)
    rows = connection.execute(
        f"SELECT entry_id FROM {quoted(SEARCH_TABLE)} WHERE {quoted(SEARCH_TABLE)} MATCH ?"
        " ORDER BY rowid DESC LIMIT ?",
        (phrases, limit),
    )
    return [text_of(entry) for (entry,) in rows]


_Entry = tuple[object, ...]


def _select(tables: Tables) -> str:
    table = tables.get("prism_session_entries")
    assert table is not None
    return f"SELECT {', '.join(table.column(name) for name in _COLUMNS)} FROM prism_session_entries"


def _entries(
    connection: sqlite3.Connection, tables: Tables, ids: Sequence[str]
) -> Iterator[_Entry]:
    for id_ in ids:
        yield from connection.execute(f"{_select(tables)} WHERE id = ?", (id_,))


def _every_entry(connection: sqlite3.Connection, tables: Tables) -> Iterator[_Entry]:
    table = tables.get("prism_session_entries")
    order = "ORDER BY rowid DESC" if table is not None and table.has_rowid else ""
    yield from connection.execute(f"{_select(tables)} {order}")


def _hits(
    entries: Iterator[_Entry], words: Sequence[str], limit: int, *, sure: bool
) -> Iterator[Hit]:
    """Yield hits; `sure` if the index has matched the entries by its own rules."""
    wanted = [word.casefold() for word in words]
    found = 0
    for entry in entries:
        if found >= limit:
            return
        text = _text_of(entry)
        folded = text.casefold()
        if sure or all(word in folded for word in wanted):
            found += 1
            id_, session, run, kind, moment = entry[:5]
            yield Hit(
                run_id=text_or_none(run),
                session=text_or_none(session),
                ref=text_of(id_),
                kind=text_of(kind),
                at=instant_of(moment),
                text=snippet(text, words),
            )


def _text_of(entry: _Entry) -> str:
    label, summary, message = entry[5:8]
    parts = [text_of(part) for part in (label, summary) if part is not None]
    if message is not None:
        try:
            parts.append(message_text(json_of(message), LONGEST_TEXT))
        except Malformed:
            parts.append(text_of(message)[:LONGEST_TEXT])
    return "\n".join(parts)
