"""Versions of world models: columns, integrity in words, files and their differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inspector.query.presentation import Column, Format, RecordTable, Tone
from inspector.text.measure import clip
from inspector.text.numbers import NOT_RECORDED, size
from inspector.ui.content import content_of
from inspector.ui.labels import safe
from inspector.ui.lines import wrapped
from inspector.ui.palette import Role
from inspector.ui.panes.records import short_address
from inspector.ui.widgets.text_view import TextBuilder

Record = Mapping[str, Any]

LABEL_CELLS = 12
MAX_FILES = 200
MAX_LINES = 5_000
INTEGRITY = {
    "verified": "verified: unchanged since it was stored",
    "tampered": "tampered: changed after it was stored",
    "unverified": "unverified: no stored version to compare with, only an agent's stamp",
    "unreadable": "not readable in full",
}
_LINE_ROLES = {"+": Role.SUCCESS, "-": Role.ERROR, "@": Role.MUTED}


def problem_of(record: Record) -> str | None:
    """The problem of a version, without a full stop; None if it has none."""
    word = str(record.get("integrity"))
    problem = INTEGRITY[word] if word in ("tampered", "unreadable") else ""
    return (
        ": ".join(part for part in (problem, str(record.get("unreadable") or "")) if part) or None
    )


def _changes(record: Record) -> str:
    """`+1 ≠2 -3`: files added, changed and removed."""
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


def _scope(record: Record) -> str:
    return str(record.get("scope") or "run")


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
        Column("kept for", 8, _scope, narrow=False),
    ),
    _title,
    problem=problem_of,
)


def base_text(record: Record, base: Record, steps: int) -> str:
    """Describes the base of a comparison: `steps` versions before `record` in the list."""
    if record.get("order") == "rows":
        return f"{_back(steps, 'row')}; no receipt records the order"
    if record.get("order") == "files":
        return f"{_back(steps, 'file')} by write time; no receipt records the order"
    known = record.get("version_before")
    if steps > 1 or known in (None, base.get("version"), base.get("address")):
        return _back(steps, "version")
    return f"the previous stored version; its predecessor {short_address(known)} is not stored"


def _back(steps: int, noun: str) -> str:
    return f"the previous {noun}" if steps == 1 else f"{steps} {noun}s before"


def write_version(page: TextBuilder, record: Record, heading: str) -> None:
    """Writes the facts of a version, and a heading for what is written below them."""
    glyphs = page.ui.glyphs
    line = page.line()
    node = safe(str(record.get("node")), glyphs)
    line.add(clip(node, page.room, ellipsis=glyphs.cut), Role.STRONG)
    line.add(_published(record), skip=3)
    line.add("canonical: committed by its node", Role.MUTED, skip=3)
    _integrity(page, record)
    _fact(page, "version", record.get("version"))
    if record.get("address") not in (None, record.get("version")):
        _fact(page, "recomputed", record.get("address"))
    if "order" in record:
        _fact(page, "made at", _made_at(record))
    _fact(page, "stored in", record.get("store") or record.get("attachment_path"))
    if record.get("receipts") is not None:
        chain = record.get("chain") or "of several nodes"
        _fact(page, "receipts", f"{record['receipts']:,} beside it, chain {chain}")
    if heading:
        page.blank()
        page.line().add(clip(heading, page.room, ellipsis=glyphs.cut), Role.MUTED)


def _integrity(page: TextBuilder, record: Record) -> None:
    glyphs, problem, word = page.ui.glyphs, problem_of(record), str(record.get("integrity"))
    if problem is not None:
        _sentence(page, glyphs.finding, problem, Role.WARNING)
    elif word == "verified":
        _sentence(page, glyphs.completed, INTEGRITY[word], Role.SUCCESS)
    else:
        _sentence(page, glyphs.unknown, INTEGRITY.get(word, word), Role.MUTED)


def _made_at(record: Record) -> str:
    """The receipt or time by which the version is ordered."""
    receipt, again = record.get("receipt"), record.get("receipt_again")
    if receipt is None:
        order = "its row" if record.get("order") == "rows" else "file write time"
        return f"named by no receipt; ordered by {order}"
    back = "" if again is None else f"; again at receipt {again}"
    return f"receipt {receipt}, the first that names it{back}"


def _sentence(page: TextBuilder, glyph: str, text: str, role: Role) -> None:
    glyphs = page.ui.glyphs
    for number, part in enumerate(wrapped(safe(text, glyphs), page.room - 2, 4, glyphs.cut)):
        line = page.line()
        if not number:
            line.add(glyph, role)
        line.put(page.margin + 2, part)


def _fact(page: TextBuilder, label: str, value: object) -> None:
    line, glyphs = page.line(), page.ui.glyphs
    line.add(label, Role.MUTED)
    line.put(page.margin + LABEL_CELLS, "")
    text = NOT_RECORDED if value is None else safe(str(value), glyphs)
    line.add(clip(text, page.room - LABEL_CELLS, ellipsis=glyphs.cut))


def write_diff(page: TextBuilder, changes: Sequence[Record]) -> None:
    """Writes each changed file with its changed lines, at most MAX_FILES and MAX_LINES."""
    if not changes:
        page.line().add("no files changed", Role.MUTED)
    written = 0
    for one in changes[:MAX_FILES]:
        page.blank()
        _file(page, str(one["path"]), str(one["change"]), _sizes(one))
        lines = one.get("lines")
        if lines is None:
            page.line().add("binary or too long to compare", Role.MUTED)
        for text in (lines or ())[: max(0, MAX_LINES - written)]:
            written += 1
            shown = page.ui.glyphs.safe(text)
            role = _LINE_ROLES.get(text[:1], Role.TEXT)
            page.line().add(clip(shown, page.room, ellipsis=page.ui.glyphs.cut), role)
    if len(changes) > MAX_FILES or written >= MAX_LINES:
        page.line().add("Preview ends here.", Role.MUTED)


def _sizes(one: Record) -> str:
    before, after = one.get("before_size"), one.get("after_size")
    if before is None or after is None:
        return size(after if before is None else before)
    return f"{size(before)} → {size(after)}"


def _file(page: TextBuilder, path: str, change: str, sizes: str) -> None:
    line, glyphs = page.line(), page.ui.glyphs
    room = max(8, page.room - 30)
    line.add(clip(safe(path, glyphs), room, ellipsis=glyphs.cut), Role.STRONG)
    line.add(change, Role.MUTED, skip=3)
    line.add(glyphs.plain(sizes), Role.MUTED, skip=3)


def write_files(page: TextBuilder, files: Sequence[Record]) -> None:
    """Writes the files of a version with their text, at most MAX_FILES and MAX_LINES."""
    if not files:
        page.line().add("no files", Role.MUTED)
    left = MAX_LINES
    for one in files[:MAX_FILES]:
        page.blank()
        _file(page, str(one["path"]), "", size(one["size"]))
        text = one.get("text")
        if text is None:
            page.line().add("binary or too long to show", Role.MUTED)
            continue
        for each in content_of(str(one["path"]), text, "text").lines[:left]:
            left -= 1
            line = page.line()
            line.add(each.lead)
            line.add(each.key, Role.MUTED)
            room = max(0, page.end - line.cells)
            line.add(clip(each.rest, room, ellipsis=page.ui.glyphs.cut))
