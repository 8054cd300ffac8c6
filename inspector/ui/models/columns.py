"""The columns of versions, and what is said of their bytes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspector.query.presentation import Column, Format, RecordTable, Tone
from inspector.text.numbers import NOT_RECORDED
from inspector.ui.panes.records import short_address

Record = Mapping[str, Any]

IN_WORDS = {
    "verified": "unchanged since it was kept: its bytes are those that its version names",
    "tampered": "it was changed after it was kept: its bytes are not those that its version names",
    "unverified": "nothing proves it: no such version is kept, and its stamp is an agent's word",
    "unreadable": "it cannot be read whole",
}


def trouble_of(record: Record) -> str | None:
    """What is wrong with a version, in a sentence without its full stop."""
    word = str(record.get("integrity"))
    why = record.get("unreadable")
    said = IN_WORDS[word] if word in ("tampered", "unreadable") else ""
    return ": ".join(part for part in (said, str(why or "")) if part) or None


def _changes(record: Record) -> str:
    changes = record.get("changes")
    if changes is None:
        return NOT_RECORDED
    glyphs = {"added": "+", "changed": "≠", "removed": "-"}
    counts = {word: sum(1 for one in changes if one["change"] == word) for word in glyphs}
    return " ".join(f"{glyphs[word]}{count}" for word, count in counts.items() if count)


def _title(record: Record) -> str:
    node = record.get("node")
    return f"{NOT_RECORDED if node is None else node} {short_address(record.get('version'))}"


def _published(record: Record) -> str:
    return "published" if record.get("published") else ""


def before_in_words(record: Record, other: Record, steps: int) -> str:
    """What the version is, `steps` before in the list, that another is compared with."""
    if record.get("order") == "rows":
        return f"{_far(steps, 'row')} before: no receipt tells which version was"
    if record.get("order") == "files":
        return f"{_far(steps, 'file')} written before: no receipt tells which version was"
    known = record.get("version_before")
    if steps > 1 or known in (None, other.get("version"), other.get("address")):
        return f"{_far(steps, 'version')} before"
    return f"the one kept before it; the version before, {short_address(known)}, is not kept"


def _far(steps: int, word: str) -> str:
    return f"the {word}" if steps == 1 else f"{steps} {word}s"


VERSIONS = RecordTable(
    (
        Column("node", 20, "node", tone=Tone.TEXT, grows=True, from_end=True),
        Column("version", 10, "version", Format.SHORT_ID),
        Column("receipt", 7, "receipt", right=True, narrow=False),
        Column("published", 9, _published, tone=Tone.TEXT),
        Column("bytes", 10, "integrity"),
        Column("files", 5, "files", right=True, narrow=False),
        Column("size", 6, "size", Format.SIZE, right=True, narrow=False),
        Column("changed", 9, _changes, narrow=False),
        Column("kept for", 8, lambda one: str(one.get("scope") or "run"), narrow=False),
    ),
    _title,
    problem=trouble_of,
)
